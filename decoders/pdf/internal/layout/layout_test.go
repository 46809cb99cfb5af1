package layout

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/font"
)

// sheet builds pages by hand.
type sheet struct{ page content.Page }

// put adds a span of upright text whose characters are half as wide as high.
func (s *sheet) put(x, y, size float64, text string) *content.Span {
	return s.turned(x, y, 1, 0, size, text)
}

// turned adds a span that is written in a direction.
func (s *sheet) turned(x, y, ux, uy, size float64, text string) *content.Span {
	p := &s.page
	start := int32(len(p.Buf))
	p.Buf = append(p.Buf, text...)
	w := 0.5 * size * float64(len([]rune(text)))
	p.Spans = append(p.Spans, content.Span{
		Start: start, End: int32(len(p.Buf)), X0: x, Y0: y, X1: x + w*ux, Y1: y + w*uy, UX: ux, UY: uy, Size: size,
	})
	return &p.Spans[len(p.Spans)-1]
}

// filler is a paragraph that says what is usual on a page: ten lines of 10 points.
func filler(s *sheet, x, y float64) float64 {
	for i := range 10 {
		s.put(x, y, 10, fmt.Sprintf("line %c of the usual text that goes on and on", 'a'+i))
		y -= 12
	}
	return y
}

const filled = "line a of the usual text that goes on and on\nline b of the usual text that goes on and on\nline c of the usual text that goes on and on\n" +
	"line d of the usual text that goes on and on\nline e of the usual text that goes on and on\nline f of the usual text that goes on and on\n" +
	"line g of the usual text that goes on and on\nline h of the usual text that goes on and on\nline i of the usual text that goes on and on\n" +
	"line j of the usual text that goes on and on\n"

func styled(s *content.Span, style font.Style) { s.Style = style }

// layoutCases are pages and how they read.
var layoutCases = []struct {
	name string
	draw func(s *sheet)
	want string
}{
	{"nothing", func(s *sheet) {}, ""},
	{"blanks only", func(s *sheet) { s.put(72, 700, 10, "  ") }, ""},
	{"words of a line in no order", func(s *sheet) {
		s.put(100, 700, 10, "three")
		s.put(72, 700, 10, "two")
		s.put(40, 700, 10, "one")
	}, "one two three\n"},
	{"lines from the bottom up", func(s *sheet) {
		s.put(72, 676, 10, "c")
		s.put(72, 688, 10, "b")
		s.put(72, 700, 10, "a")
	}, "a\nb\nc\n"},
	{"raised and lowered", func(s *sheet) {
		s.put(72, 700, 10, "E=mc")
		s.put(92, 704, 6, "2")
		s.put(98, 700, 10, "H")
		s.put(103, 698, 6, "2")
		s.put(106, 700, 10, "O")
	}, "E=mc2 H2O\n"},
	{"raised, drawn later", func(s *sheet) {
		s.put(72, 700, 10, "a note")
		s.put(72, 688, 10, "and more")
		s.put(102, 704, 6, "7")
	}, "a note7\nand more\n"},
	{"sizes in a line", func(s *sheet) {
		s.put(72, 700, 10, "small")
		s.put(100, 700, 16, "large")
		s.put(143, 700, 10, "small")
	}, "small large small\n"},
	{"text on text", func(s *sheet) {
		s.put(72, 700, 10, "below it")
		s.put(74, 700, 10, "above it")
	}, "below it\nabove it\n"},
	{"paragraphs apart", func(s *sheet) {
		y := filler(s, 72, 700)
		s.put(72, y-8, 10, "and more")
	}, filled + "\nand more\n"},
	{"indented first lines", func(s *sheet) {
		y := filler(s, 72, 700)
		s.put(90, y, 10, "a new one")
		s.put(72, y-12, 10, "begins here")
	}, filled + "\na new one\nbegins here\n"},
	{"two lines far apart", func(s *sheet) {
		s.put(72, 700, 10, "one")
		s.put(72, 680, 10, "two")
		s.put(72, 600, 10, "three")
	}, "one\ntwo\n\nthree\n"},
	{"headings by size", func(s *sheet) {
		s.put(72, 740, 20, "The Title of")
		s.put(72, 716, 20, "the Whole")
		s.put(72, 690, 14, "A Section")
		filler(s, 72, 670)
	}, "# The Title of the Whole\n\n## A Section\n\n" + filled},
	{"bold headings", func(s *sheet) {
		styled(s.put(72, 740, 12, "A Part"), font.Bold)
		y := filler(s, 72, 722)
		styled(s.put(72, y-12, 10, "Smaller Part"), font.Bold)
		s.put(72, y-30, 10, "and its text")
	}, "### A Part\n\n" + filled + "\n### Smaller Part\n\nand its text\n"},
	{"bold that is no heading", func(s *sheet) {
		y := filler(s, 72, 722)
		styled(s.put(72, y, 10, "Bold words"), font.Bold)
		s.put(125, y, 10, "in a line")
		styled(s.put(72, y-30, 10, "A whole sentence that is bold."), font.Bold)
		s.put(72, y-60, 10, "the end")
	}, filled + "Bold words in a line\n\nA whole sentence that is bold.\n\nthe end\n"},
	{"large, where nothing else is", func(s *sheet) {
		s.put(72, 740, 30, "POSTER")
		s.put(72, 700, 10, "tonight")
	}, "POSTER\n\ntonight\n"},
	{"bullets of two levels", func(s *sheet) {
		s.put(72, 700, 10, "• one")
		s.put(80, 688, 10, "goes on")
		s.put(90, 676, 10, "◦ two")
		s.put(72, 664, 10, "•")
		s.put(84, 664, 10, "three")
	}, "- one\n  goes on\n  - two\n- three\n"},
	{"bullets of the private use area", func(s *sheet) {
		s.put(72, 700, 10, "\uf0b7")
		s.put(90, 700, 10, "one")
		s.put(72, 688, 10, "\uf0a7 two")
	}, "- one\n- two\n"},
	{"dashes", func(s *sheet) {
		s.put(72, 700, 10, "– one")
		s.put(72, 688, 10, "– two")
		s.put(72, 600, 10, "– said he")
		s.put(72, 500, 10, "the end")
	}, "- one\n- two\n\n- said he\n\nthe end\n"},
	{"one dash", func(s *sheet) { s.put(72, 700, 10, "– said he") }, "– said he\n"},
	{"numbers", func(s *sheet) {
		s.put(72, 700, 10, "1. one")
		s.put(72, 688, 10, "2. two")
	}, "1. one\n2. two\n"},
	{"code", func(s *sheet) {
		styled(s.put(72, 700, 10, "if x {"), font.Mono)
		styled(s.put(96, 688, 10, "y-"), font.Mono)
		styled(s.put(72, 676, 10, "z"), font.Mono)
		styled(s.put(120, 676, 10, "// w"), font.Mono)
	}, "if x {\n    y-\nz       // w\n"},
	{"hidden", func(s *sheet) {
		s.put(72, 700, 10, "seen")
		s.put(72, 688, 10, "hidden").Hidden = content.HiddenColor
	}, "seen\n"},
	{"hidden, where it is asked for", func(s *sheet) {
		s.put(72, 700, 10, "seen")
		s.put(72, 688, 10, "hidden").Hidden = content.HiddenColor
		s.page.ShowHidden = true
	}, "seen\nhidden\n"},
	{"no size and no direction", func(s *sheet) {
		s.put(72, 700, 0, "a")
		s.turned(72, 600, 0, 0, 10, "b")
	}, "a\n\nb\n"},
}

func TestLay(t *testing.T) {
	for _, c := range layoutCases {
		t.Run(c.name, func(t *testing.T) {
			var s sheet
			c.draw(&s)
			if d := cmp.Diff(c.want, Lay(&s.page).Text); d != "" {
				t.Errorf("text (-want +got):\n%s", d)
			}
		})
	}
}

func TestHyphens(t *testing.T) {
	for _, c := range []struct{ first, second, more, want string }{
		{"a split exam-", "ple of words", "", "a split example\nof words"},
		{"a split exam‐", "ple", "", "a split example"},
		{"a split exam\u00ad", "ple, and", "", "a split example,\nand"},
		{"is well-", "known here", "it is well-known too", "is well-known\nhere\nit is well-known too"},
		{"state-of-the-", "art work", "", "state-of-the-art\nwork"},
		{"the COVID-", "like one", "", "the COVID-like\none"},
		{"Mrs Smith-", "Jones came", "", "Mrs Smith-\nJones came"},
		{"pages 3-", "5 of it", "", "pages 3-\n5 of it"},
		{"and so -", "he said", "", "and so -\nhe said"},
		{"größten-", "teils gut", "", "größtenteils\ngut"},
	} {
		var s sheet
		s.put(72, 700, 10, c.first)
		s.put(72, 688, 10, c.second)
		s.put(72, 676, 10, c.more)
		if got := strings.TrimSuffix(Lay(&s.page).Text, "\n"); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.first, c.second, got, c.want)
		}
	}
}

// TestDirections lays out the same page written in all directions, and askew.
func TestDirections(t *testing.T) {
	lines := []string{"one two three", "four five", "six seven eight"}
	want := strings.Join(lines, "\n") + "\n"
	for _, d := range [][2]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {0.9998, 0.02}, {0.02, 0.9998}, {0.7071, 0.7071}} {
		var s sheet
		for i, l := range lines {
			across := 12 * float64(i)
			x, y := 300+across*d[1], 400-across*d[0]
			for _, w := range strings.Fields(l) {
				s.turned(x, y, d[0], d[1], 10, w)
				along := 5 * float64(len(w)+1)
				x, y = x+along*d[0], y+along*d[1]
			}
		}
		if got := Lay(&s.page).Text; got != want {
			t.Errorf("direction %v: %q", d, got)
		}
	}
}

// TestTurnedLabel has a word at the side of a page that runs upwards: it stays apart from the lines beside it.
func TestTurnedLabel(t *testing.T) {
	var s sheet
	s.turned(40, 600, 0, 1, 10, "upwards")
	filler(&s, 72, 700)
	if got, want := Lay(&s.page).Text, filled+"\nupwards\n"; got != want {
		t.Errorf("%q", got)
	}
}

// TestVertical has three columns of vertical writing, from right to left, drawn in no order.
func TestVertical(t *testing.T) {
	var s sheet
	for _, i := range []int{1, 0, 2} {
		text := []string{"縦書きの文", "二行目です", "三行目"}[i]
		sp := s.turned(400-20*float64(i), 700, 0, -1, 10, text)
		sp.Y1, sp.Vertical = 700-10*float64(len([]rune(text))), true
	}
	if got, want := Lay(&s.page).Text, "縦書きの文\n二行目です\n三行目\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRuby has kana over two words of a line, and over none.
func TestRuby(t *testing.T) {
	var s sheet
	line := s.put(72, 700, 20, "今日は東京へ行く")
	line.X1 = 72 + 8*20
	s.put(72, 718, 8, "きょう").X1 = 112
	s.put(132, 718, 8, "とうきょう").X1 = 172
	if got, want := Lay(&s.page).Text, "今日(きょう)は東京(とうきょう)へ行く\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var small sheet
	small.put(80, 700, 8, "きょう").X1 = 104
	small.put(72, 680, 20, "今日は").X1 = 132
	small.put(72, 640, 8, "ちいさい").X1 = 104
	small.put(72, 620, 20, "Latin").X1 = 122
	if got, want := Lay(&small.page).Text, "今日(きょう)は\n\nちいさい\n\nLatin\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestRightToLeft(t *testing.T) {
	for _, c := range []struct{ looks, want string }{
		{"םולש", "שלום"},
		{"12 ab םולש", "שלום 12 ab"},
		{"a word םולש in a line", "a word שלום in a line"},
		{"3.14 םולש", "שלום 3.14"},
		{"!םלוע םולש", "שלום עולם!"},
		{"(םלוע) םולש", "שלום (עולם)"},
		{"«self» «םולש» םלוע", "עולם «שלום» «self»"},
		{"a word םולש (םלוע) םולש in a long line", "a word שלום (עולם) שלום in a long line"},
		{"١٤٣٤ ليربإ ١٤", "١٤ إبريل ١٤٣٤"},
		{"۱۲٫۵ ،١/٢ ليربإ", "إبريل ١/٢، ۱۲٫۵"},
		{"since the year ١٤٣٤ ليربإ in a line", "since the year إبريل ١٤٣٤ in a line"},
	} {
		var s sheet
		s.put(72, 700, 10, c.looks).RTL = true
		if got := strings.TrimSuffix(Lay(&s.page).Text, "\n"); got != c.want {
			t.Errorf("%q: %q, want %q", c.looks, got, c.want)
		}
	}
}

// TestColumnsNeedWidth takes the strip between two columns away, bit by bit: there is a width from which on they are read one after the
// other, and below it they are lines that go across. That is an ablation of the one number that decides.
func TestColumnsNeedWidth(t *testing.T) {
	apart := func(gap float64) bool {
		var s sheet
		for i := range 12 {
			s.put(72, 700-12*float64(i), 10, fmt.Sprintf("left hand text of line %c", 'a'+i))
			s.put(72+120+gap, 700-12*float64(i), 10, fmt.Sprintf("right hand text of line %c", 'a'+i))
		}
		text := Lay(&s.page).Text
		return strings.Index(text, "left hand text of line l") < strings.Index(text, "right hand text of line a")
	}
	for _, c := range []struct {
		gap  float64
		want bool
	}{{2.8, false}, {4, false}, {8, true}, {12, true}, {60, true}} {
		if apart(c.gap) != c.want {
			t.Errorf("columns that are %.1f points apart: read one after the other is %v", c.gap, !c.want)
		}
	}
}

// TestOrderOfContentStays has pages that read well as they come: geometry must not change the order of their words.
func TestOrderOfContentStays(t *testing.T) {
	pages := map[string]func(s *sheet){
		"one column": func(s *sheet) { filler(s, 72, filler(s, 72, 700)-20) },
		"staggered": func(s *sheet) {
			for i := range 20 {
				s.put(72+float64(i*37%200), 700-14*float64(i), 10, fmt.Sprintf("line %d stands anywhere", i))
			}
		},
		"boxes that overlap sideways": func(s *sheet) {
			for b := range 4 {
				for i := range 5 {
					s.put(72+float64(b)*90, 700-80*float64(b)-12*float64(i), 10, fmt.Sprintf("box %d holds the line %d", b, i))
				}
			}
		},
	}
	for name, draw := range pages {
		var s sheet
		draw(&s)
		var want []string
		for i := range s.page.Spans {
			want = append(want, strings.Fields(string(s.page.Text(&s.page.Spans[i])))...)
		}
		if d := cmp.Diff(want, strings.Fields(Lay(&s.page).Text)); d != "" {
			t.Errorf("%s: words (-content +text):\n%s", name, d)
		}
	}
}

// A page whose notes outweigh its text has larger letters in the text, which is no heading for that: it goes on below. A heading stays one.
func TestLargerTextIsNoHeading(t *testing.T) {
	var s sheet
	s.put(72, 760, 14, "What this is about")
	y := 730.0
	for range 2 {
		for i, l := range []string{"Since the first of them was built a great many more were seen", "and these were much larger than the first", "Thus ends what was said."} {
			s.put(72, y-20*float64(i), 14, l)
		}
		y -= 80
	}
	for i := range 20 {
		s.put(72, y-11*float64(i), 9, fmt.Sprintf("and notes of smaller letters that fill most of the page, line %c", 'a'+i))
	}
	text := Lay(&s.page).Text
	if strings.Count(text, "#") != 2 || !strings.HasPrefix(text, "## What this is about\n") {
		t.Errorf("%s", text[:300])
	}
}
