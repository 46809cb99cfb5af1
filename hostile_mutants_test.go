package glovebox_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/decoders/decodertest"
	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/testdata/hostile"
	"github.com/glovebox-wasm/glovebox/testdata/samples"
)

// mutants is how many mutants are read; GLOVEBOX_MUTANTS asks for more (make mutants). GLOVEBOX_MUTANT asks for one, by its number.
const mutants = 400

// TestMutants reads damaged versions of generated files, each through the front door's host and through every decoder: all end with a
// code that a file may end with, within their fuel. With GLOVEBOX_CORPUS, a folder with folders pdf, image and text, those files are
// mutated too. The same number is always the same mutant of the same files.
func TestMutants(t *testing.T) {
	n, only := number(t, "GLOVEBOX_MUTANTS", mutants), number(t, "GLOVEBOX_MUTANT", -1)
	reg := newRegistry(t, plugins.Options{})
	bar := os.Getenv("GLOVEBOX_BARS") != ""
	lim := readapi.Limits{Fuel: 20e9, Timeout: time.Hour} // fuel ends what runs away: the same on every machine
	if bar {
		lim = readapi.Limits{Timeout: 5 * time.Second}
	}
	lim, err := lim.WithDefaults()
	if err != nil {
		t.Fatal(err)
	}
	door, err := host.NewReader(reg, &host.ReaderOptions{Limits: lim})
	if err != nil {
		t.Fatal(err)
	}
	seeds := mutantSeeds(t)
	run := mutantRun{reg: reg, door: door, lim: lim, counts: map[string]int{}}
	numbers := make(chan int)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := range numbers {
				kind := []string{"pdf", "image", "text", "pdf", "image"}[i%5]
				run.one(t, i, kind, hostile.Mutate(rand.New(rand.NewPCG(4, uint64(i))), kind, seeds[kind]))
			}
		})
	}
	for i := range n {
		if only < 0 || only == i {
			numbers <- i
		}
	}
	close(numbers)
	wg.Wait()
	t.Logf("%d mutants, %d reads: %s", n, run.reads, run.report())
	t.Logf("at most %.1f G fuel (mutant %d); past the deadline by at most %v", float64(run.fuel)/1e9, run.most, run.over)
	if only < 0 && run.counts["door ok"]*5 < n || run.counts["door malformed_input"] == 0 { // else the mutators do too little or too much
		t.Errorf("of %d mutants %d can be read, %d cannot", n, run.counts["door ok"], run.counts["door malformed_input"])
	}
	if bar && run.over > 200*time.Millisecond {
		t.Errorf("a read went on for %v past its deadline", run.over)
	}
}

func number(t *testing.T, name string, def int) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return def
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// mutantRun is what the mutants have in common.
type mutantRun struct {
	reg  *plugins.Registry
	door *host.Reader
	lim  readapi.Limits

	mu     sync.Mutex
	counts map[string]int // "door ok", "pdf malformed_input"
	reads  int
	fuel   int64
	most   int
	over   time.Duration
}

// one reads mutant i.
func (r *mutantRun) one(t *testing.T, i int, kind string, data []byte) {
	start := time.Now()
	doc, err := r.door.Read(t.Context(), host.File{Input: bytes.NewReader(data), Name: "mutant." + map[string]string{"pdf": "pdf", "image": "png", "text": "txt"}[kind]}, readapi.Selection{})
	var fuel int64
	if err == nil {
		fuel = doc.Usage.Fuel
		checkVisible(t, doc)
	}
	r.ended(t, i, kind, "door", err, fuel, time.Since(start))
	for _, d := range r.reg.All() {
		media := map[string]readapi.MediaType{"pdf": "application/pdf", "image": "image/png", "text": "text/plain"}[d.Name]
		req := request(sampleFile{mediaType: media})
		req.MaxTokens = r.lim.MaxTokens
		if d.Name == "image" {
			req.Units = []readapi.Range{{From: 1}}
		}
		start := time.Now()
		res, err := r.reg.Decode(t.Context(), d, readapi.Decoding{Input: bytes.NewReader(data), Request: req, Limits: r.lim})
		r.ended(t, i, kind, d.Name, err, res.Usage.Fuel, time.Since(start))
	}
}

func (r *mutantRun) ended(t *testing.T, i int, kind, by string, err error, fuel int64, took time.Duration) {
	code := readapi.CodeOf(err)
	late := code == readapi.CodeLimitTime && r.lim.Timeout < time.Hour // the bar asks only that it stops
	if !slices.Contains(fileCodes, code) && !late {
		t.Errorf("mutant %d (%s) ends with %s in %s: %v; GLOVEBOX_MUTANT=%d reads it alone", i, kind, code, by, err, i)
	}
	if fuel > r.lim.Fuel {
		t.Errorf("mutant %d (%s): fuel %d in %s, over the limit", i, kind, fuel, by)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reads++
	r.counts[by+" "+cmp.Or(string(code), "ok")]++
	r.over = max(r.over, took-r.lim.Timeout)
	if fuel > r.fuel {
		r.fuel, r.most = fuel, i
	}
}

func (r *mutantRun) report() string {
	var out []string
	for name, n := range r.counts {
		out = append(out, fmt.Sprintf("%s %d", name, n))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// mutantSeeds are the samples, the vectors and the files of the corpus, by kind. Large ones are left out: little of them would change.
func mutantSeeds(t *testing.T) map[string][][]byte {
	t.Helper()
	const most = 64 << 10
	seeds := map[string][][]byte{}
	add := func(kind string, data []byte) {
		if len(data) > 0 && len(data) <= most {
			seeds[kind] = append(seeds[kind], data)
		}
	}
	for _, kind := range []string{"pdf", "image", "text"} {
		vectors, err := decodertest.Vectors(kind)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range vectors {
			add(kind, v.Data)
		}
	}
	photo, err := samples.Photo(120, 90)
	if err != nil {
		t.Fatal(err)
	}
	moving, err := samples.GIF(5)
	if err != nil {
		t.Fatal(err)
	}
	add("image", photo)
	add("image", moving)
	add("pdf", samples.PDF(samples.Report()))
	add("text", samples.Lines(200))
	if dir := os.Getenv("GLOVEBOX_CORPUS"); dir != "" {
		corpusSeeds(t, dir, add)
	}
	return seeds
}

// corpusSeeds adds the files below the folders pdf, image and text of dir.
func corpusSeeds(t *testing.T, dir string, add func(kind string, data []byte)) {
	t.Helper()
	n := 0
	for _, kind := range []string{"pdf", "image", "text"} {
		err := filepath.WalkDir(filepath.Join(dir, kind), func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(name)
			add(kind, data)
			n++
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n == 0 {
		t.Fatal("the corpus is empty")
	}
}
