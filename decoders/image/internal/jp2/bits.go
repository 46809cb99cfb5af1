package jp2

// bits reads a packet header: behind a byte of 0xff one bit is stuffed (B.10.1).
type bitReader struct {
	data  []byte
	at    int
	c     byte
	ct    int
	short bool // more was read than there is
}

func (b *bitReader) bit() int {
	if b.ct == 0 {
		b.ct = 8
		if b.c == 0xff {
			b.ct = 7
		}
		b.c = 0
		if b.at < len(b.data) {
			b.c = b.data[b.at]
		} else {
			b.short = true
		}
		b.at++
	}
	b.ct--
	return int(b.c >> b.ct & 1)
}

func (b *bitReader) uint(n int) (v int) {
	for range n {
		v = v<<1 | b.bit()
	}
	return v
}

// align ends a header and returns where the next byte is. A last byte of 0xff has a stuffed one behind it.
func (b *bitReader) align() int {
	if b.c == 0xff {
		b.at++
	}
	return min(b.at, len(b.data))
}

// tagTree is a tag tree (B.10.2): each node has the least value below it.
type tagTree struct {
	w, h  int
	nodes []tagNode // level by level, the leaves first
}

type tagNode struct {
	value, low int32
	parent     int32 // -1: the root
}

const unknownValue = 1 << 30

// tagNodes is how many nodes a tree over w by h leaves has.
func tagNodes(w, h int) (n int) {
	for {
		n += w * h
		if w*h <= 1 {
			return n
		}
		w, h = (w+1)/2, (h+1)/2
	}
}

func newTagTree(w, h int) *tagTree {
	t := &tagTree{w: w, h: h, nodes: make([]tagNode, tagNodes(w, h))}
	for base := 0; w*h > 0; {
		next := base + w*h
		for y := range h {
			for x := range w {
				n := &t.nodes[base+y*w+x]
				n.value, n.parent = unknownValue, -1
				if w*h > 1 {
					n.parent = int32(next + y/2*((w+1)/2) + x/2)
				}
			}
		}
		if w*h == 1 {
			break
		}
		base, w, h = next, (w+1)/2, (h+1)/2
	}
	return t
}

// below reports whether the value of a leaf is less than limit, reading as many bits as that takes.
func (t *tagTree) below(b *bitReader, leaf int, limit int32) bool {
	var path [32]int32
	n := 0
	for i := int32(leaf); i >= 0 && n < len(path); i = t.nodes[i].parent {
		path[n] = i
		n++
	}
	low := int32(0)
	for n--; n >= 0; n-- {
		node := &t.nodes[path[n]]
		low = max(low, node.low)
		for low < limit && low < node.value && !b.short {
			if b.bit() != 0 {
				node.value = low
			} else {
				low++
			}
		}
		node.low = low
	}
	return t.nodes[leaf].value < limit
}
