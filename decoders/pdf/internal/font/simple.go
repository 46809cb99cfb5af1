package font

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// simpleFont is what a Type 1, TrueType or Type 3 font has of its own (ISO 32000-1, 9.6).
type simpleFont struct {
	base      baseEncoding
	given     bool            // base is the file's word, and not only what is likely
	names     map[byte]string // Differences
	numbering numbering       // what the numbers in unknown names are
	texts     [256]simpleText // filled as codes are met

	type3  bool
	first  int // the code of widths[0]
	widths []float64
}

type simpleText struct {
	s         string
	known, ok bool
}

// Flags of a font descriptor that say how codes are to be read (table 123).
const (
	flagSerif    = 1 << 1
	flagSymbolic = 1 << 2
	flagPlain    = 1 << 5 // of the standard Latin characters only: "nonsymbolic"
)

func (f *Font) readSimple(n object.Node) {
	subtype, name := n.Key("Subtype").Name(), plainName(n.Key("BaseFont").Name())
	f.readEncoding(n, subtype, name)
	if subtype == "Type3" {
		f.simple.type3 = true
		if m, ok := n.Key("FontMatrix").Nums(6); ok && m[0]*m[3] != m[1]*m[2] {
			f.scale = math.Hypot(m[0], m[1])
		}
	}
	f.simple.first = n.Key("FirstChar").Int()
	w := n.Key("Widths")
	f.width = f.sane(f.descriptor.Key("MissingWidth").Num(), 0)
	some := false
	for i := range min(w.Len(), 256) {
		v := f.sane(w.Index(i).Num(), f.width)
		some = some || v > 0
		f.simple.widths = append(f.simple.widths, v)
	}
	if !some && !f.simple.type3 {
		f.standardWidths(name, f.descriptor.Key("Flags").Int())
	}
}

func (f *Font) readEncoding(n object.Node, subtype, name string) {
	enc := n.Key("Encoding")
	base := enc.Name()
	if enc.Kind() == object.Dict {
		base = enc.Key("BaseEncoding").Name()
	}
	s := &f.simple
	s.given = true
	switch {
	case base == "WinAnsiEncoding", base == "PDFDocEncoding":
		s.base = encWinAnsi
	case base == "MacRomanEncoding":
		s.base = encMacRoman
	case base == "MacExpertEncoding":
		s.base = encMacExpert
	case base == "StandardEncoding":
	case f.pictures != encStandard:
		s.base = f.pictures
	case subtype == "TrueType" && enc.Null() && f.descriptor.Key("Flags").Int()&flagPlain != 0 && f.descriptor.Key("FontFile2").Null():
		// The standard encoding, as a viewer has nothing else to go by (9.6.6.4).
	case subtype == "TrueType":
		s.base, s.given = encWinAnsi, false // the program's own encoding; nearly always this
	default:
		s.given = false
	}
	if f.pictures == encWingdings && f.descriptor.Key("Flags").Int()&flagSymbolic != 0 { // which has no letters, whatever is said
		s.base = encWingdings
	}
	f.differences(enc.Key("Differences"))
}

// picturesOf returns the encoding of a font of symbols by its name, encStandard for any other.
func picturesOf(name string) baseEncoding {
	switch {
	case strings.HasPrefix(name, "Symbol"):
		return encSymbol
	case strings.HasPrefix(name, "ZapfDingbats"):
		return encDingbats
	case strings.HasPrefix(name, "Wingdings") && !strings.HasPrefix(name, "Wingdings2") && !strings.HasPrefix(name, "Wingdings3"):
		return encWingdings
	}
	return encStandard
}

// meant is a text, or what its private character means in a font of symbols: those have their codes at U+F000 (9.6.6.4).
func (f *Font) meant(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	if f.pictures == encStandard || r < 0xf020 || r > 0xf0ff || n != len(text) {
		return text
	}
	if meant := f.pictures.rune(byte(r)); meant != 0 {
		return string(meant)
	}
	return text
}

// differences reads the Differences of an encoding (9.6.6.1).
func (f *Font) differences(diff object.Node) {
	if diff.Len() == 0 {
		return
	}
	names := make(map[byte]string, min(diff.Len(), 256))
	at := 0
	for i := range min(diff.Len(), 1024) {
		switch v := diff.Index(i); v.Kind() {
		case object.Number:
			at = v.Int()
		case object.Name:
			if at >= 0 && at < 256 {
				names[byte(at)] = v.Name()
			}
			at++
		}
	}
	f.simple.names = names
}

// simpleText returns the text of a code of a simple font, which it looks up once.
func (f *Font) simpleText(c byte) *simpleText {
	t := &f.simple.texts[c]
	if t.known {
		return t
	}
	t.known = true
	if f.toUnicode != nil {
		b, _ := f.toUnicode.appendText(nil, uint32(c))
		t.s = f.meant(normal(string(b)))
		t.ok = f.toUnicode.silent(uint32(c))
	}
	if t.ok = t.ok || says([]byte(t.s)); t.ok {
		return t
	}
	other := f.meant(normal(f.encodedText(c)))
	if t.ok = says([]byte(other)); t.ok || other != "" {
		t.s = other
	}
	t.s = printable(t.s)
	return t
}

// encodedText is the text of a code by the encoding: the glyph's name, what the program says, the base encoding.
func (f *Font) encodedText(c byte) string {
	s := &f.simple
	if name, ok := s.names[c]; ok && name != ".notdef" {
		if text := f.nameText(name, c); text != "" {
			return text
		}
		return f.program().codeText(c)
	}
	if s.given {
		if r := s.base.rune(c); r != 0 {
			return string(r)
		}
		return f.program().codeText(c)
	}
	if text := f.program().codeText(c); says([]byte(text)) {
		return text
	}
	return runeText(s.base.rune(c))
}

// nameText is the text of a glyph's name, also of one that only numbers it.
func (f *Font) nameText(name string, c byte) string {
	if f.simple.base == encDingbats {
		if r := dingbatName(name); r != 0 {
			return string(r)
		}
	}
	if text := glyphText(name); text != "" {
		return text
	}
	if f.simple.numbering == numbersUnread {
		f.simple.numbering = numberingOf(f.simple.names)
	}
	switch n := f.simple.numbering; n {
	case numbersGlyphs:
		if p := f.program(); p != nil {
			_, digits := cutNumber(name)
			if v := radix(10, []byte(digits)); v > 0 {
				return p.texts.get(uint16(v))
			}
		}
	case numbersCodes, numbersHex:
		_, digits := cutNumber(name)
		if v := radix(n.base(), []byte(digits)); v >= 0 && v < 256 {
			if byte(v) == c && f.simple.given {
				return runeText(f.simple.base.rune(c))
			}
			return runeText(winAnsi(byte(v)))
		}
	}
	return ""
}
