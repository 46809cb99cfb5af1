package glovebox_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/testdata/samples"
)

// testCache is the one compile cache that all tests share.
func testCache(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("GLOVEBOX_TEST_CACHE"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "glovebox-test")
}

// sampleFile is an input of one of the built-in decoders.
type sampleFile struct {
	name      string
	mediaType readapi.MediaType
	data      []byte
}

func sampleFiles(t testing.TB) map[string]sampleFile {
	t.Helper()
	photo, err := samples.Photo(1200, 900)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := samples.PNG(640, 480)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]sampleFile{
		"text2k": {"notes.txt", "text/plain", samples.Lines(100)[:2048]},
		"pdf1":   {"one.pdf", "application/pdf", samples.PDF(samples.Report()[:1])},
		"pdf30":  {"thirty.pdf", "application/pdf", samples.PDF(thirtyPages())},
		"jpeg":   {"photo.jpg", "image/jpeg", photo},
		"png":    {"picture.png", "image/png", picture},
	}
}

// thirtyPages is the text of a report of thirty pages, forty lines each.
func thirtyPages() (pages [][]string) {
	for p := range 30 {
		var lines []string
		for l := range 40 {
			lines = append(lines, fmt.Sprintf("Page %d, line %d: shipments of line %c rose by %d percent in the quarter.", p+1, l+1, 'A'+l%4, (p*l)%37))
		}
		pages = append(pages, lines)
	}
	return pages
}

func newRegistry(t testing.TB, opts plugins.Options) *plugins.Registry {
	t.Helper()
	opts.CacheDir = testCache(t)
	reg, err := plugins.New(&opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := reg.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	all := plugins.Builtin()
	if len(all) != 3 {
		t.Fatalf("%d built-in decoders, want 3: run make wasm", len(all))
	}
	for _, d := range all {
		if err := reg.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	return reg
}

func newReader(t testing.TB, opts glovebox.Options) *glovebox.Reader {
	t.Helper()
	if opts.CacheDir == "" {
		opts.CacheDir = testCache(t)
	}
	r, err := glovebox.NewReader(&opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func request(f sampleFile) readapi.Request {
	lim := readapi.DefaultLimits()
	return readapi.Request{
		Version: 1, MediaType: f.mediaType, Form: readapi.FormAuto, MaxBytes: lim.MaxOutputBytes,
		MaxPixels: lim.MaxPixels, MaxSide: lim.MaxSide, MaxFrames: lim.MaxFrames, MaxTotalPixels: lim.MaxTotalPixels, MaxEdge: lim.MaxEdge,
	}
}

// decode runs one sample through reg and returns everything of the answer but the time that it took.
func decode(t testing.TB, reg *plugins.Registry, f sampleFile) (answer string, fuel int64) {
	t.Helper()
	infos := reg.Accepts(f.mediaType)
	if len(infos) == 0 {
		t.Fatalf("nobody accepts %s", f.mediaType)
	}
	res, err := reg.Decode(t.Context(), infos[0], readapi.Decoding{Input: bytes.NewReader(f.data), Request: request(f), Limits: readapi.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	fuel = res.Usage.Fuel
	res.Usage = readapi.Usage{}
	b, err := json.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), fuel
}

// Same bytes, request and decoder: same output and same fuel, on an instance that was put back and on new ones, many at a time.
func TestSameOutputSameFuel(t *testing.T) {
	files := sampleFiles(t)
	for _, name := range []string{"text2k", "pdf30", "png"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reg := newRegistry(t, plugins.Options{MaxInstances: 4})
			want, fuel := decode(t, reg, files[name])
			if fuel == 0 {
				t.Fatal("no fuel was counted")
			}
			var wg sync.WaitGroup
			for range 4 { // four at once: the pool makes new instances beside the one that is put back
				wg.Go(func() {
					for range 25 {
						if got, f := decode(t, reg, files[name]); got != want || f != fuel {
							t.Errorf("fuel %d, want %d; same output: %v", f, fuel, got == want)
							return
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// What one read leaves behind must not show in the next: reads of different files in any order give what each gives alone.
func TestNothingStays(t *testing.T) {
	reg := newRegistry(t, plugins.Options{MaxInstances: 1})
	files := sampleFiles(t)
	type answer struct {
		text string
		fuel int64
	}
	alone := map[string]answer{}
	for name, f := range files {
		text, fuel := decode(t, newRegistry(t, plugins.Options{MaxInstances: 1}), f)
		alone[name] = answer{text, fuel}
	}
	for range 3 {
		for name, f := range files {
			if text, fuel := decode(t, reg, f); text != alone[name].text || fuel != alone[name].fuel {
				t.Errorf("%s differs after other reads: fuel %d, want %d", name, fuel, alone[name].fuel)
			}
		}
	}
}

// hostileFile is one of the three files that take a decoder down by their header alone.
type hostileFile struct {
	name string
	data []byte
	want []readapi.Code
}

func hostileFiles() []hostileFile {
	ihdr := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), 50000), 50000)
	ihdr = append(ihdr, 16, 6, 0, 0, 0) // 16 bit RGBA
	png := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), ihdr...)
	png = binary.BigEndian.AppendUint32(png, crc32.ChecksumIEEE(ihdr))
	png = append(png, "\x00\x00\x00\x00IDAT\x35\xaf\x06\x1e\x00\x00\x00\x00IEND\xae\x42\x60\x82"...)

	vp8l := []byte{0x2f, 0xff, 0xff, 0xff, 0x0f, 0, 0, 0} // 16384 x 16384: fourteen bits each, less one
	webp := append([]byte("RIFF\x14\x00\x00\x00WEBPVP8L\x08\x00\x00\x00"), vp8l...)

	// Nothing but a cycle: there is no page to repair it to.
	cycle := "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[2 0 R]/Count 1>>\nendobj\n" +
		"xref\n0 3\n0000000000 65535 f \n0000000009 00000 n \n0000000054 00000 n \ntrailer\n<</Size 3/Root 1 0 R>>\nstartxref\n"
	cycle += fmt.Sprintf("%d\n%%%%EOF\n", strings.Index(cycle, "xref"))
	return []hostileFile{
		{"kids-cycle.pdf", []byte(cycle), []readapi.Code{readapi.CodeMalformed, readapi.CodeLimitDepth}},
		{"header-50000.png", png, []readapi.Code{readapi.CodeLimitPixels}},
		{"vp8l-16384.webp", webp, []readapi.Code{readapi.CodeLimitPixels}},
	}
}

// Each is refused with a typed code while the host stays small. The figures are printed by BenchmarkHostile.
func TestHostile(t *testing.T) {
	r := newReader(t, glovebox.Options{})
	for _, h := range hostileFiles() {
		_, err := r.ReadFile(t.Context(), bytes.NewReader(h.data), int64(len(h.data)), h.name, nil)
		code := readapi.CodeOf(err)
		ok := false
		for _, c := range h.want {
			ok = ok || c == code
		}
		if !ok {
			t.Errorf("%s: %v, want one of %v", h.name, err, h.want)
		}
	}
}

// A read that is canceled ends at once, wherever the decoder is. The bound is generous: what it tells apart is "ends" and "runs on".
func TestCancel(t *testing.T) {
	r := newReader(t, glovebox.Options{})
	if _, err := r.ReadFile(t.Context(), strings.NewReader("warm"), 4, "a.txt", nil); err != nil {
		t.Fatal(err)
	}
	big := bytes.Repeat([]byte("a line of text that goes on for a while\n"), 1<<20)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		runtime.Gosched()
		cancel()
	}()
	_, err := r.ReadFile(ctx, bytes.NewReader(big), int64(len(big)), "big.txt", &glovebox.ReadOptions{Units: "1000000"})
	if c := readapi.CodeOf(err); c != readapi.CodeCanceled {
		t.Errorf("got %v, want canceled", err)
	}
}

// child runs this test binary again with one test and returns what it printed.
func child(t testing.TB, run string, env ...string) (string, *os.ProcessState) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "-test.run=^"+run+"$", "-test.v")
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out), cmd.ProcessState
}

// A read whose time passes while its decoder is compiled is told to come back, not that the file is at fault; compiling goes on meanwhile.
func TestBusyWhileCompiling(t *testing.T) {
	reg, err := plugins.New(&plugins.Options{CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer reg.Close(context.Background())
	for _, d := range plugins.Builtin() {
		if err := reg.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	f := sampleFiles(t)["text2k"]
	info := reg.Accepts(f.mediaType)[0]
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = reg.Decode(ctx, info, readapi.Decoding{Input: bytes.NewReader(f.data), Request: request(f), Limits: readapi.DefaultLimits()})
	if e, ok := err.(*readapi.Error); !ok || e.Code != readapi.CodeBusy || e.RetryAfter == 0 {
		t.Errorf("got %v, want busy with a time to wait", err)
	}
	if _, err := reg.Decode(t.Context(), info, readapi.Decoding{Input: bytes.NewReader(f.data), Request: request(f), Limits: readapi.DefaultLimits()}); err != nil {
		t.Errorf("the next read: %v", err)
	}
}
