package font

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// program is what an embedded font program says of its glyphs. Nothing of their shapes is read.
type program struct {
	texts     glyphTexts
	codes     [256]uint16       // of a simple font: glyphs by code; 0 is none
	codeTexts map[byte]string   // of a Type 1 program: texts by code
	cids      map[uint32]uint16 // of a program with identifiers: glyphs by them; nil: they are the same
	ordering  string            // of the collection that the identifiers belong to, as in "Japan1"
	glyphs    int               // how many a TrueType program has
	work      int               // entries that were read
}

// glyphTexts are texts by glyph.
type glyphTexts struct {
	runes []rune // 0 for none, negative: -1-i is longer[i]
	extra []string
}

// set gives a glyph a text, if it has none.
func (g *glyphTexts) set(glyph uint16, text string) {
	r, n := utf8.DecodeRuneInString(text)
	switch {
	case text == "" || g.has(glyph):
	case n == len(text):
		g.setRune(glyph, r)
	default:
		g.extra = append(g.extra, text)
		g.setRune(glyph, rune(-len(g.extra)))
	}
}

// setRune gives a glyph a character, if it has no text.
func (g *glyphTexts) setRune(glyph uint16, r rune) {
	if g.has(glyph) {
		return
	}
	for int(glyph) >= len(g.runes) {
		g.runes = append(g.runes, make([]rune, 256)...)
	}
	g.runes[glyph] = r
}

func (g *glyphTexts) has(glyph uint16) bool { return int(glyph) < len(g.runes) && g.runes[glyph] != 0 }

func (g *glyphTexts) get(glyph uint16) string {
	if int(glyph) >= len(g.runes) {
		return ""
	}
	switch r := g.runes[glyph]; {
	case r > 0:
		return string(r)
	case r < 0:
		return g.extra[-1-r]
	}
	return ""
}

// codeText is the text of a code by the encoding that the program itself has.
func (p *program) codeText(c byte) string {
	if p == nil {
		return ""
	}
	if text := p.codeTexts[c]; text != "" {
		return text
	}
	if p.codes[c] == 0 {
		return ""
	}
	return p.texts.get(p.codes[c])
}

// cidText is the text of an identifier, which is the glyph's number if the program has no others.
func (p *program) cidText(cid uint32) string {
	if p == nil || cid > 0xffff {
		return ""
	}
	if p.cids != nil {
		glyph, ok := p.cids[cid]
		if !ok {
			return ""
		}
		return p.texts.get(glyph)
	}
	return p.texts.get(uint16(cid))
}

// size is about how many bytes p takes.
func (p *program) size() int {
	return 1<<10 + 4*cap(p.texts.runes) + 32*len(p.texts.extra) + 16*len(p.cids) + 32*len(p.codeTexts)
}

// loadProgram reads the font program that a descriptor holds (9.9), nil if there is none that can be read. What it is, its first bytes
// say: the keys are mixed up often enough.
func loadProgram(descriptor object.Node) *program {
	for _, key := range [...]string{"FontFile2", "FontFile3", "FontFile"} {
		n := descriptor.Key(key)
		if !n.Is(object.Stream) {
			continue
		}
		data := programData(n, key == "FontFile")
		n.File().Parsed(len(data) / 8)
		if p := parseProgram(data); p != nil {
			n.File().Work(p.work / 16)
			return p
		}
	}
	return nil
}

// programData decodes a font program: of one of Type 1 its clear text, which is the first few thousand bytes of a hundred thousand.
func programData(n object.Node, type1 bool) []byte {
	if type1 {
		for _, limit := range [...]int{shortClearText, clearText} {
			data, _ := n.Data(limit)
			if len(data) < limit || isType1(data) && (limit == clearText || bytes.Contains(data, []byte("eexec"))) {
				return data
			}
		}
	}
	data, _ := n.Data(maxFontBytes) // not what the key says
	return data
}

// parseProgram reads a font program of any kind.
func parseProgram(data []byte) *program {
	if len(data) < 4 {
		return nil
	}
	switch binary.BigEndian.Uint32(data) {
	case 0x00010000, 0x00020000, tag("true"), tag("OTTO"), tag("ttcf"):
		return parseTrueType(data)
	}
	if !isType1(data) && data[0] == 1 && data[1] <= 1 {
		return parseCFF(data)
	}
	return parseType1(data)
}

// isType1 reports whether a program is one of Type 1, in segments (PFB) or as it is.
func isType1(data []byte) bool { return data[0] == 0x80 || data[0] == '%' }

func tag(s string) uint32 { return binary.BigEndian.Uint32([]byte(s)) }

// Where the clear text of a Type 1 program ends: nearly always, and at the latest.
const (
	shortClearText = 8 << 10
	clearText      = 64 << 10
)

// parseType1 reads the encoding of a Type 1 program from its clear text: "dup 65 /A put" (Adobe Type 1 Font Format, 2.2).
func parseType1(data []byte) *program {
	p := &program{codeTexts: map[byte]string{}}
	l := object.Lexer{B: data[:min(len(data), clearText)]}
	for t := l.Next(); t.Kind != object.TokEOF && !t.Is("eexec"); t = l.Next() {
		if !t.Is("dup") {
			continue
		}
		c, name := l.Next(), l.Next()
		code := int(c.Num)
		if name.Kind == object.TokKeyword && len(name.S) > 1 && name.S[0] == '#' { // 8#101
			code, name = radix(code, name.S[1:]), l.Next()
		}
		if c.Kind == object.TokNumber && name.Kind == object.TokName && code >= 0 && code < 256 && l.Next().Is("put") {
			p.codeTexts[byte(code)] = glyphText(string(name.S))
		}
	}
	return p
}

// radix reads digits to a base, -1 if they are none.
func radix(base int, digits []byte) (v int) {
	for _, d := range digits {
		n := object.Unhex(d)
		if n < 0 || n >= base || v > 0xfff {
			return -1
		}
		v = v*base + n
	}
	return v
}
