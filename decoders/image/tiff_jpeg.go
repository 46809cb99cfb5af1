package image

import (
	"bytes"
	"encoding/binary"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// maxTables bounds the shared JPEG tables of a page.
const maxTables = 64 << 10

const (
	jpegBegin = "\xff\xd8"
	jpegEnd   = "\xff\xd9"
)

// jpegSegment decodes a strip or tile that is a JPEG without its tables (TIFF technical note 2). What its components mean the page says,
// not the JPEG. An error ends the page: a variant that is not decoded, or a size that is not the page's.
func (d *tiffDecoder) jpegSegment(s segment, b *budget) error {
	data := d.whole(s)
	if len(data) < 4 || string(data[:2]) != jpegBegin {
		d.missing = true
		return nil
	}
	stream := []byte(jpegBegin)
	if t := d.f.dir.data(d.tables, maxTables); len(t) > 4 && string(t[:2]) == jpegBegin {
		stream = append(stream, bytes.TrimSuffix(t[2:], []byte(jpegEnd))...)
	}
	return d.jpegStream(append(stream, data[2:]...), s, b)
}

// oldJPEGSegment decodes a strip or tile in the way of TIFF 6.0, section 22, that was given up: in it a JPEG is whole, or it is coded data
// alone and the page's tags say where the tables are, or it lies somewhere else.
func (d *tiffDecoder) oldJPEGSegment(s segment, b *budget) error {
	if d.planar {
		return pdk.Unsupported("tiff with old-style jpeg in planes")
	}
	data := d.whole(s)
	if len(data) > 2 && string(data[:2]) == jpegBegin {
		return d.jpegStream(data, s, b)
	}
	if head := d.oldTables(s); head != nil {
		if len(data) > 4 && data[0] == 0xff && data[1] == 0xda { // a scan header of its own
			data = data[min(len(data), 2+int(binary.BigEndian.Uint16(data[2:]))):]
		}
		return d.jpegStream(append(append(head, data...), jpegEnd...), s, b)
	}
	if d.some { // the whole page came with the first strip
		return nil
	}
	at := segment{span: d.interchange, w: d.width, h: d.height}
	if at.n == 0 {
		at.n = d.f.in.Size() - at.off
	}
	if stream := d.whole(at); len(stream) > 2 && string(stream[:2]) == jpegBegin {
		return d.jpegStream(stream, at, b)
	}
	return pdk.Unsupported("tiff with old-style jpeg whose tables are not there")
}

// oldTables makes the header of a JPEG for s out of what the tags 519 to 521 point at; nil when they do not.
func (d *tiffDecoder) oldTables(s segment) []byte {
	n := d.samples
	q, dc, ac := d.f.dir.uints(d.quantTables, n), d.f.dir.uints(d.dcTables, n), d.f.dir.uints(d.acTables, n)
	if n != 1 && n != 3 || int64(len(q)) != n || int64(len(dc)) != n || int64(len(ac)) != n {
		return nil
	}
	out := []byte(jpegBegin)
	add := func(marker byte, data []byte) {
		out = binary.BigEndian.AppendUint16(append(out, 0xff, marker), uint16(2+len(data)))
		out = append(out, data...)
	}
	for i := range q {
		table := readUpTo(d.f.in, int64(min(q[i], 1<<62)), 64)
		if len(table) != 64 {
			return nil
		}
		add(0xdb, append([]byte{byte(i)}, table...))
		for class, at := range [2]uint64{dc[i], ac[i]} {
			codes := huffmanTable(d.f.in, at)
			if codes == nil {
				return nil
			}
			add(0xc4, append([]byte{byte(class<<4 | i)}, codes...))
		}
	}
	if d.restart > 0 {
		add(0xdd, binary.BigEndian.AppendUint16(nil, uint16(d.restart)))
	}
	frame := binary.BigEndian.AppendUint16([]byte{8}, uint16(s.h))
	frame = append(binary.BigEndian.AppendUint16(frame, uint16(s.w)), byte(n))
	scan := []byte{byte(n)}
	for i := range byte(n) {
		sampling := byte(0x11)
		if i == 0 && n == 3 && d.photometric == photoYCbCr {
			sampling = byte(d.subsampleX<<4 | d.subsampleY)
		}
		frame = append(frame, i+1, sampling, i)
		scan = append(scan, i+1, i<<4|i)
	}
	add(0xc1, frame) // extended: a baseline frame has two tables of a class at most
	add(0xda, append(scan, 0, 63, 0))
	return out
}

// huffmanTable reads a table as a DHT segment has it: how many codes of each length, then their values.
func huffmanTable(in readapi.Input, off uint64) []byte {
	at := int64(min(off, 1<<62))
	counts := readUpTo(in, at, 16)
	total := int64(0)
	for _, c := range counts {
		total += int64(c)
	}
	if out := readUpTo(in, at, 16+total); total <= 256 && int64(len(out)) == 16+total {
		return out
	}
	return nil
}

// jpegStream decodes a JPEG that holds s, and copies its samples.
func (d *tiffDecoder) jpegStream(stream []byte, s segment, b *budget) error {
	m, err := openJPEGSamples(bytes.NewReader(stream))
	if err != nil {
		d.missing = true
		return nil
	}
	h := m.head()
	if err := d.fits(h, s, b); err != nil {
		return err
	}
	n := int(d.samples)
	if c := m.components(); c > 1 && (c > n || d.planar) {
		return pdk.Malformed("components that the page does not have")
	}
	w, rows := int(min(h.width, d.width-s.x)), int(min(h.height, s.h))
	d.missing = d.missing || int64(w) < min(s.w, d.width-s.x) || int64(rows) < s.h
	lack, err := m.samples(b, rows, func(y int, row []byte) {
		c := len(row) / int(h.width)
		out := d.pix[((int(s.y)+y)*int(d.width)+int(s.x))*n:]
		for x := range w {
			copy(out[x*n+int(s.plane):][:c], row[x*c:])
		}
	})
	if e, ok := asFailure(err); ok && e.Code == readapi.CodeUnsupportedFeature {
		return pdk.Unsupported("tiff with " + e.Detail)
	}
	d.some = d.some || err == nil
	d.missing = d.missing || err != nil || lack != ""
	return nil
}

// fits agrees to a picture that is a strip or tile: it is no larger than that, and what of it lies beyond the page is counted.
func (d *tiffDecoder) fits(h *header, s segment, b *budget) error {
	if h.width > s.w || h.height > max(s.h, d.tileH) {
		return pdk.Malformed("a strip or tile larger than the page says")
	}
	if shown := min(h.width, d.width-s.x) * min(h.height, s.h); b.spend(h.width*h.height-shown, 1) != nil {
		return pdk.Malformed("tiles that are mostly beyond the page")
	}
	return nil
}
