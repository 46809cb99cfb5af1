package charset

import (
	"encoding/binary"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/text/transform"
)

// Decoder returns a decoder for a text of size bytes in the charset of that label, nil where Encoding is. It does what the one of Encoding
// does, to the byte; for long texts it keeps what it finds out about characters of one and two bytes in a table of its own.
func Decoder(label string, size int64) transform.Transformer {
	enc := Encoding(label)
	if enc == nil {
		return nil
	}
	slow := enc.NewDecoder().Transformer
	if size < leastFast {
		return slow
	}
	switch label {
	case "gbk", "gb18030", "big5", "euc-jp", "shift_jis", "euc-kr": // no state between characters
		return &fastDecoder{slow: slow, pairs: new([128 * trails]uint32)}
	}
	if t := tableOf(label); t != nil {
		if d := (&fastDecoder{slow: slow}); d.fill(t) {
			return d
		}
	}
	return slow
}

// leastFast is the size from which a table pays.
const leastFast = 16 << 10

// trails is how many second bytes there are, from firstTrail on. GB 18030 has lower ones, in characters of four bytes.
const (
	firstTrail = 0x40
	trails     = 0x100 - firstTrail
)

// fastDecoder decodes a charset that has ASCII as it is and no state. A table has the UTF-8 of each character of two or more bytes, the first
// byte the lowest; what is not in the table is for slow. Only one of the tables is there.
type fastDecoder struct {
	transform.NopResetter
	slow    transform.Transformer
	singles [128]uint32           // by a byte above ASCII
	pairs   *[128 * trails]uint32 // by a byte above ASCII and the next, filled as they come
}

// fill makes the table of a single-byte charset; false when it has other characters in place of ASCII.
func (d *fastDecoder) fill(t table) bool {
	for b := range 256 {
		r := t.DecodeByte(byte(b))
		if b < utf8.RuneSelf {
			if r != rune(b) {
				return false
			}
			continue
		}
		d.singles[b-utf8.RuneSelf] = packed(utf8.AppendRune(nil, r))
	}
	return true
}

// packed is a character as the tables have it, 0 for what does not fit there.
func packed(char []byte) (v uint32) {
	if _, n := utf8.DecodeRune(char); n < 2 || n != len(char) {
		return 0
	}
	for i, c := range char {
		v |= uint32(c) << (8 * i)
	}
	return v
}

// What the loops below look ahead: eight bytes of src, of which each may become a U+FFFD, and one more byte, since characters of three are
// written as four.
const (
	aheadSrc = 8
	aheadDst = 3*aheadSrc + 1
)

// Transform implements transform.Transformer.
func (d *fastDecoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for {
		var n, m int
		if d.pairs != nil {
			n, m = d.double(dst[nDst:], src[nSrc:])
		} else {
			n, m = d.single(dst[nDst:], src[nSrc:])
		}
		nDst, nSrc = nDst+n, nSrc+m
		if len(src)-nSrc < aheadSrc || len(dst)-nDst < aheadDst {
			n, m, err = d.slow.Transform(dst[nDst:], src[nSrc:], atEOF)
			return nDst + n, nSrc + m, err
		}
		n, m, _ = d.slow.Transform(dst[nDst:], src[nSrc:nSrc+aheadSrc], false)
		if m == 0 {
			return nDst, nSrc, transform.ErrShortSrc
		}
		if d.pairs != nil {
			d.learn(src[nSrc:])
		}
		nDst, nSrc = nDst+n, nSrc+m
	}
}

// learn notes what the two bytes that src begins with mean, if they are a character.
func (d *fastDecoder) learn(src []byte) {
	if src[0] < utf8.RuneSelf || src[1] < firstTrail {
		return
	}
	var room [aheadDst]byte
	if n, m, err := d.slow.Transform(room[:], src[:2], false); err == nil && m == 2 {
		d.pairs[int(src[0]&0x7f)*trails+int(src[1])-firstTrail] = packed(room[:n])
	}
}

// double decodes characters of one and two bytes as long as the table has them and there is room.
func (d *fastDecoder) double(dst, src []byte) (nDst, nSrc int) {
	from, to, pairs := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst)), d.pairs
	for len(src)-nSrc >= aheadSrc && len(dst)-nDst >= aheadDst {
		p := unsafe.Add(from, nSrc)
		if *(*uint64)(p)&highBits == 0 {
			*(*uint64)(unsafe.Add(to, nDst)) = *(*uint64)(p)
			nDst += 8
			nSrc += 8
			continue
		}
		c := *(*byte)(p)
		if c < utf8.RuneSelf {
			dst[nDst] = c
			nDst++
			nSrc++
			continue
		}
		trail := int(*(*byte)(unsafe.Add(p, 1))) - firstTrail
		if trail < 0 {
			break
		}
		v := pairs[int(c&0x7f)*trails+trail]
		if v == 0 {
			break
		}
		binary.LittleEndian.PutUint32(dst[nDst:], v)
		nDst += packedLen(v)
		nSrc += 2
	}
	return nDst, nSrc
}

// packedLen is how many bytes a character has.
func packedLen(v uint32) int {
	n := 2
	if v >= 1<<16 {
		n = 3
	}
	if v >= 1<<24 {
		n = 4
	}
	return n
}

// single decodes bytes as long as there is room.
func (d *fastDecoder) single(dst, src []byte) (nDst, nSrc int) {
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for len(src)-nSrc >= aheadSrc && len(dst)-nDst >= aheadDst {
		p := unsafe.Add(from, nSrc)
		if *(*uint64)(p)&highBits == 0 {
			*(*uint64)(unsafe.Add(to, nDst)) = *(*uint64)(p)
			nDst += 8
			nSrc += 8
			continue
		}
		for i := range 8 {
			c := *(*byte)(unsafe.Add(p, i))
			if c < utf8.RuneSelf {
				dst[nDst] = c
				nDst++
				continue
			}
			v := d.singles[c&0x7f]
			binary.LittleEndian.PutUint32(dst[nDst:], v)
			nDst += packedLen(v)
		}
		nSrc += 8
	}
	return nDst, nSrc
}
