package glovebox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// One read through the registry, fresh state each time, no decode cache.
func BenchmarkRegistry(b *testing.B) {
	reg := newRegistry(b, plugins.Options{})
	files := sampleFiles(b)
	for _, name := range []string{"text2k", "pdf1", "pdf30", "jpeg", "png"} {
		b.Run(name, func(b *testing.B) {
			decode(b, reg, files[name])
			var took []time.Duration
			var fuel int64
			for b.Loop() {
				start := time.Now()
				_, fuel = decode(b, reg, files[name])
				took = append(took, time.Since(start))
			}
			b.ReportMetric(float64(median(took).Microseconds()), "us-median")
			b.ReportMetric(float64(fuel), "fuel")
		})
	}
}

// The same through the front door: sniffing, digest and the checks on what leaves besides.
func BenchmarkReadFile(b *testing.B) {
	r := newReader(b, glovebox.Options{})
	files := sampleFiles(b)
	for _, name := range []string{"text2k", "pdf30", "jpeg"} {
		b.Run(name, func(b *testing.B) {
			f := files[name]
			for b.Loop() {
				if _, err := r.ReadFile(b.Context(), bytes.NewReader(f.data), int64(len(f.data)), f.name, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Whole processes of the program, decoders compiled before; and the first ever run, which compiles.
func BenchmarkProcess(b *testing.B) {
	bin := filepath.Join(b.TempDir(), "glovebox")
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", bin, "./cmd/glovebox").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	files := sampleFiles(b)
	dir := b.TempDir()
	run := func(b *testing.B, cache, name string) {
		path := filepath.Join(dir, files[name].name)
		if err := os.WriteFile(path, files[name].data, 0o600); err != nil {
			b.Fatal(err)
		}
		if out, err := exec.Command(bin, "read", "--cache", cache, "--json", path).CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
	warm := filepath.Join(dir, "cache")
	for _, name := range []string{"text2k", "pdf1"} {
		b.Run("warm/"+name, func(b *testing.B) {
			run(b, warm, name)
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				run(b, warm, name)
				took = append(took, time.Since(start))
			}
			b.ReportMetric(float64(median(took).Milliseconds()), "ms-median")
		})
		b.Run("first/"+name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				n++
				run(b, filepath.Join(b.TempDir(), strconv.Itoa(n)), name)
			}
		})
	}
}

// resident is the process's resident memory in bytes.
func resident(t testing.TB) int64 {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("needs /proc")
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Fatal("no VmRSS")
	return 0
}

// Each hostile file in a process of its own: its time and the process's largest resident memory.
func BenchmarkHostile(b *testing.B) {
	for i, h := range hostileFiles() {
		b.Run(h.name, func(b *testing.B) {
			for b.Loop() {
				out, state := child(b, "TestHostileChild", "GLOVEBOX_HOSTILE="+strconv.Itoa(i))
				_, ms, ok := strings.Cut(out, "took-ms=")
				if !ok {
					b.Fatal(out)
				}
				n, err := strconv.ParseFloat(strings.Fields(ms)[0], 64)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(n, "ms-read")
				b.ReportMetric(maxResident(state), "MiB-resident")
			}
		})
	}
}

// TestHostileChild is the process of BenchmarkHostile.
func TestHostileChild(t *testing.T) {
	i, err := strconv.Atoi(os.Getenv("GLOVEBOX_HOSTILE"))
	if err != nil {
		t.Skip("runs as a child of BenchmarkHostile")
	}
	r := newReader(t, glovebox.Options{OneShot: true})
	h := hostileFiles()[i]
	start := time.Now()
	_, err = r.ReadFile(t.Context(), bytes.NewReader(h.data), int64(len(h.data)), h.name, nil)
	if c := readapi.CodeOf(err); c == "" || c == readapi.CodeInternal {
		t.Errorf("%s: %v", h.name, err)
	}
	t.Logf("took-ms=%.1f", float64(time.Since(start).Microseconds())/1000)
}

// One decode and its putting back, timed apart on one instance: what putting back adds to a read.
func BenchmarkPutBack(b *testing.B) {
	ctx := context.Background()
	rt, err := sandbox.New(&sandbox.Options{CacheDir: testCache(b)})
	if err != nil {
		b.Fatal(err)
	}
	defer rt.Close(ctx)
	files := sampleFiles(b)
	for _, c := range []struct{ decoder, file string }{{"text", "text2k"}, {"pdf", "pdf30"}, {"image", "jpeg"}} {
		b.Run(c.file, func(b *testing.B) {
			inst := snapshotInstance(b, rt, c.decoder)
			raw, err := json.Marshal(request(files[c.file]))
			if err != nil {
				b.Fatal(err)
			}
			var decodes, resets []time.Duration
			for b.Loop() {
				start := time.Now()
				if _, err := inst.Decode(ctx, &sandbox.Call{Request: raw, Input: bytes.NewReader(files[c.file].data)}); err != nil {
					b.Fatal(err)
				}
				decodes = append(decodes, time.Since(start))
				start = time.Now()
				if err := inst.Reset(); err != nil {
					b.Fatal(err)
				}
				resets = append(resets, time.Since(start))
			}
			b.ReportMetric(float64(median(decodes).Microseconds()), "us-read")
			b.ReportMetric(float64(median(resets).Microseconds()), "us-putback")
		})
	}
}

// snapshotInstance returns an instance of a built-in decoder that can be put back.
func snapshotInstance(b *testing.B, rt *sandbox.Runtime, name string) *sandbox.Instance {
	b.Helper()
	ctx := context.Background()
	for _, d := range plugins.Builtin() {
		if d.Name != name {
			continue
		}
		wasm, err := d.Load()
		if err != nil {
			b.Fatal(err)
		}
		prog, err := rt.Compile(ctx, sandbox.Module{Name: d.Name, Wasm: wasm, Digest: d.Digest})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { prog.Close(ctx) })
		var warm []sandbox.Call
		for _, s := range d.Samples {
			raw, err := json.Marshal(request(sampleFile{mediaType: s.MediaType}))
			if err != nil {
				b.Fatal(err)
			}
			warm = append(warm, sandbox.Call{Request: raw, Input: bytes.NewReader(s.Data)})
		}
		if err := prog.Snapshot(ctx, warm); err != nil {
			b.Fatal(err)
		}
		inst, err := prog.Instance(ctx)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { inst.Close() })
		return inst
	}
	b.Fatalf("no decoder %s", name)
	return nil
}
