package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// smallText is 2 KB of text, as in the bars for small reads.
var smallText = strings.Repeat("two kilobytes of text 两千字节\n", 60)

func mustRead(b *testing.B, i *Instance, name, in string) {
	b.Helper()
	if _, _, err := read(b, i, name, input(in), Limits{}); err != nil {
		b.Fatal(err)
	}
}

func mustReset(b *testing.B, i *Instance) {
	b.Helper()
	if err := i.Reset(); err != nil {
		b.Fatal(err)
	}
}

func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2].Nanoseconds()) / 1e3
}

// BenchmarkRead is a small text on an instance that is put back each time. us/reset is what putting back takes of it, at the median; the
// bar is 150 us.
func BenchmarkRead(b *testing.B) {
	i := snapshotted(b, goProgram(b, Options{}))
	var resets []time.Duration
	for b.Loop() {
		mustRead(b, i, "lines", smallText)
		start := time.Now()
		mustReset(b, i)
		resets = append(resets, time.Since(start))
	}
	b.ReportMetric(median(resets), "us/reset")
	b.ReportMetric(float64(i.snap.memory.size)/(1<<20), "MiB")
}

// BenchmarkReadGrown reads what makes the guest grow by 40 MiB.
func BenchmarkReadGrown(b *testing.B) {
	i := snapshotted(b, goProgram(b, Options{}))
	var resets []time.Duration
	for b.Loop() {
		mustRead(b, i, "alloc 40", "")
		start := time.Now()
		mustReset(b, i)
		resets = append(resets, time.Since(start))
	}
	b.ReportMetric(median(resets), "us/reset")
}

// BenchmarkInput moves 32 MiB into a guest, in pieces of 1 MiB; the bar is 32 ms.
func BenchmarkInput(b *testing.B) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 2<<20)
	file := filepath.Join(b.TempDir(), "in")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		b.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	i := snapshotted(b, goProgram(b, Options{}))
	for _, from := range []struct {
		name string
		in   readerFunc
	}{
		{"file", readerFunc{int64(len(data)), f.ReadAt}},
		{"memory", readerFunc{}},
	} {
		b.Run(from.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				var err error
				if from.in.at == nil {
					_, _, err = read(b, i, "sum 1048576", bytes.NewReader(data), Limits{})
				} else {
					_, _, err = read(b, i, "sum 1048576", from.in, Limits{})
				}
				if err != nil {
					b.Fatal(err)
				}
				mustReset(b, i)
			}
		})
	}
}

// BenchmarkInstance makes an instance, from the snapshot and without one.
func BenchmarkInstance(b *testing.B) {
	for _, name := range []string{"initialized", "snapshot"} {
		b.Run(name, func(b *testing.B) {
			p := goProgram(b, Options{})
			if name == "snapshot" {
				snapshotted(b, p)
			}
			for b.Loop() {
				instance(b, p).Close()
			}
		})
	}
}

// BenchmarkCompile makes a program from the compile cache.
func BenchmarkCompile(b *testing.B) {
	p := goProgram(b, Options{})
	m, err := goGuest()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := compile(b, p.rt, m).Close(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHostCall is one call from a guest to the host.
func BenchmarkHostCall(b *testing.B) {
	const calls = 100_000
	i := instance(b, program(b, Compiler, repeats(calls, call_(fnInputLen), drop)))
	defer i.Close()
	for b.Loop() {
		if _, err := i.Decode(b.Context(), &Call{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/calls, "ns/call")
}
