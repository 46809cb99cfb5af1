package content

import (
	"math"
	"unicode"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// recent remembers the strings that were shown, by what they are and about where: a string that is shown twice in nearly one place is bold
// that a writer made himself, or a shadow, and counts once.
type recent []shown

type shown struct {
	hash       uint64
	x, y, size float64
}

// Of strings shown twice.
const (
	recentStrings = 1 << 10
	twiceGap      = 0.1 // of the font's size: how far apart they lie at most
)

// again reports whether the strings that begin were shown in their place before, and remembers them.
func (t *text) again(args []object.Token) bool {
	if t.size <= 0 || t.hidden != Visible || t.behind && t.ink.like(paper) {
		return false
	}
	blank := true
	h := uint64(14695981039346656037) // FNV-1a
	for i := range args {
		if args[i].Kind != object.TokString {
			continue
		}
		for _, c := range args[i].S {
			h = (h ^ uint64(c)) * 1099511628211
			blank = blank && (c == ' ' || c == 0)
		}
	}
	if blank {
		return false
	}
	made := t.page.shows
	if made == nil {
		made = make([]shown, recentStrings)
		t.page.shows = made
	}
	// A cell of the grid is a size wide; a string near its border may have been noted beyond it.
	near := twiceGap * t.size
	col, row := math.Floor(t.x/t.size), math.Floor(t.y/t.size)
	for _, c := range [...]float64{math.Floor((t.x - near) / t.size), math.Floor((t.x + near) / t.size)} {
		for _, r := range [...]float64{math.Floor((t.y - near) / t.size), math.Floor((t.y + near) / t.size)} {
			k := &made[slot(h, c, r)]
			if k.hash == h && k.size == t.size && math.Abs(k.x-t.x) <= near && math.Abs(k.y-t.y) <= near {
				return true
			}
			if r == row {
				break
			}
		}
	}
	made[slot(h, col, row)] = shown{hash: h, x: t.x, y: t.y, size: t.size}
	return false
}

// slot is where a string in a cell of the grid is noted.
func slot(h uint64, col, row float64) int {
	h ^= uint64(int64(col))*0x9e3779b97f4a7c15 + uint64(int64(row))*0xc2b2ae3d27d4eb4f
	return int((h ^ h>>29) & (recentStrings - 1))
}

// Of letters that are placed one by one and set apart evenly: a title that is spaced out.
const (
	evenGap    = 0.07 // of the font's size: how far their distances differ at most
	leastSpace = 3    // letters
)

// joinSpaced makes a word of letters that stand by themselves at even distances, which are wider than between letters and narrower than
// letterGap. Digits are left alone: those are numbers in a table.
func (p *Page) joinSpaced() {
	spans := p.Spans
	out := spans[:0]
	for i := 0; i < len(spans); {
		n := 1
		for gap := 0.0; i+n < len(spans) && p.single(&spans[i+n-1]) && p.single(&spans[i+n]); n++ {
			a, b := &spans[i+n-1], &spans[i+n]
			g := (b.X0-a.X1)*a.UX + (b.Y0-a.Y1)*a.UY
			if a.End != b.Start || a.Hidden != b.Hidden || a.Size != b.Size || a.UX != b.UX || a.UY != b.UY || Between(a, b) != GapWord ||
				g <= 0 || g > letterGap*a.Size || n > 1 && math.Abs(g-gap) > evenGap*a.Size {
				break
			}
			gap = g
		}
		s := spans[i]
		if n >= leastSpace {
			last := &spans[i+n-1]
			s.End, s.X1, s.Y1 = last.End, last.X1, last.Y1
		} else {
			n = 1
		}
		out = append(out, s)
		i += n
	}
	p.Spans = out
}

// single reports whether a span is one letter.
func (p *Page) single(s *Span) bool {
	if s.End-s.Start > utf8.UTFMax {
		return false
	}
	r, n := utf8.DecodeRune(p.Text(s))
	return n == int(s.End-s.Start) && unicode.IsLetter(r) && !IsRTL(r) && r < 0x2e80
}
