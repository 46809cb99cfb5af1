package image

import "encoding/binary"

// opaqueShrinker is resampling for pictures without alpha, which most large ones are: the same result to the last bit, with two sums in each
// multiplication and three samples in each word. Where a bound of its arithmetic does not hold, newOpaqueShrinker gives none.
type opaqueShrinker struct {
	out    *nrgba
	sw, sh int
	k      int // side of a box; 1: no boxes
	bw, bh int // boxes

	line  []byte    // a row of the source
	sums  []uint64  // of boxes: red, blue and green, sixteen bits each
	boxes [3][]byte // a row of averages: red, green and blue apart, two bytes a sample, and then some that no weight is for

	across kernel
	pairs  []uint64 // the weights of across, see pairsOfWide
	down   kernel
	ring   [][]uint64 // rows that are resampled across already: red, green and blue of a pixel, sixteen bits each
	acc    []uint64   // a row that is being made: red and blue, then green
	empty  []uint64
}

const (
	// maxOpaqueBox is the largest side of a box whose sums fit sixteen bits.
	maxOpaqueBox = 16
	// maxWeights is what the weights of a sample may be together, without their signs, so that a sum of samples fits 32 bits with its sign.
	maxWeights = 2 * kernelOne
)

// newOpaqueShrinker makes ready for a picture of sw by sh; nil: it must go the other way.
func newOpaqueShrinker(sw, sh int, out *nrgba) *opaqueShrinker {
	s := &opaqueShrinker{out: out, sw: sw, sh: sh, k: max(1, min(sw/out.w, sh/out.h))}
	s.bw, s.bh = (sw+s.k-1)/s.k, (sh+s.k-1)/s.k
	if s.k > maxOpaqueBox {
		return nil
	}
	s.across = newKernel(s.bw, float64(sw)/float64(s.k), out.w)
	s.down = newKernel(s.bh, float64(sh)/float64(s.k), out.h)
	if s.across.taps > kernelStep || s.across.heaviest() > maxWeights || s.down.heaviest() > maxWeights {
		return nil
	}
	s.pairs = pairsOfWide(&s.across)
	s.line = make([]byte, 4*sw)
	if s.k > 1 {
		s.sums = make([]uint64, s.bw)
	}
	for c := range s.boxes {
		s.boxes[c] = make([]byte, 2*(s.bw+kernelStep))
	}
	for range s.down.taps + 1 {
		s.ring = append(s.ring, make([]uint64, out.w))
	}
	s.acc, s.empty = make([]uint64, 2*out.w), make([]uint64, out.w)
	return s
}

// heaviest is the largest sum of a sample's weights without their signs.
func (k *kernel) heaviest() (most int) {
	for w := k.weight; len(w) >= k.taps && k.taps > 0; w = w[k.taps:] {
		sum := 0
		for _, v := range w[:k.taps] {
			sum += max(v, -v)
		}
		most = max(most, sum)
	}
	return most
}

// pairsOfWide packs up to eight weights of each sample in four: of each four, the third behind the first and the fourth behind the second.
// A word with two samples times such a pair has the sum of both products in its high half.
func pairsOfWide(k *kernel) []uint64 {
	out := make([]uint64, 0, len(k.first)*kernelStep/2)
	for i := range k.first {
		var w [kernelStep]uint64
		for t, v := range k.weight[i*k.taps:][:k.taps] {
			w[t] = uint64(v)
		}
		out = append(out, w[2]+w[0]<<32, w[3]+w[1]<<32, w[6]+w[4]<<32, w[7]+w[5]<<32)
	}
	return out
}

// run pulls the source by fetch and returns how many rows of the result there are.
func (s *opaqueShrinker) run(fetch func(y int, dst []byte) error) (done int) {
	for y := range s.bh {
		if !s.average(y, fetch) {
			break
		}
		s.rowAcross(s.ring[y%len(s.ring)])
		for done < s.out.h && s.down.first[done]+s.down.taps <= y+1 {
			s.rowDown(done)
			done++
		}
	}
	return done
}

// average makes row y of the boxes.
func (s *opaqueShrinker) average(y int, fetch func(y int, dst []byte) error) bool {
	if s.k == 1 {
		if fetch(y, s.line) != nil {
			return false
		}
		s.widen()
		return true
	}
	y0, y1 := y*s.k, min((y+1)*s.k, s.sh)
	clear(s.sums)
	for sy := y0; sy < y1; sy++ {
		if fetch(sy, s.line) != nil {
			return false
		}
		s.gather()
	}
	n := uint64(s.k * (y1 - y0))
	inverse := (1<<32*255 + n/2) / n
	red, green, blue := s.boxes[0], s.boxes[1], s.boxes[2]
	whole := s.sums[:s.sw/s.k]
	for i := 0; i < len(whole) && len(red) >= 2 && len(green) >= 2 && len(blue) >= 2; i++ {
		v := whole[i]
		binary.LittleEndian.PutUint16(red, uint16((v&0xffff*inverse+1<<31)>>32))
		binary.LittleEndian.PutUint16(green, uint16((v>>32&0xffff*inverse+1<<31)>>32))
		binary.LittleEndian.PutUint16(blue, uint16((v>>16&0xffff*inverse+1<<31)>>32))
		red, green, blue = red[2:], green[2:], blue[2:]
	}
	if n = uint64((s.sw % s.k) * (y1 - y0)); n > 0 { // a box that is cut by the edge
		v := s.sums[len(s.sums)-1]
		binary.LittleEndian.PutUint16(red, uint16((v&0xffff*255+n/2)/n))
		binary.LittleEndian.PutUint16(green, uint16((v>>32&0xffff*255+n/2)/n))
		binary.LittleEndian.PutUint16(blue, uint16((v>>16&0xffff*255+n/2)/n))
	}
	return true
}

// widen takes the pixels of a row as they are, times 255.
func (s *opaqueShrinker) widen() {
	// both are the same samples of two pixels, four bytes apart.
	const both = 0x000000ff000000ff
	line, red, green, blue := s.line, s.boxes[0], s.boxes[1], s.boxes[2]
	for len(line) >= 16 && len(red) >= 8 && len(green) >= 8 && len(blue) >= 8 {
		q, p := binary.LittleEndian.Uint64(line[8:]), binary.LittleEndian.Uint64(line)
		a, b := p&both, q&both
		binary.LittleEndian.PutUint64(red, ((a|a>>16)&0xffffffff|(b|b>>16)<<32)*255)
		a, b = p>>8&both, q>>8&both
		binary.LittleEndian.PutUint64(green, ((a|a>>16)&0xffffffff|(b|b>>16)<<32)*255)
		a, b = p>>16&both, q>>16&both
		binary.LittleEndian.PutUint64(blue, ((a|a>>16)&0xffffffff|(b|b>>16)<<32)*255)
		line, red, green, blue = line[16:], red[8:], green[8:], blue[8:]
	}
	for ; len(line) >= 4; line = line[4:] {
		binary.LittleEndian.PutUint16(red, uint16(line[0])*255)
		binary.LittleEndian.PutUint16(green, uint16(line[1])*255)
		binary.LittleEndian.PutUint16(blue, uint16(line[2])*255)
		red, green, blue = red[2:], green[2:], blue[2:]
	}
}

// gather adds a row to the boxes.
func (s *opaqueShrinker) gather() {
	const lanes = 0x00ff00ff00ff00ff
	line, sums := s.line, s.sums
	if s.k == 2 {
		for i := 0; i < len(sums) && len(line) >= 8; i++ {
			p := binary.LittleEndian.Uint64(line)
			line = line[8:]
			a, b := p&lanes, p>>8&lanes
			sums[i] += (a+a>>32)&0xffffffff + (b+b>>32)<<32
		}
		if len(line) >= 4 && len(sums) > 0 {
			v := uint64(binary.LittleEndian.Uint32(line))
			sums[len(sums)-1] += v&lanes + v>>8&lanes<<32
		}
		return
	}
	for i := range sums {
		box := line[:min(4*s.k, len(line))]
		line = line[len(box):]
		var a, b uint64
		for len(box) >= 8 {
			p := binary.LittleEndian.Uint64(box)
			a += p & lanes
			b += p >> 8 & lanes
			box = box[8:]
		}
		sum := (a+a>>32)&0xffffffff + (b+b>>32)<<32
		if len(box) >= 4 {
			v := uint64(binary.LittleEndian.Uint32(box))
			sum += v&lanes + v>>8&lanes<<32
		}
		sums[i] += sum
	}
}

// rowAcross resamples a row of boxes into dst.
func (s *opaqueShrinker) rowAcross(dst []uint64) {
	const (
		even = 0x0000ffff0000ffff // the first and third of four samples
		// What the low half of a sum has must not be borrowed from the high one, which is rounded.
		round = 1<<31 + kernelOne/2<<32
	)
	pairs := s.pairs
	red, green, blue := s.boxes[0], s.boxes[1], s.boxes[2]
	first := s.across.first
	for x := 0; x < len(first) && x < len(dst) && len(pairs) >= 4; x++ {
		at := 2 * first[x]
		w := (*[4]uint64)(pairs)
		pairs = pairs[4:]
		w3, w0, w1, w2 := w[3], w[0], w[1], w[2]
		p := (*[2 * kernelStep]byte)(red[at:])
		u, v := binary.LittleEndian.Uint64(p[8:]), binary.LittleEndian.Uint64(p[:])
		r := int64((v&even)*w0+(v>>16&even)*w1+(u&even)*w2+(u>>16&even)*w3+round) >> (32 + 14)
		p = (*[2 * kernelStep]byte)(green[at:])
		u, v = binary.LittleEndian.Uint64(p[8:]), binary.LittleEndian.Uint64(p[:])
		g := int64((v&even)*w0+(v>>16&even)*w1+(u&even)*w2+(u>>16&even)*w3+round) >> (32 + 14)
		p = (*[2 * kernelStep]byte)(blue[at:])
		u, v = binary.LittleEndian.Uint64(p[8:]), binary.LittleEndian.Uint64(p[:])
		b := int64((v&even)*w0+(v>>16&even)*w1+(u&even)*w2+(u>>16&even)*w3+round) >> (32 + 14)
		dst[x] = uint64(max(0, min(one, r)) | max(0, min(one, g))<<16 | max(0, min(one, b))<<32)
	}
}

// rowDown makes row y of the result.
func (s *opaqueShrinker) rowDown(y int) {
	taps := s.down.taps
	weights := s.down.weight[y*taps:][:taps]
	row := func(t int) ([]uint64, uint64) {
		if t >= taps {
			return s.empty, 0
		}
		return s.ring[(s.down.first[y]+t)%len(s.ring)], uint64(weights[t])
	}
	clear(s.acc)
	for t := 0; t < taps; t += 4 {
		a, v := row(t)
		b, w := row(t + 1)
		c, x := row(t + 2)
		d, y := row(t + 3)
		addFour(s.acc, a, b, c, d, v, w, x, y)
	}
	const round = 1<<31 + kernelOne/2<<32
	dst, acc := s.out.pix[4*s.out.w*y:][:4*s.out.w], s.acc
	for ; len(dst) >= 4 && len(acc) >= 2; acc = acc[2:] {
		p, q := int64(acc[0]), int64(acc[1])
		r, g := (int64(int32(p))+kernelOne/2)>>14, (int64(int32(q))+kernelOne/2)>>14
		b := (p + round) >> (32 + 14)
		binary.LittleEndian.PutUint32(dst, byte255(r)|byte255(g)<<8|byte255(b)<<16|0xff<<24)
		dst = dst[4:]
	}
}

// byte255 is a full sample as a byte, rounded: v times 255 less is 0 to 255. The division by 255 is exact for sixteen bits.
func byte255(v int64) uint32 { return uint32((uint64(max(0, min(one, v))) + 127) * 0x8081 >> 23) }
