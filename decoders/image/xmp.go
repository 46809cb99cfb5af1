package image

import (
	"bytes"
	"compress/zlib"
	"io"
)

// xmpPrefix begins an APP1 segment that holds an XMP packet (XMP specification, part 3, 1.1.3); xmpKeyword names it in a PNG (1.1.5).
const (
	xmpPrefix  = "http://ns.adobe.com/xap/1.0/\x00"
	xmpKeyword = "XML:com.adobe.xmp\x00"
)

// readXMP takes orientation and place from an XMP packet. Where an EXIF block gives an orientation, that decides.
func (h *header) readXMP(b []byte) {
	h.metadata = true
	h.gps = h.gps || bytes.Contains(b, []byte("GPSLatitude")) || bytes.Contains(b, []byte("GPSLongitude"))
	if h.oriented {
		return
	}
	if o := xmpOrientation(b); o != 0 {
		h.orientation, h.oriented = o, true
	}
}

// xmpOrientation returns the value of tiff:Orientation, which is an attribute or an element of one digit; 0 for none. It is not an XML reader:
// whoever writes the digit elsewhere has not turned the picture.
func xmpOrientation(b []byte) int {
	_, b, ok := bytes.Cut(b, []byte("tiff:Orientation"))
	if !ok {
		return 0
	}
	b = bytes.TrimLeft(b[:min(len(b), 32)], " \t\r\n=")
	if len(b) < 3 || b[1] < '1' || b[1] > '8' {
		return 0
	}
	if open, end := b[0], b[2]; open == '"' && end == '"' || open == '\'' && end == '\'' || open == '>' && end == '<' {
		return int(b[1] - '0')
	}
	return 0
}

// itxtText returns the text of an iTXt chunk behind its keyword (W3C PNG, third edition, 11.3.3.4): two bytes say whether it is compressed,
// then come a language, the keyword in it, and the text.
func itxtText(b []byte) []byte {
	if len(b) < 2 {
		return nil
	}
	packed := b[0] != 0
	_, b, _ = bytes.Cut(b[2:], []byte{0})
	_, b, _ = bytes.Cut(b, []byte{0})
	if !packed {
		return b
	}
	r, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	b, _ = io.ReadAll(io.LimitReader(r, maxPNGMetadata))
	return b
}
