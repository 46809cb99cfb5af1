package object

import (
	"bytes"
	"io"
	"slices"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// File is a PDF whose objects can be looked up, sound or not. It reads only what is asked for.
type File struct {
	in       readapi.Input
	base     int64   // bytes before the header, which some writers do not count in offsets
	version  string  // of the header, "1.7"
	entries  []entry // by object number
	trailer  object
	crypt    *crypt        // nil: not encrypted
	password string        // given by the reader
	rebuilt  bool          // the whole file was searched and the cross-references made anew
	found    map[int]int64 // what the search for a lost object met
	pages    []int         // page objects that the search met, in order of the file
	loads    map[int]*loaded
	loadSize int
	packs    map[int]*pack
	packSize int
	lengths  int // nesting of stream lengths that are themselves looked up
	inflater inflater
	units    int64 // of work
}

// Version is the version that the header says, "" if it says none.
func (f *File) Version() string { return f.version }

// Encrypted reports whether the file is encrypted, which it no longer is to whoever reads it through f.
func (f *File) Encrypted() bool { return f.crypt != nil }

// Trailer returns the trailer dictionary.
func (f *File) Trailer() Node { return f.node(&f.trailer) }

// LoosePages returns the page objects that a search of the whole file met, in order of the file; nothing unless there was a search.
func (f *File) LoosePages() []Node {
	out := make([]Node, 0, len(f.pages))
	for _, num := range f.pages {
		out = append(out, f.Object(num))
	}
	return out
}

// entry says where an object is.
type entry struct {
	kind    entryKind
	checked bool // plain: off is right, or -1
	gen     uint16
	off     int64 // plain: offset in the file; packed: number of the object stream
	idx     int32 // packed: index in the object stream
}

type entryKind uint8

const (
	entryFree entryKind = iota
	entryPlain
	entryPacked
)

// window returns up to n bytes of the file at off; fewer at the end.
func (f *File) window(off int64, n int) []byte {
	if off < 0 || off >= f.in.Size() {
		return nil
	}
	b := make([]byte, min(int64(n), f.in.Size()-off))
	k, err := f.in.ReadAt(b, off)
	if err != nil && err != io.EOF {
		k = max(k, 0)
	}
	return b[:k]
}

// objectAt reads the indirect object at off. The window grows until the object ends inside it; one that is over the limit is not read.
func (f *File) objectAt(off int64) (in indirect, ok bool) {
	for n := 1 << 10; ; n = min(8*n, maxObjectBytes) {
		b := f.window(off, n)
		p := newParser(b)
		in, ok = p.indirect()
		f.Parsed(p.Pos)
		switch {
		case p.Pos+16 < len(b) || len(b) < n:
			return in, ok
		case n == maxObjectBytes:
			return indirect{}, false
		}
	}
}

// plain returns an indirect object that is not in an object stream, decrypted.
func (f *File) plain(num int) (in indirect, off int64, ok bool) {
	if num < 0 || num >= len(f.entries) || f.entries[num].kind != entryPlain {
		return in, 0, false
	}
	if off = f.locate(num); off < 0 {
		return in, 0, false
	}
	if in, ok = f.objectAt(off); !ok {
		return in, 0, false
	}
	if f.crypt != nil {
		f.crypt.strings(&in.obj, num, in.gen)
	}
	return in, off, true
}

// locate returns where the plain object num really begins, -1 if nowhere: at its entry's offset, at that offset counted from the header,
// or where a search finds it.
func (f *File) locate(num int) int64 {
	e := &f.entries[num]
	if e.checked {
		return e.off
	}
	e.checked = true
	if f.startsAt(e.off, num) {
		return e.off
	}
	if f.base > 0 && f.startsAt(e.off+f.base, num) {
		e.off += f.base
		return e.off
	}
	e.off = f.lost(num)
	return e.off
}

// headerLook is within how many bytes "N G obj" has to stand.
const headerLook = 64

func (f *File) startsAt(off int64, num int) bool {
	p := newParser(f.window(off, headerLook))
	n, _, ok := p.header()
	return ok && n == num
}

// lookup returns the object with a number, wherever it is.
func (f *File) lookup(num int) object {
	if num >= 0 && num < len(f.entries) && f.entries[num].kind == entryPacked {
		b := f.packed(num)
		p := newParser(b)
		o := p.object(0)
		f.Parsed(p.Pos)
		return o
	}
	in, _, _ := f.plain(num)
	return in.obj
}

// direct returns o, or what it refers to.
func (f *File) direct(o *object) object {
	for range 8 {
		if o.kind != objRef {
			return *o
		}
		next := f.lookup(int(o.num))
		o = &next
	}
	return object{}
}

// raw returns the data of the stream num as they stand in the file, decrypted, and its dictionary.
func (f *File) raw(num int) (dict Node, data []byte, err error) {
	in, off, ok := f.plain(num)
	if !ok || in.stream == 0 {
		return Node{}, nil, ErrDamaged
	}
	return f.rawAt(&in, off)
}

// rawAt is raw for the stream in, which stands at off.
func (f *File) rawAt(in *indirect, off int64) (dict Node, data []byte, err error) {
	dict = Node{f: f, o: &in.obj, id: in.num, stream: true}
	if f := dict.Key("F"); !f.Null() && !f.filters() {
		return dict, nil, nil // its data are in another file, which is nobody's to read
	}
	start := off + int64(in.stream)
	n := f.streamLength(&in.obj, start)
	if n > maxStreamBytes {
		return dict, nil, ErrBudget
	}
	data = f.window(start, int(n))
	if f.crypt != nil && !in.obj.key("Type").isName("XRef") {
		data = f.crypt.stream(f, data, &in.obj, in.num, in.gen)
	}
	return dict, data, nil
}

// streamData returns the decoded data of the stream in, which stands at off. With an error it is what could be read.
func (f *File) streamData(in *indirect, off int64, limit int) ([]byte, error) {
	dict, raw, err := f.rawAt(in, off)
	if err != nil {
		return nil, err
	}
	return dict.whole(raw, limit)
}

var endstream = []byte("endstream")

// streamLength returns the length of the data at start: the one that the dictionary says if "endstream" follows it, else up to the next
// "endstream" (or "endobj"), else the rest of the file.
func (f *File) streamLength(hdr *object, start int64) int64 {
	rest := max(0, f.in.Size()-start)
	if f.lengths < 4 { // a length may refer to an object that needs a length
		f.lengths++
		length := f.direct(hdr.key("Length"))
		f.lengths--
		if n, ok := length.integer(); ok && n >= 0 && n <= rest {
			tail := Lexer{B: f.window(start+n, 32)}
			tail.Skip()
			if bytes.HasPrefix(tail.B[tail.Pos:], endstream) || bytes.HasPrefix(tail.B[tail.Pos:], endstream[3:]) {
				return n
			}
		}
	}
	return f.findEnd(start, rest)
}

// findEnd searches for the end of the stream data at start.
func (f *File) findEnd(start, rest int64) int64 {
	const step = 64 << 10
	for at := int64(0); at < rest; at += step {
		b := f.window(start+at, step+len(endstream)-1)
		f.searched(len(b))
		i := bytes.Index(b, endstream)
		if i < 0 {
			i = len(b)
		}
		if j := bytes.Index(b[:i], []byte("endobj")); j >= 0 {
			i = j
		}
		if i == len(b) {
			continue
		}
		n := at + int64(i)
		if eol := f.window(start+max(0, n-2), int(min(2, n))); len(eol) > 0 && eol[len(eol)-1] == '\n' {
			n--
			if len(eol) == 2 && eol[0] == '\r' {
				n--
			}
		} else if len(eol) > 0 && eol[len(eol)-1] == '\r' {
			n--
		}
		return n
	}
	return rest
}

// pack is a decoded object stream.
type pack struct {
	data []byte
	nums []int
	offs []int // in data, of each object
	ends []int // in data, of each object
}

// packed returns the text of an object that lies in an object stream; empty if it is not there.
func (f *File) packed(num int) []byte {
	e := f.entries[num]
	p := f.pack(int(e.off))
	if p == nil {
		return nil
	}
	i := int(e.idx)
	if i >= len(p.nums) || p.nums[i] != num { // the index is a hint, the number decides
		for i = len(p.nums) - 1; i >= 0 && p.nums[i] != num; i-- {
		}
		if i < 0 {
			return nil
		}
	}
	if p.ends[i]-p.offs[i] > maxObjectBytes {
		return nil
	}
	return p.data[p.offs[i]:p.ends[i]]
}

// maxPacks is how many bytes of decoded object streams are kept.
const maxPacks = 24 << 20

// pack returns object stream num, decoded; nil if there is none.
func (f *File) pack(num int) *pack {
	if p, ok := f.packs[num]; ok {
		return p
	}
	if f.packs == nil || f.packSize > maxPacks {
		f.packs, f.packSize = map[int]*pack{}, 0
	}
	f.packs[num] = nil // an object stream whose length lies in itself
	in, off, ok := f.plain(num)
	if !ok || in.stream == 0 {
		return nil
	}
	data, err := f.streamData(&in, off, maxStreamBytes)
	if err != nil && len(data) == 0 {
		return nil
	}
	p := parsePack(f, &in.obj, data)
	f.packs[num] = p
	f.packSize += len(data)
	return p
}

// parsePack reads the index of an object stream (7.5.7).
func parsePack(f *File, hdr *object, data []byte) *pack {
	first, n := f.direct(hdr.key("First")), f.direct(hdr.key("N"))
	start, ok := first.integer()
	count, ok2 := n.integer()
	if !ok || !ok2 || start < 0 || start > int64(len(data)) || count < 0 {
		return nil
	}
	count = min(count, start/3+1) // "1 0 " is the least that one object takes there
	p := &pack{data: data, nums: make([]int, 0, count), offs: make([]int, 0, count)}
	l := Lexer{B: data[:start]}
	for range count {
		num, off := l.Next(), l.Next()
		if num.Kind != TokNumber || off.Kind != TokNumber {
			break
		}
		if num.Num < 0 || num.Num > maxObjects || off.Num < 0 || off.Num > float64(len(data)-int(start)) {
			continue
		}
		p.nums = append(p.nums, int(num.Num))
		p.offs = append(p.offs, int(start)+int(off.Num))
	}
	sorted := append(slices.Sorted(slices.Values(p.offs)), len(data))
	for _, off := range p.offs {
		i, _ := slices.BinarySearch(sorted, off+1)
		p.ends = append(p.ends, sorted[min(i, len(sorted)-1)])
	}
	return p
}
