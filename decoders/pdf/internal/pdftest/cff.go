package pdftest

import (
	"fmt"
	"strings"
)

// CFF is a Compact Font Format program without shapes.
type CFF struct {
	Names    []string // of the glyphs from 1 on, none of them a standard string
	SIDs     []int    // or their standard strings
	Codes    []byte   // of the glyphs from 1 on: an encoding of its own, format 0
	CIDs     []int    // or: a program with identifiers, in ranges where they allow it
	Ordering string   // of the collection of CIDs
	Ranges   bool     // charset format 2, else 0
}

// cffIndex writes an INDEX.
func cffIndex(items ...[]byte) []byte {
	out := be(uint16(len(items)))
	if len(items) == 0 {
		return out
	}
	out = append(out, 2)
	at := uint16(1)
	out = append(out, be(at)...)
	for _, it := range items {
		at += uint16(len(it))
		out = append(out, be(at)...)
	}
	for _, it := range items {
		out = append(out, it...)
	}
	return out
}

// cffNumber is an operand of five bytes, so that offsets do not change how long they are.
func cffNumber(v int) []byte { return append([]byte{29}, be(int32(v))...) }

const standardStrings = 391

// Bytes returns the program.
func (c CFF) Bytes() []byte {
	var strs [][]byte
	sids := append([]int(nil), c.SIDs...)
	for i, name := range c.Names {
		strs = append(strs, []byte(name))
		sids = append(sids, standardStrings+i)
	}
	if c.CIDs != nil {
		sids = c.CIDs
		strs = [][]byte{[]byte("Adobe"), []byte(c.Ordering)}
	}
	head := append([]byte{1, 0, 4, 2}, cffIndex([]byte("Test"))...)
	top := func(charset, encoding, shapes int) []byte {
		var d []byte
		if c.CIDs != nil {
			d = append(append(append(cffNumber(standardStrings), cffNumber(standardStrings+1)...), cffNumber(0)...), 12, 30)
		}
		d = append(d, 30, 0x1a, 0x5f, 12, 7) // a real number, 1.5, for an operator that nobody here needs
		d = append(append(d, cffNumber(charset)...), 15)
		if c.Codes != nil {
			d = append(append(d, cffNumber(encoding)...), 16)
		}
		return append(append(d, cffNumber(shapes)...), 17)
	}
	rest := append(cffIndex(strs...), cffIndex()...)
	charset := []byte{0}
	if c.Ranges {
		charset[0] = 2
	}
	for _, sid := range sids {
		charset = append(charset, be(uint16(sid))...)
		if c.Ranges {
			charset = append(charset, 0, 0)
		}
	}
	var encoding []byte
	if c.Codes != nil {
		encoding = append([]byte{0, byte(len(c.Codes))}, c.Codes...)
	}
	shapes := make([][]byte, len(sids)+1)
	for i := range shapes {
		shapes[i] = []byte{14}
	}
	at := len(head) + len(cffIndex(top(0, 0, 0))) + len(rest)
	out := append(head, cffIndex(top(at, at+len(charset), at+len(charset)+len(encoding)))...)
	out = append(append(append(out, rest...), charset...), encoding...)
	return append(out, cffIndex(shapes...)...)
}

// Type1 is the clear text of a Type 1 program with an encoding, which is PostScript.
func Type1(encoding string) []byte {
	return []byte("%!PS-AdobeFont-1.0: Test\n/FontName /Test def\n/Encoding " + encoding + "\ncurrentfile eexec\n" + strings.Repeat("\x93\xfe", 40))
}

// Program adds a font descriptor with an embedded program and returns its number; key is FontFile, FontFile2 or FontFile3.
func (w *Writer) Program(key string, flags int, program []byte) int {
	return w.Add("<</Type/FontDescriptor/FontName/Test/Flags %d/%s %d 0 R>>", flags, key, w.Flate("", string(program)))
}

// Shown is a file with one page that shows each string of codes, in hexadecimal, in a line of its own, in the font with the number.
func (w *Writer) Shown(font int, hex ...string) []byte {
	c := "BT /F1 12 Tf 14 TL 72 700 Td"
	for _, h := range hex {
		c += " <" + h + "> Tj T*"
	}
	w.Pages(fmt.Sprintf("/Font<</F1 %d 0 R>>", font), c+" ET")
	return w.Table()
}

// Composite adds a Type 0 font: an encoding, the ordering of its collection, and entries of the descendant.
func (w *Writer) Composite(encoding, ordering, more string) int {
	return w.Add("<</Type/Font/Subtype/Type0/BaseFont/Test/Encoding%s/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/Test"+
		"/CIDSystemInfo<</Registry(Adobe)/Ordering(%s)/Supplement 0>>%s>>]>>", encoding, ordering, more)
}
