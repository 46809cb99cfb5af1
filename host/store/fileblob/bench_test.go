package fileblob_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/fileblob"
)

func newBlobs(tb testing.TB) *store.Blobs {
	tb.Helper()
	d, err := fileblob.Open(tb.TempDir(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	b, err := store.NewBlobs(d, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = b.Close() })
	return b
}

var sizes = []int{2 << 10, 1 << 20, 16 << 20}

func BenchmarkPut(b *testing.B) {
	for _, size := range sizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			blobs, content := newBlobs(b), make([]byte, size)
			b.SetBytes(int64(size))
			for i := 0; b.Loop(); i++ {
				copy(content, fmt.Sprint(i, " "))
				if _, _, err := blobs.Put(b.Context(), bytes.NewReader(content), store.PutOptions{Max: int64(size), Prefix: 512}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPutAll stores files of 1 KiB in batches; the time is that of one file.
func BenchmarkPutAll(b *testing.B) {
	for _, n := range []int{1, 8, 64, 256} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			blobs := newBlobs(b)
			start := 0
			for b.Loop() {
				var readers []io.Reader
				for range n {
					start++
					readers = append(readers, bytes.NewReader(bytes.Repeat([]byte(fmt.Sprintf("%016d", start)), 64)))
				}
				if _, _, err := blobs.PutAll(b.Context(), readers, store.PutAllOptions{Max: 1 << 20}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(start), "us/file")
		})
	}
}

// BenchmarkOpen opens, verifies and closes.
func BenchmarkOpen(b *testing.B) {
	for _, size := range sizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			blobs := newBlobs(b)
			blob, _, err := blobs.Put(b.Context(), bytes.NewReader(make([]byte, size)), store.PutOptions{Max: int64(size), Prefix: 0})
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(size))
			for b.Loop() {
				o, err := blobs.Open(b.Context(), blob)
				if err == nil {
					err = o.Verify(b.Context())
				}
				if err != nil {
					b.Fatal(err)
				}
				_ = o.Close()
			}
		})
	}
}
