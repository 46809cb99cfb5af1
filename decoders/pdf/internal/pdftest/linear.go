package pdftest

import (
	"bytes"
	"fmt"
)

// Linear returns the file as a linearized one is laid out (ISO 32000-1, annex F): a first section of cross-references at the front for the
// objects from number first on, which come first, and the section for the others at the end, which the first one names as Prev. There are no
// hint tables, which no reader of text needs.
func (w *Writer) Linear(first int) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	n := len(w.Objects)
	dict := n + 1 // the linearization dictionary
	offsets := make([]int, n+2)
	offsets[dict] = b.Len()
	fmt.Fprintf(&b, "%d 0 obj\n<</Linearized 1/O %d/N 1/T 0000000000/L 0000000000>>\nendobj\n", dict, first)
	front := b.Len()
	section := func(from, to, prev int) string {
		s := fmt.Sprintf("xref\n%d %d\n", from, to-from+1)
		for i := from; i <= to; i++ {
			if i == 0 {
				s += "0000000000 65535 f \n"
				continue
			}
			s += fmt.Sprintf("%010d 00000 n \n", offsets[i])
		}
		return s + fmt.Sprintf("trailer\n<<%s/Prev %010d>>\nstartxref\n0\n%%%%EOF\n", w.trailer(n+2), prev)
	}
	b.WriteString(section(first, dict, 0))
	for i := range n {
		num := (first-1+i)%n + 1
		offsets[num] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", num, w.seal.body(w.Objects[num-1], num))
	}
	end := b.Len()
	s := section(0, first-1, 0)
	s = s[:bytes.LastIndex([]byte(s), []byte("startxref"))]
	s = string(bytes.Replace([]byte(s), []byte("/Prev 0000000000"), nil, 1))
	fmt.Fprintf(&b, "%sstartxref\n%d\n%%%%EOF\n", s, front)
	out := b.Bytes()
	copy(out[front:], section(first, dict, end))
	return out
}
