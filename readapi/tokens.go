package readapi

import (
	"math"
	"unicode/utf8"
)

// ImageTokens is what a picture is taken to cost before its size is known; ImageCost says what one of a known size costs.
const ImageTokens = 2000

// EstimateTokens estimates the tokens of s without any model's tokenizer: a quarter for an ASCII character, a half for other characters
// below U+0800, one for the rest (CJK and the like), rounded up. It is meant for budgets: cheap, monotonic in prefixes, the same inside
// and outside the sandbox. Invalid bytes count as ASCII.
func EstimateTokens(s string) int64 {
	var quarters int64
	for i := 0; i < len(s); i++ {
		quarters += tokenQuarters(s[i])
	}
	return (quarters + 3) / 4
}

// tokenQuarters is the cost of one byte in quarters of a token: a character's whole cost lies on its first byte.
func tokenQuarters(b byte) int64 {
	switch {
	case b < 0x80:
		return 1
	case b < 0xc0: // continuation byte
		return 0
	case b < 0xe0:
		return 2
	}
	return 4
}

// EscapedCost is EstimateTokens and the length in bytes of what Escape makes of s, which is longer than s where something is hidden in it:
// what a text takes of an answer's budgets as it leaves.
func EscapedCost(s string) (tokens, bytes int64) {
	var quarters int64
	for i := 0; i < len(s); {
		if c := s[i]; c < 0x7f && (c >= 0x20 || c == '\n' || c == '\t' || c == '\r') {
			quarters++
			bytes++
			i++
			continue
		}
		q, size, n := runeCost(s, i, true)
		quarters += q
		bytes += size
		i += n
	}
	return (quarters + 3) / 4, bytes
}

// runeCost is what the character at s[i], n bytes long, costs: in quarters of a token and in bytes.
func runeCost(s string, i int, escaped bool) (quarters, bytes int64, n int) {
	r, n := utf8.DecodeRuneInString(s[i:])
	switch {
	case !escaped:
	case hiddenAt(s, i, r):
		k := escapedLen(r)
		return k, k, n // ASCII
	case r == utf8.RuneError:
		return 4, int64(len("\uFFFD")), n
	}
	return tokenQuarters(s[i]), int64(n), n
}

// Cut returns the longest prefix of s, cut between characters, that is within both budgets: tokens as EstimateTokens counts, and bytes.
// With escaped they are those of what Escape makes of it. A budget that is not positive is none.
func Cut(s string, tokens, bytes int64, escaped bool) string {
	const most = math.MaxInt64 / 4
	if tokens <= 0 || tokens > most {
		tokens = most
	}
	if bytes <= 0 {
		bytes = math.MaxInt64
	}
	quarters := tokens * 4
	for i := 0; i < len(s); {
		cost, size, n := runeCost(s, i, escaped)
		quarters -= cost
		bytes -= size
		if quarters < 0 || bytes < 0 {
			return s[:i]
		}
		i += n
	}
	return s
}
