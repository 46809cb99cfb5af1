package layout

import (
	"cmp"
	"math"
	"slices"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/order"
)

// rules are the lines that are drawn on the page, in the frame of a flow: those along the lines of text by y, those across by x.
type rules struct{ along, across []segment }

// segment is one of them: at is its place, from and to how far it goes.
type segment struct{ at, from, to float64 }

const (
	maxRules = 1024 // of one direction: a page with more is a drawing
	joined   = 2.0  // points between lines that count as one
	minRule  = 4.0  // points; what is shorter is part of a sign
)

// rulesOf brings the rules of the page into the frame; a flow that lies askew has none.
func (f *flow) rulesOf() (r rules) {
	if math.Abs(f.ux)+math.Abs(f.uy) > 1.01 {
		return r
	}
	for i := range f.page.Rules {
		u := &f.page.Rules[i]
		x0, y0 := f.at(u.X0, u.Y0)
		x1, y1 := f.at(u.X1, u.Y1)
		x0, x1, y0, y1 = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
		if !finite(x0, x1, y0, y1) {
			continue
		}
		if w, h := x1-x0, y1-y0; w >= h && w >= minRule {
			r.along = append(r.along, segment{(y0 + y1) / 2, x0, x1})
		} else if h > w && h >= minRule {
			r.across = append(r.across, segment{(x0 + x1) / 2, y0, y1})
		}
	}
	if len(r.along) > 4*maxRules || len(r.across) > 4*maxRules {
		return rules{}
	}
	r.along, r.across = merged(r.along), merged(r.across)
	if len(r.along) > maxRules || len(r.across) > maxRules {
		return rules{}
	}
	return r
}

// merged joins segments that lie on one line and touch: the borders of cells become lines of the table. Edges of a thick line are one.
func merged(all []segment) []segment {
	order.By(all, func(a, b segment) int { return cmp.Compare(a.at, b.at) })
	var out []segment
	for i := 0; i < len(all); {
		end := i + 1
		for end < len(all) && all[end].at-all[end-1].at <= joined/2 && all[end].at-all[i].at <= joined {
			end++
		}
		level := all[i:end]
		at := (all[i].at + all[end-1].at) / 2
		order.By(level, func(a, b segment) int { return cmp.Compare(a.from, b.from) })
		for j, s := range level {
			if n := len(out); j > 0 && s.from <= out[n-1].to+joined {
				out[n-1].to = max(out[n-1].to, s.to)
				continue
			}
			out = append(out, segment{at, s.from, s.to})
		}
		i = end
	}
	return out
}

// between reports whether a line stands across between two places on the height y.
func (r *rules) between(x0, x1, y float64) bool {
	if len(r.across) == 0 || x1 <= x0 {
		return false
	}
	i, _ := slices.BinarySearchFunc(r.across, x0-0.5, func(s segment, x float64) int { return cmp.Compare(s.at, x) })
	for ; i < len(r.across) && r.across[i].at <= x1+0.5; i++ {
		if r.across[i].from <= y && y <= r.across[i].to {
			return true
		}
	}
	return false
}

// under returns whether a line is drawn along between the heights y0 and y1 below most of x0 to x1.
func (r *rules) under(x0, x1, y0, y1 float64) bool {
	i, _ := slices.BinarySearchFunc(r.along, y0, func(s segment, y float64) int { return cmp.Compare(s.at, y) })
	covered := 0.0
	for ; i < len(r.along) && r.along[i].at <= y1; i++ {
		covered += max(0, min(x1, r.along[i].to)-max(x0, r.along[i].from))
	}
	return x1 > x0 && covered >= 0.8*(x1-x0)
}
