package font

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// Font turns the bytes of a string into codes, and codes into text and widths.
type Font struct {
	composite bool // codes of several bytes
	style     Style
	vertical  bool
	utf16     bool              // the codes are UTF-16
	charset   charset           // that the codes are in
	japan1    bool              // the character identifiers are those of Adobe-Japan1
	composed  map[uint32]string // texts of codes that took a table to find
	scale     float64           // glyph space to text space, 1/1000 but for Type 3

	toUnicode *cmap // nil: none
	codes     *cmap // of a composite font; nil: two bytes a code, which is the character identifier

	base  baseEncoding
	names map[byte]string // Differences
	texts [256]string     // of a simple font, filled as codes are met
	known [256]bool

	// The font program's own encoding is read when a code is met that nothing else explains.
	descriptor object.Node
	builtin    map[byte]string
	builtinWas bool // read, or not to be read

	first  int // of a simple font: the code of widths[0]
	widths []float64
	cids   []widthRange // of a composite font, sorted
	width  float64      // of everything else
}

type widthRange struct {
	lo, hi int
	w      float64
}

// maxFontBytes bounds a CMap or a font program that is read for its encoding.
const maxFontBytes = 4 << 20

// Fallback is for text that is shown without a font that can be read.
func Fallback() *Font { return &Font{scale: 0.001, width: 500, builtinWas: true} }

// Cache keeps the fonts of a document by their object numbers: never by a resource's name, which means another font on another page.
type Cache struct {
	fonts map[int]*Font
	size  int
}

// maxKeptBytes is about how many bytes of fonts are kept.
const maxKeptBytes = 16 << 20

// Load returns the font with a dictionary, from the cache if it has a number.
func (c *Cache) Load(n object.Node) *Font {
	if !n.Is(object.Dict) {
		return Fallback()
	}
	id := n.ID()
	if f := c.fonts[id]; f != nil {
		return f
	}
	f := newFont(n)
	n.File().Work(fontWork)
	if id != 0 {
		if c.size += f.size(); c.size > maxKeptBytes || c.fonts == nil {
			c.fonts, c.size = map[int]*Font{}, f.size()
		}
		c.fonts[id] = f
	}
	return f
}

// fontWork is the work of making a font, besides reading its objects.
const fontWork = 100

// size is about how many bytes f takes.
func (f *Font) size() int {
	n := 8<<10 + 16*len(f.widths) + 24*len(f.cids) + 64*len(f.names)
	for _, c := range []*cmap{f.toUnicode, f.codes} {
		if c != nil {
			n += cap(c.pool) + 16*cap(c.texts) + 12*cap(c.cids)
		}
	}
	return n
}

// loadCMap reads the CMap that a stream holds; nil when it is empty. Fonts may share a stream, and each pays for it.
func loadCMap(n object.Node) *cmap {
	data, _ := n.Data(maxFontBytes)
	if len(data) == 0 {
		return nil
	}
	n.File().Parsed(len(data))
	return parseCMap(data)
}

func newFont(n object.Node) *Font {
	f := Fallback()
	tu := n.Key("ToUnicode")
	switch tu.Kind() {
	case object.Name: // "Identity-H": the codes are Unicode, which some writers mean and say so
		f.utf16 = strings.HasPrefix(tu.Name(), "Identity")
	case object.Stream:
		if f.toUnicode = loadCMap(tu); f.toUnicode != nil && len(f.toUnicode.texts) == 0 {
			f.toUnicode = nil
		}
	}
	f.style = styleOf(n)
	if n.Key("Subtype").Name() == "Type0" {
		f.readComposite(n)
	} else {
		f.readSimple(n)
	}
	return f
}

// readComposite reads a Type 0 font (9.7).
func (f *Font) readComposite(n object.Node) {
	f.composite = true
	switch enc := n.Key("Encoding"); enc.Kind() {
	case object.Name:
		name := enc.Name()
		f.vertical = strings.HasSuffix(name, "-V") || name == "V"
		f.utf16 = f.utf16 || strings.Contains(name, "UCS2") || strings.Contains(name, "UTF16")
		if !strings.HasPrefix(name, "Identity") && !f.utf16 {
			f.codes, f.charset = predefined(name), charsetOf(name)
		}
	case object.Stream:
		f.vertical = enc.Key("WMode").Int() == 1
		f.codes = loadCMap(enc)
	}
	cid := n.Key("DescendantFonts").Index(0)
	f.japan1 = cid.Key("CIDSystemInfo").Key("Ordering").Raw() == "Japan1"
	f.width = 1000
	if dw := cid.Key("DW"); !dw.Null() {
		f.width = dw.Num()
	}
	f.readCIDWidths(cid.Key("W"))
}

// readCIDWidths reads "c [w …]" and "first last w" (9.7.4.3).
func (f *Font) readCIDWidths(w object.Node) {
	for i := 0; i+1 < w.Len() && len(f.cids) < maxRanges; {
		lo, next := w.Index(i).Int(), w.Index(i+1)
		if next.Kind() != object.Array {
			f.cids = append(f.cids, widthRange{lo, next.Int(), w.Index(i + 2).Num()})
			i += 3
			continue
		}
		for j := range min(next.Len(), maxRanges-len(f.cids)) {
			f.cids = append(f.cids, widthRange{lo + j, lo + j, next.Index(j).Num()})
		}
		i += 2
	}
	slices.SortStableFunc(f.cids, func(a, b widthRange) int { return cmp.Compare(a.lo, b.lo) })
}

// readSimple reads a Type 1, TrueType or Type 3 font (9.6).
func (f *Font) readSimple(n object.Node) {
	subtype, name := n.Key("Subtype").Name(), n.Key("BaseFont").Name()
	if _, tail, ok := strings.Cut(name, "+"); ok {
		name = tail
	}
	f.readEncoding(n, subtype, name)
	f.first = n.Key("FirstChar").Int()
	w := n.Key("Widths")
	for i := range min(w.Len(), 256) {
		f.widths = append(f.widths, w.Index(i).Num())
	}
	f.width = n.Key("FontDescriptor").Key("MissingWidth").Num()
	if len(f.widths) == 0 {
		f.standardWidths(name)
	}
	if subtype == "Type3" {
		if m := n.Key("FontMatrix").Index(0).Num(); m != 0 {
			f.scale = math.Abs(m)
		}
	}
}

func (f *Font) readEncoding(n object.Node, subtype, name string) {
	enc := n.Key("Encoding")
	base := enc.Name()
	if enc.Kind() == object.Dict {
		base = enc.Key("BaseEncoding").Name()
	}
	switch {
	case base == "WinAnsiEncoding":
		f.base = encWinAnsi
	case base == "MacRomanEncoding":
		f.base = encMacRoman
	case base == "StandardEncoding":
	case name == "Symbol" || strings.HasPrefix(name, "Symbol,"):
		f.base = encSymbol
	case strings.HasPrefix(name, "ZapfDingbats"):
		f.base = encDingbats
	case subtype == "TrueType":
		f.base = encWinAnsi // the program's own encoding; nearly always this
	default:
		f.descriptor, f.builtinWas = n.Key("FontDescriptor"), false
	}
	f.differences(enc.Key("Differences"))
}

// differences reads the Differences of an encoding (9.6.6.1).
func (f *Font) differences(diff object.Node) {
	if diff.Len() == 0 {
		return
	}
	if f.names == nil {
		f.names = make(map[byte]string, diff.Len())
	}
	at := 0
	for i := range min(diff.Len(), 1024) {
		switch v := diff.Index(i); v.Kind() {
		case object.Number:
			at = v.Int()
		case object.Name:
			if at >= 0 && at < 256 {
				f.names[byte(at)] = v.Name()
			}
			at++
		}
	}
}

// builtinNames reads the encoding of an embedded Type 1 program from its clear text: "dup 65 /A put" (Adobe Type 1 Font Format, 2.2).
func builtinNames(descriptor object.Node) map[byte]string {
	const clear = 64 << 10 // where the clear text of a program ends at the latest
	data, _ := descriptor.Key("FontFile").Data(clear)
	if len(data) == 0 {
		return nil
	}
	names := map[byte]string{}
	l := object.Lexer{B: data}
	for t := l.Next(); t.Kind != object.TokEOF && !t.Is("eexec"); t = l.Next() {
		if !t.Is("dup") {
			continue
		}
		c, name := l.Next(), l.Next()
		if c.Kind == object.TokNumber && name.Kind == object.TokName && c.Num >= 0 && c.Num < 256 && l.Next().Is("put") {
			names[byte(c.Num)] = string(name.S)
		}
	}
	return names
}

// Next cuts the first code off s, which is not empty: its value and how many bytes it has.
func (f *Font) Next(s []byte) (v uint32, n int) {
	switch {
	case !f.composite:
		return uint32(s[0]), 1
	case f.codes != nil:
		return f.codes.next(s)
	case f.utf16 && len(s) >= 4 && s[0]&0xfc == 0xd8:
		return code(s[:4]), 4
	case f.toUnicode != nil && len(f.toUnicode.spaces) > 0 && !f.twoBytes():
		return f.toUnicode.next(s)
	}
	n = min(2, len(s))
	return code(s[:n]), n
}

// twoBytes reports whether the ToUnicode map has codes of two bytes; if not, the font is taken at its word.
func (f *Font) twoBytes() bool {
	for _, sp := range f.toUnicode.spaces {
		if sp.n == 2 {
			return true
		}
	}
	return false
}

// AppendText appends the text of a code of n bytes; ok is false if nothing says what it stands for.
func (f *Font) AppendText(dst []byte, v uint32, n int) (out []byte, ok bool) {
	if !f.composite {
		c := byte(v)
		if !f.known[c] {
			f.known[c], f.texts[c] = true, f.simpleText(c)
		}
		return append(dst, f.texts[c]...), f.texts[c] != ""
	}
	if f.toUnicode != nil {
		if out, ok = f.toUnicode.appendText(dst, v); ok {
			return out, true
		}
	}
	if f.utf16 {
		r := rune(v)
		if v > 0xffff {
			r = utf16.DecodeRune(rune(v>>16), rune(v&0xffff))
		}
		return utf8.AppendRune(dst, r), true
	}
	if f.charset == charsetNone && !f.japan1 {
		return dst, false
	}
	text, known := f.composed[v]
	if !known {
		text = f.tableText(v, n)
		if f.composed == nil {
			f.composed = map[uint32]string{}
		}
		if len(f.composed) < maxNames {
			f.composed[v] = text
		}
	}
	return append(dst, text...), text != ""
}

// tableText is the text of a code by the tables of its character set or collection, "" if it is not there.
func (f *Font) tableText(v uint32, n int) string {
	if f.charset != charsetNone {
		b, _ := f.charset.appendText(nil, v, n)
		return string(b)
	}
	b, _ := appendJapan1(nil, f.cid(v))
	return string(b)
}

// cid is the character identifier of a code of a composite font.
func (f *Font) cid(v uint32) uint32 {
	if f.codes == nil {
		return v
	}
	c, _ := f.codes.lookupCID(v)
	return c
}

// simpleText is the text of a code of a simple font.
func (f *Font) simpleText(c byte) string {
	if f.toUnicode != nil {
		if text, ok := f.toUnicode.appendText(nil, uint32(c)); ok {
			return string(text)
		}
	}
	if name, ok := f.names[c]; ok {
		return glyphText(name)
	}
	if !f.builtinWas {
		f.builtinWas, f.builtin = true, builtinNames(f.descriptor)
	}
	if name, ok := f.builtin[c]; ok {
		return glyphText(name)
	}
	if r := f.base.rune(c); r != 0 {
		return string(r)
	}
	return ""
}

// Advance returns the width of a code in text space units of a font of size 1.
func (f *Font) Advance(v uint32) float64 {
	if !f.composite {
		if i := int(v) - f.first; i >= 0 && i < len(f.widths) {
			return f.widths[i] * f.scale
		}
		return f.width * f.scale
	}
	if f.charset != charsetNone { // the identifiers are not known, only that these are half as wide
		if v < 0x100 {
			return 500 * f.scale
		}
		return f.width * f.scale
	}
	cid := int(f.cid(v))
	i, _ := slices.BinarySearchFunc(f.cids, cid, func(r widthRange, cid int) int {
		if r.lo <= cid {
			return -1
		}
		return 1
	})
	if i > 0 && cid <= f.cids[i-1].hi {
		return f.cids[i-1].w * f.scale
	}
	return f.width * f.scale
}

// predefined returns the code spaces of a predefined CMap (9.7.5.2) that is not Identity or Unicode.
func predefined(name string) *cmap {
	one := func(lo, hi uint32) codeSpace { return codeSpace{1, lo, hi} }
	two := codeSpace{2, 0x8140, 0xfefe}
	switch {
	case name == "H" || name == "V" || strings.HasPrefix(name, "Ext") || strings.HasPrefix(name, "Add"):
		return nil // two bytes
	case strings.Contains(name, "RKSJ"):
		return &cmap{spaces: []codeSpace{one(0x00, 0x80), one(0xa0, 0xdf), {2, 0x8140, 0x9ffc}, {2, 0xe040, 0xfcfc}}}
	case strings.HasPrefix(name, "EUC-"):
		return &cmap{spaces: []codeSpace{one(0x00, 0x80), {2, 0x8ea0, 0x8edf}, {2, 0xa1a1, 0xfefe}}}
	case strings.Contains(name, "EUC"), strings.Contains(name, "GBK"), strings.Contains(name, "B5"), strings.Contains(name, "UHC"):
		return &cmap{spaces: []codeSpace{one(0x00, 0x80), two}}
	}
	return nil
}

// maxNames bounds how many codes of one font are remembered with their texts.
const maxNames = 1 << 14

// Vertical reports whether f is written downward.
func (f *Font) Vertical() bool { return f.vertical }
