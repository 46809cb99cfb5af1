package image

import (
	"github.com/glovebox-wasm/glovebox/decoders/image/internal/lzw"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const gifMissing = "the pixel data is damaged or cut"

// frame composes the pictures up to at on the screen.
func (f *gifFile) frame(at int64, b *budget) (picture, error) {
	if err := b.size(f.width, f.height, 4+1); err != nil { // the screen, and the indices of a picture
		return picture{}, err
	}
	if len(f.pieces) == 0 {
		return picture{}, pdk.Malformed("no pixels")
	}
	if f.played == nil {
		f.played = newCanvas(int(f.width), int(f.height), f.ground())
	}
	missing := ""
	_, err := f.played.play(at, func(at int64) (layer, error) {
		p := &f.pieces[at-1]
		m, err := f.picturePixels(p, b)
		if err != nil {
			return layer{}, err
		}
		if m.short {
			missing = gifMissing
		}
		l := layer{raster: m, x: int(p.x), y: int(p.y), over: true}
		switch p.dispose {
		case 2:
			l.dispose = disposeClear
		case 3, 4: // 4 is what some writers take 3 for
			l.dispose = disposeRestore
		}
		return l, nil
	})
	if at == f.frames && f.cut {
		missing = gifMissing
	}
	return picture{raster: &f.played.nrgba, orientation: 1, partial: missing}, err
}

// ground is what the screen shows where no picture is: nothing where the first picture shows that the file knows transparency, else the first
// colour. The background colour (GIF89a, 18) is what no reader uses.
func (f *gifFile) ground() [4]byte {
	if f.pieces[0].transparent >= 0 {
		return [4]byte{}
	}
	return f.colors(f.tableOf(&f.pieces[0]))[0]
}

// tableOf returns the colours of p: its own, the global ones, or, with n 0, grays.
func (f *gifFile) tableOf(p *gifFrame) span {
	if p.table.n > 0 {
		return p.table
	}
	return f.global
}

func (f *gifFile) colors(table span) *lut {
	var t lut
	for i := range t {
		t[i][3] = 0xff
		if table.n == 0 { // a file without colours has grays
			t[i] = [4]byte{byte(i), byte(i), byte(i), 0xff}
		}
	}
	for i, v := range readUpTo(f.in, table.off, table.n) {
		t[i/3][i%3] = v
	}
	return &t
}

// gifPixels is one picture's indices, as far as they lie on the screen.
type gifPixels struct {
	w, h  int // of the part on the screen
	index []byte
	there []bool // rows that the data reached
	table *lut
	short bool
}

func (m *gifPixels) size() (int, int) { return m.w, m.h }
func (m *gifPixels) opaque() bool     { return false }
func (m *gifPixels) row(y int, dst []byte) error {
	if !m.there[y] {
		clear(dst)
		return nil
	}
	m.table.expand(dst, m.index[y*m.w:(y+1)*m.w])
	return nil
}

// picturePixels decodes p. What lies beyond the screen is decoded and dropped, so a picture costs no more memory than the screen.
func (f *gifFile) picturePixels(p *gifFrame, b *budget) (*gifPixels, error) {
	m := &gifPixels{w: int(max(0, min(p.w, f.width-p.x))), h: int(max(0, min(p.h, f.height-p.y)))}
	if err := b.spend(int64(m.w), int64(m.h)); err != nil {
		return nil, err
	}
	m.table = f.colors(f.tableOf(p))
	if p.transparent >= 0 {
		m.table[p.transparent] = [4]byte{}
	}
	m.index, m.there = make([]byte, m.w*m.h), make([]bool, m.h)
	return m, m.decode(f.in, p, b)
}

func (m *gifPixels) decode(in readapi.Input, p *gifFrame, b *budget) error {
	size := readUpTo(in, p.data, 1)
	if len(size) == 0 || size[0] < 1 || size[0] > lzw.MaxSize {
		return pdk.Malformed("code size out of range")
	}
	blocks := &gifBlocks{in: in, off: p.data + 1}
	pixels := lzw.New(int(size[0]), blocks.read)
	row := make([]byte, p.w)
	seen := 0
	for y := range gifRows(int(p.h), p.interlace) {
		if seen == m.h { // every row on the screen is there
			break
		}
		n := pixels.Read(row)
		if y < m.h && (p.w == int64(m.w) || b.spend(p.w-int64(m.w), 1) == nil) {
			copy(m.index[y*m.w:(y+1)*m.w], row[:min(n, m.w)])
			m.there[y] = n >= m.w
			seen++
		} else if b.spend(p.w, 1) != nil { // work without a pixel to show for it
			m.short = true
			break
		}
		if n < len(row) {
			m.short = m.short || n < m.w || seen < m.h
			break
		}
	}
	return nil
}

// gifRows yields the rows of a picture of h rows in the order in which the file has them (GIF89a, appendix E).
func gifRows(h int, interlace bool) func(yield func(int) bool) {
	passes := [][2]int{{0, 1}}
	if interlace {
		passes = [][2]int{{0, 8}, {4, 8}, {2, 4}, {1, 2}}
	}
	return func(yield func(int) bool) {
		for _, p := range passes {
			for y := p[0]; y < h; y += p[1] {
				if !yield(y) {
					return
				}
			}
		}
	}
}

// gifBlocks reads the bytes of sub-blocks.
type gifBlocks struct {
	in   readapi.Input
	off  int64
	left int // of the current block
}

// read is what lzw.New wants: 0 at the end.
func (g *gifBlocks) read(p []byte) int {
	if g.left == 0 {
		var size [1]byte
		if !readInto(g.in, size[:], g.off) {
			return 0
		}
		g.off++
		g.left = int(size[0])
	}
	n := len(readUpToInto(g.in, p[:min(len(p), g.left)], g.off))
	g.off += int64(n)
	g.left -= n
	return n
}

func readUpToInto(in readapi.Input, b []byte, off int64) []byte {
	n, _ := in.ReadAt(b[:max(0, min(int64(len(b)), in.Size()-off))], off)
	return b[:n]
}
