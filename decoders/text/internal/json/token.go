package json

import "unicode/utf8"

// Kind says what a token is.
type Kind byte

// The kinds of tokens. A Key is the name of a member of an object; its value follows as the next token.
const (
	None Kind = iota
	ObjectBegin
	ObjectEnd
	ArrayBegin
	ArrayEnd
	Key
	String
	Number
	True
	False
	Null
)

// Begins reports whether a token begins an object or an array.
func (k Kind) Begins() bool { return k == ObjectBegin || k == ArrayBegin }

// Ends reports whether a token ends an object or an array.
func (k Kind) Ends() bool { return k == ObjectEnd || k == ArrayEnd }

// String names a kind as JSON's own terms do.
func (k Kind) String() string {
	switch k {
	case ObjectBegin, ObjectEnd:
		return "object"
	case ArrayBegin, ArrayEnd:
		return "array"
	case Key, String:
		return "string"
	case Number:
		return "number"
	case True, False:
		return "boolean"
	case Null:
		return "null"
	}
	return ""
}

// Token is one token. Raw belongs to the Reader and is valid until its next call; Text and Append copy.
type Token struct {
	Kind    Kind
	Escaped bool   // a string has escapes, so that Raw is not what it says
	Cut     bool   // it is longer than MaxToken: Raw is its beginning
	Raw     []byte // of a string what stands between the quotes, of a number its characters, else nil
}

// Text returns what a string says, or the characters of a number.
func (t Token) Text() string {
	if !t.Escaped {
		return string(t.Raw)
	}
	return string(t.Append(nil))
}

// Is reports whether a string says s.
func (t Token) Is(s string) bool {
	if !t.Escaped {
		return string(t.Raw) == s
	}
	return t.Text() == s
}

// Append appends what a string says to dst. Halves of surrogate pairs become U+FFFD, as encoding/json has it.
func (t Token) Append(dst []byte) []byte {
	raw := t.Raw
	if !t.Escaped {
		return append(dst, raw...)
	}
	for i := 0; i < len(raw); {
		c := raw[i]
		if c != '\\' {
			k := i + 1
			for k < len(raw) && raw[k] != '\\' {
				k++
			}
			dst = append(dst, raw[i:k]...)
			i = k
			continue
		}
		if i+1 == len(raw) { // only of a token that was cut
			break
		}
		if raw[i+1] != 'u' {
			dst = append(dst, unescaped(raw[i+1]))
			i += 2
			continue
		}
		r, ok := hex4(raw[i+2:])
		if !ok {
			break
		}
		i += 6
		if 0xd800 <= r && r < 0xe000 { // RFC 8259, 7: a pair stands for one character
			low, ok := rune(0), false
			if r < 0xdc00 && i+6 <= len(raw) && raw[i] == '\\' && raw[i+1] == 'u' {
				low, ok = hex4(raw[i+2:])
			}
			if ok && 0xdc00 <= low && low < 0xe000 {
				r = (r-0xd800)<<10 + (low - 0xdc00) + 0x10000
				i += 6
			} else {
				r = utf8.RuneError
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// unescaped is the character that a backslash and c stand for.
func unescaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// hex4 reads four hexadecimal digits.
func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		v := hexDigit(c)
		if v < 0 {
			return 0, false
		}
		r = r<<4 | v
	}
	return r, true
}

// hexDigit is the value of a hexadecimal digit, -1 for anything else.
func hexDigit(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}
