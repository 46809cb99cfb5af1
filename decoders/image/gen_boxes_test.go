package image

import (
	"encoding/binary"
	"strings"
)

// box makes a box of an ISO base media file.
func boxOf(kind string, parts ...string) string {
	body := strings.Join(parts, "")
	return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))) + kind + body
}

func be16s(v ...uint16) string {
	var b []byte
	for _, x := range v {
		b = binary.BigEndian.AppendUint16(b, x)
	}
	return string(b)
}

func u32s(v ...uint32) string {
	var b []byte
	for _, x := range v {
		b = binary.BigEndian.AppendUint32(b, x)
	}
	return string(b)
}

const fullBox = "\x00\x00\x00\x00" // version and flags

func ispe(w, h uint32) string { return boxOf("ispe", fullBox, u32s(w, h)) }
func irot(quarters byte) string {
	return boxOf("irot", string(rune(quarters)))
}
func imir(axis byte) string { return boxOf("imir", string(rune(axis))) }

// metaOf is the box of a primary item 7 with these properties, behind an item 1 that has the first property only: a thumbnail, say.
func metaOf(properties ...string) string {
	ipma := fullBox + u32s(2) + be16s(1) + "\x01\x81" + be16s(7) + string(rune(len(properties)-1))
	for i := range properties[1:] {
		ipma += string(rune(i + 2))
	}
	return boxOf("meta", fullBox, boxOf("hdlr", fullBox, u32s(0), "pict", u32s(0, 0, 0), "\x00"), boxOf("pitm", fullBox, be16s(7)),
		boxOf("iprp", boxOf("ipco", properties...), boxOf("ipma", ipma)))
}

// heifOf is a HEIF file of a primary item with these properties.
func heifOf(brand string, properties ...string) string {
	return boxOf("ftyp", brand, u32s(0), "mif1", brand) + metaOf(append([]string{ispe(16, 9)}, properties...)...) + boxOf("mdat", "no pixels")
}

// filmOf is a sequence of frames pictures, as a track of w by h.
func filmOf(brand string, w, h uint16, frames uint32, before ...string) string {
	entry := boxOf("av01", strings.Repeat("\x00", 24), be16s(w, h), strings.Repeat("\x00", 50))
	track := func(handler string, table ...string) string {
		return boxOf("trak", boxOf("mdia", boxOf("hdlr", fullBox, u32s(0), handler), boxOf("minf", boxOf("stbl", table...))))
	}
	sound := track("soun", boxOf("stsz", fullBox, u32s(0, 99)))
	film := track("pict", boxOf("stsd", fullBox, u32s(1), entry), boxOf("stsz", fullBox, u32s(0, frames)))
	return boxOf("ftyp", brand, u32s(0), "msf1") + strings.Join(before, "") + boxOf("moov", boxOf("mvhd", fullBox), sound, film)
}

// jxlOf is the head of a JPEG XL of these bit fields, value and width, and some bytes of its frame.
func jxlOf(fields ...[2]int64) string {
	w := &bitWriter{}
	for _, f := range fields {
		w.bits(uint32(f[0]), uint(f[1]))
	}
	return jxlCodestream + string(w.b) + strings.Repeat("\x55", 40)
}

func jxlBoxed(boxes ...string) string {
	return jxlMagic + boxOf("ftyp", "jxl ", u32s(0), "jxl ") + strings.Join(boxes, "")
}

// cursor makes an icon of one picture a cursor.
func cursor(icon []byte, x, y uint16) []byte {
	icon[2] = 2
	binary.LittleEndian.PutUint16(icon[10:], x)
	binary.LittleEndian.PutUint16(icon[12:], y)
	return icon
}
