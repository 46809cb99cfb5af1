package lzw_test

import (
	"bytes"
	stdlzw "compress/lzw"
	"io"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/lzw"
)

func pieces(b []byte, n int) func(p []byte) int {
	return func(p []byte) int {
		k := copy(p[:min(n, len(p))], b)
		b = b[k:]
		return k
	}
}

// all reads in steps of n.
func all(d *lzw.Decoder, n int) (out []byte) {
	p := make([]byte, n)
	for {
		k := d.Read(p)
		out = append(out, p[:k]...)
		if k < n {
			return out
		}
	}
}

// TestAgainstStandard holds that what the standard library compresses comes back, in steps of any size, and that of data that are cut
// what comes back is the beginning.
func TestAgainstStandard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(2, 8).Draw(t, "size")
		some := rapid.SliceOfN(rapid.IntRange(0, 1<<size-1), 1, 50).Draw(t, "pixels")
		var pixels []byte
		for range rapid.SampledFrom([]int{1, 10, 1000}).Draw(t, "times") {
			for i, v := range some {
				pixels = append(pixels, byte((v+i*len(pixels)/97)&(1<<size-1)))
			}
		}
		var b bytes.Buffer
		w := stdlzw.NewWriter(&b, stdlzw.LSB, size)
		if _, err := w.Write(pixels); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		step := rapid.IntRange(1, 5000).Draw(t, "step")
		if got := all(lzw.New(size, pieces(b.Bytes(), rapid.IntRange(1, 300).Draw(t, "piece"))), step); !bytes.Equal(got, pixels) {
			t.Fatalf("%d pixels differ from %d", len(got), len(pixels))
		}
		cut := rapid.IntRange(0, b.Len()-1).Draw(t, "cut")
		if got := all(lzw.New(size, pieces(b.Bytes()[:cut], 300)), step); !bytes.HasPrefix(pixels, got) {
			t.Fatal("the beginning differs")
		}
	})
}

// bits packs codes of 12 bits: of size 11 none is shorter.
func bits(codes ...int) (out []byte) {
	acc, n := 0, 0
	for _, c := range codes {
		acc |= c << n
		for n += 12; n >= 8; n -= 8 {
			out = append(out, byte(acc))
			acc >>= 8
		}
	}
	return append(out, byte(acc))
}

func TestLongCodes(t *testing.T) {
	got := all(lzw.New(lzw.MaxSize, pieces(bits(2048, 7, 9, 2050, 2052, 2049), 99)), 100)
	if want := []byte{7, 9, 7, 9, 7, 9, 7}; !bytes.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestUnknownCode(t *testing.T) {
	for _, codes := range [][]int{{2048, 7, 2051, 9}, {2048, 7, 4000, 9}, {2048, 7, 2048, 2050, 9}} {
		if got := all(lzw.New(lzw.MaxSize, pieces(bits(codes...), 99)), 100); !bytes.Equal(got, []byte{7}) {
			t.Errorf("%v: %v, want 7 alone", codes, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte{4, 1, 9, 200, 7, 7, 7}, byte(2))
	f.Add(bits(2048, 7, 9, 2050, 2052, 2049), byte(11))
	f.Fuzz(func(t *testing.T, data []byte, size byte) {
		n := 1 + int(size)%lzw.MaxSize
		const most = 1 << 20
		one, other := lzw.New(n, pieces(data, 1)), lzw.New(n, pieces(data, 500))
		a := make([]byte, most)
		b := make([]byte, most)
		k := one.Read(a)
		got := 0
		for got < most {
			s := other.Read(b[got:min(most, got+97)])
			if s == 0 {
				break
			}
			got += s
		}
		if k != got || !bytes.Equal(a[:k], b[:got]) {
			t.Error("the steps matter")
		}
		if n < 2 || n > 8 {
			return
		}
		r := stdlzw.NewReader(bytes.NewReader(data), stdlzw.LSB, n)
		want, err := io.ReadAll(io.LimitReader(r, most))
		if err == nil && !bytes.Equal(a[:k], want) {
			t.Errorf("%d pixels, the standard library has %d", k, len(want))
		}
	})
}
