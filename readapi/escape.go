package readapi

import (
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Hidden reports whether r is a character that a reader does not see and that can change what is seen or smuggle text: C0 and C1
// controls except tab, newline and carriage return; bidirectional controls; zero-width and other invisible format characters; the tag
// block; the supplementary variation selectors. Emoji joiners and variation selectors are not hidden: ordinary text is full of them. It is
// for names and other places where a single character has to be judged; HiddenAt judges one where it stands.
func Hidden(r rune) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return false
	case r < 0x20, 0x7f <= r && r < 0xa0:
		return true
	case r < 0xad:
		return false
	case r == 0x200d: // zero width joiner: emoji and Indic scripts
		return false
	case 0xfe00 <= r && r <= 0xfe0f: // variation selectors
		return false
	}
	return unseen(r)
}

// Escape replaces every character of s that HiddenAt finds hidden by \u{HEX} and says how many there were. Invalid UTF-8 becomes U+FFFD. A string without
// either comes back as it is.
func Escape(s string) (out string, hidden int) {
	if clean(s) {
		return s, 0
	}
	var b strings.Builder
	for i, r := range s {
		if hiddenAt(s, i, r) {
			hidden++
			b.WriteString(`\u{` + strings.ToUpper(strconv.FormatInt(int64(r), 16)) + "}")
			continue
		}
		b.WriteRune(r)
	}
	return b.String(), hidden
}

// escapedLen is how many bytes, all ASCII, Escape writes for a hidden r.
func escapedLen(r rune) int64 { return int64(len(`\u{}`) + (bits.Len32(uint32(r)|1)+3)/4) }

// clean reports whether s is valid and has nothing hidden. ASCII goes fast.
func clean(s string) bool {
	ascii := true
	for i := range len(s) {
		c := s[i]
		if c >= 0x7f {
			ascii = false
			break
		}
		if c < 0x20 && c != '\t' && c != '\n' && c != '\r' {
			return false
		}
	}
	if ascii {
		return true
	}
	for i, r := range s {
		if hiddenAt(s, i, r) || r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") {
			return false
		}
	}
	return true
}

// EscapeLine is Escape for names and other single lines: line ends and tabs are escaped too.
func EscapeLine(s string) string {
	s, _ = Escape(s)
	return lineEscaper.Replace(s)
}

var lineEscaper = strings.NewReplacer("\n", `\u{A}`, "\r", `\u{D}`, "\t", `\u{9}`)
