package hostile

import (
	"bytes"
	"fmt"
	"strings"
)

// document is a PDF in the making: bodies of objects, from number 1.
type document struct {
	objects []string
	trailer string // more of its entries
}

// add appends an object and returns its number.
func (d *document) add(format string, args ...any) int {
	d.objects = append(d.objects, fmt.Sprintf(format, args...))
	return len(d.objects)
}

// stream appends a stream; dict are its entries but the length.
func (d *document) stream(dict string, data []byte) int {
	d.objects = append(d.objects, fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(data), data))
	return len(d.objects)
}

// bytes returns the file with a right cross-reference table.
func (d *document) bytes(root int) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var offsets []int
	for i, o := range d.objects {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, off := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", off)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root %d 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, root, d.trailer, start)
	return b.Bytes()
}

const (
	helvetica = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
	hello     = "BT /F1 12 Tf 72 700 Td (Hello out there) Tj ET\n"
)

// page adds a page with a content that is an object already, and the tree and catalog for it alone; it returns the catalog.
func (d *document) page(content int, resources string) int {
	font := d.add(helvetica)
	tree := len(d.objects) + 2
	page := d.add("<</Type/Page/Parent %d 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>%s>>>>", tree, content, font, resources)
	d.add("<</Type/Pages/Kids[%d 0 R]/Count 1>>", page)
	return d.add("<</Type/Catalog/Pages %d 0 R>>", tree)
}

// showing is a document of one page with this content.
func showing(content string) []byte {
	d := &document{}
	return d.bytes(d.page(d.stream("", []byte(content)), ""))
}

// with is a document that says hello and has these objects besides, from number 1; rest is put into the catalog.
func with(rest string, objects ...string) []byte {
	d := &document{objects: objects}
	root := d.page(d.stream("", []byte(hello)), "")
	d.objects[root-1] = strings.Replace(d.objects[root-1], "/Type/Catalog", "/Type/Catalog"+rest, 1)
	return d.bytes(root)
}

const said = "Hello out there"

func pdfStructureFiles() []File {
	plain := func() []byte { return showing(hello) }
	return []File{
		pdf("pdf-not-really", ends(malformed).or("", noDecoder), func() []byte { return []byte("%PDF-1.4 not really a pdf") }),
		pdf("pdf-header-alone", ends(malformed).or(""), func() []byte { return []byte("%PDF-1.7\n") }),
		pdf("pdf-headers", ends(malformed), func() []byte { return []byte("%PDF-1.7\n1 0 obj\n" + repeat("%PDF-1.7\n", 1<<20)) }),
		pdf("pdf-junk-before", shows(said), func() []byte { return join(repeat("junk\n", 200), plain()) }),
		pdf("pdf-junk-before-10-mib", ends("", malformed, noDecoder), func() []byte { return join(make([]byte, 10<<20), plain()) }),
		pdf("pdf-junk-behind-10-mib", shows(said), func() []byte { return join(plain(), make([]byte, 10<<20)) }),
		pdf("pdf-million-objects", shows(said), func() []byte { return join("%PDF-1.7\n", repeat("9 0 obj 0 endobj\n", 1_000_000), plain()) }),
		pdf("pdf-300000-numbers", shows(said).or(limitFuel), func() []byte {
			var b bytes.Buffer
			b.WriteString("%PDF-1.7\n")
			for i := range 300_000 {
				fmt.Fprintf(&b, "%d 0 obj 0 endobj\n", 100+i)
			}
			return join(b.Bytes(), plain())
		}),
		pdf("pdf-endobj-flood", ends("", malformed), func() []byte { return join("%PDF-1.7\n1 0 obj\n", repeat("endobj ", 2<<20)) }),
		pdf("pdf-endstream-flood", ends("", malformed), func() []byte {
			return join("%PDF-1.7\n1 0 obj<</Length 99999999>>stream\n", repeat("endstream endobj 1 0 obj<</Length 99999999>>stream\n", 100_000))
		}),
		pdf("pdf-arrays-10000-deep", shows(said), func() []byte { return with("/X 1 0 R", repeat("[", 10_000)+repeat("]", 10_000)) }),
		pdf("pdf-dicts-10000-deep", shows(said), func() []byte { return with("/X 1 0 R", repeat("<</A", 10_000)+" 0"+repeat(">>", 10_000)) }),
		pdf("pdf-mixed-million-deep", shows(said), func() []byte { return with("/X 1 0 R", repeat("[<</A", 1_000_000)) }),
		pdf("pdf-catalog-deep", shows(said).or(malformed), func() []byte { return with("/Pages" + repeat("[", 50_000)) }),
		pdf("pdf-parens-deep", shows(said), func() []byte { return with("/X 1 0 R", repeat("(", 1<<20)+repeat(")", 1<<20)) }),
		pdf("pdf-string-20-mib", shows(said), func() []byte { return with("/X 1 0 R", "("+repeat("A", 20<<20)+")") }),
		pdf("pdf-hex-20-mib", shows(said), func() []byte { return with("/X 1 0 R", "<"+repeat("4 1\n", 5<<20)+">") }),
		pdf("pdf-string-endless", shows(said).or(malformed), func() []byte { return join(plain(), "999 0 obj (", repeat("\\(", 5<<20)) }),
		pdf("pdf-name-1-mib", shows(said), func() []byte { return with("/X 1 0 R", "/"+repeat("#41", 1<<20)) }),
		pdf("pdf-names-escaped", shows(said), func() []byte {
			return bytes.ReplaceAll(bytes.ReplaceAll(plain(), []byte("/Pages"), []byte("/#50#61#67#65#73")), []byte("/Kids"), []byte("/K#69#64s"))
		}),
		pdf("pdf-comments", shows(said), func() []byte { return join(plain(), repeat("%\n", 4<<20)) }),
		pdf("pdf-numbers-long", shows(said), func() []byte {
			return with("/X 1 0 R/Y "+repeat("9", 1<<20), "[-"+repeat("1", 1<<20)+"."+repeat("1", 1<<20)+"]")
		}),
		pdf("pdf-reference-chain", shows(said).or(malformed), func() []byte {
			var o []string
			for i := range 20_000 {
				o = append(o, fmt.Sprintf("%d 0 R", i+2))
			}
			return with("/X 1 0 R/Lang 1 0 R", o...)
		}),
		pdf("pdf-reference-to-itself", shows(said), func() []byte { return with("/Lang 1 0 R/Outlines 2 0 R/PageMode 2 0 R", "1 0 R", "3 0 R", "2 0 R") }),
	}
}

// treeOf is a document whose page tree are these objects, the root being object 1; the catalog comes behind.
func treeOf(objects ...string) []byte {
	d := &document{objects: objects}
	return d.bytes(d.add("<</Type/Catalog/Pages 1 0 R>>"))
}

func pdfTreeFiles() []File {
	leaf := "<</Type/Page/MediaBox[0 0 9 9]>>"
	return []File{
		pdf("pdf-kids-self", ends(malformed), func() []byte { return treeOf("<</Type/Pages/Kids[1 0 R]/Count 1>>") }),
		pdf("pdf-kids-ring", ends(malformed), func() []byte {
			return treeOf("<</Type/Pages/Kids[2 0 R]/Count 1>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Pages/Kids[1 0 R]/Count 1>>")
		}),
		pdf("pdf-kids-dag", ends("", malformed, limitFuel), func() []byte { // two to the thirtieth leaves
			var o []string
			for i := range 30 {
				o = append(o, fmt.Sprintf("<</Type/Pages/Kids[%d 0 R %d 0 R]/Count %d>>", i+2, i+2, 1<<(30-i)))
			}
			return treeOf(append(o, leaf)...)
		}),
		pdf("pdf-kids-dag-trusted", ends("", malformed, limitFuel), func() []byte { // the same, but small enough to be believed
			var o []string
			for i := range 19 {
				o = append(o, fmt.Sprintf("<</Type/Pages/Kids[%d 0 R %d 0 R]/Count %d>>", i+2, i+2, 1<<(19-i)))
			}
			return treeOf(append(o, leaf)...)
		}),
		pdf("pdf-kids-100000-deep", ends("", malformed), func() []byte {
			var o []string
			for i := range 100_000 {
				o = append(o, fmt.Sprintf("<</Type/Pages/Kids[%d 0 R]/Count 1>>", i+2))
			}
			return treeOf(append(o, leaf)...)
		}),
		pdf("pdf-kids-1000-deep", ends("", malformed), func() []byte {
			var o []string
			for i := range 1000 {
				o = append(o, fmt.Sprintf("<</Type/Pages/Kids[%d 0 R]/Count 1/Parent %d 0 R>>", i+2, i))
			}
			return treeOf(append(o, leaf)...)
		}),
		pdf("pdf-kids-nested-arrays", ends("", malformed, limitDepth), func() []byte {
			return treeOf("<</Type/Pages/Kids "+repeat("[", 5000)+"2 0 R"+repeat("]", 5000)+"/Count 1>>", leaf)
		}),
		pdf("pdf-kids-60000", ends("", malformed, limitFuel), func() []byte { return treeOf("<</Type/Pages/Kids["+repeat("2 0 R ", 60_000)+"]/Count 60000>>", leaf) }),
		pdf("pdf-kids-null", ends(malformed), func() []byte { return treeOf("<</Type/Pages/Kids[" + repeat("null ", 100_000) + "]/Count 100000>>") }).or(""),
	}
}

func pdfCountFiles() []File {
	leaf := "<</Type/Page/MediaBox[0 0 9 9]>>"
	return []File{
		pdf("pdf-count-2-31", answers(), func() []byte { return treeOf("<</Type/Pages/Kids[2 0 R]/Count 2147483648>>", leaf) }),
		pdf("pdf-count-2-63", answers(), func() []byte { return treeOf("<</Type/Pages/Kids[2 0 R]/Count 9223372036854775807>>", leaf) }),
		pdf("pdf-count-negative", answers(), func() []byte { return treeOf("<</Type/Pages/Kids[2 0 R]/Count -2147483648>>", leaf) }),
		pdf("pdf-count-agrees", answers().or(malformed), func() []byte { // a million pages, say two nodes that are one
			return treeOf("<</Type/Pages/Kids[2 0 R 2 0 R]/Count 1000000>>", "<</Type/Pages/Kids[3 0 R]/Count 500000>>", leaf)
		}).units("999999"),
		pdf("pdf-count-agrees-all", ends("", malformed, limitFuel), func() []byte {
			return treeOf("<</Type/Pages/Kids[2 0 R 2 0 R]/Count 1000000>>", "<</Type/Pages/Kids[1 0 R]/Count 500000>>")
		}),
		pdf("pdf-parent-loop", answers(noText), func() []byte {
			return treeOf("<</Type/Pages/Kids[2 0 R]/Count 1/Parent 2 0 R>>", "<</Type/Page/Parent 2 0 R/Resources 2 0 R>>")
		}),
		pdf("pdf-resources-loop", shows("(").or(""), func() []byte { // resources whose entries are the page itself
			return treeOf("<</Type/Pages/Kids[2 0 R]/Count 1>>", "<</Type/Page/Resources<</Font 2 0 R/XObject 2 0 R>>/Type/Page/Contents 3 0 R/F1 2 0 R>>",
				"<</Length 44>>stream\nBT /F1 1 Tf (\\() Tj /F1 Do /Resources Do ET     \nendstream")
		}),
		pdf("pdf-no-tree", ends(malformed), func() []byte { return treeOf("null") }),
		pdf("pdf-tree-is-catalog", ends(malformed), func() []byte {
			d := &document{}
			return d.bytes(d.add("<</Type/Catalog/Pages 1 0 R/Kids[1 0 R]/Count 1>>"))
		}).or(""),
		pdf("pdf-media-box", shows(said), func() []byte {
			d := &document{}
			root := d.page(d.stream("", []byte(hello)), "")
			return bytes.Replace(d.bytes(root), []byte("[0 0 612 792]"), []byte("[-1e9 0 1e9 9]"), 1)
		}),
	}
}

// or adds codes with which the read of f may end as well.
func (f File) or(codes ...string) File {
	f.Want = f.Want.or(codes...)
	return f
}
