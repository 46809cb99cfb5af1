package charset

import (
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/transform"
)

// ownTable is a single-byte charset that golang.org/x/text does not have.
type ownTable struct {
	label string
	high  string // its characters from 0x80 to 0xff, U+FFFD for bytes that mean nothing
	low   string // pairs of a byte below 0x80 and what it means, where that is not ASCII

	once  sync.Once
	runes [256]rune
}

func (t *ownTable) fill() {
	for b := range utf8.RuneSelf {
		t.runes[b] = rune(b)
	}
	b := utf8.RuneSelf
	for _, r := range t.high {
		t.runes[b] = r
		b++
	}
	low := []rune(t.low)
	for i := 0; i+1 < len(low); i += 2 {
		t.runes[low[i]] = low[i+1]
	}
}

// DecodeByte returns the character that a byte means.
func (t *ownTable) DecodeByte(b byte) rune {
	t.once.Do(t.fill)
	return t.runes[b]
}

// NewDecoder returns a decoder to UTF-8.
func (t *ownTable) NewDecoder() *encoding.Decoder {
	t.once.Do(t.fill)
	return &encoding.Decoder{Transformer: ownDecoder{runes: &t.runes}}
}

// NewEncoder returns an encoder, for tests: characters that the charset lacks become 0x1a.
func (t *ownTable) NewEncoder() *encoding.Encoder {
	t.once.Do(t.fill)
	return &encoding.Encoder{Transformer: ownEncoder{runes: &t.runes}}
}

type ownDecoder struct {
	transform.NopResetter
	runes *[256]rune
}

func (d ownDecoder) Transform(dst, src []byte, _ bool) (nDst, nSrc int, err error) {
	for _, c := range src {
		r := d.runes[c]
		if nDst+utf8.RuneLen(r) > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst += utf8.EncodeRune(dst[nDst:], r)
		nSrc++
	}
	return nDst, nSrc, nil
}

type ownEncoder struct {
	transform.NopResetter
	runes *[256]rune
}

func (e ownEncoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		if !atEOF && !utf8.FullRune(src[nSrc:]) {
			return nDst, nSrc, transform.ErrShortSrc
		}
		if nDst == len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		r, size := utf8.DecodeRune(src[nSrc:])
		dst[nDst] = 0x1a
		for b, have := range e.runes {
			if have == r {
				dst[nDst] = byte(b)
				break
			}
		}
		nDst++
		nSrc += size
	}
	return nDst, nSrc, nil
}

// ownTables are after the mappings that Unicode's members published for them (unicode.org/Public/MAPPINGS, VENDORS/APPLE and
// VENDORS/MICSFT/PC), of ibm1125 after RST 2018-91, of viscii after RFC 1456.
var ownTables = []ownTable{
	{label: "x-mac-ce", high: "ÄĀāÉĄÖÜáąČäčĆćéŹźĎíďĒēĖóėôöõúĚěü†°Ę£§•¶ß®©™ę¨≠ģĮįĪ≤≥īĶ∂∑łĻļĽľĹĺŅņŃ¬√ńŇ∆«»…\u00a0ňŐÕőŌ–—“”‘’÷◊ōŔŕŘ‹›řŖŗŠ‚„šŚśÁŤťÍŽžŪÓÔūŮÚůŰűŲųÝýķŻŁżĢˇ"},
	{label: "x-mac-greek", high: "Ä¹²É³ÖÜ΅àâä΄¨çéèêë£™îï•½‰ôö¦€ùûü†ΓΔΘΛΞΠß®©ΣΪ§≠°·Α±≤≥¥ΒΕΖΗΙΚΜΦΫΨΩάΝ¬ΟΡ≈Τ«»…\u00a0ΥΧΆΈœ–―“”‘’÷ΉΊΌΎέήίόΏύαβψδεφγηιξκλμνοπώρστθωςχυζϊϋΐΰ\u00ad"},
	{label: "x-mac-turkish", high: "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸĞğİıŞş‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙ\ufffdˆ˜¯˘˙˚¸˝˛ˇ"},
	{label: "ibm737", high: "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρσςτυφχψ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀ωάέήϊίόύϋώΆΈΉΊΌΎΏ±≥≤ΪΫ÷≈°∙·√ⁿ²■\u00a0"},
	{label: "ibm775", high: "ĆüéāäģåćłēŖŗīŹÄÅÉæÆōöĢ¢ŚśÖÜø£Ø×¤ĀĪóŻżź”¦©®¬½¼Ł«»░▒▓│┤ĄČĘĖ╣║╗╝ĮŠ┐└┴┬├─┼ŲŪ╚╔╩╦╠═╬Žąčęėįšųūž┘┌█▄▌▐▀ÓßŌŃõÕµńĶķĻļņĒŅ’\u00ad±“¾¶§÷„°∙·¹³²■\u00a0"},
	{label: "ibm857", high: "ÇüéâäàåçêëèïîıÄÅÉæÆôöòûùİÖÜø£ØŞşáíóúñÑĞğ¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ºªÊËÈ\ufffdÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµ\ufffd×ÚÛÙìÿ¯´\u00ad±\ufffd¾¶§÷¸°¨·¹³²■\u00a0"},
	{label: "ibm1125", high: "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмноп░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀рстуфхцчшщъыьэюяЁёҐґЄєІіЇї·√№¤■\u00a0"},
	{label: "viscii", high: "ẠẮẰẶẤẦẨẬẼẸẾỀỂỄỆỐỒỔỖỘỢỚỜỞỊỎỌỈỦŨỤỲÕắằặấầẩậẽẹếềểễệốồổỗỠƠộờởịỰỨỪỬơớƯÀÁÂÃẢĂẳẵÈÉÊẺÌÍĨỳĐứÒÓÔạỷừửÙÚỹỵÝỡưàáâãảăữẫèéêẻìíĩỉđựòóôõỏọụùúũủýợỮ", low: "\x02Ẳ\x05Ẵ\x06Ẫ\x14Ỷ\x19Ỹ\x1eỴ"},
}

// iso2022KR is ISO-2022-KR (RFC 1557): shift-out leads from ASCII to the characters of EUC-KR without their high bits, shift-in back.
type iso2022KR struct{}

// NewDecoder returns a decoder to UTF-8.
func (iso2022KR) NewDecoder() *encoding.Decoder {
	return &encoding.Decoder{Transformer: &iso2022KRDecoder{euc: korean.EUCKR.NewDecoder()}}
}

// NewEncoder returns nil: nothing is written in it.
func (iso2022KR) NewEncoder() *encoding.Encoder { return nil }

type iso2022KRDecoder struct {
	euc *encoding.Decoder
	out bool // behind a shift-out
}

func (d *iso2022KRDecoder) Reset() { d.out = false }

const (
	shiftOut    = 0x0e
	shiftIn     = 0x0f
	designation = "\x1b$)C" // names KS X 1001; it may stand at the beginning of any line and says nothing new
)

func (d *iso2022KRDecoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		if nDst+utf8.UTFMax > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		c, left := src[nSrc], src[nSrc:]
		switch {
		case c == shiftOut, c == shiftIn:
			d.out = c == shiftOut
			nSrc++
		case c == designation[0] && strings.HasPrefix(designation, string(left[:min(len(left), len(designation))])):
			if len(left) < len(designation) && !atEOF {
				return nDst, nSrc, transform.ErrShortSrc
			}
			nSrc += min(len(left), len(designation))
		case c == '\n', c == '\r': // a line begins in ASCII
			d.out = false
			dst[nDst] = c
			nDst, nSrc = nDst+1, nSrc+1
		case c >= utf8.RuneSelf:
			nDst += utf8.EncodeRune(dst[nDst:], utf8.RuneError)
			nSrc++
		case !d.out || c <= ' ' || c == 0x7f:
			dst[nDst] = c
			nDst, nSrc = nDst+1, nSrc+1
		case len(left) < 2 && !atEOF:
			return nDst, nSrc, transform.ErrShortSrc
		case len(left) < 2, left[1] <= ' ', left[1] >= 0x7f:
			nDst += utf8.EncodeRune(dst[nDst:], utf8.RuneError)
			nSrc++
		default:
			pair := [2]byte{c | 0x80, left[1] | 0x80}
			n, _, _ := d.euc.Transformer.Transform(dst[nDst:], pair[:], true)
			nDst, nSrc = nDst+n, nSrc+2
		}
	}
	return nDst, nSrc, nil
}
