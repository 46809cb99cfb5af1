package binary

import (
	"fmt"
	"unicode/utf8"
)

// cursor reads a module. Positions are absolute, so that every refusal can name its offset. The first failure sticks: from
// then on every read gives zero and the cursor stands at its end, so callers need to look at err only where they loop or
// where they would act on what they read.
type cursor struct {
	b   []byte
	pos int
	end int // reads stop here; end <= len(b)
	err *RuleError
}

// fail records the first refusal.
func (c *cursor) fail(rule string, at int, format string, args ...any) {
	if c.err == nil {
		c.err = &RuleError{Rule: rule, Detail: fmt.Sprintf(format, args...), Offset: int64(at)}
	}
	c.pos = c.end
}

func (c *cursor) left() int { return c.end - c.pos }

func (c *cursor) u8() byte {
	if c.pos >= c.end {
		c.fail(RuleTruncated, c.pos, "a byte is missing")
		return 0
	}
	v := c.b[c.pos]
	c.pos++
	return v
}

// bytes gives the next n bytes as a part of the module, not a copy.
func (c *cursor) bytes(n int) []byte {
	if n < 0 || n > c.left() {
		c.fail(RuleTruncated, c.pos, "%d bytes are missing", n-c.left())
		return nil
	}
	v := c.b[c.pos : c.pos+n : c.pos+n]
	c.pos += n
	return v
}

// u32 reads an unsigned LEB128 integer of at most five bytes, padding allowed (WebAssembly 2.0, 5.2.2).
func (c *cursor) u32() uint32 {
	if c.pos < c.end { // nearly all integers of a module are one byte long
		if v := c.b[c.pos]; v < 0x80 {
			c.pos++
			return uint32(v)
		}
	}
	at := c.pos
	var v uint32
	for shift := 0; shift < 35; shift += 7 {
		x := c.u8()
		if c.err != nil {
			return 0
		}
		if shift == 28 && x > 0x0f {
			break
		}
		v |= uint32(x&0x7f) << shift
		if x < 0x80 {
			return v
		}
	}
	c.fail(RuleLEB, at, "not an unsigned 32 bit integer")
	return 0
}

// signed reads a signed LEB128 integer of the given width in bits (32, 33 or 64), padding allowed. The bits of the last byte
// that lie above the width must repeat the sign.
func (c *cursor) signed(bits int) int64 {
	at := c.pos
	var v int64
	for shift := 0; shift < bits; shift += 7 {
		x := c.u8()
		if c.err != nil {
			return 0
		}
		if room := bits - shift; room < 7 {
			// room bits of this byte count; the others, and the topmost of those that count, must be equal.
			top := int8(x<<1) >> room // sign-extends the seven bits, then drops all below the sign bit
			if x >= 0x80 || (top != 0 && top != -1) {
				break
			}
		}
		v |= int64(x&0x7f) << shift
		if x < 0x80 {
			if used := shift + 7; used < 64 && x&0x40 != 0 {
				v |= -1 << used
			}
			return v
		}
	}
	c.fail(RuleLEB, at, "not a signed %d bit integer", bits)
	return 0
}

// count reads the number of items of a vector. Each item takes at least min bytes, so a count that the bytes left cannot hold
// is refused before anything is allocated for it; so is one above limit.
func (c *cursor) count(what string, min, limit int) int {
	at := c.pos
	n := c.u32()
	if c.err != nil {
		return 0
	}
	if int64(n)*int64(min) > int64(c.left()) {
		c.fail(RuleSectionCount, at, "%d %s cannot fit in the %d bytes left", n, what, c.left())
		return 0
	}
	if int64(n) > int64(limit) {
		c.fail(RuleSectionCount, at, "%d %s, limit %d", n, what, limit)
		return 0
	}
	return int(n)
}

// name reads a UTF-8 name.
func (c *cursor) name(limit int) string {
	at := c.pos
	n := c.u32()
	if c.err == nil && int64(n) > int64(limit) {
		c.fail(RuleName, at, "a name of %d bytes, limit %d", n, limit)
		return ""
	}
	b := c.bytes(int(n))
	if !utf8.Valid(b) {
		c.fail(RuleName, at, "a name is not UTF-8")
		return ""
	}
	return string(b)
}
