package image

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

	same         bool // the source is the result
	across, down kernel
	ring         [][]uint16 // rows that are resampled across already, each sample times partOne
	acc          []int
	sums         []uint32
	boxes        []byte // a row of averages
	rows         int    // of the box that is being filled
	seen         int    // rows of boxes
	done         int    // rows of the result
}

// partOne is what a sample between the passes is times; two bits less than a kernel has.
const partOne = 1 << 7

// start makes ready for the rows of a plane of w by h, of which x samples in a row and y rows make one of out.
func (s *planeShrinker) start(w, h int, x, y ratio, out plane) {
	*s = planeShrinker{out: out, w: w, h: h, x: x, y: y}
	if s.same = x.n == x.d && y.n == y.d && w >= out.w && h >= out.h; s.same {
		return
	}
	s.k = max(1, min(x.n/x.d, y.n/y.d))
	bw, bh := (w+s.k-1)/s.k, (h+s.k-1)/s.k
	if s.k > 1 {
		s.sums, s.boxes = make([]uint32, bw), make([]byte, bw)
	}
	s.across = newKernelOf(bw, x.float()/float64(s.k), out.w, kernelStep)
	s.down = newKernelOf(bh, y.float()/float64(s.k), out.h, kernelStep)
	for range s.down.taps + 1 {
		s.ring = append(s.ring, make([]uint16, out.w))
	}
	s.acc = make([]int, out.w)
}

// kernelStep is what the taps of a kernel are filled up to a multiple of, so that loops can be unrolled.
const kernelStep = 4

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

// rowAcross resamples a row into dst.
func (s *planeShrinker) rowAcross(row []byte, dst []uint16) {
	taps := s.across.taps
	first := s.across.first[:len(dst)]
	weight := s.across.weight
	if taps == 8 {
		for x := range dst {
			p := (*[8]byte)(row[first[x]:])
			w := (*[8]int)(weight)
			weight = weight[8:]
			sum := w[0]*int(p[0]) + w[1]*int(p[1]) + w[2]*int(p[2]) + w[3]*int(p[3]) +
				w[4]*int(p[4]) + w[5]*int(p[5]) + w[6]*int(p[6]) + w[7]*int(p[7])
			dst[x] = clipPart(sum)
		}
		return
	}
	for x := range dst {
		p := row[first[x]:][:taps]
		w := weight[:taps]
		weight = weight[taps:]
		sum := 0
		for len(p) >= 4 && len(w) >= 4 {
			sum += w[0]*int(p[0]) + w[1]*int(p[1]) + w[2]*int(p[2]) + w[3]*int(p[3])
			p, w = p[4:], w[4:]
		}
		for i, v := range p {
			sum += w[i] * int(v)
		}
		dst[x] = clipPart(sum)
	}
}

// clipPart ends a sum across: Catmull-Rom overshoots at edges.
func clipPart(sum int) uint16 {
	return uint16(max(0, min(255*partOne, (sum+kernelOne/partOne/2)>>7)))
}

// rowDown makes the next row of the result.
func (s *planeShrinker) rowDown(dst []byte) {
	y, taps := s.done, s.down.taps
	w := s.down.weight[y*taps:][:taps]
	first := s.down.first[y]
	row := func(t int) []uint16 { return s.ring[(first+t)%len(s.ring)][:len(dst)] }
	acc := s.acc[:len(dst)]
	t := 0
	if taps >= 4 {
		addFour(acc, row(0), row(1), row(2), row(3), w, true)
		t = 4
	} else {
		clear(acc)
	}
	for ; t+4 <= taps; t += 4 {
		addFour(acc, row(t), row(t+1), row(t+2), row(t+3), w[t:], false)
	}
	for ; t < taps; t++ {
		for x, v := range row(t) {
			acc[x] += w[t] * int(v)
		}
	}
	const shift = 14 + 7
	for x, v := range acc {
		dst[x] = byte(max(0, min(255, (v+1<<(shift-1))>>shift)))
	}
}

// addFour adds four rows, times their weights, to acc, which begins at nothing when fresh.
func addFour(acc []int, a, b, c, d []uint16, w []int, fresh bool) {
	w0, w1, w2, w3 := w[0], w[1], w[2], w[3]
	a, b, c, d = a[:len(acc)], b[:len(acc)], c[:len(acc)], d[:len(acc)]
	if fresh {
		for x := range acc {
			acc[x] = w0*int(a[x]) + w1*int(b[x]) + w2*int(c[x]) + w3*int(d[x])
		}
		return
	}
	for x := range acc {
		acc[x] += w0*int(a[x]) + w1*int(b[x]) + w2*int(c[x]) + w3*int(d[x])
	}
}
