package image

import (
	"encoding/binary"
	"image/color"
	"io"
)

func (d *tiffDecoder) size() (int, int) { return int(d.width), int(d.height) }
func (d *tiffDecoder) opaque() bool     { return d.alphaSample < 0 }

// row gives the colours of row y.
func (d *tiffDecoder) row(y int, dst []byte) error {
	n := int(d.samples)
	src := d.pix[y*int(d.width)*n:][:int(d.width)*n]
	switch { // most pages
	case n == 1 && d.photometric <= blackIsZero:
		flip := byte(d.photometric - blackIsZero) // 255 where white is zero
		for i, v := range src {
			v ^= flip
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(v)*0x010101|0xff000000)
		}
		return nil
	case n == 3 && d.photometric == photoRGB:
		for i := 0; len(src) >= 3; i, src = i+4, src[3:] {
			binary.LittleEndian.PutUint32(dst[i:], uint32(src[0])|uint32(src[1])<<8|uint32(src[2])<<16|0xff000000)
		}
		return nil
	}
	for i := range int(d.width) {
		s, t := src[i*n:(i+1)*n], dst[4*i:4*i+4:4*i+4]
		t[3] = 0xff
		switch d.photometric {
		case whiteIsZero:
			v := 255 - s[0]
			t[0], t[1], t[2] = v, v, v
		case blackIsZero:
			t[0], t[1], t[2] = s[0], s[0], s[0]
		case photoRGB:
			t[0], t[1], t[2] = s[0], s[1], s[2]
		case photoIndex:
			copy(t, d.table[s[0]][:])
		case photoCMYK:
			t[0], t[1], t[2] = color.CMYKToRGB(s[0], s[1], s[2], s[3])
		case photoYCbCr:
			d.ycc.rgb(t, s)
		case photoLab:
			d.lab.Lab(t, s[0], int8(s[1]), int8(s[2]))
		case photoICCLab: // a and b are 128 more than they are
			d.lab.Lab(t, s[0], int8(s[1]-128), int8(s[2]-128))
		}
		if d.alphaSample >= 0 {
			t[3] = d.alpha(s)
		}
	}
	if d.alphaSample >= 0 && d.associated() {
		copyRGBA(dst, dst)
	}
	return nil
}

// alpha is the alpha of a pixel; beside indices, which are kept as they are, it is not of eight bits yet.
func (d *tiffDecoder) alpha(s []byte) byte {
	v := s[d.alphaSample]
	if d.photometric == photoIndex && d.bits[0] < 8 {
		return byte(int(v) * 255 / (1<<d.bits[0] - 1))
	}
	return v
}

// associated reports whether the colours are multiplied by alpha.
func (d *tiffDecoder) associated() bool {
	i := d.alphaSample - int(d.colorSamples())
	return i < len(d.extra) && d.extra[i] == 1 && d.photometric != photoIndex
}

// inks is there for pages of four inks; see toSRGB.
func (d *tiffDecoder) inks(y int, dst []byte) (alpha []byte, err error) {
	n := int(d.samples)
	src := d.pix[y*int(d.width)*n:][:int(d.width)*n]
	if d.alphaSample >= 0 {
		alpha = make([]byte, d.width)
	}
	for i := range int(d.width) {
		copy(dst[4*i:4*i+4], src[i*n:])
		if alpha != nil {
			alpha[i] = src[i*n+d.alphaSample]
		}
	}
	return alpha, nil
}

// yccTables turn luma and colour differences into red, green and blue (TIFF 6.0, section 21), in sixteen bits behind the point.
type yccTables struct {
	luma               [256]int
	crR, crG, cbG, cbB [256]int
}

// newYCC makes the tables of a page by its coefficients and its black and white. Those of a JPEG are of JFIF, whatever the page says: that
// is what its writers mean.
func newYCC(dir *ifdReader, p *tiffPage) *yccTables {
	const one = 1 << 16
	red, green, blue := int64(19595), int64(38470), int64(7471) // 0.299, 0.587, 0.114
	low, high := [3]int64{0, 128 * one, 128 * one}, [3]int64{255 * one, 255 * one, 255 * one}
	if p.compression != tiffJPEG {
		if v := dir.rationals(p.coefficients, 3); len(v) == 3 && v[0] > 0 && v[1] > 0 && v[2] > 0 && v[0] < one && v[2] < one {
			red, green, blue = v[0], v[1], v[2]
		}
		if v := dir.rationals(p.blackWhite, 6); len(v) == 6 && v[1] > v[0] && v[3] > v[2] && v[5] > v[4] && v[1] < one<<9 && v[3] < one<<9 && v[5] < one<<9 {
			low, high = [3]int64{v[0], v[2], v[4]}, [3]int64{v[1], v[3], v[5]}
		}
	}
	t := new(yccTables)
	rounded := func(a, b int64) int64 { // a / b to the nearest
		if (a < 0) != (b < 0) {
			return (a - b/2) / b
		}
		return (a + b/2) / b
	}
	for v := range int64(256) {
		t.luma[v] = int(rounded((v*one-low[0])*255, max(1, (high[0]-low[0])/one)))
		cb := rounded((v*one-low[1])*127, max(1, (high[1]-low[1])/one))
		cr := rounded((v*one-low[2])*127, max(1, (high[2]-low[2])/one))
		r, b := rounded(cr*2*(one-red), one), rounded(cb*2*(one-blue), one)
		t.crR[v], t.cbB[v] = int(r), int(b)
		t.crG[v], t.cbG[v] = int(rounded(r*red, green)), int(rounded(b*blue, green))
	}
	return t
}

func (t *yccTables) rgb(dst, s []byte) {
	y, cb, cr := t.luma[s[0]]+1<<15, s[1], s[2]
	dst[0] = clip16(y + t.crR[cr])
	dst[1] = clip16(y - t.crG[cr] - t.cbG[cb])
	dst[2] = clip16(y + t.cbB[cb])
}

// blocks decodes the rows of s where several pixels share a sample of each colour: their lumas stand in front of the two (TIFF 6.0,
// section 21). Each pixel gets its own copy.
func (d *tiffDecoder) blocks(r io.Reader, s segment) {
	bw, bh := int64(d.subsampleX), int64(d.subsampleY)
	size := bw*bh + 2
	row := make([]byte, (s.w+bw-1)/bw*size)
	for y := s.y; y < s.y+s.h; y += bh {
		if _, err := io.ReadFull(r, row); err != nil {
			d.missing = true
			return
		}
		d.some = true
		for dy := range min(bh, s.y+s.h-y) {
			out := d.pix[((y+dy)*d.width+s.x)*3:]
			for x := range min(s.w, d.width-s.x) {
				block := row[x/bw*size:][:size]
				out[3*x], out[3*x+1], out[3*x+2] = block[dy*bw+x%bw], block[bw*bh], block[bw*bh+1]
			}
		}
	}
}

// rationals returns up to most values of e, unsigned fractions or whole numbers, in sixteen bits behind the point; nil when one of them has
// no value.
func (d *ifdReader) rationals(e ifdEntry, most int64) []int64 {
	var out []int64
	if e.typ != 5 {
		for _, v := range d.uints(e, most) {
			out = append(out, int64(min(v, 1<<32))<<16)
		}
		return out
	}
	b := d.data(e, 8*most)
	for ; len(b) >= 8; b = b[8:] {
		n, by := int64(d.order.Uint32(b)), int64(d.order.Uint32(b[4:]))
		if by == 0 {
			return nil
		}
		out = append(out, n<<16/by)
	}
	return out
}
