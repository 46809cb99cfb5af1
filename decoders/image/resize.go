package image

import "math"

// shrink draws src at tw by th pixels, neither larger than the source's, pulling its rows once. rows says how many of the result's rows
// there are when src ends early; the rest of it is empty.
//
// Boxes of whole pixels are averaged first, then a Catmull-Rom kernel takes the last step, which is less than two times. Colours are
// weighted by their alpha. It is this code's own and not x/image/draw's for two reasons: that one needs the whole source and 32 bytes for
// each of its rows and target columns (157 MB at 3,136 to 1,568 pixels), this one some rows; and integers give the same picture on every
// machine.
func shrink(src raster, tw, th int) (out *nrgba, rows int) {
	sw, sh := src.size()
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
	k := max(1, min(sw/tw, sh/th))
	b := &boxes{src: src, k: k, w: (sw + k - 1) / k, h: (sh + k - 1) / k, channels: 4, line: make([]byte, 4*sw)}
	if out.solid {
		b.channels = 3
	}
	b.sums = make([]uint64, b.w*b.channels)
	z := &resampler{
		in: make([]uint16, b.w*b.channels), channels: b.channels, out: out,
		across: newKernel(b.w, float64(sw)/float64(k), tw), down: newKernel(b.h, float64(sh)/float64(k), th), acc: make([]int32, tw*b.channels),
	}
	for range z.down.taps + 1 {
		z.ring = append(z.ring, make([]uint16, tw*b.channels))
	}
	for y := range b.h {
		if !b.next(y, z.in) {
			return out, z.done
		}
		z.push(y)
	}
	return out, th
}

func (m *nrgba) fillAlpha() {
	for i := 3; i < len(m.pix); i += 4 {
		m.pix[i] = 0xff
	}
}

// boxes averages squares of k by k pixels. Its samples are colours times alpha, 0 to 255*255; alpha itself is times 255.
type boxes struct {
	src      raster
	k, w, h  int
	channels int // 3: opaque
	line     []byte
	sums     []uint64
}

const one = 255 * 255 // a full sample

// next writes row y of the averages to dst.
func (b *boxes) next(y int, dst []uint16) bool {
	sw, sh := b.src.size()
	clear(b.sums)
	y0, y1 := y*b.k, min((y+1)*b.k, sh)
	for sy := y0; sy < y1; sy++ {
		if b.src.row(sy, b.line) != nil {
			return false
		}
		switch {
		case b.channels == 4:
			b.addAlpha()
		case b.k == 1:
			for x := range b.w {
				dst[3*x], dst[3*x+1], dst[3*x+2] = uint16(b.line[4*x])*255, uint16(b.line[4*x+1])*255, uint16(b.line[4*x+2])*255
			}
			return true
		default:
			b.addOpaque()
		}
	}
	scale := uint64(255)
	if b.channels == 4 {
		scale = 1
	}
	for x := range b.w {
		n := uint64((min((x+1)*b.k, sw) - x*b.k) * (y1 - y0))
		for c := range b.channels {
			i := x*b.channels + c
			dst[i] = uint16((b.sums[i]*scale + n/2) / n)
		}
	}
	return true
}

func (b *boxes) addOpaque() {
	i := 0
	for x := range b.w {
		var r, g, bl uint64
		for end := min(i+4*b.k, len(b.line)); i < end; i += 4 {
			r += uint64(b.line[i])
			g += uint64(b.line[i+1])
			bl += uint64(b.line[i+2])
		}
		s := b.sums[3*x : 3*x+3 : 3*x+3]
		s[0] += r
		s[1] += g
		s[2] += bl
	}
}

func (b *boxes) addAlpha() {
	i := 0
	for x := range b.w {
		s := b.sums[4*x : 4*x+4 : 4*x+4]
		for end := min(i+4*b.k, len(b.line)); i < end; i += 4 {
			a := uint64(b.line[i+3])
			s[0] += uint64(b.line[i]) * a
			s[1] += uint64(b.line[i+1]) * a
			s[2] += uint64(b.line[i+2]) * a
			s[3] += 255 * a
		}
	}
}

// kernel says which source samples make each target sample, and with what weights (of kernelOne).
type kernel struct {
	first  []int
	weight []int32 // taps of them for each target sample
	taps   int
}

const kernelOne = 1 << 14

// newKernel is Catmull-Rom (Keys 1981, a = -1/2), widened for shrinking from n to m samples. The samples span size, which is less than n
// where the last of them is not a whole box. The products are rounded one by one: otherwise a machine with fused multiplication would
// give other weights.
func newKernel(n int, size float64, m int) kernel {
	scale := size / float64(m)
	radius := float64(2 * scale)
	k := kernel{first: make([]int, m), taps: min(n, int(math.Ceil(float64(2*radius)))+1)}
	k.weight = make([]int32, m*k.taps)
	raw := make([]float64, k.taps)
	for i := range m {
		center := float64((float64(i)+0.5)*scale) - 0.5
		k.first[i] = max(0, min(n-k.taps, int(math.Floor(center-radius))+1))
		sum := 0.0
		for t := range raw {
			raw[t] = catmullRom(math.Abs(float64(k.first[i]+t)-center) / scale)
			sum += raw[t]
		}
		w := k.weight[i*k.taps : (i+1)*k.taps]
		rest, largest := int32(kernelOne), 0
		for t := range raw {
			w[t] = int32(math.Round(float64(raw[t]*kernelOne) / sum))
			rest -= w[t]
			if w[t] > w[largest] {
				largest = t
			}
		}
		w[largest] += rest // so that a plain area keeps its colour
	}
	return k
}

func catmullRom(t float64) float64 {
	switch {
	case t < 1:
		return float64(float64(float64(float64(1.5*t)-2.5)*t)*t) + 1
	case t < 2:
		return float64((float64((float64(-0.5*t)+2.5)*t)-4)*t) + 2
	}
	return 0
}

// resampler takes rows of samples and writes rows of the result as soon as it has what they need.
type resampler struct {
	in           []uint16 // the row to push
	channels     int
	across, down kernel
	ring         [][]uint16 // rows that are resampled across already
	acc          []int32
	out          *nrgba
	done         int // rows written
}

func (z *resampler) push(y int) {
	z.rowAcross(z.ring[y%len(z.ring)])
	for z.done < z.out.h && z.down.first[z.done]+z.down.taps <= y+1 {
		z.rowDown(z.done)
		z.done++
	}
}

func (z *resampler) rowAcross(dst []uint16) {
	taps, ch := z.across.taps, z.channels
	for x, first := range z.across.first {
		w := z.across.weight[x*taps : (x+1)*taps]
		src := z.in[first*ch : (first+taps)*ch]
		if ch == 3 {
			var r, g, b int32
			for _, k := range w {
				r += k * int32(src[0])
				g += k * int32(src[1])
				b += k * int32(src[2])
				src = src[3:]
			}
			dst[3*x], dst[3*x+1], dst[3*x+2] = clipSample(r), clipSample(g), clipSample(b)
			continue
		}
		var r, g, b, a int32
		for _, k := range w {
			r += k * int32(src[0])
			g += k * int32(src[1])
			b += k * int32(src[2])
			a += k * int32(src[3])
			src = src[4:]
		}
		dst[4*x], dst[4*x+1], dst[4*x+2], dst[4*x+3] = clipSample(r), clipSample(g), clipSample(b), clipSample(a)
	}
}

// clipSample ends a weighted sum. 1.3 times a full sample, the most that the weights' overshoot makes of one, fits int32.
func clipSample(sum int32) uint16 {
	return uint16(max(0, min(one, (sum+kernelOne/2)>>14)))
}

func (z *resampler) rowDown(y int) {
	clear(z.acc)
	taps := z.down.taps
	for t, k := range z.down.weight[y*taps : (y+1)*taps] {
		if k == 0 {
			continue
		}
		row := z.ring[(z.down.first[y]+t)%len(z.ring)]
		for i, v := range row[:len(z.acc)] {
			z.acc[i] += k * int32(v)
		}
	}
	dst := z.out.pix[4*z.out.w*y : 4*z.out.w*(y+1)]
	if z.channels == 3 {
		for x := range z.out.w {
			for c := range 3 {
				dst[4*x+c] = uint8((uint32(clipSample(z.acc[3*x+c])) + 127) / 255)
			}
		}
		return
	}
	for x := range z.out.w {
		a := uint32(clipSample(z.acc[4*x+3]))
		if dst[4*x+3] = uint8((a + 127) / 255); dst[4*x+3] == 0 {
			continue
		}
		for c := range 3 {
			dst[4*x+c] = uint8(min(255, (uint32(clipSample(z.acc[4*x+c]))*255+a/2)/a))
		}
	}
}
