package image

// shrink draws src at tw by th pixels, neither larger than the source's, pulling its rows once. rows says how many of the result's rows
// there are when src ends early; the rest of it is empty.
//
// Boxes of whole pixels are averaged first, then a Catmull-Rom kernel takes the last step, which is less than two times. Colours are
// weighted by their alpha. It is this code's own and not x/image/draw's for two reasons: that one needs the whole source and 32 bytes for
// each of its rows and target columns (157 MB at 3,136 to 1,568 pixels), this one some rows; and integers give the same picture on every
// machine.
func shrink(src raster, tw, th int) (out *nrgba, rows int) {
	if g, ok := src.(grayRaster); ok {
		if p, ok := g.gray(); ok {
			if p.w != tw || p.h != th {
				p = p.shrink(tw, th)
			}
			return p.colored(), th
		}
	}
	sw, sh := src.size()
	if s, ok := src.(selfShrinking); ok && (tw < sw || th < sh) {
		return s.shrunk(tw, th), th
	}
	out = newNRGBA(tw, th)
	out.solid = src.opaque()
	if out.solid {
		defer out.fillAlpha()
	}
	if sw == tw && sh == th {
		for y := range th {
			if src.row(y, out.pix[4*tw*y:4*tw*(y+1)]) != nil {
				clear(out.pix[4*tw*y:])
				return out, y
			}
		}
		return out, th
	}
	if out.solid {
		if s := newOpaqueShrinker(sw, sh, out); s != nil {
			return out, s.run(src.row)
		}
	}
	r := resampling{sw: sw, sh: sh, tw: tw, th: th, channels: 4, fetch: src.row}
	r.emit = func(y int, sums []int) { storeAlpha(out.pix[4*tw*y:4*tw*(y+1)], sums) }
	if out.solid {
		r.channels = 3
		r.emit = func(y int, sums []int) { storeOpaque(out.pix[4*tw*y:4*tw*(y+1)], sums) }
	}
	return out, r.run()
}

// selfShrinking is a raster that knows a shorter way to a smaller size than over its rows.
type selfShrinking interface{ shrunk(tw, th int) *nrgba }

func (m *nrgba) fillAlpha() {
	for i := 3; i < len(m.pix); i += 4 {
		m.pix[i] = 0xff
	}
}

// plane is one component of a picture, a byte a sample.
type plane struct {
	pix          []byte
	stride, w, h int
}

// shrink is the function shrink for a plane. The target may be the plane's size, not more.
func (p plane) shrink(tw, th int) plane {
	out := plane{make([]byte, tw*th), tw, tw, th}
	var s planeShrinker
	s.start(p.w, p.h, ratio{p.w, tw}, ratio{p.h, th}, out)
	for y := range p.h {
		s.push(p.pix[y*p.stride:])
	}
	return out
}

// one is a full sample: colours are times alpha, or times 255 where there is none, and alpha is times 255.
const one = 255 * 255

// storeOpaque ends a row of red, green and blue.
func storeOpaque(dst []byte, sums []int) {
	for i, j := 0, 0; j+3 <= len(sums); i, j = i+4, j+3 {
		dst[i] = byte((clipSample(sums[j]) + 127) / 255)
		dst[i+1] = byte((clipSample(sums[j+1]) + 127) / 255)
		dst[i+2] = byte((clipSample(sums[j+2]) + 127) / 255)
	}
}

// storeAlpha ends a row of premultiplied red, green, blue, and alpha.
func storeAlpha(dst []byte, sums []int) {
	for i := 0; i+4 <= len(sums); i += 4 {
		a := clipSample(sums[i+3])
		if dst[i+3] = byte((a + 127) / 255); dst[i+3] == 0 {
			continue
		}
		for c := range 3 {
			dst[i+c] = byte(min(255, (clipSample(sums[i+c])*255+a/2)/a))
		}
	}
}

// resampling is one picture on its way to a smaller size.
type resampling struct {
	sw, sh, tw, th int
	channels       int // samples that are kept of it: 3 (no alpha) or 4
	fetch          func(y int, dst []byte) error
	emit           func(y int, sums []int) // a finished row, each sample times kernelOne

	k      int // side of a box
	bw, bh int // boxes
	line   []byte
	sums   []uint64
	boxes  []uint16 // a row of averages

	across, down kernel
	ring         [][]uint16 // rows that are resampled across already
	acc          []int
	done         int // rows emitted
}

// run pulls the source and returns how many rows were emitted.
func (r *resampling) run() int {
	r.k = max(1, min(r.sw/r.tw, r.sh/r.th))
	r.bw, r.bh = (r.sw+r.k-1)/r.k, (r.sh+r.k-1)/r.k
	r.line = make([]byte, 4*r.sw)
	r.sums, r.boxes = make([]uint64, r.bw*r.channels), make([]uint16, r.bw*r.channels)
	r.across = newKernel(r.bw, float64(r.sw)/float64(r.k), r.tw)
	r.down = newKernel(r.bh, float64(r.sh)/float64(r.k), r.th)
	r.acc = make([]int, r.tw*r.channels)
	for range r.down.taps + 1 {
		r.ring = append(r.ring, make([]uint16, r.tw*r.channels))
	}
	for y := range r.bh {
		if !r.average(y) {
			break
		}
		r.rowAcross(r.ring[y%len(r.ring)])
		for r.done < r.th && r.down.first[r.done]+r.down.taps <= y+1 {
			r.rowDown(r.done)
			r.done++
		}
	}
	return r.done
}

// average makes row y of the boxes.
func (r *resampling) average(y int) bool {
	y0, y1 := y*r.k, min((y+1)*r.k, r.sh)
	clear(r.sums)
	for sy := y0; sy < y1; sy++ {
		if r.fetch(sy, r.line) != nil {
			return false
		}
		switch {
		case r.channels == 4:
			r.addAlpha()
		case r.k == 1:
			r.widen()
			return true
		default:
			r.addOpaque()
		}
	}
	scale := uint64(255)
	if r.channels == 4 {
		scale = 1
	}
	whole := (r.sw / r.k) * r.channels // samples of boxes that are not cut by the right edge
	n := uint64(r.k * (y1 - y0))
	if inverse := (1<<32*scale + n/2) / n; n < 1<<15 {
		for i, s := range r.sums[:whole] {
			r.boxes[i] = uint16((s*inverse + 1<<31) >> 32)
		}
	} else {
		for i, s := range r.sums[:whole] {
			r.boxes[i] = uint16((s*scale + n/2) / n)
		}
	}
	if n = uint64((r.sw % r.k) * (y1 - y0)); n > 0 {
		for i, s := range r.sums[whole:] {
			r.boxes[whole+i] = uint16((s*scale + n/2) / n)
		}
	}
	return true
}

// widen takes pixels without alpha as they are.
func (r *resampling) widen() {
	for i, j := 0, 0; i+4 <= len(r.line); i, j = i+4, j+3 {
		r.boxes[j], r.boxes[j+1], r.boxes[j+2] = uint16(r.line[i])*255, uint16(r.line[i+1])*255, uint16(r.line[i+2])*255
	}
}

func (r *resampling) addOpaque() {
	i := 0
	for x := range r.bw {
		var red, green, blue uint64
		for end := min(i+4*r.k, len(r.line)); i < end; i += 4 {
			red += uint64(r.line[i])
			green += uint64(r.line[i+1])
			blue += uint64(r.line[i+2])
		}
		s := r.sums[3*x : 3*x+3 : 3*x+3]
		s[0] += red
		s[1] += green
		s[2] += blue
	}
}

func (r *resampling) addAlpha() {
	i := 0
	for x := range r.bw {
		s := r.sums[4*x : 4*x+4 : 4*x+4]
		for end := min(i+4*r.k, len(r.line)); i < end; i += 4 {
			a := uint64(r.line[i+3])
			s[0] += uint64(r.line[i]) * a
			s[1] += uint64(r.line[i+1]) * a
			s[2] += uint64(r.line[i+2]) * a
			s[3] += 255 * a
		}
	}
}

func (r *resampling) rowAcross(dst []uint16) {
	taps := r.across.taps
	for x, first := range r.across.first {
		w := r.across.weight[x*taps : (x+1)*taps]
		switch r.channels {
		case 3:
			var a, b, c int
			src := r.boxes[3*first : 3*(first+taps)]
			for t, i := 0, 0; i+3 <= len(src); t, i = t+1, i+3 {
				k := w[t]
				a += k * int(src[i])
				b += k * int(src[i+1])
				c += k * int(src[i+2])
			}
			dst[3*x], dst[3*x+1], dst[3*x+2] = uint16(clipSample(a)), uint16(clipSample(b)), uint16(clipSample(c))
		default:
			var a, b, c, d int
			src := r.boxes[4*first : 4*(first+taps)]
			for t, i := 0, 0; i+4 <= len(src); t, i = t+1, i+4 {
				k := w[t]
				a += k * int(src[i])
				b += k * int(src[i+1])
				c += k * int(src[i+2])
				d += k * int(src[i+3])
			}
			dst[4*x], dst[4*x+1], dst[4*x+2], dst[4*x+3] = uint16(clipSample(a)), uint16(clipSample(b)), uint16(clipSample(c)), uint16(clipSample(d))
		}
	}
}

func (r *resampling) rowDown(y int) {
	clear(r.acc)
	taps := r.down.taps
	for t, k := range r.down.weight[y*taps : (y+1)*taps] {
		if k == 0 {
			continue
		}
		acc := r.acc
		for i, v := range r.ring[(r.down.first[y]+t)%len(r.ring)][:len(acc)] {
			acc[i] += k * int(v)
		}
	}
	r.emit(y, r.acc)
}
