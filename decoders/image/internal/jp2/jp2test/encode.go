// Package jp2test makes JPEG 2000 codestreams for tests, in every way that the standard (ISO/IEC 15444-1) has of coding the same samples. It
// follows the text of the standard step by step, as slowly as that is, and shares nothing with the decoder that it tests.
//
//	stream := jp2test.Encode(jp2test.Picture{W: 40, H: 30, Components: comps}, jp2test.Options{Levels: 3, Order: jp2test.RPCL})
//
// Package jp2 decodes them.
package jp2test

import (
	"encoding/binary"
	"math"
)

// Picture is what is encoded.
type Picture struct {
	X0, Y0, W, H int // the area on the reference grid
	Components   []Component
}

// Component is one component: a sample for every DX columns and DY rows, row by row.
type Component struct {
	Depth   int
	Signed  bool
	DX, DY  int
	Samples []int32
}

// Size returns how many columns and rows of samples component k has.
func (p *Picture) Size(k int) (w, h int) {
	a := p.area(k)
	return a.x1 - a.x0, a.y1 - a.y0
}

func (p *Picture) area(k int) area {
	c := p.Components[k]
	return area{ceil(p.X0, c.DX), ceil(p.Y0, c.DY), ceil(p.X0+p.W, c.DX), ceil(p.Y0+p.H, c.DY)}
}

// The progression orders.
const (
	LRCP = iota
	RLCP
	RPCL
	PCRL
	CPRL
)

// The code-block styles.
const (
	Bypass   = 1
	Reset    = 2
	TermAll  = 4
	Causal   = 8
	Segments = 32
)

// Options are how a picture is encoded. The zero value is one tile, no halving, code-blocks of 4 by 4, one layer.
type Options struct {
	Levels       int
	XCB, YCB     int // exponents of a code-block's size, less 2
	Style        byte
	Order        int
	Layers       int
	TileW, TileH int
	TileX, TileY int     // the corner of the first tile
	Precincts    []byte  // exponents, by resolution; nil: none
	Mixed        bool    // the transform of the first three components
	Step         float64 // of the irreversible transform's quantization, for all subbands alike; 0: the reversible one
	SOP, EPH     bool
	PPT          bool // packet headers in the tile's header
	Parts        int  // tile-parts of a tile, each with as many packets
	Shift        int  // of a region of interest: the upper left quarter of each code-block
}

type area struct{ x0, y0, x1, y1 int }

func (a area) and(b area) area {
	return area{max(a.x0, b.x0), max(a.y0, b.y0), min(a.x1, b.x1), min(a.y1, b.y1)}
}

func (a area) empty() bool { return a.x0 >= a.x1 || a.y0 >= a.y1 }

func ceil(a, b int) int { return (a + b - 1) / b }

// halved is ceil(a / 2^n), for a below zero too.
func halved(a, n int) int { return (a + 1<<n - 1) >> n }

type encoder struct {
	Picture
	Options
	out []byte
}

// Encode returns the codestream of p.
func Encode(p Picture, o Options) []byte {
	e := &encoder{Picture: p, Options: o}
	e.Layers, e.Parts = max(1, o.Layers), max(1, o.Parts)
	if o.TileW == 0 {
		e.TileW, e.TileH = p.X0+p.W-o.TileX, p.Y0+p.H-o.TileY
	}
	e.marker(0xff4f)
	e.siz()
	e.cod()
	e.qcd()
	if e.Shift > 0 {
		for k := range p.Components {
			e.marker(0xff5e, byte(k), 0, byte(e.Shift))
		}
	}
	nx, ny := ceil(p.X0+p.W-e.TileX, e.TileW), ceil(p.Y0+p.H-e.TileY, e.TileH)
	for i := range nx * ny {
		e.tile(i, nx)
	}
	e.marker(0xffd9)
	return e.out
}

// marker writes a marker, and a segment where there is one.
func (e *encoder) marker(mark int, body ...byte) {
	e.out = binary.BigEndian.AppendUint16(e.out, uint16(mark))
	if len(body) > 0 {
		e.out = binary.BigEndian.AppendUint16(e.out, uint16(len(body)+2))
		e.out = append(e.out, body...)
	}
}

func (e *encoder) siz() {
	b := []byte{0, 0}
	for _, v := range []int{e.X0 + e.W, e.Y0 + e.H, e.X0, e.Y0, e.TileW, e.TileH, e.TileX, e.TileY} {
		b = binary.BigEndian.AppendUint32(b, uint32(v))
	}
	b = binary.BigEndian.AppendUint16(b, uint16(len(e.Components)))
	for _, c := range e.Components {
		s := byte(c.Depth - 1)
		if c.Signed {
			s |= 0x80
		}
		b = append(b, s, byte(c.DX), byte(c.DY))
	}
	e.marker(0xff51, b...)
}

func (e *encoder) cod() {
	var style, mixed, transform byte
	if e.Precincts != nil {
		style |= 1
	}
	if e.SOP {
		style |= 2
	}
	if e.EPH {
		style |= 4
	}
	if e.Mixed {
		mixed = 1
	}
	if e.Step == 0 {
		transform = 1
	}
	b := []byte{style, byte(e.Order), byte(e.Layers >> 8), byte(e.Layers), mixed, byte(e.Levels), byte(e.XCB), byte(e.YCB), e.Style, transform}
	e.marker(0xff52, append(b, e.Precincts...)...)
}

// guard is the number of guard bits: more than any transform needs.
const guard = 4

// exponent is the exponent of subband b of a component: its dynamic range. All have the same step.
func (e *encoder) exponent(depth, kind int) (exponent, mantissa int) {
	gain := [4]int{0, 1, 1, 2}[kind]
	if e.Step == 0 {
		return depth + gain, 0
	}
	exponent = depth + gain
	step := e.Step
	for step < 1 {
		step, exponent = step*2, exponent+1
	}
	for step >= 2 {
		step, exponent = step/2, exponent-1
	}
	return exponent, int(math.Round((step - 1) * 2048))
}

// qcd writes QCD, and QCC for the other components.
func (e *encoder) qcd() {
	for k, c := range e.Components {
		b := []byte{guard << 5}
		if e.Step > 0 {
			b[0] |= 2
		}
		for i := range 3*e.Levels + 1 {
			kind := 0
			if i > 0 {
				kind = (i-1)%3 + 1
			}
			x, m := e.exponent(c.Depth, kind)
			if e.Step == 0 {
				b = append(b, byte(x<<3))
			} else {
				b = binary.BigEndian.AppendUint16(b, uint16(x<<11|m))
			}
		}
		if k == 0 {
			e.marker(0xff5c, b...)
		} else {
			e.marker(0xff5d, append([]byte{byte(k)}, b...)...)
		}
	}
}

// tile writes tile i.
func (e *encoder) tile(i, nx int) {
	px, py := i%nx, i/nx
	t := &tile{encoder: e, area: area{e.TileX + px*e.TileW, e.TileY + py*e.TileH, e.TileX + (px+1)*e.TileW, e.TileY + (py+1)*e.TileH}.
		and(area{e.X0, e.Y0, e.X0 + e.W, e.Y0 + e.H})}
	t.transform()
	t.order()
	var each [][]byte
	each, heads := t.write()
	for n := range e.Parts {
		from, to := len(each)*n/e.Parts, len(each)*(n+1)/e.Parts
		begin := len(e.out)
		e.marker(0xff90, byte(i>>8), byte(i), 0, 0, 0, 0, byte(n), byte(e.Parts))
		if e.PPT {
			var b []byte
			for _, h := range heads[from:to] {
				b = append(b, h...)
			}
			e.marker(0xff61, append([]byte{byte(n)}, b...)...)
		}
		e.marker(0xff93)
		for _, b := range each[from:to] {
			e.out = append(e.out, b...)
		}
		binary.BigEndian.PutUint32(e.out[begin+6:], uint32(len(e.out)-begin))
	}
}
