package content

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/font"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
)

// pageOf runs content with resources, and objects that those name, from number 2 on; Helvetica is F1.
func pageOf(t testing.TB, content, resources string, objects ...string) *Page {
	t.Helper()
	w := &pdftest.Writer{}
	f := w.Add(pdftest.Helvetica)
	w.Objects = append(w.Objects, objects...)
	w.Pages(fmt.Sprintf("/Font<</F1 %d 0 R>>%s", f, resources), content)
	file, err := object.Open(bytes.NewReader(w.Table()), "")
	if err != nil {
		t.Fatal(err)
	}
	page := file.Trailer().Key("Root").Key("Pages").Key("Kids").Index(0)
	p := &Page{}
	in := New(file, &font.Cache{}, p)
	p.Box = Rect{X1: 612, Y1: 792}
	in.Contents(page.Key("Contents"), page.Key("Resources"))
	in.Finish()
	return p
}

// fileOf is a file of one empty page.
func fileOf(t testing.TB) *object.File {
	t.Helper()
	file, err := object.Open(bytes.NewReader(pdftest.Plain("").Table()), "")
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// texts are the texts of the spans that are seen.
func texts(p *Page) (out []string) {
	for i := range p.Spans {
		if p.Shows(&p.Spans[i]) {
			out = append(out, string(p.Text(&p.Spans[i])))
		}
	}
	return out
}

func TestSpans(t *testing.T) {
	for _, c := range []struct {
		name, content string
		want          []string
	}{
		{"one operator", "BT /F1 10 Tf (abc) Tj ET", []string{"abc"}},
		{"kerning", "BT /F1 10 Tf [(a) 30 (b) -60 (c)] TJ ET", []string{"abc"}},
		{"a gap", "BT /F1 10 Tf [(a) -300 (b)] TJ ET", []string{"a", "b"}},
		{"a gap in small steps", "BT /F1 10 Tf [(a) -60 -60 -60 (b)] TJ ET", []string{"a", "b"}},
		{"back and forth", "BT /F1 10 Tf [(a) -300 300 (b)] TJ ET", []string{"ab"}},
		{"operators that go on", "BT /F1 10 Tf (a) Tj (b) Tj [(c)] TJ ET", []string{"abc"}},
		{"raised", "BT /F1 10 Tf (a) Tj 3 Ts (b) Tj ET", []string{"ab"}},
		{"raised high", "BT /F1 10 Tf (a) Tj 5 Ts (b) Tj ET", []string{"a", "b"}},
		{"spread a little", "BT /F1 10 Tf 3 Tc (abc) Tj ET", []string{"abc"}},
		{"spread far", "BT /F1 10 Tf 5 Tc (abc) Tj ET", []string{"a", "b", "c"}},
		{"blanks stretched", "BT /F1 10 Tf 8 Tw (a b c) Tj ET", []string{"a b c"}},
		{"blanks stretched far", "BT /F1 10 Tf 73 Tw (a b) Tj ( c) Tj ET", []string{"a ", "b ", "c"}},
		{"letters at even distances", "BT /F1 10 Tf " + placed("title", 300, 8.5) + "ET", []string{"title"}},
		{"digits at even distances", "BT /F1 10 Tf " + placed("12345", 300, 8) + "ET", []string{"1", "2", "3", "4", "5"}},
		{"two letters", "BT /F1 10 Tf " + placed("ab", 300, 8) + "ET", []string{"a", "b"}},
		{"bold by hand", "BT /F1 10 Tf 72 700 Td (bold) Tj .3 0 Td (bold) Tj ET", []string{"bold"}},
		{"bold by hand in pieces", "BT /F1 10 Tf 72 700 Td [(bo) 10 (ld)] TJ .3 0 Td [(bo) 10 (ld)] TJ .3 0 Td [(bo) 10 (ld)] TJ ET", []string{"bold"}},
		{"the same word again", "BT /F1 10 Tf 72 700 Td (that) Tj 30 0 Td (that) Tj ET", []string{"that", "that"}},
		{"a double letter", "BT /F1 10 Tf 72 700 Td (l) Tj 2.2 0 Td (l) Tj ET", []string{"ll"}},
		{"glued operators", "BT /F1 10 Tf (a)Tj ETBT /F1 10 Tf 0 0 1rg 0 50 Td (b)Tj ETQqBT /F1 10 Tf 0 100 Td (c)Tj ET", []string{"a", "b", "c"}},
		{"bad operands", "(x) Tm /F1 Tf BT /F1 10 Tf 1 Td [ (a) /b (c) ] TJ Tj ' ET", []string{"ac"}},
		{"no ET", "BT /F1 10 Tf (a) Tj BT 0 50 Td (b) Tj", []string{"a", "b"}},
		{"Q without q", "Q Q BT /F1 10 Tf (a) Tj ET", []string{"a"}},
		{"quotes", `BT /F1 10 Tf 12 TL 0 700 Td (a) ' 1 2 (b) " T* (c) Tj ET`, []string{"a", "b", "c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, texts(pageOf(t, c.content, ""))); d != "" {
				t.Error(d)
			}
		})
	}
}

// placed shows each letter by itself, at even distances of their begins.
func placed(s string, x, step float64) string {
	var b strings.Builder
	widths := map[rune]float64{'t': 2.78, 'i': 2.22, 'l': 2.22, 'e': 5.56}
	for _, r := range s {
		fmt.Fprintf(&b, "1 0 0 1 %g 700 Tm (%c) Tj ", x, r)
		if w, ok := widths[r]; ok { // even gaps, not even begins
			x += w + 3
		} else {
			x += step
		}
	}
	return b.String()
}

func TestInlineImages(t *testing.T) {
	const after = " EI BT /F1 10 Tf 72 700 Td (after) Tj ET"
	for _, c := range []struct {
		name, content, key, want string
	}{
		{"length by size", "BI /W 4 /H 2 /BPC 8 /CS /G ID 1 EI 2 Q" + after, "ColorSpace", "DeviceGray"},
		{"length by size with RGB", "BI /W 1 /H 2 /BPC 8 /CS /RGB ID EI\nEI " + after, "ColorSpace", "DeviceRGB"},
		{"a stencil", "BI /W 8 /H 2 /IM true ID ab" + after, "ImageMask", ""},
		{"a filter", "BI /W 4 /H 2 /BPC 8 /CS /G /F /AHx ID 0102030405060708>" + after, "Filter", "ASCIIHexDecode"},
		{"filters", "BI /W 4 /H 2 /BPC 8 /CS /G /F [/A85 /Fl] ID xx\nEI\x00\x01 yy" + after, "Filter", ""},
		{"a palette", "BI /W 4 /H 2 /BPC 8 /CS [/I /RGB 1 <000000ffffff>] ID 12345678" + after, "Width", ""},
		{"full names", "BI /Width 4 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceGray ID 12345678" + after, "ColorSpace", "DeviceGray"},
		{"a length that is wrong", "BI /W 4 /H 9 /BPC 8 /CS /G ID 12345678" + after, "ColorSpace", "DeviceGray"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := pageOf(t, c.content, "")
			if d := cmp.Diff([]string{"after"}, texts(p)); d != "" {
				t.Error(d)
			}
			if len(p.Images) != 1 || p.Images[0].Inline == nil {
				t.Fatalf("images: %+v", p.Images)
			}
			if v := p.Images[0].Inline.Dict.Key(c.key); v.Null() || v.Name() != c.want {
				t.Errorf("%s is %q", c.key, v.Name())
			}
		})
	}
	if p := pageOf(t, "BI /W 4 /H 2 /BPC 8 /CS /G ID 12345678", ""); string(p.Images[0].Inline.Data) != "12345678" {
		t.Errorf("the data of an image without end are %q", p.Images[0].Inline.Data)
	}
}

func TestImages(t *testing.T) {
	im := "<</Type/XObject/Subtype/Image/Width 1/Height 1/Length 1>>\nstream\nx\nendstream"
	p := pageOf(t, "q 100 0 0 50 10 20 cm /Im Do Q q 10 0 0 10 700 0 cm /Im Do Q /G gs /Im Do", "/XObject<</Im 2 0 R>>/ExtGState<</G<</ca 0>>>>", im)
	want := []Hidden{Visible, HiddenOffPage, HiddenColor}
	if len(p.Images) != len(want) {
		t.Fatalf("%d images", len(p.Images))
	}
	for i, h := range want {
		if p.Images[i].Hidden != h || p.Images[i].Object.ID() != 2 {
			t.Errorf("image %d: %+v, want %v", i, p.Images[i], h)
		}
	}
	if p.Images[0].CTM != (Matrix{100, 0, 0, 50, 10, 20}) {
		t.Errorf("stands at %v", p.Images[0].CTM)
	}
}

func TestActualText(t *testing.T) {
	span := func(actual, shown string) string {
		return "/Span<</ActualText" + actual + ">>BDC BT /F1 10 Tf 72 700 Td " + shown + " ET EMC"
	}
	for _, c := range []struct {
		name, content string
		want          []string
		refused       int
	}{
		{"a ligature", span("(office)", "(o~ce) Tj"), []string{"office"}, 0},
		{"UTF-16", span("<FEFF00C4>", "(A) Tj"), []string{"Ä"}, 0},
		{"the same", span("(same)", "(same) Tj"), []string{"same"}, 0},
		{"empty", span("()", "(kept) Tj"), []string{"kept"}, 0},
		{"a soft hyphen", span("<FEFF00AD>", "(-) Tj"), []string{"-"}, 0},
		{"much longer", span("("+strings.Repeat("more ", 20)+")", "(short) Tj"), []string{"short"}, 1},
		{"two lines", span("(one two)", "(one) Tj 0 -20 Td (2) Tj"), []string{"one", "2"}, 0},
		{"nothing shown", "/Span<</ActualText(nothing)>>BDC EMC", nil, 0},
		{"not closed", "/Span<</ActualText(office)>>BDC BT /F1 10 Tf (o~ce) Tj ET", []string{"office"}, 0},
		{"beside others", "BT /F1 10 Tf (a) Tj /Span<</ActualText(b)>>BDC (X) Tj EMC (c) Tj ET", []string{"a", "b", "c"}, 0},
		{"closed too often", "EMC EMC BT /F1 10 Tf (a) Tj ET", []string{"a"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := pageOf(t, c.content, "")
			if d := cmp.Diff(c.want, texts(p)); d != "" || p.Refused != c.refused {
				t.Errorf("%d refused %s", p.Refused, d)
			}
		})
	}
	p := pageOf(t, "/Artifact BMC BT /F1 10 Tf (page 1) Tj ET EMC BT /F1 10 Tf 0 50 Td (text) Tj ET", "")
	if len(p.Spans) != 2 || !p.Spans[0].Artifact || p.Spans[1].Artifact {
		t.Errorf("artifacts: %+v", p.Spans)
	}
}

func TestRules(t *testing.T) {
	frame := []Rule{{X0: 10, Y0: 10, X1: 110, Y1: 10}, {X0: 10, Y0: 60, X1: 110, Y1: 60}, {X0: 10, Y0: 10, X1: 10, Y1: 60}, {X0: 110, Y0: 10, X1: 110, Y1: 60}}
	filled := append([]Rule(nil), frame...)
	for i := range filled {
		filled[i].Fill = true
	}
	for _, c := range []struct {
		name, content string
		want          []Rule
	}{
		{"a line", "10 20 m 110 20 l S", []Rule{{X0: 10, Y0: 20, X1: 110, Y1: 20}}},
		{"a thin rectangle", "10 20 100 1 re f", []Rule{{X0: 10, Y0: 20.5, X1: 110, Y1: 20.5}}},
		{"a thin upright rectangle", "10 20 1 100 re f", []Rule{{X0: 10.5, Y0: 20, X1: 10.5, Y1: 120}}},
		{"a frame", "10 10 100 50 re S", frame},
		{"an area", ".9 .8 1 rg 10 10 100 50 re f", filled},
		{"turned", "0 1 -1 0 0 0 cm 10 20 m 110 20 l S", []Rule{{X0: -20, Y0: 10, X1: -20, Y1: 110}}},
		{"turned and on the page", "0 1 -1 0 300 0 cm 10 20 m 110 20 l S", []Rule{{X0: 280, Y0: 10, X1: 280, Y1: 110}}},
		{"in pieces", "10 20 m 50 20 l S 50.3 20 m 110 20 l S 30 20.2 m 60 20.2 l S", []Rule{{X0: 10, Y0: 20, X1: 110, Y1: 20}}},
		{"slanted", "10 20 m 110 90 l S", nil},
		{"short", "10 20 m 12 20 l S", nil},
		{"white", "1 G 10 20 m 110 20 l S", nil},
		{"white on black", "10 10 100 50 re f 1 g 10 30 100 1 re f", append([]Rule{filled[0], {X0: 10, Y0: 30.5, X1: 110, Y1: 30.5}}, filled[1:]...)},
		{"the whole page", ".9 g 0 0 612 792 re f", nil},
		{"clipped", "0 0 50 50 re W n 10 20 m 110 20 l S", []Rule{{X0: 10, Y0: 20, X1: 50, Y1: 20}}},
		{"not painted", "10 20 m 110 20 l n", nil},
		{"closed", "10 10 m 110 10 l 110 60 l 10 60 l s", frame},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := pageOf(t, c.content, "").Rules
			if c.name == "turned" { // off the page
				c.want = nil
			}
			if d := cmp.Diff(c.want, append([]Rule(nil), got...)); d != "" {
				t.Error(d)
			}
		})
	}
}

// A picture of the page is right to a cell for shapes of all kinds.
func TestScan(t *testing.T) {
	var c canvas
	c.measure(Rect{X1: 200, Y1: 200})
	inside := func(evenOdd bool, pts ...[]point) func(x, y float64) bool {
		var p path
		p.reset()
		for _, part := range pts {
			p.move(part[0].x, part[0].y)
			for _, q := range part[1:] {
				p.add(q.x, q.y)
			}
			p.close()
		}
		hit := map[[2]int]bool{}
		if _, ok := c.scan(&p, evenOdd, Rect{X1: 200, Y1: 200}, func(row, from, to int) {
			for col := from; col < to; col++ {
				hit[[2]int{col, row}] = true
			}
		}); !ok {
			t.Fatal("too long")
		}
		return func(x, y float64) bool { return hit[[2]int{int(x / c.step), int(y / c.step)}] }
	}
	big := []point{{10, 10}, {190, 10}, {190, 190}, {10, 190}}
	small := []point{{50, 50}, {150, 50}, {150, 150}, {50, 150}}
	back := []point{{50, 50}, {50, 150}, {150, 150}, {150, 50}}
	var disc []point
	for i := range 64 {
		a := 2 * math.Pi * float64(i) / 64
		disc = append(disc, point{100 + 80*math.Cos(a), 100 + 80*math.Sin(a)})
	}
	for _, k := range []struct {
		name string
		in   func(x, y float64) bool
		at   point
		want bool
	}{
		{"a rectangle", inside(false, big), point{20, 20}, true},
		{"beside it", inside(false, big), point{5, 20}, false},
		{"a hole by even-odd", inside(true, big, small), point{100, 100}, false},
		{"no hole by winding", inside(false, big, small), point{100, 100}, true},
		{"a hole by winding", inside(false, big, back), point{100, 100}, false},
		{"around the hole", inside(false, big, back), point{30, 100}, true},
		{"in a disc", inside(false, disc), point{45, 60}, true},
		{"in the corner of a disc", inside(false, disc), point{30, 30}, false},
	} {
		if got := k.in(k.at.x, k.at.y); got != k.want {
			t.Errorf("%s: %v", k.name, got)
		}
	}
}

// The canvas of any page stays small.
func TestCanvasSize(t *testing.T) {
	for _, r := range []Rect{{0, 0, 612, 792}, {0, 0, 1e6, 1e6}, {0, 0, 1e9, 1}, {-5, -5, 1, 1e7}, {0, 0, .1, .1}} {
		var c canvas
		c.measure(r)
		c.draw()
		if n := c.w * c.h; n < 1 || n > 2*maxCells+2 || len(c.cells) != n {
			t.Errorf("%v: %d by %d cells", r, c.w, c.h)
		}
	}
}

func TestFunctions(t *testing.T) {
	file := fileOf(t)
	for _, c := range []struct {
		fn   string
		in   []float64
		want []float64
	}{
		{"<</FunctionType 2/Domain[0 1]/N 1>>", []float64{.25}, []float64{.25}},
		{"<</FunctionType 2/Domain[0 1]/N 2/C0[1 0]/C1[0 1]>>", []float64{.5}, []float64{.75, .25}},
		{"<</FunctionType 2/Domain[0 1]/N 1>>", []float64{7}, []float64{1}},
		{"<</FunctionType 3/Domain[0 1]/Bounds[.5]/Encode[0 1 1 0]/Functions[<</FunctionType 2/Domain[0 1]/N 1>><</FunctionType 2/Domain[0 1]/N 1>>]>>", []float64{.75}, []float64{.5}},
		{"<</FunctionType 9>>", []float64{1}, nil},
		{"<<>>", []float64{1}, nil},
	} {
		got := call(file.Parse([]byte(c.fn)), c.in, 0)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.fn, d)
		}
	}
	for program, want := range map[string][]float64{
		"{1 exch sub}":                             {.75},
		"{dup .5 lt {pop 0} {pop 1} ifelse}":       {0},
		"{dup .5 gt {pop 0} if}":                   {.25},
		"{2 copy}":                                 nil,
		"{1 2 3 3 1 roll}":                         {.25, 3, 1, 2},
		"{0.5 2 1 index}":                          {.25, .5, 2, .5},
		"{4 mul sqrt neg abs}":                     {1},
		"{3 add cvi 2 div truncate}":               {1},
		"{pop pop}":                                nil,
		"{nonsense}":                               nil,
		"{" + strings.Repeat("1 pop ", maxProgram): nil,
		strings.Repeat("{", 100):                   nil,
		"{0 div}":                                  nil,
	} {
		c := calculator{lexer: object.Lexer{B: []byte(program)}, stack: []float64{.25}}
		c.lexer.Next()
		c.block(true, 0)
		got := c.stack
		if c.failed {
			got = nil
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%.40s: %s", program, d)
		}
	}
}

func TestHiddenWords(t *testing.T) {
	p := pageOf(t, "BT /F1 10 Tf 72 700 Td (seen) Tj 1 g 0 -20 Td (three white words) Tj 0 -20 Td (two more) Tj 0 g 3 Tr 0 -20.6 Td (gone) Tj ET", "")
	want := []HiddenCount{{HiddenInvisible, 4, 1, 72, 639}, {HiddenColor, 22, 5, 72, 680}}
	if d := cmp.Diff(want, p.HiddenCounts()); d != "" {
		t.Error(d)
	}
	names := map[string]bool{}
	for h := Visible; h < hiddenKinds; h++ {
		names[h.String()] = true
	}
	if len(names) != int(hiddenKinds) || names["hidden"] {
		t.Errorf("each reason has words of its own: %v", names)
	}
}

func TestLimits(t *testing.T) {
	many := func(s string, n int) string { return strings.Repeat(s, n) }
	fills := many("0 0 612 792 re f ", maxBulk/9000)
	zigzag := "0 0 m " + many("9 792 l 18 0 l ", maxCrossings/700)
	long := "0 0 m " + many("1 0 l ", maxPath+1)
	for _, c := range []struct{ name, content string }{
		{"paint", fills},
		{"crossings", zigzag + "f"},
		{"crossings of a clip", zigzag + "W n"},
		{"points", long + "f"},
		{"points of a clip", long + "W n"},
	} {
		if p := pageOf(t, c.content+" BT /F1 10 Tf (beyond) Tj ET", ""); p.Short == "" {
			t.Errorf("%s: the page does not end", c.name)
		} else if len(p.Spans) > 0 {
			t.Errorf("%s: what stands behind is there", c.name)
		}
	}
	if p := pageOf(t, many("/A BMC ", 2*maxMarks)+"/Span<</ActualText(yes)>>BDC BT /F1 10 Tf (deep) Tj ET"+many(" EMC", 2*maxMarks+1), ""); texts(p)[0] != "yes" {
		t.Errorf("sequences that say nothing around one that does: %q", texts(p))
	}
	if p := pageOf(t, many("/Artifact BMC ", maxMarks+1)+"BT /F1 10 Tf (deep) Tj ET", ""); p.Short == "" || len(p.Spans) > 0 {
		t.Error("sequences that are nested too deeply")
	}
	if p := pageOf(t, many("0 0 50 1 re f 0 9 50 1 re f ", maxRules), ""); len(p.Rules) != 2 || cap(p.Rules) > 2*maxRules {
		t.Errorf("%d rules of %d", len(p.Rules), cap(p.Rules))
	}
	if p := pageOf(t, many("BI /W 1 /H 1 /BPC 8 /CS /G ID x EI ", maxImages+5), ""); len(p.Images) != maxImages {
		t.Errorf("%d images", len(p.Images))
	}
}

// What content asks for again and again is not made again and again, or is weighed.
func TestAskedOften(t *testing.T) {
	long := "(" + strings.Repeat("A", 900_000) + ")"
	for _, c := range []struct{ name, content, resources string }{
		{"fonts of a graphics state", "/G gs ", "/ExtGState<</G<</Font[<</Subtype/Type1/BaseFont/X/Encoding<</Differences[" + strings.Repeat("/a ", 20_000) + "]>>>> 12]>>>>"},
		{"long replacements", "/Span /P BDC EMC ", "/Properties<</P<</ActualText" + long + ">>>>"},
	} {
		begun := time.Now()
		pageOf(t, strings.Repeat(c.content, 30_000), c.resources)
		if d := time.Since(begun); d > 5*time.Second {
			t.Errorf("%s: %v", c.name, d)
		}
	}
}

// A program that fails is weighed too.
func TestProgramThatFails(t *testing.T) {
	w := pdftest.Plain("")
	w.Extra = fmt.Sprintf("/Fn %d 0 R", w.Stream("/FunctionType 4/Domain[0 1]/Range[0 1]", []byte("{"+strings.Repeat("1 pop ", 1500)+"nonsense}")))
	file, err := object.Open(bytes.NewReader(w.Table()), "")
	if err != nil {
		t.Fatal(err)
	}
	file.Leave(1000)
	defer func() {
		if recover() == nil {
			t.Error("3,000 steps cost less than 1,000 units")
		}
	}()
	call(file.Trailer().Key("Fn"), []float64{0}, 0)
}
