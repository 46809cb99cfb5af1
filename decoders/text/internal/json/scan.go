package json

import (
	"encoding/binary"
	"io"
)

// peek returns the next byte.
func (r *Reader) peek() (byte, error) {
	if r.pos == len(r.buf) {
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	return r.buf[r.pos], nil
}

// skipSpace goes to the next byte that is no white space, and returns it.
func (r *Reader) skipSpace() (byte, error) {
	for {
		c, err := r.peek()
		if err != nil {
			return 0, err
		}
		switch c {
		case ' ', '\t':
			r.cr = false
		case '\n', '\r':
			if c == '\r' || !r.cr {
				r.line++
			}
			r.cr = c == '\r'
			r.start, r.more = r.pos+1, 0
		default:
			r.cr = false
			return c, nil
		}
		r.pos++
	}
}

// text reads a string, whose first quote comes next.
func (r *Reader) text() (t Token, err error) {
	r.pos++
	r.keep, r.from = r.keep[:0], r.pos
	for {
		r.pos += plain(r.buf[r.pos:])
		c, err := r.peek()
		if err != nil {
			return t, r.ended(err)
		}
		switch {
		case c == '"':
			t.Raw, t.Cut = r.taken()
			r.pos++
			return t, nil
		case c == '\\':
			t.Escaped = true
			if err := r.escape(); err != nil {
				return t, err
			}
		case c < 0x20:
			return t, r.fail("a control character stands in a string")
		default: // a piece begins here
			r.pos++
		}
	}
}

// escape reads a backslash and what belongs to it.
func (r *Reader) escape() error {
	r.pos++
	c, err := r.peek()
	if err != nil {
		return r.ended(err)
	}
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		r.pos++
		return nil
	case 'u':
	default:
		return r.fail("the escape does not exist")
	}
	r.pos++
	for range 4 {
		c, err := r.peek()
		if err != nil {
			return r.ended(err)
		}
		if hexDigit(c) < 0 {
			return r.fail("the escape has too few digits")
		}
		r.pos++
	}
	return nil
}

// ended is err, inside a token.
func (r *Reader) ended(err error) error {
	if err == io.EOF {
		return r.fail("the text ends inside a value")
	}
	return err
}

// word reads one of the three words.
func (r *Reader) word(w string, k Kind) (Token, error) {
	for i := range len(w) {
		c, err := r.peek()
		if err != nil {
			return Token{}, r.ended(err)
		}
		if c != w[i] {
			return Token{}, r.fail("a value is missing")
		}
		r.pos++
	}
	r.value()
	return Token{Kind: k}, nil
}

// number reads a number (RFC 8259, 6): an integer, a fraction and an exponent.
func (r *Reader) number() (t Token, err error) {
	r.keep, r.from = r.keep[:0], r.pos
	if r.buf[r.pos] == '-' {
		r.pos++
	}
	c, err := r.peek()
	if err != nil {
		return t, r.ended(err)
	}
	if c == '0' {
		r.pos++
	} else if err := r.digits(); err != nil {
		return t, err
	}
	if r.follows('.') {
		r.pos++
		if err := r.digits(); err != nil {
			return t, err
		}
	}
	if r.follows('e') || r.follows('E') {
		r.pos++
		if r.follows('+') || r.follows('-') {
			r.pos++
		}
		if err := r.digits(); err != nil {
			return t, err
		}
	}
	if r.err != nil {
		return t, r.err
	}
	t.Kind = Number
	t.Raw, t.Cut = r.taken()
	r.value()
	return t, nil
}

// follows reports whether the next byte is c. At the end of the text nothing follows; another error stays for number to find.
func (r *Reader) follows(c byte) bool {
	b, err := r.peek()
	if err != nil && err != io.EOF {
		r.err = err
	}
	return err == nil && b == c
}

// digits reads at least one digit.
func (r *Reader) digits() error {
	for n := 0; ; n++ {
		c, err := r.peek()
		if err != nil && (err != io.EOF || n == 0) {
			return r.ended(err)
		}
		if err == io.EOF {
			return nil
		}
		if c < '0' || c > '9' {
			if n == 0 {
				return r.fail("a digit is missing")
			}
			return nil
		}
		r.pos++
	}
}

const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// plain returns how many bytes b begins with that stand for themselves in a string, eight at a time: none is a quote, a backslash or a
// control character.
func plain(b []byte) (n int) {
	for len(b)-n >= 8 {
		v := binary.LittleEndian.Uint64(b[n:])
		quote, slash := v^'"'*ones, v^'\\'*ones
		// A byte below its bound borrows into its high bit, if that was clear.
		if ((v-0x20*ones)&^v|(quote-ones)&^quote|(slash-ones)&^slash)&highs != 0 {
			break
		}
		n += 8
	}
	for n < len(b) && b[n] >= 0x20 && b[n] != '"' && b[n] != '\\' {
		n++
	}
	return n
}

// characters counts the characters of UTF-8.
func characters(b []byte) int64 {
	n := len(b)
	for len(b) >= 8 {
		v := binary.LittleEndian.Uint64(b)
		if v&highs != 0 {
			for _, c := range b[:8] {
				if c&0xc0 == 0x80 {
					n--
				}
			}
		}
		b = b[8:]
	}
	for _, c := range b {
		if c&0xc0 == 0x80 {
			n--
		}
	}
	return int64(n)
}
