package html

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	xhtml "golang.org/x/net/html"
	"pgregory.net/rapid"
)

// pieces gives text in pieces of n bytes, each in memory that is overwritten when the next one is asked for.
func pieces(text string, n int) func() ([]byte, error) {
	var last []byte
	return func() ([]byte, error) {
		for i := range last {
			last[i] = '!'
		}
		if text == "" {
			return nil, io.EOF
		}
		last = []byte(text[:min(n, len(text))])
		text = text[len(last):]
		return last, nil
	}
}

// tokens are those of a text, adjacent text as one.
func tokens(t interface{ Fatalf(string, ...any) }, z *Tokenizer, attrs ...string) (out []string) {
	for {
		k, err := z.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatalf("%v", err)
		}
		switch k {
		case Text:
			out = addText(out, string(z.Text()))
			continue
		case EndTag:
			out = append(out, "</"+string(z.Name()))
			continue
		}
		s := "<" + string(z.Name())
		for _, a := range attrs {
			if v := z.Attr(a); v != nil {
				s += fmt.Sprintf(" %s=%q", a, v)
			}
		}
		if z.SelfClosing() {
			s += " /"
		}
		out = append(out, s)
	}
}

func addText(out []string, text string) []string {
	if n := len(out); n > 0 && strings.HasPrefix(out[n-1], "=") {
		out[n-1] += text
		return out
	}
	if text == "" {
		return out
	}
	return append(out, "="+text)
}

// reference are the tokens as golang.org/x/net/html has them.
func reference(text string, attrs ...string) (out []string) {
	z := xhtml.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case xhtml.ErrorToken:
			return out
		case xhtml.TextToken:
			out = addText(out, string(z.Text()))
		case xhtml.EndTagToken:
			name, _ := z.TagName()
			out = append(out, "</"+string(name))
		case xhtml.StartTagToken, xhtml.SelfClosingTagToken:
			tok := z.Token()
			s := "<" + tok.Data
			for _, a := range attrs {
				for _, have := range tok.Attr {
					if have.Key == a {
						s += fmt.Sprintf(" %s=%q", a, have.Val)
						break
					}
				}
			}
			if tok.Type == xhtml.SelfClosingTagToken {
				s += " /"
			}
			out = append(out, s)
		}
	}
}

func same(t interface{ Fatalf(string, ...any) }, text string, n int) {
	got, want := tokens(t, NewTokenizer(pieces(text, n)), "a", "b", "href"), reference(text, "a", "b", "href")
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Fatalf("%q in pieces of %d:\n%s\nwant\n%s", text, n, g, w)
	}
}

var examples = []string{
	"", "a", "a<b", "a < b", "<", "</", "</>", "<a", "<a ", "<a b", "<a b=", `<a b="`, "<p>x</p>", "<P A=1>x</P >", "<br/>", "<br / >", "<a b=c/>", "<a/b=c>", "<a =b>", "<a b = 'c' a=\"d\">",
	"<!-- x --><b>", "<!-->a", "<!--->a", "<!--a--!>b", "<!--a--->b", "<!--a->b-->c", "<!--", "<!-- a", "<!doctype html>x", "<!x>y", "<?php x ?>y", "</ x>y", "<![CDATA[x]]>y",
	"<script>a<b</script>c", "<script><!--<script></script>--></script>x", "<script><!-- </script>x", "<script><!--><script></script>x", "<script></scripty></script >x", "<style>a<b></style>c",
	"<title>a&amp;b<b></title>c", "<textarea>a</textareab></textarea/>c", "<title>x", "<xmp><b>&amp;</xmp>&amp;", "<plaintext>a</plaintext><b>", "<iframe><p></iframe>x",
	"&amp;&lt;&nbsp;&copy;&copy&copyx&notit;&notin;&unknown;&;&&#65;&#x41;&#65x&#0;&#128;&#x110000;&#xd800;&#;&#x;&#99999999999999999999;&NotEqualTilde;&fjlig;",
	`<a href="?a=1&copy=2&copy;&notit;&amp&lt=3&semi;&amp;x=&copyx">`, "<a href=a&amp;b>x", "a\r\nb\rc<a b='x\r\ny'>", "<a b=1 b=2>", "<p\n>x", "<b><i>x</b></i>", "x<", "<svg><path/></svg>",
}

func TestLikeNetHTML(t *testing.T) {
	for _, text := range examples {
		for _, n := range []int{1, 2, 3, 5, 1 << 20} {
			same(t, text, n)
		}
	}
	words := []string{"<", ">", "/", "a", "b", " ", "=", `"`, "'", "&", "amp", ";", "#", "x4", "!", "-", "--", "script", "<script>", "</script>", "<!--", "-->", "<title>", "</title>", "é", "\r", "\n", "not", "href"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 16).Draw(t, "words"), "")
		same(t, text, rapid.IntRange(1, 9).Draw(t, "n"))
	})
}

func FuzzTokenizer(f *testing.F) {
	for _, text := range examples {
		f.Add([]byte(text), 3)
	}
	f.Fuzz(func(t *testing.T, in []byte, n int) {
		text := strings.ToValidUTF8(strings.ReplaceAll(string(in), "\x00", ""), "?")
		got := tokens(t, NewTokenizer(pieces(text, max(1, n&31))), "href")
		if whole := tokens(t, NewTokenizer(pieces(text, len(text)+1)), "href"); strings.Join(got, "\n") != strings.Join(whole, "\n") {
			t.Fatalf("%q in pieces of %d:\n%q\nin one\n%q", text, n&31, got, whole)
		}
		for _, s := range got {
			if !utf8.ValidString(s) {
				t.Fatalf("%q gives %q", text, s)
			}
		}
	})
}

// TestForeign: what is only so inside of SVG, MathML and XHTML.
func TestForeign(t *testing.T) {
	z := NewTokenizer(pieces("<title>a<b>c</title><![CDATA[x<y]]]>&amp;", 3))
	z.Foreign = true
	if got := strings.Join(tokens(t, z), "|"); got != "<title|=a|<b|=c|</title|=x<y]&" {
		t.Errorf("foreign: %s", got)
	}
	z = NewTokenizer(pieces("<title/>a<script></x></script><![CDATA[&amp;]]>", 4))
	z.XML = true
	if got := strings.Join(tokens(t, z), "|"); got != "<title /|=a|<script|=</x>|</script|=&amp;" {
		t.Errorf("XHTML: %s", got)
	}
}

// TestBounds: long values are cut and counted, and no tag keeps more than its share.
func TestBounds(t *testing.T) {
	long := strings.Repeat("流&amp;", 4000)
	z := NewTokenizer(pieces(`<a href="`+long+`" b=2><`+strings.Repeat("n", 500)+` `+strings.Repeat("k=v ", 1000)+`>`, 1000))
	z.MaxValue = 1000
	if _, err := z.Next(); err != nil {
		t.Fatal(err)
	}
	v, size := z.Value("href")
	if want := strings.Repeat("流&", 250); string(v) != want || size != 16000 || string(z.Attr("b")) != "2" {
		t.Errorf("%d of %d bytes are kept, b is %q", len(v), size, z.Attr("b"))
	}
	if _, err := z.Next(); err != nil || len(z.Name()) != maxName || len(z.attrs) != maxAttrs {
		t.Errorf("a name of %d bytes, %d attributes, %v", len(z.Name()), len(z.attrs), err)
	}
	gone := errors.New("gone")
	z = NewTokenizer(func() ([]byte, error) { return nil, gone })
	if _, err := z.Next(); err != gone {
		t.Errorf("pieces that fail: %v", err)
	}
}
