package font

import "encoding/binary"

// bytesAt reads big-endian numbers; what lies outside is 0.
type bytesAt []byte

func (b bytesAt) u8(at int) int {
	if at < 0 || at >= len(b) {
		return 0
	}
	return int(b[at])
}

func (b bytesAt) u16(at int) int {
	if at < 0 || at+2 > len(b) {
		return 0
	}
	return int(binary.BigEndian.Uint16(b[at:]))
}

func (b bytesAt) u32(at int) int {
	if at < 0 || at+4 > len(b) {
		return 0
	}
	return int(binary.BigEndian.Uint32(b[at:]))
}

// part is n bytes from at on, or as many as there are.
func (b bytesAt) part(at, n int) bytesAt {
	if at < 0 || at >= len(b) || n <= 0 {
		return nil
	}
	return b[at : at+min(n, len(b)-at)]
}

// parseTrueType reads a TrueType or OpenType program: which characters its cmap has the glyphs for, and the names in post or CFF. Of a
// collection it reads the first font.
func parseTrueType(data bytesAt) *program {
	start := 0
	if data.u32(0) == int(tag("ttcf")) {
		start = data.u32(12)
	}
	p := &program{}
	tables := map[string]bytesAt{}
	for i := range min(data.u16(start+4), 128) {
		entry := data.part(start+12+16*i, 16)
		if len(entry) == 16 {
			tables[string(entry[:4])] = data.part(entry.u32(8), entry.u32(12))
		}
	}
	p.glyphs = tables["maxp"].u16(4)
	private := p.readCharacters(tables["cmap"])
	p.readPost(tables["post"])
	if cff := tables["CFF "]; len(cff) > 0 {
		if c := parseCFF(cff); c != nil {
			p.cids, p.ordering = c.cids, c.ordering
			for glyph := range c.texts.runes {
				p.texts.set(uint16(glyph), c.texts.get(uint16(glyph)))
			}
		}
	}
	// What is private in Unicode is better than nothing: by the font's name it may mean something.
	p.each(private, func(code uint32, glyph uint16) {
		if isPrivate(rune(code)) {
			p.texts.setRune(glyph, rune(code))
		}
	})
	return p
}

// readCharacters reads the subtables of cmap: those of Unicode from the glyph to the character, those of Macintosh and of symbolic fonts
// from the code to the glyph (9.6.6.4). It returns the one that can have private characters.
func (p *program) readCharacters(cmap bytesAt) (private bytesAt) {
	const most = 32
	var unicode, symbol, mac bytesAt
	rank := 0
	for i := range min(cmap.u16(2), most) {
		at := 4 + 8*i
		platform, encoding, offset := cmap.u16(at), cmap.u16(at+2), cmap.u32(at+4)
		sub := cmap.part(offset, len(cmap))
		r := 0
		switch {
		case platform == 3 && encoding == 10:
			r = 4
		case platform == 3 && encoding == 1:
			r = 3
		case platform == 0 && encoding != 5: // 5 is for variation sequences
			r = 2
		case platform == 3 && encoding == 0:
			symbol = sub
		case platform == 1 && encoding == 0:
			mac = sub
		}
		if r > rank {
			unicode, rank = sub, r
		}
	}
	p.each(unicode, func(code uint32, glyph uint16) {
		if r := rune(code); r > ' ' && !isNothing(r) || r == ' ' {
			p.texts.setRune(glyph, r)
		}
	})
	p.each(symbol, func(code uint32, glyph uint16) {
		if code < 0x100 || code >= 0xf000 && code < 0xf100 {
			p.codes[code&0xff] = glyph
		}
	})
	p.each(mac, func(code uint32, glyph uint16) {
		if code < 0x100 && p.codes[code] == 0 {
			p.codes[code] = glyph
		}
	})
	if symbol != nil {
		return symbol
	}
	return unicode
}

// each calls do for the codes of a subtable of cmap in ascending order, each once.
func (p *program) each(sub bytesAt, do func(code uint32, glyph uint16)) {
	call := func(code, glyph int) {
		p.work++
		if glyph > 0 && glyph <= 0xffff {
			do(uint32(code), uint16(glyph))
		}
	}
	switch sub.u16(0) {
	case 0:
		for c := range 256 {
			call(c, sub.u8(6+c))
		}
	case 4:
		p.segments(sub, call)
	case 6:
		first := sub.u16(6)
		for i := range min(sub.u16(8), len(sub)/2) {
			call(first+i, sub.u16(10+2*i))
		}
	case 10:
		first := sub.u32(12)
		for i := range min(sub.u32(16), len(sub)/2) {
			call(first+i, sub.u16(20+2*i))
		}
	case 12:
		next := 0
		for i := range min(sub.u32(12), len(sub)/12) {
			at := 16 + 12*i
			lo, hi, glyph := sub.u32(at), min(sub.u32(at+4), 0x10ffff), sub.u32(at+8)
			if lo < next {
				continue
			}
			for c := lo; c <= hi && glyph+c-lo <= 0xffff; c++ {
				call(c, glyph+c-lo)
			}
			next = hi + 1
		}
	}
}

// segments walks a subtable of format 4. Segments that do not ascend are left out: a code has one glyph.
func (p *program) segments(sub bytesAt, call func(code, glyph int)) {
	n := min(sub.u16(6)/2, len(sub)/8)
	next := 0
	for i := range n {
		hi, lo := sub.u16(14+2*i), sub.u16(16+2*n+2*i)
		delta, at := sub.u16(16+4*n+2*i), 16+6*n+2*i
		offset := sub.u16(at)
		if lo < next || hi < lo {
			continue
		}
		for c := lo; c <= hi && c < 0xffff; c++ {
			glyph := c + delta
			if offset != 0 && offset != 0xffff {
				if glyph = sub.u16(at + offset + 2*(c-lo)); glyph != 0 {
					glyph += delta
				}
			}
			call(c, glyph&0xffff)
		}
		next = hi + 1
	}
}

// readPost gives the glyphs without a character the text of their name, of which table post has the Macintosh order of 258 and its own.
func (p *program) readPost(post bytesAt) {
	switch post.u32(0) {
	case 0x00010000:
		for glyph := range 258 {
			p.texts.set(uint16(glyph), macGlyph(glyph))
		}
	case 0x00020000:
		n := min(post.u16(32), len(post)/2)
		var names []bytesAt
		for at := 34 + 2*n; at < len(post); at += 1 + post.u8(at) {
			names = append(names, post.part(at+1, post.u8(at)))
		}
		p.work += n + len(names)
		for glyph := range n {
			switch i := post.u16(34 + 2*glyph); {
			case i < 258:
				p.texts.set(uint16(glyph), macGlyph(i))
			case i-258 < len(names):
				p.texts.set(uint16(glyph), glyphText(string(names[i-258])))
			}
		}
	case 0x00025000: // an offset for each glyph to its place in the order
		for glyph := range min(post.u16(32), len(post)) {
			p.texts.set(uint16(glyph), macGlyph(glyph+int(int8(post.u8(34+glyph)))))
		}
	}
}

// macGlyph is the text of a glyph in the Macintosh order: ASCII, MacRoman, and some more.
func macGlyph(i int) string {
	switch {
	case i >= 3 && i < 98:
		return string(rune(i - 3 + ' '))
	case i >= 98 && i < 226:
		return runeText(rune(macRoman[i-98]))
	case i >= 226 && i < 226+len(macMore):
		return string(rune(macMore[i-226]))
	}
	return ""
}

var macMore = [32]uint16{
	0x0141, 0x0142, 0x0160, 0x0161, 0x017d, 0x017e, 0x00a6, 0x00d0, 0x00f0, 0x00dd, 0x00fd, 0x00de, 0x00fe, 0x2212, 0x00d7, 0x00b9,
	0x00b2, 0x00b3, 0x00bd, 0x00bc, 0x00be, 0x20a3, 0x011e, 0x011f, 0x0130, 0x015e, 0x015f, 0x0106, 0x0107, 0x010c, 0x010d, 0x0111,
}

// runeText is r as a text, none for 0.
func runeText(r rune) string {
	if r == 0 {
		return ""
	}
	return string(r)
}
