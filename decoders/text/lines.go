package text

import (
	"bytes"
	"encoding/binary"
	"errors"
	"unicode/utf8"
	"unsafe"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// maxLineBytes bounds a line that spans chunks, and so the decoder's memory: the line, its growth and its frame take about five times as
// much. It is above what one answer carries, so that every line of an answer's size can be read by cursors.
const maxLineBytes = 32 << 20

// lines splits text into lines, counts, and hands those that are selected to the writer.
type lines struct {
	req  *readapi.Request
	w    *pdk.Writer
	from int64 // first line that the answer may have
	last int64 // last line that the answer may have
	all  bool  // every line is wanted

	carry []byte // of the line that is not finished yet, when it is wanted
	open  bool   // the line has bytes already
	cr    bool   // its last one is a CR that may be half of a CRLF

	count  int64 // lines begun
	done   bool  // nothing more is wanted
	full   bool  // the writer has no room for more
	hidden int64

	lfs, crlfs, crs int64
}

func newLines(req *readapi.Request, w *pdk.Writer) *lines {
	return &lines{
		req: req, w: w, from: max(1, req.Start.At), last: readapi.LastSelected(req.Units), all: len(req.Units) == 0 && req.Start.At <= 1,
	}
}

// feed takes the next piece of text. When the answer is full it goes on counting.
func (l *lines) feed(b []byte) error {
	l.hidden += countHidden(b)
	if l.cr { // the chunk before ended in CR
		l.cr = false
		if len(b) > 0 && b[0] == '\n' {
			l.crlfs++
			if err := l.end(b[:1]); err != nil {
				return err
			}
			b = b[1:]
		} else {
			l.crs++
			if err := l.end(nil); err != nil {
				return err
			}
		}
	}
	nextCR, nextLF := index(b, '\r', 0), index(b, '\n', 0) // each is searched for once: a text may have none of the other
	for start := 0; start < len(b); {
		i := nextLF
		switch {
		case nextCR < i && nextCR == len(b)-1: // the next chunk says whether it is half of a CRLF
			l.cr = true
			return l.grow(b[start:])
		case nextCR < i-1:
			i = nextCR
			l.crs++
		case nextCR == i-1 && i < len(b):
			l.crlfs++
		case i < len(b):
			l.lfs++
		default:
			return l.grow(b[start:])
		}
		stop := i + 1
		if nextCR < stop {
			nextCR = index(b, '\r', stop)
		}
		if nextLF < stop {
			nextLF = index(b, '\n', stop)
		}
		if err := l.end(b[start:stop]); err != nil {
			return err
		}
		start = stop
	}
	return nil
}

// index returns where c is in b from start on, len(b) if it is not.
func index(b []byte, c byte, start int) int {
	if i := bytes.IndexByte(b[start:], c); i >= 0 {
		return start + i
	}
	return len(b)
}

// finish ends the text: what is left is a line without an end.
func (l *lines) finish() error {
	if l.cr {
		l.cr = false
		l.crs++
		return l.end(nil)
	}
	if !l.open {
		return nil
	}
	return l.end(nil)
}

// begin counts the line that the next byte belongs to.
func (l *lines) begin() {
	if !l.open {
		l.open = true
		l.count++
		l.done = l.done || l.count > l.last
	}
}

// wanted reports whether the line begun belongs to the answer.
func (l *lines) wanted() bool {
	return !l.done && (l.all || l.count >= l.from && readapi.Selected(l.req.Units, l.count))
}

// wantedLast reports whether the line that was finished last belongs to the answer.
func (l *lines) wantedLast() bool {
	return !l.full && l.count > 0 && l.count >= l.from && (len(l.req.Units) == 0 || readapi.Selected(l.req.Units, l.count))
}

// grow keeps the beginning of a line.
func (l *lines) grow(b []byte) error {
	l.begin()
	if !l.wanted() {
		return nil
	}
	if size := int64(len(l.carry) + len(b)); size > maxLineBytes {
		return pdk.OverLimit(readapi.CodeLimitOutput, "max_line_bytes", maxLineBytes, size)
	}
	l.carry = append(l.carry, b...)
	return nil
}

// end finishes a line with tail and emits it.
func (l *lines) end(tail []byte) error {
	l.begin()
	l.open = false
	if !l.wanted() {
		return nil
	}
	if len(l.carry) > 0 {
		l.carry = append(l.carry, tail...)
		tail = l.carry
		l.carry = l.carry[:0]
	}
	// The writer copies what it keeps.
	err := l.w.Line(l.count, unsafe.String(unsafe.SliceData(tail), len(tail)))
	l.full = errors.Is(err, pdk.ErrFull)
	l.done = l.full || l.count >= l.last
	if l.full {
		return nil
	}
	return err
}

// newline names the line end that the text uses.
func (l *lines) newline() string {
	switch {
	case l.lfs+l.crlfs+l.crs == 0:
		return "none"
	case l.crlfs+l.crs == 0:
		return "lf"
	case l.lfs+l.crs == 0:
		return "crlf"
	case l.lfs+l.crlfs == 0:
		return "cr"
	}
	return "mixed"
}

// countHidden counts the characters of b that readapi.Hidden names. Runs of printable ASCII go by eight bytes at a time.
func countHidden(b []byte) (n int64) {
	const ones = 0x0101010101010101
	for len(b) > 0 {
		if len(b) >= 8 {
			v := binary.LittleEndian.Uint64(b)
			// A byte below 0x20 borrows into its high bit; one of 0x7f or above carries into it.
			if ((v-0x20*ones)|(v+ones)|v)&(0x80*ones) == 0 {
				b = b[8:]
				continue
			}
		}
		if c := b[0]; c < utf8.RuneSelf {
			if c < 0x20 && c != '\t' && c != '\n' && c != '\r' || c == 0x7f {
				n++
			}
			b = b[1:]
			continue
		}
		size := 2
		switch c := b[0]; {
		case c == 0xc2, c == 0xd8, c == 0xe1, c == 0xe2, c == 0xef, c >= 0xf3: // what these begin may be hidden; a test holds it
			var r rune
			if r, size = utf8.DecodeRune(b); readapi.Hidden(r) {
				n++
			}
		case c >= 0xf0:
			size = 4
		case c >= 0xe0:
			size = 3
		}
		b = b[min(size, len(b)):]
	}
	return n
}
