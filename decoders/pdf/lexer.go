package pdf

// tokenKind says what a token is.
type tokenKind uint8

const (
	tokEOF tokenKind = iota
	tokNumber
	tokString
	tokName
	tokKeyword // an operator, true, false, null, obj, R, …
	tokArrayOpen
	tokArrayClose
	tokDictOpen
	tokDictClose
)

// token is one lexical unit (ISO 32000-1, 7.2 and 7.3). s is the decoded string or name, or the keyword; it may alias the input and is
// valid as long as the input is.
type token struct {
	kind tokenKind
	frac bool // the number was written with a point
	num  float64
	s    []byte
}

func (t token) is(keyword string) bool { return t.kind == tokKeyword && string(t.s) == keyword }

// lexer cuts bytes into tokens. It never fails: what makes no sense is skipped or read as the nearest thing that does, as the readers do
// that people see their files in.
type lexer struct {
	b   []byte
	pos int

	// text holds the strings that had to be decoded. Who needs no token any more may cut it to nothing; else it only grows.
	text []byte
}

// charClass bits of a byte.
const (
	classSpace = 1 << iota
	classDelim
	classNumber // can begin or continue a number
)

var classes = [256]uint8{
	0: classSpace, '\t': classSpace, '\n': classSpace, '\f': classSpace, '\r': classSpace, ' ': classSpace,
	'(': classDelim, ')': classDelim, '<': classDelim, '>': classDelim, '[': classDelim, ']': classDelim, '{': classDelim, '}': classDelim,
	'/': classDelim, '%': classDelim,
	'0': classNumber, '1': classNumber, '2': classNumber, '3': classNumber, '4': classNumber, '5': classNumber, '6': classNumber,
	'7': classNumber, '8': classNumber, '9': classNumber, '+': classNumber, '-': classNumber, '.': classNumber,
}

func isSpace(c byte) bool { return classes[c]&classSpace != 0 }

// isRegular reports whether c is neither white space nor a delimiter.
func isRegular(c byte) bool { return classes[c]&(classSpace|classDelim) == 0 }

func isDigit(c byte) bool { return c-'0' <= 9 }

// skip moves over white space and comments.
func (l *lexer) skip() {
	for l.pos < len(l.b) {
		c := l.b[l.pos]
		switch {
		case isSpace(c):
			l.pos++
		case c == '%':
			for l.pos < len(l.b) && l.b[l.pos] != '\n' && l.b[l.pos] != '\r' {
				l.pos++
			}
		default:
			return
		}
	}
}

// next returns the next token.
func (l *lexer) next() token {
	l.skip()
	if l.pos >= len(l.b) {
		return token{}
	}
	c := l.b[l.pos]
	if classes[c]&classNumber != 0 {
		return l.number()
	}
	if classes[c]&classDelim == 0 {
		return l.keyword()
	}
	l.pos++
	switch c {
	case '(':
		return l.literal()
	case '/':
		return l.name()
	case '[':
		return token{kind: tokArrayOpen}
	case ']':
		return token{kind: tokArrayClose}
	case '<':
		if l.pos < len(l.b) && l.b[l.pos] == '<' {
			l.pos++
			return token{kind: tokDictOpen}
		}
		return l.hex()
	case '>':
		if l.pos < len(l.b) && l.b[l.pos] == '>' {
			l.pos++
			return token{kind: tokDictClose}
		}
	}
	return token{kind: tokKeyword, s: l.b[l.pos-1 : l.pos]}
}

// keyword reads regular characters.
func (l *lexer) keyword() token {
	start := l.pos
	for l.pos < len(l.b) && isRegular(l.b[l.pos]) {
		l.pos++
	}
	return token{kind: tokKeyword, s: l.b[start:l.pos]}
}

// number reads a number and stops at the first character that cannot belong to it, so that "0.5w" is a number and an operator. Of several
// signs the first counts, and digits behind a sign or a second point inside a number are dropped, as Acrobat does.
func (l *lexer) number() token {
	var v, scale float64 = 0, 1
	var neg, frac, digits, drop bool
	start := l.pos
	for ; l.pos < len(l.b); l.pos++ {
		c := l.b[l.pos]
		switch {
		case isDigit(c):
			if drop {
				continue
			}
			digits = true
			if frac {
				scale /= 10
				v += float64(c-'0') * scale
			} else {
				v = v*10 + float64(c-'0')
			}
		case c == '.':
			drop = drop || frac
			frac = true
		case c == '-' || c == '+':
			if digits || frac {
				drop = true
			} else if l.pos == start {
				neg = c == '-'
			}
		default:
			goto done
		}
	}
done:
	if neg {
		v = -v
	}
	return token{kind: tokNumber, num: v, frac: frac}
}

// name reads a name behind its slash; #xx is a byte in hexadecimal.
func (l *lexer) name() token {
	start, escaped := l.pos, false
	for l.pos < len(l.b) && isRegular(l.b[l.pos]) {
		escaped = escaped || l.b[l.pos] == '#'
		l.pos++
	}
	raw := l.b[start:l.pos]
	if !escaped {
		return token{kind: tokName, s: raw}
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] == '#' && i+2 < len(raw) && unhex(raw[i+1]) >= 0 && unhex(raw[i+2]) >= 0 {
			out = append(out, byte(unhex(raw[i+1])<<4|unhex(raw[i+2])))
			i += 2
			continue
		}
		out = append(out, raw[i])
	}
	return token{kind: tokName, s: out}
}

// hex reads a hexadecimal string behind its bracket; what is no digit is skipped, a last odd digit counts as if 0 followed.
func (l *lexer) hex() token {
	end := l.pos
	for end < len(l.b) && l.b[end] != '>' {
		end++
	}
	start := len(l.text)
	l.text = appendHex(l.text, l.b[l.pos:end])
	l.pos = min(end+1, len(l.b))
	return token{kind: tokString, s: l.text[start:len(l.text):len(l.text)]}
}

// appendHex decodes hexadecimal digits, skipping everything else.
func appendHex(dst, src []byte) []byte {
	high := -1
	for _, c := range src {
		v := unhex(c)
		switch {
		case v < 0:
		case high < 0:
			high = v
		default:
			dst = append(dst, byte(high<<4|v))
			high = -1
		}
	}
	if high >= 0 {
		dst = append(dst, byte(high<<4))
	}
	return dst
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// literal reads a string behind its parenthesis. One without escapes is a slice of the input.
func (l *lexer) literal() token {
	start, depth := l.pos, 1
	for i := start; i < len(l.b); i++ {
		switch l.b[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				l.pos = i + 1
				return token{kind: tokString, s: l.b[start:i]}
			}
		case '\\', '\r':
			return l.escaped(start, i, depth)
		}
	}
	l.pos = len(l.b)
	return token{kind: tokString, s: l.b[start:]}
}

// escaped goes on where literal met the first escape or carriage return, at i.
func (l *lexer) escaped(start, i, depth int) token {
	from := len(l.text)
	out := append(l.text, l.b[start:i]...)
	defer func() { l.text = out }()
	for l.pos = i; l.pos < len(l.b); {
		c := l.b[l.pos]
		l.pos++
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return token{kind: tokString, s: out[from:len(out):len(out)]}
			}
		case '\r': // an end of line of any kind is a line feed (7.3.4.2)
			l.accept('\n')
			c = '\n'
		case '\\':
			out = l.escape(out)
			continue
		}
		out = append(out, c)
	}
	return token{kind: tokString, s: out[from:len(out):len(out)]}
}

// accept moves over c if it is next.
func (l *lexer) accept(c byte) {
	if l.pos < len(l.b) && l.b[l.pos] == c {
		l.pos++
	}
}

// escape appends what the characters behind a backslash stand for.
func (l *lexer) escape(out []byte) []byte {
	if l.pos >= len(l.b) {
		return out
	}
	c := l.b[l.pos]
	l.pos++
	switch c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case '\r':
		l.accept('\n')
		return out
	case '\n':
		return out
	}
	if c < '0' || c > '7' {
		return append(out, c)
	}
	v := int(c - '0')
	for range 2 {
		if l.pos >= len(l.b) || l.b[l.pos] < '0' || l.b[l.pos] > '7' {
			break
		}
		v = v<<3 | int(l.b[l.pos]-'0')
		l.pos++
	}
	return append(out, byte(v))
}
