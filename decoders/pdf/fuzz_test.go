package pdf

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"

	"github.com/glovebox-wasm/glovebox/decoders/decodertest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func FuzzDecode(f *testing.F) {
	decodertest.Seed(f, "pdf")
	f.Fuzz(func(t *testing.T, in []byte) { decodertest.Invariants(t, in, "pdf", decodertest.Native(&Decoder)) })
}

// FuzzContent fuzzes the interpreter alone: the input is the content of a page.
func FuzzContent(f *testing.F) {
	f.Add([]byte(pdftest.Lines(hello)))
	f.Add([]byte("q 1 0 0 1 9 9 cm BT /F1 10 Tf 0 -14 TD [(a) -300 <62>] TJ T* (c) ' 1 2 (d) \" ET Q /X Do /G gs BI /W 1 ID x EI"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if _, err := run(pdftest.Plain(string(content)).Table(), readapi.Request{}); err != nil {
			t.Errorf("a page with any content is a page: %v", err)
		}
	})
}

// TestSeeds keeps the committed seeds: mutants of the generated files, by bytes and by objects, beside the vectors that FuzzDecode starts
// from anyway.
func TestSeeds(t *testing.T) {
	const dir, n = "testdata/fuzz/FuzzDecode", 32
	rnd := rand.New(rand.NewPCG(3, 5))
	var small [][]byte
	for _, v := range vectors() {
		if len(v.data) > 0 && len(v.data) < 2<<10 {
			small = append(small, v.data)
		}
	}
	for i := range n {
		name, change := fmt.Sprintf("%s/mutant-%02d", dir, i), mutate
		if i >= n/2 {
			change = reshape
		}
		want := fmt.Appendf(nil, "go test fuzz v1\n[]byte(%q)\n", change(rnd, small))
		if *update {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator makes (-update writes it): %v", name, err)
		}
	}
}

// mutants is how many mutants TestMutants reads; GLOVEBOX_MUTANTS asks for more.
const mutants = 1500

// TestMutants reads damaged versions of the generated files: each ends with a document or a code that a decoder may end with, and none
// allocates by a number that it declares.
func TestMutants(t *testing.T) {
	n := mutants
	if s := os.Getenv("GLOVEBOX_MUTANTS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	var seeds [][]byte
	for _, v := range vectors() {
		if len(v.data) > 0 && len(v.data) < 64<<10 {
			seeds = append(seeds, v.data)
		}
	}
	rnd := rand.New(rand.NewPCG(7, 11))
	var worst time.Duration
	var most uint64
	var before, after runtime.MemStats
	for i := range n {
		in := mutate(rnd, seeds)
		if i%2 == 1 {
			in = reshape(rnd, seeds)
		}
		runtime.ReadMemStats(&before)
		start := time.Now()
		_, err := run(in, readapi.Request{})
		worst = max(worst, time.Since(start))
		runtime.ReadMemStats(&after)
		most = max(most, after.TotalAlloc-before.TotalAlloc)
		switch code := readapi.CodeOf(err); code {
		case "", readapi.CodeMalformed, readapi.CodeEncrypted, readapi.CodeUnsupportedFeature, readapi.CodeLimitFuel:
		default:
			t.Fatalf("mutant %d ends with %v", i, err)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 256<<20 {
			name := fmt.Sprintf("%s/mutant-%d.pdf", t.TempDir(), i)
			if err := os.WriteFile(name, in, 0o644); err != nil {
				t.Fatal(err)
			}
			t.Errorf("mutant %d of %d bytes allocates %d MiB: %s", i, len(in), grown>>20, name)
		}
	}
	t.Logf("%d mutants: at most %v and %d KiB allocated", n, worst, most>>10)
}

// words that make a mutant interesting.
var dictionary = []string{
	"obj", "endobj", "stream", "endstream", "xref", "trailer", "startxref", "/Kids", "/Count", "/Length", "/Prev", "/Size", "/Root", "/W",
	"/Index", "/Filter", "/DecodeParms", "/Predictor", "/Columns", "/N", "/First", "/Extends", "/Contents", "/Resources", "/Parent",
	"4294967295", "99999999999999999999", "-1", "0", "1", "2147483648", "[", "]", "<<", ">>", "(", ")", "<", ">", "1 0 R", "2 0 R", "3 0 R",
	"4 0 R", "5 0 R", "/Encrypt", "null", "\x00", "\xff",
}

func mutate(rnd *rand.Rand, seeds [][]byte) []byte {
	b := bytes.Clone(seeds[rnd.IntN(len(seeds))])
	for range 1 + rnd.IntN(4) {
		at := rnd.IntN(len(b))
		end := min(len(b), at+1+rnd.IntN(24))
		switch rnd.IntN(6) {
		case 0:
			b[at] ^= byte(1 << rnd.IntN(8))
		case 1:
			b[at] = byte(rnd.Uint32())
		case 2: // an interesting word instead of what stands there
			b = append(b[:at:at], append([]byte(dictionary[rnd.IntN(len(dictionary))]), b[end:]...)...)
		case 3: // a digit: references and numbers
			for i := at; i < len(b); i++ {
				if object.IsDigit(b[i]) {
					b[i] = '0' + byte(rnd.IntN(10))
					break
				}
			}
		case 4: // a piece twice, or a piece of another file
			other := seeds[rnd.IntN(len(seeds))]
			from := rnd.IntN(len(other))
			b = append(b[:at:at], append(bytes.Clone(other[from:min(len(other), from+1+rnd.IntN(200))]), b[at:]...)...)
		case 5: // a piece less
			b = append(b[:at:at], b[end:]...)
		}
		if len(b) == 0 {
			return []byte("%PDF-1.7")
		}
	}
	return b
}
