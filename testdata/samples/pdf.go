package samples

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// PDF returns a PDF 1.4 with one page per element of pages, a line per string, set in Helvetica. The text is ASCII; ( ) and \ are escaped.
// The streams are compressed and the cross-reference table is right (ISO 32000-1, 7.5.4).
func PDF(pages [][]string) []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n", len(offsets))
		fmt.Fprintf(&b, format, args...)
		b.WriteString("\nendobj\n")
	}
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	var kids []string
	for i := range pages {
		kids = append(kids, fmt.Sprintf("%d 0 R", 4+2*i))
	}
	object("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(pages))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	for i, lines := range pages {
		content := deflate(pageContent(lines))
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", 5+2*i)
		object("<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream", len(content), content)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, off := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", off)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, xref)
	return b.Bytes()
}

func pageContent(lines []string) []byte {
	var b bytes.Buffer
	b.WriteString("BT /F1 12 Tf 14 TL 72 770 Td\n")
	for _, line := range lines {
		fmt.Fprintf(&b, "(%s) Tj T*\n", pdfString.Replace(line))
	}
	b.WriteString("ET\n")
	return b.Bytes()
}

var pdfString = strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`)

func deflate(b []byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, _ = w.Write(b) // a bytes.Buffer takes everything
	_ = w.Close()
	return out.Bytes()
}
