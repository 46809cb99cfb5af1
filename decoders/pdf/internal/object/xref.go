package object

import (
	"bytes"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// headerBytes is how far into a file its header may begin (ISO 32000-1, annex H.3, note 13), tailBytes how far before its end the last
// startxref may stand: readers look through the last 1,024 bytes, and some writers pad more.
const (
	headerBytes = 1024
	tailBytes   = 4096
)

// Open finds the objects of a file. password is tried where the empty one does not open it.
func Open(in readapi.Input, password string) (*File, error) {
	f := &File{in: in, password: password}
	headed := f.header()
	if f.readXref() {
		f.loads = nil // what was looked up while the table was not whole
		err := f.decrypt()
		if err == nil && f.rooted() {
			return f, nil
		}
		if readapi.CodeOf(err) == readapi.CodeEncrypted || readapi.CodeOf(err) == readapi.CodeUnsupportedFeature {
			return nil, err
		}
	}
	f.rebuild()
	if err := f.decrypt(); err != nil {
		return nil, err
	}
	switch {
	case f.rooted() || headed && len(f.pages) > 0:
		return f, nil
	case !headed:
		return nil, pdk.Malformed("there is no PDF header in the first 1,024 bytes")
	}
	return nil, pdk.Malformed("there is no page tree")
}

// header reads the header and reports whether there is one. A file without it is read where its cross-references or a search lead to a page
// tree.
func (f *File) header() bool {
	head := f.peek(0, headerBytes+16)
	i := bytes.Index(head, []byte("%PDF-"))
	if i >= 0 {
		f.version = HeaderVersion(head[i+len("%PDF-"):])
	} else if i = bytes.Index(head, []byte("%!PS-Adobe-")); i < 0 { // "%!PS-Adobe-3.0 PDF-1.4" (annex H.3)
		return false
	}
	f.base = int64(i)
	return true
}

// HeaderVersion returns "1.7" of "1.7…".
func HeaderVersion(b []byte) string {
	if len(b) >= 3 && IsDigit(b[0]) && b[1] == '.' && IsDigit(b[2]) {
		return string(b[:3])
	}
	return ""
}

// rooted reports whether the trailer leads to a catalog with pages, or with one page where their tree should be.
func (f *File) rooted() bool {
	root := f.direct(f.trailer.key("Root"))
	pages := f.direct(root.key("Pages"))
	return pages.kind == objDict && len(pages.kids) > 0
}

// readXref reads the chain of cross-reference sections that the end of the file points to; newer entries win. It reports whether the
// chain could be read as far as it goes.
func (f *File) readXref() bool {
	tail := f.peek(max(0, f.in.Size()-tailBytes), tailBytes)
	i := bytes.LastIndex(tail, []byte("startxref"))
	if i < 0 {
		return false
	}
	l := Lexer{B: tail, Pos: i + len("startxref")}
	start := l.Next()
	if start.Kind != TokNumber || start.Num <= 0 || start.Num > float64(f.in.Size()) {
		return false
	}
	seen := map[int64]bool{}
	queue := []int64{int64(start.Num)}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if seen[at] {
			continue // a loop of Prev entries: everything was read
		}
		seen[at] = true
		trailer, ok := f.section(at)
		if !ok && f.base > 0 {
			trailer, ok = f.section(at + f.base)
		}
		if !ok {
			return false
		}
		if f.trailer.kind == objNull {
			f.trailer = trailer
		}
		// A hybrid file's XRefStm comes before Prev (7.5.8.4). Some writers say 0 where there is no former section.
		for _, key := range []string{"XRefStm", "Prev"} {
			if n, ok := f.direct(trailer.key(key)).integer(); ok && n > 0 {
				queue = append(queue, n)
			}
		}
	}
	return true
}

// section reads one cross-reference table or stream and returns its trailer dictionary.
func (f *File) section(at int64) (trailer object, ok bool) {
	if table := f.tableNear(at); table >= 0 {
		return f.table(table)
	}
	in, ok := f.objectAt(at)
	if !ok || in.stream == 0 || !in.obj.key("Type").isName("XRef") {
		return object{}, false
	}
	l := &loaded{obj: in.obj, num: in.num, gen: in.gen, data: at + int64(in.stream)}
	data, err := f.streamData(l, maxStreamBytes)
	if err != nil && len(data) == 0 {
		return object{}, false
	}
	return in.obj, f.xrefStream(&in.obj, data)
}

// tableNear returns where the keyword xref stands, at the offset or a few bytes beside it; -1 if it does not.
func (f *File) tableNear(at int64) int64 {
	const beside = 16
	from := max(0, at-beside)
	b := f.peek(from, int(at-from)+4*beside)
	here := Lexer{B: b, Pos: min(int(at-from), len(b))}
	if here.Next().Is("xref") {
		return from + int64(here.Pos-len("xref"))
	}
	l := Lexer{B: b}
	for t := l.Next(); t.Kind != TokEOF && l.Pos < int(at-from)+beside; t = l.Next() {
		if t.Is("xref") {
			return from + int64(l.Pos-len("xref"))
		}
	}
	return -1
}

// tableBytes is what one look into a table reads, and entryBytes more than an entry takes.
const (
	tableBytes = 16 << 10
	entryBytes = 64
)

// tableReader goes through a table without holding more than a part of it.
type tableReader struct {
	Lexer
	f    *File
	at   int64 // of B
	last bool  // B reaches to the end of the file
}

// ready moves to the next token and sees to it that what one entry takes lies in B.
func (r *tableReader) ready() {
	for {
		if len(r.B)-r.Pos < entryBytes && !r.last {
			r.at += int64(r.Pos)
			r.B, r.Pos = r.f.peek(r.at, tableBytes), 0
			r.last = len(r.B) < tableBytes
			r.f.Parsed(len(r.B))
		}
		r.Skip()
		if len(r.B)-r.Pos >= entryBytes || r.last {
			return
		}
	}
}

// table reads a cross-reference table (7.5.4) and the trailer behind it.
func (f *File) table(at int64) (trailer object, ok bool) {
	r := tableReader{f: f, at: at + int64(len("xref"))}
	for {
		r.ready()
		t := r.Next()
		if t.Is("trailer") {
			break
		}
		count := r.Next()
		if t.Kind != TokNumber || count.Kind != TokNumber {
			return object{}, false
		}
		r.entries(int(min(max(t.Num, 0), maxObjects)), count.Num)
	}
	ok = f.growing(r.at+int64(r.Pos), func(p *parser) { trailer = p.object(0) })
	trailer.compact()
	return trailer, ok && trailer.kind == objDict
}

// entries reads the entries of a subsection.
func (r *tableReader) entries(first int, count float64) {
	for i := 0; float64(i) < count; i++ {
		r.ready()
		off, gen, kind, ok := r.entry()
		if !ok {
			return // fewer entries than promised
		}
		if i == 0 && first == 1 && kind == 'f' && gen == 65535 {
			first = 0 // a writer that counts from 1: the head of the free list is object 0
		}
		switch {
		case off <= 0 || off >= 1<<53:
		case kind == 'n':
			r.f.set(first+i, entry{kind: entryPlain, off: off})
		default:
			r.f.set(first+i, entry{kind: entryFree, off: off})
		}
	}
}

// entry reads one entry; where none stands it reads nothing.
func (r *tableReader) entry() (off int64, gen int, kind byte, ok bool) {
	if b := r.B[r.Pos:]; len(b) > 18 && b[10] == ' ' && b[16] == ' ' && IsSpace(b[18]) { // as 7.5.4 has it
		n, good := digits(b[:10])
		g, good2 := digits(b[11:16])
		if good && good2 && (b[17] == 'n' || b[17] == 'f') {
			r.Pos += 18
			return n, int(g), b[17], true
		}
	}
	back := r.Pos
	o, g, k := r.Next(), r.Next(), r.Next()
	if o.Kind != TokNumber || g.Kind != TokNumber || k.Kind != TokKeyword || len(k.S) != 1 || k.S[0] != 'n' && k.S[0] != 'f' || o.Num > 1<<53 {
		r.Pos = back
		return 0, 0, 0, false
	}
	return int64(o.Num), int(min(max(g.Num, 0), 65535)), k.S[0], true
}

// digits reads a number that has nothing but digits.
func digits(b []byte) (n int64, ok bool) {
	for _, c := range b {
		if !IsDigit(c) {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// xrefStream reads the entries of a cross-reference stream (7.5.8).
func (f *File) xrefStream(hdr *object, data []byte) bool {
	var w [3]int
	widths := hdr.key("W")
	if len(widths.kids) < 3 {
		return false
	}
	for i := range w {
		n, ok := widths.kids[i].integer()
		if !ok || n < 0 || n > 8 {
			return false
		}
		w[i] = int(n)
	}
	row := w[0] + w[1] + w[2]
	if row == 0 {
		return false
	}
	index := hdr.key("Index").kids
	if len(index) < 2 {
		index = []object{{kind: objNumber}, *hdr.key("Size")}
	}
	for ; len(index) >= 2; index = index[2:] {
		first, ok := index[0].integer()
		count, ok2 := index[1].integer()
		if !ok || !ok2 || first < 0 || first > maxObjects {
			return false
		}
		for i := int64(0); i < count && len(data) >= row; i++ {
			f.xrefRow(int(first+i), data[:row], w)
			data = data[row:]
		}
	}
	return true
}

func (f *File) xrefRow(num int, row []byte, w [3]int) {
	kind := uint64(1)
	if w[0] > 0 {
		kind = bigEndian(row[:w[0]])
	}
	a, b := bigEndian(row[w[0]:w[0]+w[1]]), bigEndian(row[w[0]+w[1]:])
	switch {
	case kind == 0 && a > 0 && a < 1<<53:
		f.set(num, entry{kind: entryFree, off: int64(a)})
	case kind == 1 && a > 0 && a < 1<<53:
		f.set(num, entry{kind: entryPlain, off: int64(a)})
	case kind == 2 && a <= maxObjects:
		f.set(num, entry{kind: entryPacked, off: int64(a), idx: int32(b & 0xffffff)})
	}
}

func bigEndian(b []byte) (v uint64) {
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	return v
}
