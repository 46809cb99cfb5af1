package pdf

import (
	"bytes"
	"io"
	"strconv"

	"github.com/ledongthuc/pdf"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
)

// The object layer is shown a file that does not exist: a header, a cross-reference stream that says that object n stands alone at
// (n+1) << slotBits, and a trailer. What it reads there is made on demand: bytes of the real file where an object is sound, canonical text
// where it lies in an object stream, is encrypted or is damaged. So the object layer never meets a wrong offset, a Prev loop, a declared
// size, an object stream or a cipher, and every object that it looks up is counted.
const slotBits = 36

// looseKey is where the trailer lists the page objects that a search of the file met.
const looseKey = "Glovebox.Pages"

// slot is the text of one object: head, and behind it the rest of the head, or bytes of the file from off on.
type slot struct {
	head    []byte
	off     int64
	inFile  bool
	rewrote bool
}

// reader opens the object layer over f.
func (f *file) reader() (*pdf.Reader, error) {
	v := &view{file: f, end: int64(len(f.entries)+2) << slotBits, tail: viewTail(), table: f.xrefObject()}
	r, err := pdf.NewReader(v, v.end)
	if err != nil {
		return nil, pdk.Malformed("the trailer cannot be read")
	}
	v.table = nil
	return r, nil
}

// xrefObject is the cross-reference stream that the object layer sees.
func (f *file) xrefObject() []byte {
	const row = 10
	b := append([]byte(nil), "0 0 obj\n<</Type/XRef/W[0 8 2]/Size "...)
	b = strconv.AppendInt(b, int64(len(f.entries)), 10)
	b = append(b, "/Length "...)
	b = strconv.AppendInt(b, int64(len(f.entries)*row), 10)
	for _, key := range []string{"Root", "Info"} {
		if o := f.trailer.key(key); o.kind != objNull {
			b = append(append(b, '/'), key...)
			b = appendObject(append(b, ' '), o)
		}
	}
	if len(f.pages) > 0 {
		b = append(append(append(b, '/'), looseKey...), '[')
		for _, num := range f.pages {
			b = append(appendObject(b, &object{kind: objRef, num: float64(num), gen: f.entries[num].gen}), ' ')
		}
		b = append(b, ']')
	}
	b = append(b, ">>\nstream\n"...)
	for num := range f.entries {
		var at uint64
		e := &f.entries[num]
		if e.kind != entryFree && num > 0 {
			at = uint64(num+1) << slotBits
		}
		b = append(b, byte(at>>56), byte(at>>48), byte(at>>40), byte(at>>32), byte(at>>24), byte(at>>16), byte(at>>8), byte(at),
			byte(e.gen>>8), byte(e.gen))
	}
	return b
}

// view is the file that the object layer sees.
type view struct {
	file  *file
	end   int64
	tail  []byte // the last bytes
	table []byte // at 1 << slotBits, while the object layer opens it
}

var viewHeader = []byte("%PDF-1.7\n")

// ReadAt implements io.ReaderAt. At a slot's end it returns io.EOF as at a file's end.
func (v *view) ReadAt(p []byte, off int64) (int, error) {
	if from := v.end - int64(len(v.tail)); off >= from {
		return copyAt(p, v.tail, off-from)
	}
	num, rel := int(off>>slotBits)-1, off&(1<<slotBits-1)
	switch num {
	case -1:
		return copyAt(p, viewHeader, rel)
	case 0:
		return copyAt(p, v.table, rel)
	}
	v.file.budget.parse(len(p))
	s := v.file.slot(num)
	if !s.inFile || rel < int64(len(s.head)) {
		return copyAt(p, s.head, rel)
	}
	if rel > maxObjectBytes {
		return 0, io.EOF
	}
	return v.file.in.ReadAt(p, s.off+rel-int64(len(s.head)))
}

func viewTail() []byte {
	const size = 100 // how far back the object layer looks
	b := bytes.Repeat([]byte{'\n'}, size)
	text := "\nstartxref\n" + strconv.FormatInt(1<<slotBits, 10) + "\n%%EOF\n"
	copy(b[size-len(text):], text)
	return b
}

func copyAt(p, src []byte, off int64) (int, error) {
	if off >= int64(len(src)) {
		return 0, io.EOF
	}
	n := copy(p, src[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// slot returns the text of object num.
func (f *file) slot(num int) *slot {
	if s, ok := f.slots[num]; ok {
		f.last = num
		return s
	}
	s := f.newSlot(num)
	f.keep(num, s)
	f.last = num
	return s
}

// keep remembers the text of an object.
func (f *file) keep(num int, s *slot) {
	const overhead = 128
	if f.slotSize += len(s.head) + overhead; f.slotSize > maxKeptBytes {
		clear(f.slots)
		f.slotSize = len(s.head) + overhead
	}
	f.slots[num] = s
}

func (f *file) newSlot(num int) *slot {
	if num >= len(f.entries) {
		return &slot{}
	}
	e := &f.entries[num]
	head := appendHeader(make([]byte, 0, 24), num, int(e.gen))
	if e.kind == entryPacked {
		return &slot{head: append(append(head, f.packed(num)...), "\nendobj\n"...)}
	}
	if f.crypt != nil {
		return f.rewrite(num)
	}
	off := f.locate(num)
	if off < 0 {
		return nullSlot(num, int(e.gen))
	}
	p := newParser(f.window(off, headerLook))
	_, _, _ = p.header() // locate found it
	return &slot{head: head, off: off + int64(p.pos), inFile: true}
}

func appendHeader(b []byte, num, gen int) []byte {
	b = strconv.AppendInt(b, int64(num), 10)
	b = append(b, ' ')
	b = strconv.AppendInt(b, int64(gen), 10)
	return append(b, " obj\n"...)
}

func nullSlot(num, gen int) *slot {
	return &slot{head: append(appendHeader(nil, num, gen), "null endobj\n"...), rewrote: true}
}

// rewrite makes the text of object num from what our own parser understands of it.
func (f *file) rewrite(num int) *slot {
	e := &f.entries[num]
	var in indirect
	if e.kind == entryPacked {
		p := newParser(f.packed(num))
		in.obj = p.object(0)
	} else {
		var ok bool
		if in, _, ok = f.plain(num); !ok {
			return nullSlot(num, int(e.gen))
		}
	}
	head := appendObject(appendHeader(make([]byte, 0, 256), num, int(e.gen)), &in.obj)
	if in.stream > 0 {
		head = append(head, "\nstream\n"...)
	}
	return &slot{head: append(head, "\nendobj\n"...), rewrote: true}
}

// mend rewrites the object that the object layer looked up last and failed on; it reports false if that was done before.
func (f *file) mend() bool {
	s, ok := f.slots[f.last]
	if !ok || s.rewrote || f.last <= 0 || f.last >= len(f.entries) {
		return false
	}
	f.keep(f.last, f.rewrite(f.last))
	return true
}
