package inflate_test

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/inflate"
)

// reference is what compress/flate makes of src: the data, those before damage included.
func reference(src []byte) ([]byte, error) { return io.ReadAll(flate.NewReader(bytes.NewReader(src))) }

func deflate(t testing.TB, data []byte, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	for len(data) > 0 { // several blocks
		n := min(len(data), 70_000)
		if _, err := w.Write(data[:n]); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		data = data[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// contents are data of different kinds: few letters, many, runs, noise, far repeats.
func contents(rnd *rand.Rand) map[string][]byte {
	noise := func(n, letters int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rnd.IntN(letters))
		}
		return b
	}
	far := noise(40_000, 256)
	skewed := make([]byte, 90_000) // codes of fifteen bits
	for i := range skewed {
		for skewed[i] < 250 && rnd.IntN(8) > 0 {
			skewed[i]++
		}
	}
	return map[string][]byte{
		"nothing": nil, "one byte": {7}, "zeros": make([]byte, 200_000), "noise": noise(150_000, 256), "text": noise(100_000, 12), "skewed": skewed,
		"far": append(bytes.Clone(far[:30_000]), far[:32_768]...), "words": bytes.Repeat([]byte("BT /F1 12 Tf (word) Tj ET\n"), 3000), "abc": bytes.Repeat([]byte("abc"), 1000),
	}
}

func TestSame(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var d inflate.Decoder
	for name, want := range contents(rnd) {
		for _, level := range []int{flate.HuffmanOnly, flate.NoCompression, 1, 6, 9} {
			packed := deflate(t, want, level)
			got, err := d.Decode(packed, 1<<20)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s, level %d: %d bytes, %v, want %d", name, level, len(got), err, len(want))
			}
			if got, err = d.Decode(append(packed, 0xff, 0, 0xff), len(want)); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s, level %d, with a tail: %d bytes, %v", name, level, len(got), err)
			}
		}
	}
}

// What is cut off or changed gives an error where compress/flate has one, and the same data before it, or a little more: this decoder does
// not wait for a window to fill.
func TestDamage(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	var d inflate.Decoder
	for name, data := range contents(rnd) {
		for _, level := range []int{flate.NoCompression, 6} {
			packed := deflate(t, data, level)
			for range 100 {
				bad := bytes.Clone(packed)
				if rnd.IntN(2) == 0 {
					bad = bad[:rnd.IntN(len(bad))]
				} else {
					for range 1 + rnd.IntN(3) {
						bad[rnd.IntN(min(len(bad), 400))] ^= 1 << rnd.IntN(8)
					}
				}
				same(t, &d, name, bad)
			}
		}
	}
}

func same(t *testing.T, d *inflate.Decoder, name string, src []byte) {
	t.Helper()
	const limit = 1 << 20
	want, werr := reference(src)
	got, err := d.Decode(src, limit)
	if len(want) > limit {
		if !errors.Is(err, inflate.ErrLimit) || !bytes.Equal(got, want[:limit]) {
			t.Fatalf("%s: %d bytes, %v, want the limit", name, len(got), err)
		}
		return
	}
	if (err == nil) != (werr == nil) || err == nil && len(got) != len(want) || !bytes.HasPrefix(got, want) {
		t.Fatalf("%s: %d bytes, %v, want %d, %v", name, len(got), err, len(want), werr)
	}
}

// A limit holds whatever the data would grow to, and nothing is allocated by what they declare.
func TestLimit(t *testing.T) {
	var d inflate.Decoder
	bomb := deflate(t, make([]byte, 64<<20), 9)
	for _, limit := range []int{0, 1, 100, 65_536, 1 << 20} {
		out, err := d.Decode(bomb, limit)
		if !errors.Is(err, inflate.ErrLimit) || len(out) != limit || cap(out) > 3*limit+1024 {
			t.Errorf("limit %d: %d bytes in %d, %v", limit, len(out), cap(out), err)
		}
	}
}

func FuzzInflate(f *testing.F) {
	for _, data := range contents(rand.New(rand.NewPCG(5, 6))) {
		f.Add(deflate(f, data[:min(len(data), 2000)], 6))
	}
	f.Add([]byte{3, 0})
	f.Fuzz(func(t *testing.T, src []byte) {
		var d inflate.Decoder
		same(t, &d, "fuzz", src[:min(len(src), 64<<10)])
	})
}

func BenchmarkInflate(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	words := []string{"BT ", "/F1 12 Tf ", "(word) Tj ", "0 -14 Td ", "1 0 0 1 72 720 Tm ", "[(an) -250 (other)] TJ ", "ET\n", "q ", "Q "}
	var page []byte
	for len(page) < 100_000 {
		page = append(page, words[rnd.IntN(len(words))]...)
		page = append(page, byte('0'+rnd.IntN(10)), byte('0'+rnd.IntN(10)))
	}
	packed := deflate(b, page, 6)
	b.Run("ours", func(b *testing.B) {
		var d inflate.Decoder
		b.SetBytes(int64(len(page)))
		for b.Loop() {
			if _, err := d.Decode(packed, 1<<20); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("flate", func(b *testing.B) {
		r := flate.NewReader(nil)
		b.SetBytes(int64(len(page)))
		for b.Loop() {
			if err := r.(flate.Resetter).Reset(bytes.NewReader(packed), nil); err != nil {
				b.Fatal(err)
			}
			out := bytes.NewBuffer(make([]byte, 0, 4*len(packed)))
			if _, err := io.Copy(out, r); err != nil {
				b.Fatal(err)
			}
		}
	})
}
