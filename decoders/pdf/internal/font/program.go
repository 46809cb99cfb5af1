package font

import (
	"encoding/binary"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// program is what an embedded font program says of its glyphs. Nothing of their shapes is read.
type program struct {
	texts     glyphTexts
	codes     [256]uint16       // of a simple font: glyphs by code; 0 is none
	codeTexts map[byte]string   // of a Type 1 program: texts by code
	cids      map[uint32]uint16 // of a program with identifiers: glyphs by them; nil: they are the same
	ordering  string            // of the collection that the identifiers belong to, as in "Japan1"
	work      int               // entries that were read
}

// glyphTexts are texts by glyph.
type glyphTexts struct {
	runes []rune // 0 for none, negative: -1-i is longer[i]
	extra []string
}

func (g *glyphTexts) set(glyph uint16, text string) {
	if text == "" || g.get(glyph) != "" {
		return
	}
	for int(glyph) >= len(g.runes) {
		g.runes = append(g.runes, make([]rune, 256)...)
	}
	runes := []rune(text)
	if len(runes) == 1 {
		g.runes[glyph] = runes[0]
		return
	}
	g.extra = append(g.extra, text)
	g.runes[glyph] = rune(-len(g.extra))
}

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
		data, _ := n.Data(maxFontBytes)
		n.File().Parsed(len(data) / 8)
		if p := parseProgram(data); p != nil {
			n.File().Work(p.work / 16)
			return p
		}
	}
	return nil
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
	if data[0] == 0x80 || data[0] == '%' {
		return parseType1(data)
	}
	if data[0] == 1 && data[1] <= 1 {
		return parseCFF(data)
	}
	return parseType1(data)
}

func tag(s string) uint32 { return binary.BigEndian.Uint32([]byte(s)) }

// parseType1 reads the encoding of a Type 1 program from its clear text: "dup 65 /A put" (Adobe Type 1 Font Format, 2.2).
func parseType1(data []byte) *program {
	const clear = 64 << 10 // where the clear text of a program ends at the latest
	p := &program{codeTexts: map[byte]string{}}
	l := object.Lexer{B: data[:min(len(data), clear)]}
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
