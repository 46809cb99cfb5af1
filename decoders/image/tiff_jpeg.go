package image

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// maxTables bounds the shared JPEG tables of a page.
const maxTables = 64 << 10

// adobeCMYK is an APP14 segment that says: four components as they are. Without one the library refuses them.
const adobeCMYK = "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"

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
	if d.photometric == photoCMYK {
		stream = append(stream, adobeCMYK...)
	}
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

// jpegStream decodes a JPEG that holds s.
func (d *tiffDecoder) jpegStream(stream []byte, s segment, b *budget) error {
	f, err := openJPEG(bytes.NewReader(stream))
	if err != nil {
		d.missing = true
		return nil
	}
	h := f.(*jpegFile)
	if feature := h.unsupported(); feature != "" {
		return pdk.Unsupported("tiff with " + feature)
	}
	if err := d.fits(&h.header, s, b); err != nil {
		return err
	}
	if err := b.size(h.width, h.height, h.bytesPerPixel()+d.samples); err != nil {
		return err
	}
	img, err := jpeg.Decode(&jpegReader{Reader: bytes.NewReader(stream)})
	if err != nil {
		if e, ok := asFailure(jpegFailure(err)); ok && e.Code == readapi.CodeUnsupportedFeature {
			return e
		}
		d.missing = true
		return nil
	}
	return d.place(img, s)
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

// place copies the samples of a decoded strip or tile.
func (d *tiffDecoder) place(img image.Image, s segment) error {
	w, h := min(img.Bounds().Dx(), int(d.width-s.x)), min(img.Bounds().Dy(), int(s.h))
	d.missing = d.missing || int64(w) < min(s.w, d.width-s.x) || int64(h) < s.h
	n := int(d.samples)
	for y := range h {
		out := d.pix[((int(s.y)+y)*int(d.width)+int(s.x))*n:]
		d.some = true
		switch m := img.(type) {
		case *image.Gray:
			for x, v := range m.Pix[y*m.Stride:][:w] {
				out[x*n+int(s.plane)] = v
			}
		case *image.YCbCr:
			if n < 3 || d.planar {
				return pdk.Malformed("components that the page does not have")
			}
			for x := range w {
				c := m.COffset(x, y)
				out[x*n], out[x*n+1], out[x*n+2] = m.Y[y*m.YStride+x], m.Cb[c], m.Cr[c]
			}
		case *image.RGBA: // marked as colours that are not to be converted: the samples as they are
			if n < 3 || d.planar {
				return pdk.Malformed("components that the page does not have")
			}
			for x := range w {
				copy(out[x*n:x*n+3], m.Pix[y*m.Stride+4*x:])
			}
		case *image.CMYK:
			if n < 4 || d.planar {
				return pdk.Malformed("components that the page does not have")
			}
			for x := range w {
				for c, v := range m.Pix[y*m.Stride+4*x:][:4] {
					out[x*n+c] = 255 - v // the library inverts, as Adobe does; a TIFF does not
				}
			}
		default:
			return pdk.Unsupported("tiff with jpeg in colours of its own")
		}
	}
	return nil
}
