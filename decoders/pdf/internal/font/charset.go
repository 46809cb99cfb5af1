package font

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/transform"
)

// charset is a character set that the codes of a predefined CMap (ISO 32000-1, table 118) are in.
type charset uint8

const (
	charsetNone charset = iota
	charsetJIS          // JIS X 0208 in 7 bits
	charsetShiftJIS
	charsetEUCJP
	charsetGBK
	charsetBig5
	charsetEUCKR
)

// charsetOf returns the character set of a predefined CMap by its name.
func charsetOf(name string) charset {
	switch {
	case name == "H", name == "V":
		return charsetJIS
	case strings.Contains(name, "RKSJ"):
		return charsetShiftJIS
	case strings.HasPrefix(name, "EUC-"):
		return charsetEUCJP
	case strings.HasPrefix(name, "GB"):
		return charsetGBK
	case strings.Contains(name, "B5"):
		return charsetBig5
	case strings.HasPrefix(name, "KSC"):
		return charsetEUCKR
	}
	return charsetNone
}

// appendText appends the character of a code of n bytes; ok is false if the set has none.
func (c charset) appendText(dst []byte, v uint32, n int) (out []byte, ok bool) {
	var src [2]byte
	switch {
	case n == 1 && v < 0x80:
		return append(dst, byte(v)), true
	case n == 1:
		src[0] = byte(v)
	case n == 2:
		src = [2]byte{byte(v >> 8), byte(v)}
	default:
		return dst, false
	}
	var e encoding.Encoding
	switch c {
	case charsetJIS:
		src[0], src[1] = src[0]|0x80, src[1]|0x80
		e = japanese.EUCJP
	case charsetShiftJIS:
		e = japanese.ShiftJIS
	case charsetEUCJP:
		e = japanese.EUCJP
	case charsetGBK:
		e = simplifiedchinese.GBK
	case charsetBig5:
		e = traditionalchinese.Big5
	case charsetEUCKR:
		e = korean.EUCKR
	default:
		return dst, false
	}
	var buf [utf8.UTFMax * 2]byte
	k, _, err := transform.Transformer(e.NewDecoder()).Transform(buf[:], src[:n], true)
	if r, _ := utf8.DecodeRune(buf[:k]); err != nil || k == 0 || r == utf8.RuneError {
		return dst, false
	}
	return append(dst, buf[:k]...), true
}
