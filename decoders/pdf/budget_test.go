package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
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
	zeros := bomb("\x00", 200<<20)
	twice := deflate(string(zeros))
	for _, c := range []struct {
		name string
		data []byte
		warn string
		code readapi.Code
	}{
		{name: "200 MiB of zeros", data: bombFile(1, flate, zeros, ""), warn: readapi.WarnPartial},
		{name: "200 MiB of zeros, compressed twice", data: bombFile(1, "/Filter[/FlateDecode/FlateDecode]", twice, ""), warn: readapi.WarnPartial},
		{name: "20 million operators", data: bombFile(1, flate, bomb("q Q ", 80<<20), ""), warn: readapi.WarnPartial},
		{name: "30 million numbers", data: bombFile(1, flate, bomb("1 ", 60<<20), ""), warn: readapi.WarnPartial},
		{name: "2 million characters", data: bombFile(1, flate, bomb("BT /F1 9 Tf ("+strings.Repeat("x", 400)+") Tj ET ", 3<<20), ""), warn: readapi.WarnPartial},
		{name: "2 million fonts", data: bombFile(1, flate, bomb("/F1 9 Tf /G 9 Tf ", 17<<20), ""), warn: readapi.WarnNoTextLayer},
		{name: "forms that draw themselves 20 times", data: bombFile(1, "", []byte("/X Do"), strings.Repeat("/X Do ", 20)), warn: readapi.WarnPartial},
		{name: "100 pages of zeros", data: bombFile(100, flate, zeros, ""), code: readapi.CodeLimitFuel},
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
