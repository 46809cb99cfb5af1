package pdf

import (
	"fmt"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/decoders/decodertest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// vector is a generated file and what has to come out of it.
type vector struct {
	name    string
	comment string
	data    []byte
	pages   []string // text of each page
	warn    []string
	code    readapi.Code // instead of pages
	units   string
	form    readapi.Form // "" is text
}

const hello = "Hello, world"

// hi is what the usual one-page file gives.
var hi = []string{hello + "\n"}

func TestGenerated(t *testing.T) {
	var golden []decodertest.Vector
	for _, v := range vectors() {
		g := decodertest.Vector{Name: v.name, Comment: v.comment, Expect: v.code, Warnings: v.warn, Data: v.data, Form: readapi.FormAuto}
		if v.form != "" {
			g.Form = v.form
		}
		if v.units != "" {
			var err error
			if g.Units, err = readapi.ParseUnits(v.units); err != nil {
				t.Fatal(err)
			}
		}
		if v.code == "" {
			g.TextSHA256 = decodertest.TextSum(strings.Join(v.pages, ""))
		}
		golden = append(golden, g)
		t.Run(v.name, func(t *testing.T) { v.check(t, g.Units) })
	}
	decodertest.Golden(t, "../../testdata/vectors/pdf", golden, *update)
}

func (v *vector) check(t *testing.T, units []readapi.Range) {
	res, err := run(v.data, readapi.Request{Units: units, Form: v.form})
	if readapi.CodeOf(err) != v.code {
		t.Fatalf("error %v, want code %q", err, v.code)
	}
	if err != nil {
		return
	}
	got := []string{}
	for _, p := range res.Parts {
		if p.Type == readapi.PartText {
			got = append(got, p.Text)
		}
	}
	if d := cmp.Diff(v.pages, got); d != "" {
		t.Errorf("text (-want +got):\n%s", d)
	}
	var warned []string
	for _, w := range res.Warnings {
		warned = append(warned, w.Code)
	}
	if d := cmp.Diff(v.warn, warned); d != "" {
		t.Errorf("warnings (-want +got):\n%s", d)
	}
}

func TestVectors(t *testing.T) { decodertest.Run(t, "pdf", decodertest.Native(&Decoder)) }

func vectors() (all []vector) {
	for _, list := range [][]vector{structureVectors(), repairVectors(), offsetVectors(), cutVectors(), newestVectors(), treeVectors(), streamVectors(), filterVectors(), fontVectors(), programVectors(), contentVectors(), cryptVectors(), documentVectors(), scanVectors(), refusedVectors()} {
		all = append(all, list...)
	}
	return all
}

// one is a page with text, made by f from the sound file.
func one(name, comment string, f func([]byte) []byte) vector {
	return vector{name: name, comment: comment, data: f(pdftest.Plain(pdftest.Lines(hello)).Table()), pages: hi}
}

func structureVectors() []vector {
	three := pdftest.Plain(pdftest.Lines("One"), pdftest.Lines("Two", "2"), pdftest.Lines("Three"))
	return []vector{
		{name: "plain", comment: "one page, a cross-reference table", data: pdftest.Plain(pdftest.Lines(hello)).Table(), pages: hi},
		{name: "three-pages", comment: "one part for each page", data: three.Table(), pages: []string{"One\n", "Two\n2\n", "Three\n"}},
		{name: "units", comment: "pages 2 and 3 of 3", data: three.Table(), units: "2-3", pages: []string{"Two\n2\n", "Three\n"}},
		{name: "object-streams", comment: "object streams and a cross-reference stream", data: three.Packed(false), pages: []string{"One\n", "Two\n2\n", "Three\n"}},
		{name: "predictor", comment: "a cross-reference stream with predictor 12", data: three.Packed(true), pages: []string{"One\n", "Two\n2\n", "Three\n"}},
		{name: "empty-page", comment: "a page without text between two with it", data: pdftest.Plain(pdftest.Lines("One"), "", pdftest.Lines("Three")).Table(),
			pages: []string{"One\n", "", "Three\n"}, warn: []string{"no_text_layer"}},
		{name: "inherited-resources", comment: "the page tree's root holds the resources", data: inheritedResources(), pages: hi},
		{name: "updated", comment: "an incremental update replaces the content", pages: []string{"Newer\n"}, data: updated()},
		{name: "content-array", comment: "a page's content in two streams, cut inside a text object", data: contentArray(), pages: hi},
		{name: "deep-tree", comment: "a page below 200 nodes of the tree: it is found by searching", data: deepTree(200), pages: hi},
		{name: "info-direct", comment: "Info is a dictionary in the trailer", data: replace(pdftest.Plain(pdftest.Lines(hello)).Table(), "/Root", "/Info<</Title(x)>>/Root"), pages: hi},
		{name: "hybrid", comment: "a table whose XRefStm has the object that it leaves out", data: hybrid(), pages: hi},
	}
}

func deepTree(depth int) []byte {
	w := &pdftest.Writer{}
	f := w.Add(pdftest.Helvetica)
	c := w.Stream("", []byte(pdftest.Lines(hello)))
	w.Add("<</Type/Page/Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>>>>>", c, f)
	for range depth {
		w.Add("<</Type/Pages/Count 1/Kids[%d 0 R]>>", len(w.Objects))
	}
	w.Root = w.Add("<</Type/Catalog/Pages %d 0 R>>", len(w.Objects))
	return w.Table()
}

func inheritedResources() []byte {
	w := &pdftest.Writer{}
	f := w.Add(pdftest.Helvetica)
	c := w.Stream("", []byte(pdftest.Lines(hello)))
	w.Add("<</Type/Page/Parent 4 0 R/Contents %d 0 R>>", c)
	w.Add("<</Type/Pages/Count 1/Kids[3 0 R]/Resources<</Font<</F1 %d 0 R>>>>>>", f)
	w.Root = w.Add("<</Type/Catalog/Pages 4 0 R>>")
	return w.Table()
}

func updated() []byte {
	w := pdftest.Plain(pdftest.Lines("Older"))
	data := w.Table()
	content := pdftest.Lines("Newer")
	return incremental(data, 2, fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content), xrefAt(data), w.Root)
}

func contentArray() []byte {
	w := &pdftest.Writer{}
	f := w.Add(pdftest.Helvetica)
	a := w.Stream("", []byte("BT /F1 12 Tf 72 700 Td (Hello,) Tj"))
	b := w.Stream("", []byte("( world) Tj ET"))
	w.Add("<</Type/Page/Parent 5 0 R/Contents[%d 0 R %d 0 R]/Resources<</Font<</F1 %d 0 R>>>>>>", a, b, f)
	w.Add("<</Type/Pages/Count 1/Kids[4 0 R]>>")
	w.Root = w.Add("<</Type/Catalog/Pages 5 0 R>>")
	return w.Table()
}

// hybrid frees the page object in the table and gives it in a cross-reference stream that XRefStm names.
func hybrid() []byte {
	data := pdftest.Plain(pdftest.Lines(hello)).Table()
	at := xrefAt(data)
	off := strings.Index(string(data), "3 0 obj")
	entry := fmt.Sprintf("%010d 00000 n", off)
	body := append([]byte(nil), data[:at]...)
	stm := len(body)
	row := []byte{1, byte(off >> 8), byte(off)}
	body = fmt.Appendf(body, "9 0 obj\n<</Type/XRef/W[1 2 0]/Index[3 1]/Size 10/Length 3>>\nstream\n%s\nendstream\nendobj\n", row)
	start := len(body)
	table := replace(data[at:], entry, "0000000000 00000 f")
	table = replace(table, "/Root", fmt.Sprintf("/XRefStm %d/Root", stm))
	table = replace(table, fmt.Sprintf("startxref\n%d", at), fmt.Sprintf("startxref\n%d", start))
	return append(body, table...)
}

func repairVectors() []vector {
	return []vector{
		one("junk-before", "junk before the header; offsets count from the header", func(b []byte) []byte {
			return append([]byte("HTTP/1.1 200 OK\r\n\r\n"), b...)
		}),
		one("junk-before-long", "the header lies behind 2,000 bytes of junk", func(b []byte) []byte { return append(make([]byte, 2000), b...) }),
		one("header-missing", "no header at all", func(b []byte) []byte { return replace(b, "%PDF-1.7\n", "") }),
		one("junk-behind", "3,000 bytes of zeros behind the end", func(b []byte) []byte { return append(b, make([]byte, 3000)...) }),
		one("no-eof", "the last line is missing", func(b []byte) []byte { return replaceLast(b, "%%EOF\n", "") }),
		one("header-space", "a blank behind the version", func(b []byte) []byte { return replace(b, "%PDF-1.7\n", "%PDF-1.7 \n") }),
		one("no-xref", "no cross-references at all", func(b []byte) []byte { return b[:xrefAt(b)] }),
		one("startxref-wrong", "startxref points into an object", func(b []byte) []byte {
			return replaceLast(b, fmt.Sprintf("startxref\n%d", xrefAt(b)), "startxref\n40")
		}),
		one("startxref-huge", "startxref points behind the end", func(b []byte) []byte {
			return replaceLast(b, fmt.Sprintf("startxref\n%d", xrefAt(b)), "startxref\n99999999999999999999")
		}),
		one("offsets-shifted", "every offset is 7 too high", func(b []byte) []byte { return shifted(b, 7) }),
		one("xref-from-1", "the table counts from 1", func(b []byte) []byte { return replace(b, "xref\n0 ", "xref\n1 ") }),
		one("xref-count-high", "the table promises more entries than it has", func(b []byte) []byte { return replace(b, "xref\n0 6", "xref\n0 9") }),
		one("size-huge", "a Size of 4 G", func(b []byte) []byte { return replace(b, "/Size 6", "/Size 4294967295") }),
		one("root-wrong", "the trailer's Root is no catalog", func(b []byte) []byte { return replace(b, "/Root 5 0 R", "/Root 1 0 R") }),
		one("no-trailer", "no trailer dictionary", func(b []byte) []byte { return b[:len(b)-len(b[strings.LastIndex(string(b), "trailer"):])] }),
		one("prev-loop", "Prev points to its own table", func(b []byte) []byte {
			return replace(b, "/Root", fmt.Sprintf("/Prev %d/Root", xrefAt(b)))
		}),
		one("length-short", "a stream's Length is too small", func(b []byte) []byte { return shiftLength(b, -20) }),
		one("length-long", "a stream's Length is too large", func(b []byte) []byte { return shiftLength(b, 1<<30) }),
		one("length-missing", "a stream without Length", func(b []byte) []byte { return replace(b, "/Length", "/Longth") }),
		one("length-circular", "a stream's Length is the stream itself", func(b []byte) []byte {
			return lengthRegexp.ReplaceAll(b, []byte("/Length 2 0 R"))
		}),
		one("endobj-missing", "an object without endobj", func(b []byte) []byte { return replace(b, "\nendobj", "\n") }),
		one("truncated", "the file ends inside its table", func(b []byte) []byte { return b[:xrefAt(b)+30] }),
		{name: "kids-self", comment: "the page tree's root is its own kid", pages: hi, warn: []string{"partial"},
			data: replace(pdftest.Plain(pdftest.Lines(hello)).Table(), "/Kids[3 0 R]", "/Kids[4 0 R 3 0 R]")},
		{name: "kids-only-self", comment: "the page tree's root has only itself as kid; the page is found by searching", pages: hi,
			data: replace(pdftest.Plain(pdftest.Lines(hello)).Table(), "/Kids[3 0 R]", "/Kids[4 0 R]")},
		{name: "kid-missing", comment: "one of three pages is not there", pages: []string{"One\n", "Three\n"}, warn: []string{"partial"},
			data: replace(pdftest.Plain(pdftest.Lines("One"), pdftest.Lines("Two"), pdftest.Lines("Three")).Table(), "5 0 R", "77 0 R")},
		{name: "prev-chain-lost", comment: "Prev points nowhere; the objects are found by searching", pages: hi,
			data: replace(pdftest.Plain(pdftest.Lines(hello)).Table(), "/Root", "/Prev 99999999/Root")},
	}
}

func filterVectors() []vector {
	with := func(name, comment, filter string, data []byte) vector {
		w := &pdftest.Writer{}
		f := w.Add(pdftest.Helvetica)
		c := w.Stream(filter, data)
		w.Add("<</Type/Page/Parent 4 0 R/Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>>>>>", c, f)
		w.Add("<</Type/Pages/Count 1/Kids[3 0 R]>>")
		w.Root = w.Add("<</Type/Catalog/Pages 4 0 R>>")
		return vector{name: name, comment: comment, data: w.Table(), pages: hi}
	}
	text := pdftest.Lines(hello)
	z := pdftest.Deflate(text)
	partial := func(v vector, pages ...string) vector { v.pages, v.warn = pages, []string{"partial"}; return v }
	return []vector{
		with("flate", "FlateDecode", "/Filter/FlateDecode", z),
		with("flate-array", "one filter in an array", "/Filter[/FlateDecode]", z),
		with("flate-checksum", "the checksum is wrong", "/Filter/FlateDecode", append(z[:len(z)-2:len(z)-2], 0, 0)),
		with("flate-eol", "an end of line too many before the data", "/Filter/FlateDecode", append([]byte("\r\n"), z...)),
		partial(with("flate-damaged", "the data break off", "/Filter/FlateDecode", pdftest.Deflate(pdftest.Lines(numbers(100)...))[:150]), strings.Join(numbers(19), "\n")+"\n"),
		with("lzw", "LZWDecode", "/Filter/LZWDecode", lzwLiterals(text)),
		with("ascii-hex", "ASCIIHexDecode", "/Filter/ASCIIHexDecode", fmt.Appendf(nil, "%X>", text)),
		with("ascii85-flate", "ASCII85Decode, then FlateDecode", "/Filter[/ASCII85Decode/FlateDecode]", []byte(ascii85Encode(string(z)))),
		with("run-length", "RunLengthDecode", "/Filter/RunLengthDecode", append(append([]byte{byte(len(text) - 1)}, text...), 128)),
		with("predictor-png", "content with PNG prediction", "/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 4>>",
			pdftest.Deflate(string(pdftest.PNGUp([]byte(text+strings.Repeat(" ", (4-len(text)%4)%4)), 4)))),
		{name: "filter-unknown", comment: "a filter that nobody knows", pages: []string{""}, warn: []string{"partial"},
			data: with("", "", "/Filter/NoSuchDecode", []byte(text)).data},
	}
}

func refusedVectors() []vector {
	bad := func(name, comment string, data []byte) vector {
		return vector{name: name, comment: comment, data: data, code: readapi.CodeMalformed}
	}
	sound := pdftest.Plain(pdftest.Lines(hello)).Table()
	return []vector{
		bad("not-pdf", "prose that begins like a PDF", []byte("%PDF-1.4 not really a pdf")),
		bad("no-header-no-tree", "no header, and objects that no page tree leads to", []byte("1 0 obj<</Type/Page/Contents 2 0 R>>endobj trailer<<>>")),
		bad("empty", "no bytes at all", nil),
		bad("no-pages", "a page tree without pages", pdftest.Plain().Table()),
		bad("null-pages", "the catalog has no page tree and the file no page", replace(replace(sound, "/Pages 4 0 R", "/Pagez 4 0 R"), "/Type/Page/", "/Type/Pane/")),
		{name: "unit-beyond", comment: "page 2 of 1", data: sound, units: "2", code: readapi.CodeInvalidRequest},
	}
}
