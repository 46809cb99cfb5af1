package object

import "bytes"

// raw returns the data of the stream l as they stand in the file, decrypted, and its dictionary as a Node. With an error data is what is
// there.
func (f *File) raw(l *loaded) (dict Node, data []byte, err error) {
	if l.data == 0 {
		return Node{}, nil, ErrDamaged
	}
	dict = Node{f: f, o: &l.obj, id: l.num, stream: true}
	if spec := dict.Key("F"); !spec.Null() && !spec.filters() {
		return dict, nil, nil // its data are in another file, which is nobody's to read
	}
	n := f.streamLength(&l.obj, l.data)
	if n > maxStreamBytes {
		return dict, nil, ErrBudget
	}
	data = f.window(l.data, int(n))
	if l.data+n >= f.in.Size() {
		err = ErrDamaged // the file breaks off inside
	}
	if f.crypt != nil {
		open, failed := f.crypt.stream(dict, data, l.num, l.gen)
		if data = open; failed != nil {
			err = failed
		}
	}
	return dict, data, err
}

// streamData returns the decoded data of the stream l. With an error it is what could be read.
func (f *File) streamData(l *loaded, limit int) ([]byte, error) {
	dict, raw, err := f.raw(l)
	if len(raw) == 0 {
		return nil, err
	}
	data, failed := dict.whole(raw, limit)
	if failed != nil {
		err = failed
	}
	return data, err
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
		if n, ok := length.integer(); ok && n >= 0 && n <= rest && f.streamEnds(start+n) {
			return n
		}
	}
	return f.findEnd(start, rest)
}

// streamEnds reports whether the data of a stream can end at off.
func (f *File) streamEnds(off int64) bool {
	tail := Lexer{B: f.peek(off, 32)}
	for tail.Pos < len(tail.B) && IsSpace(tail.B[tail.Pos]) {
		tail.Pos++
	}
	b := tail.B[tail.Pos:]
	return bytes.HasPrefix(b, endstream) || bytes.HasPrefix(b, endstream[len("end"):]) || bytes.HasPrefix(b, []byte("endobj"))
}

// findEnd searches for the end of the stream data at start.
func (f *File) findEnd(start, rest int64) int64 {
	const step = 64 << 10
	var b []byte
	for at := int64(0); at < rest; at += step {
		b = f.readInto(b, start+at, step+len(endstream)-1)
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
		if eol := f.peek(start+max(0, n-2), int(min(2, n))); len(eol) > 0 && eol[len(eol)-1] == '\n' {
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
