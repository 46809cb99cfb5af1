package picture

import (
	"math"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
)

// unit is the square that an image fills before its matrix (8.9.5.1).
var unit = content.Rect{X1: 1, Y1: 1}

// inverse returns the matrix that undoes m; ok is false if there is none.
func inverse(m content.Matrix) (out content.Matrix, ok bool) {
	det := m[0]*m[3] - m[1]*m[2]
	if !(math.Abs(det) > 1e-12) || math.IsInf(det, 0) {
		return out, false
	}
	out = content.Matrix{m[3] / det, -m[1] / det, -m[2] / det, m[0] / det}
	out[4] = -(m[4]*out[0] + m[5]*out[2])
	out[5] = -(m[4]*out[1] + m[5]*out[3])
	return out, true
}

// both is the part that two rectangles share.
func both(a, b content.Rect) content.Rect {
	return content.Rect{X0: max(a.X0, b.X0), Y0: max(a.Y0, b.Y0), X1: min(a.X1, b.X1), Y1: min(a.Y1, b.Y1)}
}

// around is the rectangle around two.
func around(a, b content.Rect) content.Rect {
	return content.Rect{X0: min(a.X0, b.X0), Y0: min(a.Y0, b.Y0), X1: max(a.X1, b.X1), Y1: max(a.Y1, b.Y1)}
}

func area(r content.Rect) float64 {
	if r.Empty() {
		return 0
	}
	return (r.X1 - r.X0) * (r.Y1 - r.Y0)
}

// shown returns the matrix from user space to a page as it is shown, with region's corner at the top left, y downward, scale pixels to a
// point, turned clockwise by rotate degrees.
func shown(region content.Rect, rotate int, scale float64) content.Matrix {
	s, r := scale, region
	switch rotate {
	case 90:
		return content.Matrix{0, s, s, 0, -r.Y0 * s, -r.X0 * s}
	case 180:
		return content.Matrix{-s, 0, 0, s, r.X1 * s, -r.Y0 * s}
	case 270:
		return content.Matrix{0, -s, -s, 0, r.Y1 * s, r.X1 * s}
	}
	return content.Matrix{s, 0, 0, -s, -r.X0 * s, r.Y1 * s}
}

// turned says how an image with matrix m, which leads to the page as it is shown, has to be turned, to the next quarter.
func turned(m content.Matrix) orientation {
	right, left := m[0] > 0, m[0] < 0    // where the image's right side goes: along x …
	down, up := m[3] < 0, m[3] > 0       // and where its lower side goes, which is where its v becomes less
	if math.Abs(m[1]) > math.Abs(m[0]) { // a quarter turn, or a transposition
		rightDown, downRight := m[1] > 0, m[2] < 0
		switch {
		case rightDown && downRight:
			return 5
		case rightDown:
			return 6
		case downRight:
			return 8
		}
		return 7
	}
	switch {
	case right && down:
		return 1
	case left && down:
		return 2
	case left && up:
		return 3
	}
	return 4
}

// square reports whether m keeps right angles parallel to the page, and pixels of a picture of w by h pixels square, within a few percent.
func square(m content.Matrix, w, h int64) bool {
	const slack = 0.03
	across, down := math.Hypot(m[0], m[1]), math.Hypot(m[2], m[3])
	straight := min(math.Abs(m[0]), math.Abs(m[1])) <= slack*across && min(math.Abs(m[2]), math.Abs(m[3])) <= slack*down
	x, y := across/float64(w), down/float64(h)
	return straight && math.Abs(x-y) <= slack*max(x, y)
}
