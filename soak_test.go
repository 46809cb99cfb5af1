package glovebox_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/plugins/hostiletest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// soak is one process under everything at once: good reads of all decoders, hostile ones, reads that are given up, decoders that come and go.
// What each read must answer is known beforehand; what is drawn depends on the seed alone.
type soak struct {
	reg    *plugins.Registry
	reader *host.Reader
	good   []soakRead
	bad    []soakRead
	cache  string // of the decoders that come and go

	reads, failures, installs atomic.Int64
}

// soakRead is a file, what must come of it, and the limits that it is read with.
type soakRead struct {
	name   string
	data   []byte
	want   string         // the answer without what it cost; "": an error
	code   []readapi.Code // with an error
	limits *readapi.Limits
}

// soakBudget is what all guests of the soak may have together.
const soakBudget = 1 << 30

func newSoak(t testing.TB, where plugins.Isolation) *soak {
	s := &soak{reg: newRegistry(t, plugins.Options{Helper: hostiletest.Helper(t), MaxTotalMemoryBytes: soakBudget, Isolation: where}), cache: t.TempDir()}
	for _, d := range hostileDecoders(t) {
		if err := s.reg.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if s.reader, err = host.NewReader(s.reg, nil); err != nil {
		t.Fatal(err)
	}
	files := sampleFiles(t)
	for name, often := range map[string]int{"text2k": 6, "pdf1": 5, "png": 1, "pdf30": 1} {
		for range often {
			s.good = append(s.good, soakRead{name: files[name].name, data: files[name].data})
		}
	}
	slices.SortStableFunc(s.good, func(a, b soakRead) int { return cmp.Compare(a.name, b.name) })
	for n := range 7 {
		memo, _ := remembered(n, n)
		s.good = append(s.good, soakRead{name: "kept.gz", data: memo})
	}
	for i := range s.good {
		doc, err := s.reader.Read(t.Context(), host.File{Input: bytes.NewReader(s.good[i].data), Name: s.good[i].name}, readapi.Selection{})
		if err != nil {
			t.Fatalf("%s: %v", s.good[i].name, err)
		}
		s.good[i].want = withoutCost(t, doc)
	}
	brief := &readapi.Limits{Fuel: 3e7, MaxMemoryBytes: 16 << 20, Timeout: 20 * time.Second}
	for kind, h := range hostileReads() {
		if kind != "many lines" && kind != "log" { // those succeed, and take long
			s.bad = append(s.bad, soakRead{name: h.name, data: h.file, code: append(h.code, readapi.CodeLimitFuel), limits: brief})
		}
	}
	slices.SortFunc(s.bad, func(a, b soakRead) int { return bytes.Compare(a.data, b.data) })
	return s
}

func withoutCost(t testing.TB, doc *readapi.Document) string {
	t.Helper()
	c := *doc
	c.Usage = readapi.Usage{}
	return asJSON(t, c)
}

// run does reads reads and installs installs, by workers at once.
func (s *soak) run(t testing.TB, seed uint64, workers, reads, installs int) {
	t.Helper()
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(w)))
			for k := range reads / workers {
				switch n := r.IntN(20); {
				case n < 2:
					s.hostile(t, s.bad[r.IntN(len(s.bad))])
				case n == 2:
					s.givenUp(t, s.good[r.IntN(len(s.good))], r.IntN(200))
				default:
					s.read(t, s.good[r.IntN(len(s.good))])
				}
				if installs > 0 && k%max(1, reads/installs) == 0 {
					s.install(t, int(s.installs.Add(1)))
				}
			}
		})
	}
	all.Wait()
}

func (s *soak) file(q soakRead) host.File {
	return host.File{Input: bytes.NewReader(q.data), Name: q.name, Limits: q.limits}
}

func (s *soak) read(t testing.TB, q soakRead) {
	s.reads.Add(1)
	doc, err := s.reader.Read(t.Context(), s.file(q), readapi.Selection{})
	if err != nil || withoutCost(t, doc) != q.want {
		t.Errorf("%s: %v, the right answer: %v", q.name, err, err == nil)
	}
}

func (s *soak) hostile(t testing.TB, q soakRead) {
	s.reads.Add(1)
	_, err := s.reader.Read(t.Context(), s.file(q), readapi.Selection{})
	if code := readapi.CodeOf(err); !slices.Contains(q.code, code) {
		t.Errorf("hostile %s: %v, want one of %v", q.name, err, q.code)
	}
	if err != nil {
		s.failures.Add(1)
	}
}

// givenUp is a read whose caller goes away after some looks at the clock.
func (s *soak) givenUp(t testing.TB, q soakRead, after int) {
	s.reads.Add(1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for range after {
			runtime.Gosched()
		}
		cancel()
	}()
	doc, err := s.reader.Read(ctx, s.file(q), readapi.Selection{})
	if code := readapi.CodeOf(err); code != readapi.CodeCanceled && (err != nil || withoutCost(t, doc) != q.want) {
		t.Errorf("given up, %s: %v", q.name, err)
	}
}

// install makes a decoder of a module that nobody has seen, adds it, reads with it and takes it out.
func (s *soak) install(t testing.TB, n int) {
	name := fmt.Sprintf("puppet-%d", n)
	d, err := plugins.FromModule(t.Context(), hostiletest.PuppetNamed(name), &plugins.ModuleOptions{Helper: hostiletest.Helper(t), CacheDir: s.cache})
	if err != nil {
		t.Error(err)
		return
	}
	d.MediaTypes = []readapi.MediaType{"application/x-installed"}
	reg, err := plugins.New(&plugins.Options{CacheDir: s.cache, Helper: hostiletest.Helper(t)})
	if err != nil {
		t.Error(err)
		return
	}
	if err := reg.Add(d); err != nil {
		t.Error(err)
	}
	in := hostiletest.NewScript().Frame(3, map[string]any{"at": 1}, name).End()
	res, err := reg.Decode(t.Context(), d.Info(), readapi.Decoding{Input: bytes.NewReader(in), Request: readapi.Request{Version: 1, Form: readapi.FormAuto}, Limits: readapi.DefaultLimits()})
	if err != nil || len(res.Parts) != 1 || res.Parts[0].Text != name {
		t.Errorf("%s: %+v, %v", name, res.Parts, err)
	}
	if err := reg.Remove(t.Context(), name); err != nil {
		t.Error(err)
	}
	if err := reg.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}

// holdings are what a process could leak besides memory.
type holdings struct{ goroutines, files, temporary int }

func held(t testing.TB) holdings {
	t.Helper()
	count := func(dir string) int {
		names, err := os.ReadDir(dir)
		if err != nil {
			return 0
		}
		return len(names)
	}
	for range 1000 { // what is done behind reads comes to its end
		runtime.Gosched()
	}
	return holdings{runtime.NumGoroutine(), count("/proc/self/fd"), count(os.TempDir())}
}

// TestSoak is the short tier of make soak: everything at once for some thousands of reads, the same with the same seed, in both rings. All
// answers are right, all failures typed, and when all is closed nothing is held that was not before.
func TestSoak(t *testing.T) {
	for where, n := range map[plugins.Isolation]struct{ reads, installs int }{plugins.InProcess: {2400, 16}, plugins.Process: {320, 4}} {
		t.Run(where.String(), func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir()) // others' files do not count
			before := held(t)
			s := newSoak(t, where)
			s.run(t, 2, 8, n.reads, n.installs)
			if err := s.reg.Close(context.WithoutCancel(t.Context())); err != nil {
				t.Error(err)
			}
			after := held(t)
			if after.goroutines > before.goroutines+2 || after.files > before.files+2 || after.temporary > before.temporary {
				t.Errorf("held %+v, before it %+v", after, before)
			}
			if s.failures.Load() < int64(n.reads/20) || s.installs.Load() < int64(n.installs) {
				t.Errorf("%d hostile reads failed, %d decoders came and went: the soak did not do what it is for", s.failures.Load(), s.installs.Load())
			}
			t.Logf("%d reads, %d of them hostile failures, %d installs", s.reads.Load(), s.failures.Load(), s.installs.Load())
		})
	}
}

// BenchmarkSoak is the long one: 50,000 reads and 1,000 installs, and what the resident memory does meanwhile. It takes minutes, so it runs
// only when it is asked for (make soak).
func BenchmarkSoak(b *testing.B) {
	if os.Getenv("GLOVEBOX_SOAK") == "" {
		b.Skip("set GLOVEBOX_SOAK=1, or run make soak")
	}
	b.Setenv("TMPDIR", b.TempDir()) // others' files do not count
	for b.Loop() {
		s := newSoak(b, plugins.InProcess)
		base := resident(b)
		s.run(b, 1, 8, 4000, 80) // pools fill, the heap finds its size
		before := held(b)
		var mib []float64
		var most int64
		for k := range 50 {
			s.run(b, uint64(10+k), 8, 1000, 20)
			before := resident(b)
			debug.FreeOSMemory() // what is left is held by something
			mib = append(mib, float64(resident(b))/(1<<20))
			most = max(most, before, resident(b))
		}
		after := held(b)
		b.Logf("MiB after each thousand: %.0f", mib)
		b.Logf("held before %+v, after %+v", before, after)
		b.ReportMetric(float64(base)/(1<<20), "MiB-base")
		b.ReportMetric(mib[len(mib)-1], "MiB-last")
		b.ReportMetric(float64(most)/(1<<20), "MiB-most")
		b.ReportMetric(slope(mib), "MiB/1000-reads")
		b.ReportMetric(float64(s.installs.Load()), "installs")
		b.ReportMetric(float64(after.goroutines-before.goroutines), "goroutines-more")
		b.ReportMetric(float64(after.files-before.files), "fds-more")
		b.ReportMetric(float64(after.temporary-before.temporary), "tempfiles-more")
		if most > base+soakBudget+64<<20 {
			b.Errorf("%d MiB were resident, of %d at the begin and %d for guests", most>>20, base>>20, soakBudget>>20)
		}
		if k := slope(mib); k > 1 {
			b.Errorf("resident memory grows by %.2f MiB per thousand reads, want at most 1", k)
		}
	}
}

// slope is how much y grows from one to the next, by least squares.
func slope(y []float64) float64 {
	n := float64(len(y))
	var sx, sy, sxx, sxy float64
	for i, v := range y {
		x := float64(i)
		sx, sy, sxx, sxy = sx+x, sy+v, sxx+x*x, sxy+x*v
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

func TestSlope(t *testing.T) {
	if got := slope([]float64{5, 7, 9, 11}); got < 1.99 || got > 2.01 {
		t.Errorf("slope %v, want 2", got)
	}
}
