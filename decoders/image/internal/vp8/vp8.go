// Package vp8 decodes a key frame of VP8 (RFC 6386), which is what a lossy WebP has, to its planes of luma and chroma. What comes before
// damage is given, and how many rows of it there are.
//
//	f, err := vp8.Decode(data)
//	… f.Y, f.Cb, f.Cr, f.Rows …
package vp8

import "errors"

// Why there is no picture at all.
var (
	ErrHeader = errors.New("vp8: the frame header is damaged or cut")
	ErrEmpty  = errors.New("vp8: the pixel data is damaged or cut")
)

// Frame is a decoded picture. Chroma has half the size, rounded up. The samples are of limited range (BT.601, 16 to 235).
type Frame struct {
	Width, Height     int
	Rows              int // that were decoded; Height: all of them
	Y, Cb, Cr         []byte
	YStride, CStride  int
	columns, mbRows   int // macroblocks
	simple            bool
	level, sharpness  int
	filters           []filter // of each macroblock
	strengths         [4][2]filter
	segmented, mapped bool
	absolute          bool
	treeProbs         [3]uint8
	segments          [4]struct{ quant, level int }
	deltas            bool
	refDelta          int // of key frames
	blockDelta        int // of macroblocks with modes for blocks of four by four
	quants            [4]quant
	coefs             [4][8][3][11]uint8
	skips             bool
	skipProb          uint8
	modes             boolReader
	parts             []boolReader
	above             []context
	left              context
	mb                macroblock
	work              [workRows * workStride]byte
}

// quant is the steps of a segment, of the first coefficient and of the others.
type quant struct{ y, y2, uv [2]int32 }

// context is what of a macroblock the one to its right or below it is coded by.
type context struct {
	modes [4]uint8 // of the blocks at the edge
	y     [4]uint8 // whether they have coefficients
	u, v  [2]uint8
	y2    uint8
}

// macroblock is the one that is being decoded.
type macroblock struct {
	segment int
	skip    bool
	blocks  bool // it has a mode for each block of four by four
	luma    uint8
	chroma  uint8
	sub     [16]uint8
	coef    [25 * 16]int32 // 16 of luma, 4 and 4 of chroma, and those of the first ones of luma
	some    [24]uint8      // of each block: 0 nothing, 1 the first coefficient alone, 2 more
}

// HeaderBytes is how much of a frame says its size.
const HeaderBytes = 10

// Size reads the size of a key frame (RFC 6386, 9.1).
func Size(b []byte) (w, h int, ok bool) {
	if len(b) < HeaderBytes || b[0]&1 != 0 || b[3] != 0x9d || b[4] != 1 || b[5] != 0x2a {
		return 0, 0, false
	}
	return int(b[6]) | int(b[7]&0x3f)<<8, int(b[8]) | int(b[9]&0x3f)<<8, true
}

// Decode decodes a frame. It takes a byte and a half a pixel: look at Size first.
func Decode(data []byte) (*Frame, error) {
	w, h, ok := Size(data)
	if !ok || w == 0 || h == 0 {
		return nil, ErrHeader
	}
	f := &Frame{Width: w, Height: h, columns: (w + 15) / 16, mbRows: (h + 15) / 16}
	first := int(data[0])>>5 | int(data[1])<<3 | int(data[2])<<11
	body := data[HeaderBytes:]
	f.modes = newBoolReader(body[:min(first, len(body))])
	f.header(body[min(first, len(body)):])
	if f.modes.ended {
		return nil, ErrHeader
	}
	f.YStride, f.CStride = 16*f.columns, 8*f.columns
	f.Y = make([]byte, f.YStride*16*f.mbRows)
	chroma := make([]byte, 2*f.CStride*8*f.mbRows)
	f.Cb, f.Cr = chroma[:len(chroma)/2], chroma[len(chroma)/2:]
	f.above = make([]context, f.columns)
	f.filters = make([]filter, f.columns*f.mbRows)
	done := 0
	for done < f.mbRows && f.row(done) {
		done++
	}
	if done == 0 {
		return nil, ErrEmpty
	}
	f.loopFilter(done)
	f.Rows = min(h, 16*done)
	return f, nil
}

// row decodes a row of macroblocks.
func (f *Frame) row(y int) bool {
	part := &f.parts[y%len(f.parts)]
	f.left = context{}
	for x := range f.columns {
		f.readModes(&f.above[x])
		f.readCoefs(part, &f.above[x])
		f.reconstruct(x, y)
		s := f.strengths[f.mb.segment]
		at := &f.filters[y*f.columns+x]
		if *at = s[0]; f.mb.blocks {
			*at = s[1]
		}
		at.inner = f.mb.blocks || !f.mb.skip
	}
	return !f.modes.ended && !part.ended
}

// header reads the frame header (RFC 6386, 9.2 to 9.11). rest is what follows the first partition.
func (f *Frame) header(rest []byte) {
	r := &f.modes
	r.number(2) // colour space and clamping: neither changes what is done
	f.readSegments(r)
	f.simple = r.bit(128)
	f.level = r.number(6)
	f.sharpness = r.number(3)
	if f.deltas = r.bit(128); f.deltas && r.bit(128) {
		var d [8]int
		for i := range d {
			d[i] = r.optional(6)
		}
		f.refDelta, f.blockDelta = d[0], d[4]
	}
	f.split(rest, 1<<r.number(2))
	f.readQuants(r)
	r.bit(128) // whether the probabilities are for the next frame too
	f.coefs = coefDefault
	for i := range f.coefs {
		for j := range f.coefs[i] {
			for k := range f.coefs[i][j] {
				for t := range f.coefs[i][j][k] {
					if r.bit(coefUpdate[i][j][k][t]) {
						f.coefs[i][j][k][t] = uint8(r.number(8))
					}
				}
			}
		}
	}
	if f.skips = r.bit(128); f.skips {
		f.skipProb = uint8(r.number(8))
	}
	f.setStrengths()
}

// readSegments reads 9.3.
func (f *Frame) readSegments(r *boolReader) {
	f.treeProbs = [3]uint8{255, 255, 255}
	if f.segmented = r.bit(128); !f.segmented {
		return
	}
	f.mapped = r.bit(128)
	if r.bit(128) {
		f.absolute = r.bit(128)
		for i := range f.segments {
			f.segments[i].quant = r.optional(7)
		}
		for i := range f.segments {
			f.segments[i].level = r.optional(6)
		}
	}
	for i := range f.treeProbs {
		if f.mapped && r.bit(128) {
			f.treeProbs[i] = uint8(r.number(8))
		}
	}
}

// split cuts the data into n partitions (9.5): the sizes of all but the last one come first.
func (f *Frame) split(data []byte, n int) {
	sizes := data[:min(3*(n-1), len(data))]
	data = data[len(sizes):]
	for i := range n {
		size := len(data)
		if b := sizes[min(3*i, len(sizes)):]; i < n-1 {
			if size = 0; len(b) >= 3 {
				size = min(len(data), int(b[0])|int(b[1])<<8|int(b[2])<<16)
			}
		}
		f.parts = append(f.parts, newBoolReader(data[:size]))
		data = data[size:]
	}
}

// readQuants reads 9.6 and makes the steps of each segment (14.1).
func (f *Frame) readQuants(r *boolReader) {
	base := r.number(7)
	var delta [5]int // of y's first, y2's first and others, uv's first and others
	for i := range delta {
		delta[i] = r.optional(4)
	}
	step := func(t *[128]uint16, i int) int32 { return int32(t[max(0, min(127, i))]) }
	for i := range f.quants {
		q := base
		if f.segmented {
			if q = f.segments[i].quant; !f.absolute {
				q += base
			}
		}
		f.quants[i] = quant{
			y:  [2]int32{step(&dcStep, q+delta[0]), step(&acStep, q)},
			y2: [2]int32{2 * step(&dcStep, q+delta[1]), max(8, step(&acStep, q+delta[2])*155/100)},
			uv: [2]int32{min(132, step(&dcStep, q+delta[3])), step(&acStep, q+delta[4])},
		}
	}
}
