package picture

import (
	"encoding/binary"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
)

// jpxSignature begins a file of the JPEG 2000 family (ISO/IEC 15444-1, I.5.1), jpxStream a bare codestream, which writers put there as well.
const (
	jpxSignature = "\x00\x00\x00\x0cjP  \r\n\x87\n"
	jpxStream    = "\xff\x4f\xff\x51"
)

// jpxSpace is the enumerated colour space (ISO/IEC 15444-1, table I.10; 15444-2, table M.25) that the document gives the picture in place of
// its own (7.4.9); 0 when it gives none. ok is false for one that has no number there.
func (p *Picture) jpxSpace() (space uint32, ok bool) {
	n := p.dict.Key("ColorSpace")
	if n.Null() {
		return 0, true
	}
	name := n.Name()
	if name == "" {
		name = n.Index(0).Name()
	}
	s, _, known := p.space(3)
	if !known || s.Indexed() || s.Lab() || name == "Separation" || name == "DeviceN" || name == "Pattern" {
		return 0, false
	}
	switch s.Components() {
	case 1:
		return 17, true
	case 3:
		return 16, true
	case 4:
		return 12, true
	}
	return 0, false
}

// encodeJPX passes a JPEG 2000 on: as it is, or in a file that says which colours the document gives it, and how it is turned.
func (p *Picture) encodeJPX(turn orientation) (Encoded, error) {
	data, filter, _, err := p.encoded(maxEncoded)
	if filter != "JPXDecode" {
		return Encoded{}, pdk.Malformed("a picture whose data are damaged")
	}
	out := Encoded{MediaType: "image/jp2", Bytes: data}
	if err != nil {
		out.Partial = "the data of an image are damaged"
	}
	space, _ := p.jpxSpace()
	boxed := len(data) > len(jpxSignature) && string(data[:len(jpxSignature)]) == jpxSignature
	switch {
	case !boxed && (len(data) < len(jpxStream) || string(data[:len(jpxStream)]) != jpxStream):
		return Encoded{}, pdk.Malformed("a picture that is no jpeg 2000")
	case space == 0 && turn == upright:
		return out, nil
	}
	head, stream := []byte(nil), data
	if boxed {
		head, stream = nil, nil
		jpxBoxes(data, func(kind string, body []byte) {
			switch {
			case kind == "jp2h" && head == nil:
				jpxBoxes(body, func(kind string, body []byte) {
					if kind != "colr" || space == 0 {
						head = appendBox(head, kind, body)
					}
				})
			case kind == "jp2c" && stream == nil:
				stream = body
			}
		})
	}
	if space != 0 {
		head = appendBox(head, "colr", binary.BigEndian.AppendUint32([]byte{1, 0, 0}, space))
	}
	b := append([]byte(jpxSignature), "\x00\x00\x00\x14ftypjp2 \x00\x00\x00\x00jp2 "...)
	b = appendBox(b, "jp2h", head)
	if turn != upright { // EXIF, as it is kept in such files: one entry, the orientation
		exif := []byte("JpgTiffExif->JP2MM\x00\x2a\x00\x00\x00\x08\x00\x01")
		exif = binary.BigEndian.AppendUint16(exif, tagOrientation)
		exif = append(exif, 0, 3, 0, 0, 0, 1, 0, byte(turn), 0, 0, 0, 0, 0, 0)
		b = appendBox(b, "uuid", exif)
	}
	out.Bytes = appendBox(b, "jp2c", stream)
	return out, nil
}

// appendBox adds a box; none is as large as would take a size of 64 bits.
func appendBox(b []byte, kind string, body []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(8+len(body)))
	return append(append(b, kind...), body...)
}

// jpxBoxes calls visit for each box of b; one that is larger than b ends with it.
func jpxBoxes(b []byte, visit func(kind string, body []byte)) {
	for len(b) >= 8 {
		head, n := uint64(8), uint64(binary.BigEndian.Uint32(b))
		switch {
		case n == 0: // to the end
			n = uint64(len(b))
		case n == 1 && len(b) >= 16:
			head, n = 16, binary.BigEndian.Uint64(b[8:])
		}
		if n < head {
			return
		}
		n = min(n, uint64(len(b)))
		visit(string(b[4:8]), b[head:n])
		b = b[n:]
	}
}
