package image

// upright returns m turned and mirrored as orientation asks, m itself for 1.
func upright(m *nrgba, orientation int) *nrgba {
	if orientation <= 1 {
		return m
	}
	start, dx, dy, swap := steps(m.w, m.h, m.w, orientation)
	out := &nrgba{pix: make([]byte, len(m.pix)), w: m.w, h: m.h, solid: m.solid}
	if swap {
		out.w, out.h = m.h, m.w
	}
	i := 0
	for y := range out.h {
		at := start + y*dy
		for range out.w {
			copy(out.pix[i:i+4], m.pix[4*at:4*at+4])
			i, at = i+4, at+dx
		}
	}
	return out
}

// steps says for an orientation (EXIF 2.32, 4.6.4, tag 274) where the upright picture's pixel (x, y) is in the stored one of w by h, whose
// rows are stride apart: at start + x*dx + y*dy. swap says that width and height change places.
func steps(w, h, stride, orientation int) (start, dx, dy int, swap bool) {
	right, bottom := w-1, stride*(h-1)
	switch orientation {
	case 2: // mirrored
		return right, -1, stride, false
	case 3: // upside down
		return bottom + right, -1, -stride, false
	case 4: // mirrored upside down
		return bottom, 1, -stride, false
	case 5: // mirrored along the main diagonal
		return 0, stride, 1, true
	case 6: // lies on its left side
		return bottom, -stride, 1, true
	case 7: // mirrored along the other diagonal
		return bottom + right, -stride, -1, true
	case 8: // lies on its right side
		return right, stride, -1, true
	}
	return 0, 1, stride, false
}
