package sandbox

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	wasmbinary "github.com/glovebox-wasm/glovebox/wasm/binary"
)

// goGuest builds testdata/guest, once for all tests: a decoder in Go as an author would write it, with Go's whole runtime.
var goGuest = sync.OnceValues(func() (Module, error) {
	dir, err := os.MkdirTemp("", "glovebox-guest-")
	if err != nil {
		return Module{}, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "guest.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-buildmode=c-shared", "-o", out, "./testdata/guest")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return Module{}, err
	}
	original, err := os.ReadFile(out)
	if err != nil {
		return Module{}, err
	}
	w, err := wasmbinary.Rewrite(original, nil)
	return module("go-guest", w), err
})

func needsGoGuest(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and compiles a guest of 3 MB")
	}
}

func goProgram(t testing.TB, opts Options) *Program {
	t.Helper()
	needsGoGuest(t)
	m, err := goGuest()
	if err != nil {
		t.Fatal(err)
	}
	opts.CacheDir = testCache(t)
	return compile(t, newRuntime(t, opts), m)
}

func request(t testing.TB, name string) []byte {
	t.Helper()
	b, err := json.Marshal(readapi.Request{Version: abi.Version, MediaType: "text/plain", Name: name, Form: readapi.FormAuto})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// read runs one read of the Go guest and returns its text.
func read(t testing.TB, i *Instance, name string, in readapi.Input, limits Limits) (string, Usage, error) {
	t.Helper()
	var c abi.Collector
	u, err := i.Decode(t.Context(), &Call{Request: request(t, name), Input: in, Emit: c.Add, Limits: limits})
	if err != nil {
		return "", u, err
	}
	res, err := c.Result()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var text strings.Builder
	for _, p := range res.Parts {
		text.WriteString(p.Text)
	}
	return text.String(), u, nil
}

// warm describes the guest and returns a call for each of its samples, as a pool does.
func warm(t testing.TB, p *Program) []Call {
	t.Helper()
	i := instance(t, p)
	defer i.Close()
	var calls []Call
	err := i.Describe(t.Context(), func(k abi.Kind, payload []byte) bool {
		f, err := abi.ParseFrame(k, append([]byte(nil), payload...))
		d, ok := f.Value.(*abi.Description)
		if err != nil || !ok {
			t.Errorf("describe frame: %v", err)
			return true
		}
		for _, s := range d.SplitSamples(f.Body) {
			calls = append(calls, Call{Request: request(t, "lines"), Input: input(string(s))})
		}
		return false
	})
	if err != nil || len(calls) == 0 {
		t.Fatalf("%d samples, %v", len(calls), err)
	}
	return calls
}

// snapshotted is an instance of the Go guest at its snapshot.
func snapshotted(t testing.TB, p *Program) *Instance {
	t.Helper()
	if err := p.Snapshot(t.Context(), warm(t, p)); err != nil {
		t.Fatal(err)
	}
	i := instance(t, p)
	t.Cleanup(func() { i.Close() })
	return i
}

func TestGoGuest(t *testing.T) {
	i := snapshotted(t, goProgram(t, Options{}))
	text := strings.Repeat("a line of text\n", 100)
	var fuel int64
	for range 5 {
		got, u, err := read(t, i, "lines", input(text), Limits{})
		if err != nil || got != text {
			t.Fatalf("%q, %v", got, err)
		}
		if fuel == 0 {
			fuel = u.Fuel
		}
		if u.Fuel != fuel {
			t.Errorf("fuel %d, then %d", fuel, u.Fuel)
		}
		for _, secret := range []string{"one", "two"} {
			if err := i.Reset(); err != nil {
				t.Fatal(err)
			}
			if got, _, err := read(t, i, "memo", input(secret), Limits{}); err != nil || got != "0 bytes left: " {
				t.Errorf("%q, %v", got, err)
			}
		}
		if err := i.Reset(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGoGuestEngines checks that both engines agree on a real guest to the unit of fuel.
func TestGoGuestEngines(t *testing.T) {
	needsGoGuest(t)
	var want string
	var fuel int64
	engines(t, func(t *testing.T, e Engine) {
		i := snapshotted(t, goProgram(t, Options{Engine: e}))
		got, u, err := read(t, i, "world", nil, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want, fuel = got, u.Fuel
		}
		if got != want || u.Fuel != fuel {
			t.Errorf("%q for %d, and %q for %d", got, u.Fuel, want, fuel)
		}
	})
	if !strings.HasPrefix(want, "2000-01-01 00:00:0") || !strings.Contains(want, " 1h0m0") || !strings.Contains(want, "[] [] [] true") {
		t.Errorf("the guest sees of the world: %q", want)
	}
}

// TestGoGuestLimits checks how a real runtime dies of each limit.
func TestGoGuestLimits(t *testing.T) {
	p := goProgram(t, Options{})
	if err := p.Snapshot(t.Context(), warm(t, p)); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name   string
		limits Limits
		code   readapi.Code
	}{
		{"alloc 64", Limits{MaxMemoryBytes: 32 << 20}, readapi.CodeLimitMemory},
		{"alloc 64", Limits{}, ""},
		{"depth 100000", Limits{}, readapi.CodeLimitDepth},
		{"depth 1000", Limits{}, ""},
		{"panic", Limits{}, readapi.CodeTrap},
		{"exit 0", Limits{}, readapi.CodeTrap},
		{"exit 3", Limits{}, readapi.CodeTrap},
		{"spin", Limits{Fuel: 1e9}, readapi.CodeLimitFuel},
		{"spin", Limits{Fuel: 1 << 60, Timeout: 1}, readapi.CodeLimitTime},
	} {
		i := instance(t, p)
		if _, _, err := read(t, i, tc.name, nil, tc.limits); readapi.CodeOf(err) != tc.code {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.code)
		}
		i.Close()
	}
}
