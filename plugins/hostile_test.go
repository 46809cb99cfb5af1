package plugins_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/plugins/hostiletest"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
)

// hostileRegistry is a registry for decoders that mean harm, on the compiler, with this program as the helper that compiles them.
func hostileRegistry(t testing.TB, opts plugins.Options, prepare ...func(*plugins.Registry)) *plugins.Registry {
	t.Helper()
	opts.CacheDir, opts.Helper = hostileCache(), hostiletest.Helper(t)
	r, err := plugins.New(&opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	for _, p := range prepare {
		p(r)
	}
	return r
}

// rings runs f with guests in this process and with guests in processes of their own.
func rings(t *testing.T, f func(t *testing.T, where plugins.Isolation)) {
	for _, where := range []plugins.Isolation{plugins.InProcess, plugins.Process} {
		t.Run(where.String(), func(t *testing.T) { f(t, where) })
	}
}

// hostileCache is where compiled decoders are kept from run to run; "": nowhere.
func hostileCache() string { return os.Getenv("GLOVEBOX_TEST_CACHE") }

func add(t testing.TB, r *plugins.Registry, d plugins.Decoder) readapi.DecoderInfo {
	t.Helper()
	if err := r.Add(d); err != nil {
		t.Fatal(err)
	}
	return d.Info()
}

func ask(in []byte) readapi.Decoding {
	return readapi.Decoding{
		Input: bytes.NewReader(in), Limits: readapi.DefaultLimits(),
		Request: readapi.Request{Version: abi.Version, MediaType: hostiletest.MediaType, Form: readapi.FormAuto},
	}
}

// texts are the texts of an answer, in order.
func texts(res readapi.Result) (out []string) {
	for _, p := range res.Parts {
		out = append(out, p.Text)
	}
	return out
}

// canary is what no other read may ever see: it says whose it is.
func canary(session, read int, table bool) string {
	first := "C"
	if table {
		first = "T"
	}
	return fmt.Sprintf("%sANARY-%03d-%08d-CANARY-CANARYXX", first, session, read)[:hostiletest.CanaryBytes]
}

// crossings reads n times for sessions at once with the memo decoder, and counts the answers that are not what a first read gives: the
// input's own words, and nothing found. The first of them is described.
func crossings(t *testing.T, r *plugins.Registry, info readapi.DecoderInfo, sessions, n, workers int) (crossed int64, first string) {
	t.Helper()
	alone, err := r.Decode(t.Context(), info, ask([]byte(canary(999, 0, false))))
	if err != nil || len(alone.Parts) != 2 || alone.Parts[0].Text != canary(999, 0, false) {
		t.Fatalf("the first read: %q, %v", texts(alone), err)
	}
	want := alone.Parts[1].Text
	var all sync.WaitGroup
	var next, bad atomic.Int64
	var once sync.Once
	for worker := range workers {
		all.Go(func() {
			rnd := rand.New(rand.NewPCG(7, uint64(worker)))
			for k := next.Add(1); k <= int64(n); k = next.Add(1) {
				own := canary(rnd.IntN(sessions), int(k), rnd.IntN(10) == 0)
				d := ask([]byte(own))
				d.Party = own[:10]
				res, err := r.Decode(t.Context(), info, d)
				if got := texts(res); err != nil || len(got) != 2 || got[0] != own || got[1] != want {
					bad.Add(1)
					once.Do(func() { first = fmt.Sprintf("read %d: %q, %v", k, got, err) })
				}
			}
		})
	}
	all.Wait()
	return bad.Load(), first
}

// Thousands of reads of fifty sessions, many at once: nothing of one is in the answer of another. With instances that are not put back the
// same reads cross, so the decoder does remember and the test can see it.
func TestIsolation(t *testing.T) { rings(t, isolation) }

func isolation(t *testing.T, where plugins.Isolation) {
	const sessions, workers = 50, 8
	r := hostileRegistry(t, plugins.Options{MaxInstances: 4, Isolation: where})
	info := add(t, r, hostiletest.Decoder(t, hostileCache(), "memo", hostiletest.Memo()))
	n := map[plugins.Isolation]int{plugins.InProcess: 3000, plugins.Process: 500}[where]
	if os.Getenv("GLOVEBOX_BARS") != "" {
		n = map[plugins.Isolation]int{plugins.InProcess: 100_000, plugins.Process: 10_000}[where]
	}
	crossed, first := crossings(t, r, info, sessions, n, workers)
	t.Logf("%d interleaved reads of %d sessions, %v: %d crossed", n, sessions, where, crossed)
	if crossed > 0 {
		t.Errorf("%d of %d answers have something of another read: %s", crossed, n, first)
	}

	leaky := hostileRegistry(t, plugins.Options{MaxInstances: 4, Isolation: where}, plugins.NothingPutBack)
	info = add(t, leaky, hostiletest.Decoder(t, hostileCache(), "memo", hostiletest.Memo()))
	crossed, first = crossings(t, leaky, info, sessions, 200, workers)
	if crossed < 150 || !strings.Contains(first, "ANARY-") {
		t.Errorf("without putting back only %d of 200 answers differ, so this test proves nothing: %s", crossed, first)
	}
}

// Every place where the memo decoder keeps things is one that it can read again, and each alone is noticed.
func TestMemoRemembers(t *testing.T) {
	r := hostileRegistry(t, plugins.Options{MaxInstances: 1}, plugins.NothingPutBack)
	info := add(t, r, hostiletest.Decoder(t, hostileCache(), "memo", hostiletest.Memo()))
	var got [3]string
	for k := range got {
		res, err := r.Decode(t.Context(), info, ask([]byte(canary(1, k, k == 1))))
		if err != nil {
			t.Fatal(err)
		}
		got[k] = res.Parts[1].Text
	}
	if n := strings.Count(got[1], canary(1, 0, false)); n != 5 {
		t.Errorf("the second read finds the first %d times, want 5 (four places in memory, and globals): %q", n, got[1])
	}
	const clock, table = 5 * hostiletest.CanaryBytes, 5*hostiletest.CanaryBytes + 24
	if got[0][clock:clock+8] == got[1][clock:clock+8] {
		t.Error("the clock does not remember")
	}
	if got[1][table] != '0' || got[2][table] != '1' {
		t.Errorf("the table does not remember: %q, then %q", got[1][table], got[2][table])
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
