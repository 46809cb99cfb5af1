// Package pdftest makes PDF files for tests, sound ones and faulty ones: nothing in the tests of this decoder comes from anywhere else.
package pdftest

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
	"sync"
)

// Writer makes PDF files for tests, sound ones and, with the fields that break rules, faulty ones.
type Writer struct {
	Objects []string // bodies, from number 1; streams with their data
	Root    int
	Info    int
	Extra   string // more entries of the trailer
	Header  string // "" is the usual one

	seal *sealer // nil: not encrypted
}

// Add appends an object and returns its number.
func (w *Writer) Add(format string, args ...any) int {
	w.Objects = append(w.Objects, fmt.Sprintf(format, args...))
	return len(w.Objects)
}

// Stream appends a stream; dict holds its entries but for Length.
func (w *Writer) Stream(dict string, data []byte) int {
	return w.Add("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(data), data)
}

// Deflate compresses as zlib does.
func Deflate(data string) []byte {
	var b bytes.Buffer
	z := deflaters.Get().(*zlib.Writer)
	defer deflaters.Put(z)
	z.Reset(&b)
	z.Write([]byte(data))
	z.Close()
	return b.Bytes()
}

// deflaters are kept, as each takes most of a megabyte.
var deflaters = sync.Pool{New: func() any { return zlib.NewWriter(nil) }}

// Flate appends a compressed stream.
func (w *Writer) Flate(dict, data string) int {
	return w.Stream(dict+"/Filter/FlateDecode", Deflate(data))
}

// Helvetica is the dictionary of a standard font.
const Helvetica = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"

// Pages adds a page tree with one page for each content, with the given resources, and the catalog.
func (w *Writer) Pages(resources string, contents ...string) {
	var kids []string
	tree := len(w.Objects) + 2*len(contents) + 1
	for _, c := range contents {
		content := w.Stream("", []byte(c))
		page := w.Add("<</Type/Page/Parent %d 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<<%s>>>>", tree, content, resources)
		kids = append(kids, fmt.Sprintf("%d 0 R", page))
	}
	w.Add("<</Type/Pages/Count %d/Kids[%s]>>", len(kids), strings.Join(kids, " "))
	w.Root = w.Add("<</Type/Catalog/Pages %d 0 R>>", tree)
}

// Plain is a document with one page for each content and Helvetica as F1.
func Plain(contents ...string) *Writer {
	w := &Writer{}
	f := w.Add(Helvetica)
	w.Pages(fmt.Sprintf("/Font<</F1 %d 0 R>>", f), contents...)
	return w
}

// Lines is content that shows each line of text.
func Lines(text ...string) string {
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
func (w *Writer) body(b *bytes.Buffer) (offsets []int) {
	header := w.Header
	if header == "" {
		header = "%PDF-1.7\n"
	}
	b.WriteString(header)
	for i, o := range w.Objects {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(b, "%d 0 obj\n%s\nendobj\n", i+1, w.seal.body(o, i+1))
	}
	return offsets
}

func (w *Writer) trailer(size int) string {
	s := fmt.Sprintf("/Size %d/Root %d 0 R%s", size, w.Root, w.Extra)
	if w.Info > 0 {
		s += fmt.Sprintf("/Info %d 0 R", w.Info)
	}
	return s
}

// Table returns the file with a cross-reference table.
func (w *Writer) Table() []byte {
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

// Packed returns the file with every object that is no stream in an object stream, and a cross-reference stream; predictor 12 is used if
// predict is set.
func (w *Writer) Packed(predict bool) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	type row struct{ kind, a, b int }
	rows := []row{{0, 0, 65535}}
	var index, data strings.Builder
	pack, n := len(w.Objects)+1, 0
	for i, o := range w.Objects {
		if strings.Contains(o, "stream\n") || w.seal != nil && w.seal.num == i+1 {
			rows = append(rows, row{1, b.Len(), 0})
			fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, w.seal.body(o, i+1))
			continue
		}
		rows = append(rows, row{2, pack, n})
		fmt.Fprintf(&index, "%d %d ", i+1, data.Len())
		data.WriteString(o + "\n")
		n++
	}
	rows = append(rows, row{1, b.Len(), 0})
	body := Deflate(index.String() + data.String())
	stream := fmt.Sprintf("<</Type/ObjStm/N %d/First %d/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream", n, index.Len(), len(body), body)
	fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", pack, w.seal.body(stream, pack))
	start := b.Len()
	rows = append(rows, row{1, start, 0})
	var table []byte
	for _, r := range rows {
		table = append(table, byte(r.kind), byte(r.a>>24), byte(r.a>>16), byte(r.a>>8), byte(r.a), byte(r.b>>8), byte(r.b))
	}
	parms := ""
	if predict {
		table, parms = PNGUp(table, 7), "/DecodeParms<</Predictor 12/Columns 7>>"
	}
	z := Deflate(string(table))
	fmt.Fprintf(&b, "%d 0 obj\n<</Type/XRef/W[1 4 2]%s%s/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n",
		pack+1, w.trailer(len(rows)), parms, len(z), z, start)
	return b.Bytes()
}

// PNGUp applies the PNG filter Up.
func PNGUp(data []byte, row int) (out []byte) {
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

// ToUnicodeMap is a ToUnicode CMap of two-byte codes.
func ToUnicodeMap(body string) string {
	return "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n" +
		"1 begincodespacerange <0000> <ffff> endcodespacerange\n" + body + "\nendcmap end end\n"
}

// CIDFont adds a composite font with Identity-H and a ToUnicode CMap and returns its number.
func (w *Writer) CIDFont(toUnicode string) int {
	cid := w.Add("<</Type/Font/Subtype/CIDFontType2/BaseFont/Test/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 500/W[3[600 700]5 9 400]>>")
	tu := w.Flate("", ToUnicodeMap(toUnicode))
	return w.Add("<</Type/Font/Subtype/Type0/BaseFont/Test/Encoding/Identity-H/DescendantFonts[%d 0 R]/ToUnicode %d 0 R>>", cid, tu)
}
