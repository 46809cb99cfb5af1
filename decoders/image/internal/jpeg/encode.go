package jpeg

import (
	"encoding/binary"
	"math/bits"
)

// Plane is one component of a picture, a byte a sample.
type Plane struct {
	Pix          []byte
	Stride, W, H int
}

// Encode makes a baseline JPEG of luma alone, or of luma and two planes of chroma of half its size both ways, rounded up. quality is from
// 1 to 100, as libjpeg has it. Nothing but what a decoder needs is in the file.
func Encode(planes []Plane, quality int) []byte {
	e := &encoder{out: make([]byte, 0, planes[0].W*planes[0].H/4+2048)}
	e.luma, e.chroma = quantFor(&lumaQuant, quality), quantFor(&chromaQuant, quality)
	e.head(planes)
	e.codes[0].build(&lumaSpec)
	e.codes[1].build(&chromaSpec)
	if len(planes) == 1 {
		p := &planes[0]
		for y := 0; y < p.H; y += 8 {
			for x := 0; x < p.W; x += 8 {
				e.block(p, x, y, &e.luma, 0)
			}
		}
	} else {
		for y := 0; y < planes[0].H; y += 16 {
			for x := 0; x < planes[0].W; x += 16 {
				e.block(&planes[0], x, y, &e.luma, 0)
				e.block(&planes[0], x+8, y, &e.luma, 0)
				e.block(&planes[0], x, y+8, &e.luma, 0)
				e.block(&planes[0], x+8, y+8, &e.luma, 0)
				e.block(&planes[1], x/2, y/2, &e.chroma, 1)
				e.block(&planes[2], x/2, y/2, &e.chroma, 2)
			}
		}
	}
	e.put(0x7f, 7) // fill bits are ones (T.81, F.1.2.3)
	e.flush()
	return append(e.out, 0xff, mEOI)
}

// lumaQuant and chromaQuant are tables K.1 and K.2 of T.81, in natural order.
var (
	lumaQuant = [64]uint8{
		16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62,
		18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
	}
	chromaQuant = [64]uint8{
		17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
	}
)

// quantiser divides coefficients, times eight as forward gives them, and rounds.
type quantiser struct {
	step    [64]uint8 // in zigzag order
	half    [64]int32 // in natural order
	inverse [64]int32 // of eight steps, times 1<<quantShift, rounded up: exact for sixteen bits
}

const quantShift = 30

// quantFor scales a table to a quality as libjpeg does.
func quantFor(base *[64]uint8, quality int) (q quantiser) {
	quality = max(1, min(100, quality))
	scale := 200 - 2*quality
	if quality < 50 {
		scale = 5000 / quality
	}
	for k := range 64 {
		at := natural[k] & 63
		step := max(1, min(255, (int(base[at])*scale+50)/100))
		q.step[k] = uint8(step)
		q.half[at] = int32(4 * step)
		q.inverse[at] = int32((1<<quantShift + 8*step - 1) / (8 * step))
	}
	return q
}

// encoder writes one picture.
type encoder struct {
	out          []byte
	acc          uint64 // n bits that are not written yet, the last one lowest
	n            uint
	luma, chroma quantiser
	codes        [2]codes
	last         [3]int
	blk          [64]int32
}

// codes are the codes of a pair of tables: the bits, then in the low byte how many.
type codes struct{ dc, ac [256]uint32 }

func (c *codes) build(s *spec) {
	assign := func(to *[256]uint32, counts *[16]byte, values []byte) {
		code, at := uint32(0), 0
		for n, count := range counts {
			for range count {
				to[values[at]] = code<<8 | uint32(n+1)
				code++
				at++
			}
			code <<= 1
		}
	}
	assign(&c.dc, &s.dcCounts, s.dcValues())
	assign(&c.ac, &s.acCounts, s.acValues())
}

// head writes everything in front of the coded data.
func (e *encoder) head(planes []Plane) {
	tables := len(planes)/3 + 1 // one for luma, one for chroma
	e.out = append(e.out, 0xff, mSOI)
	e.segment(mDQT, 65*tables)
	for i, q := range []*quantiser{&e.luma, &e.chroma}[:tables] {
		e.out = append(append(e.out, byte(i)), q.step[:]...)
	}
	e.segment(mSOF0, 6+3*len(planes))
	e.out = append(e.out, 8, byte(planes[0].H>>8), byte(planes[0].H), byte(planes[0].W>>8), byte(planes[0].W), byte(len(planes)))
	for i := range planes {
		sampling := byte(0x11)
		if i == 0 && len(planes) == 3 {
			sampling = 0x22
		}
		e.out = append(e.out, byte(i+1), sampling, byte(min(i, 1)))
	}
	specs := []*spec{&lumaSpec, &chromaSpec}[:tables]
	e.segment(mDHT, (2*17+12+162)*tables)
	for i, s := range specs {
		e.out = append(append(append(e.out, byte(i)), s.dcCounts[:]...), s.dcValues()...)
		e.out = append(append(append(e.out, byte(0x10|i)), s.acCounts[:]...), s.ac...)
	}
	e.segment(mSOS, 4+2*len(planes))
	e.out = append(e.out, byte(len(planes)))
	for i := range planes {
		e.out = append(e.out, byte(i+1), byte(min(i, 1)*0x11))
	}
	e.out = append(e.out, 0, 63, 0)
}

func (e *encoder) segment(marker byte, n int) {
	e.out = append(e.out, 0xff, marker, byte((n+2)>>8), byte(n+2))
}

// put writes the low n bits of v, at most thirty-two.
func (e *encoder) put(v uint64, n uint) {
	e.acc = e.acc<<(n&63) | v
	if e.n += n; e.n >= 32 {
		e.flush()
	}
}

// flush writes the whole bytes of acc, a zero behind each that could be taken for a marker's (T.81, F.1.2.3).
func (e *encoder) flush() {
	if e.n >= 32 {
		if x := uint32(e.acc >> ((e.n - 32) & 63)); (^x-0x01010101)&x&0x80808080 == 0 {
			e.out = binary.BigEndian.AppendUint32(e.out, x)
			e.n -= 32
			return
		}
	}
	for e.n >= 8 {
		e.n -= 8
		c := byte(e.acc >> (e.n & 63))
		if e.out = append(e.out, c); c == 0xff {
			e.out = append(e.out, 0)
		}
	}
}

// load fills blk from (x, y) of the plane; beyond its edges the last samples go on.
func (e *encoder) load(p *Plane, x, y int) {
	blk := &e.blk
	if x+8 <= p.W && y+8 <= p.H {
		for j := range 8 {
			s := (*[8]byte)(p.Pix[(y+j)*p.Stride+x:])
			b := (*[8]int32)(blk[j*8:])
			b[0], b[1], b[2], b[3] = int32(s[0])-128, int32(s[1])-128, int32(s[2])-128, int32(s[3])-128
			b[4], b[5], b[6], b[7] = int32(s[4])-128, int32(s[5])-128, int32(s[6])-128, int32(s[7])-128
		}
		return
	}
	for j := range 8 {
		row := p.Pix[min(y+j, p.H-1)*p.Stride:][:p.W]
		for i := range 8 {
			blk[j*8+i] = int32(row[min(x+i, p.W-1)]) - 128
		}
	}
}

// block writes the block at (x, y) of a plane.
func (e *encoder) block(p *Plane, x, y int, q *quantiser, c int) {
	e.load(p, x, y)
	blk := &e.blk
	forward(blk)
	some := uint64(0) // bit k: coefficient k in zigzag order is not zero
	for i := 0; i < 64; i++ {
		v := int(blk[i])
		sign := v >> 63
		v = ((v^sign)-sign+int(q.half[i]))*int(q.inverse[i])>>quantShift ^ sign
		v -= sign
		blk[i] = int32(v)
		some |= uint64(v|-v) >> 63 << (zigzag[i] & 63)
	}
	codes := &e.codes[(c+1)>>1]
	diff := int(blk[0]) - e.last[c]
	e.last[c] = int(blk[0])
	size := uint(bits.Len64(uint64(max(diff, -diff))))
	code := codes.dc[size]
	e.put(uint64(code>>8)<<size|uint64(diff+diff>>63)&(1<<size-1), uint(code&0xff)+size)
	at := uint(0)
	for some &^= 1; some != 0; some &= some - 1 {
		k := uint(bits.TrailingZeros64(some))
		run := k - at - 1
		for at = k; run > 15; run -= 16 {
			e.put(uint64(codes.ac[0xf0]>>8), uint(codes.ac[0xf0]&0xff))
		}
		v := int(blk[natural[k&63]&63])
		size := uint(bits.Len64(uint64(max(v, -v))))
		code := codes.ac[(run<<4|size)&0xff]
		e.put(uint64(code>>8)<<size|uint64(v+v>>63)&(1<<size-1), uint(code&0xff)+size)
	}
	if at < 63 {
		e.put(uint64(codes.ac[0]>>8), uint(codes.ac[0]&0xff))
	}
}

// zigzag is natural the other way round.
var zigzag = [64]uint8{
	0, 1, 5, 6, 14, 15, 27, 28, 2, 4, 7, 13, 16, 26, 29, 42, 3, 8, 12, 17, 25, 30, 41, 43, 9, 11, 18, 24, 31, 40, 44, 53,
	10, 19, 23, 32, 39, 45, 52, 54, 20, 22, 33, 38, 46, 51, 55, 60, 21, 34, 37, 47, 50, 56, 59, 61, 35, 36, 48, 49, 57, 58, 62, 63,
}
