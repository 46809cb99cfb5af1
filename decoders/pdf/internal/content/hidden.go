package content

import "unicode/utf8"

// Hidden says why a person would not see a span; Visible if one would.
type Hidden uint8

// The reasons.
const (
	Visible         Hidden = iota
	HiddenInvisible        // render mode 3 or 7, and no picture that it could be the text of
	HiddenColor            // in the colour of what lies behind it, or transparent
	HiddenTiny             // below one point
	HiddenOffPage          // outside the page, or clipped away
	HiddenCovered          // something was painted over it
	HiddenLayer            // in a layer that is off
	HiddenNote             // of an annotation that is not shown
	hiddenKinds
)

// String says in a few words where text of this kind is.
func (h Hidden) String() string {
	switch h {
	case Visible:
		return "visible"
	case HiddenInvisible:
		return "drawn invisibly"
	case HiddenColor:
		return "in the colour of its background or transparent"
	case HiddenTiny:
		return "too small to read"
	case HiddenOffPage:
		return "outside the page or cut off"
	case HiddenCovered:
		return "painted over"
	case HiddenLayer:
		return "in a layer that is off"
	case HiddenNote:
		return "in annotations that are not shown"
	}
	return "hidden"
}

// HiddenCount says how much text of a page is hidden for one reason, and where the first of it stands.
type HiddenCount struct {
	Reason            Hidden
	Characters, Words int // blanks do not count
	X, Y              int // in user space, rounded
}

// HiddenCounts returns how much text is hidden, by reason; nothing for a page that hides none.
func (p *Page) HiddenCounts() (out []HiddenCount) {
	var all [hiddenKinds]HiddenCount
	for i := range p.Spans {
		s := &p.Spans[i]
		if s.Hidden == Visible || s.Hidden >= hiddenKinds {
			continue
		}
		chars, words := countWords(p.Text(s))
		c := &all[s.Hidden]
		if chars > 0 && c.Characters == 0 {
			c.X, c.Y = whole(s.X0), whole(s.Y0)
		}
		c.Characters += chars
		c.Words += words
	}
	for h, c := range all {
		if c.Characters > 0 {
			c.Reason = Hidden(h)
			out = append(out, c)
		}
	}
	return out
}

// whole rounds a place on the page; one that is absurd is at the border of what a page can be.
func whole(v float64) int {
	const most = 1e6
	return int(min(max(v, -most), most))
}

// countWords counts the characters of b that are no blanks, and the runs of them.
func countWords(b []byte) (chars, words int) {
	inWord := false
	for len(b) > 0 {
		_, n := utf8.DecodeRune(b)
		blank := isBlank(b[:n])
		if !blank {
			chars++
			if !inWord {
				words++
			}
		}
		inWord = !blank
		b = b[n:]
	}
	return chars, words
}

// isBlank reports whether a text has nothing to see.
func isBlank(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r != ' ' && r != 0xa0 && r != 0x3000 && !(r >= 0x2000 && r <= 0x200b) {
			return false
		}
		b = b[n:]
	}
	return true
}

// Shows reports whether a span belongs to the text of the page: a person sees it, or the reader asked for hidden text too.
func (p *Page) Shows(s *Span) bool { return s.Hidden == Visible || p.ShowHidden }
