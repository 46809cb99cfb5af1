package vp8_test

import (
	"bytes"
	"testing"

	xvp8 "golang.org/x/image/vp8"
	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/vp8"
)

// frame is a key frame whose partitions are what data says: any bits are a picture to this coding, so noise has every mode, token and filter.
func frame(w, h int, first int, data []byte) []byte {
	b := []byte{byte(first<<5) | 0x10, byte(first >> 3), byte(first >> 11), 0x9d, 1, 0x2a, byte(w), byte(w >> 8), byte(h), byte(h >> 8)}
	return append(b, data...)
}

// noise is data as a picture might have them: mostly few bits.
func noise(t *rapid.T, n int) []byte {
	out := make([]byte, n)
	seed := rapid.Uint64().Draw(t, "seed")
	sparse := rapid.IntRange(0, 3).Draw(t, "sparse")
	for i := range out {
		seed = seed*6364136223846793005 + 1442695040888963407
		v := byte(seed >> 56)
		for range sparse {
			seed = seed*6364136223846793005 + 1442695040888963407
			v &= byte(seed >> 56)
		}
		out[i] = v
	}
	return out
}

// TestAgainstLibrary holds that every sample is the one that golang.org/x/image/vp8 finds.
func TestAgainstLibrary(t *testing.T) {
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 70).Draw(t, "w"), rapid.IntRange(1, 70).Draw(t, "h")
		first := rapid.IntRange(200, 2000).Draw(t, "first")
		data := frame(w, h, first, noise(t, first+20000))
		d := xvp8.NewDecoder()
		d.Init(bytes.NewReader(data), len(data))
		if _, err := d.DecodeFrameHeader(); err != nil {
			t.Fatal(err)
		}
		want, err := d.DecodeFrame()
		got, ours := vp8.Decode(data)
		if err != nil || ours != nil || got.Rows < h {
			return // the data ended, which each of the two may see at another place
		}
		compared++
		for y := range h {
			for x := range w {
				if got.Y[y*got.YStride+x] != want.Y[want.YOffset(x, y)] {
					t.Fatalf("luma (%d, %d) is %d, want %d", x, y, got.Y[y*got.YStride+x], want.Y[want.YOffset(x, y)])
				}
				if at, c := y/2*got.CStride+x/2, want.COffset(x, y); got.Cb[at] != want.Cb[c] || got.Cr[at] != want.Cr[c] {
					t.Fatalf("chroma (%d, %d) is %d %d, want %d %d", x, y, got.Cb[at], got.Cr[at], want.Cb[c], want.Cr[c])
				}
			}
		}
	})
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

// TestCut holds that of a frame that is cut the upper rows are those of the whole, as far as no edge below them is smoothed.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const w, h, first = 40, 100, 600
		data := frame(w, h, first, noise(t, first+8000))
		whole, err := vp8.Decode(data)
		if err != nil || whole.Rows < h {
			return
		}
		part, err := vp8.Decode(data[:rapid.IntRange(0, len(data)).Draw(t, "cut")])
		if err != nil {
			return
		}
		for y := range part.Rows {
			const smoothed = 8
			if row := y * whole.YStride; (part.Rows == h || y < part.Rows-smoothed) && !bytes.Equal(part.Y[row:row+w], whole.Y[row:row+w]) {
				t.Fatalf("row %d of %d differs", y, part.Rows)
			}
		}
	})
}

func TestNoPicture(t *testing.T) {
	whole := frame(16, 16, 100, make([]byte, 400))
	for _, c := range []struct {
		name string
		data []byte
	}{
		{"nothing", nil},
		{"no start code", frame(16, 16, 100, nil)[:9]},
		{"between frames", append([]byte{1}, whole[1:]...)},
		{"no area", frame(0, 16, 100, make([]byte, 400))},
		{"a size and no more", whole[:10]},
		{"a header that is cut", whole[:12]},
	} {
		if f, err := vp8.Decode(c.data); err == nil {
			t.Errorf("%s: %d rows", c.name, f.Rows)
		}
	}
	if f, err := vp8.Decode(whole); err != nil || f.Rows != 16 {
		t.Errorf("zeros: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(frame(20, 20, 100, bytes.Repeat([]byte{7, 99, 200, 31}, 100)))
	f.Add(frame(3, 3, 10, make([]byte, 50)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if w, h, ok := vp8.Size(data); !ok || w*h > 1<<16 {
			return
		}
		p, err := vp8.Decode(data)
		if err == nil && (p.Rows < 1 || p.Rows > p.Height) {
			t.Errorf("%d rows of %d", p.Rows, p.Height)
		}
	})
}
