package rtf

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/inside"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// fileWord obeys what is about pictures and objects.
func (r *reader) fileWord(name string) bool {
	switch name {
	case "pict":
		r.begin(pict)
		if r.dest == pict {
			r.note, r.file = 'p', File{}
		}
	case "object":
		r.key = ""
	case "objclass":
		r.begin(class)
		r.note = 'c'
	case "objdata":
		r.begin(data)
		if r.dest == data {
			r.note, r.file = 'o', File{}
		}
	case "pngblip":
		r.file.MediaType = "image/png"
	case "jpegblip":
		r.file.MediaType = "image/jpeg"
	case "emfblip":
		r.file.MediaType = "image/emf"
	case "wmetafile":
		r.file.MediaType = "image/wmf"
	case "macpict":
		r.file.MediaType = "image/x-pict"
	case "dibitmap", "wbitmap":
		r.file.MediaType = "image/x-ms-bmp"
	default:
		return false
	}
	return true
}

// addFile lists the picture or object whose group ends, and names it in the text.
func (r *reader) addFile() {
	f := r.file
	f.raw = r.raw
	r.file = File{}
	for _, s := range f.segs {
		f.Bytes += int64(s.size(f.raw))
	}
	if f.Bytes == 0 {
		return
	}
	if len(r.doc.Files) == maxFiles {
		r.doc.Damaged = true
		return
	}
	number := strconv.Itoa(len(r.doc.Files) + 1)
	if r.note == 'p' {
		if f.MediaType == "" {
			f.MediaType = readapi.OctetStream
		}
		f.Name = "picture-" + number + inside.Extension(f.MediaType)
	} else {
		r.unpack(&f, number)
	}
	r.doc.Files = append(r.doc.Files, f)
	r.dest = r.stack[len(r.stack)-1].dest
	if r.sink.Name != nil && r.dest == body && !r.unseen() && !r.html {
		r.write([]byte(r.sink.Name(len(r.doc.Files), &r.doc.Files[len(r.doc.Files)-1])))
	}
}

func (s segment) size(raw []byte) int {
	if s.binary {
		return s.to - s.from
	}
	n := 0
	for _, c := range raw[s.from:s.to] {
		if unhex(c) >= 0 {
			n++
		}
	}
	return n / 2
}

// Data returns the file's bytes.
func (f *File) Data() []byte {
	out := make([]byte, 0, f.Bytes)
	for _, s := range f.segs {
		if s.binary {
			out = append(out, f.raw[s.from:s.to]...)
			continue
		}
		high := -1
		for _, c := range f.raw[s.from:s.to] {
			v := unhex(c)
			switch {
			case v < 0:
			case high < 0:
				high = v
			default:
				out = append(out, byte(high<<4|v))
				high = -1
			}
		}
	}
	return out
}

// unpack names an object, and where it is an OLE 1.0 one (MS-OLEDS, 2.2.5) or a file that was packed as one, takes the wrapping off.
func (r *reader) unpack(f *File, number string) {
	f.Name, f.MediaType = "object-"+number+".bin", readapi.OctetStream
	const mostUnpacked = 32 << 20
	if f.Bytes > mostUnpacked {
		return
	}
	b := f.Data()
	kind, native, ok := native(b)
	if !ok {
		return
	}
	if kind == "" {
		kind = r.key
	}
	inner := *f
	if name, packed, ok := packaged(native); kind == "Package" && ok {
		inner.Name = inside.Name(name)
		native = packed
	} else if bytes.HasPrefix(native, []byte("\xd0\xcf\x11\xe0")) {
		inner.Name, inner.MediaType = "object-"+number+"-"+word(kind)+".ole", "application/x-ole-storage"
	}
	inner.MediaType = inside.Type(string(inner.MediaType), inner.Name)
	inner.raw, inner.segs, inner.Bytes = native, []segment{{0, len(native), true}}, int64(len(native))
	if inner.Name == "" {
		inner.Name = "object-" + number + ".bin"
	}
	*f = inner
}

// word is what of a class name can be in a file name.
func word(s string) string {
	s = strings.Map(func(c rune) rune {
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '-' {
			return c
		}
		return '-'
	}, s)
	return s[:min(len(s), 40)]
}

// native returns the class and the data of an embedded OLE 1.0 object.
func native(b []byte) (class string, data []byte, ok bool) {
	if len(b) < 12 || binary.LittleEndian.Uint32(b[4:]) != 2 { // FormatID: embedded
		return "", nil, false
	}
	b = b[8:]
	for i := range 3 { // class, topic, item
		if len(b) < 4 {
			return "", nil, false
		}
		n := int64(binary.LittleEndian.Uint32(b))
		if n > int64(len(b)-4) {
			return "", nil, false
		}
		if i == 0 {
			class = strings.TrimRight(string(b[4:4+n]), "\x00")
		}
		b = b[4+n:]
	}
	if len(b) < 4 {
		return "", nil, false
	}
	n := int64(binary.LittleEndian.Uint32(b))
	if n > int64(len(b)-4) || n == 0 {
		return "", nil, false
	}
	return class, b[4 : 4+n], true
}

// packaged returns the name and the bytes of a file that the Packager of Windows wrapped: 2, its label, its path, where it came from, its
// size, itself.
func packaged(b []byte) (name string, data []byte, ok bool) {
	text := func() string {
		s, rest, _ := bytes.Cut(b, []byte{0})
		b = rest
		return string(s)
	}
	if len(b) < 2 || b[0] != 2 {
		return "", nil, false
	}
	b = b[2:]
	name = text()
	text()
	if len(b) < 8 || binary.LittleEndian.Uint32(b) != 0x30000 {
		return "", nil, false
	}
	n := int64(binary.LittleEndian.Uint32(b[4:]))
	if n > int64(len(b)-8) {
		return "", nil, false
	}
	b = b[8+n:]
	if len(b) < 4 {
		return "", nil, false
	}
	if n = int64(binary.LittleEndian.Uint32(b)); n > int64(len(b)-4) {
		return "", nil, false
	}
	return strings.ToValidUTF8(name, "-"), b[4 : 4+n], true
}
