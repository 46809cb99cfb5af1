package hostile

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestFiles holds that the names are unique, that there are as many as are promised, of every kind, and that a generator makes the same
// bytes each time, of those that are quickly made, as far as looked looks.
func TestFiles(t *testing.T) {
	const least = 150
	names, kinds := map[string]bool{}, map[string]int{}
	for _, f := range Files() {
		if names[f.Name] || f.Name == "" {
			t.Errorf("the name %q is there twice, or empty", f.Name)
		}
		names[f.Name] = true
		kinds[f.Kind]++
		if len(f.Want.Codes) == 0 {
			t.Errorf("%s: nothing is expected", f.Name)
		}
		if f.Heavy() {
			continue // to make, too
		}
		if a, b := looked(t, f.Make()), looked(t, f.Make()); !bytes.Equal(a, b) {
			t.Errorf("%s: two makes differ", f.Name)
		}
	}
	for _, name := range strings.Fields(heavy) {
		if !names[name] {
			t.Errorf("%s is heavy and not there", name)
		}
	}
	t.Logf("%d files: %v", len(names), kinds)
	if len(names) < least || kinds["pdf"] < 40 || kinds["image"] < 40 || kinds["text"] < 40 || len(kinds) != 3 {
		t.Errorf("%d files (%v), want at least %d", len(names), kinds, least)
	}
}

// looked is the size and the bytes at the start, in the middle and at the end: some files are of hundreds of megabytes.
func looked(t *testing.T, in Input) []byte {
	t.Helper()
	const piece = 64 << 10
	out := fmt.Append(nil, in.Size())
	for _, at := range []int64{0, in.Size() / 2, in.Size() - piece} {
		b, err := io.ReadAll(io.NewSectionReader(in, max(0, at), piece))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b...)
	}
	return out
}

// TestDeflated holds that the blocks that are written again are a sound stream.
func TestDeflated(t *testing.T) {
	const size = 3<<20 + 7
	for _, piece := range []string{"a", "abc", repeat("0123456789", 5000)} {
		r, err := zlib.NewReader(bytes.NewReader(deflated(piece, size)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || len(got) < size || len(got)%len(piece) != 0 || !bytes.Equal(got, bytes.Repeat([]byte(piece), len(got)/len(piece))) {
			t.Errorf("%d bytes that repeat %.9q: %v", len(got), piece, err)
		}
	}
}

func TestLazy(t *testing.T) {
	in := lazy("head", "abc", "tail", 100)()
	want := append(append([]byte("head"), bytes.Repeat([]byte("abc"), 40)[:92]...), "tail"...)
	if got, err := io.ReadAll(io.NewSectionReader(in, 0, in.Size())); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	for off := range int64(101) {
		b := make([]byte, 7)
		n, err := in.ReadAt(b, off)
		if !bytes.Equal(b[:n], want[off:min(100, off+7)]) || (n < 7) != (err == io.EOF) {
			t.Errorf("at %d: %q, %v", off, b[:n], err)
		}
	}
}
