package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// bomb is size bytes made of piece, compressed without ever being whole in memory.
func bomb(piece string, size int) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	block := []byte(strings.Repeat(piece, 1+(64<<10)/len(piece)))
	for n := 0; n < size; n += len(block) {
		z.Write(block)
	}
	z.Close()
	return b.Bytes()
}

// bombFile is n pages that share one content stream, in whose resources X is a form.
func bombFile(n int, filter string, content []byte, form string) []byte {
	w := &pdfWriter{}
	f := w.add(helvetica)
	c := w.stream(filter, content)
	x := w.stream(fmt.Sprintf("/Subtype/Form/BBox[0 0 9 9]/Resources<</Font<</F1 %d 0 R>>/XObject<</X 3 0 R>>>>", f), []byte(form))
	var kids []string
	tree := len(w.objects) + n + 1
	for range n {
		kids = append(kids, fmt.Sprintf("%d 0 R", w.add("<</Type/Page/Parent %d 0 R/Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>/XObject<</X %d 0 R>>>>>>", tree, c, f, x)))
	}
	w.add("<</Type/Pages/Count %d/Kids[%s]>>", n, strings.Join(kids, " "))
	w.root = w.add("<</Type/Catalog/Pages %d 0 R>>", tree)
	return w.table()
}

// TestBombs reads files that ask for far more than they are. One page too many in work costs that page; a file of them ends the read.
func TestBombs(t *testing.T) {
	const flate = "/Filter/FlateDecode"
	zeros := bomb("\x00", 64<<20)
	twice := deflate(string(zeros))
	for _, c := range []struct {
		name string
		data []byte
		warn string
		code readapi.Code
	}{
		{name: "64 MiB of zeros", data: bombFile(1, flate, zeros, ""), warn: readapi.WarnPartial},
		{name: "64 MiB of zeros, compressed twice", data: bombFile(1, "/Filter[/FlateDecode/FlateDecode]", twice, ""), warn: readapi.WarnPartial},
		{name: "10 million operators", data: bombFile(1, flate, bomb("q Q ", 20<<20), ""), warn: readapi.WarnPartial},
		{name: "20 million numbers", data: bombFile(1, flate, bomb("1 ", 40<<20), ""), warn: readapi.WarnPartial},
		{name: "2 million characters", data: bombFile(1, flate, bomb("BT /F1 9 Tf ("+strings.Repeat("x", 400)+") Tj ET ", 3<<20), ""), warn: readapi.WarnPartial},
		{name: "2 million fonts", data: bombFile(1, flate, bomb("/F1 9 Tf /G 9 Tf ", 17<<20), ""), warn: readapi.WarnNoTextLayer},
		{name: "forms that draw themselves 20 times", data: bombFile(1, "", []byte("/X Do"), strings.Repeat("/X Do ", 20)), warn: readapi.WarnPartial},
		{name: "100 pages of operators", data: bombFile(100, flate, bomb("q Q ", 8<<20), ""), code: readapi.CodeLimitFuel},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := run(c.data, readapi.Request{})
			if readapi.CodeOf(err) != c.code {
				t.Fatalf("error %v, want code %q", err, c.code)
			}
			if err != nil {
				return
			}
			found := false
			for _, w := range res.Warnings {
				found = found || w.Code == c.warn && w.At == 1
			}
			if !found {
				t.Errorf("warnings %v, want %s", res.Warnings, c.warn)
			}
		})
	}
}

// TestAllocations reads files whose parts are far larger in memory than in the file.
func TestAllocations(t *testing.T) {
	const flate = "/Filter/FlateDecode"
	sound := plain(lines(hello))
	kids := replace(sound.table(), "/Kids[3 0 R]", "/Kids[3 0 R "+strings.Repeat("0 ", 8<<20)+"]")
	table := sound.table()
	table = append(table[:xrefAt(table):xrefAt(table)], "xref\n0 99999999\n"...)
	table = append(table, strings.Repeat("1 0 n ", 3<<20)...)
	table = fmt.Appendf(table, "startxref\n%d\n%%%%EOF", xrefAt(sound.table()))
	for _, c := range []struct {
		name string
		data []byte
	}{
		{"an array of 8 million numbers", kids},
		{"an object stream that is one array", packBomb()},
		{"a table of 3 million entries without a trailer", table},
		{"a CMap of 20 MiB", fontBomb(bomb("<00> <01> ", 20<<20))},
		{"a CMap of half a million ranges", fontBomb(bomb("1 beginbfchar <0001> <0041> endbfchar ", 20<<20))},
		{"a cross-reference stream of 40 MiB", xrefBomb()},
		{"a name of 30 MiB", bombFile(1, flate, bomb("x", 30<<20), "")},
		{"a string of 30 MiB", bombFile(1, flate, bomb("BT /F1 9 Tf (\\101", 30<<20), "")},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := run(c.data, readapi.Request{})
			runtime.ReadMemStats(&after)
			const most = 450 << 20 // in all; at one time it is far less
			if grown := after.TotalAlloc - before.TotalAlloc; grown > most {
				t.Errorf("%d MiB are allocated for a file of %d KiB", grown>>20, len(c.data)>>10)
			} else {
				t.Logf("%d MiB for %d KiB, error %v", grown>>20, len(c.data)>>10, err)
			}
		})
	}
}

// packBomb has its catalog in an object stream, whose first object is an array of 20 million numbers.
func packBomb() []byte {
	w := plain(lines(hello))
	w.objects[0] = "[" + strings.Repeat("0 ", 20<<20) + "]"
	return w.packed(false)
}

// fontBomb is a page in a font with a ToUnicode CMap of compressed data.
func fontBomb(data []byte) []byte {
	w := &pdfWriter{}
	tu := w.stream("/Filter/FlateDecode", data)
	f := w.add("<</Type/Font/Subtype/Type1/BaseFont/Test/ToUnicode %d 0 R>>", tu)
	w.pages(fmt.Sprintf("/Font<</F1 %d 0 R>>", f), lines(hello))
	return w.table()
}

// xrefBomb is a cross-reference stream of 40 MiB in which every object stands at offset 9.
func xrefBomb() []byte {
	b := []byte("%PDF-1.7\n")
	start := len(b)
	z := bomb("\x01\x00\x09\x00", 40<<20)
	b = fmt.Appendf(b, "1 0 obj\n<</Type/XRef/W[1 2 1]/Size 99999999/Root 1 0 R/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream\nendobj\n", len(z), z)
	return fmt.Appendf(b, "startxref\n%d\n%%%%EOF\n", start)
}
