package readapi

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf16"
)

// maxFileName is the most UTF-16 units that a stored name has.
const maxFileName = 120

// maxExtension is the longest extension, with its dot, that a cut name keeps.
const maxExtension = 16

// FileName returns name as it is stored and shown: one line, without separators, reserved characters or what is not seen (control and
// bidirectional characters), at most 120 UTF-16 units long. A name that is cut keeps its extension. An empty name is "artifact". The
// function is idempotent.
func FileName(name string) string {
	name = tidyName(strings.Map(fileNameRune, strings.ToValidUTF8(name, "-")))
	if utf16Len(name) > maxFileName {
		ext := path.Ext(name)
		if utf16Len(ext) > maxExtension || strings.ContainsRune(ext, ' ') || len(ext) < 2 {
			ext = ""
		}
		name = tidyName(cutUTF16(strings.TrimSuffix(name, ext), maxFileName-utf16Len(ext))) + ext
	}
	if name == "" {
		return "artifact"
	}
	return name
}

// fileNameRune is what stands for r in a stored name; -1 drops it.
func fileNameRune(r rune) rune {
	switch {
	case r < 0x20 && unicode.IsSpace(r), unicode.IsSpace(r):
		return ' '
	case r == 0, strings.ContainsRune(`\/:*?"<>|`, r):
		return '-'
	case r == unicode.ReplacementChar:
		return '-'
	case Hidden(r):
		return -1
	}
	return r
}

// tidyName joins runs of blanks and strips blanks, dots and dashes from both ends.
func tidyName(name string) string {
	return strings.Trim(strings.Join(strings.Fields(name), " "), " .-")
}

func utf16Len(s string) (n int) {
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// cutUTF16 is the longest prefix of s with at most n UTF-16 units.
func cutUTF16(s string, n int) string {
	for i, r := range s {
		if n -= utf16.RuneLen(r); n < 0 {
			return s[:i]
		}
	}
	return s
}
