package pdf

import (
	"bytes"
	"strconv"
)

// objectKind says what an object is.
type objectKind uint8

const (
	objNull objectKind = iota
	objBool
	objNumber
	objString
	objName
	objArray
	objDict
	objRef
	objKeyword // anything else, such as endobj
)

// object is a PDF object as the repair step reads it: what lies below the object layer (cross-references, stream headers, object streams,
// damaged objects) is parsed by us, tolerantly, and handed up in canonical form.
type object struct {
	kind objectKind
	frac bool     // a number with a point
	gen  uint16   // generation of a reference
	num  float64  // number; 1 for true; the object number of a reference
	s    []byte   // string, name, keyword
	kids []object // array; for a dictionary keys and values in turn
}

// key returns the value of a dictionary's key; the last one counts.
func (o *object) key(name string) *object {
	if o.kind == objDict {
		for i := len(o.kids) - 2; i >= 0; i -= 2 {
			if string(o.kids[i].s) == name {
				return &o.kids[i+1]
			}
		}
	}
	return &nullObject
}

// nullObject is what a missing key gives. Nothing writes to it.
var nullObject object

func (o *object) isName(s string) bool { return o.kind == objName && string(o.s) == s }

// integer returns a number as an int64; ok is false for anything else and for numbers that no file offset or count can be.
func (o *object) integer() (n int64, ok bool) {
	if o.kind != objNumber || o.num != o.num || o.num < -1<<53 || o.num > 1<<53 {
		return 0, false
	}
	return int64(o.num), true
}

// maxNesting bounds arrays and dictionaries inside each other, in objects and in content streams.
const maxNesting = 100

// maxItems bounds the elements of all arrays and dictionaries of one object; more are read and dropped.
const maxItems = 1 << 17

// parser reads objects.
type parser struct {
	lexer
	items int
}

func newParser(b []byte) parser { return parser{lexer: lexer{b: b}} }

// object reads one object. At the end of the input, or where it would nest too deeply, it is null.
func (p *parser) object(depth int) object {
	t := p.next()
	if depth >= maxNesting && (t.kind == tokArrayOpen || t.kind == tokDictOpen) {
		return object{}
	}
	switch t.kind {
	case tokNumber:
		return p.number(t)
	case tokString:
		return object{kind: objString, s: t.s}
	case tokName:
		return object{kind: objName, s: t.s}
	case tokArrayOpen:
		return object{kind: objArray, kids: p.list(depth+1, tokArrayClose)}
	case tokDictOpen:
		return object{kind: objDict, kids: p.dict(depth + 1)}
	case tokKeyword:
		switch string(t.s) {
		case "null":
			return object{}
		case "true":
			return object{kind: objBool, num: 1}
		case "false":
			return object{kind: objBool}
		}
		return object{kind: objKeyword, s: t.s}
	}
	return object{}
}

// number reads a number or the reference that begins with it.
func (p *parser) number(t token) object {
	o := object{kind: objNumber, num: t.num, frac: t.frac}
	if t.frac || t.num < 0 || t.num > maxObjects {
		return o
	}
	back := p.pos
	if gen := p.next(); gen.kind == tokNumber && !gen.frac && gen.num >= 0 && gen.num <= 65535 && p.next().is("R") {
		return object{kind: objRef, num: t.num, gen: uint16(gen.num)}
	}
	p.pos = back
	return o
}

// list reads objects up to the token that closes them. A keyword that can only stand outside ends the list too.
func (p *parser) list(depth int, end tokenKind) (out []object) {
	for {
		p.skip()
		back := p.pos
		t := p.next()
		if t.kind == end || t.kind == tokEOF {
			return out
		}
		if t.is("endobj") || t.is("stream") || t.is("endstream") {
			p.pos = back
			return out
		}
		if t.kind == tokDictClose || t.kind == tokArrayClose {
			if end == tokArrayClose && t.kind == tokDictClose { // the array was never closed
				p.pos = back
				return out
			}
			continue
		}
		p.pos = back
		o := p.object(depth)
		if p.items++; p.items <= maxItems {
			out = append(out, o)
		}
	}
}

// dict reads keys and values. A value that is missing is null; what stands where a key should is skipped.
func (p *parser) dict(depth int) []object {
	flat := p.list(depth, tokDictClose)
	out := flat[:0]
	for i := 0; i < len(flat); {
		if flat[i].kind != objName {
			i++
			continue
		}
		if i+1 == len(flat) {
			break
		}
		out = append(out, flat[i], flat[i+1])
		i += 2
	}
	return out
}

// indirect is an object with its number, as it stands in the file.
type indirect struct {
	num, gen int
	obj      object
	stream   int // where the data of a stream begins, in bytes behind the object's start; 0: no stream
}

// indirect reads "N G obj …"; ok is false if that is not what stands here.
func (p *parser) indirect() (in indirect, ok bool) {
	if in.num, in.gen, ok = p.header(); !ok {
		return in, false
	}
	in.obj = p.object(0)
	back := p.pos
	if in.obj.kind == objDict && p.next().is("stream") {
		p.accept('\r')
		p.accept('\n')
		in.stream = p.pos
	} else {
		p.pos = back
	}
	return in, true
}

// header reads "N G obj".
func (p *parser) header() (num, gen int, ok bool) {
	n, g := p.next(), p.next()
	if n.kind != tokNumber || g.kind != tokNumber || n.frac || g.frac || n.num < 0 || n.num > maxObjects || g.num < 0 || g.num > 65535 {
		return 0, 0, false
	}
	p.skip()
	if !bytes.HasPrefix(p.b[p.pos:], []byte("obj")) {
		return 0, 0, false
	}
	p.pos += len("obj")
	return int(n.num), int(g.num), true
}

// appendObject writes o in the plain form that every reader understands.
func appendObject(dst []byte, o *object) []byte {
	switch o.kind {
	case objBool:
		return strconv.AppendBool(dst, o.num != 0)
	case objNumber:
		if n, ok := o.integer(); ok && !o.frac {
			return strconv.AppendInt(dst, n, 10)
		}
		dst = strconv.AppendFloat(dst, o.num, 'f', 6, 64)
		return dst
	case objString:
		dst = append(dst, '<')
		for _, c := range o.s {
			dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
		}
		return append(dst, '>')
	case objName:
		return appendName(dst, o.s)
	case objRef:
		dst = strconv.AppendInt(dst, int64(o.num), 10)
		dst = append(dst, ' ')
		dst = strconv.AppendInt(dst, int64(o.gen), 10)
		return append(dst, " R"...)
	case objArray:
		dst = append(dst, '[')
		for i := range o.kids {
			dst = append(appendObject(dst, &o.kids[i]), ' ')
		}
		return append(dst, ']')
	case objDict:
		dst = append(dst, "<<"...)
		for i := range o.kids {
			dst = append(appendObject(dst, &o.kids[i]), ' ')
		}
		return append(dst, ">>"...)
	}
	return append(dst, "null"...)
}

const hexDigits = "0123456789abcdef"

func appendName(dst, s []byte) []byte {
	dst = append(dst, '/')
	for _, c := range s {
		if c <= ' ' || c >= 0x7f || c == '#' || !isRegular(c) {
			dst = append(dst, '#', hexDigits[c>>4], hexDigits[c&15])
			continue
		}
		dst = append(dst, c)
	}
	return dst
}
