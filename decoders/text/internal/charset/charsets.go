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
	case "iso-2022-kr":
		return iso2022KR{}
	}
	if t := tableOf(label); t != nil {
		return t
	}
	return nil
}

// table is a single-byte charset: what each of its bytes means, U+FFFD for one that means nothing.
type table interface {
	encoding.Encoding
	DecodeByte(b byte) rune
}

// tableOf returns the table of a single-byte charset, nil for others.
func tableOf(label string) table {
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
	case "koi8-r":
		return charmap.KOI8R
	case "koi8-u":
		return charmap.KOI8U
	case "macintosh":
		return charmap.Macintosh
	case "x-mac-cyrillic":
		return charmap.MacintoshCyrillic
	}
	if t := numberedTable(label); t != nil {
		return t
	}
	for i := range ownTables {
		if t := &ownTables[i]; t.label == label {
			return t
		}
	}
	return nil
}

// numberedTable is tableOf for the parts of ISO 8859 and the code pages of DOS.
func numberedTable(label string) table {
	switch label {
	case "iso-8859-2":
		return charmap.ISO8859_2
	case "iso-8859-3":
		return charmap.ISO8859_3
	case "iso-8859-4":
		return charmap.ISO8859_4
	case "iso-8859-5":
		return charmap.ISO8859_5
	case "iso-8859-6":
		return charmap.ISO8859_6
	case "iso-8859-7":
		return charmap.ISO8859_7
	case "iso-8859-8":
		return charmap.ISO8859_8
	case "iso-8859-10":
		return charmap.ISO8859_10
	case "iso-8859-13":
		return charmap.ISO8859_13
	case "iso-8859-14":
		return charmap.ISO8859_14
	case "iso-8859-15":
		return charmap.ISO8859_15
	case "iso-8859-16":
		return charmap.ISO8859_16
	case "ibm437":
		return charmap.CodePage437
	case "ibm850":
		return charmap.CodePage850
	case "ibm852":
		return charmap.CodePage852
	case "ibm855":
		return charmap.CodePage855
	case "ibm858":
		return charmap.CodePage858
	case "ibm860":
		return charmap.CodePage860
	case "ibm862":
		return charmap.CodePage862
	case "ibm863":
		return charmap.CodePage863
	case "ibm865":
		return charmap.CodePage865
	case "ibm866":
		return charmap.CodePage866
	}
	return nil
}

// aliases are the labels that texts declare, after the WHATWG Encoding Standard, 4.2, as "label: alias alias …".
const aliases = `
utf-8: utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8
utf-16le: utf-16 csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff
utf-16be: unicodefffe
gbk: gb2312 gb_2312 gb_2312-80 x-gbk chinese csgb2312 csiso58gb231280 iso-ir-58 cp936 936 ms936 windows-936 euc-cn
gb18030: gb18030-2000
hz-gb-2312: hz
big5: big5-hkscs cn-big5 csbig5 x-x-big5 cp950 950 big5hkscs
euc-tw: x-euc-tw euctw cns11643
euc-jp: x-euc-jp eucjp ujis cseucpkdfmtjapanese
shift_jis: shift-jis sjis x-sjis ms932 ms_kanji windows-31j csshiftjis cp932 932 windows-932 mskanji
iso-2022-jp: csiso2022jp iso-2022-jp-1 iso-2022-jp-2
iso-2022-kr: csiso2022kr
iso-2022-cn: iso-2022-cn-ext csiso2022cn
euc-kr: euckr korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949 cp949 949 uhc cseuckr csksc56011987 iso-ir-149
johab: cp1361 ms1361 ksc5601-1992
windows-1250: cp1250 x-cp1250 win-1250 win1250
windows-1251: cp1251 x-cp1251 win-1251 win1251
windows-1252: cp1252 x-cp1252 iso-8859-1 iso8859-1 iso_8859-1 iso_8859-1:1987 iso88591 iso-ir-100 csisolatin1 ibm819 cp819 latin1 latin-1 l1 ascii us-ascii ansi_x3.4-1968 ansi
windows-1253: cp1253 x-cp1253
windows-1254: cp1254 x-cp1254 iso-8859-9 iso8859-9 iso_8859-9 iso88599 latin5 latin-5 l5 csisolatin5 iso-ir-148
windows-1255: cp1255 x-cp1255
windows-1256: cp1256 x-cp1256
windows-1257: cp1257 x-cp1257
windows-1258: cp1258 x-cp1258
windows-874: tis-620 tis620 iso-8859-11 iso8859-11 iso885911 dos-874 cp874
iso-8859-2: iso8859-2 iso_8859-2 iso88592 latin2 latin-2 l2 csisolatin2 iso-ir-101
iso-8859-3: iso8859-3 iso_8859-3 iso88593 latin3 latin-3 l3 csisolatin3 iso-ir-109
iso-8859-4: iso8859-4 iso_8859-4 iso88594 latin4 latin-4 l4 csisolatin4 iso-ir-110
iso-8859-5: iso8859-5 iso_8859-5 iso88595 cyrillic csisolatincyrillic iso-ir-144
iso-8859-6: iso8859-6 iso_8859-6 iso88596 iso-8859-6-e iso-8859-6-i arabic asmo-708 ecma-114 csisolatinarabic iso-ir-127
iso-8859-7: iso8859-7 iso_8859-7 iso88597 greek greek8 ecma-118 elot_928 sun_eu_greek csisolatingreek iso-ir-126
iso-8859-8: iso8859-8 iso_8859-8 iso88598 iso-8859-8-e iso-8859-8-i hebrew logical visual csisolatinhebrew iso-ir-138
iso-8859-10: iso8859-10 iso885910 latin6 latin-6 l6 csisolatin6 iso-ir-157
iso-8859-13: iso8859-13 iso885913 latin7 latin-7
iso-8859-14: iso8859-14 iso885914 latin8 latin-8
iso-8859-15: iso8859-15 iso_8859-15 iso885915 latin9 latin-9 l9 csisolatin9
iso-8859-16: iso8859-16 iso885916 latin10 latin-10
koi8-r: koi8 koi koi8_r cskoi8r
koi8-u: koi8-ru
macintosh: mac csmacintosh x-mac-roman macroman mac-roman
x-mac-cyrillic: x-mac-ukrainian maccyrillic mac-cyrillic
x-mac-ce: maccentraleurope mac-centraleurope mac_latin2 x-mac-centraleurroman
x-mac-greek: macgreek mac-greek
x-mac-turkish: macturkish mac-turkish
ibm437: cp437 437 dos-437 cspc8codepage437
ibm737: cp737 737
ibm775: cp775 775 cspc775baltic
ibm850: cp850 850 cspc850multilingual
ibm852: cp852 852 cspcp852
ibm855: cp855 855
ibm857: cp857 857
ibm858: cp858 858 ccsid00858 pc-multilingual-850+euro
ibm860: cp860 860
ibm862: cp862 862
ibm863: cp863 863
ibm865: cp865 865
ibm866: cp866 866 csibm866
ibm1125: cp1125 cp866u ruscii
viscii: csviscii
utf-7: utf7 unicode-1-1-utf-7
`

// Canonical returns the label of ours for a declared one, "" when it names no charset that is known here. Encoding may still not have it.
func Canonical(declared string) string {
	declared = strings.ToLower(strings.TrimSpace(declared))
	if declared == "" || strings.ContainsAny(declared, " \n") || strings.HasSuffix(declared, ":") {
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
