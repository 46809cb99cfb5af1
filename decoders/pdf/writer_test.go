package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// pdfWriter makes PDF files for tests, sound ones and, with the fields that break rules, faulty ones.
type pdfWriter struct {
	objects []string // bodies, from number 1; streams with their data
	root    int
	info    int
	extra   string // more entries of the trailer
	header  string // "" is the usual one
}

// add appends an object and returns its number.
func (w *pdfWriter) add(format string, args ...any) int {
	w.objects = append(w.objects, fmt.Sprintf(format, args...))
	return len(w.objects)
}

// stream appends a stream; dict holds its entries but for Length.
func (w *pdfWriter) stream(dict string, data []byte) int {
	return w.add("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(data), data)
}

func deflate(data string) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write([]byte(data))
	z.Close()
	return b.Bytes()
}

// flate appends a compressed stream.
func (w *pdfWriter) flate(dict, data string) int {
	return w.stream(dict+"/Filter/FlateDecode", deflate(data))
}

const helvetica = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"

// pages adds a page tree with one page for each content, with the given resources, and the catalog.
func (w *pdfWriter) pages(resources string, contents ...string) {
	var kids []string
	tree := len(w.objects) + 2*len(contents) + 1
	for _, c := range contents {
		content := w.stream("", []byte(c))
		page := w.add("<</Type/Page/Parent %d 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<<%s>>>>", tree, content, resources)
		kids = append(kids, fmt.Sprintf("%d 0 R", page))
	}
	w.add("<</Type/Pages/Count %d/Kids[%s]>>", len(kids), strings.Join(kids, " "))
	w.root = w.add("<</Type/Catalog/Pages %d 0 R>>", tree)
}

// plain is a document with one page for each content and Helvetica as F1.
func plain(contents ...string) *pdfWriter {
	w := &pdfWriter{}
	f := w.add(helvetica)
	w.pages(fmt.Sprintf("/Font<</F1 %d 0 R>>", f), contents...)
	return w
}

// lines is content that shows each line of text.
func lines(text ...string) string {
	var b strings.Builder
	b.WriteString("BT /F1 12 Tf 14 TL 72 700 Td")
	for i, l := range text {
		if i > 0 {
			b.WriteString(" T*")
		}
		fmt.Fprintf(&b, " (%s) Tj", l)
	}
	return b.String() + " ET"
}

// body writes header and objects and returns the offsets.
func (w *pdfWriter) body(b *bytes.Buffer) (offsets []int) {
	header := w.header
	if header == "" {
		header = "%PDF-1.7\n"
	}
	b.WriteString(header)
	for i, o := range w.objects {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	return offsets
}

func (w *pdfWriter) trailer(size int) string {
	s := fmt.Sprintf("/Size %d/Root %d 0 R%s", size, w.root, w.extra)
	if w.info > 0 {
		s += fmt.Sprintf("/Info %d 0 R", w.info)
	}
	return s
}

// table returns the file with a cross-reference table.
func (w *pdfWriter) table() []byte {
	var b bytes.Buffer
	offsets := w.body(&b)
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, off := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", off)
	}
	fmt.Fprintf(&b, "trailer\n<<%s>>\nstartxref\n%d\n%%%%EOF\n", w.trailer(len(offsets)+1), start)
	return b.Bytes()
}

// packed returns the file with every object that is no stream in an object stream, and a cross-reference stream; predictor 12 is used if
// predict is set.
func (w *pdfWriter) packed(predict bool) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	type row struct{ kind, a, b int }
	rows := []row{{0, 0, 65535}}
	var index, data strings.Builder
	pack, n := len(w.objects)+1, 0
	for i, o := range w.objects {
		if strings.Contains(o, "stream\n") {
			rows = append(rows, row{1, b.Len(), 0})
			fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
			continue
		}
		rows = append(rows, row{2, pack, n})
		fmt.Fprintf(&index, "%d %d ", i+1, data.Len())
		data.WriteString(o + "\n")
		n++
	}
	rows = append(rows, row{1, b.Len(), 0})
	body := deflate(index.String() + data.String())
	fmt.Fprintf(&b, "%d 0 obj\n<</Type/ObjStm/N %d/First %d/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream\nendobj\n", pack, n, index.Len(), len(body), body)
	start := b.Len()
	rows = append(rows, row{1, start, 0})
	var table []byte
	for _, r := range rows {
		table = append(table, byte(r.kind), byte(r.a>>24), byte(r.a>>16), byte(r.a>>8), byte(r.a), byte(r.b>>8), byte(r.b))
	}
	parms := ""
	if predict {
		table, parms = pngUp(table, 7), "/DecodeParms<</Predictor 12/Columns 7>>"
	}
	z := deflate(string(table))
	fmt.Fprintf(&b, "%d 0 obj\n<</Type/XRef/W[1 4 2]%s%s/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n",
		pack+1, w.trailer(len(rows)), parms, len(z), z, start)
	return b.Bytes()
}

// pngUp applies the PNG filter Up.
func pngUp(data []byte, row int) (out []byte) {
	prev := make([]byte, row)
	for ; len(data) > 0; data = data[row:] {
		out = append(out, 2)
		for i, c := range data[:row] {
			out = append(out, c-prev[i])
		}
		prev = data[:row]
	}
	return out
}

// toUnicodeMap is a ToUnicode CMap of two-byte codes.
func toUnicodeMap(body string) string {
	return "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n" +
		"1 begincodespacerange <0000> <ffff> endcodespacerange\n" + body + "\nendcmap end end\n"
}

// cidFont adds a composite font with Identity-H and a ToUnicode CMap and returns its number.
func (w *pdfWriter) cidFont(toUnicode string) int {
	cid := w.add("<</Type/Font/Subtype/CIDFontType2/BaseFont/Test/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 500/W[3[600 700]5 9 400]>>")
	tu := w.flate("", toUnicodeMap(toUnicode))
	return w.add("<</Type/Font/Subtype/Type0/BaseFont/Test/Encoding/Identity-H/DescendantFonts[%d 0 R]/ToUnicode %d 0 R>>", cid, tu)
}
