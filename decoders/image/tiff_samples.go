package image

import (
	"encoding/binary"
	"io"
	"math"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
)

func (p *tiffPage) isFloat() bool { return p.format == formatFloat }

// bytesPerSample is what a decoded sample takes: one byte, and of floating-point ones four before that.
func (p *tiffPage) bytesPerSample() int64 {
	if p.isFloat() {
		return 4 + 1
	}
	return 1
}

// segment decodes the rows of s as far as they go.
func (d *tiffDecoder) segment(s segment) error {
	if s.n <= 0 {
		d.missing = true
		return nil
	}
	r := d.unpacked(s)
	if r == nil {
		d.missing = true
		return nil
	}
	if d.subsampled() {
		d.blocks(r, s)
		return nil
	}
	samples := d.samples
	if d.planar {
		samples = 1
	}
	row := make([]byte, (s.w*samples*int64(d.bits[0])+7)/8)
	var spare []byte
	if d.predictor == 3 && d.predicts() {
		spare = make([]byte, len(row))
	}
	for y := s.y; y < s.y+s.h; y++ {
		if _, err := io.ReadFull(r, row); err != nil {
			d.missing = true
			return nil
		}
		order := d.unpredict(row, spare, int(samples))
		d.store(row, order, s, y, samples)
		d.some = true
	}
	return nil
}

// unpredict undoes differences in a row (TIFF 6.0, section 14; TIFF technical note 3 for floating point, which needs a spare row) and returns
// the byte order of what is left.
func (d *tiffDecoder) unpredict(row, spare []byte, samples int) binary.ByteOrder {
	order := d.f.dir.order
	if !d.predicts() || d.predictor < 2 {
		return order
	}
	if d.predictor == 3 {
		for i := samples; i < len(row); i++ {
			row[i] += row[i-samples]
		}
		size := int(d.bits[0] / 8)
		n := len(row) / size
		copy(spare, row)
		for k := range size { // the first bytes of all samples stand first
			for i, v := range spare[k*n : (k+1)*n] {
				row[i*size+k] = v
			}
		}
		return binary.BigEndian
	}
	switch d.bits[0] {
	case 8:
		for i := samples; i < len(row); i++ {
			row[i] += row[i-samples]
		}
	case 16:
		for i := 2 * samples; i+2 <= len(row); i += 2 {
			order.PutUint16(row[i:], order.Uint16(row[i:])+order.Uint16(row[i-2*samples:]))
		}
	case 32:
		for i := 4 * samples; i+4 <= len(row); i += 4 {
			order.PutUint32(row[i:], order.Uint32(row[i:])+order.Uint32(row[i-4*samples:]))
		}
	case 64:
		for i := 8 * samples; i+8 <= len(row); i += 8 {
			order.PutUint64(row[i:], order.Uint64(row[i:])+order.Uint64(row[i-8*samples:]))
		}
	}
	return order
}

// store keeps one row of s as 8-bit samples; indices of a palette stay as they are.
func (d *tiffDecoder) store(row []byte, order binary.ByteOrder, s segment, y, samples int64) {
	n := int(min(s.w, d.width-s.x) * samples)
	step := int(d.samples / samples) // planes are interleaved again
	first := (y*d.width+s.x)*d.samples + s.plane
	bits := int(d.bits[0])
	if d.isFloat() {
		out := d.wide[first:]
		for i, size := 0, bits/8; i < n; i++ {
			out[i*step] = floatOf(row[i*size:(i+1)*size], order)
		}
		return
	}
	out := d.pix[first:]
	switch {
	case bits == 8 && step == 1:
		copy(out[:n], row)
	case bits%8 == 0: // the highest byte of each
		size, at := bits/8, 0
		if order == binary.ByteOrder(binary.LittleEndian) {
			at = size - 1
		}
		for i := range n {
			out[i*step] = row[i*size+at]
		}
	default:
		d.storeBits(row, out, bits, n, step)
	}
}

// storeBits keeps n samples that do not begin at bytes, the highest bit first in either byte order.
func (d *tiffDecoder) storeBits(row, out []byte, bits, n, step int) {
	most := uint32(1)<<bits - 1
	index := d.photometric == photoIndex
	if bits == 1 && step == 1 {
		value := byte(255)
		if index {
			value = 1
		}
		for i, b := range row[:n/8] {
			o := out[8*i : 8*i+8 : 8*i+8]
			o[0], o[1], o[2], o[3] = -(b>>7)&value, -(b>>6&1)&value, -(b>>5&1)&value, -(b>>4&1)&value
			o[4], o[5], o[6], o[7] = -(b>>3&1)&value, -(b>>2&1)&value, -(b>>1&1)&value, -(b&1)&value
		}
		for i := n &^ 7; i < n; i++ {
			out[i] = -(row[i>>3] >> (7 - i&7) & 1) & value
		}
		return
	}
	for i := range n {
		at := i * bits
		var v uint32
		for k := range 3 { // 15 bits lie in three bytes
			v <<= 8
			if at>>3+k < len(row) {
				v |= uint32(row[at>>3+k])
			}
		}
		v = v << (8 + at&7) >> (32 - bits)
		switch {
		case index:
		case bits < 8:
			v = v * 255 / most
		default:
			v >>= bits - 8
		}
		out[i*step] = byte(v)
	}
}

// floatOf reads a floating-point number of 2, 3, 4 or 8 bytes; those of 2 and 3 are of TIFF technical note 3.
func floatOf(b []byte, order binary.ByteOrder) float32 {
	switch len(b) {
	case 2:
		return smallFloat(uint32(order.Uint16(b)), 5, 10)
	case 3:
		v := uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2])
		if order == binary.ByteOrder(binary.LittleEndian) {
			v = uint32(b[2])<<16 | uint32(b[1])<<8 | uint32(b[0])
		}
		return smallFloat(v, 7, 16)
	case 4:
		return math.Float32frombits(order.Uint32(b))
	}
	x := math.Float64frombits(order.Uint64(b))
	if f := float32(x); f != 0 || x == 0 {
		return f
	}
	return math.SmallestNonzeroFloat32
}

// smallFloat is a number of a sign, an exponent and a fraction of so many bits (IEEE 754, 3.4, in other widths).
func smallFloat(v uint32, exponent, fraction uint) float32 {
	sign := v >> (exponent + fraction) & 1
	e := int(v >> fraction & (1<<exponent - 1))
	f := v & (1<<fraction - 1)
	bias := 1<<(exponent-1) - 1
	var x float64
	switch {
	case e == 1<<exponent-1 && f != 0:
		return float32(math.NaN())
	case e == 1<<exponent-1:
		x = math.Inf(1)
	case e == 0:
		x = math.Ldexp(float64(f), 1-bias-int(fraction))
	default:
		x = math.Ldexp(float64(f|1<<fraction), e-bias-int(fraction))
	}
	if sign == 1 {
		x = -x
	}
	return float32(x)
}

// findScale finds what white is. The specification does not say; writers use 1, some 255. Samples far from both are measurements, and what
// they look like is anyone's guess.
func (d *tiffDecoder) findScale() error {
	const (
		byUnit, byByte = 1 + 1.0/255, 255.5
		tiny           = -1.0 / 255
		dust           = 1e-20 // what bytes in a wrong order look like, and no light
	)
	over, beyond := 0, 0
	for _, v := range d.wide {
		switch {
		case v < tiny || v > byByte || v != v || v != 0 && v < dust && v > -dust:
			beyond++
		case v > byUnit:
			over++
		}
	}
	few, scale := len(d.wide)/1000, float32(255) // a few samples out of range are clipped
	switch {
	case beyond > few:
		return pdk.Unsupported("tiff with floating-point samples of no known range")
	case over <= few:
	case d.reaches(16):
		scale = 1
	default:
		return pdk.Unsupported("tiff with floating-point samples of no known range")
	}
	d.pix = make([]byte, len(d.wide))
	for i, v := range d.wide {
		d.pix[i] = byteOf(v, scale)
	}
	d.wide = nil
	return nil
}

// reaches reports whether some sample is larger than least: of those of 0 to 255 one is, unless they are all but black.
func (d *tiffDecoder) reaches(least float32) bool {
	for _, v := range d.wide {
		if v > least {
			return true
		}
	}
	return false
}

// byteOf returns v times scale, rounded; what is no number is 0.
func byteOf(v, scale float32) byte {
	x := float32(v*scale) + 0.5
	if !(x > 0) {
		return 0
	}
	return byte(min(x, 255))
}
