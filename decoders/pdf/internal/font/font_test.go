package font

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
)

// load reads the font that make adds to a file.
func load(t *testing.T, make func(w *pdftest.Writer) int) *Font {
	t.Helper()
	w := &pdftest.Writer{}
	n := make(w)
	w.Pages("", "")
	file, err := object.Open(bytes.NewReader(w.Table()), "")
	if err != nil {
		t.Fatal(err)
	}
	var c Cache
	return c.Load(file.Object(n))
}

// simple is a simple font with entries of its dictionary.
func simple(t *testing.T, entries string) *Font {
	t.Helper()
	return load(t, func(w *pdftest.Writer) int { return w.Add("<</Type/Font%s>>", entries) })
}

func text(f *Font, codes string) string {
	var out []byte
	for s := []byte(codes); len(s) > 0; {
		v, n := f.Next(s)
		out, _ = f.AppendText(out, v, n)
		s = s[n:]
	}
	return string(out)
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestSimpleEncodings(t *testing.T) {
	for _, c := range []struct{ name, entries, codes, want string }{
		{"nothing", "/Subtype/Type1/BaseFont/Test", "A'`\xae\xd0", "A’‘fi—"},
		{"WinAnsi", "/Subtype/Type1/BaseFont/Test/Encoding/WinAnsiEncoding", "A'\x80\x93\xe9\x7f\x81", "A'€“é••"},
		{"MacRoman", "/Subtype/TrueType/BaseFont/Test/Encoding/MacRomanEncoding", "A\x8e\xde", "Aéfi"},
		{"MacExpert", "/Subtype/Type1/BaseFont/Test/Encoding/MacExpertEncoding", "1aV\xdb", "1aff²"},
		{"Symbol", "/Subtype/Type1/BaseFont/Symbol", "abG\xb7\xa3", "αβΓ•≤"},
		{"Symbol, a subset of another maker", "/Subtype/TrueType/BaseFont/ABCDEF+SymbolMT", "ab", "αβ"},
		{"ZapfDingbats", "/Subtype/Type1/BaseFont/ZapfDingbats", "!4l\xd5", "✁✔●→"},
		{"ZapfDingbats by name", "/Subtype/Type1/BaseFont/ZapfDingbats/Encoding<</Differences[65/a20/a71/a161]>>", "ABC", "✔●→"},
		{"Wingdings", "/Subtype/TrueType/BaseFont/Wingdings-Regular", "\xa7\xfc\xe0", "▪✔→"},
		{"TrueType without an encoding", "/Subtype/TrueType/BaseFont/Test", "A\xe9", "Aé"},
		{"differences", "/Subtype/Type1/BaseFont/Test/Encoding<</Differences[65/alpha 67/uni0416/u1D400/f_f_i/a.sc/.notdef]>>", "ABCDEFG", "αBЖ𝐀ffiaG"},
		{"differences beyond", "/Subtype/Type1/BaseFont/Test/Encoding<</Differences[-5/alpha 254/a/b/c/d 65/beta]>>", "A\xfe\xff", "βab"},
		{"names in other words", "/Subtype/Type1/BaseFont/Test/Encoding<</Differences[1/Asmall/oneoldstyle/summationdisplay/floorleft/dotlessj/parenleftBigg/copyrightserif]>>",
			"\x01\x02\x03\x04\x05\x06\x07", "a1∑⌊ȷ(©"},
		{"numbers in decimal", "/Subtype/Type3/Encoding<</Differences[1/C72/C101/C108/C111]>>", "\x01\x02\x03\x03\x04", "Hello"},
		{"numbers that are the codes", "/Subtype/Type3/Encoding<</Differences[12/a12 97/a97/a98/a99]>>", "abc", "abc"},
		{"numbers in hexadecimal", "/Subtype/Type3/Encoding<</Differences[1/G48/G65/G6C/G6F]>>", "\x01\x02\x03\x03\x04", "Hello"},
		{"numbers of glyphs", "/Subtype/Type3/Encoding<</Differences[65/g1/g2/g3]>>", "AB", ""},
		{"numbers of several kinds", "/Subtype/Type3/Encoding<</Differences[1/C72/G101]>>", "\x01\x02", ""},
		{"numbers that are no letters", "/Subtype/Type3/Encoding<</Differences[33/x17/x18/x35]>>", "!\"", ""},
	} {
		f := simple(t, c.entries)
		if got := text(f, c.codes); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := text(f, c.codes); got != c.want {
			t.Errorf("%s, again: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestWidths(t *testing.T) {
	for _, c := range []struct {
		name, entries string
		code          byte
		want          float64
	}{
		{"Helvetica", "/Subtype/Type1/BaseFont/Helvetica", 'i', .222},
		{"bold", "/Subtype/Type1/BaseFont/Helvetica-Bold", 'i', .278},
		{"Arial,Bold", "/Subtype/TrueType/BaseFont/Arial,Bold", 'i', .278},
		{"above ASCII", "/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding", 0xc9, .667},
		{"by name", "/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[1/emdash]>>", 1, 1},
		{"Times", "/Subtype/Type1/BaseFont/Times-Roman", 'A', .722},
		{"Times bold", "/Subtype/Type1/BaseFont/Times-Bold", 'a', .5},
		{"Times italic", "/Subtype/Type1/BaseFont/Times-Italic", 'A', .611},
		{"Times bold italic", "/Subtype/Type1/BaseFont/Times-BoldItalic", 'A', .667},
		{"Courier", "/Subtype/Type1/BaseFont/Courier-Bold", 'i', .6},
		{"Symbol", "/Subtype/Type1/BaseFont/Symbol", 'a', .631},
		{"ZapfDingbats", "/Subtype/Type1/BaseFont/ZapfDingbats", '!', .974},
		{"given", "/Subtype/Type1/BaseFont/Helvetica/FirstChar 65/Widths[100 200]", 'B', .2},
		{"not given", "/Subtype/Type1/BaseFont/Helvetica/FirstChar 65/Widths[100 200]/FontDescriptor<</MissingWidth 250>>", 'C', .25},
		{"negative", "/Subtype/Type1/BaseFont/Test/FirstChar 65/Widths[-100 200]/FontDescriptor<</MissingWidth 250>>", 'A', .25},
		{"absurd", "/Subtype/Type1/BaseFont/Test/FirstChar 65/Widths[99999 200]/FontDescriptor<</MissingWidth 250>>", 'A', .25},
		{"all nothing", "/Subtype/Type1/BaseFont/Helvetica/FirstChar 65/Widths[0 0 0]", 'A', .667},
		{"Type 3", "/Subtype/Type3/FontMatrix[.01 0 0 .01 0 0]/FirstChar 65/Widths[50]", 'A', .5},
		{"Type 3 in pixels", "/Subtype/Type3/FontMatrix[1 0 0 -1 0 0]/FirstChar 65/Widths[50]", 'A', 50},
		{"Type 3 turned", "/Subtype/Type3/FontMatrix[0 .01 -.01 0 0 0]/FirstChar 65/Widths[50]", 'A', .5},
		{"Type 3 flat", "/Subtype/Type3/FontMatrix[0 0 0 0 0 0]/FirstChar 65/Widths[500]", 'A', .5},
	} {
		if got := simple(t, c.entries).Advance(uint32(c.code)); !near(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestCompositeWidths(t *testing.T) {
	for _, c := range []struct {
		name, encoding, ordering, more string
		code                           uint32
		width, down                    float64
	}{
		{"default", "Identity-H", "Identity", "", 7, 1, -1},
		{"DW", "Identity-H", "Identity", "/DW 500", 7, .5, -1},
		{"absurd DW", "Identity-H", "Identity", "/DW -500", 7, 1, -1},
		{"array", "Identity-H", "Identity", "/W[5[100 200 300]]", 6, .2, -1},
		{"range", "Identity-H", "Identity", "/W[5 9 250 20[100]]", 7, .25, -1},
		{"beyond", "Identity-H", "Identity", "/W[5 9 250]", 10, 1, -1},
		{"absurd", "Identity-H", "Identity", "/DW 400/W[5[-3 99999]]", 6, .4, -1},
		{"by the identifier", "90ms-RKSJ-H", "Japan1", "/W[231 632 500]", 'A', .5, -1},
		{"by the identifier of a wide one", "90ms-RKSJ-H", "Japan1", "/W[231 632 500]", 0x889f, 1, -1},
		{"by the identifier of Unicode", "UniKS-UTF16-H", "Korea1", "/W[1[333]]", ' ', .333, -1},
		{"DW2", "Identity-V", "Identity", "/DW2[880 -500]", 7, 1, -.5},
		{"W2 array", "Identity-V", "Identity", "/W2[7[-300 500 880 -400 500 880]]", 8, 1, -.4},
		{"W2 range", "Identity-V", "Identity", "/W2[7 9 -300 500 880]", 8, 1, -.3},
		{"W2 upward", "Identity-V", "Identity", "/W2[7 9 300 500 880]", 8, 1, -1},
	} {
		f := load(t, func(w *pdftest.Writer) int { return w.Composite("/"+c.encoding, c.ordering, c.more) })
		for range 2 {
			if got := f.Advance(c.code); !near(got, c.width) {
				t.Errorf("%s: %v wide, want %v", c.name, got, c.width)
			}
			if got := f.AdvanceDown(c.code); !near(got, c.down) {
				t.Errorf("%s: %v down, want %v", c.name, got, c.down)
			}
		}
		if f.Vertical() != strings.HasSuffix(c.encoding, "V") {
			t.Errorf("%s: vertical %v", c.name, f.Vertical())
		}
	}
}

// TestSlots holds that codes that share a slot do not share anything else.
func TestSlots(t *testing.T) {
	f := load(t, func(w *pdftest.Writer) int { return w.Composite("/UniJIS-UTF16-H", "Japan1", "/W[1[111 222]]") })
	for range 3 {
		for _, v := range []rune{0x4e00, 0x4e00 + slotCount, 0x4e00 + 2*slotCount, ' '} {
			got, ok := f.AppendText(nil, uint32(v), 2)
			if string(got) != string(v) || !ok {
				t.Errorf("%x is %q %v", v, got, ok)
			}
		}
	}
}

// TestLatinCostsNoTables holds that a font that names none of the CJK tables unpacks none, and no forms.
func TestLatinCostsNoTables(t *testing.T) {
	w := &pdftest.Writer{}
	n := w.CIDFont("1 beginbfrange <0020> <007e> <0020> endbfrange")
	w.Pages("", "")
	file, err := object.Open(bytes.NewReader(w.Table()), "")
	if err != nil {
		t.Fatal(err)
	}
	var c Cache
	f := c.Load(file.Object(n))
	if text(f, "\x00A\x00B") != "AB" || c.codes != nil || c.collections != nil {
		t.Errorf("%d CMaps and %d collections are unpacked", len(c.codes), len(c.collections))
	}
}

func BenchmarkText(b *testing.B) {
	f := Fallback()
	var buf []byte
	b.Run("simple", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			buf, _ = f.AppendText(buf[:0], 'A', 1)
			f.Advance('A')
		}
	})
	w := &pdftest.Writer{}
	n := w.CIDFont("1 beginbfrange <0020> <007e> <0020> endbfrange")
	w.Pages("", "")
	file, err := object.Open(bytes.NewReader(w.Table()), "")
	if err != nil {
		b.Fatal(err)
	}
	var c Cache
	f = c.Load(file.Object(n))
	b.Run("composite", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			buf, _ = f.AppendText(buf[:0], 'A', 2)
			f.Advance('A')
		}
	})
}
