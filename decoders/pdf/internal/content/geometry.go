package content

import "math"

// Matrix is [a b c d e f] of ISO 32000-1, 8.3.3: x' = ax + cy + e, y' = bx + dy + f.
type Matrix [6]float64

// Identity changes nothing.
var Identity = Matrix{1, 0, 0, 1, 0, 0}

// Mul returns the matrix that applies m, then n.
func (m Matrix) Mul(n Matrix) Matrix {
	return Matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// Moved returns m with its origin moved by (x, y) in its own units.
func (m Matrix) Moved(x, y float64) Matrix {
	m[4], m[5] = x*m[0]+y*m[2]+m[4], x*m[1]+y*m[3]+m[5]
	return m
}

// Apply returns where m takes (x, y).
func (m Matrix) Apply(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// Rect is a rectangle in user space of the page, in points, y upward; X0 ≤ X1 and Y0 ≤ Y1.
type Rect struct{ X0, Y0, X1, Y1 float64 }

// RectOf returns the rectangle with two opposite corners.
func RectOf(x0, y0, x1, y1 float64) Rect {
	return Rect{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}
}

// Empty reports whether r has no area.
func (r Rect) Empty() bool { return !(r.X1 > r.X0 && r.Y1 > r.Y0) }

// Bounds returns the rectangle around what m makes of r.
func (m Matrix) Bounds(r Rect) Rect {
	out := Rect{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, c := range [4][2]float64{{r.X0, r.Y0}, {r.X1, r.Y0}, {r.X0, r.Y1}, {r.X1, r.Y1}} {
		x, y := m.Apply(c[0], c[1])
		out = Rect{min(out.X0, x), min(out.Y0, y), max(out.X1, x), max(out.Y1, y)}
	}
	return out
}

func length(x, y float64) float64 { return math.Sqrt(x*x + y*y) }
