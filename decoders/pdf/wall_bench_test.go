package pdf

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/testdata/samples"
	"github.com/glovebox-wasm/glovebox/wasm/binary"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// The bars of guest memory: for a page of a large file, and for what the tables of CMaps may add to a read that needs none of them.
const (
	mostPageMemory  = 48 << 20
	mostTableMemory = 1 << 20
)

// walled returns a function that reads pages through the wall, by a decoder on an engine, each time on an instance put back to its snapshot.
func walled(b *testing.B, d plugins.Decoder, engine sandbox.Engine) func(in io.ReaderAt, size int64, units []readapi.Range) readapi.Usage {
	b.Helper()
	reg, err := plugins.New(&plugins.Options{Engine: engine, CacheDir: os.Getenv("GLOVEBOX_TEST_CACHE"), MaxInstances: 1})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := reg.Close(context.Background()); err != nil {
			b.Error(err)
		}
	})
	if err := reg.Add(d); err != nil {
		b.Fatal(err)
	}
	lim := readapi.DefaultLimits()
	return func(in io.ReaderAt, size int64, units []readapi.Range) readapi.Usage {
		req := readapi.Request{Version: 1, MediaType: "application/pdf", Form: readapi.FormText, MaxBytes: lim.MaxOutputBytes, Units: units}
		res, err := reg.Decode(b.Context(), d.Info(), readapi.Decoding{Input: io.NewSectionReader(in, 0, size), Request: req, Limits: lim})
		if err != nil || len(res.Parts) == 0 || !strings.Contains(res.Parts[0].Text, " ") {
			b.Fatalf("%v, parts %+v", err, res.Parts)
		}
		return res.Usage
	}
}

// Page 900 of a file of 100 MB and 1,000 pages through the wall, by the built module in a warm process.
func BenchmarkWallPage900(b *testing.B) {
	built := plugins.Builtin()
	d := built[slices.IndexFunc(built, func(d plugins.Decoder) bool { return d.Name == "pdf" })]
	read := walled(b, d, sandbox.Compiler)
	for _, name := range []string{"table", "stream", "linear", "table-flat"} {
		s := largeFiles()[name].File()
		b.Run(name, func(b *testing.B) {
			page := []readapi.Range{{From: 900, To: 900}}
			read(s, s.Size(), page)
			s.Read, s.Reads = 0, 0
			var took []time.Duration
			var use readapi.Usage
			for b.Loop() {
				start := time.Now()
				use = read(s, s.Size(), page)
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2])/1e6, "ms-median")
			b.ReportMetric(float64(s.Read)/float64(len(took)), "read-B")
			b.ReportMetric(float64(s.Reads)/float64(len(took)), "reads")
			b.ReportMetric(float64(use.MemoryBytes)/(1<<20), "guest-MiB")
			if use.MemoryBytes > mostPageMemory {
				b.Errorf("%d bytes of guest memory, want %d at most", use.MemoryBytes, mostPageMemory)
			}
		})
	}
}

// A page of Latin text by the guest as it is and by one without the tables of predefined CMaps: what they cost a read that needs none.
// Both are built here, alike but for the tables.
func BenchmarkTablesMemory(b *testing.B) {
	data := samples.PDF(samples.Report()[:1])
	page := bytes.NewReader(data)
	memory, size := map[bool]int64{}, map[bool]int64{}
	for _, tables := range []bool{true, false} {
		d := guest(b, tables)
		size[tables] = d.Bytes
		memory[tables] = walled(b, d, sandbox.Interpreter)(page, int64(len(data)), nil).MemoryBytes
	}
	if size[true]-size[false] < 100<<10 {
		b.Fatalf("modules of %d and %d bytes: one of them should be without tables", size[true], size[false])
	}
	for b.Loop() {
	}
	b.ReportMetric(float64(size[true]-size[false]), "module-B-more")
	b.ReportMetric(float64(memory[true])/(1<<20), "guest-MiB")
	b.ReportMetric(float64(memory[false])/(1<<20), "guest-MiB-without")
	if more := memory[true] - memory[false]; more > mostTableMemory || more < -mostTableMemory {
		b.Errorf("the tables take %d bytes, want %d at most", more, mostTableMemory)
	}
}

// guest builds the decoder with or without its tables.
func guest(b *testing.B, tables bool) plugins.Decoder {
	b.Helper()
	dir := b.TempDir()
	replace := map[string]string{}
	if !tables {
		file, err := filepath.Abs("internal/cjk/tables.bin")
		if err != nil {
			b.Fatal(err)
		}
		replace[file] = filepath.Join(dir, "empty")
		write(b, replace[file], nil)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		b.Fatal(err)
	}
	write(b, filepath.Join(dir, "overlay.json"), overlay)
	out := filepath.Join(dir, "pdf.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-overlay", filepath.Join(dir, "overlay.json"), "-ldflags=-s -w", "-buildmode=c-shared", "-o", out, "./guest")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	if msg, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, msg)
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		b.Fatal(err)
	}
	d, err := plugins.FromModule(b.Context(), wasm, &plugins.ModuleOptions{Trusted: true, Rewrite: &binary.RewriteOptions{PackData: true}})
	if err != nil {
		b.Fatal(err)
	}
	return d
}

func write(b *testing.B, file string, data []byte) {
	b.Helper()
	if err := os.WriteFile(file, data, 0o600); err != nil {
		b.Fatal(err)
	}
}
