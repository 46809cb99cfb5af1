package cjk

import "unicode/utf8"

// Characters says which characters the identifiers of a collection are.
type Characters struct {
	runes []rune // by identifier; 0 for none, negative: -1-i is strings[i]
	texts []string
}

// LoadCharacters returns the characters of a collection, as in "Adobe-Japan1"; nil if it is not known.
func LoadCharacters(collection string) *Characters {
	e, ok := find(collection)
	if !ok || e.Name != e.Collection {
		return nil
	}
	r := e.unpack()
	c := &Characters{}
	if m := load(e.Use, maxUse); m != nil { // most are what the Unicode CMap takes to them
		c.invert(m)
	}
	starts := &reader{s: r.text()}
	lengths := &reader{s: r.text()}
	char := &reader{s: r.text()}
	cid, at := 0, rune(0)
	for starts.s != "" {
		cid += int(starts.number())
		at += rune(char.signed())
		for range int(lengths.number()) + 1 {
			c.set(cid, at)
			cid++
			if at > 0 { // a run of nothing stays nothing
				at++
			}
		}
	}
	cid = 0
	for r.s != "" {
		cid += int(r.number())
		c.texts = append(c.texts, r.text())
		c.set(cid, rune(-len(c.texts)))
	}
	return c
}

// invert takes the first code for each identifier.
func (c *Characters) invert(m *CMap) {
	m.Unicode = UTF16
	for _, r := range m.Ranges {
		for v := r.Lo; v <= r.Hi; v++ {
			if cid := int(r.CID + v - r.Lo); cid < None && c.rune(cid) == 0 {
				c.set(cid, m.Rune(v))
			}
		}
	}
}

// maxCID bounds identifiers (ISO 32000-1, annex C).
const maxCID = 65535

func (c *Characters) set(cid int, r rune) {
	if cid > maxCID {
		return
	}
	for cid >= len(c.runes) {
		c.runes = append(c.runes, make([]rune, 1024)...)
	}
	c.runes[cid] = r
}

func (c *Characters) rune(cid int) rune {
	if cid >= len(c.runes) {
		return 0
	}
	return c.runes[cid]
}

// Append appends the text of an identifier; ok is false if it has none.
func (c *Characters) Append(dst []byte, cid uint32) (out []byte, ok bool) {
	if cid > maxCID {
		return dst, false
	}
	switch r := c.rune(int(cid)); {
	case r > 0:
		return utf8.AppendRune(dst, r), true
	case r < 0 && int(-1-r) < len(c.texts):
		return append(dst, c.texts[-1-r]...), true
	}
	return dst, false
}
