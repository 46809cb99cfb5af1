package jp2

import (
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// rect is an area: x0, y0 within, x1, y1 not.
type rect struct{ x0, y0, x1, y1 int64 }

func (r rect) w() int      { return int(r.x1 - r.x0) }
func (r rect) h() int      { return int(r.y1 - r.y0) }
func (r rect) empty() bool { return r.x0 >= r.x1 || r.y0 >= r.y1 }

// shrink is r on a grid that is coarser by dx, dy.
func (r rect) shrink(dx, dy int64) rect {
	return rect{ceilDiv(r.x0, dx), ceilDiv(r.y0, dy), ceilDiv(r.x1, dx), ceilDiv(r.y1, dy)}
}

// halve is r after n halvings.
func (r rect) halve(n int) rect {
	return rect{ceilShift(r.x0, n), ceilShift(r.y0, n), ceilShift(r.x1, n), ceilShift(r.y1, n)}
}

func (r rect) and(o rect) rect {
	return rect{max(r.x0, o.x0), max(r.y0, o.y0), min(r.x1, o.x1), min(r.y1, o.y1)}
}

// tile is one tile in the making (B.3 to B.7).
type tile struct {
	params
	area  rect
	comps []tileComp
	data  []byte // of all its tile-parts
	heads []byte // packed packet headers; nil: they are in the data
}

// tileComp is one component of a tile.
type tileComp struct {
	*compParams
	area rect
	res  []resolution // from the smallest
	dx   int64
	dy   int64
}

// resolution is one size of a tile's component.
type resolution struct {
	area     rect
	ppx, ppy int
	nx, ny   int // precincts
	bands    []band
	next     []int32 // by precinct: the layer whose packet comes next
}

// band is a subband.
type band struct {
	kind   int // 0 LL, 1 HL, 2 LH, 3 HH
	area   rect
	planes int     // magnitude bits (E.2)
	step   float32 // quantization step; 1 in the reversible transform
	xcb    int
	ycb    int
	parts  []precinct
}

// precinct is what one packet has of a subband.
type precinct struct {
	nx, ny    int // code-blocks
	blocks    []codeBlock
	inclusion *tagTree
	zeros     *tagTree
}

// codeBlock is a code-block, and what packets brought of it.
type codeBlock struct {
	area     rect // in the subband
	included bool
	planes   int // that are coded
	lblock   int
	passes   int
	segments []segment
}

// segment is a run of passes with a codeword of its own.
type segment struct {
	data         []byte
	passes, most uint8
	owned        bool // data is not the tile's
}

// maxTileBytes bounds what the structure of a tile takes, and with it the precincts and code-blocks that a header may ask for.
const maxTileBytes = 64 << 20

// What one of each takes, as 64-bit machines have them.
const (
	precinctBytes  = 64 + 2*48
	codeBlockBytes = 88 + 2*16 + 8 // and its nodes in the tag trees
)

// newTile lays out tile i. Nothing is made before it is known how much it is.
func (c *Codestream) newTile(i int, p params) (*tile, error) {
	px, py := int64(i)%c.nx, int64(i)/c.nx
	t := &tile{params: p}
	t.area = rect{c.tx + px*c.tw, c.ty + py*c.th, c.tx + (px+1)*c.tw, c.ty + (py+1)*c.th}.and(rect{c.X0, c.Y0, c.X1, c.Y1})
	for k := range c.Components {
		comp := &c.Components[k]
		tc := tileComp{compParams: &t.params.comps[k], area: t.area.shrink(comp.DX, comp.DY), dx: comp.DX, dy: comp.DY}
		for r := 0; r <= tc.levels; r++ {
			res := resolution{area: tc.area.halve(tc.levels - r), ppx: int(tc.precincts[r] & 15), ppy: int(tc.precincts[r] >> 4)}
			if !res.area.empty() {
				res.nx = int(ceilShift(res.area.x1, res.ppx) - res.area.x0>>res.ppx)
				res.ny = int(ceilShift(res.area.y1, res.ppy) - res.area.y0>>res.ppy)
			}
			tc.res = append(tc.res, res)
		}
		t.comps = append(t.comps, tc)
	}
	if size := t.cost(); size > maxTileBytes {
		return nil, pdk.OverLimit(readapi.CodeLimitMemory, "tile_structure_bytes", maxTileBytes, size)
	}
	for k := range t.comps {
		t.comps[k].layOut(c.Components[k].Depth)
	}
	return t, nil
}

// blockSize returns the exponents of a code-block's size in resolution r (B.7).
func (tc *tileComp) blockSize(r int) (xcb, ycb int) {
	res := &tc.res[r]
	if r == 0 {
		return min(tc.xcb, res.ppx), min(tc.ycb, res.ppy)
	}
	return min(tc.xcb, res.ppx-1), min(tc.ycb, res.ppy-1)
}

// cost is what laying out takes, from above.
func (t *tile) cost() (bytes int64) {
	for k := range t.comps {
		tc := &t.comps[k]
		for r := range tc.res {
			res := &tc.res[r]
			parts := int64(res.nx) * int64(res.ny)
			if parts > maxTileBytes {
				return parts
			}
			xcb, ycb := tc.blockSize(r)
			// A precinct's blocks, and one more where its border cuts them: but a border lies on a multiple of their size.
			blocks := (ceilShift(int64(res.area.w()), xcb) + 2*int64(res.nx)) * (ceilShift(int64(res.area.h()), ycb) + 2*int64(res.ny))
			if blocks > maxTileBytes {
				return blocks
			}
			bytes += 3*parts*precinctBytes + blocks*codeBlockBytes
		}
	}
	return bytes
}

// layOut makes subbands, precincts and code-blocks.
func (tc *tileComp) layOut(depth int) {
	for r := range tc.res {
		res := &tc.res[r]
		res.next = make([]int32, res.nx*res.ny)
		first, last := 1, 3
		if r == 0 {
			first, last = 0, 0
		}
		for kind := first; kind <= last; kind++ {
			res.bands = append(res.bands, tc.band(r, kind, depth))
		}
	}
}

// band makes a subband of resolution r (B.5, E.1).
func (tc *tileComp) band(r, kind, depth int) band {
	b := band{kind: kind, step: 1}
	b.xcb, b.ycb = tc.blockSize(r)
	n := tc.levels - max(r-1, 0) // halvings down to it
	xo, yo := int64(kind&1)<<n>>1, int64(kind>>1)<<n>>1
	b.area = rect{ceilShift(tc.area.x0-xo, n), ceilShift(tc.area.y0-yo, n), ceilShift(tc.area.x1-xo, n), ceilShift(tc.area.y1-yo, n)}
	index := 0
	if r > 0 {
		index = 3*(r-1) + kind
	}
	s := tc.steps[min(index, len(tc.steps)-1)]
	if tc.quantStyle == 1 { // derived from the first (E-5)
		s = tc.steps[0]
	}
	exponent := int(s >> 11)
	if tc.quantStyle == 1 {
		exponent -= max(r-1, 0)
	}
	b.planes = tc.guard + exponent - 1 + tc.shift
	if tc.irreversible {
		gain := [4]int{0, 1, 1, 2}[kind]
		b.step = float32(1+float64(s&2047)/2048) * exp2(depth+gain-exponent)
		if tc.quantStyle == 0 {
			b.step = exp2(depth + gain - exponent)
		}
	}
	res := &tc.res[r]
	b.parts = make([]precinct, res.nx*res.ny)
	for i := range b.parts {
		b.parts[i] = tc.precinct(res, &b, i, r > 0)
	}
	return b
}

// exp2 is 2 to the n, for such n as floats have.
func exp2(n int) float32 {
	v := float32(1)
	for ; n > 0; n-- {
		v *= 2
	}
	for ; n < 0; n++ {
		v /= 2
	}
	return v
}

// precinct makes what precinct i of a resolution has of band b.
func (tc *tileComp) precinct(res *resolution, b *band, i int, halved bool) (p precinct) {
	px, py := res.area.x0>>res.ppx+int64(i%res.nx), res.area.y0>>res.ppy+int64(i/res.nx)
	ppx, ppy := res.ppx, res.ppy
	if halved {
		ppx, ppy = ppx-1, ppy-1
	}
	area := rect{px << ppx, py << ppy, (px + 1) << ppx, (py + 1) << ppy}.and(b.area)
	if area.empty() {
		return p
	}
	x0, y0 := area.x0>>b.xcb, area.y0>>b.ycb
	p.nx, p.ny = int(ceilShift(area.x1, b.xcb)-x0), int(ceilShift(area.y1, b.ycb)-y0)
	p.blocks = make([]codeBlock, p.nx*p.ny)
	for k := range p.blocks {
		x, y := x0+int64(k%p.nx), y0+int64(k/p.nx)
		p.blocks[k].area = rect{x << b.xcb, y << b.ycb, (x + 1) << b.xcb, (y + 1) << b.ycb}.and(area)
	}
	return p
}
