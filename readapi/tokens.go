package readapi

// ImageTokens is what a picture is taken to cost where no provider profile says better.
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

// CutTokens returns the longest prefix of s, cut between characters, that EstimateTokens puts at tokens or less.
func CutTokens(s string, tokens int64) string {
	quarters := tokens * 4
	for i := 0; i < len(s); i++ {
		c := tokenQuarters(s[i])
		if quarters -= c; c > 0 && quarters < 0 {
			return s[:i]
		}
	}
	return s
}
