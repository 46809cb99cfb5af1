package text

import (
	"math/bits"
	"runtime"
	"unicode/utf8"
	"unsafe"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// facts is what one look at a piece of text tells, so that nothing else need go over text that is as most texts are.
type facts struct {
	valid bool // UTF-8; what is not has no other facts
	ascii bool
	odd   bool // there are controls besides tabs and line ends, ESC among them, or characters that may be hidden
	long  bool // a line may be longer than mostShown bytes

	lfs, crs, crlfs int64 // a CRLF is one of each
	replacements    int64 // U+FFFD
}

// look goes over a piece of text once, eight bytes at a time and all of them at once: one bit for each byte answers each question. Where a
// bit says that a byte is worth it, attend looks closer.
func look(b []byte) facts {
	s := looker{text: unsafe.String(unsafe.SliceData(b), len(b))}
	s.facts.ascii = true
	at := 0
	for len(b)-at >= lookBytes {
		lfs := s.facts.lfs
		s.stretch(at, at+lookBytes)
		s.facts.long = s.facts.long || s.facts.lfs == lfs
		at += lookBytes
	}
	end := len(b) &^ 7
	s.stretch(at, end)
	if end < len(b) {
		rest := [8]byte{' ', ' ', ' ', ' ', ' ', ' ', ' ', ' '}
		copy(rest[:], b[end:])
		s.text = unsafe.String(&rest[0], len(rest))
		s.words(0, len(rest))
	}
	s.facts.valid = s.wrong|s.open == 0 && !s.bad
	return s.facts
}

// lookBytes is how much is looked at between two counts: a line of more than mostShown bytes has at least one such stretch for itself,
// wherever it begins.
const lookBytes = (mostShown - 16) / 2 &^ 31

// looker is a look under way.
type looker struct {
	text  string
	facts facts
	open  uint64 // bytes of the next word that have to be continuation bytes
	wrong uint64 // not 0: no UTF-8
	bad   bool   // a character that UTF-8 does not have
}

// Eight bytes of the same value.
const (
	eachOne  = 0x0101010101010101
	eachHigh = 0x80 * eachOne
	eachLow  = 0x7f * eachOne // added to bytes below 0x80, it sets the high bit of those that are not 0
	eachLF   = '\n' * eachOne
	eachTab  = '\t' * eachOne
)

// bigEndian is whether a load gives the first byte of eight as the highest.
const bigEndian = runtime.GOARCH == "s390x" || runtime.GOARCH == "ppc64" || runtime.GOARCH == "mips" || runtime.GOARCH == "mips64"

// word is the eight bytes at p, the first the lowest. Not every compiler makes one load of encoding/binary's eight, that for WebAssembly among
// them.
func word(p unsafe.Pointer) uint64 {
	v := *(*uint64)(p)
	if bigEndian {
		v = bits.ReverseBytes64(v)
	}
	return v
}

// stretch looks at text[at:end], whole words.
func (s *looker) stretch(at, end int) {
	if s.open == 0 {
		n, lfs := plainASCII(s.text[at:end])
		s.facts.lfs += lfs
		at += n
	}
	if at < end {
		s.words(at, end)
	}
}

// plainASCII returns how many bytes of s, by 32, are printable ASCII, tabs and LF, and how many are LF.
func plainASCII(s string) (n int, lfs int64) {
	base := unsafe.Pointer(unsafe.StringData(s))
	others := 0
	for ; len(s)-n >= 32; n += 32 {
		p := unsafe.Add(base, n)
		d := word(unsafe.Add(p, 24)) // the last one first: one check of the bounds does for all four
		a, b, c := word(p), word(unsafe.Add(p, 8)), word(unsafe.Add(p, 16))
		fa, fb, fc, fd := (a^eachLF)+eachLow, (b^eachLF)+eachLow, (c^eachLF)+eachLow, (d^eachLF)+eachLow
		if (a|b|c|d|control(a, fa)|control(b, fb)|control(c, fc)|control(d, fd))&eachHigh != 0 {
			break
		}
		others += bits.OnesCount64(fa&eachHigh) + bits.OnesCount64(fb&eachHigh) + bits.OnesCount64(fc&eachHigh) + bits.OnesCount64(fd&eachHigh)
	}
	return n, int64(n - others)
}

// control marks the controls of eight bytes of ASCII but for tab and LF; notLF marks what is no LF.
func control(w, notLF uint64) uint64 {
	return ^(w+0x60*eachOne)&notLF&((w^eachTab)+eachLow) | (w + eachOne)
}

// words looks at text[at:end], whole words of any text. A sequence of UTF-8 is right when the continuation bytes are just those that the
// bytes before them ask for, and its first two bytes are none of those that attend refuses.
func (s *looker) words(at, end int) {
	base := unsafe.Pointer(unsafe.StringData(s.text))
	open, wrong, above := s.open, s.wrong, uint64(0)
	others := at - end
	for ; at < end; at += 8 {
		w := word(unsafe.Add(base, at))
		high := w & eachHigh
		lead := high & (w << 1)  // 11xxxxxx
		three := lead & (w << 2) // of three bytes or more
		four := three & (w << 3)
		wrong |= (lead<<8 | three<<16 | four<<24 | open) ^ (high ^ lead)
		open = lead>>56 | three>>48 | four>>40
		above |= high
		low := w &^ eachHigh
		notLF := (low ^ eachLF) + eachLow | w
		others += bits.OnesCount64(notLF & eachHigh)
		// Bytes above ASCII are no controls; those of 0x20 and above have the high bit set in low+0x60.
		odd := (^((low+0x60*eachOne)|w)&notLF&((low^eachTab)+eachLow) | (low+eachOne)&^w) & eachHigh
		if odd |= lead & special(w); odd != 0 {
			s.attend(at, odd, lead)
		}
	}
	s.open, s.wrong = open, wrong
	s.facts.ascii = s.facts.ascii && above == 0
	s.facts.lfs -= int64(others)
}

// special marks the first bytes behind which not every second byte is a character that is seen: all but C3 to D7, D9 to DF and E4 to EC.
func special(w uint64) uint64 {
	y := w & (0x3f * eachOne)
	return ^(y + 0x7d*eachOne) | ^((y ^ 0x18*eachOne) + eachLow) | (y+0x60*eachOne)&^(y+0x5c*eachOne) | (y + 0x53*eachOne)
}

// attend looks closer at the marked bytes of the word at at: first bytes of sequences, which lead marks, and controls.
func (s *looker) attend(at int, odd, lead uint64) {
	w := word(unsafe.Add(unsafe.Pointer(unsafe.StringData(s.text)), at))
	next := w >> 8
	if at+8 < len(s.text) {
		next |= uint64(s.text[at+8]) << 56
	}
	for odd &^= lead & harmless(w, next); odd != 0; odd &= odd - 1 {
		i := at + bits.TrailingZeros64(odd)>>3
		switch c := s.text[i]; {
		case c == '\r':
			s.facts.crs++
			if i+1 < len(s.text) && s.text[i+1] == '\n' {
				s.facts.crlfs++
			}
		case c < utf8.RuneSelf:
			s.facts.odd = true
		default:
			s.first(s.text[i:min(len(s.text), i+utf8.UTFMax)])
		}
	}
}

// harmless marks the first bytes of eight that their second bytes make harmless, in scripts that are full of special ones: kana, the
// scripts of India and Thai, Vietnamese, Arabic, the full-width forms of punctuation.
func harmless(w, next uint64) uint64 {
	y, z := w&(0x3f*eachOne), next&eachLow
	return ^((y^0x23*eachOne)+eachLow)&((z^0x05*eachOne)+eachLow) | // E3, not 85
		^((y^0x21*eachOne)+eachLow)&((z^0x20*eachOne)+eachLow) | // E1, not A0
		^((y^0x18*eachOne)+eachLow)&((z^0x1c*eachOne)+eachLow) | // D8, not 9C
		^((y^0x20*eachOne)+eachLow)&(z+0x60*eachOne) | // E0, A0 and above
		^((y^0x2f*eachOne)+eachLow)&^((z&(0x7e*eachOne)^0x3c*eachOne)+eachLow) // EF, BC or BD
}

// first looks at the character that s begins with.
func (s *looker) first(c string) {
	if readapi.NextSuspect(c, 0) == 0 {
		s.facts.odd = true
		if r, n := utf8.DecodeRuneInString(c); r == utf8.RuneError && n == 1 {
			s.bad = true
		}
	} else if len(c) >= 3 && c[:3] == "\uFFFD" {
		s.facts.replacements++
	}
}
