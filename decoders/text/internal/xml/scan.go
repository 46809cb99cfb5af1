package xml

import (
	"io"
	"strconv"
)

// Info is what is known of an XML text.
type Info struct {
	Root      string // the name of the root element, with its prefix
	Namespace string // of the root, where it is declared there
	Doctype   string // the name in the document type declaration
	Elements  int64
	Depth     int
	Entities  int      // declared
	External  []string // what lies outside: identifiers of entities and of the document type, places of style sheets, each once

	Attrs map[string]string // of the root: those that Scan was told to keep
	Texts map[string]string // of elements directly in the root: those that Scan was told to keep

	Invalid *SyntaxError // where it stops being well formed; nil where it does not
}

// SyntaxError says where a text stops being well-formed XML, and why.
type SyntaxError struct {
	Line, Column int64 // from 1, the column in characters
	Reason       string
}

// Error gives the reason and the place.
func (e *SyntaxError) Error() string {
	return "xml: " + e.Reason + " at line " + strconv.FormatInt(e.Line, 10) + ", column " + strconv.FormatInt(e.Column, 10)
}

// Bounds of what is kept.
const (
	maxDepth    = 1 << 18
	maxName     = 200
	maxValue    = 2000
	maxExternal = 20
	maxAttrs    = 1000 // of a tag, whose names are told apart
)

// scanner reads characters and keeps the place.
type scanner struct {
	next func() ([]byte, error)
	buf  []byte
	pos  int
	err  error // why there is no more

	line, column int64
	cr           bool

	info  *Info
	keep  Keep
	open  []uint64 // hashes of the names of the open elements
	names []uint64 // of the attributes of the tag at hand
	value []byte
	text  string // the element whose text is kept
	words []byte

	external bool // there is an external subset, which may declare anything
	declared map[string]bool
}

// Keep names what of the root is to be kept.
type Keep struct {
	Attrs []string // attributes of the root
	Texts []string // elements directly in the root, whose text is wanted
}

// Scan reads the text whose pieces next gives, up to its end or to where it stops being well formed: Invalid says so then. The error is that
// of next.
func Scan(next func() ([]byte, error), keep Keep) (*Info, error) {
	s := &scanner{
		next: next, line: 1, column: 1, keep: keep, declared: map[string]bool{},
		info: &Info{Attrs: map[string]string{}, Texts: map[string]string{}},
	}
	bad := s.document()
	if s.err != nil && s.err != io.EOF {
		return s.info, s.err
	}
	s.info.Invalid = bad
	return s.info, nil
}

// peek returns the next byte, 0 at the end of the text.
func (s *scanner) peek() byte {
	for s.pos == len(s.buf) {
		if s.err != nil {
			return 0
		}
		s.pos = 0
		if s.buf, s.err = s.next(); s.err != nil {
			s.buf = nil
			return 0
		}
	}
	return s.buf[s.pos]
}

// ended reports whether the text is at its end.
func (s *scanner) ended() bool { return s.peek() == 0 && s.err != nil }

// take goes on by a byte, which peek has given.
func (s *scanner) take() {
	c := s.buf[s.pos]
	s.pos++
	switch {
	case c == '\n' && s.cr:
	case c == '\n' || c == '\r':
		s.line++
		s.column = 1
	case c&0xc0 != 0x80:
		s.column++
	}
	s.cr = c == '\r'
}

// accept takes c if it comes next.
func (s *scanner) accept(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.take()
	return true
}

// fail is an error at the place at hand.
func (s *scanner) fail(reason string) *SyntaxError {
	if s.ended() {
		reason = "the text ends inside of something"
	}
	return &SyntaxError{Line: s.line, Column: s.column, Reason: reason}
}

// word takes a word that has to come.
func (s *scanner) word(w, reason string) *SyntaxError {
	for i := range len(w) {
		if !s.accept(w[i]) {
			return s.fail(reason)
		}
	}
	return nil
}

// space takes white space, and reports whether there was any.
func (s *scanner) space() (some bool) {
	for isSpace(s.peek()) {
		s.take()
		some = true
	}
	return some
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// name reads a name (2.3, Name; all characters above ASCII are taken for parts of names): its beginning and its hash.
func (s *scanner) name() (name string, hash uint64, bad *SyntaxError) {
	if c := s.peek(); !nameByte(c) || c == '-' || c == '.' || '0' <= c && c <= '9' {
		return "", 0, s.fail("a name is missing")
	}
	hash = 14695981039346656037 // FNV-1a
	b := s.value[:0]
	for c := s.peek(); nameByte(c); c = s.peek() {
		hash = (hash ^ uint64(c)) * 1099511628211
		if len(b) < maxName || c&0xc0 == 0x80 && len(b) < maxName+4 {
			b = append(b, c)
		}
		s.take()
	}
	s.value = b
	return string(b), hash, nil
}

func nameByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == ':' || c == '-' || c == '.' || c >= 0x80
}

// quoted reads a literal in quotes: its beginning. In values, references are checked and "<" is none.
func (s *scanner) quoted(value bool) (string, *SyntaxError) {
	quote := s.peek()
	if quote != '"' && quote != '\'' {
		return "", s.fail("a value in quotes is missing")
	}
	s.take()
	var b []byte
	for {
		c := s.peek()
		switch {
		case s.ended():
			return "", s.fail("")
		case c == quote:
			s.take()
			return string(b), nil
		case c == '<' && value:
			return "", s.fail("a value has a tag in it")
		case c == '&' && value:
			r, bad := s.reference()
			if bad != nil {
				return "", bad
			}
			if len(b)+len(r) <= maxValue {
				b = append(b, r...)
			}
			continue
		case control(c):
			return "", s.fail("the character is none of XML")
		}
		if len(b) < maxValue || c&0xc0 == 0x80 && len(b) < maxValue+4 {
			b = append(b, c)
		}
		s.take()
	}
}

// control reports whether c is a character that XML does not have (2.2).
func control(c byte) bool { return c < ' ' && c != '\t' && c != '\n' && c != '\r' }

// reference reads what begins with an ampersand, and returns the character that it stands for: entities that are declared stand for nothing
// here.
func (s *scanner) reference() (string, *SyntaxError) {
	s.take()
	if s.accept('#') {
		return s.number()
	}
	name, _, bad := s.name()
	if bad != nil {
		return "", bad
	}
	if !s.accept(';') {
		return "", s.fail("a reference has no semicolon")
	}
	switch name {
	case "amp":
		return "&", nil
	case "lt":
		return "<", nil
	case "gt":
		return ">", nil
	case "apos":
		return "'", nil
	case "quot":
		return `"`, nil
	}
	if !s.declared[name] && !s.external {
		return "", s.fail("the entity is not declared")
	}
	return "", nil
}

// number reads a character by its number.
func (s *scanner) number() (string, *SyntaxError) {
	base := rune(10)
	if s.accept('x') {
		base = 16
	}
	r, digits := rune(0), 0
	for ; ; digits++ {
		d := rune(-1)
		switch c := s.peek(); {
		case '0' <= c && c <= '9':
			d = rune(c - '0')
		case base == 16 && 'a' <= c|0x20 && c|0x20 <= 'f':
			d = rune(c|0x20-'a') + 10
		}
		if d < 0 {
			break
		}
		r = min(r*base+d, 0x110000)
		s.take()
	}
	if digits == 0 || !s.accept(';') {
		return "", s.fail("a reference has no number or no semicolon")
	}
	if r < ' ' && control(byte(r)) || 0xd800 <= r && r < 0xe000 || r == 0xfffe || r == 0xffff || r > 0x10ffff {
		return "", s.fail("the character is none of XML")
	}
	return string(r), nil
}
