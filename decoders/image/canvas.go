package image

import "github.com/glovebox-wasm/glovebox/plugins/pdk"

// canvas composes the frames of an animation, one after the other.
type canvas struct {
	nrgba
	background [4]byte
	done       int64  // frames drawn
	undo       layer  // the last one, whose disposal is still due
	saved      []byte // what lay under it, for disposeRestore
}

// layer is one frame as the file has it: a picture at a place, and what happens to it.
type layer struct {
	raster
	x, y    int
	over    bool // blend with what is there; else replace it
	dispose disposal
}

// disposal is what becomes of a layer before the next one is drawn.
type disposal byte

const (
	disposeKeep disposal = iota
	disposeClear
	disposeRestore
)

func newCanvas(w, h int, background [4]byte) *canvas {
	c := &canvas{nrgba: *newNRGBA(w, h), background: background}
	if background != [4]byte{} {
		for i := 0; i < len(c.pix); i += 4 {
			copy(c.pix[i:i+4], background[:])
		}
	}
	return c
}

// play draws layers until layer at, from 1, is shown. A canvas goes forward only. fetch gives a layer; an error of its own
// leaves the canvas as it was before that layer. whole says that no layer ended early.
func (c *canvas) play(at int64, fetch func(at int64) (layer, error)) (whole bool, err error) {
	whole = true
	for c.done < at {
		c.disposeLast()
		l, err := fetch(c.done + 1)
		if err != nil {
			return whole, err
		}
		if l.dispose == disposeRestore {
			c.saved = append(c.saved[:0], c.rows(l)...)
		}
		got, want := c.draw(l)
		if got == 0 && want > 0 {
			return whole, pdk.Malformed("no pixels that can be decoded")
		}
		whole = whole && got == want
		c.done++
		c.undo = l
		c.undo.raster = area(l) // its pixels are not needed any more
	}
	return whole, nil
}

// frozen is a raster of a size only: what is kept of a layer that was drawn.
type frozen struct{ w, h int }

func (f frozen) size() (int, int)      { return f.w, f.h }
func (f frozen) opaque() bool          { return false }
func (f frozen) row(int, []byte) error { return nil }

func area(l layer) raster {
	w, h := l.size()
	return frozen{w, h}
}

// clip returns the part of l that lies on the canvas, as columns and rows of the canvas.
func (c *canvas) clip(l layer) (x0, y0, x1, y1 int) {
	w, h := l.size()
	return min(l.x, c.w), min(l.y, c.h), min(l.x+w, c.w), min(l.y+h, c.h)
}

// rows returns the canvas' rows that l touches.
func (c *canvas) rows(l layer) []byte {
	_, y0, _, y1 := c.clip(l)
	return c.pix[4*c.w*y0 : 4*c.w*y1]
}

func (c *canvas) disposeLast() {
	l := c.undo
	if c.done == 0 {
		return
	}
	switch l.dispose {
	case disposeClear:
		x0, y0, x1, y1 := c.clip(l)
		for y := y0; y < y1; y++ {
			for x := x0; x < x1; x++ {
				copy(c.pix[4*(y*c.w+x):][:4], c.background[:])
			}
		}
	case disposeRestore:
		copy(c.rows(l), c.saved)
	}
	c.undo = layer{raster: frozen{}}
}

// draw returns how many rows of l are on the canvas, and how many of them there were.
func (c *canvas) draw(l layer) (got, want int) {
	x0, y0, x1, y1 := c.clip(l)
	w, _ := l.size()
	buf := make([]byte, 4*w)
	for y := y0; y < y1; y++ {
		if l.row(y-l.y, buf) != nil {
			return y - y0, y1 - y0
		}
		dst, src := c.pix[4*(y*c.w+x0):4*(y*c.w+x1)], buf[4*(x0-l.x):]
		if l.over {
			blendOver(dst, src)
		} else {
			copy(dst, src)
		}
	}
	return y1 - y0, y1 - y0
}

// blendOver draws src over dst, both not premultiplied (PNG, third edition, 13.16; RFC 9649, 2.7.1.1).
func blendOver(dst, src []byte) {
	for i := 0; i+4 <= len(dst); i += 4 {
		sa, da := uint32(src[i+3]), uint32(dst[i+3])
		switch {
		case sa == 0xff || da == 0 && sa != 0:
			copy(dst[i:i+4], src[i:i+4])
		case sa != 0:
			below := da * (255 - sa)
			a := sa*255 + below // times 255
			for c := range 3 {
				dst[i+c] = uint8((uint32(src[i+c])*sa*255 + uint32(dst[i+c])*below + a/2) / a)
			}
			dst[i+3] = uint8((a + 127) / 255)
		}
	}
}
