package content

// This file decides when the page is done which of its text is seen after all: what was painted later counts, and scans are told from pages.

// Parts of a page.
const (
	scanPart = 0.25 // pictures that cover so much of a page may be a scan
	glyphMid = 0.3  // of a letter's height, where it is looked at first
)

// glyphLooks are the heights, in parts of the font's size above the base line, at which a letter is looked at.
var glyphLooks = [3]float64{glyphMid, 0.08, 0.55}

// stop is where a glyph ends.
type stop struct {
	end   int32   // in Page.Buf
	along float32 // from the span's begin
}

// Finish is called once, when everything on the page was run.
func (in *Interp) Finish() {
	p := in.page
	in.covered()
	in.records()
	p.joinSpaced()
	p.Rules = mergeRules(p.Rules)
}

// covered marks what was painted over.
func (in *Interp) covered() {
	p, cv := in.page, &in.page.canvas
	if cv.covers == 0 {
		return
	}
	split := false
	work := 0
	for i := range p.Spans {
		s := &p.Spans[i]
		if s.order >= cv.covers || s.Hidden > HiddenColor || s.Size <= 0 {
			continue
		}
		first, n, k := cv.under(p, s)
		work += n
		if k == n && first {
			s.Hidden = HiddenCovered
		} else if k > 0 {
			split = true
		}
	}
	in.file.Work(work / 8)
	if split {
		p.Spans = in.splitCovered(p.Spans)
	}
}

// under counts the glyphs of a span, and those of them that were painted over; first says whether the first is.
func (c *canvas) under(p *Page, s *Span) (first bool, n, covered int) {
	p.glyphs(s, func(_ int32, from, to float64) {
		if over := c.hides(s, (from+to)/2); over {
			covered++
			first = first || n == 0
		}
		n++
	})
	return first, n, covered
}

// hides reports whether the letter at a place along a span was painted over.
func (c *canvas) hides(s *Span, along float64) bool {
	x, y := s.X0+along*s.UX, s.Y0+along*s.UY
	for _, up := range glyphLooks {
		if c.at(x+up*s.up[0], y+up*s.up[1]).order <= s.order {
			return false
		}
	}
	return true
}

// glyphs calls each with the end in Page.Buf and the begin and end along the base line of each glyph of a span; where they are not known,
// the span is taken for a few pieces.
func (p *Page) glyphs(s *Span, each func(end int32, from, to float64)) {
	from := 0.0
	if s.stop < 0 || int(s.stop) >= len(p.stops) {
		n := length(s.X1-s.X0, s.Y1-s.Y0)
		each(s.End, 0, n)
		return
	}
	for _, st := range p.stops[s.stop:] {
		if st.end > s.End {
			return
		}
		each(st.end, from, float64(st.along))
		from = float64(st.along)
	}
}

// splitCovered cuts the spans that were painted over in part.
func (in *Interp) splitCovered(spans []Span) []Span {
	p, cv := in.page, &in.page.canvas
	out := make([]Span, 0, len(spans)+16)
	for i := range spans {
		s := &spans[i]
		if s.order >= cv.covers || s.Hidden > HiddenColor || s.Size <= 0 {
			out = append(out, *s)
			continue
		}
		begun := len(out)
		at := s.Start
		stop := s.stop
		p.glyphs(s, func(end int32, from, to float64) {
			h := s.Hidden
			if cv.hides(s, (from+to)/2) {
				h = HiddenCovered
			}
			x1, y1 := s.X0+to*s.UX, s.Y0+to*s.UY
			if n := len(out); n > begun && out[n-1].Hidden == h {
				out[n-1].End, out[n-1].X1, out[n-1].Y1 = end, x1, y1
			} else {
				piece := *s
				piece.Start, piece.End, piece.Hidden, piece.stop = at, end, h, -1
				piece.X0, piece.Y0, piece.X1, piece.Y1 = s.X0+from*s.UX, s.Y0+from*s.UY, x1, y1
				out = append(out, piece)
			}
			at = end
			stop++
		})
		if n := len(out); n == begun+1 { // whole after all
			h := out[begun].Hidden
			out[begun] = *s
			out[begun].Hidden = h
		}
	}
	return out
}

// records makes visible what is the text of a scan: in pictures that cover a good part of the page, unless more text than that is seen in
// the pictures, which then are what the text stands on.
func (in *Interp) records() {
	p, cv := in.page, &in.page.canvas
	if !cv.pictured(scanPart) {
		return
	}
	seen, hidden := 0, 0
	inPicture := func(s *Span) bool {
		x, y := (s.X0+s.X1)/2+glyphMid*s.up[0], (s.Y0+s.Y1)/2+glyphMid*s.up[1]
		return cv.at(x, y).color&cellPicture != 0
	}
	for i := range p.Spans {
		if s := &p.Spans[i]; inPicture(s) {
			if s.Hidden == Visible {
				seen += int(s.End - s.Start)
			} else if s.recordable() {
				hidden += int(s.End - s.Start)
			}
		}
	}
	if hidden < seen {
		return
	}
	for i := range p.Spans {
		if s := &p.Spans[i]; s.recordable() && inPicture(s) {
			s.Hidden = Visible
		}
	}
}

// recordable reports whether s is hidden in a way in which the text of scans is.
func (s *Span) recordable() bool {
	return s.Hidden == HiddenInvisible || s.Hidden == HiddenColor || s.Hidden == HiddenCovered
}

// letters are spans that became the clip (Tr 4 to 7).
type letters struct {
	from, to int
	shown    bool
}

// maxLetters bounds how many clips of letters one page has.
const maxLetters = 10_000

// letter makes the text since a span the clip.
func (f *frame) clipLetters() {
	in := f.in
	if f.textFrom >= len(in.page.Spans) || len(in.letters) >= maxLetters {
		return
	}
	in.letters = append(in.letters, letters{from: f.textFrom, to: len(in.page.Spans)})
	f.state.letters = len(in.letters)
	in.out.open, in.out.sealed = false, true
}

// show notes that something was painted through letters.
func (in *Interp) show(i int) {
	l := &in.letters[i]
	if l.shown {
		return
	}
	l.shown = true
	for k := l.from; k < min(l.to, len(in.page.Spans)); k++ {
		if s := &in.page.Spans[k]; s.Hidden == HiddenInvisible {
			s.Hidden = Visible
		}
	}
}
