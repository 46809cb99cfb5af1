package object

import "github.com/glovebox-wasm/glovebox/readapi"

// File is a PDF whose objects can be looked up, sound or not. It reads only what is asked for.
type File struct {
	in       readapi.Input
	blocks   blocks
	base     int64         // bytes before the header, which some writers do not count in offsets
	version  string        // of the header, "1.7"
	entries  []entry       // by object number
	sparse   map[int]entry // those of numbers that are far above the others
	trailer  object
	crypt    *crypt        // nil: not encrypted
	password string        // given by the reader
	rebuilt  bool          // the whole file was searched and the cross-references made anew
	found    map[int]int64 // where the search for lost objects met each
	cut      bool          // a search saw that the file ends inside an object
	pages    []int         // page objects that the search met, in order of the file
	loads    map[int]*loaded
	loadSize int
	packs    map[int]*pack
	packSize int
	lengths  int // nesting of stream lengths that are themselves looked up
	inflater inflater
	stack    []object // of parsers
	units    int64    // of work
}

// Version is the version that the header says, "" if it says none.
func (f *File) Version() string { return f.version }

// Encrypted reports whether the file is encrypted, which it no longer is to whoever reads it through f.
func (f *File) Encrypted() bool { return f.crypt != nil }

// Cut reports whether the file ends inside an object, as a download does that broke off. It is known only once the file was searched.
func (f *File) Cut() bool { return f.cut }

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
	off     int64 // plain, free: offset in the file; packed: number of the object stream
	idx     int32 // packed: index in the object stream
	kind    entryKind
	checked bool // plain: off is right, or -1
}

type entryKind uint8

const (
	entryNone entryKind = iota
	entryFree
	entryPlain
	entryPacked
)

// Tables of entries grow with the file, not with the numbers that it uses.
const (
	maxGap    = 1 << 12 // numbers that may be left out between two entries of the table, in a small file
	maxSparse = 1 << 16 // entries behind larger gaps
)

// entry returns where the object num is, nil if nothing is known of it.
func (f *File) entry(num int) *entry {
	if num >= 0 && num < len(f.entries) {
		if e := &f.entries[num]; e.kind != entryNone {
			return e
		}
	}
	if e, ok := f.sparse[num]; ok {
		return &e
	}
	return nil
}

// put records where an object is.
func (f *File) put(num int, e entry) {
	switch {
	case num < 0 || num > maxObjects:
	case num < len(f.entries):
		f.entries[num] = e
	case num < maxEntries && (num < len(f.entries)+maxGap || int64(num) < f.in.Size()/32):
		f.entries = append(f.entries, make([]entry, num-len(f.entries)+1)...)
		f.entries[num] = e
	case f.sparse == nil:
		f.sparse = map[int]entry{num: e}
	case len(f.sparse) < maxSparse:
		f.sparse[num] = e
	}
}

// set records an entry unless a newer section has one. That an object is free says only that it is nowhere else: an older section or, in
// hybrid files, a stream beside the table may know better (7.5.8.4).
func (f *File) set(num int, e entry) {
	if old := f.entry(num); old == nil || old.kind == entryFree && e.kind != entryFree {
		f.put(num, e)
	}
}

// plain returns an indirect object that is not in an object stream, decrypted; nil if there is none.
func (f *File) plain(num int, e *entry) *loaded {
	in, off, ok := f.locate(num, e)
	if !ok {
		return nil
	}
	if f.crypt != nil {
		f.crypt.strings(&in.obj, num, in.gen)
	}
	l := &loaded{obj: in.obj, num: num, gen: in.gen}
	if in.stream > 0 {
		l.data = off + int64(in.stream)
	}
	return l
}

// locate reads the plain object num from where it really begins: at its entry's offset, at that offset counted from the header, a few bytes
// beside it, or where a search finds it.
func (f *File) locate(num int, e *entry) (in indirect, off int64, ok bool) {
	if e.kind == entryFree { // some writers free what they use; there the offset is right, and a search may have met it
		if e.off > 0 {
			if in, ok = f.objectAt(e.off); ok && in.num == num {
				return in, e.off, true
			}
		}
		off, ok = f.found[num]
		if ok {
			in, ok = f.objectAt(off)
		}
		return in, off, ok
	}
	if !e.checked {
		off := e.off
		for _, try := range []int64{off, off + f.base} {
			if in, ok = f.objectAt(try); ok && in.num == num {
				f.put(num, entry{kind: entryPlain, off: try, checked: true})
				return in, try, true
			}
		}
		if off = f.near(num, e.off); off < 0 {
			off = f.lost(num)
		}
		f.put(num, entry{kind: entryPlain, off: off, checked: true})
		e = &entry{off: off}
	}
	in, ok = f.objectAt(e.off)
	return in, e.off, ok && in.num == num
}

// nearBytes is how far from its offset an object is looked for before the whole file is searched.
const nearBytes = 64

// near looks for the beginning of the object num around off; -1 if it is not there.
func (f *File) near(num int, off int64) int64 {
	from := max(0, off-nearBytes)
	b := f.peek(from, 2*nearBytes)
	for i := range matches(b, "obj", 0, len(b)) {
		if n, _, at, ok := headerBefore(b, i); ok && n == num {
			return from + int64(at)
		}
	}
	return -1
}

// direct returns o, or what it refers to.
func (f *File) direct(o *object) *object {
	for range maxReferences {
		if o.kind != objRef {
			return o
		}
		o = &f.load(int(o.num)).obj
	}
	return &nullObject
}
