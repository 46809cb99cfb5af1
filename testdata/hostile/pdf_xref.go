package hostile

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// tailed is a sound document whose last section is replaced: %d in section stands for the offset where it begins, which startxref names.
func tailed(section string) []byte {
	b := showing(hello)
	b = b[:bytes.LastIndex(b, []byte("xref\n0"))]
	return join(b, strings.ReplaceAll(section, "%d", strconv.Itoa(len(b))), fmt.Sprintf("\nstartxref\n%d\n%%%%EOF\n", len(b)))
}

const root = "/Root 5 0 R/Size 6" // of what showing makes

func pdfXrefFiles() []File {
	return []File{
		pdf("pdf-prev-self", shows(said), func() []byte { return tailed("xref\n0 1\n0000000000 65535 f \ntrailer<<" + root + "/Prev %d>>") }),
		pdf("pdf-prev-chain", shows(said), func() []byte { // twenty thousand sections, each before the other
			var b bytes.Buffer
			b.Write(showing(hello))
			last := 0
			for range 20_000 {
				at := b.Len()
				fmt.Fprintf(&b, "xref\n0 0\ntrailer<<"+root+"/Prev %d>>\n", last)
				last = at
			}
			fmt.Fprintf(&b, "startxref\n%d\n%%%%EOF\n", last)
			return b.Bytes()
		}),
		pdf("pdf-prev-everywhere", shows(said).or(limitFuel), func() []byte { // overlapping: every offset is a section
			return tailed("xref\n0 0\ntrailer<<" + root + "/Prev %d/XRefStm %d>>" + repeat(" ", 4096))
		}),
		pdf("pdf-xref-4-milliard", shows(said), func() []byte { return tailed("xref\n0 4294967295\n0000000000 65535 f \ntrailer<<" + root + ">>") }),
		pdf("pdf-xref-high", shows(said), func() []byte {
			return tailed("xref\n8388600 9\n" + repeat("0000000009 00000 n \n", 9) + "trailer<<" + root + ">>")
		}),
		pdf("pdf-xref-300000", shows(said), func() []byte {
			return tailed("xref\n0 300000\n" + repeat("0000000009 00000 n \n", 300_000) + "trailer<<" + root + ">>")
		}),
		pdf("pdf-xref-sections", shows(said), func() []byte {
			return tailed("xref\n" + repeat("1 1\n0000000009 00000 n \n", 100_000) + "trailer<<" + root + ">>")
		}),
		pdf("pdf-xref-empty-sections", shows(said), func() []byte { return tailed("xref\n" + repeat("1 0\n", 1<<18) + "trailer<<" + root + ">>") }),
		pdf("pdf-xref-lies", shows(said), func() []byte {
			return tailed("xref\n0 6\n" + repeat("0000000011 00000 n \n", 6) + "trailer<<" + root + ">>")
		}),
		pdf("pdf-xref-negative", shows(said), func() []byte {
			return tailed("xref\n-5 6\n" + repeat("-000000011 00000 n \n", 6) + "trailer<<" + root + ">>")
		}),
		pdf("pdf-size-4-milliard", shows(said), func() []byte { return tailed("xref\n0 1\n0000000000 65535 f \ntrailer<</Root 5 0 R/Size 4294967295>>") }),
		pdf("pdf-startxref-chain", shows(said), func() []byte { return join(showing(hello), repeat("startxref\n99999999999999999999\n%%EOF\n", 10_000)) }),
		pdf("pdf-trailer-deep", shows(said), func() []byte {
			return tailed("xref\n0 0\ntrailer<<" + root + "/X" + repeat("[", 100_000) + repeat("]", 100_000) + ">>")
		}),
		pdf("pdf-trailers-10000", shows(said), func() []byte {
			return join(showing(hello), repeat("trailer<</Root 1 0 R/Prev 9>>\n", 10_000), "startxref\n0\n%%EOF")
		}),
		pdf("pdf-root-missing", shows(said), func() []byte { return tailed("xref\n0 0\ntrailer<</Root 99 0 R/Size 6>>") }),
		pdf("pdf-root-everything", ends("", malformed), func() []byte {
			return tailed("xref\n0 0\ntrailer<</Root 2 0 R/Info 2 0 R/Encrypt null/ID 2 0 R/Size 6>>")
		}),
	}
}

func pdfXrefStreamFiles() []File {
	return []File{
		pdf("pdf-xref-stream-bomb", shows(said).or(malformed), func() []byte {
			return tailed(string(xrefStream("/W[1 4 2]/Index[0 4294967295]", deflated("\x01\x00\x00\x00\x09\x00\x00", 20<<20))))
		}),
		pdf("pdf-xref-stream-free", shows(said).or(malformed), func() []byte { return tailed(string(xrefStream("/W[0 0 8]", deflated("\x00", 40<<20)))) }),
		pdf("pdf-xref-stream-widths", shows(said), func() []byte {
			return tailed(string(xrefStream("/W[2147483647 2147483647 2147483647]", deflated("\x00", 1<<10))))
		}),
		pdf("pdf-xref-stream-widths-0", shows(said), func() []byte {
			return tailed(string(xrefStream("/W[0 0 0]/Index[0 99999999]", deflated("\x00", 1<<10))))
		}),
		pdf("pdf-xref-stream-index", shows(said), func() []byte {
			return tailed(string(xrefStream("/W[1 2 1]/Index["+repeat("0 0 ", 60_000)+"]", deflated("\x00", 1<<10))))
		}),
		pdf("pdf-xref-stream-predictor", shows(said), func() []byte {
			return tailed(string(xrefStream("/W[1 2 1]/DecodeParms<</Predictor 15/Columns 2147483647/Colors 2147483647/BitsPerComponent 2147483647>>", deflated("\x04", 1<<20))))
		}),
		pdf("pdf-xref-stream-prev", shows(said), func() []byte {
			return tailed(string(xrefStream("/W[1 2 1]/Prev %d/XRefStm %d", deflated("\x00", 1<<10))))
		}),
	}
}

func xrefStream(dict string, z []byte) []byte {
	return join(fmt.Sprintf("9 0 obj<</Type/XRef%s%s/Filter/FlateDecode/Length %d>>stream\n", root, dict, len(z)), z, "\nendstream\nendobj")
}

// packed is a document whose catalog, tree and page lie in an object stream with the given number of itself. index begins the stream; it
// is told as n objects with the first one at first.
func packed(extra, index string, n, first int, objects string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var rows []byte
	row := func(kind byte, x, y int) {
		rows = append(rows, kind, byte(x>>24), byte(x>>16), byte(x>>8), byte(x), byte(y))
	}
	row(0, 0, 0)
	for i := range 4 { // 1 to 4 lie in 5
		row(2, 5, i)
	}
	row(1, b.Len(), 0)
	z := deflate([]byte(index + objects))
	fmt.Fprintf(&b, "5 0 obj<</Type/ObjStm/N %d/First %d%s/Filter/FlateDecode/Length %d>>stream\n%s\nendstream\nendobj\n", n, first, extra, len(z), z)
	row(1, b.Len(), 0)
	fmt.Fprintf(&b, "6 0 obj<</Length %d>>stream\n%s\nendstream\nendobj\n", len(hello), hello)
	start := b.Len()
	fmt.Fprintf(&b, "7 0 obj<</Type/XRef/Size 7/W[1 4 1]/Root 1 0 R/Length %d>>stream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", len(rows), rows, start)
	return b.Bytes()
}

func pdfObjectStreamFiles() []File {
	const (
		catalog = "<</Type/Catalog/Pages 2 0 R>> "
		tree    = "<</Type/Pages/Kids[3 0 R]/Count 1>> "
		leaf    = "<</Type/Page/Contents 6 0 R/Resources<</Font<</F1 4 0 R>>>>>> "
	)
	objects := catalog + tree + leaf + helvetica
	index := fmt.Sprintf("1 0 2 %d 3 %d 4 %d ", len(catalog), len(catalog+tree), len(catalog+tree+leaf))
	return []File{
		pdf("pdf-objstm-sound", shows(said), func() []byte { return packed("", index, 4, len(index), objects) }),
		pdf("pdf-objstm-bomb", shows(said), func() []byte { return packed("", index, 4, len(index), objects+repeat(" ", 40<<20)) }),
		pdf("pdf-objstm-bomb-over", ends(malformed, limitMemory).or(""), func() []byte { return packed("", index, 4, len(index), repeat(" ", 100<<20)+objects) }),
		pdf("pdf-objstm-n-2-31", shows(said), func() []byte { return packed("", index, 1<<31-1, len(index), objects) }),
		pdf("pdf-objstm-n-negative", ends("", malformed), func() []byte { return packed("", index, -1, len(index), objects) }),
		pdf("pdf-objstm-first-over-end", ends("", malformed), func() []byte { return packed("", index, 4, 1<<31-1, objects) }),
		pdf("pdf-objstm-extends-itself", shows(said), func() []byte { return packed("/Extends 5 0 R", index, 4, len(index), objects) }),
		pdf("pdf-objstm-length-inside", shows(said).or(malformed), func() []byte { // its length lies in itself
			b := packed("", index, 4, len(index), objects)
			i := bytes.Index(b, []byte("/Length "))
			j := i + bytes.IndexByte(b[i:], '>')
			return join(b[:i], "/Length 4 0 R"+repeat(" ", max(0, j-i-13)), b[j:])
		}),
		pdf("pdf-objstm-in-itself", ends("", malformed), func() []byte {
			i := "5 0 1 0 2 0 3 0 4 0 "
			return packed("", i, 5, len(i), "<</Type/ObjStm/N 1/First 0/Length 5 0 R>>")
		}),
		pdf("pdf-objstm-one-place", ends("", malformed), func() []byte { // a hundred thousand objects at the same place
			i := repeat("1 0 2 0 3 0 4 0 ", 25_000)
			return packed("", i, 100_000, len(i), catalog+repeat("[", 100_000))
		}),
		pdf("pdf-objstm-offsets-wild", ends("", malformed), func() []byte {
			i := "1 4294967295 2 -1 3 99999999999999999999 4 0 "
			return packed("", i, 4, len(i), objects)
		}),
		pdf("pdf-objstm-flate-20", ends("", malformed), func() []byte {
			return packed("/DecodeParms["+repeat("null ", 20)+"]/Filter["+repeat("/FlateDecode ", 20)+"]", index, 4, len(index), objects)
		}),
	}
}

func pdfCutFiles() []File {
	var out []File
	whole := func() []byte { return packedPages(3) }
	for _, part := range []int{1, 10, 25, 40, 50, 60, 75, 90, 99} {
		out = append(out, pdf(fmt.Sprintf("pdf-cut-%02d", part), ends("", malformed), func() []byte { b := whole(); return b[:len(b)*part/100] }).lacking("\x00"))
		out = append(out, pdf(fmt.Sprintf("pdf-cut-front-%02d", part), ends("", malformed, noDecoder), func() []byte { b := whole(); return b[len(b)*part/100:] }))
	}
	return out
}

// packedPages is a sound document of n pages.
func packedPages(n int) []byte {
	d := &document{}
	font := d.add(helvetica)
	var kids string
	for i := range n {
		content := d.stream("/Filter/FlateDecode", deflate([]byte(strings.Replace(hello, "out there", fmt.Sprintf("page %d", i+1), 1))))
		kids += fmt.Sprintf("%d 0 R ", d.add("<</Type/Page/Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>>>>>", content, font))
	}
	tree := d.add("<</Type/Pages/Kids[%s]/Count %d>>", kids, n)
	return d.bytes(d.add("<</Type/Catalog/Pages %d 0 R>>", tree))
}
