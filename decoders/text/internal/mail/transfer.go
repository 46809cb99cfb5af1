package mail

import (
	"bytes"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/inside"
)

// transfer is how bytes travel (RFC 2045, 6).
type transfer uint8

const (
	identity transfer = iota
	base64
	quoted
	uuencode
)

func transferOf(h *header) transfer {
	s := h.structured("content-transfer-encoding")
	switch s.value {
	case "base64", "b64":
		return base64
	case "quoted-printable", "quoted/printable":
		return quoted
	case "x-uuencode", "uuencode", "x-uue", "uue":
		return uuencode
	}
	return identity
}

// pieceBytes is about how much a decoder makes at a time.
const pieceBytes = 32 << 10

// decoder decodes a body piece by piece. What is damaged is passed over, and noted.
type decoder struct {
	src     []byte
	kind    transfer
	damaged bool // something is missing

	out    []byte
	acc    uint32
	have   int  // base64 digits in acc
	padded bool // base64 that has come to its padding
}

// next returns the next piece, nil at the end. It is valid until the next call.
func (d *decoder) next() []byte {
	if d.kind == identity {
		n := min(len(d.src), pieceBytes)
		piece := d.src[:n]
		if d.src = d.src[n:]; n == 0 {
			return nil
		}
		return piece
	}
	d.out = d.out[:0]
	for len(d.src) > 0 && len(d.out) < pieceBytes {
		line := d.src[:lineEnd(d.src, 0)]
		switch d.kind {
		case base64:
			if len(line) > pieceBytes {
				line = line[:pieceBytes]
			}
			d.base64(line)
		case quoted:
			if len(line) > pieceBytes {
				line = line[:quotedCut(line)]
			}
			d.quoted(line)
		case uuencode:
			d.uu(line)
		}
		d.src = d.src[min(len(line), len(d.src)):]
	}
	if len(d.src) == 0 && d.kind == base64 {
		d.flush64()
	}
	if len(d.out) == 0 {
		return nil
	}
	return d.out
}

// all returns everything that is left.
func (d *decoder) all() []byte {
	if d.kind == identity {
		return d.src
	}
	most := len(d.src)
	if d.kind == base64 {
		most = most/4*3 + 3
	}
	out := make([]byte, 0, most)
	for piece := d.next(); piece != nil; piece = d.next() {
		out = append(out, piece...)
	}
	return out
}

// size is how many bytes a body has when it is decoded.
func size(src []byte, kind transfer) (n int64, damaged bool) {
	if kind == identity {
		return int64(len(src)), false
	}
	d := decoder{src: src, kind: kind}
	for piece := d.next(); piece != nil; piece = d.next() {
		n += int64(len(piece))
	}
	return n, d.damaged
}

// base64 decodes a line. Characters that are none of the alphabet are passed over (RFC 2045, 6.8), but a line that cannot be base64 behind
// the padding, or that is a row of dashes, is what a mailing list put there: the end.
func (d *decoder) base64(line []byte) {
	if footer(line, d.padded) {
		d.src = d.src[len(d.src):]
		return
	}
	for i := 0; i < len(line); i++ {
		for d.have == 0 && i+4 <= len(line) { // a whole group
			a, b, c, e := inside.Digit64(line[i]), inside.Digit64(line[i+1]), inside.Digit64(line[i+2]), inside.Digit64(line[i+3])
			if a|b|c|e < 0 {
				break
			}
			v := a<<18 | b<<12 | c<<6 | e
			d.out = append(d.out, byte(v>>16), byte(v>>8), byte(v))
			d.padded = false
			i += 4
		}
		if i == len(line) {
			break
		}
		v := inside.Digit64(line[i])
		if v < 0 {
			if line[i] == '=' {
				d.flush64()
				d.padded = true
			}
			continue
		}
		d.padded = false
		d.acc = d.acc<<6 | uint32(v)
		if d.have++; d.have == 4 {
			d.out = append(d.out, byte(d.acc>>16), byte(d.acc>>8), byte(d.acc))
			d.acc, d.have = 0, 0
		}
	}
}

func footer(line []byte, padded bool) bool {
	const row = 10
	line = bytes.TrimSpace(line)
	if len(line) >= row && len(bytes.Trim(line, "_-")) == 0 {
		return true
	}
	if !padded {
		return false
	}
	for _, c := range line {
		if inside.Digit64(c) < 0 && c != '=' {
			return true
		}
	}
	return false
}

// flush64 gives what an unfinished group of digits holds.
func (d *decoder) flush64() {
	switch d.have {
	case 1:
		d.damaged = true // six bits are no byte
	case 2:
		d.out = append(d.out, byte(d.acc>>4))
	case 3:
		d.out = append(d.out, byte(d.acc>>10), byte(d.acc>>2))
	}
	d.acc, d.have = 0, 0
}

// quotedCut is where a line that is too long may be cut: not inside an escape, nor in blanks that may be the line's last.
func quotedCut(line []byte) int {
	for n := pieceBytes; n > pieceBytes/2; n-- {
		if c := line[n-1]; line[n-2] != '=' && c != '=' && c != ' ' && c != '\t' {
			return n
		}
	}
	return pieceBytes
}

// quoted decodes a line of quoted-printable (RFC 2045, 6.7). Blanks at its end were put there on the way; an escape that is none stands for
// itself.
func (d *decoder) quoted(line []byte) {
	text := bytes.TrimRight(line, " \t\r\n")
	end := line[len(text):]
	if i := bytes.IndexAny(end, "\r\n"); i >= 0 {
		end = end[i:]
	} else {
		end = end[:0]
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '=' {
			d.out = append(d.out, c)
			continue
		}
		switch {
		case i+2 < len(text) && unhex(text[i+1]) >= 0 && unhex(text[i+2]) >= 0:
			d.out = append(d.out, byte(unhex(text[i+1])<<4|unhex(text[i+2])))
			i += 2
		case i+1 == len(text): // a soft line break
			return
		default:
			d.out = append(d.out, c)
		}
	}
	d.out = append(d.out, end...)
}

// uu decodes a line of uuencode (IEEE 1003.1, uuencode).
func (d *decoder) uu(line []byte) {
	line = bare(line)
	if len(line) == 0 || bytes.HasPrefix(line, []byte("begin ")) || bytes.Equal(line, []byte("end")) {
		return
	}
	n := int(line[0]-' ') & 63
	digits := line[1:]
	for at := 0; n > 0; at += 4 {
		var group uint32
		for k := range 4 {
			v := byte(' ') // blanks at the end of a line get lost
			if at+k < len(digits) {
				v = digits[at+k]
			}
			group = group<<6 | uint32(v-' ')&63
		}
		for _, b := range [...]byte{byte(group >> 16), byte(group >> 8), byte(group)} {
			if n > 0 {
				d.out = append(d.out, b)
				n--
			}
		}
	}
}
