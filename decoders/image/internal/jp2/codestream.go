package jp2

import (
	"encoding/binary"
	"io"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// The markers of a codestream (table A.2).
const (
	markSOC = 0xff4f
	markCAP = 0xff50
	markSIZ = 0xff51
	markCOD = 0xff52
	markCOC = 0xff53
	markQCD = 0xff5c
	markQCC = 0xff5d
	markRGN = 0xff5e
	markPOC = 0xff5f
	markPPM = 0xff60
	markPPT = 0xff61
	markSOT = 0xff90
	markSOP = 0xff91
	markEPH = 0xff92
	markSOD = 0xff93
	markEOC = 0xffd9
)

// Bounds on what a header may ask for, beyond those of the standard.
const (
	// MaxComponents is how many components a picture may have: colours, opacity and a few that are passed over.
	MaxComponents = 32
	maxTiles      = 1<<16 - 1 // as many as SOT can count (table A.5)
	maxTileParts  = 1 << 17
	maxLevels     = 32
	maxOrders     = 256 // progression order changes
)

// Component is one component of a picture.
type Component struct {
	Depth  int // bits of a sample, 1 to 38
	Signed bool
	DX, DY int64 // a sample for so many columns and rows of the picture
}

// Codestream is a codestream whose headers were read.
type Codestream struct {
	X0, Y0, X1, Y1 int64 // the picture's area on the reference grid
	Components     []Component

	in     io.ReaderAt
	size   int64
	tx, ty int64 // the first tile's corner
	tw, th int64 // a tile's size
	nx, ny int64 // tiles

	main   params
	ppm    [][]byte // packed packet headers, of all tiles
	parts  [][]part // by tile
	firsts int64    // where the tile-parts begin
	cut    bool     // the file ends before the codestream does
}

// part is one tile-part: where it lies.
type part struct{ off, end int64 }

// Width and Height are the picture's size.
func (c *Codestream) Width() int64 { return c.X1 - c.X0 }

// Height is the other side.
func (c *Codestream) Height() int64 { return c.Y1 - c.Y0 }

// Lossy reports whether the transform loses something.
func (c *Codestream) Lossy() bool { return c.main.comps[0].irreversible }

// Levels is how many times the size can be halved.
func (c *Codestream) Levels() int {
	n := maxLevels
	for i := range c.main.comps {
		n = min(n, c.main.comps[i].levels)
	}
	return n
}

// params are the parameters of coding, of the picture or of a tile (A.6).
type params struct {
	order    byte
	layers   int
	transfer bool // the multiple component transform
	comps    []compParams
	changes  []volume
}

// compParams are those of one component.
type compParams struct {
	levels       int
	xcb, ycb     int // exponents of a code-block's size
	style        byte
	irreversible bool
	precincts    [maxLevels + 1]byte // exponents of the sizes, by resolution
	coded, own   bool                // COD or COC was read; COC was

	quantStyle        byte
	guard             int
	steps             [3*maxLevels + 1]uint16
	quantized, ownQnt bool // QCD or QCC was read; QCC was

	shift int // of the region of interest
}

// volume is a progression order within bounds (A.6.6).
type volume struct {
	order          byte
	resFrom, resTo int
	compFrom       int
	compTo         int
	layersTo       int
}

func malformed(detail string) error { return pdk.Malformed("jpeg 2000 " + detail) }

// Open reads the headers of the codestream that is size bytes at in.
func Open(in io.ReaderAt, size int64) (*Codestream, error) {
	c := &Codestream{in: in, size: size}
	b := c.read(0, 4)
	if len(b) < 4 || binary.BigEndian.Uint16(b) != markSOC || binary.BigEndian.Uint16(b[2:]) != markSIZ {
		return nil, malformed("codestream without a size")
	}
	for off := int64(2); ; {
		mark, body, next := c.segment(off)
		switch {
		case mark == markSOT:
			c.firsts = off
			return c, c.main.complete()
		case mark == 0 || mark == markEOC || mark == markSOD:
			return nil, malformed("header that is cut")
		case off == 2:
			if err := c.sizes(body); err != nil {
				return nil, err
			}
		case mark == markPPM:
			if len(body) > 0 {
				c.ppm = append(c.ppm, body)
			}
		default:
			if err := c.parameter(&c.main, mark, body); err != nil {
				return nil, err
			}
		}
		off = next
	}
}

// read returns n bytes at off, or as many as there are.
func (c *Codestream) read(off, n int64) []byte {
	if n = min(n, c.size-off); off < 0 || n <= 0 {
		return nil
	}
	b := make([]byte, n)
	k, _ := c.in.ReadAt(b, off)
	return b[:k]
}

// segment reads the marker at off and what belongs to it; mark is 0 when there is none.
func (c *Codestream) segment(off int64) (mark uint16, body []byte, next int64) {
	b := c.read(off, 4)
	if len(b) < 2 {
		return 0, nil, off
	}
	mark = binary.BigEndian.Uint16(b)
	switch {
	case mark>>8 != 0xff:
		return 0, nil, off
	case mark == markSOD || mark == markEOC || mark == markSOT || len(b) < 4: // SOT is read by who looks for tiles
		return mark, nil, off + 2
	}
	n := int64(binary.BigEndian.Uint16(b[2:]))
	if n < 2 {
		return 0, nil, off
	}
	if body = c.read(off+4, n-2); int64(len(body)) < n-2 {
		return 0, nil, off
	}
	return mark, body, off + 2 + n
}

// sizes reads SIZ (A.5.1).
func (c *Codestream) sizes(b []byte) error {
	const fixed, each = 36, 3
	if len(b) < fixed {
		return malformed("size that is cut")
	}
	u := func(at int) int64 { return int64(binary.BigEndian.Uint32(b[at:])) }
	c.X1, c.Y1, c.X0, c.Y0 = u(2), u(6), u(10), u(14)
	c.tw, c.th, c.tx, c.ty = u(18), u(22), u(26), u(30)
	n := int(binary.BigEndian.Uint16(b[34:]))
	switch {
	case c.X0 >= c.X1 || c.Y0 >= c.Y1:
		return malformed("without an area")
	case c.tw == 0 || c.th == 0 || c.tx > c.X0 || c.ty > c.Y0 || c.tx+c.tw <= c.X0 || c.ty+c.th <= c.Y0:
		return malformed("with tiles beside the picture")
	case n == 0 || len(b) < fixed+each*n:
		return malformed("without components")
	case n > MaxComponents:
		return pdk.Unsupported("jpeg 2000 of more than 32 components")
	}
	c.nx, c.ny = ceilDiv(c.X1-c.tx, c.tw), ceilDiv(c.Y1-c.ty, c.th)
	if c.nx > maxTiles/c.ny {
		return malformed("with more tiles than can be counted")
	}
	for i := range n {
		s := b[fixed+each*i:]
		k := Component{Depth: int(s[0]&0x7f) + 1, Signed: s[0]&0x80 != 0, DX: int64(s[1]), DY: int64(s[2])}
		if k.DX == 0 || k.DY == 0 || k.Depth > 38 {
			return malformed("component of no size or depth")
		}
		c.Components = append(c.Components, k)
	}
	c.main.comps = make([]compParams, n)
	return nil
}

// complete reports whether all that must be said was said.
func (p *params) complete() error {
	for i := range p.comps {
		if k := &p.comps[i]; !k.coded || !k.quantized {
			return malformed("without the parameters of its coding")
		}
	}
	return nil
}

// clone is p for a tile, whose own markers go before those of the picture.
func (p *params) clone() params {
	t := *p
	t.comps = append([]compParams(nil), p.comps...)
	for i := range t.comps {
		t.comps[i].own, t.comps[i].ownQnt = false, false
	}
	return t
}

// parameter reads a marker segment of the picture's or a tile's header. Those that say nothing of the coding are passed over.
func (c *Codestream) parameter(p *params, mark uint16, b []byte) error {
	r := reader{b: b}
	switch mark {
	case markCAP:
		if r.u32()&(1<<17) != 0 { // Pcap 15: ISO/IEC 15444-15
			return pdk.Unsupported("high-throughput jpeg 2000")
		}
	case markCOD:
		return p.cod(&r)
	case markCOC:
		if k := p.component(&r); k != nil {
			explicit := r.u8()&1 != 0
			k.own = true
			return k.coding(&r, explicit)
		}
	case markQCD:
		for i := range p.comps {
			if k := &p.comps[i]; !k.ownQnt {
				q := r
				if err := k.quantization(&q); err != nil {
					return err
				}
			}
		}
	case markQCC:
		if k := p.component(&r); k != nil {
			k.ownQnt = true
			return k.quantization(&r)
		}
	case markRGN:
		if k := p.component(&r); k != nil && r.u8() == 0 {
			k.shift = int(r.u8())
		}
	case markPOC:
		p.poc(&r)
	}
	return nil
}

// cod reads COD (A.6.1).
func (p *params) cod(r *reader) error {
	style := r.u8()
	p.order, p.layers, p.transfer = r.u8(), int(r.u16()), r.u8() != 0
	if p.layers == 0 || p.order > 4 {
		return malformed("progression that is none")
	}
	for i := range p.comps {
		if k := &p.comps[i]; !k.own {
			q := *r
			if err := k.coding(&q, style&1 != 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// component reads a component's number, which is longer where there are many (A.6.2); nil when it is none.
func (p *params) component(r *reader) *compParams {
	i := int(r.u8()) // MaxComponents is less than 257
	if i >= len(p.comps) || r.short {
		return nil
	}
	return &p.comps[i]
}

// coding reads SPcod or SPcoc (table A.15).
func (k *compParams) coding(r *reader, explicit bool) error {
	k.levels = int(r.u8())
	k.xcb, k.ycb = int(r.u8())+2, int(r.u8())+2
	k.style = r.u8()
	transform := r.u8()
	switch {
	case r.short || k.levels > maxLevels || k.xcb > 10 || k.ycb > 10 || k.xcb+k.ycb > 12:
		return malformed("parameters out of range")
	case k.style&styleHT != 0:
		return pdk.Unsupported("high-throughput jpeg 2000")
	case transform > 1:
		return pdk.Unsupported("jpeg 2000 with a transform of its own")
	}
	k.irreversible = transform == 0
	for i := range k.precincts {
		k.precincts[i] = 0xff
		if explicit && i <= k.levels {
			k.precincts[i] = r.u8()
			if i > 0 && (k.precincts[i]&15 == 0 || k.precincts[i]>>4 == 0) {
				return malformed("precincts of no size")
			}
		}
	}
	if r.short {
		return malformed("parameters that are cut")
	}
	k.coded = true
	return nil
}

// quantization reads Sqcd and SPqcd (A.6.4).
func (k *compParams) quantization(r *reader) error {
	s := r.u8()
	k.quantStyle, k.guard = s&31, int(s>>5)
	n := 0
	for i := range k.steps {
		var v uint16
		switch {
		case len(r.b) == 0 || k.quantStyle == 1 && i > 0:
		case k.quantStyle == 0:
			v = uint16(r.u8()>>3) << 11
			n++
		default:
			v = r.u16()
			n++
		}
		k.steps[i] = v
	}
	if k.quantStyle > 2 || n == 0 || r.short {
		return malformed("quantization that is none")
	}
	k.quantized = true
	return nil
}

// poc reads POC (A.6.6).
func (p *params) poc(r *reader) {
	for len(r.b) >= 7 && len(p.changes) < maxOrders {
		v := volume{resFrom: int(r.u8()), compFrom: int(r.u8()), layersTo: int(r.u16()), resTo: int(r.u8()), compTo: int(r.u8()), order: r.u8()}
		if v.compTo == 0 { // 256, in eight bits
			v.compTo = 256
		}
		if v.order <= 4 {
			p.changes = append(p.changes, v)
		}
	}
}

// reader reads numbers of a marker segment; behind its end they are 0.
type reader struct {
	b     []byte
	short bool
}

func (r *reader) u8() byte {
	if len(r.b) < 1 {
		r.short = true
		return 0
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v
}

func (r *reader) u16() uint16 { return uint16(r.u8())<<8 | uint16(r.u8()) }
func (r *reader) u32() uint32 { return uint32(r.u16())<<16 | uint32(r.u16()) }

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

// ceilShift is ceilDiv by a power of two.
func ceilShift(a int64, n int) int64 { return (a + 1<<n - 1) >> n }

// findParts finds the tile-parts (A.4.2), once.
func (c *Codestream) findParts() error {
	if c.parts != nil {
		return nil
	}
	c.parts = make([][]part, c.nx*c.ny)
	n := 0
	for off := c.firsts; ; {
		b := c.read(off, 12)
		if len(b) < 12 || binary.BigEndian.Uint16(b) != markSOT {
			c.cut = c.cut || len(b) < 2 || binary.BigEndian.Uint16(b) != markEOC
			break
		}
		tile, length := int(binary.BigEndian.Uint16(b[4:])), int64(binary.BigEndian.Uint32(b[6:]))
		end := off + length
		if length == 0 { // to the end
			end = c.size
		}
		if end > c.size {
			end, c.cut = c.size, true
		}
		if tile >= len(c.parts) || end < off+12 {
			c.cut = true
			break
		}
		if n++; n > maxTileParts {
			return pdk.OverLimit(readapi.CodeLimitMemory, "tile_parts", maxTileParts, int64(n))
		}
		c.parts[tile] = append(c.parts[tile], part{off + 12, end})
		off = end
	}
	if n == 0 {
		return malformed("without a tile")
	}
	return nil
}
