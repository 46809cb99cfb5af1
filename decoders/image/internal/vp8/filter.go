package vp8

import "encoding/binary"

// filter is how a macroblock's edges are smoothed (RFC 6386, 15).
type filter struct {
	limit, interior, variance uint8 // limit 0: not at all
	inner                     bool  // the edges between its blocks too
}

// setStrengths makes the filters of each segment, without and with modes for blocks (9.6, 15.1).
func (f *Frame) setStrengths() {
	for i := range f.strengths {
		base := f.level
		if f.segmented {
			if base = f.segments[i].level; !f.absolute {
				base += f.level
			}
		}
		for blocks := range 2 {
			level := base
			if f.deltas {
				level += f.refDelta + blocks*f.blockDelta
			}
			level = max(0, min(63, level))
			if level == 0 {
				continue
			}
			interior := level
			if f.sharpness > 0 {
				interior >>= 1
				if f.sharpness > 4 {
					interior >>= 1
				}
				interior = min(interior, 9-f.sharpness)
			}
			interior = max(1, interior)
			s := filter{limit: uint8(2*level + interior), interior: uint8(interior)}
			switch {
			case level >= 40:
				s.variance = 2
			case level >= 15:
				s.variance = 1
			}
			f.strengths[i][blocks] = s
		}
	}
}

// loopFilter smooths the first rows of macroblocks, each in turn.
func (f *Frame) loopFilter(rows int) {
	if f.level == 0 {
		return
	}
	for y := range rows {
		for x := range f.columns {
			s := f.filters[y*f.columns+x]
			switch {
			case s.limit == 0:
			case f.simple:
				f.smoothSimple(x, y, s)
			default:
				f.smooth(f.Y, f.YStride, x, y, 16, s)
				f.smooth(f.Cb, f.CStride, x, y, 8, s)
				f.smooth(f.Cr, f.CStride, x, y, 8, s)
			}
		}
	}
}

func (f *Frame) smoothSimple(x, y int, s filter) {
	at := 16*y*f.YStride + 16*x
	if x > 0 {
		simpleEdge(f.Y, at, 1, f.YStride, s.limit+4)
	}
	for i := 4; s.inner && i < 16; i += 4 {
		simpleEdge(f.Y, at+i, 1, f.YStride, s.limit)
	}
	if y > 0 {
		simpleEdge(f.Y, at, f.YStride, 1, s.limit+4)
	}
	for i := 4; s.inner && i < 16; i += 4 {
		simpleEdge(f.Y, at+i*f.YStride, f.YStride, 1, s.limit)
	}
}

// simpleEdge smooths 16 samples either side of an edge (15.2): across is the step over it, along the one along it.
func simpleEdge(p []byte, at, across, along int, limit uint8) {
	most := 2*int32(limit) + 1
	for range 16 {
		p1, p0, q0, q1 := int32(p[at-2*across]), int32(p[at-across]), int32(p[at]), int32(p[at+across])
		if 4*abs(p0-q0)+abs(p1-q1) <= most {
			a := 3*(q0-p0) + clamp(p1-q1)
			p[at-across] = clip(p0 + small((a+3)>>3))
			p[at] = clip(q0 - small((a+4)>>3))
		}
		at += along
	}
}

// smooth is the normal filter on one plane of a macroblock, n samples a side (15.3).
func (f *Frame) smooth(p []byte, stride, x, y, n int, s filter) {
	at := n*y*stride + n*x
	if x > 0 {
		edgeInRows(p[at-4:], stride, n, s.limit+4, s, true)
	}
	for i := 4; s.inner && i < n; i += 4 {
		edgeInRows(p[at+i-4:], stride, n, s.limit, s, false)
	}
	if y > 0 {
		edgeInColumns(p[at-4*stride:], stride, n, s.limit+4, s, true)
	}
	for i := 4; s.inner && i < n; i += 4 {
		edgeInColumns(p[at+(i-4)*stride:], stride, n, s.limit, s, false)
	}
}

// edgeInRows smooths n samples either side of an upright edge, four samples behind where p begins; outer is one between macroblocks. It and
// edgeInColumns have few branches: behind the wall one costs more than what it saves.
func edgeInRows(p []byte, stride, n int, limit uint8, s filter, outer bool) {
	most, inside, variance := 2*int32(limit)+1, int32(s.interior), int32(s.variance)
	for ; n > 0 && len(p) >= 8; n-- {
		line := (*[8]byte)(p)
		v := binary.LittleEndian.Uint64(line[:])
		p3, p2, p1, p0 := int32(v&0xff), int32(v>>8&0xff), int32(v>>16&0xff), int32(v>>24&0xff)
		q0, q1, q2, q3 := int32(v>>32&0xff), int32(v>>40&0xff), int32(v>>48&0xff), int32(v>>56)
		sharp := max(abs(p1-p0), abs(q1-q0))
		p = p[min(stride, len(p)):]
		if 4*abs(p0-q0)+abs(p1-q1) > most || max(sharp, abs(p3-p2), abs(p2-p1), abs(q3-q2), abs(q2-q1)) > inside {
			continue
		}
		a := 3 * (q0 - p0)
		switch {
		case sharp > variance: // an edge of the picture itself
			a += clamp(p1 - q1)
			line[3], line[4] = clip(p0+small((a+3)>>3)), clip(q0-small((a+4)>>3))
		case outer:
			a = clamp(a + clamp(p1-q1))
			a1, a2, a3 := (27*a+63)>>7, (18*a+63)>>7, (9*a+63)>>7
			line[1], line[2], line[3] = clip(p2+a3), clip(p1+a2), clip(p0+a1)
			line[4], line[5], line[6] = clip(q0-a1), clip(q1-a2), clip(q2-a3)
		default:
			b, c := small((a+4)>>3), small((a+3)>>3)
			line[3], line[4] = clip(p0+c), clip(q0-b)
			b = (b + 1) >> 1
			line[2], line[5] = clip(p1+b), clip(q1-b)
		}
	}
}

// edgeInColumns is edgeInRows for a level edge, four rows below where p begins.
func edgeInColumns(p []byte, stride, n int, limit uint8, s filter, outer bool) {
	most, inside, variance := 2*int32(limit)+1, int32(s.interior), int32(s.variance)
	r0, r1, r2, r3 := p[:n], p[stride:][:n], p[2*stride:][:n], p[3*stride:][:n]
	r4, r5, r6, r7 := p[4*stride:][:n], p[5*stride:][:n], p[6*stride:][:n], p[7*stride:][:n]
	for i := range r0 {
		p3, p2, p1, p0 := int32(r0[i]), int32(r1[i]), int32(r2[i]), int32(r3[i])
		q0, q1, q2, q3 := int32(r4[i]), int32(r5[i]), int32(r6[i]), int32(r7[i])
		sharp := max(abs(p1-p0), abs(q1-q0))
		if 4*abs(p0-q0)+abs(p1-q1) > most || max(sharp, abs(p3-p2), abs(p2-p1), abs(q3-q2), abs(q2-q1)) > inside {
			continue
		}
		a := 3 * (q0 - p0)
		switch {
		case sharp > variance:
			a += clamp(p1 - q1)
			r3[i], r4[i] = clip(p0+small((a+3)>>3)), clip(q0-small((a+4)>>3))
		case outer:
			a = clamp(a + clamp(p1-q1))
			a1, a2, a3 := (27*a+63)>>7, (18*a+63)>>7, (9*a+63)>>7
			r1[i], r2[i], r3[i] = clip(p2+a3), clip(p1+a2), clip(p0+a1)
			r4[i], r5[i], r6[i] = clip(q0-a1), clip(q1-a2), clip(q2-a3)
		default:
			b, c := small((a+4)>>3), small((a+3)>>3)
			r3[i], r4[i] = clip(p0+c), clip(q0-b)
			b = (b + 1) >> 1
			r2[i], r5[i] = clip(p1+b), clip(q1-b)
		}
	}
}

func abs(v int32) int32 {
	s := v >> 31
	return (v ^ s) - s
}

// clamp is to the range of a signed byte, small to that of five bits.
func clamp(v int32) int32 { return max(-128, min(127, v)) }
func small(v int32) int32 { return max(-16, min(15, v)) }
