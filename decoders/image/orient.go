package image

// upright returns m turned and mirrored as orientation (EXIF 2.32, 4.6.4, tag 274) asks, m itself for 1.
func upright(m *nrgba, orientation int) *nrgba {
	// For each orientation: where the result's pixel (x, y) comes from, as a start and steps in x and y.
	w, h := m.w, m.h
	var start, dx, dy int
	switch orientation {
	case 2: // mirrored
		start, dx, dy = w-1, -1, w
	case 3: // upside down
		start, dx, dy = w*h-1, -1, -w
	case 4: // mirrored upside down
		start, dx, dy = w*(h-1), 1, -w
	case 5: // mirrored along the main diagonal
		start, dx, dy = 0, w, 1
	case 6: // lies on its left side
		start, dx, dy = w*(h-1), -w, 1
	case 7: // mirrored along the other diagonal
		start, dx, dy = w*h-1, -w, -1
	case 8: // lies on its right side
		start, dx, dy = w-1, w, -1
	default:
		return m
	}
	out := &nrgba{pix: make([]byte, len(m.pix)), w: w, h: h, solid: m.solid}
	if orientation >= 5 {
		out.w, out.h = h, w
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
