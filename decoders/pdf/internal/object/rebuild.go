package object

import (
	"bytes"
	"iter"
	"slices"
)

// Rebuild searches the whole file for its objects unless that was done, for files whose cross-references look sound and lead nowhere. It
// reports whether it did.
func (f *File) Rebuild() bool {
	if f.rebuilt {
		return false
	}
	f.rebuild()
	return true
}

// rebuild finds the objects by searching the whole file for "N G obj", for files whose cross-references are missing or wrong. The last
// object with a number counts, as the newest was appended last.
func (f *File) rebuild() {
	if f.rebuilt {
		return
	}
	old := f.trailer
	f.rebuilt, f.entries, f.trailer = true, nil, object{}
	f.loads = nil
	clear(f.packs)
	var s scan
	s.run(f)
	for _, o := range s.objects {
		if o.num >= f.objectLimit() {
			continue
		}
		if o.num < len(f.entries) {
			f.entries[o.num] = entry{}
		}
		f.set(o.num, entry{kind: entryPlain, gen: uint16(o.gen), off: o.off})
	}
	candidates := f.trailers(&s, old)
	for _, c := range candidates { // object streams may be encrypted
		if c.key("Encrypt").kind != objNull {
			f.trailer = c
			_ = f.decrypt() // whoever opens the file asks again
		}
	}
	for _, num := range s.packs {
		f.unpackIndex(num)
	}
	f.trailer = f.bestTrailer(&s, candidates)
	seen := map[int]bool{}
	for _, num := range s.pages {
		if num < len(f.entries) && f.entries[num].kind == entryPlain && !seen[num] && len(f.pages) < maxLoose {
			seen[num] = true
			f.pages = append(f.pages, num)
		}
	}
}

// maxLoose bounds how many pages are read without a page tree.
const maxLoose = 1 << 16

// unpackIndex enters the objects of an object stream that no plain object replaces.
func (f *File) unpackIndex(num int) {
	p := f.pack(num)
	if p == nil {
		return
	}
	for i, n := range p.nums {
		f.set(n, entry{kind: entryPacked, off: int64(num), idx: int32(i)})
	}
}

// trailers returns the trailer dictionaries, the newest last.
func (f *File) trailers(s *scan, old object) []object {
	candidates := []object{old}
	for _, at := range s.trailers {
		in, ok := f.objectAt(at)
		if ok {
			candidates = append(candidates, in.obj)
			continue
		}
		p := newParser(f.window(at, 16<<10))
		p.Next() // trailer
		candidates = append(candidates, p.object(0))
	}
	return candidates
}

// bestTrailer chooses the newest trailer dictionary that leads to a catalog, or makes one for a catalog that the search met.
func (f *File) bestTrailer(s *scan, candidates []object) object {
	var encrypt, id object
	for i := range candidates {
		if c := &candidates[i]; c.key("Encrypt").kind != objNull {
			encrypt, id = *c.key("Encrypt"), *c.key("ID")
		}
	}
	for i := len(candidates) - 1; i >= 0; i-- {
		f.trailer = candidates[i]
		if root := f.direct(f.trailer.key("Root")); root.kind == objDict {
			return candidates[i]
		}
	}
	made := object{kind: objDict}
	for i := len(s.catalogs) - 1; i >= 0; i-- {
		if root := f.lookup(s.catalogs[i]); root.key("Pages").kind != objNull {
			made.kids = append(made.kids, object{kind: objName, s: []byte("Root")}, object{kind: objRef, num: float64(s.catalogs[i])})
			break
		}
	}
	if encrypt.kind != objNull {
		made.kids = append(made.kids, object{kind: objName, s: []byte("Encrypt")}, encrypt, object{kind: objName, s: []byte("ID")}, id)
	}
	return made
}

// lost returns the offset of an object that is not where its entry says, by searching the file once; -1 if it is nowhere.
func (f *File) lost(num int) int64 {
	if !f.rebuilt && f.found == nil {
		var s scan
		s.run(f)
		f.found = map[int]int64{}
		for _, o := range s.objects {
			f.found[o.num] = o.off
		}
	}
	if off, ok := f.found[num]; ok {
		return off
	}
	return -1
}

// scan is what a search of the whole file met, in order of the file.
type scan struct {
	objects  []found
	trailers []int64 // offsets of trailer keywords and of cross-reference streams
	packs    []int   // object streams
	catalogs []int
	pages    []int
}

type found struct {
	num, gen int
	off      int64
}

// maxFound bounds how many objects a search remembers.
const maxFound = 1 << 20

// run searches in steps; each window reaches far enough past its step for the beginning of an object.
func (s *scan) run(f *File) {
	const step, ahead, back = 256 << 10, 512, 24
	for at := int64(0); at < f.in.Size(); at += step {
		from := max(0, at-back)
		b := f.window(from, step+back+ahead)
		f.searched(len(b))
		start := int(at - from)
		end := min(len(b), start+step)
		for i := range matches(b, "obj", start, end) {
			f.Work(8)
			s.object(b, i, from)
		}
		for i := range matches(b, "trailer", start, end) {
			s.trailers = append(s.trailers, from+int64(i))
		}
	}
	slices.Sort(s.trailers)
	if n := len(s.trailers); n > maxTrailers {
		s.trailers = s.trailers[n-maxTrailers:]
	}
}

// maxTrailers bounds how many trailers are looked at, the newest first.
const maxTrailers = 64

// matches yields where word begins in b[start:end].
func matches(b []byte, word string, start, end int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := start; i < end; i++ {
			j := bytes.Index(b[i:], []byte(word))
			if j < 0 || i+j >= end {
				return
			}
			if i += j; !yield(i) {
				return
			}
		}
	}
}

// object looks at "obj" at b[i]: with a number and a generation before it, an object begins there.
func (s *scan) object(b []byte, i int, from int64) {
	j := i
	gen, j, ok := numberBefore(b, j)
	if !ok {
		return
	}
	num, j, ok := numberBefore(b, j)
	if !ok || len(s.objects) >= maxFound {
		return
	}
	off := from + int64(j)
	s.objects = append(s.objects, found{num, gen, off})
	body := b[i:min(len(b), i+512)]
	if k := bytes.Index(body, []byte("endobj")); k >= 0 {
		body = body[:k]
	}
	if k := bytes.Index(body, []byte("stream")); k >= 0 {
		body = body[:k]
	}
	switch {
	case hasType(body, "ObjStm"):
		s.packs = append(s.packs, num)
	case hasType(body, "XRef"):
		s.trailers = append(s.trailers, off)
	case hasType(body, "Catalog"):
		s.catalogs = append(s.catalogs, num)
	case hasType(body, "Page"):
		s.pages = append(s.pages, num)
	}
}

// hasType reports whether a dictionary's text says /Type /name.
func hasType(body []byte, name string) bool {
	for {
		i := bytes.Index(body, []byte("/Type"))
		if i < 0 {
			return false
		}
		body = body[i+len("/Type"):]
		l := Lexer{B: body}
		if t := l.Next(); t.Kind == TokName && string(t.S) == name {
			return true
		}
	}
}

// numberBefore reads the whole number that ends, with optional white space behind it, before b[i].
func numberBefore(b []byte, i int) (n, start int, ok bool) {
	for i > 0 && IsSpace(b[i-1]) {
		i--
	}
	end := i
	for i > 0 && IsDigit(b[i-1]) && end-i < 10 {
		i--
		n += int(b[i]-'0') * pow10[end-1-i]
	}
	if end == i || i > 0 && IsRegular(b[i-1]) || n > maxObjects {
		return 0, 0, false
	}
	return n, i, true
}

var pow10 = [10]int{1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000}
