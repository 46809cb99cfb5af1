package html

import (
	stdhtml "html"
	"unicode/utf8"
)

// scriptState is where in a script the tokenizer is: what looks like a comment there may hold what looks like the script's end (13.2.5.18
// to 13.2.5.31).
type scriptState byte

const (
	scriptPlain         scriptState = iota
	scriptEscaped                   // behind "<!--"
	scriptDoubleEscaped             // behind "<script" in it
)

// rawText reads text in which there are no tags; false when there is none, and z.text is not set.
func (z *Tokenizer) rawText() bool {
	switch {
	case z.buf[z.pos] == '\r':
		z.pos++
		if z.at(0) != '\n' {
			z.text = newline
			return true
		}
		return false
	case z.cdata:
		return z.section()
	case z.raw == "script":
		return z.scriptText()
	case z.raw == "title" || z.raw == "textarea":
		return z.escapableText()
	}
	b := z.buf[z.pos:]
	i := 0
	for i < len(b) && b[i] != '\r' && (b[i] != '<' || z.raw == "plaintext") {
		i++
	}
	if i == 0 {
		if z.ends(z.raw) {
			z.raw = ""
			return false
		}
		i = 1
	}
	b = z.buf[z.pos:] // what ends looks at may have moved it
	z.text, z.pos = b[:i:i], z.pos+i
	return true
}

var newline = []byte{'\n'}

// ends reports whether the end tag of an element of raw text comes next.
func (z *Tokenizer) ends(name string) bool {
	return z.at(1) == '/' && z.ahead(2, name) && z.named(2+len(name))
}

// named reports whether a tag's name ends at distance i.
func (z *Tokenizer) named(i int) bool {
	c := z.at(i)
	return space(c) || c == '/' || c == '>'
}

// escapableText is that of the elements whose text has tags for text, and characters written by name.
func (z *Tokenizer) escapableText() bool {
	out := z.decoded[:0]
	for len(out) < textPiece && z.fill(1) {
		if z.buf[z.pos] == '<' && z.ends(z.raw) {
			if len(out) == 0 {
				z.raw = ""
				return false
			}
			break
		}
		if c := z.buf[z.pos]; c == 0 {
			z.pos++
			out = append(out, "\uFFFD"...)
			continue
		}
		out = z.character(out, true)
	}
	z.text, z.decoded = out, out
	return true
}

// section is the text of a CDATA section.
func (z *Tokenizer) section() bool {
	b := z.buf[z.pos:]
	i := 0
	for i < len(b) && b[i] != ']' && b[i] != '\r' {
		i++
	}
	if i == 0 {
		if z.ahead(0, "]]>") {
			z.pos += 3
			z.cdata = false
			return false
		}
		i = 1
	}
	b = z.buf[z.pos:]
	z.text, z.pos = b[:i:i], z.pos+i
	return true
}

// scriptText is a piece of a script.
func (z *Tokenizer) scriptText() bool {
	b := z.buf[z.pos:]
	i := 0
	for i < len(b) && b[i] != '<' && b[i] != '\r' && (b[i] != '-' || z.script == scriptPlain) {
		i++
	}
	if i == 0 {
		i = 1
		switch {
		case b[0] == '-':
			if z.ahead(0, "-->") {
				z.script = scriptPlain
			}
		case z.script == scriptPlain && z.ahead(0, "<!--"):
			z.script = scriptEscaped
			i = 2 // the dashes may be those of the end too: <!-->
		case z.script == scriptEscaped && z.ahead(0, "<script") && z.named(7):
			z.script = scriptDoubleEscaped
		case z.script == scriptDoubleEscaped && z.ends("script"):
			z.script = scriptEscaped
		case z.script != scriptDoubleEscaped && z.ends("script"):
			z.raw = ""
			return false
		}
		b = z.buf[z.pos:]
	}
	z.text, z.pos = b[:i:i], z.pos+i
	return true
}

// entity reads what begins with an ampersand, and appends the characters that it stands for (13.2.5.72 to 13.2.5.80).
func (z *Tokenizer) entity(out []byte, inValue bool) []byte {
	c := z.at(1)
	if c == '#' {
		return z.number(out)
	}
	if !letter(c) { // no name begins with a digit
		z.pos++
		return append(out, '&')
	}
	z.fill(entityBytes)
	b := z.buf[z.pos:]
	n := 1
	for n < len(b) && n < entityBytes-1 && (letter(b[n]) || '0' <= b[n] && b[n] <= '9') {
		n++
	}
	name := b[1:n]
	closed := n < len(b) && b[n] == ';'
	if closed {
		n++
	}
	z.pos += n
	if s := common(name); s != "" && closed {
		return append(out, s...)
	}
	written := string(b[:n])
	s := stdhtml.UnescapeString(written)
	if inValue && !complete(s, written, closed, n < len(b) && b[n] == '=') {
		s = written
	}
	return append(out, s...)
}

// common is the character of the names that nearly every page has.
func common(name []byte) string {
	switch string(name) {
	case "amp":
		return "&"
	case "lt":
		return "<"
	case "gt":
		return ">"
	case "quot":
		return `"`
	case "nbsp":
		return "\u00a0"
	}
	return ""
}

// complete reports whether s stands for all of a name, and not for its beginning: in a value only that counts (13.2.5.73).
func complete(s, written string, closed, equals bool) bool {
	switch {
	case s == written:
		return false
	case closed:
		return s[len(s)-1] != ';' || written == "&semi;"
	}
	_, size := utf8.DecodeRuneInString(s) // all names that may stand without a semicolon are of one character
	return size == len(s) && !equals
}

// number reads a character by its number.
func (z *Tokenizer) number(out []byte) []byte {
	start := 2
	hex := z.at(2)|0x20 == 'x'
	if hex {
		start = 3
	}
	if digit(z.at(start), hex) < 0 {
		z.pos++
		return append(out, '&')
	}
	z.pos += start
	var r rune
	for z.fill(1) {
		d := digit(z.buf[z.pos], hex)
		if d < 0 {
			break
		}
		switch {
		case r > utf8.MaxRune: // stays
		case hex:
			r = r<<4 | d
		default:
			r = r*10 + d
		}
		z.pos++
	}
	if z.at(0) == ';' {
		z.pos++
	}
	if 0x80 <= r && r <= 0x9f { // 13.2.5.80: those of windows-1252
		r = windows1252[r-0x80]
	}
	if r == 0 || r > utf8.MaxRune {
		r = utf8.RuneError
	}
	return utf8.AppendRune(out, r)
}

func digit(c byte, hex bool) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case hex && 'a' <= c|0x20 && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10
	}
	return -1
}

var windows1252 = [32]rune{
	0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d, 0x017d, 0x8f,
	0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d, 0x017e, 0x0178,
}
