package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
)

// font turns the bytes of a string into codes, and codes into text and widths.
type font struct {
	composite bool // codes of several bytes
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
	descriptor node
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

// fallbackFont is for text that is shown without a font that can be read.
func fallbackFont() *font { return &font{scale: 0.001, width: 500, builtinWas: true} }

// font returns the font with a dictionary, from the cache if it has a number.
func (d *document) font(n node) *font {
	if n.kind() != pdf.Dict {
		return fallbackFont()
	}
	id := n.id
	if f := d.fonts[id]; f != nil {
		return f
	}
	f := d.newFont(n)
	d.file.budget.work(fontWork)
	if id != 0 {
		if d.fontSize += f.size(); d.fontSize > maxKeptBytes {
			clear(d.fonts)
			d.fontSize = f.size()
		}
		d.fonts[id] = f
	}
	return f
}

// fontWork is the work of making a font, besides reading its objects.
const fontWork = 100

// size is about how many bytes f takes.
func (f *font) size() int {
	n := 8<<10 + 16*len(f.widths) + 24*len(f.cids) + 64*len(f.names)
	for _, c := range []*cmap{f.toUnicode, f.codes} {
		if c != nil {
			n += cap(c.pool) + 16*cap(c.texts) + 12*cap(c.cids)
		}
	}
	return n
}

// cmap reads the CMap that a stream holds; nil when it is empty. Fonts may share a stream, and each pays for it.
func (d *document) cmap(n node) *cmap {
	data, _ := n.data(maxFontBytes)
	if len(data) == 0 {
		return nil
	}
	d.file.budget.parse(len(data))
	return parseCMap(data)
}

func (d *document) newFont(n node) *font {
	f := fallbackFont()
	tu := n.key("ToUnicode")
	switch tu.kind() {
	case pdf.Name: // "Identity-H": the codes are Unicode, which some writers mean and say so
		f.utf16 = strings.HasPrefix(tu.name(), "Identity")
	case pdf.Stream:
		if f.toUnicode = d.cmap(tu); f.toUnicode != nil && len(f.toUnicode.texts) == 0 {
			f.toUnicode = nil
		}
	}
	if n.key("Subtype").name() == "Type0" {
		f.readComposite(n)
	} else {
		f.readSimple(n)
	}
	return f
}

// readComposite reads a Type 0 font (9.7).
func (f *font) readComposite(n node) {
	f.composite = true
	switch enc := n.key("Encoding"); enc.kind() {
	case pdf.Name:
		name := enc.name()
		f.vertical = strings.HasSuffix(name, "-V") || name == "V"
		f.utf16 = f.utf16 || strings.Contains(name, "UCS2") || strings.Contains(name, "UTF16")
		if !strings.HasPrefix(name, "Identity") && !f.utf16 {
			f.codes, f.charset = predefined(name), charsetOf(name)
		}
	case pdf.Stream:
		f.vertical = enc.key("WMode").integer() == 1
		f.codes = n.d.cmap(enc)
	}
	cid := n.key("DescendantFonts").index(0)
	f.japan1 = cid.key("CIDSystemInfo").key("Ordering").raw() == "Japan1"
	f.width = 1000
	if dw := cid.key("DW"); !dw.null() {
		f.width = dw.num()
	}
	f.readCIDWidths(cid.key("W"))
}

// readCIDWidths reads "c [w …]" and "first last w" (9.7.4.3).
func (f *font) readCIDWidths(w node) {
	for i := 0; i+1 < w.len() && len(f.cids) < maxRanges; {
		lo, next := w.index(i).integer(), w.index(i+1)
		if next.kind() != pdf.Array {
			f.cids = append(f.cids, widthRange{lo, next.integer(), w.index(i + 2).num()})
			i += 3
			continue
		}
		for j := range min(next.len(), maxRanges-len(f.cids)) {
			f.cids = append(f.cids, widthRange{lo + j, lo + j, next.index(j).num()})
		}
		i += 2
	}
	slices.SortStableFunc(f.cids, func(a, b widthRange) int { return cmp.Compare(a.lo, b.lo) })
}

// readSimple reads a Type 1, TrueType or Type 3 font (9.6).
func (f *font) readSimple(n node) {
	subtype, name := n.key("Subtype").name(), n.key("BaseFont").name()
	if _, tail, ok := strings.Cut(name, "+"); ok {
		name = tail
	}
	f.readEncoding(n, subtype, name)
	f.first = n.key("FirstChar").integer()
	w := n.key("Widths")
	for i := range min(w.len(), 256) {
		f.widths = append(f.widths, w.index(i).num())
	}
	f.width = n.key("FontDescriptor").key("MissingWidth").num()
	if len(f.widths) == 0 {
		f.standardWidths(name)
	}
	if subtype == "Type3" {
		if m := n.key("FontMatrix").index(0).num(); m != 0 {
			f.scale = math.Abs(m)
		}
	}
}

func (f *font) readEncoding(n node, subtype, name string) {
	enc := n.key("Encoding")
	base := enc.name()
	if enc.kind() == pdf.Dict {
		base = enc.key("BaseEncoding").name()
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
		f.descriptor, f.builtinWas = n.key("FontDescriptor"), false
	}
	f.differences(enc.key("Differences"))
}

// differences reads the Differences of an encoding (9.6.6.1).
func (f *font) differences(diff node) {
	if diff.len() == 0 {
		return
	}
	if f.names == nil {
		f.names = make(map[byte]string, diff.len())
	}
	at := 0
	for i := range min(diff.len(), 1024) {
		switch v := diff.index(i); v.kind() {
		case pdf.Integer, pdf.Real:
			at = v.integer()
		case pdf.Name:
			if at >= 0 && at < 256 {
				f.names[byte(at)] = v.name()
			}
			at++
		}
	}
}

// builtinNames reads the encoding of an embedded Type 1 program from its clear text: "dup 65 /A put" (Adobe Type 1 Font Format, 2.2).
func builtinNames(descriptor node) map[byte]string {
	const clear = 64 << 10 // where the clear text of a program ends at the latest
	data, _ := descriptor.key("FontFile").data(clear)
	if len(data) == 0 {
		return nil
	}
	names := map[byte]string{}
	l := lexer{b: data}
	for t := l.next(); t.kind != tokEOF && !t.is("eexec"); t = l.next() {
		if !t.is("dup") {
			continue
		}
		c, name := l.next(), l.next()
		if c.kind == tokNumber && name.kind == tokName && c.num >= 0 && c.num < 256 && l.next().is("put") {
			names[byte(c.num)] = string(name.s)
		}
	}
	return names
}

// next cuts the first code off s.
func (f *font) next(s []byte) (v uint32, n int) {
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
func (f *font) twoBytes() bool {
	for _, sp := range f.toUnicode.spaces {
		if sp.n == 2 {
			return true
		}
	}
	return false
}

// appendText appends the text of a code of n bytes; ok is false if nothing says what it stands for.
func (f *font) appendText(dst []byte, v uint32, n int) (out []byte, ok bool) {
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
func (f *font) tableText(v uint32, n int) string {
	if f.charset != charsetNone {
		b, _ := f.charset.appendText(nil, v, n)
		return string(b)
	}
	b, _ := appendJapan1(nil, f.cid(v))
	return string(b)
}

// cid is the character identifier of a code of a composite font.
func (f *font) cid(v uint32) uint32 {
	if f.codes == nil {
		return v
	}
	c, _ := f.codes.lookupCID(v)
	return c
}

// simpleText is the text of a code of a simple font.
func (f *font) simpleText(c byte) string {
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

// advance returns the width of a code in text space units of a font of size 1.
func (f *font) advance(v uint32) float64 {
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
