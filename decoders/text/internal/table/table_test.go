package table

import (
	"encoding/csv"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// rows reads a text in pieces of n bytes.
func rows(text string, n int, d Dialect) (out [][]string, open bool) {
	s := NewScanner(d)
	take := func() {
		row := make([]string, s.Cells())
		for i := range row {
			row[i] = string(s.Cell(i))
		}
		out = append(out, row)
	}
	for text != "" {
		piece := []byte(text[:min(n, len(text))])
		text = text[len(piece):]
		for len(piece) > 0 {
			k, done := s.Row(piece)
			piece = piece[k:]
			if done {
				take()
			}
		}
	}
	last, open := s.Finish()
	if last {
		take()
	}
	return out, open
}

var comma = Dialect{Comma: ',', Quotes: true}

func TestScanner(t *testing.T) {
	for _, c := range []struct {
		in   string
		want [][]string
	}{
		{"", nil},
		{"a", [][]string{{"a"}}},
		{"a,b\n", [][]string{{"a", "b"}}},
		{"a,b\r\nc\rd\n\ne", [][]string{{"a", "b"}, {"c"}, {"d"}, {""}, {"e"}}},
		{",\n", [][]string{{"", ""}}},
		{"a,", [][]string{{"a", ""}}},
		{`"a,b","c""d"` + "\n", [][]string{{"a,b", `c"d`}}},
		{"\"a\nb\r\nc\",d\n", [][]string{{"a\nb\r\nc", "d"}}},
		{`"a" ,"b"  ` + "\r\n", [][]string{{"a", "b"}}},
		{`"say "hi" to",b` + "\n", [][]string{{`say "hi" to`, "b"}}},
		{`a"b,5",c` + "\n", [][]string{{`a"b`, `5"`, "c"}}},
		{`"",""`, [][]string{{"", ""}}},
		{"\"a\"\r\"b\"\r", [][]string{{"a"}, {"b"}}},
		{"a,b\r", [][]string{{"a", "b"}}},
	} {
		for n := 1; n < 8; n++ {
			if got, open := rows(c.in, n, comma); !reflect.DeepEqual(got, c.want) || open {
				t.Errorf("%q in pieces of %d gives %q, open %v", c.in, n, got, open)
			}
		}
	}
	if got, open := rows("a,\"b\nc,d\n", 4, comma); !open || len(got) != 1 {
		t.Errorf("a quote that is not closed: %q, %v", got, open)
	}
	if got, _ := rows("a;\"b\nc", 4, Dialect{Comma: ';'}); !reflect.DeepEqual(got, [][]string{{"a", `"b`}, {"c"}}) {
		t.Errorf("without quotes: %q", got)
	}
}

// TestLines: where rows begin, and what breaks in them, is counted as a text counts its lines.
func TestLines(t *testing.T) {
	in := "a\r\n\"b\nc\r\nd\re\",f\rg\n\n\"h\"\n"
	for n := 1; n < 6; n++ {
		s := NewScanner(comma)
		var got []int64
		for rest := in; rest != ""; {
			piece := []byte(rest[:min(n, len(rest))])
			rest = rest[len(piece):]
			for len(piece) > 0 {
				k, done := s.Row(piece)
				piece = piece[k:]
				if done {
					got = append(got, s.Line(), s.Breaks())
				}
			}
		}
		if want := []int64{1, 0, 2, 3, 6, 0, 7, 0, 8, 0}; !reflect.DeepEqual(got, want) {
			t.Errorf("in pieces of %d: %v, want %v", n, got, want)
		}
	}
}

// TestLikeEncodingCSV: what is written as RFC 4180 has it is read so.
func TestLikeEncodingCSV(t *testing.T) {
	cell := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b c", ",", ";", "\"", "\n", "ü", "流水", " ", "#", "1,5", "'"}), 0, 4).Draw(t, "cell"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(2, 5).Draw(t, "width")
		want := rapid.SliceOfN(rapid.SliceOfN(cell, width, width), 1, 6).Draw(t, "rows")
		var b strings.Builder
		w := csv.NewWriter(&b)
		w.Comma = rapid.SampledFrom([]rune{',', ';', '\t', '|'}).Draw(t, "comma")
		w.UseCRLF = rapid.Bool().Draw(t, "crlf")
		if err := w.WriteAll(want); err != nil {
			t.Fatal(err)
		}
		got, open := rows(b.String(), rapid.IntRange(1, 20).Draw(t, "n"), Dialect{Comma: byte(w.Comma), Quotes: true})
		for _, r := range got {
			for i := range r {
				r[i] = strings.ReplaceAll(r[i], "\r\n", "\n")
			}
		}
		if !reflect.DeepEqual(got, want) || open {
			t.Fatalf("%q gives %q, want %q", b.String(), got, want)
		}
	})
}

func TestDetect(t *testing.T) {
	numbered := func(format string) string {
		var b strings.Builder
		for i := range 50 {
			fmt.Fprintf(&b, format, i, i)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, in string
		want     Dialect
	}{
		{"commas", "id,name\n1,Ada\n2,Bob\n", Dialect{Comma: ',', Quotes: true, Columns: 2, Header: true}},
		{"semicolons and decimal commas", "Name;Ort;Preis\nMüller;Köln;1,50\nWeiß;Görlitz;2,00\n", Dialect{Comma: ';', Quotes: true, Columns: 3, Header: true, DecimalComma: true}},
		{"tabs", "a\tb\tc\n1\t2\t3\n", Dialect{Comma: '\t', Quotes: true, Columns: 3, Header: true}},
		{"bars", "a|b\n1|2\n", Dialect{Comma: '|', Quotes: true, Columns: 2, Header: true}},
		{"no header", "1,2\n3,4\n", Dialect{Comma: ',', Quotes: true, Columns: 2}},
		{"words without names", "Ada,London\nBob,Paris\nCy,Rome\n", Dialect{Comma: ',', Quotes: true, Columns: 2}},
		{"words with names", "Name,City\nAda,London\nBob,Paris\n", Dialect{Comma: ',', Quotes: true, Columns: 2, Header: true}},
		{"identifiers", "first_key,second_key\nX,London\nY,Paris\n", Dialect{Comma: ',', Quotes: true, Columns: 2, Header: true}},
		{"a line that names the delimiter", "sep=|\na|b,c\n1|2,3\n", Dialect{Comma: '|', Quotes: true, Columns: 2, Header: true, DecimalComma: true, Preface: 1}},
		{"quoted line breaks", "id,note\n1,\"one\ntwo, three\"\n2,\"x\"\n", Dialect{Comma: ',', Quotes: true, Columns: 2, Header: true}},
		{"commas in quotes", "a;b\n\"1,2,3\";\"4,5,6\"\n\"1,2,3\";\"4,5,6\"\n", Dialect{Comma: ';', Quotes: true, Columns: 2, Header: true}},
		{"a title above", "Sales of the year\n\nid,amount\n1,20\n2,30\n", Dialect{Comma: ',', Quotes: true, Columns: 2, Header: true, Preface: 2}},
		{"comments above", "# made by hand\n# twice\nid,amount\n1,20\n", Dialect{Comma: ',', Quotes: true, Columns: 2, Header: true, Preface: 2}},
		{"a header with a number sign", "#id,amount\n1,20\n", Dialect{Comma: ',', Quotes: true, Columns: 2, Header: true}},
		{"ragged", "a,b,c\n1,2,3\n1,2\n1,2,3\n1,2,3,4\n1,2,3\n", Dialect{Comma: ',', Quotes: true, Columns: 3, Header: true}},
		{"inches", numbered("%d,\"%d inch,x\n"), Dialect{Comma: ',', Columns: 3}},
		{"dates", "when,what\n2026-12-01,x\n2026-12-02,y\n", Dialect{Comma: ',', Quotes: true, Columns: 2, Header: true}},
		{"one row", "a,b,c\n", Dialect{Comma: ',', Quotes: true, Columns: 3}},
	} {
		got, ok := Detect([]byte(c.in), true, ',')
		if !ok || got != c.want {
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, ok, c.want)
		}
	}
	for name, in := range map[string]string{
		"nothing": "", "one column": "a\nb\nc\n", "prose": "It was, he said, late.\nShe left.\nNobody came, though\nit was, after all, her party, and\nshe knew.\nSo.\nWell.\n",
		"all lengths": "a,b\na\na,b,c\na,b,c,d\na\na,b,c,d,e\n1\n2\n3,4,5,6,7,8\n",
	} {
		if d, ok := Detect([]byte(in), true, ','); ok {
			t.Errorf("%s is a table: %+v", name, d)
		}
	}
}

func FuzzTable(f *testing.F) {
	for _, in := range []string{"a,b\n1,2\n", "sep=;\na;b", "\"a\nb\",c\r\n", "a\tb\rc\td", "#x\n\"\"\"", "a|b\n"} {
		f.Add([]byte(in), 3)
	}
	f.Fuzz(func(t *testing.T, in []byte, n int) {
		text := strings.ToValidUTF8(string(in), "?")
		d, ok := Detect([]byte(text), true, ',')
		if !ok {
			d = comma
		}
		got, open := rows(text, max(1, n&15), d)
		whole, open2 := rows(text, len(text)+1, d)
		if !reflect.DeepEqual(got, whole) || open != open2 {
			t.Fatalf("%q in pieces of %d gives %q, in one %q", text, n&15, got, whole)
		}
		for _, r := range got {
			for _, c := range r {
				if !utf8.ValidString(c) {
					t.Fatalf("%q gives %q", text, r)
				}
			}
		}
	})
}

func BenchmarkScanner(b *testing.B) {
	data := []byte(strings.Repeat("12345,a name,\"a quoted, text\",2026-12-01,3.14\n", 20000))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		s := NewScanner(comma)
		n := 0
		for rest := data; len(rest) > 0; {
			k, done := s.Row(rest)
			rest = rest[k:]
			if done {
				n += s.Cells()
			}
		}
		if n != 100000 {
			b.Fatal(n)
		}
	}
}
