package jp2

import (
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Plane is a decoded component: one byte for each sample, over all of its range.
type Plane struct {
	Pix    []byte
	W, H   int
	X0, Y0 int64 // of the first sample, on the component's own grid
	DX, DY int64 // as Component has them
}

// At returns the sample that belongs to column x and row y of the picture, both on the reference grid.
func (p *Plane) At(x, y int64) byte {
	return p.Pix[p.Row(y)*p.W+p.Column(x)]
}

// Column returns the column of the sample for column x of the reference grid: the nearest one that is not to the right.
func (p *Plane) Column(x int64) int { return int(max(0, min(int64(p.W)-1, x/p.DX-p.X0))) }

// Row is Column for rows.
func (p *Plane) Row(y int64) int { return int(max(0, min(int64(p.H)-1, y/p.DY-p.Y0))) }

// maxDepth is how many bits a sample may have.
const maxDepth = 16

// Options of Decode.
type Options struct {
	Reduce     int  // halvings of the size; at most Levels
	Components int  // how many are wanted, from the first
	Raw        bool // samples as they are, not spread over a byte: those of a palette
}

// area is the component's samples.
func (c *Codestream) area(k int) rect {
	return rect{c.X0, c.Y0, c.X1, c.Y1}.shrink(c.Components[k].DX, c.Components[k].DY)
}

// needed is how many components are decoded where the first n are wanted: the transform mixes three.
func (c *Codestream) needed(n int) int {
	if n = min(n, len(c.Components)); c.main.transfer && len(c.Components) >= 3 {
		return max(n, 3)
	}
	return n
}

// Cost is how many bytes of pixels Decode takes: the planes, and the coefficients of the largest tile.
func (c *Codestream) Cost(o Options) (bytes int64) {
	for k := range c.needed(o.Components) {
		a := c.area(k).halve(o.Reduce)
		w, h := max(0, a.x1-a.x0), max(0, a.y1-a.y0)
		bytes += w * h
		tw, th := min(w, ceilShift(ceilDiv(c.tw, c.Components[k].DX), o.Reduce)+1), min(h, ceilShift(ceilDiv(c.th, c.Components[k].DY), o.Reduce)+1)
		bytes += 4 * tw * th
	}
	return bytes
}

// decoding is one decode.
type decoding struct {
	*Codestream
	opts    Options
	planes  []Plane
	block   block
	ints    [][]int32
	floats  [][]float32
	intLine []int32
	line    []float32
	any     bool // something was decoded
}

// Decode decodes the first components. partial means that samples are missing, or their last bits.
func (c *Codestream) Decode(o Options) (planes []Plane, partial bool, err error) {
	d := decoding{Codestream: c, opts: o}
	d.opts.Components = c.needed(o.Components)
	for k := range d.opts.Components {
		comp := &c.Components[k]
		if comp.Depth > maxDepth {
			return nil, false, pdk.Unsupported("jpeg 2000 of more than 16 bits")
		}
		a := c.area(k).halve(o.Reduce)
		if a.empty() {
			return nil, false, malformed("component without a sample")
		}
		d.planes = append(d.planes, Plane{Pix: make([]byte, a.w()*a.h()), W: a.w(), H: a.h(), X0: a.x0, Y0: a.y0, DX: comp.DX, DY: comp.DY})
	}
	if err := c.findParts(); err != nil {
		return nil, false, err
	}
	if err := d.countable(); err != nil {
		return nil, false, err
	}
	d.ints, d.floats = make([][]int32, d.opts.Components), make([][]float32, d.opts.Components)
	partial = c.cut
	for i, parts := range c.parts {
		if len(parts) == 0 {
			partial = true
			continue
		}
		short, err := d.tile(i, parts)
		if err != nil {
			return nil, false, err
		}
		partial = partial || short
	}
	if !d.any {
		return nil, false, malformed("without a sample")
	}
	return d.planes, partial, nil
}

// maxResolutions bounds the resolutions of all tiles and components together: a tile of one sample has as many as one of a million.
const maxResolutions = 1 << 22

// countable refuses a picture that is mostly structure.
func (d *decoding) countable() error {
	n := int64(0)
	for i := range d.main.comps {
		n += int64(d.main.comps[i].levels + 1)
	}
	tiles := int64(0)
	for _, parts := range d.parts {
		if len(parts) > 0 {
			tiles++
		}
	}
	if n *= tiles; n > maxResolutions {
		return pdk.OverLimit(readapi.CodeLimitFuel, "tile_resolutions", maxResolutions, n)
	}
	return nil
}

// tile decodes tile i. short says that its data ends early.
func (d *decoding) tile(i int, parts []part) (short bool, err error) {
	p := d.main.clone()
	t, short, err := d.gather(&p, i, parts)
	if err != nil || t == nil {
		return true, err
	}
	for k := range d.opts.Components {
		if t.comps[k].levels < d.opts.Reduce {
			return false, pdk.Unsupported("jpeg 2000 with tiles of fewer resolutions than the picture")
		}
	}
	short = t.readPackets(d.opts.Reduce, d.opts.Components) || short
	for k := range d.opts.Components {
		if t.comps[k].irreversible {
			d.floats[k] = samples(d, t, k, d.floats[k], &d.line, irreversible, func(mag uint32, b *band) float32 { return float32(float32(mag)*0.5) * b.step })
		} else {
			d.ints[k] = samples(d, t, k, d.ints[k], &d.intLine, reversible, func(mag uint32, _ *band) int32 { return int32(mag >> 1) })
		}
	}
	if err := d.unmix(t); err != nil {
		return false, err
	}
	for k := range d.opts.Components {
		d.store(t, k)
	}
	return short, nil
}

// gather reads the headers and the data of a tile's parts, and lays the tile out; nil when there is no data.
func (d *decoding) gather(p *params, i int, parts []part) (t *tile, short bool, err error) {
	var data, heads []byte
	packed, changed := len(d.ppm) > 0, false
	for n, part := range parts {
		off := part.off
		for {
			mark, body, next := d.segment(off)
			if mark == 0 || mark == markSOT || mark == markEOC || off >= part.end {
				return nil, true, nil
			}
			off = next
			if mark == markSOD {
				break
			}
			switch {
			case mark == markPPT && len(body) > 0:
				heads, packed = append(heads, body[1:]...), true
			case n > 0 && mark != markPOC: // the others stand in the first part only (A.3)
			default:
				if mark == markPOC && !changed {
					p.changes, changed = nil, true
				}
				if err := d.parameter(p, mark, body); err != nil {
					return nil, false, err
				}
			}
		}
		if len(d.ppm) > 0 {
			return nil, false, pdk.Unsupported("jpeg 2000 with the packet headers of all tiles in one place")
		}
		data = append(data, d.read(off, part.end-off)...)
	}
	if t, err = d.newTile(i, *p); err != nil {
		return nil, false, err
	}
	if t.data = data; packed {
		t.heads = append([]byte{}, heads...)
	}
	return t, false, nil
}

// samples decodes the code-blocks of component k of a tile and undoes the wavelet transform: the samples of its reduced area, row by row.
func samples[T number](d *decoding, t *tile, k int, plane []T, line *[]T, f filter[T], value func(mag uint32, b *band) T) []T {
	tc := &t.comps[k]
	top := tc.levels - d.opts.Reduce
	area := tc.res[top].area
	if area.empty() {
		return plane[:0]
	}
	w, h := area.w(), area.h()
	if cap(plane) < w*h {
		plane = make([]T, w*h)
	} else {
		plane = plane[:w*h]
		clear(plane)
	}
	if need := max(w, h*min(w, columnsAtOnce)); len(*line) < need {
		*line = make([]T, need)
	}
	for r := 0; r <= top; r++ {
		res := &tc.res[r]
		var x, y int
		if r > 0 {
			x, y = tc.res[r-1].area.w(), tc.res[r-1].area.h()
		}
		for i := range res.bands {
			b := &res.bands[i]
			at := plane[min(len(plane), b.kind>>1*y*w+b.kind&1*x):]
			for j := range b.parts {
				for n := range b.parts[j].blocks {
					if cb := &b.parts[j].blocks[n]; cb.passes > 0 && cb.planes > 0 {
						d.any = true
						d.block.begin(cb.area.w(), cb.area.h(), b.kind, tc.style)
						d.block.decode(cb.segments, cb.planes, tc.style)
						put(&d.block, at[int(cb.area.y0-b.area.y0)*w+int(cb.area.x0-b.area.x0):], w, tc.shift, b, value)
					}
				}
			}
		}
		if r > 0 && !res.area.empty() {
			f.inverse(plane, w, level{w: res.area.w(), h: res.area.h(), lowW: x, lowH: y, oddX: int(res.area.x0 & 1), oddY: int(res.area.y0 & 1)}, *line)
		}
	}
	return plane
}

// put writes a decoded code-block to its place in the plane.
func put[T number](src *block, plane []T, stride, shift int, b *band, value func(mag uint32, b *band) T) {
	for y := range src.h {
		row := plane[y*stride : y*stride+src.w]
		mags := src.mag[y*src.w : (y+1)*src.w]
		signs := src.cols[(y/4+1)*src.stride+1:][:len(mags)]
		for x, m := range mags {
			if m == 0 {
				continue
			}
			if shift > 0 && m>>1>>min(shift, 31) != 0 { // within the region of interest (H.1)
				m >>= shift
			}
			v := value(m, b)
			if signs[x][y&3]&negative != 0 {
				v = -v
			}
			row[x] = v
		}
	}
}

// unmix undoes the transform of the first three components (annex G).
func (d *decoding) unmix(t *tile) error {
	if !t.transfer || d.opts.Components < 3 {
		return nil
	}
	a, b, c := &t.comps[0], &t.comps[1], &t.comps[2]
	if a.irreversible != b.irreversible || a.irreversible != c.irreversible || a.area != b.area || a.area != c.area {
		return malformed("transform of components that differ")
	}
	if !a.irreversible {
		x, y, z := d.ints[0], d.ints[1], d.ints[2]
		y, z = y[:len(x)], z[:len(x)]
		for i, luma := range x {
			u, v := y[i], z[i]
			g := luma - (u+v)>>2
			x[i], y[i], z[i] = v+g, g, u+g
		}
		return nil
	}
	x, y, z := d.floats[0], d.floats[1], d.floats[2]
	y, z = y[:len(x)], z[:len(x)]
	for i, luma := range x { // G.3.2
		cb, cr := y[i], z[i]
		x[i] = luma + float32(1.402*cr)
		y[i] = luma - float32(0.344136*cb) - float32(0.714136*cr)
		z[i] = luma + float32(1.772*cb)
	}
	return nil
}

// store writes the samples of component k to its plane, as bytes.
func (d *decoding) store(t *tile, k int) {
	tc, p := &t.comps[k], &d.planes[k]
	area := tc.res[tc.levels-d.opts.Reduce].area
	if area.empty() {
		return
	}
	depth := d.Components[k].Depth
	half, most := int32(1)<<(depth-1), int32(1)<<depth-1
	at := int(area.y0-p.Y0)*p.W + int(area.x0-p.X0)
	w := area.w()
	for y := range area.h() {
		dst := p.Pix[at+y*p.W:][:w]
		if tc.irreversible {
			for x, v := range d.floats[k][y*w : (y+1)*w] {
				dst[x] = d.sample(rounded(v)+half, depth, most)
			}
			continue
		}
		for x, v := range d.ints[k][y*w : (y+1)*w] {
			dst[x] = d.sample(v+half, depth, most)
		}
	}
}

// rounded is the nearest integer; what no picture has comes out as something far outside of its range.
func rounded(v float32) int32 {
	const far = 1 << 20
	switch {
	case v > far:
		return far
	case v < -far || v != v:
		return -far
	case v < 0:
		return -int32(0.5 - v)
	}
	return int32(v + 0.5)
}

// sample is v, of depth bits, as a byte.
func (d *decoding) sample(v int32, depth int, most int32) byte {
	v = max(0, min(most, v))
	switch {
	case d.opts.Raw:
		return byte(min(v, 255))
	case depth > 8:
		return byte(v >> (depth - 8))
	case depth < 8:
		return byte((v*255 + most/2) / most)
	}
	return byte(v)
}
