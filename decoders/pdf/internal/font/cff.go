package font

// parseCFF reads a Compact Font Format program (Adobe Technical Note 5176): which name each glyph has, or which identifier, and which
// codes. It is nil if there is no such program.
func parseCFF(data bytesAt) *program {
	names := data.index(data.u8(2))
	dicts := data.index(names.end)
	strs := data.index(dicts.end)
	if dicts.count == 0 {
		return nil
	}
	p := &program{}
	top := readTop(data.item(dicts, 0))
	glyphs := data.index(top.charStrings).count
	if top.hasROS {
		p.cids = map[uint32]uint16{0: 0}
		p.ordering = string(data.item(strs, top.ordering-standardStrings))
	}
	byGlyph := p.readCharset(data, top.charset, glyphs)
	if p.cids != nil {
		return p
	}
	for glyph, sid := range byGlyph {
		p.texts.set(uint16(glyph), data.sidText(strs, sid))
	}
	p.readEncoding(data, top.encoding)
	return p
}

// readCharset returns the string identifier of each glyph, or fills cids.
func (p *program) readCharset(data bytesAt, at, glyphs int) (byGlyph []int) {
	set := func(sid int) {
		if p.cids != nil {
			p.cids[uint32(sid)] = uint16(len(byGlyph))
		}
		byGlyph = append(byGlyph, sid)
	}
	set(0)
	if at <= 2 && p.cids == nil { // one of those that every reader knows
		for _, r := range [...][][2]int{isoAdobe, expert, expertSubset}[max(0, at)] {
			for sid := r[0]; sid <= r[1] && len(byGlyph) < glyphs; sid++ {
				set(sid)
			}
		}
		return byGlyph
	}
	format, left := data.u8(at), 2
	if format == 1 {
		left = 1
	}
	for at++; len(byGlyph) < glyphs && at+2 <= len(data); {
		sid, more := data.u16(at), 0
		at += 2
		switch {
		case format > 0 && left == 1:
			more = data.u8(at)
		case format > 0:
			more = data.u16(at)
		}
		if format > 0 {
			at += left
		}
		for i := 0; i <= more && len(byGlyph) < glyphs; i++ {
			set(sid + i)
		}
	}
	p.work += len(byGlyph)
	return byGlyph
}

// readEncoding reads an encoding that the program defines. For the predefined ones the names are enough.
func (p *program) readEncoding(data bytesAt, at int) {
	if at <= 1 {
		return
	}
	format, n := data.u8(at)&0x7f, data.u8(at+1)
	glyph := uint16(1)
	for i := range n {
		if format == 0 {
			p.codes[data.u8(at+2+i)] = glyph
			glyph++
			continue
		}
		first, left := data.u8(at+2+2*i), data.u8(at+3+2*i)
		for c := first; c <= min(first+left, 255); c++ {
			p.codes[c] = glyph
			glyph++
		}
	}
}

// topDict is what matters of a Top DICT.
type topDict struct {
	charset, encoding, charStrings int
	hasROS                         bool
	ordering                       int // a string identifier
}

func readTop(b bytesAt) (t topDict) {
	var stack []int
	for at := 0; at < len(b); {
		op := b.u8(at)
		at++
		switch {
		case op == 28:
			stack = append(stack, int(int16(b.u16(at))))
			at += 2
		case op == 29:
			stack = append(stack, int(int32(b.u32(at))))
			at += 4
		case op == 30: // a real number: no operator here takes one that matters
			for at < len(b) && b[at]&0x0f != 0x0f && b[at]>>4 != 0x0f {
				at++
			}
			at++
			stack = append(stack, 0)
		case op >= 32 && op <= 246:
			stack = append(stack, op-139)
		case op >= 247 && op <= 250:
			stack = append(stack, (op-247)*256+b.u8(at)+108)
			at++
		case op >= 251 && op <= 254:
			stack = append(stack, -(op-251)*256-b.u8(at)-108)
			at++
		default:
			if op == 12 {
				op = 0x0c00 | b.u8(at)
				at++
			}
			t.set(op, stack)
			stack = stack[:0]
		}
	}
	return t
}

func (t *topDict) set(op int, stack []int) {
	if len(stack) == 0 {
		return
	}
	last := stack[len(stack)-1]
	switch op {
	case 15:
		t.charset = last
	case 16:
		t.encoding = last
	case 17:
		t.charStrings = last
	case 0x0c1e:
		t.hasROS = true
		if len(stack) >= 3 {
			t.ordering = stack[len(stack)-2]
		}
	}
}

// cffIndex is where an INDEX lies.
type cffIndex struct{ offsets, size, count, end int }

func (b bytesAt) index(at int) cffIndex {
	count, size := b.u16(at), b.u8(at+2)
	if count == 0 || size < 1 || size > 4 || at < 0 || at+3+(count+1)*size > len(b) {
		return cffIndex{end: at + 2}
	}
	x := cffIndex{offsets: at + 3, size: size, count: count}
	x.end = x.offsets + (count+1)*size - 1 + b.offset(x, count)
	return x
}

// offset is where an item of an INDEX begins, from the byte before its data on.
func (b bytesAt) offset(x cffIndex, i int) (v int) {
	for k := range x.size {
		v = v<<8 | b.u8(x.offsets+i*x.size+k)
	}
	return v
}

func (b bytesAt) item(x cffIndex, i int) bytesAt {
	if i < 0 || i >= x.count {
		return nil
	}
	from, to := b.offset(x, i), b.offset(x, i+1)
	return b.part(x.offsets+(x.count+1)*x.size-1+from, to-from)
}

// sidText is the text of a string identifier that names a glyph.
func (b bytesAt) sidText(strs cffIndex, sid int) string {
	if sid < standardStrings {
		return runeText(runeAt(sidRunes, sid))
	}
	return glyphText(string(b.item(strs, sid-standardStrings)))
}

// The predefined charsets (appendix C), as ranges of string identifiers.
var (
	isoAdobe = [][2]int{{1, 228}}
	expert   = [][2]int{{1, 1}, {229, 238}, {13, 15}, {99, 99}, {239, 248}, {27, 28}, {249, 266}, {109, 110}, {267, 318}, {158, 158},
		{155, 155}, {163, 163}, {319, 326}, {150, 150}, {164, 164}, {169, 169}, {327, 378}}
	expertSubset = [][2]int{{1, 1}, {231, 232}, {235, 238}, {13, 15}, {99, 99}, {239, 248}, {27, 28}, {249, 251}, {253, 266}, {109, 110},
		{267, 270}, {272, 272}, {300, 302}, {305, 305}, {314, 315}, {158, 158}, {155, 155}, {163, 163}, {320, 326}, {150, 150}, {164, 164},
		{169, 169}, {327, 346}}
)
