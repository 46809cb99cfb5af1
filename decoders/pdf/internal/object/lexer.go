package object

// TokenKind says what a token is.
type TokenKind uint8

// The kinds of tokens.
const (
	TokEOF TokenKind = iota
	TokNumber
	TokString
	TokName
	TokKeyword // an operator, true, false, null, obj, R, …
	TokArrayOpen
	TokArrayClose
	TokDictOpen
	TokDictClose
)

// Token is one lexical unit (ISO 32000-1, 7.2 and 7.3). S is the decoded string or name, or the keyword; it may alias the input and is
// valid as long as the input is.
type Token struct {
	Kind TokenKind
	Frac bool // the number was written with a point
	Num  float64
	S    []byte
}

// Is reports whether t is a keyword.
func (t Token) Is(keyword string) bool { return t.Kind == TokKeyword && string(t.S) == keyword }

// Lexer cuts bytes into tokens. It never fails: what makes no sense is skipped or read as the nearest thing that does, as the readers do
// that people see their files in.
type Lexer struct {
	B   []byte
	Pos int

	// Text holds the strings that had to be decoded. Who needs no token any more may cut it to nothing; else it only grows.
	Text []byte
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

// IsSpace reports whether c is white space (7.2.2).
func IsSpace(c byte) bool { return classes[c]&classSpace != 0 }

// IsRegular reports whether c is neither white space nor a delimiter.
func IsRegular(c byte) bool { return classes[c]&(classSpace|classDelim) == 0 }

// IsDigit reports whether c is a decimal digit.
func IsDigit(c byte) bool { return c-'0' <= 9 }

// Skip moves over white space and comments.
func (l *Lexer) Skip() {
	for l.Pos < len(l.B) {
		c := l.B[l.Pos]
		switch {
		case IsSpace(c):
			l.Pos++
		case c == '%':
			for l.Pos < len(l.B) && l.B[l.Pos] != '\n' && l.B[l.Pos] != '\r' {
				l.Pos++
			}
		default:
			return
		}
	}
}

// Next returns the next token.
func (l *Lexer) Next() Token {
	l.Skip()
	if l.Pos >= len(l.B) {
		return Token{}
	}
	c := l.B[l.Pos]
	if classes[c]&classNumber != 0 {
		return l.number()
	}
	if classes[c]&classDelim == 0 {
		return l.keyword()
	}
	l.Pos++
	switch c {
	case '(':
		return l.literal()
	case '/':
		return l.name()
	case '[':
		return Token{Kind: TokArrayOpen}
	case ']':
		return Token{Kind: TokArrayClose}
	case '<':
		if l.Pos < len(l.B) && l.B[l.Pos] == '<' {
			l.Pos++
			return Token{Kind: TokDictOpen}
		}
		return l.hex()
	case '>':
		if l.Pos < len(l.B) && l.B[l.Pos] == '>' {
			l.Pos++
			return Token{Kind: TokDictClose}
		}
	}
	return Token{Kind: TokKeyword, S: l.B[l.Pos-1 : l.Pos]}
}

// keyword reads regular characters.
func (l *Lexer) keyword() Token {
	start := l.Pos
	for l.Pos < len(l.B) && IsRegular(l.B[l.Pos]) {
		l.Pos++
	}
	return Token{Kind: TokKeyword, S: l.B[start:l.Pos]}
}

// number reads a number and stops at the first character that cannot belong to it, so that "0.5w" is a number and an operator. Of several
// signs the first counts, and digits behind a sign or a second point inside a number are dropped, as Acrobat does.
func (l *Lexer) number() Token {
	var v float64
	var neg, frac, digits, drop bool
	b, start, decimals := l.B, l.Pos, 0
	i := start
	for ; i < len(b); i++ {
		c := b[i]
		if d := c - '0'; d <= 9 {
			if drop || decimals == len(powers)-1 {
				continue
			}
			digits = true
			v = v*10 + float64(d)
			if frac {
				decimals++
			}
			continue
		}
		if c == '.' {
			drop = drop || frac
			frac = true
		} else if c == '-' || c == '+' {
			if digits || frac {
				drop = true
			} else if i == start {
				neg = c == '-'
			}
		} else {
			break
		}
	}
	l.Pos = i
	v /= powers[decimals]
	if neg {
		v = -v
	}
	return Token{Kind: TokNumber, Num: v, Frac: frac}
}

// powers are those of ten; decimals behind the last of them say nothing.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// name reads a name behind its slash; #xx is a byte in hexadecimal.
func (l *Lexer) name() Token {
	start, escaped := l.Pos, false
	for l.Pos < len(l.B) && IsRegular(l.B[l.Pos]) {
		escaped = escaped || l.B[l.Pos] == '#'
		l.Pos++
	}
	raw := l.B[start:l.Pos]
	if !escaped {
		return Token{Kind: TokName, S: raw}
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] == '#' && i+2 < len(raw) && Unhex(raw[i+1]) >= 0 && Unhex(raw[i+2]) >= 0 {
			out = append(out, byte(Unhex(raw[i+1])<<4|Unhex(raw[i+2])))
			i += 2
			continue
		}
		out = append(out, raw[i])
	}
	return Token{Kind: TokName, S: out}
}

// hex reads a hexadecimal string behind its bracket; what is no digit is skipped, a last odd digit counts as if 0 followed.
func (l *Lexer) hex() Token {
	end := l.Pos
	for end < len(l.B) && l.B[end] != '>' {
		end++
	}
	start := len(l.Text)
	l.Text = AppendHex(l.Text, l.B[l.Pos:end])
	l.Pos = min(end+1, len(l.B))
	return Token{Kind: TokString, S: l.Text[start:len(l.Text):len(l.Text)]}
}

// AppendHex decodes hexadecimal digits, skipping everything else.
func AppendHex(dst, src []byte) []byte {
	high := -1
	for _, c := range src {
		v := Unhex(c)
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

// Unhex returns the value of a hexadecimal digit, -1 for anything else.
func Unhex(c byte) int {
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
func (l *Lexer) literal() Token {
	start, depth := l.Pos, 1
	for i := start; i < len(l.B); i++ {
		switch l.B[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				l.Pos = i + 1
				return Token{Kind: TokString, S: l.B[start:i]}
			}
		case '\\', '\r':
			return l.escaped(start, i, depth)
		}
	}
	l.Pos = len(l.B)
	return Token{Kind: TokString, S: l.B[start:]}
}

// escaped goes on where literal met the first escape or carriage return, at i.
func (l *Lexer) escaped(start, i, depth int) Token {
	from := len(l.Text)
	out := append(l.Text, l.B[start:i]...)
	defer func() { l.Text = out }()
	for l.Pos = i; l.Pos < len(l.B); {
		c := l.B[l.Pos]
		l.Pos++
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return Token{Kind: TokString, S: out[from:len(out):len(out)]}
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
	return Token{Kind: TokString, S: out[from:len(out):len(out)]}
}

// accept moves over c if it is next.
func (l *Lexer) accept(c byte) {
	if l.Pos < len(l.B) && l.B[l.Pos] == c {
		l.Pos++
	}
}

// escape appends what the characters behind a backslash stand for.
func (l *Lexer) escape(out []byte) []byte {
	if l.Pos >= len(l.B) {
		return out
	}
	c := l.B[l.Pos]
	l.Pos++
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
		if l.Pos >= len(l.B) || l.B[l.Pos] < '0' || l.B[l.Pos] > '7' {
			break
		}
		v = v<<3 | int(l.B[l.Pos]-'0')
		l.Pos++
	}
	return append(out, byte(v))
}
