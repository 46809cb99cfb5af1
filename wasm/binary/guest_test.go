package binary_test

import (
	"bytes"
	"cmp"
	"compress/flate"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/wasm/binary"
	"github.com/glovebox-wasm/glovebox/wasm/binary/difftest"
)

// goGuest builds testdata/guest with the go tool, once for all tests.
var goGuest = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "guest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "guest.wasm")
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-o", out, "./testdata/guest")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if msg, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, msg)
	}
	return os.ReadFile(out)
})

func guest(t testing.TB) []byte {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a guest")
	}
	b, err := goGuest()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// guestWork is an input for each kind of work that the guest does; size is the side of pictures, and sets the rest.
func guestWork(t testing.TB, size int) []struct {
	name  string
	input []byte
} {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	m := image.NewNRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			m.SetNRGBA(x, y, color.NRGBA{byte(x * y), byte(x + r.IntN(8)), byte(y ^ x), 255 - byte(x&y&1)})
		}
	}
	var p, j, d bytes.Buffer
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(png.Encode(&p, m))
	must(jpeg.Encode(&j, m, nil))
	var words, doc strings.Builder
	doc.WriteString("[")
	for i := range size * 20 {
		fmt.Fprintf(&words, "w%dö%d ", r.IntN(size), i%7)
		fmt.Fprintf(&doc, `{"id":%d,"name":"näme %d","list":[1.5e%d,null,true]},`, i, r.IntN(1000), i%20)
	}
	doc.WriteString("0]")
	w, err := flate.NewWriter(&d, 6)
	must(err)
	_, err = w.Write([]byte(words.String()))
	must(err)
	must(w.Close())
	return []struct {
		name  string
		input []byte
	}{{"png", p.Bytes()}, {"jpeg", j.Bytes()}, {"text", d.Bytes()}, {"json", []byte(doc.String())}, {"panics", []byte("x")}}
}

// startGuest instantiates the guest with the engine's own WASI, whose clock and randomness are the same each time.
func startGuest(t testing.TB, lab *difftest.Lab, engine string, wasm []byte, rewritten bool) *instance {
	t.Helper()
	in, err := lab.Start(engine, wasm, rewritten, binary.SliceFuel, difftest.Input{})
	if err != nil {
		t.Fatal(err)
	}
	if _, trap := in.Call("_initialize"); trap != "" {
		t.Fatal(trap)
	}
	return in
}

// do gives the guest its input and runs one kind of work.
func do(t testing.TB, in *instance, kind int, input []byte) uint64 {
	t.Helper()
	p, trap := in.Call("alloc", uint64(len(input)))
	if trap != "" || !in.Mod.Memory().Write(uint32(p[0]), input) {
		t.Fatalf("alloc: %s", trap)
	}
	r, trap := in.Call("run", uint64(kind))
	if trap != "" || r[0] == 1 {
		t.Fatalf("run: %v %s", r, trap)
	}
	return r[0]
}

// TestGoGuest compares a guest that Go built: results, memory, and the fuel of two runs and of both engines.
func TestGoGuest(t *testing.T) {
	wasm := guest(t)
	m, err := binary.Admit(wasm, nil)
	if err != nil {
		t.Fatal(err)
	}
	rewritten, err := binary.Rewrite(wasm, nil)
	if err != nil {
		t.Fatal(err)
	}
	counted, err := binary.CountExact(wasm)
	if err != nil {
		t.Fatal(err)
	}
	lab := difftest.NewLab(t)
	// The interpreter is a hundred times slower: it gets small inputs.
	for _, c := range []struct {
		size    int
		engines []string
	}{{200, []string{"compiler"}}, {16, engines}} {
		work := guestWork(t, c.size)
		original, exact := startGuest(t, lab, "compiler", wasm, false), startGuest(t, lab, "compiler", counted, false)
		var runs []*instance
		for _, e := range append(c.engines, "compiler") {
			runs = append(runs, startGuest(t, lab, e, rewritten, true))
		}
		for kind, w := range work {
			want := do(t, original, kind, w.input)
			before := exact.Global("count")
			do(t, exact, kind, w.input)
			executed := int64(exact.Global("count") - before)
			fuel := int64(0)
			for _, in := range runs {
				before := in.Used()
				if got := do(t, in, kind, w.input); got != want {
					t.Fatalf("%s of size %d gives %#x, original %#x", w.name, c.size, got, want)
				}
				spent := in.Used() - before
				if fuel == 0 {
					fuel = spent
				}
				if spent != fuel {
					t.Errorf("%s of size %d: fuel %d and %d", w.name, c.size, fuel, spent)
				}
				if in.Observe(m) != original.Observe(m) {
					t.Errorf("%s of size %d leaves another memory", w.name, c.size)
				}
			}
			if fuel*binary.WeightsPerUnit < executed {
				t.Errorf("%s: charged %d units, executed %d/%d", w.name, fuel, executed, binary.WeightsPerUnit)
			}
			t.Logf("%s of size %d: %d units, %.2f of what was executed", w.name, c.size, fuel, float64(fuel*binary.WeightsPerUnit)/float64(executed))
		}
	}
}

// BenchmarkGuest prints how the rewritten guest compares with the original, with refuel called at every slice (bar: 1.15). The
// two take turns; "ratio" is that of the medians.
func BenchmarkGuest(b *testing.B) {
	wasm := guest(b)
	rewritten, err := binary.Rewrite(wasm, nil)
	if err != nil {
		b.Fatal(err)
	}
	lab := difftest.NewLab(b)
	plain, metered := startGuest(b, lab, "compiler", wasm, false), startGuest(b, lab, "compiler", rewritten, true)
	for kind, w := range guestWork(b, 400) {
		b.Run(w.name, func(b *testing.B) {
			var took [2][]time.Duration
			looks := metered.Looks
			for b.Loop() {
				for i, in := range []*instance{plain, metered} {
					t := time.Now()
					do(b, in, kind, w.input)
					took[i] = append(took[i], time.Since(t))
				}
			}
			median := func(d []time.Duration) float64 {
				slices.SortFunc(d, func(x, y time.Duration) int { return cmp.Compare(x, y) })
				return float64(d[len(d)/2])
			}
			b.ReportMetric(median(took[1])/median(took[0]), "ratio")
			b.ReportMetric(float64(metered.Looks-looks)/float64(b.N), "refuels/op")
		})
	}
}

// BenchmarkRewrite is the time of rings 1 and 2 for a guest of Go's usual size.
func BenchmarkRewrite(b *testing.B) {
	wasm := guest(b)
	b.SetBytes(int64(len(wasm)))
	for b.Loop() {
		if _, err := binary.Rewrite(wasm, nil); err != nil {
			b.Fatal(err)
		}
	}
}
