package text

import (
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
	text := unsafe.String(unsafe.SliceData(b), len(b))
	for at := readapi.NextSuspect(text, 0); at < len(b); {
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
		at = readapi.NextSuspect(text, at+size)
	}
	h.keep(b)
}

// keep remembers the end of a piece, which decides about the beginning of the next.
func (h *hiddenCount) keep(b []byte) {
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
	s := counted(h.unseen, "character", "characters") + " that a reader does not see:"
	for i, p := range h.first {
		if i > 0 && p.line == h.first[i-1].line {
			s += ","
		} else if i > 0 {
			s += " in line " + strconv.FormatInt(h.first[i-1].line, 10) + ","
		}
		hex := strconv.FormatInt(int64(p.r), 16)
		for len(hex) < 4 {
			hex = "0" + hex
		}
		s += " U+" + upperHex(hex)
	}
	if n := len(h.first); n > 0 {
		s += " in line " + strconv.FormatInt(h.first[n-1].line, 10)
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
