package object

import (
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/order"
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

// Search looks through the whole file for objects that the cross-references do not know, unless that was done, and leaves the known ones
// where they are. It reports whether it did.
func (f *File) Search() bool {
	if f.rebuilt || f.found != nil {
		return false
	}
	f.lost(0)
	f.loads, f.loadSize = nil, 0
	return true
}

// rebuild finds the objects by searching the whole file for "N G obj", for files whose cross-references are missing or wrong. The last
// object with a number counts, as the newest was appended last.
func (f *File) rebuild() {
	if f.rebuilt {
		return
	}
	old := f.trailer
	f.rebuilt, f.entries, f.sparse, f.trailer, f.found = true, nil, nil, object{}, nil
	f.forget()
	var s scan
	s.run(f)
	f.cut = s.cut()
	for _, o := range s.objects {
		f.put(int(o.num), entry{kind: entryPlain, off: o.off, checked: true})
	}
	candidates := f.trailers(&s, old)
	if f.crypt == nil { // object streams may be encrypted
		f.trailer = joined(candidates)
		_ = f.decrypt() // whoever opens the file asks again
	}
	for _, o := range s.objects {
		if o.kind == foundPack {
			s.unpack(f, o)
		}
	}
	f.forget()
	f.trailer = f.bestTrailer(&s, candidates)
	f.forget()
	f.pages = s.loose(f)
}

// forget drops what is kept of the objects.
func (f *File) forget() {
	f.loads, f.loadSize, f.packs, f.packSize = nil, 0, nil, 0
}

// maxLoose bounds how many pages are read without a page tree.
const maxLoose = 1 << 16

// loose returns the page objects in order of the file, each once and in its newest version.
func (s *scan) loose(f *File) (pages []int) {
	order.By(s.pages, func(a, b found) int { return int(min(max(a.off-b.off, -1), 1)) })
	seen := map[int]bool{}
	for _, o := range s.pages {
		num := int(o.num)
		if e := f.entry(num); e != nil && !seen[num] && len(pages) < maxLoose && (e.kind == entryPacked || e.off == o.off) {
			seen[num] = true
			pages = append(pages, num)
		}
	}
	return pages
}

// unpack enters the objects of the object stream o that no newer object replaces, and notes the catalogs and pages among them.
func (s *scan) unpack(f *File, o found) {
	num := int(o.num)
	if e := f.entry(num); e == nil || e.kind != entryPlain || e.off != o.off {
		return // there is a newer one with this number
	}
	p := f.pack(num)
	if p == nil {
		return
	}
	for i, n := range p.nums {
		f.Work(1)
		if e := f.entry(n); e != nil && e.kind == entryPlain && e.off > o.off {
			continue
		}
		f.put(n, entry{kind: entryPacked, off: int64(num), idx: int32(i)})
		l := newParser(p.data[p.offs[i]:min(p.ends[i], p.offs[i]+lookAhead)])
		dict := l.object(0)
		f.Parsed(l.Pos)
		s.note(found{num: int32(n), off: o.off, kind: kindOf(&dict)})
	}
}

// trailers returns the trailer dictionaries, the newest last.
func (f *File) trailers(s *scan, old object) []object {
	candidates := []object{old}
	for _, at := range s.trailers {
		if in, ok := f.objectAt(at); ok {
			candidates = append(candidates, in.obj)
			continue
		}
		var dict object
		if f.growing(at, func(p *parser) { p.Next(); dict = p.object(0) }) && dict.kind == objDict { // behind "trailer"
			dict.compact()
			candidates = append(candidates, dict)
		}
	}
	if all := joined(candidates); all.key("Encrypt").kind == objNull {
		for _, num := range s.locks { // a file that lost its end lost its trailer too
			lock := object{kind: objDict}
			lock.add("Encrypt", object{kind: objRef, num: float64(num)})
			candidates = append([]object{lock}, candidates...)
		}
	}
	return candidates
}

// joined is a trailer with what the newest of the candidates say.
func joined(candidates []object) object {
	all := object{kind: objDict}
	for i := len(candidates) - 1; i >= 0; i-- {
		for _, key := range []string{"Root", "Info", "Encrypt", "ID"} {
			if v := candidates[i].key(key); v.kind != objNull && all.key(key).kind == objNull {
				all.add(key, *v)
			}
		}
	}
	return all
}

// add appends a key to a dictionary.
func (o *object) add(key string, v object) {
	o.kids = append(o.kids, object{kind: objName, s: []byte(key)}, v)
}

// bestTrailer chooses the newest trailer dictionary that leads to a catalog with pages, else the newest catalog with pages that the search
// met, else the newest that leads to a catalog. What it does not say is taken from the others.
func (f *File) bestTrailer(s *scan, candidates []object) object {
	rest := joined(candidates)
	with := func(root object) object {
		all := object{kind: objDict}
		all.add("Root", root)
		for i := 0; i < len(rest.kids); i += 2 {
			if !rest.kids[i].isName("Root") {
				all.kids = append(all.kids, rest.kids[i], rest.kids[i+1])
			}
		}
		return all
	}
	var any *object
	for i := len(candidates) - 1; i >= 0; i-- {
		f.trailer = candidates[i]
		root := candidates[i].key("Root")
		if f.rooted() {
			return with(*root)
		}
		if any == nil && f.direct(root).kind == objDict {
			any = root
		}
	}
	for i := len(s.catalogs) - 1; i >= 0; i-- {
		root := object{kind: objRef, num: float64(s.catalogs[i])}
		if f.trailer = with(root); f.rooted() {
			return f.trailer
		}
	}
	if any != nil {
		return with(*any)
	}
	return rest
}

// lost returns the offset of an object that is not where its entry says, by searching the file once; -1 if it is nowhere.
func (f *File) lost(num int) int64 {
	if !f.rebuilt && f.found == nil {
		var s scan
		s.run(f)
		f.cut = s.cut()
		f.found = make(map[int]int64, len(s.objects))
		for _, o := range s.objects {
			f.found[int(o.num)] = o.off
		}
	}
	if off, ok := f.found[num]; ok {
		return off
	}
	return -1
}
