package picture

import "github.com/glovebox-wasm/glovebox/plugins/pdk"

// jpegHead is what the segments of a JPEG before its first scan say (T.81, annex B).
type jpegHead struct {
	w, h, components int
	ids              string // of the components
	adobe            int    // transform of the Adobe segment (Adobe technical note 5116); -1: none
	tables           []byte // the segments that matter for decoding
	scan             []byte // from the first scan on
}

// Markers.
const (
	markerSOI   = 0xd8
	markerEOI   = 0xd9
	markerSOS   = 0xda
	markerDHT   = 0xc4
	markerJPG   = 0xc8
	markerDAC   = 0xcc
	markerAPP0  = 0xe0
	markerAPP14 = 0xee
	markerAPP15 = 0xef
	markerCOM   = 0xfe
)

// readJPEG reads up to the first scan; ok is false for what has none.
func readJPEG(data []byte) (h jpegHead, ok bool) {
	h.adobe = -1
	for i := 0; i+4 <= len(data); {
		if data[i] != 0xff {
			i++
			continue
		}
		m := data[i+1]
		if m == 0xff || m == 0 || m == markerSOI || m >= 0xd0 && m < markerSOI { // fill bytes and what has no length
			i++
			if m != 0xff {
				i++
			}
			continue
		}
		n := int(data[i+2])<<8 | int(data[i+3])
		end := i + 2 + n
		switch {
		case m == markerSOS:
			h.scan = data[i:]
			return h, h.components > 0
		case m == markerEOI, n < 2, end > len(data):
			return h, false
		}
		h.segment(m, data[i:end])
		i = end
	}
	return h, false
}

// segment takes a segment, its marker and length included.
func (h *jpegHead) segment(m byte, seg []byte) {
	body := seg[4:]
	switch {
	case m == markerAPP14:
		if len(body) >= 12 && string(body[:5]) == "Adobe" {
			h.adobe = int(body[11])
		}
		return
	case m >= markerAPP0 && m <= markerAPP15, m == markerCOM:
		return // a profile, an orientation, words: nothing that PDF looks at
	case m >= 0xc0 && m <= 0xcf && m != markerDHT && m != markerJPG && m != markerDAC:
		if len(body) >= 6 && len(body) >= 6+3*int(body[5]) {
			h.h, h.w, h.components = int(body[1])<<8|int(body[2]), int(body[3])<<8|int(body[4]), int(body[5])
			h.ids = ""
			for k := range h.components {
				h.ids += string(rune(body[6+3*k]))
			}
		}
	}
	h.tables = append(h.tables, seg...)
}

// transform says whether the components are luma and chroma: the Adobe segment, else the ColorTransform of the filter, else the rule of
// 7.4.8; and files that call their components R, G and B are not.
func (h *jpegHead) transform(given int) byte {
	t := h.adobe
	if t < 0 {
		t = given
	}
	if t < 0 {
		t = 0
		if h.components == 3 && h.ids != "RGB" {
			t = 1
		}
	}
	if t > 0 && h.components == 4 {
		return 2 // YCCK
	}
	return byte(min(t, 1))
}

// file is the JPEG with one Adobe segment, and nothing beside what its pixels need.
func (h *jpegHead) file(transform byte) []byte {
	b := []byte{0xff, markerSOI}
	b = append(b, "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00"...)
	b = append(b, transform)
	return append(append(b, h.tables...), h.scan...)
}

// inverted reports whether the Decode array turns light and dark around.
func (p *Picture) inverted() bool {
	d := numbers(p.dict.Key("Decode"))
	return len(d) >= 2 && d[0] > d[1]
}

// negative reports whether a JPEG of n components has its ink where a decoder of pictures puts light, or the other way round: one of four
// is taken to be inverted, as Adobe's are.
func (p *Picture) negative(n int) bool {
	switch n {
	case 1: // also of a palette, whose colours are lost
		kind := p.dict.Key("ColorSpace").Index(0).Name()
		ink := kind == "Separation" || kind == "DeviceN"
		return ink != p.inverted()
	case 4:
		return !p.inverted()
	}
	return false
}

// plainJPEG reports whether the picture is passed on as a JPEG, as far as its dictionary tells.
func (p *Picture) plainJPEG() bool {
	s, _, ok := p.space(3)
	return !ok || !p.negative(s.Components())
}

// jpeg reads the header of the JPEG that the picture is.
func (p *Picture) jpeg() (h jpegHead, transform byte, err error) {
	data, filter, parms, _ := p.encoded(maxEncoded)
	if filter != "DCTDecode" {
		return h, 0, pdk.Malformed("a picture whose data are damaged")
	}
	h, ok := readJPEG(data)
	if !ok {
		return h, 0, pdk.Malformed("a picture that is no jpeg")
	}
	return h, h.transform(number(parms, "ColorTransform", -1)), nil
}

// encodeJPEG passes a JPEG on: as it is, or in a TIFF that says how it is turned and what its components are.
func (p *Picture) encodeJPEG(turn orientation) (Encoded, error) {
	h, transform, err := p.jpeg()
	if err != nil {
		return Encoded{}, err
	}
	if turn == upright && !p.negative(h.components) {
		return Encoded{MediaType: "image/jpeg", Bytes: h.file(transform)}, nil
	}
	var j jpegStrips
	j.add(&h, transform, p.negative(h.components))
	return j.file(turn), nil
}

// jpegStrips makes a TIFF of JPEGs, one below the other: strips, all of one height but the last.
type jpegStrips struct {
	tiff
	transform byte
	negative  bool
	last      int // height of the last one
}

// take adds a picture; ok is false if it is none, or of another kind than those before it.
func (j *jpegStrips) take(p *Picture) (ok bool) {
	h, transform, err := p.jpeg()
	if err != nil {
		return false
	}
	if j.h > 0 && (h.w != j.w || h.h > j.rows || j.last != j.rows || h.components != j.samples || transform != j.transform ||
		p.negative(h.components) != j.negative) {
		return false
	}
	j.add(&h, transform, p.negative(h.components))
	return true
}

// add adds a JPEG.
func (j *jpegStrips) add(h *jpegHead, transform byte, negative bool) {
	if j.h == 0 {
		j.w, j.rows, j.bits, j.samples, j.compressed, j.photo = h.w, h.h, 8, h.components, compressJPEG, photoBlackZero
		j.transform, j.negative = transform, negative
		switch {
		case h.components == 4:
			j.photo = photoCMYK
		case h.components == 3 && transform > 0:
			j.photo = photoYCbCr
		case h.components == 3:
			j.photo = photoRGB
		case negative:
			j.photo = photoWhiteZero
		}
		j.begin()
	}
	from := len(j.b)
	j.b = append(j.b, h.file(transform)...)
	j.strip(from)
	j.h, j.last = j.h+h.h, h.h
}

// file is the whole.
func (j *jpegStrips) file(turn orientation) Encoded {
	j.turn = turn
	return Encoded{MediaType: "image/tiff", Bytes: j.end()}
}
