package jp2test

import "math"

// grid is a plane of coefficients with its place on its own grid.
type grid struct {
	area
	v []float64
}

func newGrid(a area) grid {
	return grid{a, make([]float64, max(0, a.x1-a.x0)*max(0, a.y1-a.y0))}
}

func (g *grid) at(x, y int) *float64 { return &g.v[(y-g.y0)*(g.x1-g.x0)+x-g.x0] }

// transform makes the subbands of all components of the tile.
func (t *tile) transform() {
	var planes []grid
	for k, c := range t.Components {
		whole := t.Picture.area(k)
		g := newGrid(area{ceil(t.x0, c.DX), ceil(t.y0, c.DY), ceil(t.x1, c.DX), ceil(t.y1, c.DY)})
		for y := g.y0; y < g.y1; y++ {
			for x := g.x0; x < g.x1; x++ {
				v := c.Samples[(y-whole.y0)*(whole.x1-whole.x0)+x-whole.x0]
				if !c.Signed {
					v -= 1 << (c.Depth - 1)
				}
				*g.at(x, y) = float64(v)
			}
		}
		planes = append(planes, g)
	}
	if t.Mixed {
		t.mix(planes)
	}
	for k := range planes {
		t.comps = append(t.comps, t.component(k, planes[k]))
	}
}

// mix is the forward component transform (G.2, G.3).
func (t *tile) mix(p []grid) {
	for i := range p[0].v {
		r, g, b := p[0].v[i], p[1].v[i], p[2].v[i]
		if t.Step == 0 {
			p[0].v[i], p[1].v[i], p[2].v[i] = math.Floor((r+2*g+b)/4), b-g, r-g
			continue
		}
		p[0].v[i] = 0.299*r + 0.587*g + 0.114*b
		p[1].v[i] = -0.16875*r - 0.33126*g + 0.5*b
		p[2].v[i] = 0.5*r - 0.41869*g - 0.08131*b
	}
}

// split is one step of the forward transform (F.4.2: columns first): LL, HL, LH and HH.
func (t *tile) split(g grid) (out [4]grid) {
	for x := g.x0; x < g.x1; x++ {
		t.line(g.y0, g.y1, func(y int) *float64 { return g.at(x, y) })
	}
	for y := g.y0; y < g.y1; y++ {
		t.line(g.x0, g.x1, func(x int) *float64 { return g.at(x, y) })
	}
	for kind := range out {
		xo, yo := kind&1, kind>>1
		out[kind] = newGrid(area{halved(g.x0-xo, 1), halved(g.y0-yo, 1), halved(g.x1-xo, 1), halved(g.y1-yo, 1)})
		for y := out[kind].y0; y < out[kind].y1; y++ {
			for x := out[kind].x0; x < out[kind].x1; x++ {
				*out[kind].at(x, y) = *g.at(2*x+xo, 2*y+yo)
			}
		}
	}
	return out
}

// line transforms the samples from to to of a line, at which at points (F.4.6, F.4.8): low ones at even places.
func (t *tile) line(from, to int, at func(i int) *float64) {
	if to-from == 1 {
		if from&1 == 1 {
			*at(from) *= 2
		}
		return
	}
	mirrored := func(i int) float64 {
		for i < from || i >= to {
			if i < from {
				i = 2*from - i
			} else {
				i = 2*(to-1) - i
			}
		}
		return *at(i)
	}
	lift := func(parity int, f func(a, b float64) float64) {
		for i := from; i < to; i++ {
			if i&1 == parity {
				*at(i) += f(mirrored(i-1), mirrored(i+1))
			}
		}
	}
	if t.Step == 0 {
		lift(1, func(a, b float64) float64 { return -math.Floor((a + b) / 2) })
		lift(0, func(a, b float64) float64 { return math.Floor((a + b + 2) / 4) })
		return
	}
	for n, factor := range []float64{-1.586134342059924, -0.052980118572961, 0.882911075530934, 0.443506852043971} {
		lift(1-n%2, func(a, b float64) float64 { return factor * (a + b) })
	}
	const k = 1.230174104914001
	for i := from; i < to; i++ {
		if i&1 == 0 {
			*at(i) /= k
		} else {
			*at(i) *= k
		}
	}
}
