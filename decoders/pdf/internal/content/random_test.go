package content

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// rich are resources with one of each kind, and their objects.
const rich = "/XObject<</Im 2 0 R/X 3 0 R/Y 4 0 R>>/ExtGState<</G<</ca .3/BM/Multiply>>/H<</ca 1/BM/Normal/SMask/None>>/M<</SMask<</S/Alpha/G 3 0 R>>>>>>" +
	"/ColorSpace<</CS[/Indexed/DeviceRGB 1<000000ffffff>]/CT[/Separation/Ink/DeviceGray<</FunctionType 2/Domain[0 1]/N 1>>]>>/Properties<</P<</ActualText(other)>>>>"

var richObjects = []string{
	"<</Type/XObject/Subtype/Image/Width 1/Height 1/Length 1>>\nstream\nx\nendstream",
	"<</Subtype/Form/BBox[0 0 300 300]/Group<</S/Transparency>>/Length 25>>\nstream\n.5 g 10 10 100 100 re f* /Y Do\nendstream",
	"<</Subtype/Form/BBox[0 0 300 300]/Matrix[.5 .5 -.5 .5 200 0]/Length 40>>\nstream\nBT /F1 9 Tf 20 20 Td (in a form) Tj ET /X Do\nendstream",
}

var operators = strings.Fields("q Q cm w gs Do sh BT ET Td TD Tm T* Tj TJ ' \" Tf Tr Tc Tw Tz TL Ts m l c v y h re W W* n S s f F f* B B* b b* g G rg RG k K cs CS sc SC scn SCN BMC BDC EMC BI ID EI")

// randomContent is content of operators with operands that may fit.
func randomContent(rnd *rand.Rand) string {
	var b strings.Builder
	number := func() string {
		switch rnd.IntN(8) {
		case 0:
			return strconv.FormatFloat(rnd.NormFloat64()*1e6, 'f', 2, 64)
		case 1:
			return "0"
		case 2, 3:
			return strconv.FormatFloat(rnd.Float64(), 'f', 2, 64)
		}
		return strconv.FormatFloat(rnd.Float64()*600, 'f', 1, 64)
	}
	b.WriteString("/F1 12 Tf ")
	for range 150 {
		op := operators[rnd.IntN(len(operators))]
		switch op {
		case "Tj", "'":
			b.WriteString("(some words) ")
		case "TJ":
			b.WriteString("[(so) " + number() + " (me)] ")
		case "Tf":
			b.WriteString("/F1 ")
		case "Do":
			b.WriteString([]string{"/Im ", "/X ", "/Y "}[rnd.IntN(3)])
		case "gs":
			b.WriteString([]string{"/G ", "/H ", "/M "}[rnd.IntN(3)])
		case "cs", "CS":
			b.WriteString([]string{"/CS ", "/CT ", "/DeviceCMYK ", "/Pattern "}[rnd.IntN(4)])
		case "BDC":
			b.WriteString([]string{"/Span /P ", "/Span <</ActualText(x)>> ", "/OC /P "}[rnd.IntN(3)])
		case "Tr":
			b.WriteString(strconv.Itoa(rnd.IntN(9)) + " ")
		}
		for range rnd.IntN(7) {
			b.WriteString(number() + " ")
		}
		b.WriteString(op + "\n")
	}
	return b.String()
}

// sound reports what of a page is not as whoever uses it relies on.
func sound(t *testing.T, p *Page) {
	t.Helper()
	if p.Unknown > p.Glyphs || !utf8.Valid(p.Buf) {
		t.Errorf("%d of %d glyphs are unknown, text %q", p.Unknown, p.Glyphs, p.Buf)
	}
	for i := range p.Spans {
		if s := &p.Spans[i]; s.Start < 0 || s.Start > s.End || int(s.End) > len(p.Buf) || s.Hidden >= hiddenKinds || !utf8.Valid(p.Text(s)) {
			t.Errorf("span %d: %+v", i, s)
		}
	}
	for _, r := range p.Rules {
		if r.X0 > r.X1 || r.Y0 > r.Y1 || r.X0 != r.X1 && r.Y0 != r.Y1 {
			t.Errorf("rule %+v", r)
		}
	}
	c := &p.canvas
	pictures := 0
	c.draw()
	for i := range c.w * c.h {
		k := c.cell(i%c.w, i/c.w)
		if k.color&cellPicture != 0 {
			pictures++
		}
		if k.order > c.order || k.order > c.covers {
			t.Fatalf("a cell of %d among %d, %d that cover", k.order, c.order, c.covers)
		}
	}
	if pictures != c.pictures {
		t.Errorf("%d cells lie in pictures, %d are counted", pictures, c.pictures)
	}
}

// Whatever the content is, the page is sound, and the same each time.
func TestAnyContent(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	hidden, rules, images := 0, 0, 0
	for range 120 {
		content := randomContent(rnd)
		p := pageOf(t, content, rich, richObjects...)
		sound(t, p)
		q := pageOf(t, content, rich, richObjects...)
		if d := cmp.Diff(texts(p), texts(q)); d != "" {
			t.Fatalf("not the same again: %s", d)
		}
		hidden, rules, images = hidden+len(p.HiddenCounts()), rules+len(p.Rules), images+len(p.Images)
	}
	if hidden < 50 || rules < 50 || images < 50 {
		t.Errorf("the pages have little: %d reasons, %d rules, %d images", hidden, rules, images)
	}
}

func FuzzContent(f *testing.F) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 8 {
		f.Add(randomContent(rnd))
	}
	f.Fuzz(func(t *testing.T, content string) { sound(t, pageOf(t, content, rich, richObjects...)) })
}
