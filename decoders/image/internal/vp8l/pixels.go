package vp8l

import "encoding/binary"

// pixels reads the coded pixels of one picture.
type pixels struct {
	r *bitReader
	w int

	cache      []uint32
	cacheShift uint
	cached     int // pixels that were put there
	moved      bool

	groups []group
	tables tables
	which  []uint32 // the group of each square; nil: one for all
	bits   int      // of a square's side
	bw     int      // squares in a row
}

// The symbols of the first code of a group (3.6.1).
const (
	literals = 256
	lengths  = 24
)

func (p *pixels) readGroups(n int) bool {
	alphabets := [5]int{literals + lengths + len(p.cache), 256, 256, 256, 40}
	sizes := make([]uint8, alphabets[0])
	for range n {
		var g group
		for i, symbols := range alphabets {
			var ok bool
			if g.codes[i], ok = p.readCode(sizes[:symbols]); !ok {
				return false
			}
		}
		p.groups = append(p.groups, p.simple(g))
	}
	return true
}

// simple notes which codes of g have one symbol, and take no bits.
func (p *pixels) simple(g group) group {
	one := func(i int) (uint32, bool) { return p.tables.entries[g.codes[i].at] >> 8, g.codes[i].mask == 0 }
	green, ok0 := one(0)
	red, ok1 := one(1)
	blue, ok2 := one(2)
	alpha, ok3 := one(3)
	if g.one = ok1 && ok2 && ok3; g.one {
		g.rest = alpha<<24 | red<<16 | blue
	}
	if g.plain = g.one && ok0 && green < literals; g.plain {
		g.rest |= green << 8
	}
	return g
}

// sizeOrder is the order in which the sizes of the codes for sizes come (3.7.2.1.2).
var sizeOrder = [19]uint8{17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// readCode reads a code for as many symbols as sizes has (3.7.2.1).
func (p *pixels) readCode(sizes []uint8) (code, bool) {
	r := p.r
	clear(sizes)
	if r.number(1) != 0 { // one symbol, or two
		two := r.number(1) != 0
		first := r.number(1 + 7*r.number(1))
		second := first
		if two {
			second = r.number(8)
		}
		if first >= len(sizes) || second >= len(sizes) || r.ended() {
			return code{}, false
		}
		sizes[first], sizes[second] = 1, 1
		return p.tables.build(sizes)
	}
	var lengths [len(sizeOrder)]uint8
	for _, s := range sizeOrder[:4+r.number(4)] {
		lengths[s] = uint8(r.number(3))
	}
	mark := len(p.tables.entries)
	c, ok := p.tables.build(lengths[:])
	ok = ok && p.readSizes(c, sizes)
	p.tables.entries = p.tables.entries[:mark]
	if !ok || r.ended() {
		return code{}, false
	}
	return p.tables.build(sizes)
}

func (p *pixels) readSizes(c code, sizes []uint8) bool {
	r := p.r
	left := len(sizes)
	if r.number(1) != 0 {
		if left = 2 + r.number(2+2*r.number(3)); left > len(sizes) {
			return false
		}
	}
	prev := uint8(8)
	for i := 0; i < len(sizes) && left > 0; left-- {
		r.refill()
		s := r.symbol(p.tables.entries, c)
		if r.ended() {
			return false
		}
		if s < 16 {
			sizes[i] = uint8(s)
			i++
			if s > 0 {
				prev = uint8(s)
			}
			continue
		}
		n, v := 0, uint8(0)
		switch s {
		case 16:
			n, v = 3+r.number(2), prev
		case 17:
			n = 3 + r.number(3)
		default:
			n = 11 + r.number(7)
		}
		if i+n > len(sizes) {
			return false
		}
		for range n {
			sizes[i] = v
			i++
		}
	}
	return true
}

// read fills pix and returns how many pixels came before the data end or are damaged.
func (p *pixels) read(pix []uint32) int {
	r, w := p.r, p.w
	side := max(w, 1) // of a square; without squares a row is within the first
	if p.which != nil {
		side = 1 << p.bits
	}
	g := &p.groups[0]
	for i, x, y := 0, 0, 0; i < len(pix); {
		if p.which != nil && (x&(side-1) == 0 || p.moved) {
			g = &p.groups[p.which[y>>p.bits*p.bw+x>>p.bits]]
			p.moved = false
		}
		end := w // of the row, or of the square
		if p.which != nil {
			end = min(w, x&-side+side)
		}
		n := end - x
		if g.plain {
			for k := range pix[i : i+n] {
				pix[i+k] = g.rest
			}
		} else {
			s := 0
			if n, s = p.single(pix[:i+n], i, g); r.n < 0 {
				return i + n
			}
			if s >= literals {
				more := p.repeat(pix, i+n, s-literals, g)
				if r.n < 0 || more == 0 {
					return i + n
				}
				n += more
			}
		}
		i += n
		for x += n; x >= w; x -= w {
			y++
		}
	}
	return len(pix)
}

// entry is the entry of the code that acc begins with; t are the tables from those of c on.
func (c code) entry(t []uint32, acc uint64) uint32 {
	e := t[uint16(acc)&c.mask]
	if e&second != 0 {
		e = t[e>>8+uint32(acc>>(c.root&15))&(1<<(e&15)-1)]
	}
	return e
}

// single reads pixels that come one by one, literals and those of the cache (3.6.2.3), from pix[start] up to its end or to the symbol of a
// repetition, which it returns after how many there were. r.n is negative when the data ended before that. It is where the time goes: the bits
// are in variables of its own.
func (p *pixels) single(pix []uint32, start int, g *group) (count, s int) {
	r, t := p.r, p.tables.entries
	data, at, acc, n, i := r.data, r.at, r.acc, r.n, start
	green, red, blue, alpha := g.codes[0], g.codes[1], g.codes[2], g.codes[3]
	greens, reds, blues, alphas := t[green.at:], t[red.at:], t[blue.at:], t[alpha.at:]
	cache, shift, cached := p.cache, p.cacheShift&31, p.cached
	for ; i < len(pix); i++ {
		if b := data[at:]; n >= 0 && len(b) >= 8 {
			acc |= binary.LittleEndian.Uint64(b) << uint(n&63)
			at, n = at+(63-n)>>3, n|56
		} else {
			r.at, r.acc, r.n = at, acc, n
			r.refill()
			at, acc, n = r.at, r.acc, r.n
		}
		e := green.entry(greens, acc)
		acc >>= e & 15
		n -= int(e & 15)
		v := g.rest | e&0xff00
		switch {
		case e >= (literals+lengths)<<8:
			for ; cached < i; cached++ { // what came before is put there first
				c := pix[cached]
				cache[c*0x1e35a7bd>>shift] = c
			}
			if v = cache[e>>8-literals-lengths]; v != 0 && n >= 0 {
				cached++ // it is where it belongs
			}
		case e >= literals<<8:
			s = int(e >> 8)
		case !g.one:
			f := red.entry(reds, acc)
			acc >>= f & 15
			n -= int(f & 15)
			v |= f >> 8 << 16
			if n < 2*15 {
				r.at, r.acc, r.n = at, acc, n
				r.refill()
				at, acc, n = r.at, r.acc, r.n
			}
			f = blue.entry(blues, acc)
			acc >>= f & 15
			n -= int(f & 15)
			v |= f >> 8
			f = alpha.entry(alphas, acc)
			acc >>= f & 15
			n -= int(f & 15)
			v |= f >> 8 << 24
		}
		if n < 0 || s != 0 {
			break
		}
		pix[i] = v
	}
	r.at, r.acc, r.n, p.cached = at, acc, n, cached
	return i - start, s
}

// repeat copies pixels from before i and returns how many; 0: they would be from before the first. s is the symbol of how many.
func (p *pixels) repeat(pix []uint32, i, s int, g *group) int {
	n := p.r.prefixed(s)
	p.r.refill()
	from := i - p.distance(p.r.symbol(p.tables.entries, g.codes[4]))
	if from < 0 {
		return 0
	}
	n = min(n, len(pix)-i)
	src, dst := pix[from:from+n], pix[i:i+n]
	for k := range dst {
		dst[k] = src[k]
	}
	p.moved = true // into another square, maybe
	return n
}

// prefixed reads the rest of a length or distance (3.6.2.1).
func (r *bitReader) prefixed(s int) int {
	if s < 4 {
		return s + 1
	}
	extra := (s - 2) >> 1
	return (2+s&1)<<extra + r.number(extra) + 1
}

// distance reads the rest of a distance: the first ones are places near by (3.6.2.2).
func (p *pixels) distance(s int) int {
	n := p.r.prefixed(s)
	if n > len(distances) {
		return n - len(distances)
	}
	v := int(distances[n-1])
	return max(1, v>>4*p.w+8-v&15)
}
