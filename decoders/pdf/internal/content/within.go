package content

// TextIn appends the text of the page whose letters stand in r, with a blank between words and lines. What is not seen is left out.
func (p *Page) TextIn(out []byte, r Rect) []byte {
	var last *Span
	for i := range p.Spans {
		s := &p.Spans[i]
		if !p.Shows(s) || !s.near(r) {
			continue
		}
		at, begun := s.Start, false
		p.glyphs(s, func(end int32, from, to float64) {
			along := (from + to) / 2
			x, y := s.X0+along*s.UX+glyphMid*s.up[0], s.Y0+along*s.UY+glyphMid*s.up[1]
			if x >= r.X0 && x <= r.X1 && y >= r.Y0 && y <= r.Y1 {
				if n := len(out); !begun && n > 0 && out[n-1] != ' ' && (last == nil || Between(last, s) != GapNone) {
					out = append(out, ' ')
				}
				begun = true
				out = append(out, p.Buf[at:end]...)
			}
			at = end
		})
		if begun {
			last = s
		}
	}
	return out
}

// near reports whether some of s may stand in r.
func (s *Span) near(r Rect) bool {
	x, y := glyphMid*s.up[0], glyphMid*s.up[1]
	return min(s.X0, s.X1)+x <= r.X1 && max(s.X0, s.X1)+x >= r.X0 && min(s.Y0, s.Y1)+y <= r.Y1 && max(s.Y0, s.Y1)+y >= r.Y0
}
