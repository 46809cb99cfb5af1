package pdf

import (
	"strings"
	"unicode/utf16"

	"github.com/ledongthuc/pdf"
)

// node is a value of the object layer that cannot fail: an object that the object layer panics on is mended and asked for again, and is
// null if that does not help.
type node struct {
	d  *document
	v  pdf.Value
	id int // number of the object that it is; 0 for one that is part of another object
}

// key returns the value of a dictionary's or a stream's key.
func (n node) key(name string) node {
	return n.get(func() pdf.Value { return n.v.Key(name) })
}

// index returns an array's element.
func (n node) index(i int) node {
	return n.get(func() pdf.Value { return n.v.Index(i) })
}

// get calls the object layer. A value that is a reference makes it look up one object and no more, which gives the value its number.
func (n node) get(f func() pdf.Value) node {
	v, ok := n.d.try(f)
	for !ok && n.d.file.mend() {
		v, ok = n.d.try(f)
	}
	return node{n.d, v, n.d.file.last}
}

// try calls the object layer, which panics by design.
func (d *document) try(f func() pdf.Value) (v pdf.Value, ok bool) {
	defer func() {
		if x := recover(); x != nil {
			if s, mine := x.(stop); mine {
				panic(s)
			}
			v, ok = pdf.Value{}, false
		}
	}()
	d.file.last = 0
	return f(), true
}

func (n node) kind() pdf.ValueKind { return n.v.Kind() }
func (n node) null() bool          { return n.v.IsNull() }
func (n node) len() int            { return n.v.Len() }
func (n node) name() string        { return n.v.Name() }
func (n node) num() float64        { return n.v.Float64() }
func (n node) raw() string         { return n.v.RawString() }
func (n node) keys() []string      { return n.v.Keys() }

// integer returns a number as an int, 0 if it is none or absurd.
func (n node) integer() int {
	const most = 1 << 40
	if f := n.v.Float64(); f > -most && f < most {
		return int(f)
	}
	return 0
}

// data returns the decoded data of the stream n up to limit bytes; nil for anything else.
func (n node) data(limit int) ([]byte, error) {
	if n.kind() != pdf.Stream {
		return nil, nil
	}
	_, b, err := n.d.file.stream(n.id, limit)
	return b, err
}

// text returns a text string (ISO 32000-1, 7.9.2.2) as UTF-8, "" for anything else.
func (n node) text() string {
	s := n.raw()
	var b strings.Builder
	switch {
	case strings.HasPrefix(s, "\xfe\xff"):
		writeUTF16(&b, s[2:], 8, 0)
	case strings.HasPrefix(s, "\xff\xfe"):
		writeUTF16(&b, s[2:], 0, 8)
	case strings.HasPrefix(s, "\xef\xbb\xbf"):
		b.WriteString(strings.ToValidUTF8(s[3:], "\ufffd"))
	default:
		for i := range len(s) {
			if r := docEncoding(s[i]); r != 0 {
				b.WriteRune(r)
			}
		}
	}
	return strings.TrimSpace(strings.ReplaceAll(b.String(), "\x00", ""))
}

// writeUTF16 decodes UTF-16 whose two bytes are shifted by first and second. Language escapes (ESC … ESC) are left out.
func writeUTF16(b *strings.Builder, s string, first, second int) {
	escape := false
	for i := 0; i+1 < len(s); i += 2 {
		r := rune(s[i])<<first | rune(s[i+1])<<second
		if r == 0x1b {
			escape = !escape
			continue
		}
		if utf16.IsSurrogate(r) && i+3 < len(s) {
			if full := utf16.DecodeRune(r, rune(s[i+2])<<first|rune(s[i+3])<<second); full != 0xfffd {
				r = full
				i += 2
			}
		}
		if !escape {
			b.WriteRune(r)
		}
	}
}
