package mail

import (
	"bytes"
	"strings"
)

// Address is a mailbox of a header: the name that is shown, and where mail goes. They may have nothing to do with each other.
type Address struct{ Name, Address string }

// String is the address so that name and address cannot be taken for one another: a name that looks like an address is in quotes.
func (a Address) String() string {
	switch {
	case a.Name == "":
		return a.Address
	case a.Address == "":
		return a.Name
	case strings.ContainsAny(a.Name, `<>@,;:"\()[]`):
		return `"` + strings.ReplaceAll(strings.ReplaceAll(a.Name, `\`, `\\`), `"`, `\"`) + `" <` + a.Address + ">"
	}
	return a.Name + " <" + a.Address + ">"
}

// maxAddresses is how many mailboxes of one field are kept apart.
const maxAddresses = 500

// addressReader takes a list of mailboxes apart (RFC 5322, 3.4) before its words are decoded: what an encoded word says is never structure.
type addressReader struct {
	head    *header
	out     []Address
	phrase  []byte // what stands before an address in brackets, or is one itself; still encoded
	comment []byte
	spec    []byte // out of brackets
	angle   bool
}

// addresses reads the list of a field; what is no address comes out as a name.
func (h *header) addresses(name string) []Address {
	v := unfold(h.get(name))
	r := addressReader{head: h}
	for i := 0; i < len(v) && len(r.out) < maxAddresses; i++ {
		switch c := v[i]; {
		case c == '"':
			i = r.quoted(v, i)
		case c == '(':
			end := commentEnd(v, i)
			r.comment = append(r.comment[:0], v[i+1:max(i+1, end)]...)
			i = end
		case c == '<':
			end := bytes.IndexByte(v[i:], '>')
			if end < 0 {
				end = len(v) - i
			}
			if r.angle { // a second one: the first was part of the name
				r.phrase = append(append(append(bytes.TrimRight(r.phrase, " "), " <"...), r.spec...), "> "...)
			}
			r.spec, r.angle = bytes.TrimSpace(v[i+1:i+end]), true
			i += end
		case c == ',' || c == ';':
			r.flush()
		case c == ':' && !r.angle && bytes.IndexByte(r.phrase, '@') < 0: // the name of a group
			if group := r.head.decodeWords(bytes.TrimSpace(r.phrase)); group != "" {
				r.out = append(r.out, Address{Name: group + ":"})
			}
			r.phrase = r.phrase[:0]
		default:
			r.phrase = append(r.phrase, c)
		}
	}
	r.flush()
	return r.out
}

// quoted takes a quoted string that begins at i and returns where it ends.
func (r *addressReader) quoted(v []byte, i int) int {
	for i++; i < len(v) && v[i] != '"'; i++ {
		if v[i] == '\\' && i+1 < len(v) {
			i++
		}
		r.phrase = append(r.phrase, v[i])
	}
	return i
}

// commentEnd returns where the comment that begins at i ends; comments nest.
func commentEnd(v []byte, i int) int {
	depth := 0
	for ; i < len(v); i++ {
		switch v[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(v)
}

func (r *addressReader) flush() {
	phrase := bytes.TrimSpace(r.phrase)
	var a Address
	switch {
	case r.angle:
		a = Address{r.head.decodeWords(phrase), r.head.decodeWords(r.spec)}
		if a.Name == "" {
			a.Name = r.head.decodeWords(r.comment)
		}
	case bytes.IndexByte(phrase, '@') >= 0 && bytes.IndexByte(phrase, ' ') < 0:
		a = Address{r.head.decodeWords(r.comment), r.head.decodeWords(phrase)}
	case len(phrase) > 0:
		a.Name = r.head.decodeWords(phrase)
	}
	a.Name, a.Address = oneLine(a.Name), oneLine(a.Address)
	if a != (Address{}) {
		r.out = append(r.out, a)
	}
	r.phrase, r.comment, r.spec, r.angle = r.phrase[:0], r.comment[:0], nil, false
}

// oneLine keeps what an encoded word hides from ending a line.
func oneLine(s string) string {
	if strings.ContainsAny(s, "\r\n\v\f\u0085\u2028\u2029") {
		s = strings.NewReplacer("\r", " ", "\n", " ", "\v", " ", "\f", " ", "\u0085", " ", "\u2028", " ", "\u2029", " ").Replace(s)
	}
	return strings.TrimSpace(s)
}
