package content

import (
	"math/rand/v2"
	"testing"
)

// Whatever is painted, what was kept as rectangles looks in each cell as what was painted on cells at once.
func TestSheets(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	box := Rect{X1: 60, Y1: 80}
	kept, drawn := 0, 0
	for range 400 {
		var a, b canvas
		a.measure(box)
		b.measure(box)
		b.draw()
		for range 1 + rnd.IntN(2*maxSheets) {
			x, y := rnd.Float64()*70-5, rnd.Float64()*90-5
			r := RectOf(x, y, x+rnd.Float64()*40, y+rnd.Float64()*40).And(box)
			cl := &clip{rect: box}
			if rnd.IntN(3) == 0 {
				cl.mask = &mask{col: rnd.IntN(10), row: rnd.IntN(10), w: 16, h: 16, bits: []uint64{rnd.Uint64(), rnd.Uint64(), rnd.Uint64(), rnd.Uint64()}}
			}
			c := coat{
				ink: ink{kind: []inkKind{inkKnown, inkUnknown}[rnd.IntN(2)], rgb: uint32(rnd.IntN(paper + 1))}, alpha: []float64{1, rnd.Float64()}[rnd.IntN(2)],
				mixes: rnd.IntN(4) == 0, darkens: rnd.IntN(4) == 0, picture: rnd.IntN(3) == 0, sheer: rnd.IntN(4) == 0,
			}
			for _, cv := range []*canvas{&a, &b} {
				cv.order++
				if cv.keep(r, &c, cl) {
					continue
				}
				cv.draw()
				from, to := cv.columns(r.X0, r.X1)
				first, last := cv.rows(r.Y0, r.Y1)
				for row := first; row < last; row++ {
					cv.paint(&c, cl, cv.order, row, from, to)
				}
			}
		}
		if a.drawn {
			drawn++
		} else {
			kept++
		}
		for i := range a.w * a.h {
			if k, want := a.cell(i%a.w, i/a.w), b.cell(i%a.w, i/a.w); k != want {
				t.Fatalf("cell %d: %+v, want %+v", i, k, want)
			}
		}
		for _, part := range []float64{0.01, 0.25, 0.5} {
			if got, want := a.pictured(part), b.pictured(part); got != want {
				t.Errorf("pictures on %v of the page: %v, want %v", part, got, want)
			}
		}
	}
	if kept < 50 || drawn < 50 {
		t.Errorf("%d pages without cells, %d with: both kinds are wanted", kept, drawn)
	}
}

// A page with a picture and black text needs no cells; one with many rectangles has them.
func TestNoCells(t *testing.T) {
	const show = " BT /F1 12 Tf 20 20 Td (words) Tj ET"
	many := ""
	for range maxSheets + 1 {
		many += "10 10 50 50 re f "
	}
	for _, c := range []struct {
		name, content string
		drawn         bool
	}{
		{"text alone", show, false},
		{"a picture", "q 200 0 0 200 0 0 cm /Im Do Q" + show, false},
		{"a picture in a clip of another shape", "q 0 0 m 100 0 l 0 100 l h W n 200 0 0 200 0 0 cm /Im Do Q" + show, false},
		{"a triangle", "0 0 m 100 0 l 0 100 l f" + show, true},
		{"many rectangles", many + show, true},
	} {
		if got := pageOf(t, c.content, rich, richObjects...).canvas.drawn; got != c.drawn {
			t.Errorf("%s: cells %v, want %v", c.name, got, c.drawn)
		}
	}
}
