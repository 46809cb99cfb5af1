package cjk

import (
	"slices"
	"strings"
	"unicode/utf16"
)

// CMap takes the codes of a font's strings to character identifiers (ISO 32000-1, 9.7.5).
type CMap struct {
	Collection string // "Adobe-Japan1"; "" if it is not known
	Vertical   bool
	Spaces     []Space // none: two bytes
	Ranges     []Range // by Lo
	NotDef     []Range // all codes of one stand for the same identifier, where nothing else is said (9.7.6.3)
	Use        *CMap   // has the codes that are not in Ranges
	Unicode    Form    // how the codes spell Unicode
}

// Space is a range of valid codes of N bytes; each byte has its own range.
type Space struct {
	N      int
	Lo, Hi uint32
}

// Range maps the codes from Lo to Hi to identifiers from CID on; to none at all if that is None.
type Range struct{ Lo, Hi, CID uint32 }

// None is the identifier of codes that a map takes out of the one that it uses.
const None = 0xffff

// Form says how the codes of a CMap are Unicode.
type Form uint8

// The forms.
const (
	NotUnicode Form = iota
	UTF16
	UTF8
	UTF32
)

// maxUse bounds how long a chain of maps that use each other may be.
const maxUse = 8

// Load returns the predefined CMap with a name, nil if there is none. Identity is none: it has no table.
func Load(name string) *CMap {
	form := NotUnicode
	for i, of := range [...]string{"UTF16", "UTF8", "UTF32"} {
		if strings.Contains(name, "-"+of+"-") {
			form = UTF16 + Form(i)
			name = strings.Replace(name, of, "UTF16", 1)
		}
	}
	if strings.Contains(name, "-UCS2-") {
		form = UTF16
	}
	m := load(name, maxUse)
	if m == nil {
		return nil
	}
	switch m.Unicode = form; form {
	case UTF8:
		m.Spaces = []Space{{1, 0, 0x7f}, {2, 0xc280, 0xdfbf}, {3, 0xe08080, 0xefbfbf}, {4, 0xf0808080, 0xf7bfbfbf}}
	case UTF32:
		m.Spaces = []Space{{4, 0, 0x10ffff}}
	}
	return m
}

func load(name string, depth int) *CMap {
	e, ok := find(name)
	if !ok || depth == 0 || e.Name == e.Collection {
		return nil
	}
	m := e.unpack().cmap()
	m.Collection = e.Collection
	if e.Use != "" {
		m.Use = load(e.Use, depth-1)
	}
	return m
}

// cmap reads a packed map: the parts of the ranges lie in columns, which pack better than rows.
func (r *reader) cmap() *CMap {
	m := &CMap{Vertical: r.byte() == 1}
	m.Spaces = make([]Space, r.count())
	for i := range m.Spaces {
		m.Spaces[i] = Space{N: int(r.number()), Lo: r.number(), Hi: r.number()}
	}
	m.Ranges = make([]Range, r.count())
	next := uint32(0)
	gaps := &reader{s: r.text()}
	lengths := &reader{s: r.text()}
	for i := range m.Ranges {
		lo := next + gaps.number()
		hi := lo + lengths.number()
		m.Ranges[i], next = Range{Lo: lo, Hi: hi}, hi+1
	}
	cid := int32(0)
	for i := range m.Ranges {
		g := &m.Ranges[i]
		cid += r.signed()
		g.CID = uint32(cid)
		cid += int32(g.Hi - g.Lo + 1)
	}
	return m
}

// Next cuts the first code off s (9.7.6.3): its value and how many bytes it has. Where no code space fits it takes as many bytes as the
// space that fits the first of them, or else as the shortest.
func (m *CMap) Next(s []byte) (v uint32, n int) {
	shortest, partial := 0, 0
	for _, sp := range m.Spaces {
		if sp.N <= len(s) && sp.contains(s[:sp.N]) {
			return Code(s[:sp.N]), sp.N
		}
		if shortest == 0 || sp.N < shortest {
			shortest = sp.N
		}
		if partial == 0 && sp.first(s[0]) {
			partial = sp.N
		}
	}
	switch {
	case partial > 0:
		n = partial
	case shortest > 0:
		n = shortest
	default:
		n = 2
	}
	n = min(n, len(s))
	return Code(s[:n]), n
}

// Code is the number that the bytes of a code make.
func Code(s []byte) (v uint32) {
	for _, b := range s {
		v = v<<8 | uint32(b)
	}
	return v
}

func (sp Space) contains(s []byte) bool {
	for i, b := range s {
		shift := 8 * (sp.N - 1 - i)
		if b < byte(sp.Lo>>shift) || b > byte(sp.Hi>>shift) {
			return false
		}
	}
	return true
}

// first reports whether a code of the space can begin with b.
func (sp Space) first(b byte) bool {
	shift := 8 * (sp.N - 1)
	return b >= byte(sp.Lo>>shift) && b <= byte(sp.Hi>>shift)
}

// CID returns the identifier of a code; ok is false if there is none, and then it is that of the glyph to show instead.
func (m *CMap) CID(v uint32) (cid uint32, ok bool) {
	if m.Unicode == UTF8 || m.Unicode == UTF32 {
		v = utf16Code(m.Rune(v))
	}
	for depth := maxUse; m != nil && depth > 0; m, depth = m.Use, depth-1 {
		for _, r := range m.NotDef {
			if v >= r.Lo && v <= r.Hi {
				cid = r.CID
			}
		}
		i, _ := slices.BinarySearchFunc(m.Ranges, v, func(r Range, v uint32) int {
			if r.Lo <= v {
				return -1
			}
			return 1
		})
		if i > 0 && v <= m.Ranges[i-1].Hi {
			r := m.Ranges[i-1]
			if r.CID == None {
				return cid, false
			}
			return r.CID + v - r.Lo, true
		}
	}
	return cid, false
}

// Rune returns the character that a code is, 0 if the map's codes are not Unicode or it is no character.
func (m *CMap) Rune(v uint32) rune {
	switch m.Unicode {
	case UTF16:
		if v > 0xffff {
			return valid(utf16.DecodeRune(rune(v>>16), rune(v&0xffff)))
		}
		return valid(rune(v))
	case UTF8:
		switch {
		case v < 0x80:
			return rune(v)
		case v < 0x10000:
			return rune(v>>8&0x1f<<6 | v&0x3f)
		case v < 0x1000000:
			return valid(rune(v>>16&0xf<<12 | v>>8&0x3f<<6 | v&0x3f))
		}
		return valid(rune(v>>24&7<<18 | v>>16&0x3f<<12 | v>>8&0x3f<<6 | v&0x3f))
	case UTF32:
		if v <= 0x10ffff {
			return valid(rune(v))
		}
	}
	return 0
}

// valid is r, or 0 if that is no character.
func valid(r rune) rune {
	if r < 0 || r > 0x10ffff || r == 0xfffd || utf16.IsSurrogate(r) {
		return 0
	}
	return r
}

// utf16Code is the code of a character in a CMap of UTF-16.
func utf16Code(r rune) uint32 {
	if r < 0x10000 {
		return uint32(r)
	}
	hi, lo := utf16.EncodeRune(r)
	return uint32(hi)<<16 | uint32(lo)
}
