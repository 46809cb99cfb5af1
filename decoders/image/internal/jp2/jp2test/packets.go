package jp2test

import (
	"math"
	"math/bits"
)

// tile is one tile in the making.
type tile struct {
	*encoder
	area
	comps   []component
	packets []packetOf
}

type component struct{ res []resolution }

// resolution has the precincts of its subbands.
type resolution struct {
	area
	ppx, ppy int
	nx, ny   int
	bands    []band
}

type band struct {
	kind, planes int
	parts        []precinct
}

type precinct struct {
	nx, ny           int
	blocks           []coded
	inclusion, zeros tagTree
}

// coded is a code-block's codewords.
type coded struct {
	planes, passes int
	segments       []segment
	lblock         int
	done           int // passes that earlier layers have
}

type packetOf struct{ comp, res, part, layer int }

// component splits a plane into subbands, and those into precincts and code-blocks (B.5 to B.7).
func (t *tile) component(k int, g grid) (c component) {
	c.res = make([]resolution, t.Levels+1)
	for r := t.Levels; r >= 0; r-- {
		res := resolution{area: g.area, ppx: 15, ppy: 15}
		if r < len(t.Precincts) {
			res.ppx, res.ppy = int(t.Precincts[r]&15), int(t.Precincts[r]>>4)
		}
		if !g.empty() {
			res.nx, res.ny = halved(g.x1, res.ppx)-g.x0>>res.ppx, halved(g.y1, res.ppy)-g.y0>>res.ppy
		}
		if r == 0 {
			res.bands = []band{t.band(k, &res, r, 0, g)}
		} else {
			parts := t.split(g)
			for kind := 1; kind < 4; kind++ {
				res.bands = append(res.bands, t.band(k, &res, r, kind, parts[kind]))
			}
			g = parts[0]
		}
		c.res[r] = res
	}
	return c
}

func (t *tile) band(k int, res *resolution, r, kind int, g grid) band {
	exponent, _ := t.exponent(t.Components[k].Depth, kind)
	b := band{kind: kind, planes: guard + exponent - 1 + t.Shift}
	ppx, ppy := res.ppx, res.ppy
	if r > 0 {
		ppx, ppy = ppx-1, ppy-1
	}
	xcb, ycb := min(t.XCB+2, ppx), min(t.YCB+2, ppy)
	for i := range res.nx * res.ny {
		px, py := res.x0>>res.ppx+i%res.nx, res.y0>>res.ppy+i/res.nx
		a := area{px << ppx, py << ppy, (px + 1) << ppx, (py + 1) << ppy}.and(g.area)
		var p precinct
		if !a.empty() {
			p.nx, p.ny = halved(a.x1, xcb)-a.x0>>xcb, halved(a.y1, ycb)-a.y0>>ycb
			p.inclusion, p.zeros = newTagTree(p.nx, p.ny), newTagTree(p.nx, p.ny)
			for n := range p.nx * p.ny {
				x, y := a.x0>>xcb+n%p.nx, a.y0>>ycb+n/p.nx
				c := t.code(g, area{x << xcb, y << ycb, (x + 1) << xcb, (y + 1) << ycb}.and(a), kind)
				first := 0
				for first < t.Layers-1 && (c.passes == 0 || c.passes*(first+1)/t.Layers == 0) {
					first++
				}
				if c.passes == 0 {
					first = t.Layers
				}
				p.blocks = append(p.blocks, c)
				p.inclusion.set(n, first)
				p.zeros.set(n, b.planes-c.planes)
			}
		}
		b.parts = append(b.parts, p)
	}
	return b
}

// code quantizes and codes a code-block.
func (t *tile) code(g grid, a area, kind int) coded {
	b := block{w: a.x1 - a.x0, h: a.y1 - a.y0, kind: kind, style: t.Style}
	for y := a.y0; y < a.y1; y++ {
		for x := a.x0; x < a.x1; x++ {
			v := *g.at(x, y)
			m := math.Abs(v)
			if t.Step > 0 {
				m /= t.Step
			}
			n := int(m)
			if t.Shift > 0 && x-a.x0 < b.w/2 && y-a.y0 < b.h/2 { // of interest
				n <<= t.Shift
			}
			b.mag, b.neg = append(b.mag, n), append(b.neg, v < 0)
		}
	}
	c := coded{lblock: 3}
	if c.planes, c.segments = b.encode(); c.planes > 0 {
		c.passes = 3*c.planes - 2
	}
	return c
}

// order lists the packets in order (B.12), position by position where that is what comes first.
func (t *tile) order() {
	layers := func(f func(l int)) {
		for l := range t.Layers {
			f(l)
		}
	}
	resolutions := func(f func(r int)) {
		for r := range t.Levels + 1 {
			f(r)
		}
	}
	comps := func(f func(k int)) {
		for k := range t.comps {
			f(k)
		}
	}
	all := func(k, r int, f func(p int)) {
		for p := range t.comps[k].res[r].nx * t.comps[k].res[r].ny {
			f(p)
		}
	}
	places := func(f func(x, y int)) {
		for y := t.y0; y < t.y1; y++ {
			for x := t.x0; x < t.x1; x++ {
				f(x, y)
			}
		}
	}
	add := func(k, r, p, l int) { t.packets = append(t.packets, packetOf{k, r, p, l}) }
	at := func(k, r, x, y int) {
		if p, ok := t.begins(k, r, x, y); ok {
			layers(func(l int) { add(k, r, p, l) })
		}
	}
	switch t.Order {
	case LRCP:
		layers(func(l int) {
			resolutions(func(r int) { comps(func(k int) { all(k, r, func(p int) { add(k, r, p, l) }) }) })
		})
	case RLCP:
		resolutions(func(r int) { layers(func(l int) { comps(func(k int) { all(k, r, func(p int) { add(k, r, p, l) }) }) }) })
	case RPCL:
		resolutions(func(r int) { places(func(x, y int) { comps(func(k int) { at(k, r, x, y) }) }) })
	case PCRL:
		places(func(x, y int) { comps(func(k int) { resolutions(func(r int) { at(k, r, x, y) }) }) })
	case CPRL:
		comps(func(k int) { places(func(x, y int) { resolutions(func(r int) { at(k, r, x, y) }) }) })
	}
}

// begins says which precinct of a resolution begins at a place of the reference grid (B.12.1.3).
func (t *tile) begins(k, r, x, y int) (p int, ok bool) {
	c, res := t.Components[k], &t.comps[k].res[r]
	n := t.Levels - r
	hit := func(v, d, pp, tile0, res0 int) bool {
		return v%(d<<(pp+n)) == 0 || v == tile0 && (res0<<n)%(1<<(pp+n)) != 0
	}
	if res.nx*res.ny == 0 || !hit(y, c.DY, res.ppy, t.y0, res.y0) || !hit(x, c.DX, res.ppx, t.x0, res.x0) {
		return 0, false
	}
	px := ceil(x, c.DX<<n)>>res.ppx - res.x0>>res.ppx
	py := ceil(y, c.DY<<n)>>res.ppy - res.y0>>res.ppy
	return py*res.nx + px, true
}

// write writes the packets, whole or without their headers, which are returned then.
func (t *tile) write() (out, heads [][]byte) {
	for n, id := range t.packets {
		head, body := t.packet(id)
		if t.EPH {
			head = append(head, 0xff, 0x92)
		}
		var b []byte
		if t.SOP {
			b = append(b, 0xff, 0x91, 0, 4, byte(n>>8), byte(n))
		}
		if heads = append(heads, head); !t.PPT {
			b = append(b, head...)
		}
		out = append(out, append(b, body...))
	}
	return out, heads
}

// packet writes the header (B.10) and the body of a packet.
func (t *tile) packet(id packetOf) (head, body []byte) {
	w := &bitWriter{}
	w.bit(1)
	res := &t.comps[id.comp].res[id.res]
	for i := range res.bands {
		p := &res.bands[i].parts[id.part]
		for n := range p.blocks {
			c := &p.blocks[n]
			passes := c.passes*(id.layer+1)/t.Layers - c.done
			if c.done == 0 {
				p.inclusion.code(w, n, id.layer+1)
			} else {
				w.bit(min(1, passes))
			}
			if passes == 0 {
				continue
			}
			if c.done == 0 {
				for v := 1; !p.zeros.code(w, n, v); v++ {
				}
			}
			body = append(body, c.contribute(w, passes)...)
		}
	}
	return w.end(), body
}

// contribute writes how many passes and bytes a packet has of a code-block, and returns the bytes.
func (c *coded) contribute(w *bitWriter, passes int) (body []byte) {
	switch {
	case passes == 1:
		w.bit(0)
	case passes == 2:
		w.bits(2, 2)
	case passes <= 5:
		w.bits(3<<2|(passes-3), 4)
	case passes <= 36:
		w.bits(15<<5|(passes-6), 9)
	default:
		w.bits(511<<7|(passes-37), 16)
	}
	type share struct{ passes, bytes int }
	var shares []share
	grow := 0
	for _, s := range c.segments {
		from, to := max(s.from, c.done), min(s.to, c.done+passes)
		if from >= to {
			continue
		}
		n := s.to - s.from
		data := s.data[len(s.data)*(from-s.from)/n : len(s.data)*(to-s.from)/n]
		shares, body = append(shares, share{to - from, len(data)}), append(body, data...)
		grow = max(grow, bits.Len(uint(len(data)))-(bits.Len(uint(to-from))-1)-c.lblock)
	}
	for range grow {
		w.bit(1)
	}
	w.bit(0)
	c.lblock += grow
	for _, s := range shares {
		w.bits(s.bytes, c.lblock+bits.Len(uint(s.passes))-1)
	}
	c.done += passes
	return body
}

// tagTree is a tag tree (B.10.2).
type tagTree struct{ levels []tagLevel }

type tagLevel struct {
	w          int
	value, low []int
	known      []bool
}

func newTagTree(w, h int) (t tagTree) {
	for {
		n := w * h
		t.levels = append(t.levels, tagLevel{w: w, value: make([]int, n), low: make([]int, n), known: make([]bool, n)})
		for i := range n {
			t.levels[len(t.levels)-1].value[i] = 1 << 20
		}
		if n <= 1 {
			return t
		}
		w, h = (w+1)/2, (h+1)/2
	}
}

// index is where leaf is on a level.
func (t *tagTree) index(leaf, level int) int {
	w := t.levels[0].w
	return leaf/w>>level*t.levels[level].w + leaf%w>>level
}

// set gives a leaf its value.
func (t *tagTree) set(leaf, v int) {
	for l := range t.levels {
		p := &t.levels[l].value[t.index(leaf, l)]
		*p = min(*p, v)
	}
}

// code writes whether the leaf's value is less than limit, and returns it.
func (t *tagTree) code(w *bitWriter, leaf, limit int) bool {
	low := 0
	for l := len(t.levels) - 1; l >= 0; l-- {
		n, i := &t.levels[l], t.index(leaf, l)
		low = max(low, n.low[i])
		for low < limit && !n.known[i] {
			if low == n.value[i] {
				w.bit(1)
				n.known[i] = true
				break
			}
			w.bit(0)
			low++
		}
		n.low[i] = low
	}
	return t.levels[0].value[leaf] < limit
}
