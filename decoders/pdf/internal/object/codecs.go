package object

import (
	"bytes"
	"errors"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/inflate"
)

// inflater decompresses Flate data; its tables are kept between streams.
type inflater struct{ d inflate.Decoder }

// inflate reads zlib data, and bare deflate data where the header is missing. Checksums are not looked at: a reader wants the text.
func (in *inflater) inflate(src []byte, limit int) ([]byte, error) {
	for len(src) > 0 && IsSpace(src[0]) { // an end of line too many behind "stream"
		src = src[1:]
	}
	if len(src) == 0 {
		return nil, nil
	}
	body := src
	if len(src) >= 2 && src[0]&0x0f == 8 && (int(src[0])<<8|int(src[1]))%31 == 0 {
		body = src[2:]
	}
	out, err := in.read(body, limit)
	if err != nil && len(out) == 0 && len(body) == len(src) && len(src) > 2 {
		return in.read(src[2:], limit) // a damaged header
	}
	return out, err
}

func (in *inflater) read(src []byte, limit int) ([]byte, error) {
	out, err := in.d.Decode(src, limit)
	switch {
	case errors.Is(err, inflate.ErrLimit):
		return out, ErrBudget
	case err != nil:
		return out, ErrDamaged
	}
	return out, nil
}

// lzw decodes LZW data (7.4.4); early is the EarlyChange parameter.
func lzw(src []byte, early bool, limit int) ([]byte, error) {
	const clear, end, first = 256, 257, 258
	var prefix [4096]uint16 // of code i: the code before its last byte
	var last, head [4096]byte
	var size [4096]uint16
	for i := range 256 {
		last[i], head[i], size[i] = byte(i), byte(i), 1
	}
	next, width, shift := first, 9, 0
	if early {
		shift = 1
	}
	out := make([]byte, 0, min(limit, 4*len(src)))
	var acc uint32
	bits, prev := 0, -1
	for _, c := range src {
		acc = acc<<8 | uint32(c)
		if bits += 8; bits < width {
			continue
		}
		bits -= width
		code := int(acc>>bits) & (1<<width - 1)
		switch {
		case code == end:
			return out, nil
		case code == clear:
			next, width, prev = first, 9, -1
			continue
		case prev < 0 && code > 255, code > next || (code == next && prev < 0):
			return out, ErrDamaged
		}
		if prev >= 0 && next < 4096 {
			prefix[next], head[next], size[next] = uint16(prev), head[prev], size[prev]+1
			last[next] = head[code]
			if code == next {
				last[next] = head[prev]
			}
			next++
		} else if code >= next {
			return out, ErrDamaged
		}
		n := int(size[code])
		if len(out)+n > limit {
			return out, ErrBudget
		}
		at := len(out) + n
		out = append(out, make([]byte, n)...)
		for k := code; n > 0; n-- {
			at--
			out[at] = last[k]
			k = int(prefix[k])
		}
		prev = code
		if next+shift >= 1<<width && width < 12 {
			width++
		}
	}
	return out, nil
}

// ascii85 decodes base-85 data (7.4.3); characters that do not belong there are skipped.
func ascii85(src []byte) []byte {
	src = bytes.TrimPrefix(bytes.TrimLeft(src, "\x00\t\n\f\r "), []byte("<~"))
	out := make([]byte, 0, len(src)*4/5+4)
	var v uint32
	n := 0
	for _, c := range src {
		switch {
		case c == '~':
			goto done
		case c == 'z' && n == 0:
			out = append(out, 0, 0, 0, 0)
		case c >= '!' && c <= 'u':
			v = v*85 + uint32(c-'!')
			if n++; n == 5 {
				out = append(out, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
				v, n = 0, 0
			}
		}
	}
done:
	if n > 1 {
		for range 5 - n {
			v = v*85 + 84
		}
		for i := range n - 1 {
			out = append(out, byte(v>>(24-8*i)))
		}
	}
	return out
}

// runLength decodes run-length data (7.4.5).
func runLength(src []byte, limit int) ([]byte, error) {
	var out []byte
	for len(src) > 0 {
		n := int(src[0])
		src = src[1:]
		switch {
		case n == 128:
			return out, nil
		case n < 128:
			n = min(n+1, len(src))
			out = append(out, src[:n]...)
			src = src[n:]
		case len(src) > 0:
			for range 257 - n {
				out = append(out, src[0])
			}
			src = src[1:]
		}
		if len(out) > limit {
			return out[:limit], ErrBudget
		}
	}
	return out, nil
}
