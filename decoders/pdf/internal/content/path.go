package content

import "math"

type point struct{ x, y float64 }

// path is the path under construction (8.5.2) in page space, with its curves as short lines.
type path struct {
	pts    []point
	starts []int // in pts, of each part
	x, y   float64
	moved  bool // the next line begins a part
	long   bool // over maxPath: the rest is missing
	clip   clipRule
	min    point
	max    point
}

type clipRule uint8

// The rules by which a path becomes the clip behind the operator that paints it.
const (
	clipNone clipRule = iota
	clipNonzero
	clipEvenOdd
)

// maxPath bounds the points of one path.
const maxPath = 1 << 19

func (p *path) reset() {
	p.pts, p.starts, p.moved, p.long, p.clip = p.pts[:0], p.starts[:0], false, false, clipNone
	p.min, p.max = point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
}

// bounds is the rectangle around p.
func (p *path) bounds() Rect {
	if len(p.pts) == 0 {
		return Rect{}
	}
	return Rect{p.min.x, p.min.y, p.max.x, p.max.y}
}

func (p *path) parts() int { return len(p.starts) }

// part returns the points of part i.
func (p *path) part(i int) []point {
	if i+1 < len(p.starts) {
		return p.pts[p.starts[i]:p.starts[i+1]]
	}
	return p.pts[p.starts[i]:]
}

func (p *path) add(x, y float64) {
	if len(p.pts) >= maxPath || x-x != 0 || y-y != 0 { // not a number
		p.long = true
		return
	}
	if len(p.starts) == 0 && !p.moved { // a line without a begin
		p.x, p.y, p.moved = x, y, true
		return
	}
	if p.moved {
		p.starts = append(p.starts, len(p.pts))
		p.moved = false
		p.put(p.x, p.y)
	}
	p.put(x, y)
	p.x, p.y = x, y
}

func (p *path) put(x, y float64) {
	p.pts = append(p.pts, point{x, y})
	p.min = point{min(p.min.x, x), min(p.min.y, y)}
	p.max = point{max(p.max.x, x), max(p.max.y, y)}
}

func (p *path) move(x, y float64) { p.x, p.y, p.moved = x, y, true }

// close draws the line back to where the part began.
func (p *path) close() {
	if n := len(p.starts); n > 0 && !p.moved {
		first := p.pts[p.starts[n-1]]
		p.add(first.x, first.y)
		p.move(first.x, first.y)
	}
}

// curve adds a Bézier curve as lines: more of them the longer it is, in steps of about a cell of the canvas.
func (p *path) curve(x1, y1, x2, y2, x3, y3 float64) {
	x0, y0 := p.x, p.y
	n := length(x1-x0, y1-y0) + length(x2-x1, y2-y1) + length(x3-x2, y3-y2)
	steps := int(min(max(n/4, 3), 32))
	for i := 1; i <= steps; i++ {
		t := float64(i) / float64(steps)
		u := 1 - t
		a, b, c, d := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
		p.add(a*x0+b*x1+c*x2+d*x3, a*y0+b*y1+c*y2+d*y3)
	}
}

// rect reports whether p is one rectangle that stands upright.
func (p *path) rect() (Rect, bool) {
	if len(p.starts) != 1 {
		return Rect{}, false
	}
	return rectOf(p.pts)
}

// rectOf reports whether points go around an upright rectangle.
func rectOf(pts []point) (Rect, bool) {
	if n := len(pts); n < 4 || n > 5 || n == 5 && pts[4] != pts[0] {
		return Rect{}, false
	}
	a, b, c, d := pts[0], pts[1], pts[2], pts[3]
	const slack = 0.01
	eq := func(a, b float64) bool { return math.Abs(a-b) <= slack }
	if eq(a.y, b.y) && eq(b.x, c.x) && eq(c.y, d.y) && eq(d.x, a.x) || eq(a.x, b.x) && eq(b.y, c.y) && eq(c.x, d.x) && eq(d.y, a.y) {
		return RectOf(a.x, a.y, c.x, c.y), true
	}
	return Rect{}, false
}

// pathOperator runs the operators of 8.5; it reports false for any other.
func (f *frame) pathOperator(op []byte) bool {
	p, m := &f.path, &f.state.ctm
	at := func(i int) (float64, float64) { return m.Apply(f.num(i), f.num(i-1)) }
	switch string(op) {
	case "m":
		p.move(at(2))
	case "l":
		p.add(at(2))
	case "c":
		x1, y1 := at(6)
		x2, y2 := at(4)
		x3, y3 := at(2)
		p.curve(x1, y1, x2, y2, x3, y3)
	case "v":
		x2, y2 := at(4)
		x3, y3 := at(2)
		p.curve(p.x, p.y, x2, y2, x3, y3)
	case "y":
		x1, y1 := at(4)
		x3, y3 := at(2)
		p.curve(x1, y1, x3, y3, x3, y3)
	case "h":
		p.close()
	case "re":
		x, y, w, h := f.num(4), f.num(3), f.num(2), f.num(1)
		p.move(m.Apply(x, y))
		p.add(m.Apply(x+w, y))
		p.add(m.Apply(x+w, y+h))
		p.add(m.Apply(x, y+h))
		p.close()
	case "W":
		p.clip = clipNonzero
	case "W*":
		p.clip = clipEvenOdd
	default:
		return f.paintOperator(op)
	}
	return true
}

// paintOperator runs the operators that end a path (8.5.3).
func (f *frame) paintOperator(op []byte) bool {
	switch string(op) {
	case "n":
	case "S":
		f.stroke()
	case "s":
		f.path.close()
		f.stroke()
	case "f", "F":
		f.fill(false)
	case "f*":
		f.fill(true)
	case "B":
		f.fill(false)
		f.stroke()
	case "B*":
		f.fill(true)
		f.stroke()
	case "b":
		f.path.close()
		f.fill(false)
		f.stroke()
	case "b*":
		f.path.close()
		f.fill(true)
		f.stroke()
	default:
		return false
	}
	if f.path.clip != clipNone {
		f.state.clip = f.in.clipped(f.state.clip, &f.path, f.path.clip == clipEvenOdd)
	}
	f.path.reset()
	return true
}
