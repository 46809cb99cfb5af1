package image

import "encoding/binary"

// ratio is a fraction, of positive numbers.
type ratio struct{ n, d int }

func (r ratio) float() float64 { return float64(r.n) / float64(r.d) }

// planeShrinker makes a plane of another size out of rows as they come. It averages whole boxes first, as shrink does, then a Catmull-Rom
// kernel takes the last step.
type planeShrinker struct {
	out  plane
	w, h int // of the source
	x, y ratio
	k    int // side of a box; 1: no boxes

	same    bool // the source is the result
	across  kernel
	pairs   []uint64 // the weights of across, see sumEight
	down    kernel
	ring    [][]uint64 // rows that are resampled across already, four samples times partOne in each
	acc     []uint64   // a row that is being made, two sums in each
	sums    []uint32
	boxes   []byte // a row of averages
	rows    int    // of the box that is being filled
	seen    int    // rows of boxes
	done    int    // rows of the result
	nothing []uint64
}

// partOne is what a sample between the passes is times: with it one has fifteen bits.
const partOne = 1 << 7

// kernelStep is what the taps of a kernel are filled up to a multiple of.
const kernelStep = 8

// start makes ready for the rows of a plane of w by h, of which x samples in a row and y rows make one of out.
func (s *planeShrinker) start(w, h int, x, y ratio, out plane) {
	*s = planeShrinker{out: out, w: w, h: h, x: x, y: y}
	if s.same = x.n == x.d && y.n == y.d && w >= out.w && h >= out.h; s.same {
		return
	}
	s.k = max(1, min(x.n/x.d, y.n/y.d))
	bw, bh := (w+s.k-1)/s.k, (h+s.k-1)/s.k
	s.across = newKernelOf(bw, x.float()/float64(s.k), out.w, kernelStep)
	s.down = newKernelOf(bh, y.float()/float64(s.k), out.h, kernelStep)
	if s.k > 1 {
		s.sums, s.boxes = make([]uint32, bw), make([]byte, bw)
	}
	s.pairs = pairsOf(&s.across)
	n := (out.w + 3) / 4
	for range s.down.taps + 1 {
		s.ring = append(s.ring, make([]uint64, n))
	}
	s.acc, s.nothing = make([]uint64, 2*n), make([]uint64, n)
}

// pairsOf packs a kernel's weights for sumEight: of each eight, the fourth behind a weight in the low half and the weight in the high half.
func pairsOf(k *kernel) []uint64 {
	n := (k.taps + kernelStep - 1) / kernelStep * kernelStep
	out := make([]uint64, 0, len(k.first)*n/2)
	at := func(w []int, i int) uint64 {
		if i < len(w) {
			return uint64(w[i])
		}
		return 0
	}
	for i := range k.first {
		w := k.weight[i*k.taps:][:k.taps]
		for t := 0; t < n; t += kernelStep {
			for j := range kernelStep / 2 {
				out = append(out, at(w, t+j+4)+at(w, t+j)<<32)
			}
		}
	}
	return out
}

// push takes the next row of the source.
func (s *planeShrinker) push(row []byte) {
	row = row[:s.w]
	if s.same {
		if s.done < s.out.h {
			copy(s.out.pix[s.done*s.out.stride:][:s.out.w], row)
			s.done++
		}
		return
	}
	if s.k > 1 {
		s.gather(row)
		s.h--
		if s.rows++; s.rows < s.k && s.h > 0 {
			return
		}
		s.average()
		row, s.rows = s.boxes, 0
	}
	s.rowAcross(row, s.ring[s.seen%len(s.ring)])
	s.seen++
	for s.done < s.out.h && s.down.first[s.done]+s.down.taps <= s.seen {
		s.rowDown(s.out.pix[s.done*s.out.stride:][:s.out.w])
		s.done++
	}
}

func (s *planeShrinker) gather(row []byte) {
	i := 0
	for x := range s.sums {
		sum := uint32(0)
		for end := min(i+s.k, len(row)); i < end; i++ {
			sum += uint32(row[i])
		}
		s.sums[x] += sum
	}
}

// average ends a row of boxes.
func (s *planeShrinker) average() {
	n := uint32(s.k * s.rows)
	for x, sum := range s.sums {
		if x == len(s.sums)-1 && s.w%s.k != 0 { // cut by the edge
			n = uint32(s.w % s.k * s.rows)
		}
		s.boxes[x] = byte((sum + n/2) / n)
	}
	clear(s.sums)
}

// even are the first and the fifth of eight samples.
const even = 0x000000ff000000ff

// sumEight is the sum of eight samples times their weights, times 1<<32 and what is in the low half. Each multiplication makes two of the
// products: (a + b<<32) * (v + w<<32) has a*w + b*v in its high half. What the low half has carries one at most.
func sumEight(row []byte, w *[4]uint64) uint64 {
	x := binary.LittleEndian.Uint64(row)
	return (x&even)*w[0] + (x>>8&even)*w[1] + (x>>16&even)*w[2] + (x>>24&even)*w[3]
}

// rowAcross resamples a row into dst.
func (s *planeShrinker) rowAcross(row []byte, dst []uint64) {
	first, pairs := s.across.first, s.pairs
	if s.across.taps != kernelStep {
		s.rowAcrossAny(row, dst)
		return
	}
	i := 0
	for ; len(first) >= 4 && len(pairs) >= 16; i++ { // sumEight is too large to be inlined, and a call costs more than it
		w := (*[16]uint64)(pairs)
		p := binary.LittleEndian.Uint64(row[first[0]:])
		a := clipPart((p&even)*w[0] + (p>>8&even)*w[1] + (p>>16&even)*w[2] + (p>>24&even)*w[3])
		p = binary.LittleEndian.Uint64(row[first[1]:])
		b := clipPart((p&even)*w[4] + (p>>8&even)*w[5] + (p>>16&even)*w[6] + (p>>24&even)*w[7])
		p = binary.LittleEndian.Uint64(row[first[2]:])
		c := clipPart((p&even)*w[8] + (p>>8&even)*w[9] + (p>>16&even)*w[10] + (p>>24&even)*w[11])
		p = binary.LittleEndian.Uint64(row[first[3]:])
		d := clipPart((p&even)*w[12] + (p>>8&even)*w[13] + (p>>16&even)*w[14] + (p>>24&even)*w[15])
		dst[i] = a | b<<16 | c<<32 | d<<48
		first, pairs = first[4:], pairs[16:]
	}
	for j, at := range first {
		v := clipPart(sumEight(row[at:], (*[4]uint64)(pairs[4*j:])))
		dst[i] = dst[i]&^(0xffff<<(16*j)) | v<<(16*j)
	}
}

// rowAcrossAny is rowAcross for kernels of more or less than eight taps.
func (s *planeShrinker) rowAcrossAny(row []byte, dst []uint64) {
	per := len(s.pairs) / len(s.across.first)
	for x, at := range s.across.first {
		pairs, sum := s.pairs[x*per:][:per], uint64(0)
		for p := row[at:]; len(pairs) > 0; pairs = pairs[4:] {
			if len(p) < kernelStep { // the source has fewer samples than weights were filled up to
				var last [kernelStep]byte
				copy(last[:], p)
				p = last[:]
			}
			sum += sumEight(p, (*[4]uint64)(pairs))
			p = p[kernelStep:]
		}
		j := 16 * (x % 4)
		dst[x/4] = dst[x/4]&^(0xffff<<j) | clipPart(sum)<<j
	}
}

// clipPart ends a sum across: Catmull-Rom overshoots at edges.
func clipPart(sum uint64) uint64 {
	return uint64(max(0, min(255*partOne, (int64(sum)>>32+kernelOne/partOne/2)>>7)))
}

// rowDown makes the next row of the result.
func (s *planeShrinker) rowDown(dst []byte) {
	y, taps := s.done, s.down.taps
	w := s.down.weight[y*taps:][:taps]
	first := s.down.first[y]
	row := func(t int) ([]uint64, uint64) {
		if t >= taps {
			return s.nothing, 0
		}
		return s.ring[(first+t)%len(s.ring)], uint64(w[t])
	}
	clear(s.acc)
	for t := 0; t < taps; t += 4 {
		a, v := row(t)
		b, w := row(t + 1)
		c, x := row(t + 2)
		d, y := row(t + 3)
		addFour(s.acc, a, b, c, d, v, w, x, y)
	}
	acc := s.acc
	for ; len(dst) >= 4 && len(acc) >= 2; acc = acc[2:] {
		a, c := finish(acc[0])
		b, d := finish(acc[1])
		binary.LittleEndian.PutUint32(dst, a|b<<8|c<<16|d<<24)
		dst = dst[4:]
	}
	for i := range dst {
		low, high := finish(acc[i&1])
		dst[i] = byte([2]uint32{low, high}[i>>1])
	}
}

// finish makes samples of two sums, in the halves of v: the low one may be negative and have borrowed from the high one.
func finish(v uint64) (low, high uint32) {
	const shift = 14 + 7
	l := int64(int32(v))
	h := (int64(v) - l) >> 32
	l, h = (l+1<<(shift-1))>>shift, (h+1<<(shift-1))>>shift
	return uint32(max(0, min(255, l))), uint32(max(0, min(255, h)))
}

// addFour adds four rows, times their weights, to acc: of the four samples in one of a row, the first and third to one sum, the second and
// fourth to the next.
func addFour(acc, a, b, c, d []uint64, v, w, x, y uint64) {
	const even = 0x0000ffff0000ffff // the first and third of four
	b, c, d, acc = b[:len(a)], c[:len(a)], d[:len(a)], acc[:2*len(a)]
	for i, p := range a {
		q, r, s := b[i], c[i], d[i]
		acc[2*i] += (p&even)*v + (q&even)*w + (r&even)*x + (s&even)*y
		acc[2*i+1] += (p>>16&even)*v + (q>>16&even)*w + (r>>16&even)*x + (s>>16&even)*y
	}
}
