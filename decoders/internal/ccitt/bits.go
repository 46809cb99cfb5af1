package ccitt

// bitReader gives bits, the first of a byte first. Behind the end there are zeros.
type bitReader struct {
	src []byte
	pos int // in bits
}

// left returns how many bits there are.
func (b *bitReader) left() int { return 8*len(b.src) - b.pos }

// peek returns the next n bits, 24 at most.
func (b *bitReader) peek(n int) int {
	at := b.pos >> 3
	var v uint32
	if at+4 <= len(b.src) {
		v = uint32(b.src[at])<<24 | uint32(b.src[at+1])<<16 | uint32(b.src[at+2])<<8 | uint32(b.src[at+3])
	} else {
		for i := range 4 {
			v <<= 8
			if at+i < len(b.src) {
				v |= uint32(b.src[at+i])
			}
		}
	}
	return int(v << (b.pos & 7) >> (32 - n))
}

func (b *bitReader) skip(n int) { b.pos += n }

// align moves to the next byte.
func (b *bitReader) align() { b.pos = (b.pos + 7) &^ 7 }

// Of the end of a line: eolZeros zeros at least, then a one (T.4, 4.1.2).
const (
	eolBits  = 12
	eolZeros = eolBits - 1
)

// eol moves behind the end-of-line code that stands here, with the zeros that fill it up, and reports whether there is one.
func (b *bitReader) eol() bool {
	if b.peek(eolZeros) != 0 {
		return false
	}
	pos := b.pos + eolZeros
	for pos < 8*len(b.src) && b.src[pos>>3]<<(pos&7)&0x80 == 0 {
		if pos&7 == 0 && b.src[pos>>3] == 0 {
			pos += 8
			continue
		}
		pos++
	}
	if pos >= 8*len(b.src) {
		return false
	}
	b.pos = pos + 1
	return true
}

// resync moves to the next end-of-line code and reports whether there is one.
func (b *bitReader) resync() bool {
	for b.left() > 0 {
		if b.peek(eolZeros) == 0 {
			back := b.pos
			if !b.eol() {
				return false
			}
			b.pos = back
			return true
		}
		b.pos++
	}
	return false
}
