package html

import (
	"bytes"
	"strconv"
	"strings"
)

// maxPicture is how many bytes of a data URI are kept when its picture was asked for: more than a file may have.
const maxPicture = 64 << 20

// picture lists the picture in a data URI (RFC 2397), of which size bytes are there in all.
func (l *layout) picture(uri []byte, size int, alt string) error {
	head, data, ok := bytes.Cut(uri[len("data:"):], []byte{','})
	if !ok || len(l.page.Pictures) >= maxPictures {
		return nil
	}
	kind, params, _ := strings.Cut(strings.ToLower(string(head)), ";")
	kind = strings.TrimSpace(kind)
	if !strings.HasPrefix(kind, "image/") || len(kind) > maxName {
		return nil
	}
	coded := strings.HasSuffix(strings.TrimSpace(params), "base64")
	n := len(l.page.Pictures) + 1
	p := Picture{Name: alt, MediaType: kind, Bytes: int64(size - (len(uri) - len(data)))}
	if coded {
		p.Bytes = p.Bytes * 3 / 4
		for k := 1; k < 3 && len(data) > 2 && size == len(uri) && data[len(data)-k] == '='; k++ {
			p.Bytes-- // the last group has fewer bytes
		}
	}
	if p.Name == "" {
		p.Name = "image-" + strconv.Itoa(n)
	}
	l.page.Pictures = append(l.page.Pictures, p)
	if n != l.opt.Picture {
		return nil
	}
	data = unescapeURI(data)
	if coded {
		data = decodeBase64(data)
	}
	l.page.Picture = data
	return errPicture
}

// unescapeURI writes out the bytes that stand in hexadecimal (RFC 3986, 2.1).
func unescapeURI(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] == '%' && i+2 < len(b) {
			if hi, lo := digit(b[i+1], true), digit(b[i+2], true); hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, b[i])
	}
	return out
}

// decodeBase64 decodes what there is of base 64 (RFC 4648, both alphabets), as browsers do: white space is left out, padding ends it.
func decodeBase64(b []byte) []byte {
	out := make([]byte, 0, len(b)/4*3+3)
	bits, n := uint32(0), 0
	for _, c := range b {
		v := uint32(0)
		switch {
		case 'A' <= c && c <= 'Z':
			v = uint32(c - 'A')
		case 'a' <= c && c <= 'z':
			v = uint32(c-'a') + 26
		case '0' <= c && c <= '9':
			v = uint32(c-'0') + 52
		case c == '+' || c == '-':
			v = 62
		case c == '/' || c == '_':
			v = 63
		case c == '=':
			return out
		default:
			continue
		}
		bits, n = bits<<6|v, n+6
		if n >= 8 {
			n -= 8
			out = append(out, byte(bits>>n))
		}
	}
	return out
}
