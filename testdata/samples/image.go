package samples

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math"
)

// Photo returns a JPEG of width by height pixels, a landscape under a sky, with an EXIF block that says that the camera was turned (orientation
// 6: shown, it is height by width) and where it stood. A reader that keeps its promises turns the picture and drops the block.
func Photo(width, height int) ([]byte, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, landscape(width, height), &jpeg.Options{Quality: 85}); err != nil {
		return nil, err
	}
	plain := b.Bytes()
	block := exif(6)
	out := append([]byte{}, plain[:2]...) // SOI
	out = append(out, 0xff, 0xe1)         // APP1
	out = binary.BigEndian.AppendUint16(out, uint16(len(block)+2))
	out = append(out, block...)
	return append(out, plain[2:]...), nil
}

// landscape is smooth with some grain, as a photo is.
func landscape(width, height int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	seed := uint32(1)
	for y := range height {
		for x := range width {
			seed = seed*1664525 + 1013904223
			grain := int(seed>>28) - 8
			ridge := 0.55 + 0.08*math.Sin(float64(x)/90) + 0.03*math.Sin(float64(x)/23)
			fy := float64(y) / float64(height)
			c := [3]int{120 + int(80*fy), 160 + int(60*fy), 225}
			if fy > ridge {
				c = [3]int{60 + int(60*fy), 110 + int(30*fy), 50}
			}
			img.SetRGBA(x, y, color.RGBA{clamp(c[0] + grain), clamp(c[1] + grain), clamp(c[2] + grain), 255})
		}
	}
	return img
}

func clamp(v int) uint8 { return uint8(max(0, min(255, v))) }

// exif is a big-endian TIFF with an orientation and a GPS position (Exif 2.32, 4.6).
func exif(orientation uint16) []byte {
	const ifd0, gps = 8, 8 + 2 + 2*12 + 4
	b := []byte("Exif\x00\x00MM\x00\x2a")
	u16 := func(v uint16) { b = binary.BigEndian.AppendUint16(b, v) }
	u32 := func(v uint32) { b = binary.BigEndian.AppendUint32(b, v) }
	u32(ifd0)
	u16(2)
	u16(0x0112) // Orientation, SHORT
	u16(3)
	u32(1)
	u16(orientation)
	u16(0)
	u16(0x8825) // GPS IFD, LONG
	u16(4)
	u32(1)
	u32(gps)
	u32(0)
	u16(2)
	for _, ref := range []struct {
		tag uint16
		val byte
	}{{1, 'N'}, {3, 'E'}} { // GPSLatitudeRef, GPSLongitudeRef, ASCII
		u16(ref.tag)
		u16(2)
		u32(2)
		b = append(b, ref.val, 0, 0, 0)
	}
	u32(0)
	return b
}

// PNG returns a picture of width by height pixels.
func PNG(width, height int) ([]byte, error) {
	var b bytes.Buffer
	err := png.Encode(&b, landscape(width, height))
	return b.Bytes(), err
}

// GIF returns an animation of n frames, each of one colour.
func GIF(n int) ([]byte, error) {
	var g gif.GIF
	for i := range n {
		c := color.RGBA{uint8(40 * i), 0x80, 0xff - uint8(40*i), 0xff}
		frame := image.NewPaletted(image.Rect(0, 0, 32, 24), color.Palette{c})
		g.Image = append(g.Image, frame)
		g.Delay = append(g.Delay, 10)
	}
	var b bytes.Buffer
	err := gif.EncodeAll(&b, &g)
	return b.Bytes(), err
}
