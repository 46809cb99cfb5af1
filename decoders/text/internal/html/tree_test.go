package html

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	xhtml "golang.org/x/net/html"
	"pgregory.net/rapid"
)

// letters are those of a text: what is left of it without white space and marks.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, s)
}

// treeText is the text of a page as the tree has it that golang.org/x/net/html builds, without what is not shown.
func treeText(t interface{ Fatalf(string, ...any) }, page string) string {
	doc, err := xhtml.ParseWithOptions(strings.NewReader(page), xhtml.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatalf("%v", err)
	}
	var b strings.Builder
	var walk func(n *xhtml.Node)
	walk = func(n *xhtml.Node) {
		if n.Type == xhtml.TextNode {
			b.WriteString(n.Data)
		}
		if n.Type == xhtml.ElementNode {
			for _, a := range n.Attr {
				if n.Data == "input" && a.Key == "placeholder" {
					b.WriteString(a.Val)
				}
				if n.Data == "img" && a.Key == "alt" && strings.TrimSpace(a.Val) != "" {
					b.WriteString("image" + a.Val)
				}
			}
			switch n.Data {
			case "script", "style", "template", "title", "iframe", "noembed", "noframes", "video", "audio", "canvas", "datalist", "select", "progress", "meter", "rp", "path", "metadata":
				return
			}
			for _, a := range n.Attr {
				if a.Key == "hidden" || a.Key == "style" && strings.Contains(strings.ReplaceAll(a.Val, " ", ""), "display:none") {
					return
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(doc)
	return b.String()
}

// TestLikeTree: the text is that of the tree which a browser builds, in its order, whatever the tags are. Only one thing is not so, which a
// tree does behind the fact: a block that stands in a hidden inline element is taken out of it where an element that overlaps with both ends.
func TestLikeTree(t *testing.T) {
	all := strings.Fields("<p> </p> <div> </div> <span> </span> <div_hidden> <p_hidden> <ul> </ul> <li> </li> <h1> </h1> <x> </x> <br> <pre> </pre> <section> </section> " +
		"<script> </script> <!--_c_--> <dl><dt> <dd> </dl> <button> </button>")
	overlapping := strings.Fields("<b> </b> <i> </i> <b_hidden> <a_href=x> </a> <i_hidden> <font> </font> <code_hidden> </code>")
	inline := strings.Fields("<span_hidden> <x_hidden> </span> </x> <object> </object>")
	tables := strings.Fields("<table> </table> <tr> </tr> <td> </td> <td_hidden> <tbody> </tbody> <tr_hidden> <th>")
	for _, more := range [][]string{overlapping, inline, tables} {
		tags := append(slices.Clone(all), more...)
		rapid.Check(t, func(t *rapid.T) {
			var b strings.Builder
			for i, tag := range rapid.SliceOfN(rapid.SampledFrom(tags), 0, 14).Draw(t, "tags") {
				b.WriteString(strings.ReplaceAll(tag, "_", " "))
				b.WriteByte(byte('a' + i))
			}
			page := "<!doctype html><body>" + b.String()
			var out strings.Builder
			_, err := Render(pieces(page, 7), Output{Write: func(p []byte) error { out.Write(p); return nil }}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := letters(out.String()), letters(treeText(t, page)); got != want {
				t.Fatalf("%s\ngives %q, the tree has %q", page, got, want)
			}
		})
	}
}
