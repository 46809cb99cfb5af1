package host_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func benchSession(b *testing.B, opts *host.Options) *host.Session {
	b.Helper()
	p := filesIn(b, b.TempDir())
	b.Cleanup(func() { p.close(b) })
	return p.open(b, newQuick(), opts).Session(scope("s"))
}

// BenchmarkOffer100 offers 100 refs over SQLite; the bar is 2 ms.
func BenchmarkOffer100(b *testing.B) {
	s := benchSession(b, nil)
	var refs []readapi.AttachmentRef
	for i := range 100 {
		refs = append(refs, attach(b, s, "a.txt", fmt.Sprint("file ", i)).Ref("s"))
	}
	for b.Loop() {
		if got, err := s.Offer(b.Context(), refs...); err != nil || got[99].URI == "" {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadByAddress reads 2 KB of text by address over SQLite and files, with a decoder that costs next to nothing: what the host
// itself takes.
func BenchmarkReadByAddress(b *testing.B) {
	for name, size := range map[string]int64{"cache": 0, "nocache": -1} {
		b.Run(name, func(b *testing.B) {
			s := benchSession(b, &host.Options{CacheBytes: size})
			a := attach(b, s, "a.txt", strings.Repeat("0123456789abcde\n", 128))
			read(b, s, a.Resource, readapi.Selection{})
			for b.Loop() {
				read(b, s, a.Resource, readapi.Selection{})
			}
		})
	}
}

// BenchmarkAttach attaches 2 KB of text over SQLite and files.
func BenchmarkAttach(b *testing.B) {
	s := benchSession(b, nil)
	for b.Loop() {
		attach(b, s, "a.txt", strings.Repeat("0123456789abcde\n", 128))
	}
}
