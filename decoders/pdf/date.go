package pdf

import (
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// date turns "D:20240131120000+01'00'" (7.9.4) into RFC 3339; what is missing behind the year is the earliest it can be. A text that is no
// date gives "".
func date(s string) string {
	s = strings.TrimPrefix(s, "D:")
	digits := 0
	for digits < len(s) && digits < 14 && object.IsDigit(s[digits]) {
		digits++
	}
	if digits < 4 {
		return ""
	}
	full := s[:digits&^1] + "00000101000000"[digits&^1:]
	if full[4:6] < "01" || full[4:6] > "12" || full[6:8] < "01" || full[6:8] > "31" || full[8:10] > "23" || full[10:12] > "59" || full[12:] > "59" {
		return ""
	}
	zone := "Z"
	if rest := strings.NewReplacer("'", "", ":", "").Replace(s[digits:]); len(rest) >= 5 && (rest[0] == '+' || rest[0] == '-') && onlyDigits(rest[1:5]) {
		zone = rest[:3] + ":" + rest[3:5]
	}
	return full[:4] + "-" + full[4:6] + "-" + full[6:8] + "T" + full[8:10] + ":" + full[10:12] + ":" + full[12:] + zone
}

func onlyDigits(s string) bool {
	for i := range len(s) {
		if !object.IsDigit(s[i]) {
			return false
		}
	}
	return true
}

// isoDate returns a date of XMP, which is a profile of ISO 8601 that may end behind the year, the month, the day or the minute, as RFC 3339.
// A text that is no date gives "".
func isoDate(s string) string {
	const shape = "2000-01-01T00:00:00"
	s = strings.TrimSpace(s)
	n := 0
	for n < len(s) && n < len(shape) && (object.IsDigit(s[n]) == object.IsDigit(shape[n])) && (object.IsDigit(s[n]) || s[n] == shape[n]) {
		n++
	}
	digits := strings.NewReplacer("-", "", "T", "", ":", "").Replace(s[:n])
	rest := s[n:]
	if strings.HasPrefix(rest, ".") { // parts of a second
		rest = strings.TrimLeft(rest[1:], "0123456789")
	}
	return date(digits + rest)
}
