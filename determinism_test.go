package glovebox_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/testdata/samples"
)

// mostFuel is what a read may take that is run on the interpreter too, twice.
const mostFuel = 20e6

// TestDeterminism runs reads of different files on both engines, on each in a new instance and in one that was put back: the same output
// and the same fuel, whatever becomes of the file. make bars does it with a thousand, which takes some minutes.
func TestDeterminism(t *testing.T) {
	want := 15
	if os.Getenv("GLOVEBOX_BARS") != "" {
		want = 1000
	}
	var heard []plugins.Incident
	reg := newRegistry(t, plugins.Options{Report: func(i plugins.Incident) { heard = append(heard, i) }, RestAfter: 1 << 20})
	rnd := rand.New(rand.NewPCG(4, 2))
	compared, answered, large := 0, 0, 0
	for compared < want {
		if large > 2*want+20 {
			t.Fatalf("%d reads took more than %d units of fuel: too few are left", large, int64(mostFuel))
		}
		f := drawn(t, rnd)
		info := reg.Accepts(f.mediaType)[0]
		d := readapi.Decoding{Input: bytes.NewReader(f.data), Request: request(f), Limits: readapi.DefaultLimits()}
		d.Limits.Fuel = mostFuel
		res, err := reg.Decode(t.Context(), info, d)
		if errors.Is(err, readapi.CodeLimitFuel) && rnd.IntN(10) > 0 { // a few of those are compared too: they end at the same unit
			large++
			continue
		}
		if err == nil && res.Usage.Fuel > 0 {
			answered++
		}
		if err := reg.Verify(t.Context(), info, d); err != nil {
			t.Fatalf("read %d, %s of %d bytes: %v", compared, f.mediaType, len(f.data), err)
		}
		compared++
	}
	t.Logf("%d reads, %d of them answered, %d passed over", compared, answered, large)
	if answered < want/2 || len(heard) > 0 {
		t.Errorf("%d of %d reads were answered; heard %v", answered, want, heard)
	}
}

// drawn is a small file; one in eight is damaged.
func drawn(t *testing.T, rnd *rand.Rand) sampleFile {
	t.Helper()
	var f sampleFile
	var err error
	switch rnd.IntN(4) {
	case 0:
		f = sampleFile{"a.txt", "text/plain", samples.Lines(1 + rnd.IntN(60))}
	case 1:
		f.mediaType = "image/png"
		f.data, err = samples.PNG(1+rnd.IntN(40), 1+rnd.IntN(40))
	case 2:
		f.mediaType = "image/jpeg"
		f.data, err = samples.Photo(8+rnd.IntN(40), 8+rnd.IntN(40))
	case 3:
		var lines []string
		for range 1 + rnd.IntN(6) {
			lines = append(lines, fmt.Sprint("line ", rnd.Uint64()))
		}
		f = sampleFile{"a.pdf", "application/pdf", samples.PDF([][]string{lines})}
	}
	if err != nil {
		t.Fatal(err)
	}
	if rnd.IntN(8) == 0 {
		f.data = bytes.Clone(f.data)
		for range 1 + rnd.IntN(4) {
			f.data[rnd.IntN(len(f.data))] ^= byte(1 << rnd.IntN(8))
		}
	}
	return f
}
