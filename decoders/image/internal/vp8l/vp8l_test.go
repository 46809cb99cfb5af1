package vp8l_test

import (
	"bytes"
	"image"
	"testing"

	xvp8l "golang.org/x/image/vp8l"
	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/vp8l"
)

// writer writes numbers, the lowest bit first.
type writer struct {
	out []byte
	acc uint64
	n   int
}

func (w *writer) bits(v, n int) {
	w.acc |= uint64(v) << w.n
	for w.n += n; w.n >= 8; w.n -= 8 {
		w.out = append(w.out, byte(w.acc))
		w.acc >>= 8
	}
}

func (w *writer) bytes() []byte { return append(bytes.Clone(w.out), byte(w.acc)) }

// file writes a picture of any kind: headers as the format has them, and pixels of any bits, since every bit belongs to some symbol there.
type file struct {
	writer
	t *rapid.T
}

func (f *file) draw(most int, what string) int { return rapid.IntRange(0, most).Draw(f.t, what) }

// code writes a prefix code of so many symbols: one symbol, two, or a full code of mixed sizes.
func (f *file) code(symbols int) {
	switch f.draw(3, "code") {
	case 0: // one
		f.bits(1, 1)
		f.bits(0, 1)
		f.bits(1, 1)
		f.bits(f.draw(min(symbols, 256)-1, "symbol"), 8)
	case 1: // two, the lower one first: the library takes them in the order of the file, the format in that of their values
		f.bits(1, 1)
		f.bits(1, 1)
		f.bits(0, 1)
		low := f.draw(1, "symbol")
		f.bits(low, 1)
		f.bits(rapid.IntRange(low+1, min(symbols, 256)-1).Draw(f.t, "symbol"), 8)
	case 2: // 1, 2, 3 … bits for the first symbols, the last two as many
		f.sizes(symbols, 14)
	default: // the same size for the first 2 to the power of n
		n := 1 + f.draw(4, "size")
		f.bits(0, 1)
		f.bits(15, 4) // all sizes of the code for sizes
		for _, s := range order {
			f.bits(flag(s == n || s == 0), 3)
		}
		f.bits(0, 1)
		zero, size := 0, 1 // the shorter number is the lower bit
		for i := range symbols {
			if i < 1<<n {
				f.bits(size, 1)
			} else {
				f.bits(zero, 1)
			}
		}
	}
}

var order = [19]int{17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sizes writes a code whose symbols take 1, 2, … most bits, and most again; codes for sizes are four bits each, by value.
func (f *file) sizes(symbols, most int) {
	f.bits(0, 1)
	f.bits(15, 4)
	for _, s := range order {
		f.bits(4*flag(s < 16), 3)
	}
	f.bits(1, 1)
	f.bits(3, 3) // how many sizes there are: 8 bits, less 2
	f.bits(most+1-2, 8)
	for i := range most + 1 {
		v := min(i+1, most)
		reversed := v&1<<3 | v&2<<1 | v&4>>1 | v&8>>3
		f.bits(reversed, 4)
	}
}

// picture writes w by h pixels of noise.
func (f *file) picture(w, h int, main bool) {
	symbols := 256 + 24
	if f.draw(1, "cache") == 1 {
		n := 1 + f.draw(10, "cache bits")
		f.bits(1, 1)
		f.bits(n, 4)
		symbols += 1 << n
	} else {
		f.bits(0, 1)
	}
	if main {
		f.bits(0, 1)
	}
	for _, n := range [5]int{symbols, 256, 256, 256, 40} {
		f.code(n)
	}
	f.noise(w * h * 9)
}

func (f *file) noise(n int) {
	seed := rapid.Uint32().Draw(f.t, "noise")
	for range n {
		seed = seed*1664525 + 1013904223
		f.bits(int(seed>>24), 8)
	}
}

func pictureOf(t *rapid.T) (data []byte, w, h int) {
	f := &file{t: t}
	w, h = 1+f.draw(40, "w"), 1+f.draw(30, "h")
	f.bits(0x2f, 8)
	f.bits(w-1, 14)
	f.bits(h-1, 14)
	f.bits(1, 1)
	f.bits(0, 3)
	if f.draw(2, "green") == 0 {
		f.bits(1, 1)
		f.bits(2, 2)
	}
	if kind := f.draw(3, "transform"); kind == 0 || kind == 1 { // squares in one piece: what follows a picture of noise is not where it ends
		f.bits(1, 1)
		f.bits(kind, 2)
		f.bits(7, 3)
		f.bits(0, 1) // no cache
		for range 5 {
			f.bits(1, 1)
			f.bits(0, 1)
			f.bits(1, 1)
			f.bits(f.draw(13, "constant"), 8) // the modes of prediction that there are
		}
	}
	f.bits(0, 1)
	f.picture(w, h, true)
	return f.bytes(), w, h
}

// TestAgainstLibrary holds that every pixel is the one that golang.org/x/image/vp8l finds.
func TestAgainstLibrary(t *testing.T) {
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		data, w, h := pictureOf(t)
		m, err := xvp8l.Decode(bytes.NewReader(data))
		got, ours := vp8l.Decode(data)
		if err != nil {
			return // one of the references is to before the first pixel, mostly
		}
		if ours != nil || got.Rows != h || got.Width != w {
			t.Fatalf("%v, want %dx%d", ours, w, h)
		}
		compared++
		want := m.(*image.NRGBA)
		row := make([]byte, 4*w)
		for y := range h {
			if got.Row(y, row); !bytes.Equal(row, want.Pix[y*want.Stride:][:4*w]) {
				t.Fatalf("row %d of %dx%d differs: %v, want %v", y, w, h, row, want.Pix[y*want.Stride:][:4*w])
			}
		}
	})
	if compared < 10 {
		t.Errorf("only %d were compared", compared)
	}
}

// TestCut holds that of a picture that is cut the upper rows are those of the whole.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, _, h := pictureOf(t)
		whole, err := vp8l.Decode(data)
		if err != nil {
			return
		}
		part, err := vp8l.Decode(data[:rapid.IntRange(0, len(data)).Draw(t, "cut")])
		if err != nil {
			return
		}
		if part.Rows > whole.Rows || whole.Rows > h {
			t.Fatalf("%d rows of %d of %d", part.Rows, whole.Rows, h)
		}
		a, b := make([]byte, 4*whole.Width), make([]byte, 4*whole.Width)
		for y := range part.Rows {
			part.Row(y, a)
			if whole.Row(y, b); !bytes.Equal(a, b) {
				t.Fatalf("row %d of %d differs", y, part.Rows)
			}
		}
	})
}

// TestTwoSymbols holds that of two symbols the lower one has the code 0, whatever their order in the file.
func TestTwoSymbols(t *testing.T) {
	var w writer
	w.bits(0x2f, 8)
	w.bits(1, 14)
	w.bits(0, 14)
	w.bits(0, 1+3)
	w.bits(0, 1+1+1) // no transform, cache or squares
	w.bits(1|1<<1|0<<2|1<<3|0<<4, 12)
	for range 4 {
		w.bits(1, 4)
	}
	w.bits(0|1<<1, 2)
	f, err := vp8l.Decode(w.bytes())
	if err != nil {
		t.Fatal(err)
	}
	row := make([]byte, 8)
	if f.Row(0, row); row[1] != 0 || row[5] != 1 {
		t.Errorf("green is %d and %d, want 0 and 1", row[1], row[5])
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{0x2f, 9, 0x40, 2, 0, 0x88, 0x88, 8, 0, 0})
	f.Add(bytes.Repeat([]byte{0x2f, 3, 0, 1, 0}, 20))
	f.Fuzz(func(t *testing.T, data []byte) {
		w, h, _, ok := vp8l.Size(data)
		if !ok || w*h > 1<<16 {
			return
		}
		p, err := vp8l.Decode(data)
		if err == nil && (p.Rows < 1 || p.Rows > h) {
			t.Errorf("%d rows of %d", p.Rows, h)
		}
	})
}
