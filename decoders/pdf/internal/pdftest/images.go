package pdftest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"strings"
)

// Image adds an image XObject; dict holds its entries but for Width and Height.
func (w *Writer) Image(width, height int, dict string, data []byte) int {
	return w.Stream(fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d%s", width, height, dict), data)
}

// Placed is an image XObject and the matrix that takes the unit square to where it stands, "612 0 0 792 0 0".
type Placed struct {
	Image  int
	Matrix string
}

// ImagePages adds a page of 612 by 792 points for each list of images, with more entries of its dictionary, and the catalog.
func (w *Writer) ImagePages(more string, pages ...[]Placed) {
	var kids []string
	tree := len(w.Objects) + 2*len(pages) + 1
	for _, list := range pages {
		var content, names strings.Builder
		for i, p := range list {
			fmt.Fprintf(&content, "q %s cm /I%d Do Q\n", p.Matrix, i)
			fmt.Fprintf(&names, "/I%d %d 0 R", i, p.Image)
		}
		c := w.Stream("", []byte(content.String()))
		page := w.Add("<</Type/Page/Parent %d 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<</XObject<<%s>>>>%s>>", tree, c, names.String(), more)
		kids = append(kids, fmt.Sprintf("%d 0 R", page))
	}
	w.Add("<</Type/Pages/Count %d/Kids[%s]>>", len(kids), strings.Join(kids, " "))
	w.Root = w.Add("<</Type/Catalog/Pages %d 0 R>>", tree)
}

// Scan is a drawing without symmetry: a dark bar at the top, a red square at the lower left, the rest a ramp of gray. However it is turned,
// cut or mirrored, it shows.
func Scan(width, height int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.RGBA{uint8(128 + 100*x/width), uint8(128 + 100*x/width), uint8(128 + 100*x/width), 255}
			switch {
			case y < height/8:
				c = color.RGBA{20, 20, 20, 255}
			case x < width/4 && y > height*3/4:
				c = color.RGBA{220, 20, 20, 255}
			}
			m.SetRGBA(x, y, c)
		}
	}
	return m
}

// Part returns a part of a picture as one of its own.
func Part(m *image.RGBA, r image.Rectangle) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
	for y := range r.Dy() {
		for x := range r.Dx() {
			out.SetRGBA(x, y, m.RGBAAt(r.Min.X+x, r.Min.Y+y))
		}
	}
	return out
}

// RGB are the samples of a picture in DeviceRGB.
func RGB(m *image.RGBA) (out []byte) {
	for i := 0; i < len(m.Pix); i += 4 {
		out = append(out, m.Pix[i:i+3]...)
	}
	return out
}

// JPEG is a picture as DCTDecode has it.
func JPEG(m image.Image) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// FlatJPEG is a JPEG of 8 by 8 pixels of one colour, whose components are stored as they are given and which does not say what they mean.
func FlatJPEG(stored ...byte) []byte {
	n := byte(len(stored))
	b := []byte{0xff, 0xd8, 0xff, 0xdb, 0, 67, 0, 8}
	b = append(b, bytes.Repeat([]byte{1}, 63)...)
	b = append(b, 0xff, 0xc0, 0, 8+3*n, 8, 0, 8, 0, 8, n)
	for i := range n {
		b = append(b, i+1, 0x11, 0)
	}
	b = append(b, 0xff, 0xc4, 0, 31, 0, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) // twelve codes of four bits for the mean
	b = append(b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	b = append(b, 0xff, 0xc4, 0, 20, 0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) // one code of one bit: nothing else
	b = append(b, 0xff, 0xda, 0, 6+2*n, n)
	for i := range n {
		b = append(b, i+1, 0)
	}
	b = append(b, 0, 63, 0)
	var code strings.Builder
	for _, v := range stored {
		d := int(v) - 128
		size := 0
		for 1<<size <= max(d, -d) {
			size++
		}
		if d < 0 {
			d += 1<<size - 1
		}
		fmt.Fprintf(&code, "%04b", size)
		if size > 0 {
			fmt.Fprintf(&code, "%0*b", size, d)
		}
		code.WriteByte('0')
	}
	s := code.String() + strings.Repeat("1", 7)
	for ; len(s) >= 8; s = s[8:] {
		var c byte
		for _, bit := range s[:8] {
			c = c<<1 | byte(bit-'0')
		}
		if b = append(b, c); c == 0xff {
			b = append(b, 0)
		}
	}
	return append(b, 0xff, 0xd9)
}

// Bits packs values of n bits, rows ended at a byte.
func Bits(values []int, width, n int) (out []byte) {
	for ; len(values) > 0; values = values[width:] {
		row := make([]byte, (width*n+7)/8)
		for i, v := range values[:width] {
			for k := range n {
				if v>>(n-1-k)&1 == 1 {
					row[(i*n+k)>>3] |= 0x80 >> ((i*n + k) & 7)
				}
			}
		}
		out = append(out, row...)
	}
	return out
}

// FaxWedge is Group 4 data of a white picture with a black wedge: row y, from 0, is black from width-3*(y+1) on. No run needs a code of its
// own for that, each edge stands three pixels left of the one above.
func FaxWedge(width, height int) (out []byte) {
	bits := 0
	put := func(code string) {
		for _, c := range code {
			if bits&7 == 0 {
				out = append(out, 0)
			}
			if c == '1' {
				out[bits>>3] |= 0x80 >> (bits & 7)
			}
			bits++
		}
	}
	for range height {
		put("0000010") // three left of the edge above
		put("1")       // the end of the row, below the one above
	}
	put("000000000001000000000001")
	return out
}
