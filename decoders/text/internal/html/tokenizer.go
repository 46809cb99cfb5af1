package html

import "bytes"

// Kind says what a token is. Comments, doctypes and processing instructions are no tokens: nothing of them is shown.
type Kind byte

// The kinds of tokens.
const (
	Text Kind = iota + 1
	StartTag
	EndTag
)

// Tokenizer takes HTML apart as the WHATWG standard does (HTML, 13.2.5), from text that comes in pieces. It never fails on what the text
// is; memory is bounded by what it keeps of one tag.
type Tokenizer struct {
	// MaxValue is how many bytes of an attribute's value are kept; the rest is counted. NewTokenizer sets it.
	MaxValue int

	// Foreign says that the tag came inside of SVG or MathML, where no element holds raw text and CDATA sections exist.
	Foreign bool

	// XML says that the text is XHTML, as it is when it begins with an XML declaration: a tag that closes itself does, and CDATA sections
	// exist.
	XML bool

	next  func() ([]byte, error)
	buf   []byte // what is read and not used yet, from pos
	pos   int
	own   []byte // buf, where it had to be put together
	err   error  // why there is no more
	begun bool

	raw     string // the element whose raw text comes next
	script  scriptState
	cdata   bool
	text    []byte // of the token
	decoded []byte // the same, where it is not in the file as it stands

	name        []byte
	selfClosing bool
	attrs       []attr
	arena       []byte // of the attributes
}

// attr is an attribute: its name and value in the arena, and how long the value is.
type attr struct{ name, value, end, size int }

// What is kept of a tag. Longer names are no names of HTML.
const (
	maxName     = 64
	maxAttrs    = 256
	maxValue    = 64 << 10
	textPiece   = 16 << 10
	entityBytes = 48 // longer than the longest name of a character (13.5)
)

// NewTokenizer returns a tokenizer of the text whose pieces next gives. A piece is not used any more when the next one is asked for.
func NewTokenizer(next func() ([]byte, error)) *Tokenizer {
	return &Tokenizer{MaxValue: maxValue, next: next}
}

// fill makes at least n bytes available, where there are so many.
func (z *Tokenizer) fill(n int) bool {
	for len(z.buf)-z.pos < n {
		if z.err != nil {
			return false
		}
		if z.pos == len(z.buf) {
			z.buf, z.pos = nil, 0
		} else {
			z.own = append(z.own[:0], z.buf[z.pos:]...)
			z.buf, z.pos = z.own, 0
		}
		b, err := z.next()
		if err != nil {
			z.err = err
			return false
		}
		if len(z.buf) == 0 {
			z.buf = b
			continue
		}
		z.own = append(z.own, b...)
		z.buf = z.own
	}
	return true
}

// at returns the byte at distance i, 0 behind the end.
func (z *Tokenizer) at(i int) byte {
	if !z.fill(i + 1) {
		return 0
	}
	return z.buf[z.pos+i]
}

// ahead reports whether word, in lower case, comes next at distance i.
func (z *Tokenizer) ahead(i int, word string) bool {
	if !z.fill(i + len(word)) {
		return false
	}
	b := z.buf[z.pos+i:]
	for k := range len(word) {
		if lower(b[k]) != word[k] {
			return false
		}
	}
	return true
}

// Next returns the kind of the next token; io.EOF ends the text, any other error is that of the pieces. Text comes in several tokens.
func (z *Tokenizer) Next() (Kind, error) {
	if !z.begun {
		z.begun = true
		z.XML = z.XML || z.ahead(0, "<?xml")
	}
	for {
		if !z.fill(1) {
			return 0, z.err
		}
		if z.raw != "" || z.cdata {
			if z.rawText() {
				return Text, nil
			}
			continue
		}
		if z.buf[z.pos] != '<' {
			z.plainText()
			if len(z.text) == 0 { // a NUL
				continue
			}
			return Text, nil
		}
		switch c := z.at(1); {
		case letter(c):
			z.pos++
			if z.tag() {
				z.begin()
				return StartTag, nil
			}
		case c == '/' && letter(z.at(2)):
			z.pos += 2
			if z.tag() {
				return EndTag, nil
			}
		case c == '/' && z.at(2) == '>':
			z.pos += 3
		case c == '/' && !z.fill(3):
			z.text, z.pos = z.buf[z.pos:z.pos+2], z.pos+2
			return Text, nil
		case c == '/', c == '?':
			z.skipTo('>')
		case c == '!':
			z.declaration()
		default:
			z.plainText()
			return Text, nil
		}
	}
}

// declaration skips what begins with an exclamation mark, but for the beginning of a CDATA section.
func (z *Tokenizer) declaration() {
	switch {
	case z.ahead(2, "--"):
		z.pos += 4
		z.comment()
	case (z.Foreign || z.XML) && z.fill(9) && string(z.buf[z.pos+2:z.pos+9]) == "[CDATA[":
		z.pos += 9
		z.cdata = true
	default:
		z.skipTo('>')
	}
}

// comment skips to the end of a comment (13.2.5.43 to 13.2.5.51).
func (z *Tokenizer) comment() {
	if z.at(0) == '>' {
		z.pos++
		return
	}
	if z.ahead(0, "->") {
		z.pos += 2
		return
	}
	for z.to('-') {
		switch {
		case z.ahead(0, "-->"):
			z.pos += 3
			return
		case z.ahead(0, "--!>"):
			z.pos += 4
			return
		}
		z.pos++
	}
}

// to goes to the next c; false at the end of the text.
func (z *Tokenizer) to(c byte) bool {
	for z.fill(1) {
		if i := bytes.IndexByte(z.buf[z.pos:], c); i >= 0 {
			z.pos += i
			return true
		}
		z.pos = len(z.buf)
	}
	return false
}

func (z *Tokenizer) skipTo(c byte) {
	if z.to(c) {
		z.pos++
	}
}

// begin notes what a start tag means for the text behind it (13.2.6.4: which elements hold raw text).
func (z *Tokenizer) begin() {
	if z.Foreign || z.XML && z.selfClosing {
		return
	}
	switch string(z.name) {
	case "script", "style", "xmp", "iframe", "noembed", "textarea", "title", "plaintext":
		z.raw = rawName(z.name)
		z.script = scriptPlain
	}
}

// rawName is the name of an element of raw text, which outlives the token.
func rawName(name []byte) string {
	for _, s := range [...]string{"script", "style", "xmp", "iframe", "noembed", "textarea", "title", "plaintext"} {
		if s == string(name) {
			return s
		}
	}
	return ""
}

// Text is the text of a text token, valid until the next call of Next. Line ends are LF.
func (z *Tokenizer) Text() []byte { return z.text }

// Name is the name of a tag in lower case, valid until the next call of Next.
func (z *Tokenizer) Name() []byte { return z.name }

// SelfClosing reports whether a tag ends in "/>".
func (z *Tokenizer) SelfClosing() bool { return z.selfClosing }

// Attr returns the value of an attribute, whose name is in lower case; nil when there is none. It is valid until the next call of Next.
func (z *Tokenizer) Attr(name string) []byte {
	v, _ := z.Value(name)
	return v
}

// Value returns the value of an attribute as Attr does, and how long it is in the file where it is longer than what is kept.
func (z *Tokenizer) Value(name string) (value []byte, size int) {
	for i := range z.attrs {
		a := &z.attrs[i]
		if string(z.arena[a.name:a.value]) == name {
			return z.arena[a.value:a.end:a.end], a.size
		}
	}
	return nil, 0
}

// plainText reads text up to a tag or the end of what is at hand. When it begins with "<", that is text.
func (z *Tokenizer) plainText() {
	b := z.buf[z.pos:]
	n := 0
	for n < len(b) && !special[b[n]] {
		n++
	}
	if n > 0 && (n == len(b) || b[n] == '<') {
		z.text, z.pos = b[:n:n], z.pos+n
		return
	}
	out := z.decoded[:0]
	first := true
	for len(out) < textPiece && z.fill(1) {
		c := z.buf[z.pos]
		if c == '<' && !first {
			break
		}
		out = z.character(out, first)
		first = false
	}
	z.text, z.decoded = out, out
}

// special are the bytes at which plain text has to be looked at.
var special = [256]bool{'<': true, '&': true, '\r': true, 0: true}

// character appends what comes next: a run of plain characters, or what stands for a character. With open, "<" does too.
func (z *Tokenizer) character(out []byte, open bool) []byte {
	switch c := z.buf[z.pos]; {
	case c == '&':
		return z.entity(out, false)
	case c == '\r':
		z.pos++
		if z.at(0) == '\n' {
			z.pos++
		}
		return append(out, '\n')
	case c == 0: // 13.2.6.4.7: ignored
		z.pos++
		return out
	case c == '<' && open:
		z.pos++
		return append(out, c)
	}
	b := z.buf[z.pos:]
	n := 0
	for n < len(b) && !special[b[n]] {
		n++
	}
	z.pos += n
	return append(out, b[:n]...)
}

// tag reads a tag from its name on; false when the text ends in it, and it is none (13.2.5.8).
func (z *Tokenizer) tag() bool {
	z.name, z.attrs, z.arena, z.selfClosing = z.name[:0], z.attrs[:0], z.arena[:0], false
	for {
		if !z.fill(1) {
			return false
		}
		c := z.buf[z.pos]
		if space(c) || c == '/' || c == '>' {
			break
		}
		if len(z.name) < maxName {
			z.name = append(z.name, lower(c))
		}
		z.pos++
	}
	for {
		for z.fill(1) && (space(z.buf[z.pos]) || z.buf[z.pos] == '/') {
			z.selfClosing = z.buf[z.pos] == '/'
			z.pos++
		}
		if !z.fill(1) {
			return false
		}
		if z.buf[z.pos] == '>' {
			z.pos++
			return true
		}
		z.selfClosing = false
		if !z.attribute() {
			return false
		}
	}
}

// attribute reads one attribute (13.2.5.33 to 13.2.5.38).
func (z *Tokenizer) attribute() bool {
	a := attr{name: len(z.arena)}
	for first := true; ; first = false {
		if !z.fill(1) {
			return false
		}
		c := z.buf[z.pos]
		if space(c) || c == '/' || c == '>' || c == '=' && !first {
			break
		}
		if len(z.arena)-a.name < maxName {
			z.arena = append(z.arena, lower(c))
		}
		z.pos++
	}
	a.value = len(z.arena)
	for z.fill(1) && space(z.buf[z.pos]) {
		z.pos++
	}
	if !z.fill(1) {
		return false
	}
	if z.buf[z.pos] == '=' {
		z.pos++
		for z.fill(1) && space(z.buf[z.pos]) {
			z.pos++
		}
		if !z.value(&a) {
			return false
		}
	}
	a.end = len(z.arena)
	a.size = max(a.size, a.end-a.value)
	if len(z.attrs) < maxAttrs && len(z.arena) <= z.MaxValue+4*maxValue {
		z.attrs = append(z.attrs, a)
	} else {
		z.arena = z.arena[:a.name]
	}
	return true
}

// value reads the value of an attribute.
func (z *Tokenizer) value(a *attr) bool {
	quote := z.at(0)
	if quote == '"' || quote == '\'' {
		z.pos++
	} else {
		quote = 0
	}
	for z.fill(1) {
		c := z.buf[z.pos]
		switch {
		case c == quote && quote != 0:
			z.pos++
			return true
		case quote == 0 && c == '>', quote == 0 && space(c):
			return true
		case c == '&':
			z.keep(a, func() { z.arena = z.entity(z.arena, true) })
		case c == '\r':
			z.keep(a, func() { z.arena = z.character(z.arena, false) })
		case c == 0:
			z.pos++
			z.keep(a, func() { z.arena = append(z.arena, "\uFFFD"...) })
		default:
			z.run(a, quote)
		}
	}
	return false
}

// keep lets add put something behind the value, and takes it back when there is too much of it.
func (z *Tokenizer) keep(a *attr, add func()) {
	n := len(z.arena)
	add()
	a.size += len(z.arena) - n
	if n-a.value >= z.MaxValue {
		z.arena = z.arena[:n]
	}
}

// run takes the characters of a value that stand for themselves.
func (z *Tokenizer) run(a *attr, quote byte) {
	b := z.buf[z.pos:]
	n := 1
	for n < len(b) && b[n] != quote && b[n] != '&' && b[n] != '\r' && b[n] != 0 && (quote != 0 || !space(b[n]) && b[n] != '>') {
		n++
	}
	a.size += n
	room := max(0, z.MaxValue-(len(z.arena)-a.value))
	if room < n {
		for room > 0 && b[room]&0xc0 == 0x80 {
			room--
		}
	}
	z.arena = append(z.arena, b[:min(n, room)]...)
	z.pos += n
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// space reports whether c is white space of HTML.
func space(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }
