package text

import (
	"encoding/binary"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// hiddenCount counts what readapi.HiddenAt finds hidden, piece by piece, and remembers where the first ones are that are more than controls.
type hiddenCount struct {
	all    int64 // as Escape counts them
	unseen int64 // those that are not C0 or C1 controls
	first  []hiddenPlace

	tail   [hiddenContext]byte // the end of the piece before
	tailed int
}

type hiddenPlace struct {
	r    rune
	line int64
}

const (
	hiddenContext = 160 // bytes that HiddenAt looks back at, at most: 32 characters and the one they stand before
	hiddenFirst   = 5
)

// add counts in b. finished is how many lines ended before b.
func (h *hiddenCount) add(b []byte, finished int64) {
	for at := suspect(b, 0); at < len(b); {
		r, size := utf8.DecodeRune(b[at:])
		if h.hidden(b, at) {
			h.all++
			if r >= 0xa0 {
				h.unseen++
				if len(h.first) < hiddenFirst {
					h.first = append(h.first, hiddenPlace{r, finished + lineEnds(b[:at]) + 1})
				}
			}
		}
		at = suspect(b, at+size)
	}
	if len(b) >= hiddenContext {
		h.tailed = copy(h.tail[:], b[len(b)-hiddenContext:])
		return
	}
	keep := min(h.tailed, hiddenContext-len(b))
	copy(h.tail[:], h.tail[h.tailed-keep:h.tailed])
	h.tailed = keep + copy(h.tail[keep:], b)
}

// hidden asks HiddenAt with as much of what stands before as it may look at.
func (h *hiddenCount) hidden(b []byte, at int) bool {
	if at >= hiddenContext || h.tailed == 0 {
		hidden, _ := readapi.HiddenAt(unsafe.String(unsafe.SliceData(b), len(b)), at)
		return hidden
	}
	var room [2*hiddenContext + utf8.UTFMax]byte
	n := copy(room[:], h.tail[:h.tailed])
	n += copy(room[n:], b[:at])
	end := n + copy(room[n:], b[at:min(at+utf8.UTFMax, len(b))])
	hidden, _ := readapi.HiddenAt(unsafe.String(&room[0], end), n)
	return hidden
}

// detail says where the first ones are.
func (h *hiddenCount) detail() string {
	s := strconv.FormatInt(h.unseen, 10) + " characters that a reader does not see:"
	for i, p := range h.first {
		if i > 0 {
			s += ","
		}
		hex := strconv.FormatInt(int64(p.r), 16)
		for len(hex) < 4 {
			hex = "0" + hex
		}
		s += " U+" + upperHex(hex) + " in line " + strconv.FormatInt(p.line, 10)
	}
	if int64(len(h.first)) < h.unseen {
		s += ", and more"
	}
	return s
}

func upperHex(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'a' <= c && c <= 'f' {
			b[i] = c - 0x20
		}
	}
	return string(b)
}

// lineEnds counts LF, CRLF and CR.
func lineEnds(b []byte) (n int64) {
	for i, c := range b {
		if c == '\n' && (i == 0 || b[i-1] != '\r') || c == '\r' {
			n++
		}
	}
	return n
}

// suspect returns where in b, from at on, the next character stands that may be hidden, len(b) if there is none. Runs of printable ASCII go
// by eight bytes at a time.
func suspect(b []byte, at int) int {
	const ones = 0x0101010101010101
	for at < len(b) {
		if len(b)-at >= 8 {
			v := binary.LittleEndian.Uint64(b[at:])
			// A byte below 0x20 borrows into its high bit; one of 0x7f or above carries into it.
			if ((v-0x20*ones)|(v+ones)|v)&(0x80*ones) == 0 {
				at += 8
				continue
			}
		}
		c := b[at]
		switch {
		case c >= 0xf3:
			return at
		case c >= 0xf0:
			if at+2 < len(b) && b[at+1] == 0x9d && b[at+2] == 0x85 { // the controls of music, U+1D173 and on
				return at
			}
			at += 4
		case c >= 0xe0:
			if mayHide3(c, b[at:]) {
				return at
			}
			at += 3
		case c >= utf8.RuneSelf:
			if c == 0xc2 && at+1 < len(b) && (b[at+1] < 0xa0 || b[at+1] == 0xad) || c == 0xd8 && at+1 < len(b) && b[at+1] == 0x9c {
				return at
			}
			at += 2
		case c < 0x20 && c != '\t' && c != '\n' && c != '\r' || c == 0x7f:
			return at
		default:
			at++
		}
	}
	return len(b)
}

// mayHide3 reports whether a character of three bytes may be hidden: U+180E, U+2000 to U+206F, the filler U+3164, and from U+FE00 on. A test
// holds it.
func mayHide3(c byte, b []byte) bool {
	if len(b) < 3 {
		return false
	}
	switch c {
	case 0xe1:
		return b[1] == 0xa0
	case 0xe2:
		return b[1] == 0x80 || b[1] == 0x81
	case 0xe3:
		return b[1] == 0x85 && b[2] == 0xa4
	case 0xef:
		return b[1] >= 0xb8
	}
	return false
}
