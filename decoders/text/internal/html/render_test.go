package html

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// shown is what Render makes of a page: its text, and the structured parts where they stand.
func shown(t testing.TB, in string, n int, opt Options) (text string, data []string, page *Page) {
	t.Helper()
	var b strings.Builder
	part := func(key string) func(any) error {
		return func(v any) error {
			s := b.String()
			if s == "" || s[len(s)-1] != '\n' {
				t.Errorf("%.200q: a structured part stands inside of a line, behind %.80q", in, s[max(0, len(s)-80):])
			}
			if m, ok := v.(map[string]any); !ok || m[key] == nil {
				t.Errorf("%.200q: what is no %s comes as such: %v", in, key, v)
			}
			data = append(data, fmt.Sprintf("%d:%v", strings.Count(s, "\n"), v))
			return nil
		}
	}
	page, err := Render(pieces(in, n), Output{
		Write: func(p []byte) error { b.Write(p); return nil }, Data: part("links"), Table: part("table"),
	}, opt)
	if err != nil {
		t.Errorf("%.200q: %v", in, err)
	}
	return b.String(), data, page
}

func TestText(t *testing.T) {
	for _, c := range pagesOfText {
		for _, n := range []int{1, 7, 1 << 20} {
			if got, _, _ := shown(t, c.in, n, Options{}); got != c.want {
				t.Errorf("%s, in pieces of %d:\n%q\ngives %q\nwant  %q", c.name, n, c.in, got, c.want)
			}
		}
	}
}

// TestHidden: what a person does not see is left out and counted, and is there when it is asked for.
func TestHidden(t *testing.T) {
	for _, c := range tricks {
		in := "<p>seen " + c.in + " too</p>"
		got, _, page := shown(t, in, 5, Options{})
		if strings.Contains(got, "secret") || !strings.HasPrefix(got, "seen") || !strings.HasSuffix(got, "too\n") {
			t.Errorf("%s gives %q", in, got)
		}
		if n := page.Hidden[c.why]; n != 6 && !strings.Contains(c.in, "alt=") {
			t.Errorf("%s: %d characters %s, %v", in, n, c.why, page.Hidden)
		}
		if got, _, _ := shown(t, in, 5, Options{ShowHidden: true}); !strings.Contains(strings.ReplaceAll(got, "\n", ""), "secret") {
			t.Errorf("%s with what is hidden gives %q", in, got)
		}
	}
	for _, c := range honest {
		got, _, page := shown(t, c, 5, Options{})
		if !strings.Contains(got, "plain") || page.HiddenLine != 0 {
			t.Errorf("%s gives %q, hidden %v", c, got, page.Hidden)
		}
	}
}

var tricks = []struct {
	in  string
	why Reason
}{
	{"<span hidden>secret</span>", NotRendered},
	{"<span style='display:none'>secret</span>", NotRendered},
	{"<span style='color: red; DISPLAY : None !important'>secret</span>", NotRendered},
	{"<span style='d\\69 splay:none'>secret</span>", NotRendered},
	{"<span style='display/**/:/*x*/none'>secret</span>", NotRendered},
	{"<span style='background:url(a;b);display:none'>secret</span>", NotRendered},
	{"<div style='display:none'>se<b>cr</b><p>et</p></div>", NotRendered},
	{"<div style='display:none'><div style='display:block'>secret</div></div>", NotRendered},
	{"<dialog>secret</dialog>", NotRendered},
	{"<span style='visibility:hidden'>secret</span>", Invisible},
	{"<span style='opacity:0'>secret</span>", Transparent},
	{"<span style='opacity:.01'>secret</span>", Transparent},
	{"<span style='color:transparent'>secret</span>", Transparent},
	{"<span style='color:rgba(0,0,0,0)'>secret</span>", Transparent},
	{"<span style='font-size:0'>secret</span>", Tiny},
	{"<span style='font-size:0.5px'>secret</span>", Tiny},
	{"<span style='font:0/0 a'>secret</span>", Tiny},
	{"<span style='font-size:0.01em'>secret</span>", Tiny},
	{"<span style='font-size:1%'>secret</span>", Tiny},
	{"<span style='position:absolute;left:-9999px'>secret</span>", Outside},
	{"<span style='text-indent:-9999px'>secret</span>", Outside},
	{"<span style='position:fixed;top:-100em'>secret</span>", Outside},
	{"<span style='transform:translateX(-9999px)'>secret</span>", Outside},
	{"<span style='position:absolute;clip:rect(0,0,0,0)'>secret</span>", Clipped},
	{"<span style='position:absolute;width:1px;height:1px;overflow:hidden'>secret</span>", Clipped},
	{"<span style='display:block;max-height:0;overflow:hidden'>secret</span>", Clipped},
	{"<span style='clip-path:inset(50%)'>secret</span>", Clipped},
	{"<span style='transform:scale(0)'>secret</span>", Clipped},
	{"<span style='color:#fff'>secret</span>", SameColour},
	{"<font color=white>secret</font>", SameColour},
	{"<font color='#FEFEFE'>secret</font>", SameColour},
	{"<span style='background:black;color:#010101'>secret</span>", SameColour},
	{"<span style='background-color:rgb(10, 20, 30)'><i style='color:rgb(12,22,28)'>secret</i></span>", SameColour},
	{"<b style='display:none'><i>secret</b></i>", NotRendered},
	{"<b hidden>secr<p>et</b></p>", NotRendered},
	{"</p><p><b hidden>sec</p><p>ret</b>", NotRendered},
	{"<table><tr><td hidden>secret</td><td>x</table>", NotRendered},
	{"<img hidden alt=secret>", NotRendered},
	{"<span style='font-size:1px'>secret</span>", Tiny},
	{"<span style='font:1px/1px Arial'>secret</span>", Tiny},
	{"<span style='font-size:1e-5px'>secret</span>", Tiny},
	{"<span style='font-size:calc(0px)'>secret</span>", Tiny},
	{"<span style='opacity:1e-9'>secret</span>", Transparent},
	{"<span style='opacity:calc(0)'>secret</span>", Transparent},
	{"<span style='opacity:1;opacity:0'>secret</span>", Transparent},
	{"<span style='filter:opacity(0%)'>secret</span>", Transparent},
	{"<span style='color:hsla(0,0%,0%,0)'>secret</span>", Transparent},
	{"<span style='color:red;-webkit-text-fill-color:transparent'>secret</span>", Transparent},
	{"<span style='-webkit-text-fill-color:white;color:red'>secret</span>", SameColour},
	{"<span style='color:hsl(0,0%,100%)'>secret</span>", SameColour},
	{"<span style='background:hsl(120 100% 25%);color:green'>secret</span>", SameColour},
	{"<span style='background:tomato;color:tomato'>secret</span>", SameColour},
	{"<font color=ffffff>secret</font>", SameColour},
	{"<table bgcolor=navy><tr><td><font color=000080>secret</font></table>", SameColour},
	{"<span style='content-visibility:hidden'>secret</span>", NotRendered},
	{"<span style='display:none!important;display:block'>secret</span>", NotRendered},
	{"<span style='display:none;display:nonsense'>secret</span>", NotRendered},
	{"<span style='position:relative;left:-9999px'>secret</span>", Outside},
	{"<span style='position:absolute;inset:-9999px auto auto -9999px'>secret</span>", Outside},
	{"<span style='position:absolute;left:calc(-9999px)'>secret</span>", Outside},
	{"<span style='position:fixed;top:-100vh'>secret</span>", Outside},
	{"<span style='margin:0 0 0 -9999px'>secret</span>", Outside},
	{"<span style='transform:rotate(1deg) translate(0, -9999px)'>secret</span>", Outside},
	{"<span style='translate:-9999px'>secret</span>", Outside},
	{"<span style='transform:scaleX(0)'>secret</span>", Clipped},
	{"<span style='transform:scale(.0001)'>secret</span>", Clipped},
	{"<span style='transform:scale3d(0,0,0)'>secret</span>", Clipped},
	{"<span style='transform:matrix(0,0,0,0,0,0)'>secret</span>", Clipped},
	{"<span style='transform:rotateX(90deg)'>secret</span>", Clipped},
	{"<span style='scale:0'>secret</span>", Clipped},
	{"<span style='position:absolute;clip:rect(0em,0em,0em,0em)'>secret</span>", Clipped},
	{"<span style='clip-path:inset(0 100% 0 0)'>secret</span>", Clipped},
	{"<span style='clip-path:polygon(0px 0px,0px 0px,0px 0px)'>secret</span>", Clipped},
	{"<span style='clip-path:ellipse(0 0)'>secret</span>", Clipped},
	{"<span style='max-height:0px;overflow:auto'>secret</span>", Clipped},
	{"<span style='max-height:1px;overflow:hidden'>secret</span>", Clipped},
	{"<svg><text display=none>secret</text></svg>", NotRendered},
	{"<svg><g style='display:none'><text>secret</text></g></svg>", NotRendered},
	{"<svg><defs><text>secret</text></defs></svg>", NotRendered},
	{"<svg><clipPath><text>secret</text></clipPath></svg>", NotRendered},
	{"<svg><text visibility=hidden>secret</text></svg>", Invisible},
	{"<svg><text opacity=0>secret</text></svg>", Transparent},
	{"<svg><text fill=none>secret</text></svg>", Transparent},
	{"<svg><text font-size=0>secret</text></svg>", Tiny},
}

var honest = []string{
	"<p style='display:block'>plain</p>",
	"<p aria-hidden=true>plain</p>",
	"<div style='visibility:hidden'><p style='visibility:visible'>plain</p></div>",
	"<div style='font-size:0'><p style='font-size:12px'>plain</p></div>",
	"<p style='color:#fff;background:#000'>plain</p>",
	"<div style='background:#000'><p style='color:white'>plain</p></div>",
	"<div style='background:url(dark.png)'><p style='color:white'>plain</p></div>",
	"<table bgcolor=black><tr><td><font color=white>plain</font></table>",
	"<style>.dark{background:#000}</style><div class=dark><p style='color:white'>plain</p></div>",
	"<link rel=stylesheet href=a.css><p style='color:white'>plain</p>",
	"<body bgcolor=black text=white><p>plain</p>",
	"<p style='position:relative;left:-20px'>plain</p>",
	"<p style='overflow:hidden;height:20px'>plain</p>",
	"<p style='opacity:.8'>plain</p>",
	"<dialog open>plain</dialog>",
	"<body bgcolor=white link=white><a href=x>plain</a>",
	"<p style='display:none;display:block'>plain</p>",
	"<p style='opacity:0;opacity:1'>plain</p>",
	"<p style='font-size:calc(0px + 1em)'>plain</p>",
	"<p style='margin:0 -9999px;padding:0 9999px'>plain</p>",
	"<p style='position:absolute;clip:rect(0px,60px,200px,0px)'>plain</p>",
	"<p style='clip-path:circle(0.5em)'>plain</p>",
	"<p style='clip-path:inset(10% 20%)'>plain</p>",
	"<p style='clip-path:polygon(0 0,100% 0,50% 100%)'>plain</p>",
	"<p style='transform:scale(.5) rotate(90deg) translate(-50%,-50%)'>plain</p>",
	"<p style='background:linear-gradient(red,blue);-webkit-background-clip:text;-webkit-text-fill-color:transparent'>plain</p>",
	"<p style='color:hsl(210, 50%, 40%)'>plain</p>",
	"<font color=fff>plain</font>",
	"<font color=chucknorris>plain</font>",
	"<svg><text fill=white>plain</text></svg>",
	"<svg><text fill=none stroke=black>plain</text></svg>",
	"<div style='color:transparent'><svg><text>plain</text></svg></div>",
	"<svg visibility=hidden><text visibility=visible>plain</text></svg>",
	"<div hidden></div><p>plain</p>",
	"<b hidden></b><p>plain</p>",
	"<p><b hidden></b></p><p>plain</p>",
}

func TestData(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"<table><tr><th>a<th>b<tr><td>1<td>2</table>", "2:map[table:map[header:true rows:[[a b] [1 2]]]]"},
		{"<p>x<table border=1><tr><td>a<td>b<td>c<tr><td>1</table>y", "4:map[table:map[header:false rows:[[a b c] [1  ]]]]"},
		{"see <a href='http://a.b/?x=1&amp;y'>this <b>page</b></a> and <a name=n>no</a> <a href='#top'>up</a> <a href='JavaScript:x()'>x</a>", "1:map[links:[map[text:this page uri:http://a.b/?x=1&y]]]"},
		{"<a href=a><img alt=pic src=x></a><map><area href=b alt=B></map><iframe src=c title=C></iframe>", "1:map[links:[map[text:[image: pic] uri:a] map[text:B uri:b] map[text:C uri:c]]]"},
		{"<a href=a hidden>x</a><div style='display:none'><a href=b>y</a></div>", ""},
		{"<frameset><frame src=a name=A></frameset>", "1:map[links:[map[text:A uri:a]]]"},
		{"<a href=a>x<a href=b>y</a>", "1:map[links:[map[text:x uri:a] map[text:y uri:b]]]"},
	} {
		_, data, page := shown(t, c.in, 3, Options{})
		if got := strings.Join(data, "\n"); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.in, got, c.want)
		}
		if got := strings.Count(c.want, "uri:"); got != page.Links {
			t.Errorf("%s: %d links, want %d", c.in, page.Links, got)
		}
	}
}

// TestLongTable: a table of any length is written in runs, each row once, and never held as a whole.
func TestLongTable(t *testing.T) {
	const rows = 5000
	var b strings.Builder
	b.WriteString("<table><thead><tr><th>n<th>what</thead>")
	for i := range rows {
		fmt.Fprintf(&b, "<tr><td>%d<td>row %d", i, i)
	}
	text, data, _ := shown(t, b.String(), 1000, Options{})
	if got := strings.Count(text, "\n"); got != rows+1 {
		t.Errorf("%d lines", got)
	}
	n, headers := 0, 0
	for _, d := range data {
		n += strings.Count(d, "row ")
		headers += strings.Count(d, "header:true")
		if len(d) > 3*pieceBytes {
			t.Errorf("a part of %d bytes", len(d))
		}
	}
	if n != rows || headers != 1 || len(data) < 10 {
		t.Errorf("%d rows in %d parts with %d headers", n, len(data), headers)
	}
}

func TestMeta(t *testing.T) {
	_, _, p := shown(t, `<!doctype html><html lang="de-CH"><head><title> A
	title </title><base href="http://a.b/"><meta name=Description content=" d  e "><meta property="og:description" content=f><meta name=author content=Ada>
	</head><body><svg><title>no</title></svg><title>neither</title>`, 4, Options{})
	if p.Title != "A title" || p.Language != "de-CH" || p.Base != "http://a.b/" || p.Description != "d e" || p.Author != "Ada" {
		t.Errorf("%+v", p)
	}
	if _, _, p = shown(t, "<title>"+strings.Repeat("流", 2000), 1000, Options{}); len(p.Title) > maxMeta || !strings.HasPrefix(p.Title, "流") || strings.Contains(p.Title, "\uFFFD") {
		t.Errorf("a long title has %d bytes", len(p.Title))
	}
}

func TestPictures(t *testing.T) {
	in := `<img alt="a dot" src="data:image/png;base64,aGVsbG8="><img src="http://x/y.png"><img src="DATA:image/svg+xml,%3Csvg/%3E"><img src="data:text/html,x"><img hidden src="data:image/gif;base64,aGVsbG8=">`
	_, _, p := shown(t, in, 9, Options{})
	if got := fmt.Sprint(p.Pictures); got != "[{a dot image/png 5} {image-2 image/svg+xml 10}]" {
		t.Error(got)
	}
	for n, want := range []string{"", "hello", "<svg/>", ""} {
		if _, _, p = shown(t, in, 9, Options{Picture: n}); string(p.Picture) != want {
			t.Errorf("picture %d is %q", n, p.Picture)
		}
	}
	long := strings.Repeat("YWJj", 50000)
	if _, _, p = shown(t, "<img src='data:image/png;base64,"+long+"'>", 1000, Options{}); len(p.Pictures) != 1 || p.Pictures[0].Bytes != 150000 {
		t.Errorf("a long one: %v", p.Pictures)
	}
	if _, _, p = shown(t, "<img src='data:image/png;base64,"+long+"'>", 1000, Options{Picture: 1}); string(p.Picture) != strings.Repeat("abc", 50000) {
		t.Errorf("a long one has %d bytes", len(p.Picture))
	}
}

// TestDeep: depth costs memory and no stack, up to a limit; ends of what nobody began cost little.
func TestDeep(t *testing.T) {
	for _, tag := range []string{"div", "b", "x", "span", "table><tr><td", "ul><li", "blockquote", "svg"} {
		text, _, _ := shown(t, strings.Repeat("<"+tag+">", 10000)+"x", 1<<16, Options{})
		if tag != "svg" && !strings.Contains(text, "x") {
			t.Errorf("10000 times <%s> gives %.80q", tag, text)
		}
	}
	_, err := Render(pieces(strings.Repeat("<div>", MaxOpen+1), 1<<16), Output{Write: func([]byte) error { return nil }}, Options{})
	if err != ErrDepth {
		t.Errorf("beyond the limit: %v", err)
	}
	for _, in := range []string{
		strings.Repeat("<y>", 10000) + strings.Repeat("</x>", 100000), "<x><td>" + strings.Repeat("<y>", 10000) + strings.Repeat("</x>", 100000),
		"<p>" + strings.Repeat("<y>", 10000) + strings.Repeat("<p>", 100000), strings.Repeat("<b>", 10000) + strings.Repeat("<a>", 100000),
		"<p hidden>" + strings.Repeat("<b hidden>", 10000) + strings.Repeat("<p hidden>", 100000), strings.Repeat("<svg><g>", 10000) + strings.Repeat("</svg>", 100000),
		"<i>" + strings.Repeat("<p>", 100) + strings.Repeat("<i><p>", 100000) + strings.Repeat("</i>", 100000),
		strings.Repeat("<table><tr><td colspan=1000 rowspan=60000>", 20000) + strings.Repeat("<tr><td>", 20000),
	} {
		start := time.Now()
		shown(t, in, 1<<16, Options{})
		t.Logf("%.20q… of %d bytes: %v", in, len(in), time.Since(start))
	}
}

func FuzzRender(f *testing.F) {
	for _, c := range pagesOfText {
		f.Add([]byte(c.in), 3)
	}
	for _, c := range tricks {
		f.Add([]byte(c.in), 3)
	}
	f.Fuzz(func(t *testing.T, in []byte, n int) {
		text := strings.ToValidUTF8(string(in), "?")
		got, data, _ := shown(t, text, max(1, n&31), Options{})
		whole, data2, _ := shown(t, text, len(text)+1, Options{})
		if got != whole || fmt.Sprint(data) != fmt.Sprint(data2) {
			t.Fatalf("%q in pieces of %d gives\n%q\n%q\nin one\n%q\n%q", text, n&31, got, data, whole, data2)
		}
		if !utf8.ValidString(got) || got != "" && !strings.HasSuffix(got, "\n") {
			t.Fatalf("%q gives %q", text, got)
		}
	})
}

var pagesOfText = []struct{ name, in, want string }{
	{"nothing", "", ""},
	{"text", "one\n  two", "one two\n"},
	{"paragraphs", "<p>one<p>two\n<b>three </b> four</p>five", "one\n\ntwo three four\n\nfive\n"},
	{"divisions", "<div>one<div>two</div></div>three", "one\ntwo\nthree\n"},
	{"inline", "a<b>b</b><i> c</i> <span> d</span>", "ab c d\n"},
	{"headings", "<h1>A <em>b</em></h1>text<h3>C<br>d</h3><h2></h2>x", "# A b\n\ntext\n\n### C d\n\nx\n"},
	{"breaks", "a<br>b<br/><br>c<br><br><br>d", "a\nb\n\nc\n\nd\n"},
	{"lists", "x<ul><li>one<li>two<ol start=3><li>three<li value=7>seven<li>eight</ol></ul>y", "x\n\n- one\n- two\n  3. three\n  7. seven\n  8. eight\n\ny\n"},
	{"paragraphs in items", "<ul><li><p>one</p><p>two</p></li><li><div>three</div></li><li></li></ul>", "- one\n  two\n- three\n"},
	{"unclosed items", "<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c\n"},
	{"definitions", "<dl><dt>one<dd>first<dt>two<dd>second<br>line</dl>", "one\n  first\ntwo\n  second\n  line\n"},
	{"quotes", "a<blockquote><p>one<p>two<blockquote>three</blockquote></blockquote>b", "a\n\n> one\n\n> two\n\n> > three\n\nb\n"},
	{"pre", "<pre>\n  a\tb\n\n\n c\n</pre>d  e", "  a\tb\n\n\n c\n\nd e\n"},
	{"pre inline", "<p>x</p><pre><code>if a &lt; b {\n\tc()\n}</code></pre>", "x\n\nif a < b {\n\tc()\n}\n"},
	{"rule", "a<hr>b", "a\n\n---\n\nb\n"},
	{"dropped", "a<script>x()</script><style>p{}</style><template><p>t</p></template><!-- c -->b<iframe>i</iframe>", "ab\n"},
	{"noscript", "<noscript>turn it on</noscript>", "turn it on\n"},
	{"noframes", "<frameset><noframes><p>no frames</noframes></frameset>", "no frames\n"},
	{"title", "<title>A &amp; B</title>c", "c\n"},
	{"entities", "&lt;p&gt; &copy; &#x20ac; &eacute;&nbsp;&hellip;", "<p> © € é\u00a0…\n"},
	{"images", `<img alt="a cat"><img alt=""><img src=x><a href=y><img alt=home></a>`, "[image: a cat][image: home]\n"},
	{"details", "<details><summary>More</summary>inside</details>", "More\ninside\n"},
	{"quotation", "he said <q>no</q>.", "he said “no”.\n"},
	{"ruby", "<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rt>ji</ruby>", "漢(kan)字(ji)\n"},
	{"ends that nobody began", "a</div></b>b</p>c</br>d</x>", "ab\n\nc\nd\n"},
	{"overlap", "<b>a<i>b</b>c</i>d<p><b>e</p>f</b>", "abcd\n\ne\n\nf\n"},
	{"after the end", "<body>a</body></html>b", "ab\n"},
	{"fields", `<form>Name: <input value="Ada"> <input type=hidden value=x><input type=password value=s><input type=checkbox checked> yes <input type=radio> no <input placeholder="a hint"> <input><input type=submit></form>`,
		"Name: [Ada] [****][x] yes ( ) no [a hint] [____][Submit]\n"},
	{"choices", "<select><option>one<option selected>two</select> <select multiple><option>a</select> <select><optgroup label=x><option>first</optgroup></select>", "[two] [first]\n"},
	{"text areas", "<textarea>\na\n b</textarea> <textarea placeholder=hint></textarea>", "[a\n b] [hint]\n"},
	{"data table", "x<table><tr><th>a<th>b<tr><td>1<td>2 <b>3</b><tr><td><p>4</p><td></table>y", "x\n\na | b\n1 | 2 3\n4\n\ny\n"},
	{"spans", "<table><tr><th colspan=2>a<th>b<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>", "a |  | b\n1 | 2 | 3\n | 4 | 5\n"},
	{"caption", "<table><caption>Prices</caption><thead><tr><th>a<th>b</thead><tbody><tr><td>1<td>2</tbody></table>", "Prices\n\na | b\n1 | 2\n"},
	{"layout", "<table><tr><td><table><tr><td>left</table><td><h1>Right</h1><p>text</table>end", "left\n\n# Right\n\ntext\n\nend\n"},
	{"nested in text", "<table><tr><td>before<table><tr><td>a<td>b<tr><td>c<td>d</table>after<td>next</table>", "before\n\na | b\nc | d\n\nafter\nnext\n"},
	{"one column", "<table><tr><td>a<tr><td>b</table>", "a\nb\n"},
	{"presentation", "<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>", "a\nb\nc\nd\n"},
	{"cells without a table", "<tr><td>a<td>b</tr>", "a\nb\n"},
	{"svg", "a<svg><title>A map</title><path d=''/><style>x</style><text>label</text><g><text>two</text></g></svg>b", "a[image: A map]\nlabel\ntwo\nb\n"},
	{"svg that HTML ends", "<svg><g><p>text</svg>more", "textmore\n"},
	{"math", "<math><mrow><mi>x</mi><mo>=</mo><mn>1</mn></mrow><annotation>tex</annotation></math>", "x=1\n"},
	{"xhtml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head><body><p>a<a id="x"/>b</p><div/><![CDATA[c<d]]></body></html>`, "ab\n\nc<d\n"},
}

func TestVisible(t *testing.T) {
	text, hidden := Visible([]byte("<p>a<p hidden>bc<p>d"), Options{})
	if string(text) != "a\n\nd\n" || hidden != 2 {
		t.Errorf("%q, %d hidden", text, hidden)
	}
}
