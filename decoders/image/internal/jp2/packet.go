package jp2

import "math/bits"

// packetReader reads the packets of a tile (B.9, B.10).
type packetReader struct {
	t        *tile
	reduce   int    // of the resolutions, how many are not wanted
	comps    int    // components that are
	at       int    // in the data
	headAt   int    // in the packed headers
	gains    []gain // room for those of a packet
	segments int
	broken   bool
	short    bool // the data ends early
}

// readPackets reads packets until the data ends. Data that ends early, or makes no sense, ends it too: what was read is good.
func (t *tile) readPackets(reduce, comps int) (short bool) {
	r := packetReader{t: t, reduce: reduce, comps: comps}
	t.packets(func(id packetID) bool { return r.packet(id) })
	return r.short || r.broken
}

// packet reads one packet and reports whether there may be another.
func (r *packetReader) packet(id packetID) bool {
	if r.at >= len(r.t.data) && r.headAt >= len(r.t.heads) {
		r.short = true
		return false
	}
	if d := r.t.data[r.at:]; len(d) >= 6 && d[0] == markSOP>>8 && d[1] == markSOP&0xff && d[2] == 0 && d[3] == 4 {
		r.at += 6
	}
	packed := r.t.heads != nil
	h := header{gains: r.gains[:0], segments: r.segments}
	if packed {
		h.data = r.t.heads[min(r.headAt, len(r.t.heads)):]
	} else {
		h.data = r.t.data[r.at:]
	}
	tc := &r.t.comps[id.comp]
	res := &tc.res[id.res]
	ok := h.read(res, id, tc.style)
	r.gains, r.segments = h.gains, h.segments
	end := h.align()
	if d := h.data[end:]; len(d) >= 2 && d[0] == markEPH>>8 && d[1] == markEPH&0xff {
		end += 2
	}
	if packed {
		r.headAt += end
	} else {
		r.at += end
	}
	if h.short {
		r.short = true
		return false
	}
	wanted := id.comp < r.comps && id.res <= tc.levels-min(r.reduce, tc.levels)
	for _, g := range h.gains {
		n := min(g.bytes, len(r.t.data)-r.at)
		if wanted {
			g.take(r.t.data[r.at : r.at+n])
		}
		r.at += n
		if n < g.bytes {
			r.short = true
			return false
		}
	}
	if !ok {
		r.broken = true
	}
	return ok
}

// header is a packet's header as it is read.
type header struct {
	bitReader
	gains    []gain
	segments int // of the tile so far
}

// gain is what a packet has of a code-block's segment.
type gain struct {
	block   *codeBlock
	segment int
	bytes   int
}

func (g gain) take(b []byte) {
	s := &g.block.segments[g.segment]
	switch {
	case len(s.data) == 0:
		s.data = b
	case !s.owned: // the tile's data must not be written to
		s.data, s.owned = append(append(make([]byte, 0, 2*(len(s.data)+len(b))), s.data...), b...), true
	default:
		s.data = append(s.data, b...)
	}
}

// maxPasses is as many as maxPlanes have and more, and maxLengthBits more than a file's size takes.
const (
	maxPasses     = 3*maxPlanes + 1
	maxLengthBits = 30
)

// maxSegments bounds the segments of a tile: where each pass has one of its own they may be three bits of the file.
const maxSegments = 1 << 21

// read reads the header of packet id. It returns false for what cannot be.
func (h *header) read(res *resolution, id packetID, style byte) bool {
	if h.bit() == 0 {
		return true
	}
	for i := range res.bands {
		b := &res.bands[i]
		p := &b.parts[id.precinct]
		if p.inclusion == nil && len(p.blocks) > 0 {
			p.inclusion, p.zeros = newTagTree(p.nx, p.ny), newTagTree(p.nx, p.ny)
		}
		for k := range p.blocks {
			if h.short {
				return false
			}
			if !h.block(b, p, k, id.layer, style) {
				return false
			}
		}
	}
	return true
}

// block reads what the header says of code-block k.
func (h *header) block(b *band, p *precinct, k, layer int, style byte) bool {
	cb := &p.blocks[k]
	if !cb.included {
		if !p.inclusion.below(&h.bitReader, k, int32(layer)+1) {
			return true
		}
		zeros := int32(0)
		for !p.zeros.below(&h.bitReader, k, zeros+1) {
			if zeros++; zeros > 80 || h.short {
				return false
			}
		}
		cb.included, cb.lblock = true, 3
		cb.planes = b.planes - int(zeros)
		if cb.planes > maxPlanes || cb.planes < 0 {
			return false
		}
	} else if h.bit() == 0 {
		return true
	}
	n := h.passes()
	for h.bit() == 1 {
		if cb.lblock++; cb.lblock > maxLengthBits {
			return false
		}
	}
	if cb.passes+n > maxPasses {
		return false
	}
	return h.lengths(cb, n, style)
}

// passes reads how many passes there are (table B.4).
func (h *header) passes() int {
	switch {
	case h.bit() == 0:
		return 1
	case h.bit() == 0:
		return 2
	}
	if n := h.uint(2); n < 3 {
		return 3 + n
	}
	if n := h.uint(5); n < 31 {
		return 6 + n
	}
	return 37 + h.uint(7)
}

// lengths reads how many bytes the passes take, segment by segment (B.10.7).
func (h *header) lengths(cb *codeBlock, n int, style byte) bool {
	for n > 0 {
		last := len(cb.segments) - 1
		if last < 0 || cb.segments[last].passes == cb.segments[last].most {
			if h.segments++; h.segments > maxSegments {
				return false
			}
			cb.segments = append(cb.segments, segment{most: uint8(segmentPasses(cb.passes, style))})
			last++
		}
		s := &cb.segments[last]
		k := min(n, int(s.most-s.passes))
		length := h.uint(cb.lblock + bits.Len(uint(k)) - 1)
		if h.short {
			return false
		}
		s.passes += uint8(k)
		cb.passes += k
		n -= k
		h.gains = append(h.gains, gain{cb, last, length})
	}
	return true
}

// segmentPasses is how many passes a segment has that begins with pass first (D.4.2, tables D.8 and D.9).
func segmentPasses(first int, style byte) int {
	switch {
	case style&styleTermAll != 0:
		return 1
	case style&styleBypass == 0:
		return maxPasses + 1
	case first < 10:
		return 10
	case (first-10)%3 == 0:
		return 2
	}
	return 1
}
