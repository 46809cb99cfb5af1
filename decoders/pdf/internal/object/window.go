package object

import "io"

// blockBytes is what one small look into the file reads, and cachedBlocks how many such blocks are kept: objects that are used together
// mostly stand together, and one look at each end of a block costs less than many small ones.
const (
	blockBytes   = 4 << 10
	cachedBlocks = 16
)

// blocks are the parts of the file that were looked at last.
type blocks struct {
	number [cachedBlocks]int64 // of the block in data, counted from 1; 0: none
	data   [cachedBlocks][]byte
	next   int // to be replaced
	joined []byte
}

// window returns up to n bytes of the file at off, fewer at the end, for the caller to keep.
func (f *File) window(off int64, n int) []byte {
	return f.readInto(nil, off, n)
}

// readInto is window with the memory of b where that is enough.
func (f *File) readInto(b []byte, off int64, n int) []byte {
	if off < 0 || off >= f.in.Size() || n <= 0 {
		return nil
	}
	n = int(min(int64(n), f.in.Size()-off))
	if cap(b) < n {
		b = make([]byte, n)
	}
	k, err := f.in.ReadAt(b[:n], off)
	if err != nil && err != io.EOF {
		k = max(k, 0)
	}
	return b[:k]
}

// peek returns up to n bytes of the file at off, fewer at the end. They are valid until the next peek.
func (f *File) peek(off int64, n int) []byte {
	if off < 0 || off >= f.in.Size() || n <= 0 {
		return nil
	}
	n = int(min(int64(n), f.in.Size()-off))
	first, last := off/blockBytes, (off+int64(n)-1)/blockBytes
	if first == last {
		b := f.block(first)
		from := min(int(off-first*blockBytes), len(b))
		return b[from:min(from+n, len(b))]
	}
	if last-first >= cachedBlocks/2 {
		f.blocks.joined = f.readInto(f.blocks.joined, off, n)
		return f.blocks.joined
	}
	out := f.blocks.joined[:0]
	for i := first; i <= last; i++ {
		b := f.block(i)
		from := min(max(0, int(off-i*blockBytes)), len(b))
		out = append(out, b[from:min(from+n-len(out), len(b))]...)
	}
	f.blocks.joined = out
	return out
}

// block returns a block of the file.
func (f *File) block(i int64) []byte {
	c := &f.blocks
	for k, n := range c.number {
		if n == i+1 {
			return c.data[k]
		}
	}
	k := c.next
	c.next = (k + 1) % cachedBlocks
	c.number[k] = i + 1
	c.data[k] = f.readInto(c.data[k], i*blockBytes, blockBytes)
	return c.data[k]
}

// growing parses what stands at off. The window grows until parse ends inside it; what is over the limit of an object is not read. What
// parse makes aliases the window.
func (f *File) growing(off int64, parse func(p *parser)) bool {
	for n := blockBytes - int(off%blockBytes); ; n = min(4*n, maxObjectBytes) {
		n = max(n, blockBytes/8)
		b := f.peek(off, n)
		p := newParser(b)
		p.stack = f.stack[:0]
		parse(&p)
		f.stack = p.stack
		f.Parsed(p.Pos)
		switch {
		case p.Pos+16 < len(b) || len(b) < n:
			return true
		case n == maxObjectBytes:
			return false
		}
	}
}

// objectAt reads the indirect object at off.
func (f *File) objectAt(off int64) (in indirect, ok bool) {
	if off < 0 || !f.growing(off, func(p *parser) { in, ok = p.indirect() }) {
		return indirect{}, false
	}
	in.obj.compact()
	return in, ok
}

// compact gives o memory of its own, in one piece.
func (o *object) compact() {
	own := make([]byte, 0, o.text())
	o.copyTo(&own)
}

// text is how many bytes the strings and names of o have.
func (o *object) text() int {
	n := len(o.s)
	for i := range o.kids {
		n += o.kids[i].text()
	}
	return n
}

func (o *object) copyTo(own *[]byte) {
	if len(o.s) > 0 {
		from := len(*own)
		*own = append(*own, o.s...)
		o.s = (*own)[from:len(*own):len(*own)]
	}
	for i := range o.kids {
		o.kids[i].copyTo(own)
	}
}
