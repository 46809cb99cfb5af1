package xml

import (
	"slices"
	"strings"
)

// document reads a document (2.1): what stands before the root, the root, and what stands behind it.
func (s *scanner) document() *SyntaxError {
	for first := true; ; first = false {
		first = !s.space() && first
		if s.ended() {
			return s.atEnd()
		}
		if !s.accept('<') {
			return s.fail("there is text outside of the root")
		}
		switch c := s.peek(); {
		case c == '?':
			if bad := s.instruction(first); bad != nil {
				return bad
			}
		case c == '!':
			s.take()
			if bad := s.outside(); bad != nil {
				return bad
			}
		case s.info.Root != "":
			return s.fail("there is a second root")
		default:
			if bad := s.content(); bad != nil {
				return bad
			}
		}
	}
}

func (s *scanner) atEnd() *SyntaxError {
	if s.info.Root == "" {
		return &SyntaxError{Line: s.line, Column: s.column, Reason: "there is no root"}
	}
	return nil
}

// outside is a comment or a document type declaration, outside of the root.
func (s *scanner) outside() *SyntaxError {
	if s.peek() == '-' {
		return s.comment()
	}
	if s.info.Doctype != "" || s.info.Root != "" {
		return s.fail("the declaration is out of place")
	}
	return s.doctype()
}

// instruction reads a processing instruction (2.6), or the XML declaration where that may be.
func (s *scanner) instruction(first bool) *SyntaxError {
	s.take()
	target, _, bad := s.name()
	if bad != nil {
		return bad
	}
	if strings.EqualFold(target, "xml") && !first {
		return s.fail("the XML declaration is not at the beginning")
	}
	var b []byte
	for !s.ended() {
		c := s.peek()
		s.take()
		if c == '?' && s.accept('>') {
			if target == "xml-stylesheet" {
				s.reachesOut(pseudo(string(b), "href"))
			}
			return nil
		}
		if len(b) < maxValue {
			b = append(b, c)
		}
	}
	return s.fail("")
}

// pseudo is the value of what looks like an attribute in an instruction.
func pseudo(s, name string) string {
	_, s, _ = strings.Cut(s, name)
	s = strings.TrimLeft(s, " \t\r\n=")
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return ""
	}
	v, _, _ := strings.Cut(s[1:], s[:1])
	return v
}

// reachesOut notes what lies outside of the text.
func (s *scanner) reachesOut(id string) {
	id = strings.ToValidUTF8(id, "")
	if id != "" && len(s.info.External) < maxExternal && !slices.Contains(s.info.External, id) {
		s.info.External = append(s.info.External, id)
	}
}

// comment reads a comment from its first dash on (2.5).
func (s *scanner) comment() *SyntaxError {
	if bad := s.word("--", "a comment has to begin here"); bad != nil {
		return bad
	}
	for !s.ended() {
		c := s.peek()
		if control(c) {
			return s.fail("the character is none of XML")
		}
		s.take()
		if c == '-' && s.accept('-') {
			if !s.accept('>') {
				return s.fail("a comment has two dashes in it")
			}
			return nil
		}
	}
	return s.fail("")
}

// content reads the root and all that is in it; its "<" is taken.
func (s *scanner) content() *SyntaxError {
	if bad := s.tag(); bad != nil {
		return bad
	}
	brackets := 0
	for len(s.open) > 0 {
		c := s.peek()
		switch {
		case s.ended():
			return s.fail("")
		case c == '<':
			s.take()
			if bad := s.markup(); bad != nil {
				return bad
			}
		case c == '&':
			r, bad := s.reference()
			if bad != nil {
				return bad
			}
			s.said(r)
		case control(c):
			return s.fail("the character is none of XML")
		case c == '>' && brackets >= 2:
			return s.fail("a CDATA section ends that has not begun")
		default:
			s.plain()
		}
		brackets++
		if c != ']' {
			brackets = 0
		}
	}
	return nil
}

// plain takes a byte of text, and those behind it that are nothing but letters of ASCII and the like.
func (s *scanner) plain() {
	from := s.pos
	s.take()
	n := s.pos
	for n < len(s.buf) && letters[s.buf[n]] {
		n++
	}
	if n > s.pos {
		s.column += int64(n - s.pos)
		s.pos, s.cr = n, false
	}
	if s.text != "" && len(s.words) < maxValue {
		s.words = append(s.words, s.buf[from:n]...)
	}
}

// letters are the bytes of ASCII that mean nothing but themselves in text, and end no line.
var letters = func() (is [256]bool) {
	for c := ' '; c < 0x7f; c++ {
		is[c] = c != '<' && c != '&' && c != '>' && c != ']'
	}
	return is
}()

// said takes a character of text that was written by name or number.
func (s *scanner) said(r string) {
	if s.text != "" && len(s.words) < maxValue {
		s.words = append(s.words, r...)
	}
}

// markup reads what begins with "<" in an element; that is taken.
func (s *scanner) markup() *SyntaxError {
	switch s.peek() {
	case '/':
		s.take()
		return s.endTag()
	case '?':
		return s.instruction(false)
	case '!':
		s.take()
		if s.peek() == '-' {
			return s.comment()
		}
		return s.section()
	}
	return s.tag()
}

// section reads a CDATA section from its "[" on (2.7).
func (s *scanner) section() *SyntaxError {
	if bad := s.word("[CDATA[", "the declaration is out of place"); bad != nil {
		return bad
	}
	brackets := 0
	for !s.ended() {
		c := s.peek()
		switch {
		case c == '>' && brackets >= 2:
			s.take()
			return nil
		case control(c):
			return s.fail("the character is none of XML")
		case c == ']':
			brackets++
			s.take()
		default:
			brackets = 0
			s.plain()
		}
	}
	return s.fail("")
}

// tag reads a start tag from its name on (3.1).
func (s *scanner) tag() *SyntaxError {
	name, hash, bad := s.name()
	if bad != nil {
		return bad
	}
	if len(s.open) == maxDepth {
		return s.fail("the nesting is too deep")
	}
	s.info.Elements++
	s.names = s.names[:0]
	root := len(s.open) == 0
	if root {
		s.info.Root = name
	}
	s.open = append(s.open, hash)
	s.info.Depth = max(s.info.Depth, len(s.open))
	for {
		some := s.space()
		switch c := s.peek(); {
		case c == '>':
			s.take()
			s.begin(name)
			return nil
		case c == '/':
			s.take()
			if !s.accept('>') {
				return s.fail("a tag does not end")
			}
			s.open = s.open[:len(s.open)-1]
			return nil
		case !some:
			return s.fail("a tag has no blank before an attribute")
		}
		if bad := s.attribute(root); bad != nil {
			return bad
		}
	}
}

// attribute reads an attribute (3.1).
func (s *scanner) attribute(root bool) *SyntaxError {
	name, hash, bad := s.name()
	if bad != nil {
		return bad
	}
	if slices.Contains(s.names, hash) {
		return s.fail("an attribute comes twice")
	}
	if len(s.names) < maxAttrs {
		s.names = append(s.names, hash)
	}
	s.space()
	if !s.accept('=') {
		return s.fail("an attribute has no value")
	}
	s.space()
	value, bad := s.quoted(true)
	if bad != nil || !root {
		return bad
	}
	prefix, _, prefixed := strings.Cut(s.info.Root, ":")
	if name == "xmlns" && !prefixed || prefixed && name == "xmlns:"+prefix {
		s.info.Namespace = value
	}
	if slices.Contains(s.keep.Attrs, name) {
		s.info.Attrs[name] = value
	}
	return nil
}

// begin notes that an element is open.
func (s *scanner) begin(name string) {
	if len(s.open) != 2 || s.text != "" {
		return
	}
	if _, kept := s.info.Texts[name]; !kept && slices.Contains(s.keep.Texts, name) {
		s.text, s.words = name, s.words[:0]
	}
}

// endTag reads an end tag from its name on.
func (s *scanner) endTag() *SyntaxError {
	line, column := s.line, s.column
	_, hash, bad := s.name()
	if bad != nil {
		return bad
	}
	if hash != s.open[len(s.open)-1] {
		return &SyntaxError{Line: line, Column: column, Reason: "the end tag is not that of the open element"}
	}
	s.space()
	if !s.accept('>') {
		return s.fail("a tag does not end")
	}
	s.open = s.open[:len(s.open)-1]
	if s.text != "" && len(s.open) == 1 {
		s.info.Texts[s.text] = strings.Join(strings.Fields(strings.ToValidUTF8(string(s.words), "")), " ")
		s.text = ""
	}
	return nil
}
