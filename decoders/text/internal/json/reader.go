package json

import (
	"io"
	"strconv"
)

// Reader gives the tokens of one JSON text.
type Reader struct {
	// MaxToken is how many bytes of a string or number are kept; what is longer is checked and cut. NewReader sets DefaultMaxToken.
	MaxToken int

	next func() ([]byte, error)
	buf  []byte // the piece at hand
	pos  int    // of the next byte in it

	keep    []byte // the token, where it spans pieces
	from    int    // where the token begins in buf; -1 when its beginning is in keep
	discard bool   // tokens are not kept

	state state
	open  []byte // a bit for each level: set for an object
	depth int
	last  Kind

	place
	at  place // of the token that Next returned last
	err error
}

// DefaultMaxToken is how many bytes of a token are kept unless a reader is told otherwise.
const DefaultMaxToken = 1 << 20

// MaxDepth is how deep arrays and objects may lie in one another (RFC 8259, 9, leaves the limit to who reads).
const MaxDepth = 1 << 20

// place is where in the text the reader is. Lines end as those of a text do: with LF, CRLF or CR.
type place struct {
	line  int64 // from 1
	start int   // in buf, where the line begins, or goes on from an earlier piece
	more  int64 // characters of the line in earlier pieces
	cr    bool  // the byte before was a CR
}

type state byte

const (
	wantValue state = iota
	wantValueOrEnd
	wantKey
	wantKeyOrEnd
	wantColon
	wantCommaOrEnd
	wantNothing
)

// NewReader returns a reader of the text whose pieces next gives. A piece is not used any more when the next one is asked for.
func NewReader(next func() ([]byte, error)) *Reader {
	r := &Reader{MaxToken: DefaultMaxToken}
	r.Reset(next)
	return r
}

// Reset makes the reader one of another text. It keeps its memory and MaxToken.
func (r *Reader) Reset(next func() ([]byte, error)) {
	*r = Reader{MaxToken: r.MaxToken, next: next, keep: r.keep[:0], open: r.open[:0], from: -1, place: place{line: 1}}
	r.at = r.place
}

// SyntaxError says where a text stops being JSON, and why.
type SyntaxError struct {
	Line   int64 // from 1
	Column int64 // in characters, from 1
	Reason string
}

// Error gives the reason and the place.
func (e *SyntaxError) Error() string {
	return "json: " + e.Reason + " at line " + strconv.FormatInt(e.Line, 10) + ", column " + strconv.FormatInt(e.Column, 10)
}

// Depth is in how many arrays and objects the reader is.
func (r *Reader) Depth() int { return r.depth }

// Line is the line on which the token that Next returned last begins, from 1.
func (r *Reader) Line() int64 { return r.at.line }

// Next returns the next token: io.EOF behind the end of the value, a *SyntaxError where the text is no JSON, or the error of next. After an
// error it returns the same again.
func (r *Reader) Next() (Token, error) {
	if r.err != nil {
		return Token{}, r.err
	}
	t, err := r.token()
	if err != nil {
		r.err = err
		return Token{}, err
	}
	r.last = t.Kind
	return t, nil
}

// Skip reads on to the end of a value: of the one whose begin Next returned last, or behind a key of the one that follows. Behind any other
// token it does nothing. What it skips is checked.
func (r *Reader) Skip() error {
	r.discard = true
	defer func() { r.discard = false }()
	depth := r.depth
	switch {
	case r.last == Key:
		if t, err := r.Next(); err != nil || !t.Kind.Begins() {
			return err
		}
	case r.last.Begins():
		depth--
	default:
		return nil
	}
	for r.depth > depth {
		if _, err := r.Next(); err != nil {
			return err
		}
	}
	return nil
}

// token reads one token.
func (r *Reader) token() (Token, error) {
	for {
		c, err := r.skipSpace()
		if err == io.EOF {
			if r.state == wantNothing {
				return Token{}, io.EOF
			}
			return Token{}, r.fail("the text ends inside a value")
		}
		if err != nil {
			return Token{}, err
		}
		switch r.state {
		case wantColon:
			if c != ':' {
				return Token{}, r.fail("a colon is missing")
			}
			r.pos++
			r.state = wantValue
			continue
		case wantCommaOrEnd:
			if c == ',' {
				r.pos++
				r.state = wantValue
				if r.inObject() {
					r.state = wantKey
				}
				continue
			}
			if c != '}' && c != ']' {
				return Token{}, r.fail("a comma is missing")
			}
			return r.end(c)
		case wantNothing:
			return Token{}, r.fail("something follows the value")
		}
		r.at = r.place
		return r.begin(c)
	}
}

// begin reads a token that is not punctuation between others; c is its first byte.
func (r *Reader) begin(c byte) (Token, error) {
	switch {
	case r.state == wantKeyOrEnd && c == '}', r.state == wantValueOrEnd && c == ']':
		return r.end(c)
	case r.state == wantKey || r.state == wantKeyOrEnd:
		if c != '"' {
			return Token{}, r.fail("a key is missing")
		}
		t, err := r.text()
		t.Kind = Key
		r.state = wantColon
		return t, err
	}
	switch c {
	case '{':
		return r.enter(ObjectBegin)
	case '[':
		return r.enter(ArrayBegin)
	case '"':
		t, err := r.text()
		t.Kind = String
		r.value()
		return t, err
	case 't':
		return r.word("true", True)
	case 'f':
		return r.word("false", False)
	case 'n':
		return r.word("null", Null)
	}
	if c == '-' || '0' <= c && c <= '9' {
		return r.number()
	}
	return Token{}, r.fail("a value is missing")
}

// value notes that a value is complete.
func (r *Reader) value() {
	r.state = wantCommaOrEnd
	if r.depth == 0 {
		r.state = wantNothing
	}
}

func (r *Reader) inObject() bool { return r.open[(r.depth-1)>>3]>>((r.depth-1)&7)&1 != 0 }

func (r *Reader) enter(k Kind) (Token, error) {
	if r.depth == MaxDepth {
		return Token{}, r.fail("the nesting is too deep")
	}
	if r.depth>>3 == len(r.open) {
		r.open = append(r.open, 0)
	}
	bit := byte(1) << (r.depth & 7)
	r.state = wantKeyOrEnd
	r.open[r.depth>>3] |= bit
	if k == ArrayBegin {
		r.state = wantValueOrEnd
		r.open[r.depth>>3] &^= bit
	}
	r.depth++
	r.pos++
	return Token{Kind: k}, nil
}

func (r *Reader) end(c byte) (Token, error) {
	r.at = r.place
	k := ArrayEnd
	if r.inObject() {
		k = ObjectEnd
	}
	if (c == '}') != (k == ObjectEnd) {
		return Token{}, r.fail("the bracket is of the wrong kind")
	}
	r.depth--
	r.pos++
	r.value()
	return Token{Kind: k}, nil
}

// fail is the error at the byte that comes next.
func (r *Reader) fail(reason string) error {
	column := 1 + r.more + characters(r.buf[r.start:r.pos])
	return &SyntaxError{Line: r.line, Column: column, Reason: reason}
}

// fill gets the next piece; what of the token is in the one at hand is kept.
func (r *Reader) fill() error {
	if r.from >= 0 {
		r.hold(r.buf[r.from:r.pos])
		r.from = 0
	}
	r.more += characters(r.buf[r.start:])
	r.start, r.buf, r.pos = 0, nil, 0
	for {
		b, err := r.next()
		if err != nil {
			return err
		}
		if len(b) > 0 {
			r.buf = b
			return nil
		}
	}
}

// hold adds a piece of a token to what is kept of it.
func (r *Reader) hold(b []byte) {
	if r.discard {
		return
	}
	r.keep = append(r.keep, b[:min(len(b), max(0, r.MaxToken+1-len(r.keep)))]...)
}

// taken returns the token up to the byte that comes next.
func (r *Reader) taken() (raw []byte, cut bool) {
	raw = r.buf[r.from:r.pos]
	if len(r.keep) > 0 {
		r.hold(raw)
		raw = r.keep
	}
	r.from = -1
	if r.discard {
		return nil, false
	}
	if len(raw) > r.MaxToken {
		n := r.MaxToken
		for n > 0 && raw[n]&0xc0 == 0x80 {
			n--
		}
		return raw[:n], true
	}
	return raw, false
}
