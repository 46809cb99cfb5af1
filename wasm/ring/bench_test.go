package ring

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// BenchmarkRing is one read, reset included, in process and in a helper: what the ring costs is the difference.
func BenchmarkRing(b *testing.B) {
	for _, name := range []string{"text", "pdf", "image"} {
		m, warm := builtin(b, name)
		here, there := both(b, m, warm, Options{})
		a, err := here.Instance(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		z, err := there.Instance(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		read := func(b *testing.B, i interface{ Reset() error }, decode func(c *sandbox.Call) (sandbox.Usage, error)) {
			c := warm[0]
			for b.Loop() {
				var collect abi.Collector
				c.Emit = collect.Add
				if _, err := decode(&c); err != nil {
					b.Fatal(err)
				}
				if err := i.Reset(); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.Run(name+"/in-process", func(b *testing.B) {
			read(b, a, func(c *sandbox.Call) (sandbox.Usage, error) { return a.Decode(b.Context(), c) })
		})
		b.Run(name+"/process", func(b *testing.B) {
			read(b, z, func(c *sandbox.Call) (sandbox.Usage, error) { return z.Decode(b.Context(), c) })
		})
	}
}

// slowly hides that the bytes are in memory, as a file's are not.
type slowly struct{ io.ReaderAt }

func (slowly) Size() int64 { return 32 << 20 }

// BenchmarkInput is a guest that reads 32 MiB completely, 64 KiB at a time.
func BenchmarkInput(b *testing.B) {
	text := bytes.Repeat([]byte("The quick brown fox jumps over the lazy dog, and then some more.\n"), (32<<20)/60)[:32<<20]
	m := guest(b)
	here, there := both(b, m, nil, Options{})
	for _, pos := range []string{"in-process", "process"} {
		b.Run(fmt.Sprint(pos), func(b *testing.B) {
			b.SetBytes(32 << 20)
			var decode func(c *sandbox.Call) (sandbox.Usage, error)
			if pos == "process" {
				i, err := there.Instance(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				defer i.Close()
				decode = func(c *sandbox.Call) (sandbox.Usage, error) { return i.Decode(b.Context(), c) }
			} else {
				i, err := here.Instance(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				defer i.Close()
				decode = func(c *sandbox.Call) (sandbox.Usage, error) { return i.Decode(b.Context(), c) }
			}
			for b.Loop() {
				if _, err := decode(&sandbox.Call{Request: told(b, "sum"), Input: slowly{bytes.NewReader(text)}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStart is a new helper, until it is ready.
func BenchmarkStart(b *testing.B) {
	m, warm := builtin(b, "text")
	_, p := both(b, m, warm, Options{})
	for b.Loop() {
		proc, _, err := p.start(b.Context(), p.warm)
		if err != nil {
			b.Fatal(err)
		}
		proc.kill()
	}
}
