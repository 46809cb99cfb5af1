package png_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image/color"
	stdpng "image/png"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/png"
)

// failer is a test or a property.
type failer interface {
	Helper()
	Fatal(args ...any)
}

func must(t failer, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func zlibOf(t failer, b []byte, level int) []byte {
	var out bytes.Buffer
	z, err := zlib.NewWriterLevel(&out, level)
	must(t, err)
	_, err = z.Write(b)
	must(t, err)
	must(t, z.Close())
	return out.Bytes()
}

// pieces gives b in pieces of up to n bytes.
func pieces(b []byte, n int) func(p []byte) int {
	return func(p []byte) int {
		k := copy(p[:min(n, len(p))], b)
		b = b[k:]
		return k
	}
}

var samples = map[byte]int{png.Gray: 1, png.TrueColor: 3, png.Indexed: 1, png.GrayAlpha: 2, png.RGBA: 4}

// format draws any kind of picture.
func format(t *rapid.T) png.Format {
	f := png.Format{
		Width: rapid.IntRange(1, 40).Draw(t, "width"), Height: rapid.IntRange(1, 20).Draw(t, "height"),
		Depth: rapid.SampledFrom([]int{1, 2, 4, 8, 16}).Draw(t, "depth"), Type: rapid.SampledFrom([]byte{0, 2, 3, 4, 6}).Draw(t, "type"),
		Interlaced: rapid.Bool().Draw(t, "interlaced"),
	}
	if !f.Valid() {
		f.Depth = 8
	}
	if f.Type == png.Indexed {
		f.Palette = rapid.SliceOfN(rapid.Byte(), 3<<f.Depth, 3<<f.Depth).Draw(t, "palette")
	}
	if rapid.Bool().Draw(t, "transparency") {
		switch f.Type {
		case png.Gray, png.TrueColor:
			for range samples[f.Type] {
				v := rapid.IntRange(0, 1<<f.Depth-1).Draw(t, "transparent")
				f.Transparency = append(f.Transparency, byte(v>>8), byte(v))
			}
		case png.Indexed:
			f.Transparency = rapid.SliceOfN(rapid.Byte(), 1, 1<<f.Depth).Draw(t, "alpha")
		}
	}
	return f
}

// raw draws the rows of f, each with a filter.
func raw(t *rapid.T, f png.Format) []byte {
	var out []byte
	rows := func(w, h int) {
		if w <= 0 || h <= 0 {
			return
		}
		n := (w*samples[f.Type]*f.Depth + 7) / 8
		for range h {
			out = append(out, byte(rapid.IntRange(0, 4).Draw(t, "filter")))
			out = append(out, rapid.SliceOfN(rapid.SampledFrom([]byte{0, 0, 1, 0x80, 0x7f, 0xff, 3, 0x55}), n, n).Draw(t, "row")...)
		}
	}
	if !f.Interlaced {
		rows(f.Width, f.Height)
		return out
	}
	for _, p := range [7][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}} {
		rows((f.Width-p[0]+p[2]-1)/p[2], (f.Height-p[1]+p[3]-1)/p[3])
	}
	return out
}

// file is a PNG for the standard library.
func file(f png.Format, data []byte) []byte {
	out := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(name string, b []byte) {
		out = binary.BigEndian.AppendUint32(out, uint32(len(b)))
		start := len(out)
		out = append(append(out, name...), b...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[start:]))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(f.Width)), uint32(f.Height))
	head = append(head, byte(f.Depth), f.Type, 0, 0, 0)
	if f.Interlaced {
		head[12] = 1
	}
	chunk("IHDR", head)
	if f.Palette != nil {
		chunk("PLTE", f.Palette)
	}
	if f.Transparency != nil {
		chunk("tRNS", f.Transparency)
	}
	chunk("IDAT", data)
	chunk("IEND", nil)
	return out
}

func allRows(d *png.Decoder) (pix []byte, rows int) {
	line := make([]byte, 4*d.Width)
	for d.Row(line) {
		pix = append(pix, line...)
		rows++
	}
	return pix, rows
}

// TestAgainstStandard holds that every kind of picture has the pixels that the standard library finds in it.
func TestAgainstStandard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := format(t)
		data := zlibOf(t, raw(t, f), rapid.IntRange(0, 9).Draw(t, "level"))
		want, err := stdpng.Decode(bytes.NewReader(file(f, data)))
		if err != nil {
			t.Fatal(err)
		}
		d := png.New(f, pieces(data, rapid.IntRange(1, 100).Draw(t, "piece")))
		got, rows := allRows(d)
		if rows != f.Height {
			t.Fatalf("%d rows of %d", rows, f.Height)
		}
		for y := range f.Height {
			for x := range f.Width {
				g := color.NRGBA{got[4*(y*f.Width+x)], got[4*(y*f.Width+x)+1], got[4*(y*f.Width+x)+2], got[4*(y*f.Width+x)+3]}
				c := color.NRGBA64Model.Convert(want.At(x, y)).(color.NRGBA64)
				w := color.NRGBA{byte(c.R >> 8), byte(c.G >> 8), byte(c.B >> 8), byte(c.A >> 8)}
				if n, ok := want.At(x, y).(color.NRGBA); ok {
					w = n
				}
				if g != w && (g.A != 0 || w.A != 0) {
					t.Fatalf("%+v: pixel (%d, %d) is %v, want %v", f, x, y, g, w)
				}
				if d.Opaque() && g.A != 0xff {
					t.Fatalf("%+v: opaque, but pixel (%d, %d) is %v", f, x, y, g)
				}
			}
		}
	})
}

// TestCut holds that data which end early give the rows before that, as they are in the whole.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := format(t)
		f.Interlaced = false
		data := zlibOf(t, raw(t, f), 6)
		whole, _ := allRows(png.New(f, pieces(data, 1000)))
		cut := data[:rapid.IntRange(0, len(data)).Draw(t, "cut")]
		part, rows := allRows(png.New(f, pieces(cut, 1000)))
		if rows > f.Height || !bytes.Equal(part, whole[:len(part)]) {
			t.Fatalf("%d rows of %d differ", rows, f.Height)
		}
	})
}

// TestInterlacedCut holds that an interlaced picture of one colour is that colour at any cut that leaves the first row.
func TestInterlacedCut(t *testing.T) {
	f := png.Format{Width: 21, Height: 13, Depth: 8, Type: png.RGBA, Interlaced: true}
	var rows []byte
	for _, p := range [7][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}} {
		for range (f.Height - p[1] + p[3] - 1) / p[3] {
			rows = append(rows, 0)
			rows = append(rows, bytes.Repeat([]byte{1, 2, 3, 4}, (f.Width-p[0]+p[2]-1)/p[2])...)
		}
	}
	want := bytes.Repeat([]byte{1, 2, 3, 4}, f.Width*f.Height)
	for n := 1 + 4*3; n <= len(rows); n++ {
		d := png.New(f, pieces(zlibOf(t, rows[:n], 1), 1<<20))
		if d.Whole() != (n == len(rows)) {
			t.Fatalf("%d bytes of %d: whole is %v", n, len(rows), d.Whole())
		}
		if got, _ := allRows(d); !bytes.Equal(got, want) && n >= 2*(1+4*3) {
			t.Fatalf("%d bytes of %d: other pixels", n, len(rows))
		}
	}
	if _, rows := allRows(png.New(f, pieces(zlibOf(t, rows[:5], 1), 1<<20))); rows != 0 {
		t.Errorf("%d rows out of nothing", rows)
	}
}

// TestLong reads a picture that fills the window many times, at every level of compression.
func TestLong(t *testing.T) {
	f := png.Format{Width: 3000, Height: 400, Depth: 8, Type: png.TrueColor}
	var rows []byte
	noise := uint32(1)
	for y := range f.Height {
		rows = append(rows, 0)
		for x := range 3 * f.Width {
			noise = noise*1664525 + 1013904223
			rows = append(rows, byte(x/7+y)+byte(noise>>30)*byte(y/100))
		}
	}
	for level := range 10 {
		got, n := allRows(png.New(f, pieces(zlibOf(t, rows, level), 7001)))
		if n != f.Height {
			t.Fatalf("level %d: %d rows", level, n)
		}
		for y := range f.Height {
			for x := range f.Width {
				if !bytes.Equal(got[4*(y*f.Width+x):][:3], rows[y*(3*f.Width+1)+1+3*x:][:3]) {
					t.Fatalf("level %d: pixel (%d, %d) differs", level, x, y)
				}
			}
		}
	}
}

func FuzzRows(f *testing.F) {
	for _, level := range []int{0, 1, 6, -2} {
		f.Add(zlibOf(f, bytes.Repeat([]byte{4, 1, 2, 3, 1, 2, 3, 9}, 60), level), byte(8), byte(2), false)
	}
	f.Add(zlibOf(f, bytes.Repeat([]byte{1, 200}, 60), 6), byte(1), byte(3), true)
	f.Fuzz(func(t *testing.T, data []byte, depth, kind byte, interlaced bool) {
		format := png.Format{Width: 37, Height: 19, Depth: int(depth), Type: kind, Interlaced: interlaced, Palette: []byte{1, 2, 3}}
		if !format.Valid() {
			return
		}
		first, _ := allRows(png.New(format, pieces(data, 5)))
		again, _ := allRows(png.New(format, pieces(data, 1<<20)))
		if !bytes.Equal(first, again) {
			t.Error("the size of the pieces matters")
		}
	})
}

func BenchmarkRows(b *testing.B) {
	f := png.Format{Width: 1500, Height: 1000, Depth: 8, Type: png.RGBA}
	for filter, name := range []string{"none", "sub", "up", "average", "paeth"} {
		var rows []byte
		noise := uint32(1)
		for range f.Height {
			rows = append(rows, byte(filter))
			for range 4 * f.Width {
				noise = noise*1664525 + 1013904223
				rows = append(rows, byte(noise>>29))
			}
		}
		data := zlibOf(b, rows, 6)
		line := make([]byte, 4*f.Width)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(rows)))
			for b.Loop() {
				for d := png.New(f, pieces(data, 1<<20)); d.Row(line); {
				}
			}
		})
	}
}
