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
	head := f.window(0, headerBytes+16)
	i := bytes.Index(head, []byte("%PDF-"))
	if i < 0 {
		if i = bytes.Index(head, []byte("%!PS-Adobe-")); i < 0 { // "%!PS-Adobe-3.0 PDF-1.4" (annex H.3)
			return nil, pdk.Malformed("there is no PDF header in the first 1,024 bytes")
		}
	} else {
		f.version = HeaderVersion(head[i+len("%PDF-"):])
	}
	f.base = int64(i)
	sound := f.readXref()
	f.loads = nil // what was looked up while the table was not whole
	if sound {
		if err := f.decrypt(); err != nil {
			return nil, err
		}
	}
	if sound && f.rooted() {
		return f, nil
	}
	f.rebuild()
	if err := f.decrypt(); err != nil {
		return nil, err
	}
	if !f.rooted() && len(f.pages) == 0 {
		return nil, pdk.Malformed("there is no page tree")
	}
	return f, nil
}

// HeaderVersion returns "1.7" of "1.7…".
func HeaderVersion(b []byte) string {
	if len(b) >= 3 && IsDigit(b[0]) && b[1] == '.' && IsDigit(b[2]) {
		return string(b[:3])
	}
	return ""
}

// rooted reports whether the trailer leads to a catalog with pages.
func (f *File) rooted() bool {
	root := f.direct(f.trailer.key("Root"))
	pages := f.direct(root.key("Pages"))
	return pages.kind == objDict && pages.key("Kids").kind != objNull
}

// readXref reads the chain of cross-reference sections that the end of the file points to; newer entries win. It reports whether the
// chain could be read as far as it goes.
func (f *File) readXref() bool {
	tail := f.window(max(0, f.in.Size()-tailBytes), tailBytes)
	i := bytes.LastIndex(tail, []byte("startxref"))
	if i < 0 {
		return false
	}
	l := Lexer{B: tail, Pos: i + len("startxref")}
	start := l.Next()
	if start.Kind != TokNumber || start.Num < 0 || start.Num > float64(f.in.Size()) {
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
		// A hybrid file's XRefStm comes before Prev (7.5.8.4).
		for _, key := range []string{"XRefStm", "Prev"} {
			if n, ok := trailer.key(key).integer(); ok {
				queue = append(queue, n)
			}
		}
	}
	return true
}

// section reads one cross-reference table or stream and returns its trailer dictionary.
func (f *File) section(at int64) (trailer object, ok bool) {
	b := f.window(at, 1<<10)
	l := Lexer{B: b}
	if l.Next().Is("xref") {
		return f.table(at)
	}
	in, ok := f.objectAt(at)
	if !ok || in.stream == 0 || !in.obj.key("Type").isName("XRef") {
		return object{}, false
	}
	data, err := f.streamData(&in, at, maxStreamBytes)
	if err != nil && len(data) == 0 {
		return object{}, false
	}
	return in.obj, f.xrefStream(&in.obj, data)
}

// set records an entry unless a newer section has one.
func (f *File) set(num int, e entry) {
	if num < 0 || num >= f.objectLimit() {
		return
	}
	if num >= len(f.entries) {
		f.entries = append(f.entries, make([]entry, num+1-len(f.entries))...)
	}
	if f.entries[num].kind == entryFree {
		f.entries[num] = e
	}
}

// objectLimit is one more than the highest object number that the file is believed to use: a table is allocated up to it, so it is
// bounded by the size of the file, not by what the file says.
func (f *File) objectLimit() int {
	const least = 1 << 18 // small files with large numbers exist
	return int(min(maxEntries, max(least, f.in.Size()/16)))
}

// table reads a cross-reference table (7.5.4) and the trailer behind it. The window grows until the trailer lies in it; entries that were
// set by a smaller one stay.
func (f *File) table(at int64) (trailer object, ok bool) {
	for n := 16 << 10; ; n *= 4 {
		b := f.window(at, n)
		f.Parsed(len(b))
		p := newParser(b)
		p.Next() // xref
		whole := len(b) < n
		if ok = f.subsections(&p, whole); ok {
			trailer = p.object(0)
		}
		if whole || p.Pos+16 < len(b) {
			return trailer, ok && trailer.kind == objDict
		}
	}
}

// subsections sets the entries of a table up to the keyword trailer. Where the window is not the whole rest of the file, what stands in its
// last bytes may be cut and is left.
func (f *File) subsections(p *parser, whole bool) bool {
	sure := len(p.B)
	if !whole {
		sure -= 64
	}
	for {
		t := p.Next()
		if t.Is("trailer") {
			return true
		}
		count := p.Next()
		if t.Kind != TokNumber || count.Kind != TokNumber {
			return false
		}
		first := int(min(max(t.Num, 0), maxObjects))
		for i := 0; float64(i) < count.Num; i++ {
			back := p.Pos
			off, gen, kind := p.Next(), p.Next(), p.Next()
			if off.Kind != TokNumber || gen.Kind != TokNumber || kind.Kind != TokKeyword {
				p.Pos = back // fewer entries than promised
				break
			}
			if i == 0 && first == 1 && kind.Is("f") && gen.Num == 65535 {
				first = 0 // a writer that counts from 1: the head of the free list is object 0
			}
			if kind.Is("n") && off.Num > 0 && off.Num < 1<<53 && p.Pos < sure {
				f.set(first+i, entry{kind: entryPlain, gen: uint16(int64(gen.Num)), off: int64(off.Num)})
			}
		}
	}
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
	case kind == 1 && a > 0 && a < 1<<53:
		f.set(num, entry{kind: entryPlain, gen: uint16(b), off: int64(a)})
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
