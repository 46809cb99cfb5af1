package font

import (
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/cjk"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// Font turns the bytes of a string into codes, and codes into text and widths.
type Font struct {
	style     Style
	vertical  bool
	scale     float64 // glyph space to text space, 1/1000 but for Type 3
	width     float64 // of what has no width of its own
	toUnicode *textMap
	simple    simpleFont
	composite *compositeFont // nil for a simple font
	pictures  baseEncoding   // of a font of symbols, by its name; else encStandard

	// The font program is read when a code is met that nothing else explains.
	descriptor object.Node
	prog       *program
	progWas    bool // read, or not to be read
	cache      *Cache
	file       *object.File // of a composite font
}

// maxFontBytes bounds a CMap or a font program that is read for its encoding.
const maxFontBytes = 4 << 20

// Fallback is for text that is shown without a font that can be read.
func Fallback() *Font { return &Font{scale: 0.001, width: 500, progWas: true} }

// Cache keeps the fonts of a document by their object numbers: never by a resource's name, which means another font on another page. It
// keeps the tables that they share, too.
type Cache struct {
	fonts       map[int]*Font
	size        int
	codes       map[string]*cjk.CMap
	collections map[string]*cjk.Characters
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
	f := newFont(n, c)
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

// maxTables is how many shared tables are kept; a document needs a few.
const maxTables = 8

// predefined returns a predefined CMap, the same one each time.
func (c *Cache) predefined(f *object.File, name string) *cjk.CMap {
	if m, ok := c.codes[name]; ok {
		return m
	}
	f.Work(tableWork)
	if c.codes == nil || len(c.codes) >= maxTables {
		c.codes = map[string]*cjk.CMap{}
	}
	c.codes[name] = predefined(name)
	return c.codes[name]
}

// characters returns the characters of a collection, the same each time.
func (c *Cache) characters(f *object.File, collection string) *cjk.Characters {
	if m, ok := c.collections[collection]; ok {
		return m
	}
	f.Work(tableWork)
	if c.collections == nil || len(c.collections) >= maxTables {
		c.collections = map[string]*cjk.Characters{}
	}
	c.collections[collection] = cjk.LoadCharacters(collection)
	return c.collections[collection]
}

// tableWork is the work of unpacking a table: about a millisecond.
const tableWork = 20_000

// size is about how many bytes f takes.
func (f *Font) size() int {
	n := 9<<10 + 16*len(f.simple.widths) + 64*len(f.simple.names)
	if f.toUnicode != nil {
		n += cap(f.toUnicode.pool) + 16*cap(f.toUnicode.ranges)
	}
	if c := f.composite; c != nil {
		n += 24*cap(c.widths) + 24*cap(c.heights) + len(c.glyphs) + slotsBytes
		if c.own && c.codes != nil {
			n += 12 * cap(c.codes.Ranges)
		}
	}
	return n
}

func newFont(n object.Node, cache *Cache) *Font {
	f := Fallback()
	f.cache, f.file = cache, n.File()
	f.style = styleOf(n)
	f.pictures = picturesOf(plainName(n.Key("BaseFont").Name()))
	f.descriptor = n.Key("FontDescriptor")
	f.progWas = false
	tu := n.Key("ToUnicode")
	var spaces []cjk.Space
	if tu.Is(object.Stream) {
		if c := loadTexts(tu); c != nil {
			f.toUnicode, spaces = &c.texts, c.codes.Spaces
		}
	}
	if n.Key("Subtype").Name() == "Type0" {
		f.readComposite(n, spaces)
	} else {
		f.readSimple(n)
	}
	if f.toUnicode != nil && f.toUnicode.useless() {
		f.toUnicode = nil
	}
	return f
}

// program returns what the embedded font program says, nil if there is none.
func (f *Font) program() *program {
	if !f.progWas {
		f.progWas = true
		if f.prog = loadProgram(f.descriptor); f.prog != nil && f.cache != nil {
			f.cache.size += f.prog.size() // counts when the next font is loaded
		}
	}
	return f.prog
}

// Next cuts the first code off s, which is not empty: its value and how many bytes it has.
func (f *Font) Next(s []byte) (v uint32, n int) {
	if f.composite == nil {
		return uint32(s[0]), 1
	}
	return f.composite.codes.Next(s)
}

// AppendText appends the text of a code of n bytes. It reports false if nothing says what the code stands for; what it appends even so is a
// character without a meaning that is agreed upon.
func (f *Font) AppendText(dst []byte, v uint32, n int) (out []byte, ok bool) {
	if f.composite == nil {
		text := f.simpleText(byte(v))
		return append(dst, text.s...), text.ok
	}
	g := f.slot(v)
	return append(dst, g.text...), g.ok
}

// Advance returns the width of a code in text space units of a font of size 1.
func (f *Font) Advance(v uint32) float64 {
	if f.composite == nil {
		if i := int(v) - f.simple.first; i >= 0 && i < len(f.simple.widths) {
			return f.simple.widths[i] * f.scale
		}
		return f.width * f.scale
	}
	return f.slot(v).width
}

// Vertical reports whether f is written downward.
func (f *Font) Vertical() bool { return f.vertical }

// maxWidth is the widest that a glyph may be, in ems; nobody draws a wider one. The em of a Type 3 font is what its maker chose: a pixel, as
// often as not.
const (
	maxWidth      = 10
	maxWidthType3 = 1e5
)

// sane is a width, or none for one that cannot be meant.
func (f *Font) sane(w, none float64) float64 {
	widest := float64(maxWidth)
	if f.simple.type3 {
		widest = maxWidthType3
	}
	if em := w * f.scale; !(em >= 0 && em <= widest) {
		return none
	}
	return w
}

// plainName is the name of a font without the tag of a subset (9.6.4).
func plainName(name string) string {
	if _, tail, ok := strings.Cut(name, "+"); ok {
		return tail
	}
	return name
}
