package pdftest

import (
	"fmt"
	"io"
	"sort"
	"strings"
)

// Large describes a document of many pages with much that no text needs, as a Sparse file.
type Large struct {
	Pages  int
	Fat    int    // bytes of a picture on each page
	Flat   bool   // all pages are kids of one node; else each node has 50
	Layout string // "table", "stream" (object streams, a cross-reference stream with a predictor), "linear"
}

// Sparse is a file whose pictures take no memory: their bytes are made when they are read. It counts what is read of it.
type Sparse struct {
	Read  int64 // bytes
	Reads int
	Log   func(off int64, n int) // of each read, where it is set
	parts []part
	size  int64
}

// part is some bytes of a Sparse: text, or fill bytes that are made.
type part struct {
	at   int64
	text string
	fill int
}

// Size is the size of the file.
func (s *Sparse) Size() int64 { return s.size }

// ReadAt reads as io.ReaderAt does.
func (s *Sparse) ReadAt(p []byte, off int64) (n int, err error) {
	s.Read += int64(min(int64(len(p)), max(0, s.size-off)))
	s.Reads++
	if s.Log != nil {
		s.Log(off, len(p))
	}
	i := sort.Search(len(s.parts), func(i int) bool { return s.parts[i].at+int64(len(s.parts[i].text)+s.parts[i].fill) > off })
	for ; i < len(s.parts) && n < len(p); i++ {
		part := &s.parts[i]
		skip := int(off - part.at)
		if part.fill == 0 {
			k := copy(p[n:], part.text[skip:])
			n, off = n+k, off+int64(k)
			continue
		}
		for k := min(len(p)-n, part.fill-skip); k > 0; k-- {
			p[n] = byte(off*2654435761>>16) | 0x80 // nothing that could be an object
			n, off = n+1, off+1
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (s *Sparse) add(text string) {
	s.parts = append(s.parts, part{at: s.size, text: text})
	s.size += int64(len(text))
}

func (s *Sparse) fill(n int) {
	s.parts = append(s.parts, part{at: s.size, fill: n})
	s.size += int64(n)
}

// File makes the file. Page i shows "This is page i".
func (l Large) File() *Sparse {
	w := &Writer{}
	font := w.Add(Helvetica)
	fan := 50
	if l.Flat {
		fan = l.Pages
	}
	const each = 5 // objects of a page
	tree := 1 + each*l.Pages + (l.Pages+fan-1)/fan + 1
	var nodes []string
	for from := 0; from < l.Pages; from += fan {
		count := min(fan, l.Pages-from)
		parent := len(w.Objects) + each*count + 1
		var kids strings.Builder
		for i := from; i < from+count; i++ {
			content := w.Flate("", fmt.Sprintf("q /Im Do Q %s", Lines(fmt.Sprintf("This is page %d", i+1))))
			image := w.Add("<</Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray/Length %d>>\nstream\nfill\nendstream", l.Fat)
			note := w.Add("<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(http://example.com)>>>>")
			resources := w.Add("<</Font<</F1 %d 0 R>>/XObject<</Im %d 0 R>>>>", font, image)
			page := w.Add("<</Type/Page/Parent %d 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Annots[%d 0 R]/Resources %d 0 R>>", parent, content, note, resources)
			fmt.Fprintf(&kids, "%d 0 R ", page)
		}
		node := w.Add("<</Type/Pages/Parent %d 0 R/Count %d/Kids[%s]>>", tree, count, kids.String())
		nodes = append(nodes, fmt.Sprintf("%d 0 R", node))
	}
	w.Add("<</Type/Pages/Count %d/Kids[%s]>>", l.Pages, strings.Join(nodes, " "))
	w.Root = w.Add("<</Type/Catalog/Pages %d 0 R>>", tree)
	s := &Sparse{}
	s.add("%PDF-1.7\n")
	switch l.Layout {
	case "stream":
		l.packed(s, w)
	case "linear":
		l.linear(s, w)
	default:
		offsets := l.objects(s, w, 1, len(w.Objects), make([]int64, len(w.Objects)+1))
		start := s.size
		s.add(section(offsets, 0, len(w.Objects), w.trailer(len(w.Objects)+1), start))
	}
	return s
}

// objects writes the objects from first to last and notes where they stand.
func (l Large) objects(s *Sparse, w *Writer, first, last int, offsets []int64) []int64 {
	for num := first; num <= last; num++ {
		offsets[num] = s.size
		head, tail, fill := strings.Cut(w.Objects[num-1], "fill")
		s.add(fmt.Sprintf("%d 0 obj\n%s", num, head))
		if fill {
			s.fill(l.Fat)
		}
		s.add(tail + "\nendobj\n")
	}
	return offsets
}

// section is a table of cross-references.
func section(offsets []int64, from, to int, trailer string, start int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "xref\n%d %d\n", from, to-from+1)
	for num := from; num <= to; num++ {
		if num == 0 {
			b.WriteString("0000000000 65535 f \n")
			continue
		}
		fmt.Fprintf(&b, "%010d 00000 n \n", offsets[num])
	}
	fmt.Fprintf(&b, "trailer\n<<%s>>\nstartxref\n%d\n%%%%EOF\n", trailer, start)
	return b.String()
}

// linear puts the second half of the objects and their section to the front.
func (l Large) linear(s *Sparse, w *Writer) {
	n := len(w.Objects)
	half := n / 2
	offsets := make([]int64, n+1)
	front := s.size
	at := len(s.parts)
	trailer := func(prev int64) string { return w.trailer(n+1) + fmt.Sprintf("/Prev %012d", prev) }
	s.add(section(offsets, half, n, trailer(0), 0))
	l.objects(s, w, half, n, offsets)
	l.objects(s, w, 1, half-1, offsets)
	end := s.size
	s.parts[at].text = section(offsets, half, n, trailer(end), 0)
	s.add(section(offsets, 0, half-1, w.trailer(n+1), front))
}

// packed puts what is no stream into object streams of 100 objects.
func (l Large) packed(s *Sparse, w *Writer) {
	var rows []byte
	row := func(kind int, a int64, b int) {
		rows = append(rows, byte(kind), byte(a>>24), byte(a>>16), byte(a>>8), byte(a), byte(b>>8), byte(b))
	}
	n := len(w.Objects)
	offsets := make([]int64, n+1)
	pack, in := n+1, 0
	var index, data strings.Builder
	var packs []string
	where := make([][2]int, n+1)
	flush := func() {
		if in > 0 {
			z := Deflate(index.String() + data.String())
			packs = append(packs, fmt.Sprintf("%d 0 obj\n<</Type/ObjStm/N %d/First %d/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream\nendobj\n", pack, in, index.Len(), len(z), z))
			index.Reset()
			data.Reset()
			pack, in = pack+1, 0
		}
	}
	for num := 1; num <= n; num++ {
		if strings.Contains(w.Objects[num-1], "stream\n") {
			l.objects(s, w, num, num, offsets)
			continue
		}
		where[num] = [2]int{pack, in}
		fmt.Fprintf(&index, "%d %d ", num, data.Len())
		data.WriteString(w.Objects[num-1] + "\n")
		if in++; in == 100 {
			flush()
		}
	}
	flush()
	row(0, 0, 65535)
	for num := 1; num <= n; num++ {
		if where[num][0] > 0 {
			row(2, int64(where[num][0]), where[num][1])
		} else {
			row(1, offsets[num], 0)
		}
	}
	for _, p := range packs {
		row(1, s.size, 0)
		s.add(p)
	}
	start := s.size
	row(1, start, 0)
	z := Deflate(string(PNGUp(rows, 7)))
	s.add(fmt.Sprintf("%d 0 obj\n<</Type/XRef/W[1 4 2]%s/DecodeParms<</Predictor 12/Columns 7>>/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n",
		pack, w.trailer(pack+1), len(z), z, start))
}
