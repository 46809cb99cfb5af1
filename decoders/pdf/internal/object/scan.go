package object

import (
	"bytes"
	"iter"
	"slices"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/order"
)

// scan is what a search of the whole file met, in order of the file.
type scan struct {
	objects  []found
	trailers []int64 // offsets of trailer keywords and of cross-reference streams
	catalogs []int
	pages    []found
	locks    []int // encryption dictionaries
	skip     int64 // up to where stream data reach
	ended    int64 // where the last object or trailer was seen to end
}

// found is an object that a search met.
type found struct {
	num  int32
	kind foundKind
	off  int64
}

type foundKind uint8

const (
	foundOther foundKind = iota
	foundPack
	foundXref
	foundCatalog
	foundPage
	foundLock
)

// Bounds of a search: how many objects it remembers, how many trailers are looked at, the newest first, and how far behind an object's
// beginning it looks for what the object is.
const (
	maxFound    = 1 << 20
	maxTrailers = 64
	lookAhead   = 16 << 10
)

// run searches in steps; each window reaches far enough past its step for the beginning of an object.
func (s *scan) run(f *File) {
	const step, back = 256 << 10, 24
	var b []byte
	for at := int64(0); at < f.in.Size(); at = max(at+step, s.skip) {
		from := max(0, at-back)
		b = f.readInto(b, from, step+back+lookAhead)
		f.searched(len(b))
		start := int(at - from)
		end := min(len(b), start+step)
		for i := range matches(b, "obj", start, end) {
			if from+int64(i) < s.skip {
				continue
			}
			f.Work(8)
			if i >= 3 && string(b[i-3:i]) == "end" {
				s.ended = from + int64(i)
				continue
			}
			s.object(f, b, i, from)
		}
		for i := range matches(b, "trailer", start, end) {
			s.trailers = append(s.trailers, from+int64(i))
			s.ended = max(s.ended, from+int64(i))
			if n := len(s.trailers); n > 2*maxTrailers {
				s.trailers = slices.Delete(s.trailers, 0, n-maxTrailers)
			}
		}
	}
	order.Up(s.trailers)
	if n := len(s.trailers); n > maxTrailers {
		s.trailers = s.trailers[n-maxTrailers:]
	}
}

// cut reports whether the file ends inside an object.
func (s *scan) cut() bool {
	n := len(s.objects)
	return n > 0 && s.ended < s.objects[n-1].off
}

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

// object looks at "obj" at b[i], where b stands at from: with a number and a generation before it, an object begins there.
func (s *scan) object(f *File, b []byte, i int, from int64) {
	num, _, start, ok := headerBefore(b, i)
	if !ok || len(s.objects) >= maxFound {
		return
	}
	p := newParser(b[start:min(len(b), i+lookAhead)])
	in, ok := p.indirect()
	f.Parsed(p.Pos)
	if !ok {
		return
	}
	o := found{num: int32(num), kind: kindOf(&in.obj), off: from + int64(start)}
	s.objects = append(s.objects, o)
	s.note(o)
	if in.stream == 0 {
		return
	}
	// Whatever looks like an object inside stream data is none of this file: it may be an embedded one.
	data := o.off + int64(in.stream)
	if n, ok := in.obj.key("Length").integer(); ok && n > 0 && n < f.in.Size()-data && f.streamEnds(data+n) {
		s.skip = data + n
	}
}

// note remembers what matters of an object.
func (s *scan) note(o found) {
	switch o.kind {
	case foundXref:
		s.trailers = append(s.trailers, o.off)
	case foundCatalog:
		s.catalogs = append(s.catalogs, int(o.num))
	case foundPage:
		if len(s.pages) < 2*maxLoose {
			s.pages = append(s.pages, o)
		}
	case foundLock:
		s.locks = append(s.locks[max(0, len(s.locks)-maxTrailers):], int(o.num))
	}
}

// kindOf says what an object is: by its Type or, where a page or an encryption dictionary has none, by the keys that only those have.
func kindOf(o *object) foundKind {
	switch string(o.key("Type").s) {
	case "ObjStm":
		return foundPack
	case "XRef":
		return foundXref
	case "Catalog":
		return foundCatalog
	case "Page":
		return foundPage
	case "":
		has := func(keys ...string) bool {
			return !slices.ContainsFunc(keys, func(k string) bool { return o.key(k).kind == objNull })
		}
		switch {
		case has("V", "R", "O", "U", "P", "Filter"):
			return foundLock
		case has("Contents", "MediaBox"), has("Contents", "Resources"):
			return foundPage
		}
	}
	return foundOther
}

// headerBefore reads the number and the generation before "obj" at b[i], and where they begin.
func headerBefore(b []byte, i int) (num, gen, start int, ok bool) {
	if gen, start, ok = numberBefore(b, i); !ok {
		return 0, 0, 0, false
	}
	num, start, ok = numberBefore(b, start)
	return num, gen, start, ok
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
	if end == i || i > 0 && IsRegular(b[i-1]) && !endsWord(b[:i]) || n > maxObjects {
		return 0, 0, false
	}
	return n, i, true
}

// endsWord reports whether b ends with a word that writers forget to end a line behind.
func endsWord(b []byte) bool {
	return bytes.HasSuffix(b, []byte("endobj")) || bytes.HasSuffix(b, endstream) || bytes.HasSuffix(b, []byte("%%EOF"))
}

var pow10 = [10]int{1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000}
