package image

import (
	"bytes"
)

// webpSegment decodes a strip or tile that is a WebP file (compression 50001, of libtiff): colours, and alpha where the page has four samples.
func (d *tiffDecoder) webpSegment(s segment, b *budget) error {
	f, err := openWebP(bytes.NewReader(d.whole(s)))
	if err != nil {
		d.missing = true
		return nil
	}
	if err := d.fits(f.head(), s, b); err != nil {
		return err
	}
	own := *b
	own.total = 0 // these pixels are counted
	p, err := f.frame(1, &own)
	if err != nil {
		d.missing = true
		return nil
	}
	w, rows := p.size()
	line := make([]byte, 4*w)
	n := int(d.samples)
	d.missing = d.missing || int64(w) < min(s.w, d.width-s.x) || int64(rows) < s.h
	for y := range min(rows, int(s.h)) {
		if p.row(y, line) != nil {
			d.missing = true
			return nil
		}
		d.some = true
		out := d.pix[((int(s.y)+y)*int(d.width)+int(s.x))*n:]
		for x := range min(w, int(d.width-s.x)) {
			copy(out[n*x:n*x+n], line[4*x:4*x+4])
		}
	}
	return nil
}
