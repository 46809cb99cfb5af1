package pdftest

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
)

// TrueType is a font program without shapes: what its tables say of codes and glyphs is all that there is.
type TrueType struct {
	Unicode  map[rune]int // cmap of platform 3, encoding 1 (format 4), or 10 (format 12) if a character needs it
	Symbol   map[int]int  // platform 3, encoding 0 (format 4)
	Mac      map[byte]int // platform 1, encoding 0 (format 0)
	MacShort map[int]int  // the same in format 6, from the lowest code to the highest
	Post     []string     // the names of all glyphs, in format 2
	PostMac  bool         // or: the names are those of the Macintosh order, format 1
	CFF      []byte       // makes it an OpenType program
	Glyphs   int
}

func be(v any) []byte {
	var b bytes.Buffer
	binary.Write(&b, binary.BigEndian, v)
	return b.Bytes()
}

// Bytes returns the program.
func (t TrueType) Bytes() []byte {
	tables := map[string][]byte{"maxp": append(be(uint32(0x5000)), be(uint16(t.Glyphs))...)}
	if cmap := t.cmap(); cmap != nil {
		tables["cmap"] = cmap
	}
	switch {
	case t.PostMac:
		tables["post"] = append(be(uint32(0x10000)), make([]byte, 28)...)
	case t.Post != nil:
		tables["post"] = t.post()
	}
	version := uint32(0x10000)
	if t.CFF != nil {
		version = 0x4f54544f // OTTO
		tables["CFF "] = t.CFF
	}
	head := append(be(version), be([4]uint16{uint16(len(tables))})...)
	var body []byte
	start := 12 + 16*len(tables)
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		head = append(append(head, name...), be([3]uint32{0, uint32(start + len(body)), uint32(len(tables[name]))})...)
		body = append(body, tables[name]...)
	}
	return append(head, body...)
}

func (t TrueType) cmap() []byte {
	type sub struct {
		platform, encoding uint16
		data               []byte
	}
	var subs []sub
	if t.Unicode != nil {
		codes := map[int]int{}
		wide := false
		for r, g := range t.Unicode {
			codes[int(r)] = g
			wide = wide || r > 0xffff
		}
		if wide {
			subs = append(subs, sub{3, 10, format12(codes)})
		} else {
			subs = append(subs, sub{3, 1, format4(codes)})
		}
	}
	if t.Symbol != nil {
		subs = append(subs, sub{3, 0, format4(t.Symbol)})
	}
	if t.Mac != nil {
		data := be([3]uint16{0, 262, 0})
		for c := range 256 {
			data = append(data, byte(t.Mac[byte(c)]))
		}
		subs = append(subs, sub{1, 0, data})
	}
	if t.MacShort != nil {
		codes := slices.Sorted(maps.Keys(t.MacShort))
		first, n := codes[0], codes[len(codes)-1]-codes[0]+1
		data := be([5]uint16{6, uint16(10 + 2*n), 0, uint16(first), uint16(n)})
		for c := range n {
			data = append(data, be(uint16(t.MacShort[first+c]))...)
		}
		subs = append(subs, sub{1, 0, data})
	}
	if subs == nil {
		return nil
	}
	head := be([2]uint16{0, uint16(len(subs))})
	var body []byte
	for _, s := range subs {
		head = append(append(head, be([2]uint16{s.platform, s.encoding})...), be(uint32(4+8*len(subs)+len(body)))...)
		body = append(body, s.data...)
	}
	return append(head, body...)
}

// format4 has a segment for each code: odd ones by delta, even ones by an offset into the array of glyphs.
func format4(codes map[int]int) []byte {
	all := slices.Sorted(maps.Keys(codes))
	n := len(all) + 1
	var ends, starts, deltas, offsets, glyphs []uint16
	for i, c := range all {
		ends, starts = append(ends, uint16(c)), append(starts, uint16(c))
		if c%2 == 1 {
			deltas, offsets = append(deltas, uint16(codes[c]-c)), append(offsets, 0)
			continue
		}
		deltas, offsets = append(deltas, 0), append(offsets, uint16(2*(n-i+len(glyphs))))
		glyphs = append(glyphs, uint16(codes[c]))
	}
	ends, starts, deltas, offsets = append(ends, 0xffff), append(starts, 0xffff), append(deltas, 1), append(offsets, 0)
	data := be([7]uint16{4, uint16(16 + 8*n + 2*len(glyphs)), 0, uint16(2 * n)})
	data = append(append(data, be(ends)...), 0, 0)
	return append(append(append(append(data, be(starts)...), be(deltas)...), be(offsets)...), be(glyphs)...)
}

func format12(codes map[int]int) []byte {
	data := be([2]uint16{12, 0})
	data = append(data, be([3]uint32{uint32(16 + 12*len(codes)), 0, uint32(len(codes))})...)
	for _, c := range slices.Sorted(maps.Keys(codes)) {
		data = append(data, be([3]uint32{uint32(c), uint32(c), uint32(codes[c])})...)
	}
	return data
}

func (t TrueType) post() []byte {
	data := append(be(uint32(0x20000)), make([]byte, 28)...)
	data = append(data, be(uint16(len(t.Post)))...)
	var names []byte
	for i, name := range t.Post {
		data = append(data, be(uint16(258+i))...)
		names = append(append(names, byte(len(name))), name...)
	}
	return append(data, names...)
}
