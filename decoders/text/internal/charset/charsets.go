package charset

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// Encoding returns the decoder's source for a label of ours, nil for utf-8 and for charsets that nobody decodes. A switch, not a table,
// so that nothing is built when the module starts.
func Encoding(label string) encoding.Encoding {
	switch label {
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case "utf-32le":
		return utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	case "utf-32be":
		return utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
	case "gbk", "gb18030": // one decoder for both (WHATWG Encoding, 10.1.1)
		return simplifiedchinese.GB18030
	case "hz-gb-2312":
		return simplifiedchinese.HZGB2312
	case "big5":
		return traditionalchinese.Big5
	case "euc-jp":
		return japanese.EUCJP
	case "shift_jis":
		return japanese.ShiftJIS
	case "iso-2022-jp":
		return japanese.ISO2022JP
	case "euc-kr":
		return korean.EUCKR
	}
	if c := charmapOf(label); c != nil {
		return c
	}
	return nil
}

// charmapOf returns the table of a single-byte charset, nil for others.
func charmapOf(label string) *charmap.Charmap {
	switch label {
	case "windows-1250":
		return charmap.Windows1250
	case "windows-1251":
		return charmap.Windows1251
	case "windows-1252":
		return charmap.Windows1252
	case "windows-1253":
		return charmap.Windows1253
	case "windows-1254":
		return charmap.Windows1254
	case "windows-1255":
		return charmap.Windows1255
	case "windows-1256":
		return charmap.Windows1256
	case "windows-1257":
		return charmap.Windows1257
	case "windows-1258":
		return charmap.Windows1258
	case "windows-874":
		return charmap.Windows874
	case "iso-8859-2":
		return charmap.ISO8859_2
	case "iso-8859-5":
		return charmap.ISO8859_5
	case "iso-8859-7":
		return charmap.ISO8859_7
	case "iso-8859-8":
		return charmap.ISO8859_8
	case "iso-8859-15":
		return charmap.ISO8859_15
	case "koi8-r":
		return charmap.KOI8R
	case "koi8-u":
		return charmap.KOI8U
	case "ibm866":
		return charmap.CodePage866
	case "macintosh":
		return charmap.Macintosh
	case "x-mac-cyrillic":
		return charmap.MacintoshCyrillic
	}
	return nil
}

// aliases are the labels that texts declare, after the WHATWG Encoding Standard, 4.2, as "label: alias alias …".
const aliases = `
utf-8: utf8 unicode-1-1-utf-8
gbk: gb2312 gb_2312 gb_2312-80 x-gbk chinese csgb2312 iso-ir-58 cp936 936
gb18030: gb18030-2000
big5: big5-hkscs cn-big5 csbig5 x-x-big5 cp950
euc-jp: x-euc-jp eucjp
shift_jis: shift-jis sjis x-sjis ms932 ms_kanji windows-31j csshiftjis cp932
iso-2022-jp: csiso2022jp
euc-kr: euckr korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949 cp949 cseuckr
windows-1250: cp1250 x-cp1250
windows-1251: cp1251 x-cp1251
windows-1252: cp1252 x-cp1252 iso-8859-1 iso8859-1 iso_8859-1 iso88591 latin1 latin-1 l1 ascii us-ascii ansi_x3.4-1968 cp819
windows-1253: cp1253 x-cp1253
windows-1254: cp1254 x-cp1254 iso-8859-9 iso8859-9 latin5
windows-1255: cp1255 x-cp1255
windows-1256: cp1256 x-cp1256
windows-1257: cp1257 x-cp1257
windows-1258: cp1258 x-cp1258
windows-874: tis-620 tis620 iso-8859-11 dos-874
iso-8859-2: iso8859-2 iso_8859-2 latin2 l2
iso-8859-5: iso8859-5 cyrillic
iso-8859-7: iso8859-7 greek
iso-8859-8: iso8859-8 iso-8859-8-i hebrew logical visual
iso-8859-15: iso8859-15 latin9 latin-9
koi8-r: koi8 koi cskoi8r
koi8-u: koi8-ru
ibm866: cp866 866 csibm866
macintosh: mac x-mac-roman
x-mac-cyrillic: x-mac-ukrainian
`

// Canonical returns the label of ours for a declared one, "" when it names a charset that is not decoded here.
func Canonical(declared string) string {
	declared = strings.ToLower(strings.TrimSpace(declared))
	if declared == "" || strings.ContainsAny(declared, " \n:") {
		return ""
	}
	for line := range strings.SplitSeq(strings.TrimSpace(aliases), "\n") {
		label, names, _ := strings.Cut(line, ": ")
		if label == declared {
			return label
		}
		for name := range strings.SplitSeq(names, " ") {
			if name == declared {
				return label
			}
		}
	}
	return ""
}
