package jpegtest

import (
	"encoding/binary"
	"math"
)

// Component is one of a picture's.
type Component struct {
	ID       byte
	Sampling byte // horizontal in the high half
}

// Spec says what file is made. ITU-T T.81 is the source of every name.
type Spec struct {
	Width, Height int
	Components    []Component
	// Sample is the sample of a component at a pixel, of Precision bits. A component with fewer samples takes their mean.
	Sample func(c, x, y int) int

	Precision         int  // 8 when 0
	Step              int  // of every coefficient; 1 when 0
	Restart           int  // MCUs between restart markers; 0: none
	Apart             bool // each component in a scan of its own
	Progressive       bool
	Arithmetic        bool // coding; Lower, Upper and Low are what conditions it, written when one is set
	Lower, Upper, Low int
	DefineLines       bool     // the height comes behind the first scan
	NoTables          bool     // as a frame of motion JPEG: the tables are those of annex K
	Segments          [][]byte // behind SOI
}

// YCbCr are the three components of a photo, luma with a sampling and chroma with 1 by 1.
func YCbCr(luma byte) []Component { return Sampled(luma, 0x11, 0x11) }

// Sampled are components by their samplings, numbered from 1.
func Sampled(samplings ...byte) (out []Component) {
	for i, s := range samplings {
		out = append(out, Component{byte(i + 1), s})
	}
	return out
}

// Named are components by their names, all of full size.
func Named(names string) (out []Component) {
	for _, n := range []byte(names) {
		out = append(out, Component{n, 0x11})
	}
	return out
}

// plane is a component's coefficients.
type plane struct {
	Component
	h, v   int
	bw, bh int // blocks that are coded in a scan of all components
	w, ht  int // and in one of its own
	blocks [][64]int
}

// file is a file in the making.
type file struct {
	Spec
	hmax, vmax, mcusX, mcusY int
	planes                   []plane
	out                      []byte
	writer
	qm qm
}

// Segment is a marker with its content.
func Segment(marker byte, content string) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(content)+2)), content...)
}

// Bytes makes the file.
func (s Spec) Bytes() []byte {
	if s.Precision == 0 {
		s.Precision = 8
	}
	s.Step = max(1, s.Step)
	conditioned := s.Lower+s.Upper+s.Low > 0
	if s.Arithmetic && !conditioned {
		s.Upper, s.Low = 1, 5
	}
	f := &file{Spec: s, hmax: 1, vmax: 1}
	for _, c := range s.Components {
		f.hmax, f.vmax = max(f.hmax, int(c.Sampling>>4)), max(f.vmax, int(c.Sampling&15))
	}
	f.mcusX, f.mcusY = up(s.Width, 8*f.hmax), up(s.Height, 8*f.vmax)
	for i, c := range s.Components {
		f.planes = append(f.planes, f.plane(i, c))
	}
	f.out = []byte{0xff, 0xd8}
	for _, b := range s.Segments {
		f.out = append(f.out, b...)
	}
	f.tables()
	if s.Arithmetic && conditioned {
		f.out = append(f.out, Segment(0xcc, string([]byte{0, byte(s.Upper<<4 | s.Lower), 0x10, byte(s.Low)}))...)
	}
	if s.Progressive {
		f.progressive()
	} else {
		f.sequential()
	}
	return append(f.out, 0xff, 0xd9)
}

func up(a, b int) int { return (a + b - 1) / b }

// plane transforms the samples of component i.
func (f *file) plane(i int, c Component) plane {
	h, v := int(c.Sampling>>4), int(c.Sampling&15)
	p := plane{Component: c, h: h, v: v, bw: f.mcusX * h, bh: f.mcusY * v}
	w, ht := up(f.Width*h, f.hmax), up(f.Height*v, f.vmax)
	p.w, p.ht = up(w, 8), up(ht, 8)
	if len(f.Components) == 1 {
		p.bw, p.bh = p.w, p.ht
	}
	samples := make([]float64, w*ht)
	for y := range ht {
		for x := range w {
			samples[y*w+x] = f.mean(i, x, y, h, v)
		}
	}
	for by := range p.bh {
		for bx := range p.bw {
			var s [64]float64
			for j := range 64 {
				s[j] = samples[min(by*8+j/8, ht-1)*w+min(bx*8+j%8, w-1)] - float64(int(1)<<(f.Precision-1))
			}
			p.blocks = append(p.blocks, f.transform(&s))
		}
	}
	return p
}

// mean is sample (x, y) of a component that has h by v for hmax by vmax pixels.
func (f *file) mean(i, x, y, h, v int) float64 {
	x0, x1, y0, y1 := x*f.hmax/h, up((x+1)*f.hmax, h), y*f.vmax/v, up((y+1)*f.vmax, v)
	sum, n := 0, 0
	for py := y0; py < max(y1, y0+1); py++ {
		for px := x0; px < max(x1, x0+1); px++ {
			sum += f.Sample(i, min(px, f.Width-1), min(py, f.Height-1))
			n++
		}
	}
	return float64(sum) / float64(n)
}

// transform is the forward transform by its definition (A.3.3), quantised, in zigzag order.
func (f *file) transform(s *[64]float64) (out [64]int) {
	var across [64]float64
	for y := range 8 {
		for u := range 8 {
			for x := range 8 {
				across[y*8+u] += float64(s[y*8+x] * cosine(x, u))
			}
		}
	}
	for k, at := range zigzag {
		u, v, sum := int(at)%8, int(at)/8, 0.0
		for y := range 8 {
			sum += float64(across[y*8+u] * cosine(y, v))
		}
		out[k] = int(math.Round(sum / 4 / float64(f.Step)))
	}
	return out
}

func cosine(x, u int) float64 {
	c := math.Cos(float64((2*x+1)*u) * math.Pi / 16)
	if u == 0 {
		c = math.Sqrt2 / 2
	}
	return c
}

// zigzag is the place in a block of each coefficient (figure A.6).
var zigzag = func() (t [64]byte) {
	x, y, step := 0, 0, 1
	for k := range t {
		t[k] = byte(y*8 + x)
		switch {
		case step == 1 && x == 7:
			y, step = y+1, -1
		case step == 1 && y == 0:
			x, step = x+1, -1
		case step == -1 && y == 7:
			x, step = x+1, 1
		case step == -1 && x == 0:
			y, step = y+1, 1
		default:
			x, y = x+step, y-step
		}
	}
	return t
}()

// tables writes everything in front of the first scan.
func (f *file) tables() {
	q := []byte{0}
	for range 64 {
		q = append(q, byte(f.Step))
	}
	f.out = append(f.out, Segment(0xdb, string(q))...)
	height := f.Height
	if f.DefineLines {
		height = 0
	}
	sof := byte(0xc1)
	switch {
	case f.Progressive:
		sof = 0xc2
	case f.Precision == 8:
		sof = 0xc0
	}
	if f.Arithmetic {
		sof = map[byte]byte{0xc0: 0xc9, 0xc1: 0xc9, 0xc2: 0xca}[sof]
	}
	head := []byte{byte(f.Precision), byte(height >> 8), byte(height), byte(f.Width >> 8), byte(f.Width), byte(len(f.planes))}
	for _, p := range f.planes {
		head = append(head, p.ID, p.Sampling, 0)
	}
	f.out = append(f.out, Segment(sof, string(head))...)
	if f.Restart > 0 {
		f.out = append(f.out, Segment(0xdd, string([]byte{byte(f.Restart >> 8), byte(f.Restart)}))...)
	}
	f.setTables(f.NoTables)
	if !f.NoTables && !f.Arithmetic {
		f.out = append(f.out, Segment(0xc4, "\x00"+f.dc.segment())...)
		f.out = append(f.out, Segment(0xc4, "\x10"+f.ac.segment())...)
	}
}
