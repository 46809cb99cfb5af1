package charset

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// class is what a byte is in one charset, as far as its neighbours care.
type class uint8

const (
	other class = iota // ASCII that is no letter, and signs that stand next to words
	quote              // punctuation that is rare but for the languages that use it, and never inside a word
	lower              // letters of ASCII
	upper
	highLower // letters above ASCII
	highUpper
	caseless
	mark // combines with the letter before it
	symbol
	rare // signs that hardly any text has
	box  // lines and blocks of the charsets of DOS
	undefined
)

func (c class) letter() bool { return lower <= c && c <= mark }
func (c class) sign() bool   { return c == symbol || c == rare }
func (c class) high() bool   { return highLower <= c && c <= mark }

const (
	quotes = "«»¿¡"
	signs  = "’‘“”„‚–—…‹›•·§°ºª€£№©®™\u00a0؟،؛\u200c\u200d\u200e\u200f"

	// oneLetterWords are the letters above ASCII that are words in languages of Latin script.
	oneLetterWords = "àáâãåäæèéêëíìîïóòôöøúùûüýÀÁÂÃÅÄÆÈÉÊËÍÌÎÏÓÒÔÖØÚÙÛÜÝ"
)

func classOf(r rune) class {
	switch {
	case 'a' <= r && r <= 'z':
		return lower
	case 'A' <= r && r <= 'Z':
		return upper
	case r < utf8.RuneSelf, strings.ContainsRune(signs, r):
		return other
	case strings.ContainsRune(quotes, r):
		return quote
	case r < 0xa0, r == utf8.RuneError, unicode.Is(unicode.Co, r):
		return undefined
	case 0x2500 <= r && r < 0x25a0:
		return box
	case r == '¤', r == '¦', r == '¸', r == '¨':
		return rare
	case unicode.IsLower(r):
		return highLower
	case unicode.IsUpper(r):
		return highUpper
	case unicode.IsLetter(r):
		return caseless
	case unicode.Is(unicode.Mn, r):
		return mark
	}
	return symbol
}

// neverBefore returns the letters of ASCII that do not follow r in any language that r stands for. It tells apart what letters alone do
// not: Hungarian ő from õ, which Portuguese has before e only, the French œ, and South Slavic š from the nasal vowels of Polish.
func neverBefore(r rune) string {
	switch r {
	case 'õ':
		return "abcdfghijklmnopqrtuvwxyz"
	case 'œ':
		return "abfghjklmopqrvwxyz"
	case 'ą', 'ę':
		return "aeiouy"
	}
	return ""
}
