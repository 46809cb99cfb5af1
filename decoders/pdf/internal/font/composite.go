package font

import (
	"cmp"
	"slices"
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/cjk"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/order"
)

// compositeFont is what a Type 0 font has of its own (ISO 32000-1, 9.7).
type compositeFont struct {
	codes      *cjk.CMap        // never nil
	own        bool             // codes is the file's, not a shared table
	identity   bool             // codes are identifiers
	unicode    bool             // a map says that codes are Unicode, all of them
	collection string           // "Adobe-Japan1"; "" for none that is known
	chars      *cjk.Characters  // of it, when they are needed
	glyphs     string           // CIDToGIDMap: two bytes for each identifier
	office     bool             // a font of the office, whose first glyphs are in the order of Macintosh: 3 is the space, and ASCII follows
	slots      *[slotCount]slot // of codes that were met

	widths  []widthRange // by lo
	heights []heightRange
	height  float64 // of everything else
}

type widthRange struct {
	lo, hi int
	w      float64
}

// heightRange is how far glyphs advance when they are written downward. Where they are drawn from then (9.7.4.3) only their shapes need.
type heightRange struct {
	lo, hi int
	w1     float64
}

// slot keeps what is known of a code, in text space.
type slot struct {
	code        uint32
	used, ok    bool
	text        string
	width, down float64
}

const (
	slotCount  = 256
	slotsBytes = slotCount * 64
	slotWork   = 8 // of looking a code up
)

// readComposite reads a Type 0 font. The code spaces of its ToUnicode map say how long codes are where the encoding does not.
func (f *Font) readComposite(n object.Node, spaces []cjk.Space) {
	c := &compositeFont{}
	f.composite = c
	file := n.File()
	cid := n.Key("DescendantFonts").Index(0)
	if cid.Null() { // not in an array
		cid = n.Key("DescendantFonts")
	}
	f.descriptor = cid.Key("FontDescriptor")
	c.readCodes(f.cache, n.Key("Encoding"), spaces)
	f.vertical = c.codes.Vertical
	c.collection = c.codes.Collection
	if c.collection == "" {
		c.collection = collectionOf(cid.Key("CIDSystemInfo"))
	}
	if tu := n.Key("ToUnicode"); tu.Is(object.Name) {
		// "Identity-H" for codes that are Unicode, or the name of a collection's own map.
		c.unicode = strings.HasPrefix(tu.Name(), "Identity")
		if collection, ok := strings.CutSuffix(tu.Name(), "-UCS2"); ok && f.cache.characters(file, collection) != nil {
			c.collection = collection
		}
	}
	if f.toUnicode != nil && f.toUnicode.identity() {
		c.unicode, f.toUnicode = true, nil
	}
	if m := cid.Key("CIDToGIDMap"); m.Is(object.Stream) {
		data, _ := m.Data(2 * 0x10000)
		c.glyphs = string(data)
	}
	c.office = cid.Key("Subtype").Name() == "CIDFontType2" && isOffice(plainName(n.Key("BaseFont").Name())) && c.glyphs == ""
	f.width = 1000
	if dw := cid.Key("DW"); dw.Is(object.Number) {
		f.width = f.sane(dw.Num(), 1000)
	}
	f.readCIDWidths(cid.Key("W"))
	f.readCIDHeights(cid.Key("DW2"), cid.Key("W2"))
}

// readCodes reads the encoding (9.7.5): a name or a stream.
func (c *compositeFont) readCodes(cache *Cache, enc object.Node, spaces []cjk.Space) {
	if enc.Is(object.Stream) {
		if m := loadCMap(enc, cache, maxUse); m != nil {
			c.codes, c.own = &m.codes, true
			if c.codes.Use == nil && len(c.codes.Ranges) == 0 { // it says which codes there are, and nothing of them
				c.identity = true
			}
			return
		}
	}
	name := enc.Name()
	if !strings.HasPrefix(name, "Identity") {
		c.codes = cache.predefined(enc.File(), name)
	}
	if c.codes == nil {
		c.identity = true
		c.codes = &cjk.CMap{Vertical: strings.HasSuffix(name, "V")}
		if !strings.HasPrefix(name, "Identity") { // whose codes have two bytes, whatever is said
			c.codes.Spaces = spaces
		}
	}
}

// collectionOf names the character collection of a font (9.7.3), "" if it is one without characters.
func collectionOf(info object.Node) string {
	ordering := info.Key("Ordering").Raw()
	if ordering == "" || ordering == "Identity" {
		return ""
	}
	return "Adobe-" + ordering
}

// isOffice reports whether a name is that of a font that came with systems and office programs of the nineties: their glyphs begin with those
// of Macintosh in their order.
func isOffice(name string) bool {
	name = strings.ReplaceAll(name, " ", "")
	for _, family := range [...]string{
		"Arial", "TimesNewRoman", "CourierNew", "Verdana", "Tahoma", "Georgia", "TrebuchetMS", "ComicSansMS", "CenturyGothic", "Garamond", "BookAntiqua",
		"BookmanOldStyle", "CenturySchoolbook", "Impact", "MicrosoftSansSerif",
	} {
		if strings.HasPrefix(name, family) {
			return true
		}
	}
	return false
}

// readCIDWidths reads "c [w …]" and "first last w" (9.7.4.3).
func (f *Font) readCIDWidths(w object.Node) {
	c := f.composite
	for i := 0; i+1 < w.Len() && len(c.widths) < maxRanges; {
		lo, next := w.Index(i).Int(), w.Index(i+1)
		if next.Kind() != object.Array {
			c.widths = append(c.widths, widthRange{lo, next.Int(), f.sane(w.Index(i+2).Num(), f.width)})
			i += 3
			continue
		}
		for j := range min(next.Len(), maxRanges-len(c.widths)) {
			c.widths = append(c.widths, widthRange{lo + j, lo + j, f.sane(next.Index(j).Num(), f.width)})
		}
		i += 2
	}
	order.By(c.widths, func(a, b widthRange) int { return cmp.Compare(a.lo, b.lo) })
}

// readCIDHeights reads DW2, "[vy w1]", and W2, "c [w1 vx vy …]" and "first last w1 vx vy" (9.7.4.3).
func (f *Font) readCIDHeights(dw, w object.Node) {
	c := f.composite
	c.height = -1000
	if v, ok := dw.Nums(2); ok {
		c.height = f.downward(v[1])
	}
	for i := 0; i+1 < w.Len() && len(c.heights) < maxRanges; {
		lo, next := w.Index(i).Int(), w.Index(i+1)
		if next.Kind() != object.Array {
			c.heights = append(c.heights, heightRange{lo, next.Int(), f.downward(w.Index(i + 2).Num())})
			i += 5
			continue
		}
		for j := 0; j+2 < next.Len() && len(c.heights) < maxRanges; j += 3 {
			at := lo + j/3
			c.heights = append(c.heights, heightRange{at, at, f.downward(next.Index(j).Num())})
		}
		i += 2
	}
	order.By(c.heights, func(a, b heightRange) int { return cmp.Compare(a.lo, b.lo) })
}

// downward is a vertical advance, or the usual one for one that leads upward, nowhere or too far.
func (f *Font) downward(w1 float64) float64 {
	if w1 >= 0 || -w1*f.scale > maxWidth {
		return -1000
	}
	return w1
}

// slot returns what is known of a code. A code is looked up once, as long as no other one takes its place.
func (f *Font) slot(v uint32) *slot {
	c := f.composite
	if c.slots == nil {
		c.slots = new([slotCount]slot)
	}
	s := &c.slots[v%slotCount]
	if s.used && s.code == v {
		return s
	}
	f.file.Work(slotWork)
	cid := v
	if !c.identity {
		cid, _ = c.codes.CID(v)
	}
	*s = slot{code: v, used: true, width: f.cidWidth(int(cid)) * f.scale}
	s.down = f.cidHeight(int(cid)) * f.scale
	s.text, s.ok = f.compositeText(v, cid)
	return s
}

func (f *Font) cidWidth(cid int) float64 {
	all := f.composite.widths
	i, _ := slices.BinarySearchFunc(all, cid, func(r widthRange, cid int) int {
		if r.lo <= cid {
			return -1
		}
		return 1
	})
	if i > 0 && cid <= all[i-1].hi {
		return all[i-1].w
	}
	return f.width
}

func (f *Font) cidHeight(cid int) float64 {
	all := f.composite.heights
	i, _ := slices.BinarySearchFunc(all, cid, func(r heightRange, cid int) int {
		if r.lo <= cid {
			return -1
		}
		return 1
	})
	if i > 0 && cid <= all[i-1].hi {
		return all[i-1].w1
	}
	return f.composite.height
}

// AdvanceDown returns how far a code of a vertical font moves, in text space units of a font of size 1: below zero, for downward.
func (f *Font) AdvanceDown(v uint32) float64 {
	if f.composite == nil {
		return -1
	}
	return f.slot(v).down
}

// compositeText is the text of a code, and of the identifier that it stands for: what the sources say in their order, the first that says
// something.
func (f *Font) compositeText(v, cid uint32) (text string, ok bool) {
	if f.toUnicode != nil && f.toUnicode.silent(v) {
		return "", true
	}
	var private string
	for _, source := range [...]func(*Font, uint32, uint32) string{byToUnicode, byCode, byCollection, byProgram, byOffice} {
		s := f.meant(normal(source(f, v, cid)))
		if says([]byte(s)) {
			return s, true
		}
		if private == "" {
			private = printable(s)
		}
	}
	return private, false
}

func byToUnicode(f *Font, v, _ uint32) string {
	if f.toUnicode == nil {
		return ""
	}
	b, _ := f.toUnicode.appendText(nil, v)
	return string(b)
}

// byCode is for codes that are Unicode. Some writers say that of all codes without meaning it: where codes are the numbers of glyphs, the
// program knows better.
func byCode(f *Font, v, cid uint32) string {
	c := f.composite
	if c.unicode {
		if c.glyphs == "" && c.identity {
			if text := byProgram(f, v, cid); says([]byte(text)) {
				return text
			}
		}
		return runeText(rune(min(v, 0x110000)))
	}
	if c.collection == "Adobe-UCS" || c.collection == "Adobe-Unicode" {
		return runeText(rune(cid))
	}
	return runeText(c.codes.Rune(v))
}

func byCollection(f *Font, _, cid uint32) string {
	c := f.composite
	if c.collection == "" || cid == 0 {
		return ""
	}
	if c.chars == nil {
		if c.chars = f.cache.characters(f.descriptor.File(), c.collection); c.chars == nil {
			c.collection = ""
			return ""
		}
	}
	b, _ := c.chars.Append(nil, cid)
	return string(b)
}

func byProgram(f *Font, _, cid uint32) string {
	c, p := f.composite, f.program()
	if p == nil {
		return ""
	}
	if p.ordering != "" && p.ordering != "Identity" && c.collection == "" {
		c.collection = "Adobe-" + p.ordering
		if text := byCollection(f, 0, cid); text != "" {
			return text
		}
	}
	if c.glyphs == "" {
		return p.cidText(cid)
	}
	if at := 2 * int(cid); at+1 < len(c.glyphs) {
		return p.texts.get(uint16(c.glyphs[at])<<8 | uint16(c.glyphs[at+1]))
	}
	return ""
}

// byOffice knows the order of glyphs in fonts whose program is not there, or keeps its order but not its cmap.
func byOffice(f *Font, _, cid uint32) string {
	const space, end, whole = 3, 258, 200
	if !f.composite.office || cid < space || cid >= end {
		return ""
	}
	if p := f.program(); p != nil && (len(p.texts.runes) > 0 || p.glyphs < whole) {
		return ""
	}
	return macGlyph(int(cid))
}
