package pdf

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxXMPBytes is how much of the metadata stream is looked at. The packet of a long book has some 10 kB; what is larger holds pictures.
const maxXMPBytes = 256 << 10

// xmp is the metadata stream of a document (14.3.2): XML, which is searched for the properties that are known. No parser: entities,
// namespaces under other names and broken markup cost only what stands in them.
type xmp string

// newXMP returns the packet as UTF-8.
func newXMP(b []byte) xmp {
	s := string(b)
	order := 0 // of UTF-16, by its mark or by its first character
	switch {
	case strings.HasPrefix(s, "\xfe\xff"), strings.HasPrefix(s, "\x00<"):
		order = 1
	case strings.HasPrefix(s, "\xff\xfe"), strings.HasPrefix(s, "<\x00"):
		order = 2
	default:
		return xmp(strings.ToValidUTF8(s, "\ufffd"))
	}
	units := make([]uint16, 0, len(s)/2)
	for i := 0; i+1 < len(s); i += 2 {
		hi, lo := s[i], s[i+1]
		if order == 2 {
			hi, lo = lo, hi
		}
		units = append(units, uint16(hi)<<8|uint16(lo))
	}
	return xmp(string(utf16.Decode(units)))
}

// maxMentions is how often a property's name is looked at before it is given up: a value that is not empty is the first or the second.
const maxMentions = 16

// text returns a property's value, the items of a list joined by a comma; "" if it is not there.
func (x xmp) text(name string) string {
	rest := string(x)
	for range maxMentions {
		i := strings.Index(rest, name)
		if i < 0 {
			break
		}
		before, after := rest[:i], rest[i+len(name):]
		s := ""
		switch {
		case strings.HasSuffix(before, "<"):
			s = element(after, name)
		case before != "" && strings.ContainsRune(" \t\r\n", rune(before[len(before)-1])):
			s = attribute(after)
		}
		if s != "" {
			return s
		}
		rest = after
	}
	return ""
}

// maxListItems bounds how many items of a list are joined.
const maxListItems = 20

// element returns the text of an element whose name has just been read.
func element(s, name string) string {
	head, body, ok := strings.Cut(s, ">")
	if !ok || strings.HasSuffix(head, "/") || head != "" && !strings.ContainsRune(" \t\r\n", rune(head[0])) {
		return ""
	}
	body, _, ok = strings.Cut(body, "</"+name+">")
	if !ok {
		return ""
	}
	if !strings.Contains(body, "<rdf:li") {
		return plainXML(body)
	}
	language := strings.Contains(body, "<rdf:Alt") // the same in several languages
	var items []string
	for part := range strings.SplitSeq(body, "<rdf:li") {
		_, item, _ := strings.Cut(part, ">")
		item, _, ok := strings.Cut(item, "</rdf:li>")
		if item = plainXML(item); !ok || item == "" {
			continue
		}
		items = append(items, item)
		if language || len(items) == maxListItems {
			break
		}
	}
	return strings.Join(items, ", ")
}

// attribute returns the value of an attribute whose name has just been read.
func attribute(s string) string {
	s = strings.TrimLeft(s, " \t\r\n")
	if !strings.HasPrefix(s, "=") {
		return ""
	}
	s = strings.TrimLeft(s[1:], " \t\r\n")
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return ""
	}
	end := strings.IndexByte(s[1:], s[0])
	if end < 0 {
		return ""
	}
	return plainXML(s[1 : 1+end])
}

// plainXML drops tags and spells out the entities that XML has.
func plainXML(s string) string {
	var b strings.Builder
	for s != "" {
		i := strings.IndexAny(s, "<&")
		if i < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		c := s[i]
		s = s[i+1:]
		if c == '<' {
			_, s, _ = strings.Cut(s, ">")
			continue
		}
		name, after, ok := strings.Cut(s, ";")
		if r := entity(name); ok && r != 0 {
			b.WriteRune(r)
			s = after
		} else {
			b.WriteByte('&')
		}
	}
	return strings.TrimSpace(b.String())
}

// entity returns the character that stands for a name between & and ;, 0 if none does.
func entity(name string) rune {
	switch name {
	case "amp":
		return '&'
	case "lt":
		return '<'
	case "gt":
		return '>'
	case "quot":
		return '"'
	case "apos":
		return '\''
	}
	digits, base := strings.TrimPrefix(name, "#"), 10
	if len(digits) == len(name) || len(digits) > 8 {
		return 0
	}
	if hex := strings.TrimLeft(digits, "xX"); len(hex) < len(digits) {
		digits, base = hex, 16
	}
	n, err := strconv.ParseInt(digits, base, 32)
	if err != nil || n == 0 || !utf8.ValidRune(rune(n)) {
		return 0
	}
	return rune(n)
}
