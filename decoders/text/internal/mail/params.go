package mail

import (
	"bytes"
	"slices"
	"strings"
)

// maxParams bounds the parameters of one field, and the pieces that one of them is cut into.
const maxParams = 200

// param is one parameter as it stands: "filename*0*" and its value without quotes.
type param struct {
	name  string // lower case
	value []byte
}

// structured is a field such as Content-Type: a value and parameters (RFC 2045, 5.1).
type structured struct {
	value  string // lower case
	params []param
	head   *header
}

func (h *header) structured(name string) (s structured) {
	s.head = h
	v := unfold(h.get(name))
	head, rest, _ := bytes.Cut(v, []byte(";"))
	head, _, _ = bytes.Cut(head, []byte("("))
	s.value = strings.ToLower(string(bytes.TrimSpace(head)))
	for len(rest) > 0 && len(s.params) < maxParams {
		name, after, found := bytes.Cut(rest, []byte("="))
		if semi := bytes.LastIndexByte(name, ';'); semi >= 0 { // something without a value
			name = name[semi+1:]
		}
		if !found {
			break
		}
		var value []byte
		value, rest = paramValue(bytes.TrimLeft(after, " \t"))
		if name = bytes.TrimSpace(name); len(name) > 0 {
			s.params = append(s.params, param{strings.ToLower(string(name)), value})
		}
	}
	return s
}

// paramValue reads a value at the beginning of v, in quotes or up to the next semicolon: file names stand there with blanks in them.
func paramValue(v []byte) (value, rest []byte) {
	if len(v) == 0 || v[0] != '"' {
		value, rest, _ = bytes.Cut(v, []byte(";"))
		return bytes.TrimSpace(value), rest
	}
	i := 1
	for ; i < len(v) && v[i] != '"'; i++ {
		// Programs of Windows write paths with backslashes that escape nothing.
		if v[i] == '\\' && i+1 < len(v) && (v[i+1] == '"' || v[i+1] == '\\') {
			i++
		}
		value = append(value, v[i])
	}
	_, rest, _ = bytes.Cut(v[min(i+1, len(v)):], []byte(";"))
	return value, rest
}

// get returns a parameter as text. What RFC 2231 says of charsets and pieces comes before the plain form, which may have encoded words.
func (s *structured) get(name string) string {
	var plain []byte
	found := false
	var pieces []piece
	for _, p := range s.params {
		if p.name == name && !found {
			plain, found = p.value, true
		}
		if rest, ok := strings.CutPrefix(p.name, name+"*"); ok && len(pieces) < maxParams {
			if piece, ok := parsePiece(rest, p.value); ok {
				pieces = append(pieces, piece)
			}
		}
	}
	if len(pieces) > 0 {
		return s.head.joinPieces(pieces)
	}
	return strings.TrimSpace(s.head.decodeWords(plain))
}

// token returns a parameter that is a word of its own, such as a charset.
func (s *structured) token(name string) string {
	v := s.get(name)
	if i := strings.IndexAny(v, " \t(;,"); i >= 0 {
		v = v[:i]
	}
	return strings.Trim(v, "'\"")
}

// piece is part of a parameter's value (RFC 2231, 3 and 4).
type piece struct {
	n       int
	encoded bool
	value   []byte
}

// parsePiece reads what stands behind "name*": nothing, a number, or a number and a star.
func parsePiece(s string, value []byte) (p piece, ok bool) {
	p.value = value
	if s == "" {
		p.encoded = true
		return p, true
	}
	s, p.encoded = strings.CutSuffix(s, "*")
	if len(s) == 0 || len(s) > 4 {
		return p, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return p, false
		}
		p.n = p.n*10 + int(s[i]-'0')
	}
	return p, true
}

func (h *header) joinPieces(pieces []piece) string {
	slices.SortStableFunc(pieces, func(a, b piece) int { return a.n - b.n })
	label, said := "", false
	var all []byte
	for _, p := range pieces {
		v := p.value
		if p.encoded {
			if c, rest, found := bytes.Cut(v, []byte("'")); found && !said {
				if _, rest, found := bytes.Cut(rest, []byte("'")); found {
					label, v = string(c), rest
				}
			}
			said = true
			v = percent(v)
		}
		all = append(all, v...)
	}
	return strings.TrimSpace(h.toUTF8(label, all))
}

// percent decodes "%E2%82%AC".
func percent(v []byte) []byte {
	out := make([]byte, 0, len(v))
	for i := 0; i < len(v); i++ {
		c := v[i]
		if c == '%' && i+2 < len(v) && unhex(v[i+1]) >= 0 && unhex(v[i+2]) >= 0 {
			c = byte(unhex(v[i+1])<<4 | unhex(v[i+2]))
			i += 2
		}
		out = append(out, c)
	}
	return out
}
