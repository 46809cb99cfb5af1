package text

import (
	"fmt"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/decodertest"
	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset/charsettest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// reading is a good vector of a media type whose whole text is want.
func reading(mt readapi.MediaType, name, comment, data, want string) decodertest.Vector {
	return with(vector(name, comment, data, want), func(v *decodertest.Vector) { v.MediaType = mt })
}

func warned(v decodertest.Vector, codes ...string) decodertest.Vector {
	v.Warnings = codes
	return v
}

// markupVectors are pages, tables, JSON and XML: right, damaged, mislabelled, and made to mislead.
func markupVectors(t *testing.T) (out []decodertest.Vector) {
	out = append(out, pageVectors(t)...)
	out = append(out, tableVectors(t)...)
	return append(out, dataVectors()...)
}

func pageVectors(t *testing.T) []decodertest.Vector {
	const mt = "text/html"
	russian := strings.TrimSuffix(charsettest.Languages[8].Text, "\n")
	page := func(charset, body string) string {
		return `<!doctype html><meta charset="` + charset + `"><title>x</title><p>` + body + "</p>\n"
	}
	rows := strings.Repeat("<tr><td>a<td>b c</tr>\n", 600)
	deep := strings.Repeat("<div>", 100_000) + "down here" + strings.Repeat("</div>", 100_000)
	hidden := "<p>plain <span style='display:none'>secret</span><span hidden>secret</span> words<p style='color:#fff'>secret<p style='font-size:0'>secret</p>"
	clusters := "<p>" + strings.Repeat("👩‍🔧🏳️‍🌈é", 800)
	return []decodertest.Vector{
		warned(reading(mt, "html", "a page with all that a page has", page1, page1Text), readapi.WarnHiddenText),
		reading(mt, "html-declared-gb2312", "two characters, and a page that says which", strings.Replace(page("gb2312", "#"), "#", charsettest.Encode(t, "中文", "gbk"), 1), "中文\n"),
		reading(mt, "html-declared-lies", "valid UTF-8 wins over what the page says", page("iso-8859-1", "Größe, 流水线"), "Größe, 流水线\n"),
		reading(mt, "html-declared-misleads", "Russian in windows-1251 that claims to be Latin", charsettest.Encode(t, page("iso-8859-1", russian), "windows-1251"), strings.ReplaceAll(russian, "\n", " ")+"\n"),
		warned(reading(mt, "html-utf-16", "a page in UTF-16 with its mark", "\xff\xfe"+string(utf16Of(page1, false)), page1Text), readapi.WarnHiddenText),
		warned(reading(mt, "html-hidden", "four texts that nobody sees", hidden, "plain words\n"), readapi.WarnHiddenText),
		with(reading(mt, "html-hidden-source", "the source has them", hidden, hidden), func(v *decodertest.Vector) { v.Form = readapi.FormSource }),
		reading(mt, "html-clusters", "characters that a cut must not take apart", clusters, clusters[3:]+"\n"),
		reading(mt, "html-long-line", "a paragraph of 60 kB", "<p>"+strings.Repeat("word ", 12000), strings.Repeat("word ", 11999)+"word\n"),
		reading(mt, "html-table-long", "a table that is given in runs", "<table><tr><th>one<th>two</tr>"+rows+"</table>", "one | two\n"+strings.Repeat("a | b c\n", 600)),
		reading(mt, "html-deep", "100,000 elements in one another", deep, "down here\n"),
		refusalOf(mt, "html-too-deep", "more than 262,144 elements in one another", strings.Repeat("<b>", 1<<18+1), readapi.CodeLimitDepth),
		reading(mt, "html-cut", "the file ends inside a tag", "<p>one</p><p>two <a href='http://a.b", "one\n\ntwo\n"),
		reading(mt, "html-broken", "ends that nothing began, beginnings without an end", "</td></p>one<b><i>two</b>three<table>four<tr>five<td>six</div>seven", "onetwothree\nfourfive\nsixseven\n"),
		reading(mt, "html-script", "what looks like the end of a script and is none", "<script><!-- <script></script> secret --></script>seen\n", "seen\n"),
		reading(mt, "html-not", "prose with the name of a page", "2 < 3 & 4 > 1\n", "2 < 3 & 4 > 1\n"),
		reading(mt, "html-entities", "characters by name and by number, with and without a semicolon", "&lt;&amp;amp;&copy &#x1F600;&#0;&#128;&nosuch;&notit;", "<&amp;© 😀\uFFFD€&nosuch;¬it;\n"),
		reading(mt, "html-xhtml", "tags that close themselves", "<?xml version=\"1.0\"?>\n<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><script src=\"a\"/><title/></head><body><p>seen</p></body></html>\n", "seen\n"),
		reading(mt, "html-bidi", "controls of direction are given as they are: the host shows them", "<p>a\u202eb\u202c\n", "a\u202eb\u202c\n"),
	}
}

func refusalOf(mt readapi.MediaType, name, comment, data string, code readapi.Code) decodertest.Vector {
	return with(refusal(name, comment, data, code), func(v *decodertest.Vector) { v.MediaType = mt })
}

func tableVectors(t *testing.T) []decodertest.Vector {
	const mt = "text/csv"
	same := func(name, comment, data string) decodertest.Vector { return reading(mt, name, comment, data, data) }
	german := "Name;Ort;Preis\nMüller;Köln;1,50\nWeiß;Görlitz;2,00\n"
	var long strings.Builder
	for i := range 900 {
		fmt.Fprintf(&long, "%d,\"row\n%d\",流水线 %d\r\n", i, i, i)
	}
	open := "a,b\n" + strings.Repeat("1,2\n", 20000) + "3,\"4\n" + strings.Repeat("5,6\n", 100)
	return []decodertest.Vector{
		same("csv", "the plain case", "id,name\n1,Ada\n2,Bob\n"),
		reading(mt, "csv-windows-1252", "semicolons, decimal commas, a legacy charset", charsettest.Encode(t, german, "windows-1252"), german),
		same("csv-quoted", "line ends, commas and quotes in cells", "id,note\n1,\"one, two\r\nthree\"\n2,\"say \"\"hi\"\"\"\n"),
		reading(mt, "csv-sep", "a mark, and a line that names the delimiter", "\ufeffsep=;\r\na;b\r\n1;2,5\r\n", "sep=;\r\na;b\r\n1;2,5\r\n"),
		same("csv-cr", "line ends of old", "a,b\r1,2\r3,4\r"),
		same("csv-ragged", "rows of several lengths", "a,b,c\n1,2,3\n4,5\n6,7,8,9\n1,2,3\n1,2,3\n"),
		same("csv-long", "a table that is given in runs", long.String()),
		same("csv-not", "prose that is called a table", "It was, he said, late.\nShe left.\nSo.\n"),
		warned(same("csv-open-quote", "a quote that nobody closes, far into the file", open), readapi.WarnPartial),
		reading("text/tab-separated-values", "tsv", "tabs", "a\tb\tc\n1\t2\t3\n", "a\tb\tc\n1\t2\t3\n"),
		reading("text/tab-separated-values", "tsv-commas", "commas under the name of tabs", "a,b,c\n1,2,3\n", "a,b,c\n1,2,3\n"),
	}
}

func dataVectors() []decodertest.Vector {
	same := func(mt readapi.MediaType, name, comment, data string) decodertest.Vector {
		return reading(mt, name, comment, data, data)
	}
	bomb := "<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [\n<!ENTITY lol \"lol\">\n<!ENTITY lol2 \"&lol;&lol;&lol;\">\n<!ENTITY file SYSTEM \"file:///etc/passwd\">\n]>\n<lolz>&lol2;&file;</lolz>\n"
	return []decodertest.Vector{
		same("application/json", "json", "", "{\n  \"title\": \"A map\",\n  \"list\": [1, 2.5e3, true, null, \"\\u00fc\"]\n}\n"),
		same("application/json", "json-cut", "the file ends inside a list", "{\"a\": 1, \"b\": [1, 2"),
		same("application/json", "json-not", "prose that is called JSON", "no JSON at all\n"),
		same("application/json", "json-deep", "100,000 lists in one another, on as many lines", strings.Repeat("[\n", 100_000)+strings.Repeat("]\n", 100_000)),
		same("application/x-ndjson", "ndjson", "a value on each line, one of them broken", "{\"a\":1}\n{\"a\":\n\n[2]\n"),
		same("application/xml", "xml", "", "<?xml version=\"1.0\"?>\n<a xmlns=\"urn:x\"><b c='d'>&amp;</b></a>\n"),
		same("application/xml", "xml-entities", "entities that grow, and one that lies outside: none is expanded, nothing is fetched", bomb),
		same("application/xml", "xml-broken", "an end tag that does not fit", "<a>\n<b></a>\n"),
		same("image/svg+xml", "svg", "a drawing as its source", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\" height=\"20\"><title>A map</title><text>words</text></svg>\n"),
	}
}
