package xml

import (
	stdxml "encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

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

func scan(t interface{ Fatalf(string, ...any) }, in string, n int) *Info {
	info, err := Scan(pieces(in, n), Keep{Attrs: []string{"width", "version"}, Texts: []string{"title", "desc"}})
	if err != nil {
		t.Fatalf("%q: %v", in, err)
	}
	return info
}

func TestFacts(t *testing.T) {
	in := `<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/css" href="a.css"?>
<!DOCTYPE s:svg PUBLIC "-//x//y" "http://a.b/c.dtd" [
  <!-- <!ENTITY no "x"> -->
  <!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;>">
  <!ENTITY out SYSTEM "file:///etc/passwd"> <!ENTITY % pe PUBLIC 'p' 'pe.ent'>
  <!ELEMENT a (b|c)*><!ATTLIST a b CDATA "d>e">
  %pe;
]>
<s:svg xmlns="no" xmlns:s="http://www.w3.org/2000/svg" width='10&lt;' s:width="no">
  <title>A <b>&#x6D41;</b> &lol; map</title><title>second</title><g><title>inner</title></g><desc><![CDATA[a<b]]></desc>
</s:svg>
<!-- end -->
`
	for _, n := range []int{1, 2, 7, 1 << 20} {
		i := scan(t, in, n)
		if i.Invalid != nil {
			t.Fatalf("in pieces of %d: %v", n, i.Invalid)
		}
		got := fmt.Sprint(i.Root, " ", i.Namespace, " ", i.Doctype, " ", i.Elements, " ", i.Depth, " ", i.Entities, " ", i.External, " ", i.Attrs, " ", i.Texts)
		want := "s:svg http://www.w3.org/2000/svg s:svg 7 3 4 [a.css http://a.b/c.dtd file:///etc/passwd pe.ent] map[width:10<] map[desc:a<b title:A 流 map]"
		if got != want {
			t.Errorf("in pieces of %d:\n%s, want\n%s", n, got, want)
		}
	}
}

func TestWhere(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"<a/>", ""}, {"<a></a>", ""}, {" \n<a b='c' d = \"e\" />\n", ""}, {"<a>&amp;&#65;&#x41;]]</a>", ""}, {"<a><!----><?x?><![CDATA[]]]]></a>", ""},
		{"<!DOCTYPE a><a/>", ""}, {"<!DOCTYPE a SYSTEM 'x'><a>&any;</a>", ""}, {"<a>\u00e9\u6d41</a>", ""},
		{"", "1:1 there is no root"}, {"text", "1:1 there is text outside of the root"}, {"<a/>x", "1:5 there is text outside of the root"},
		{"<a/><b/>", "1:6 there is a second root"}, {"<a>\n<b>\r\n</a>", "3:3 the end tag is not that of the open element"}, {"<a>", "1:4 the text ends inside of something"},
		{"<流>流<b></c></流>", "1:10 the end tag is not that of the open element"}, {"<a b>", "1:5 an attribute has no value"}, {"<a b=c>", "1:6 a value in quotes is missing"},
		{"<a b='<'>", "1:7 a value has a tag in it"}, {"<a b='1' b='2'>", "1:11 an attribute comes twice"}, {"<a b='1'c='2'>", "1:9 a tag has no blank before an attribute"},
		{"<a>&x;</a>", "1:7 the entity is not declared"}, {"<a>& b</a>", "1:5 a name is missing"}, {"<a>&amp</a>", "1:8 a reference has no semicolon"},
		{"<a>&#0;</a>", "1:8 the character is none of XML"}, {"<a>\x01</a>", "1:4 the character is none of XML"}, {"<a>]]></a>", "1:6 a CDATA section ends that has not begun"},
		{"<a><!-- -- --></a>", "1:11 a comment has two dashes in it"}, {" <?xml version='1.0'?><a/>", "1:7 the XML declaration is not at the beginning"},
		{"<a><!DOCTYPE a></a>", "1:6 the declaration is out of place"}, {"<a 1='b'/>", "1:4 a name is missing"}, {"< a/>", "1:2 a name is missing"},
	} {
		for _, n := range []int{1, 3, 1 << 20} {
			got := ""
			if e := scan(t, c.in, n).Invalid; e != nil {
				got = fmt.Sprintf("%d:%d %s", e.Line, e.Column, e.Reason)
			}
			if got != c.want {
				t.Errorf("%q in pieces of %d: %q, want %q", c.in, n, got, c.want)
			}
		}
	}
}

// TestLikeEncodingXML: what is well formed here is so for encoding/xml, and what that refuses is refused here.
func TestLikeEncodingXML(t *testing.T) {
	words := []string{"<a>", "</a>", "<b c='d'>", "</b>", "<b/>", "text", "&amp;", "&x;", "<!-- c -->", "<![CDATA[", "]]>", "<?p i?>", "<a ", "b=\"c\"", ">", "<", "/", "é", "&#65;", "--", "\n"}
	rapid.Check(t, func(t *rapid.T) {
		in := "<r>" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 8).Draw(t, "words"), "") + "</r>"
		got := scan(t, in, rapid.IntRange(1, 9).Draw(t, "n")).Invalid
		d := stdxml.NewDecoder(strings.NewReader(in))
		var err error
		for err == nil {
			_, err = d.Token()
		}
		if err != io.EOF && got == nil {
			t.Fatalf("%q is well formed, encoding/xml says %v", in, err)
		}
		if err == io.EOF && got != nil && !strings.Contains(got.Reason, "root") && got.Reason != "an attribute comes twice" && got.Reason != "a tag has no blank before an attribute" {
			t.Fatalf("%q is not well formed (%v), encoding/xml takes it", in, got)
		}
	})
}

func TestBounds(t *testing.T) {
	deep := strings.Repeat("<a>", maxDepth+1)
	if i := scan(t, deep, 1<<16); i.Invalid == nil || i.Invalid.Reason != "the nesting is too deep" {
		t.Errorf("%v", i.Invalid)
	}
	long := strings.Repeat("流", 5000)
	i := scan(t, "<"+long+" width='"+long+"'><title>"+long+"</title></"+long+">", 1000)
	if i.Invalid != nil || len(i.Root) > maxName+4 || len(i.Attrs["width"]) > maxValue+4 {
		t.Errorf("%v: %d bytes of the root, %d of an attribute", i.Invalid, len(i.Root), len(i.Attrs["width"]))
	}
	many := "<!DOCTYPE a [" + strings.Repeat("<!ENTITY a SYSTEM 'x'>", 5000) + "]><a>&b;</a>"
	if i := scan(t, many, 1000); i.Entities != 5000 || len(i.External) != 1 {
		t.Errorf("%d entities, %q outside", i.Entities, i.External)
	}
	gone := errors.New("gone")
	for _, head := range []string{"", "<a>", "<a b='", "<!--"} {
		given := false
		_, err := Scan(func() ([]byte, error) {
			if given || head == "" {
				return nil, gone
			}
			given = true
			return []byte(head), nil
		}, Keep{})
		if err != gone {
			t.Errorf("pieces that fail behind %q: %v", head, err)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, in := range []string{"<a b='c'>&amp;<b/></a>", "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "<?xml version='1.0'?><a><![CDATA[x]]></a>"} {
		f.Add([]byte(in), 3)
	}
	f.Fuzz(func(t *testing.T, in []byte, n int) {
		text := strings.ToValidUTF8(string(in), "?")
		if got, whole := scan(t, text, max(1, n&15)), scan(t, text, len(text)+1); fmt.Sprintf("%+v", *got) != fmt.Sprintf("%+v", *whole) && got.Invalid == nil {
			t.Fatalf("%q in pieces of %d: %+v, in one %+v", text, n&15, got, whole)
		}
	})
}

func BenchmarkScan(b *testing.B) {
	text := "<r>" + strings.Repeat("<item id=\"12\"><name>A name of some length</name><x/></item>\n", 20000) + "</r>"
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if i, err := Scan(pieces(text, 64<<10), Keep{}); err != nil || i.Invalid != nil {
			b.Fatal(err, i.Invalid)
		}
	}
}
