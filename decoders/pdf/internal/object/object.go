package object

import (
	"bytes"
	"slices"
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

// object is a PDF object as it stands in the file, its references not followed.
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
	Lexer
	items int
	stack []object // elements of the lists that are being read, so that each list is allocated once
}

func newParser(b []byte) parser { return parser{Lexer: Lexer{B: b}} }

// object reads one object. At the end of the input, or where it would nest too deeply, it is null.
func (p *parser) object(depth int) object {
	t := p.Next()
	if depth >= maxNesting && (t.Kind == TokArrayOpen || t.Kind == TokDictOpen) {
		return object{}
	}
	switch t.Kind {
	case TokNumber:
		return p.number(t)
	case TokString:
		return object{kind: objString, s: t.S}
	case TokName:
		return object{kind: objName, s: t.S}
	case TokArrayOpen:
		return object{kind: objArray, kids: p.list(depth+1, TokArrayClose)}
	case TokDictOpen:
		return object{kind: objDict, kids: p.dict(depth + 1)}
	case TokKeyword:
		switch string(t.S) {
		case "null":
			return object{}
		case "true":
			return object{kind: objBool, num: 1}
		case "false":
			return object{kind: objBool}
		}
		return object{kind: objKeyword, s: t.S}
	}
	return object{}
}

// number reads a number or the reference that begins with it.
func (p *parser) number(t Token) object {
	o := object{kind: objNumber, num: t.Num, frac: t.Frac}
	if t.Frac || t.Num < 0 || t.Num > maxObjects {
		return o
	}
	back := p.Pos
	if gen := p.Next(); gen.Kind == TokNumber && !gen.Frac && gen.Num >= 0 && gen.Num <= 65535 && p.Next().Is("R") {
		return object{kind: objRef, num: t.Num, gen: uint16(gen.Num)}
	}
	p.Pos = back
	return o
}

// list reads objects up to the token that closes them. A keyword that can only stand outside ends the list too.
func (p *parser) list(depth int, end TokenKind) []object {
	base := len(p.stack)
	p.elements(depth, end)
	out := slices.Clone(p.stack[base:])
	p.stack = p.stack[:base]
	return out
}

// elements puts the elements of a list on the stack.
func (p *parser) elements(depth int, end TokenKind) {
	for {
		p.Skip()
		back := p.Pos
		t := p.Next()
		if t.Kind == end || t.Kind == TokEOF {
			return
		}
		if t.Is("endobj") || t.Is("stream") || t.Is("endstream") {
			p.Pos = back
			return
		}
		if t.Kind == TokDictClose || t.Kind == TokArrayClose {
			if end == TokArrayClose && t.Kind == TokDictClose { // the array was never closed
				p.Pos = back
				return
			}
			continue
		}
		p.Pos = back
		o := p.object(depth)
		if p.items++; p.items <= maxItems {
			p.stack = append(p.stack, o)
		}
	}
}

// dict reads keys and values. A value that is missing is null; what stands where a key should is skipped.
func (p *parser) dict(depth int) []object {
	flat := p.list(depth, TokDictClose)
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
	back := p.Pos
	if in.obj.kind == objDict && p.Next().Is("stream") {
		p.accept('\r')
		p.accept('\n')
		in.stream = p.Pos
	} else {
		p.Pos = back
	}
	return in, true
}

// header reads "N G obj".
func (p *parser) header() (num, gen int, ok bool) {
	n, g := p.Next(), p.Next()
	if n.Kind != TokNumber || g.Kind != TokNumber || n.Frac || g.Frac || n.Num < 0 || n.Num > maxObjects || g.Num < 0 || g.Num > 65535 {
		return 0, 0, false
	}
	p.Skip()
	if !bytes.HasPrefix(p.B[p.Pos:], []byte("obj")) {
		return 0, 0, false
	}
	p.Pos += len("obj")
	return int(n.Num), int(g.Num), true
}
