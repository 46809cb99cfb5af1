// Package inside has what mails, notebooks and RTF share about the files that lie in them: their names, types and sizes.
package inside

import (
	"path"
	"strconv"
	"strings"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// Name returns the last part of a path as a name that is safe to show; "" stays so.
func Name(s string) string {
	s = strings.TrimRight(strings.TrimSpace(s), `/\`)
	s = s[strings.LastIndexAny(s, `/\`)+1:]
	if s == "" {
		return ""
	}
	return readapi.FileName(s)
}

// Type is the media type that a file is said to have, or what its name says where that tells nothing. Whoever reads it looks at its bytes
// anyway.
func Type(said, name string) readapi.MediaType {
	mt, ok := readapi.ParseMediaType(said)
	if ok && mt != readapi.OctetStream && mt != "application/x-download" && mt != "application/force-download" && mt != "application/unknown" {
		return mt
	}
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	for i := 0; i+1 < len(types); i += 2 {
		if ext == types[i] {
			return readapi.MediaType(types[i+1])
		}
	}
	return readapi.OctetStream
}

// Extension returns the extension of files of a media type, with its dot; "" where none is known.
func Extension(mt readapi.MediaType) string {
	for i := 0; i+1 < len(types); i += 2 {
		if string(mt) == types[i+1] {
			return "." + types[i]
		}
	}
	return ""
}

// types are extensions and their media types; the first of a type is the one that Extension gives.
var types = [...]string{
	"txt", "text/plain", "html", "text/html", "htm", "text/html", "md", "text/markdown", "csv", "text/csv", "json", "application/json",
	"xml", "application/xml", "xml", "text/xml", "css", "text/css", "ics", "text/calendar", "vcf", "text/vcard", "rtf", "application/rtf",
	"rtf", "text/rtf", "eml", "message/rfc822", "pdf", "application/pdf",
	"png", "image/png", "jpg", "image/jpeg", "jpeg", "image/jpeg", "gif", "image/gif", "bmp", "image/bmp", "webp", "image/webp",
	"svg", "image/svg+xml", "tif", "image/tiff", "tiff", "image/tiff", "ico", "image/x-icon", "heic", "image/heic", "avif", "image/avif",
	"emf", "image/emf", "wmf", "image/wmf", "zip", "application/zip", "gz", "application/gzip", "dat", "application/ms-tnef",
	"p7m", "application/pkcs7-mime", "p7s", "application/pkcs7-signature", "asc", "application/pgp-signature", "doc", "application/msword",
	"xls", "application/vnd.ms-excel", "ppt", "application/vnd.ms-powerpoint",
	"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	"odt", "application/vnd.oasis.opendocument.text", "ods", "application/vnd.oasis.opendocument.spreadsheet",
	"ole", "application/x-ole-storage", "mp3", "audio/mpeg", "mp4", "video/mp4", "ipynb", "application/x-ipynb+json",
}

// Size is a number of bytes for people: "812 bytes", "12.3 kB".
func Size(n int64) string {
	switch {
	case n == 1:
		return "1 byte"
	case n < 1000:
		return strconv.FormatInt(n, 10) + " bytes"
	}
	unit := int64(1000)
	name := " kB"
	if n >= 1000*1000-50 {
		unit, name = 1000*1000, " MB"
	}
	tenths := (n + unit/20) / (unit / 10)
	return strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10) + name
}

// Digit64 is the value of a base64 digit, in either alphabet (RFC 4648, 4 and 5), -1 of anything else.
func Digit64(c byte) int { return int(digits64[c]) - 1 }

var digits64 = [256]byte{
	'A': 1, 'B': 2, 'C': 3, 'D': 4, 'E': 5, 'F': 6, 'G': 7, 'H': 8, 'I': 9, 'J': 10, 'K': 11, 'L': 12, 'M': 13, 'N': 14, 'O': 15,
	'P': 16, 'Q': 17, 'R': 18, 'S': 19, 'T': 20, 'U': 21, 'V': 22, 'W': 23, 'X': 24, 'Y': 25, 'Z': 26, 'a': 27, 'b': 28, 'c': 29,
	'd': 30, 'e': 31, 'f': 32, 'g': 33, 'h': 34, 'i': 35, 'j': 36, 'k': 37, 'l': 38, 'm': 39, 'n': 40, 'o': 41, 'p': 42, 'q': 43,
	'r': 44, 's': 45, 't': 46, 'u': 47, 'v': 48, 'w': 49, 'x': 50, 'y': 51, 'z': 52, '0': 53, '1': 54, '2': 55, '3': 56, '4': 57,
	'5': 58, '6': 59, '7': 60, '8': 61, '9': 62,
	'+': 63, '-': 63, '/': 64, '_': 64,
}
