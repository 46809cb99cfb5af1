package vp8l

// The kinds of transforms (RFC 9649, 3.5).
const (
	predictor = iota
	crossColor
	subtractGreen
	indexed
)

// transform is one that is to be undone.
type transform struct {
	kind int
	w    int // pixels of a row when it is undone
	bits int // of a square's side; of indexed: how many indices, as a power of two, share a pixel
	bw   int // squares in a row
	data []uint32
}

func (t *transform) undo(pix []uint32, rows int) []uint32 {
	switch t.kind {
	case predictor:
		t.predict(pix[:t.w*rows])
	case crossColor:
		t.addColors(pix[:t.w*rows])
	case subtractGreen:
		for i, v := range pix[:t.w*rows] {
			green := v >> 8 & 0xff
			pix[i] = v&0xff00ff00 | (v&0xff00ff+green<<16+green)&0xff00ff
		}
	case indexed:
		return t.lookUp(pix, rows)
	}
	return pix
}

// lookUp puts colours in the place of indices (3.5.4).
func (t *transform) lookUp(pix []uint32, rows int) []uint32 {
	var colors [256]uint32 // an index beyond the colours is transparent black
	copy(colors[:], t.data)
	if t.bits == 0 {
		for i, v := range pix[:t.w*rows] {
			pix[i] = colors[v>>8&0xff]
		}
		return pix
	}
	out := make([]uint32, t.w*rows)
	packed := cells(t.w, t.bits)
	each := 8 >> t.bits // bits of an index
	mask := uint32(1)<<each - 1
	for y := range rows {
		dst, src := out[y*t.w:(y+1)*t.w], pix[y*packed:(y+1)*packed]
		for x := range dst {
			dst[x] = colors[src[x>>t.bits]>>8>>(x&(1<<t.bits-1)*each)&mask]
		}
	}
	return out
}

// addColors undoes what was taken off red and blue by green, and off blue by red (3.5.2).
func (t *transform) addColors(pix []uint32) {
	for y := 0; len(pix) > 0; y++ {
		row := pix[:t.w]
		pix = pix[t.w:]
		for _, m := range t.data[y>>t.bits*t.bw:][:t.bw] {
			byGreen, blueByGreen, blueByRed := int32(int8(m)), int32(int8(m>>8)), int32(int8(m>>16))
			square := row[:min(len(row), 1<<t.bits)]
			row = row[len(square):]
			for x, v := range square {
				green := int32(int8(v >> 8))
				red := v>>16 + uint32(byGreen*green>>5)
				blue := v + uint32(blueByGreen*green>>5) + uint32(blueByRed*int32(int8(red))>>5)
				square[x] = v&0xff00ff00 | red&0xff<<16 | blue&0xff
			}
		}
	}
}

const black = 0xff000000

// predict adds what each pixel was predicted by (3.5.1).
func (t *transform) predict(pix []uint32) {
	pix[0] = addPixels(pix[0], black)
	for x := 1; x < t.w; x++ {
		pix[x] = addPixels(pix[x], pix[x-1])
	}
	for at, y := t.w, 1; at < len(pix); at, y = at+t.w, y+1 {
		pix[at] = addPixels(pix[at], pix[at-t.w])
		modes := t.data[y>>t.bits*t.bw:]
		for x := 1; x < t.w; {
			end := min(t.w, (x>>t.bits+1)<<t.bits)
			// The row from the pixel before, and what is above it; the last one has the beginning of its own row above to the right.
			addPredicted(pix[at+x-1:at+end], pix[at-t.w+x-1:at-t.w+end+1], modes[x>>t.bits]>>8&15)
			x = end
		}
	}
}

// addPredicted goes through a row from its second pixel on. above begins above the first, and has one more.
func addPredicted(row, above []uint32, mode uint32) {
	left := row[0]
	row = row[1:]
	for i, v := range row {
		a := above[i : i+3 : i+3]
		corner, top, right := a[0], a[1], a[2]
		var p uint32
		switch mode {
		case 1:
			p = left
		case 2:
			p = top
		case 3:
			p = right
		case 4:
			p = corner
		case 5:
			p = mean(mean(left, right), top)
		case 6:
			p = mean(left, corner)
		case 7:
			p = mean(left, top)
		case 8:
			p = mean(corner, top)
		case 9:
			p = mean(top, right)
		case 10:
			p = mean(mean(left, corner), mean(top, right))
		case 11:
			p = nearer(left, top, corner)
		case 12:
			p = gradient(left, top, corner)
		case 13:
			p = halfGradient(mean(left, top), corner)
		default:
			p = black
		}
		left = addPixels(v, p)
		row[i] = left
	}
}

// addPixels adds sample by sample.
func addPixels(a, b uint32) uint32 {
	return (a&0xff00ff00+b&0xff00ff00)&0xff00ff00 | (a&0xff00ff+b&0xff00ff)&0xff00ff
}

// mean is half the sum of two pixels, rounded down.
func mean(a, b uint32) uint32 { return (a^b)&0xfefefefe>>1 + a&b }

// nearer is the one of left and top that is nearer to left + top - corner, all samples together.
func nearer(left, top, corner uint32) uint32 {
	d := abs(int32(top>>24)-int32(corner>>24)) - abs(int32(left>>24)-int32(corner>>24))
	d += abs(int32(top>>16&0xff)-int32(corner>>16&0xff)) - abs(int32(left>>16&0xff)-int32(corner>>16&0xff))
	d += abs(int32(top>>8&0xff)-int32(corner>>8&0xff)) - abs(int32(left>>8&0xff)-int32(corner>>8&0xff))
	d += abs(int32(top&0xff)-int32(corner&0xff)) - abs(int32(left&0xff)-int32(corner&0xff))
	if d < 0 {
		return left
	}
	return top
}

func gradient(left, top, corner uint32) uint32 {
	a := clip(int32(left>>24) + int32(top>>24) - int32(corner>>24))
	r := clip(int32(left>>16&0xff) + int32(top>>16&0xff) - int32(corner>>16&0xff))
	g := clip(int32(left>>8&0xff) + int32(top>>8&0xff) - int32(corner>>8&0xff))
	b := clip(int32(left&0xff) + int32(top&0xff) - int32(corner&0xff))
	return a<<24 | r<<16 | g<<8 | b
}

func halfGradient(middle, corner uint32) uint32 {
	half := func(m, c int32) uint32 { return clip(m + (m-c)/2) }
	a := half(int32(middle>>24), int32(corner>>24))
	r := half(int32(middle>>16&0xff), int32(corner>>16&0xff))
	g := half(int32(middle>>8&0xff), int32(corner>>8&0xff))
	b := half(int32(middle&0xff), int32(corner&0xff))
	return a<<24 | r<<16 | g<<8 | b
}

func clip(v int32) uint32 {
	if uint32(v) <= 255 {
		return uint32(v)
	}
	return uint32(^v>>31) & 0xff // 0 below, 255 above
}

func abs(v int32) int32 {
	s := v >> 31
	return (v ^ s) - s
}
