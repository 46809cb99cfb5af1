// Package png turns the compressed data of a PNG into rows of pixels (W3C PNG, third edition, 7 to 10). It knows nothing of chunks: the
// caller finds those, and gives what they say.
//
//	d := png.New(png.Format{Width: 640, Height: 480, Depth: 8, Type: png.TrueColor}, idat.Read)
//	for d.Row(dst) { … }
//
// Rows come one by one, so a large picture costs little more than a row of memory; only an interlaced one is held. What comes before damage
// is given, and no more.
package png

// The colour types (W3C PNG, third edition, 11.2.1). A set bit 2 means alpha.
const (
	Gray      = 0
	TrueColor = 2
	Indexed   = 3
	GrayAlpha = 4
	RGBA      = 6
)

// Format is what a decoder must know of a picture.
type Format struct {
	Width, Height int
	Depth         int // bits of a sample
	Type          byte
	Interlaced    bool
	Palette       []byte // red, green, blue; of type Indexed
	Transparency  []byte // as in the tRNS chunk
}

// samples is how many samples a pixel has.
func (f *Format) samples() int {
	switch f.Type {
	case TrueColor:
		return 3
	case GrayAlpha:
		return 2
	case RGBA:
		return 4
	}
	return 1
}

// Valid reports whether there is such a combination of type and depth (W3C PNG, third edition, table 12).
func (f *Format) Valid() bool {
	switch f.Depth {
	case 8:
		return f.Type <= RGBA && f.Type != 1 && f.Type != 5
	case 16:
		return f.Type <= RGBA && f.Type&1 == 0
	case 1, 2, 4:
		return f.Type == Gray || f.Type == Indexed
	}
	return false
}

// rowBytes is how many bytes w pixels take, without the filter's.
func (f *Format) rowBytes(w int) int { return (w*f.samples()*f.Depth + 7) / 8 }

// Decoder gives the rows of one picture.
type Decoder struct {
	Format
	in        *inflater
	row, last []byte // the one that is made and the one above it, unfiltered
	colors    [256][4]byte
	hidden    uint64 // the colour that is not seen, its samples 16 bits each; noColor: none
	done      int

	pix   []byte // of an interlaced picture: all of it, from the first row on
	short bool   // and some of its data were missing
	none  bool   // or all of it
}

// noColor is no colour that three samples can have.
const noColor = 1 << 63

// New prepares to read the rows of a picture of a valid format. read gives the zlib stream in pieces, 0 at its end.
func New(f Format, read func(p []byte) int) *Decoder {
	d := &Decoder{Format: f}
	n := f.rowBytes(f.Width)
	d.in = newInflater(read, n+1)
	d.row, d.last = make([]byte, n), make([]byte, n)
	d.setColors()
	d.skipHead()
	return d
}

// skipHead drops the head of the zlib stream (RFC 1950, 2.2), whatever window it names.
func (d *Decoder) skipHead() {
	head, ok := d.in.bits(16)
	const dictionary = 0x20 << 8
	if !ok || head&15 != 8 || head&dictionary != 0 {
		d.in.state = atEnd
	}
}

// setColors makes what samples stand for: the palette, or grays, and the colour that is transparent.
func (d *Decoder) setColors() {
	d.hidden = noColor
	t := d.Transparency
	most := 1<<min(d.Depth, 16) - 1
	sample := func(i int) uint64 { return uint64((int(t[i])<<8 | int(t[i+1])) & most) } // only the low bits count, 11.3.2.1
	switch {
	case d.Type == Gray && len(t) >= 2:
		d.hidden = sample(0)
	case d.Type == TrueColor && len(t) >= 6:
		d.hidden = sample(0)<<32 | sample(2)<<16 | sample(4)
	}
	for i := range d.colors {
		c := [4]byte{0, 0, 0, 0xff}
		switch {
		case d.Type != Indexed && d.Depth < 8:
			v := byte(min(i, most) * 255 / most)
			c = [4]byte{v, v, v, 0xff}
		case d.Type != Indexed:
			c = [4]byte{byte(i), byte(i), byte(i), 0xff}
		case 3*i+3 <= len(d.Palette):
			c = [4]byte{d.Palette[3*i], d.Palette[3*i+1], d.Palette[3*i+2], 0xff}
		}
		if d.Type == Indexed && i < len(t) {
			c[3] = t[i]
		}
		if d.Type == Gray && d.Depth <= 8 && uint64(i) == d.hidden {
			c[3] = 0
		}
		d.colors[i] = c
	}
}

// Opaque reports whether no pixel can be transparent.
func (d *Decoder) Opaque() bool {
	if d.Type == Indexed {
		for i := range d.Transparency {
			if i < len(d.colors) && d.colors[i][3] != 0xff {
				return false
			}
		}
		return true
	}
	return d.Type&GrayAlpha == 0 && d.hidden == noColor
}

// Row writes the next row to dst: red, green, blue, alpha, a byte each, not premultiplied. It is false when this row and those behind it are
// missing.
func (d *Decoder) Row(dst []byte) bool {
	if d.done >= d.Height {
		return false
	}
	if d.Interlaced {
		if d.weave(); d.none {
			return false
		}
		copy(dst, d.pix[4*d.Width*d.done:4*d.Width*(d.done+1)])
	} else {
		if !d.next(d.Width) {
			return false
		}
		d.expand(dst, d.row, d.Width)
		d.row, d.last = d.last, d.row
	}
	d.done++
	return true
}

// Whole reads all of an interlaced picture and reports whether nothing of it is missing.
func (d *Decoder) Whole() bool {
	d.weave()
	return !d.short
}

// next unfilters the next row, of w pixels.
func (d *Decoder) next(w int) bool {
	n := d.rowBytes(w)
	b := d.in.next(1 + n)
	if len(b) < 1+n || b[0] > paeth {
		return false
	}
	unfilter(d.row[:n], b[1:], d.last[:n], max(1, d.samples()*d.Depth/8), b[0])
	return true
}

// passes are where each pass of an interlaced picture begins, and its steps (W3C PNG, third edition, 8.2).
var passes = [7]struct{ x, y, dx, dy int }{
	{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2},
}

// weave reads all passes of an interlaced picture. Where the data end early, each pixel that is missing is that of the pass before which
// is next to it.
func (d *Decoder) weave() {
	if d.pix != nil {
		return
	}
	d.pix = make([]byte, 4*d.Width*d.Height)
	line := make([]byte, 4*d.Width)
	d.none = true
	for i, p := range passes {
		w := (d.Width - p.x + p.dx - 1) / p.dx
		if w <= 0 {
			continue
		}
		clear(d.last)
		for y := p.y; y < d.Height; y += p.dy {
			if d.short || !d.next(w) {
				d.short = true
				d.borrow(i, y)
				continue
			}
			d.none = false
			d.expand(line, d.row, w)
			d.row, d.last = d.last, d.row
			row := d.pix[4*d.Width*y : 4*d.Width*(y+1)]
			for x, j := p.x, 0; x < d.Width; x, j = x+p.dx, j+1 {
				copy(row[4*x:4*x+4], line[4*j:4*j+4])
			}
		}
	}
}

// borrow fills row y of pass i, whose pixels lie in the middle between those of earlier passes.
func (d *Decoder) borrow(i, y int) {
	p := passes[i]
	from, left := y, 0
	switch {
	case p.y > 0:
		from -= p.y
	case p.x > 0:
		left = p.x
	}
	for x := p.x; x < d.Width; x += p.dx {
		copy(d.pix[4*(y*d.Width+x):][:4], d.pix[4*(from*d.Width+x-left):][:4])
	}
}
