package plugins_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/plugins/hostiletest"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
)

// What a guest changes in its table, its globals, its segments and the size of what can grow is not there for the next read: a state that
// cannot be put back costs the instance. Without putting back, each of these is seen by the read behind it.
func TestTampering(t *testing.T) { rings(t, tampering) }

func tampering(t *testing.T, where plugins.Isolation) {
	look := func() []byte {
		// A part frame whose body is the scratch area: the header first, byte by byte.
		s := script()
		for k, b := range payload(abi.Part{At: 1}, "") {
			s.Do(hostiletest.Store, int32(scratch+k), int32(b))
		}
		n := int32(len(payload(abi.Part{At: 1}, "")))
		at := scratch + n
		s.Do(hostiletest.TableTell, 0, at).Do(hostiletest.TableTell, 1, at+1).Do(hostiletest.GlobalTell, at+2).Do(hostiletest.Copy, at+6, 48<<10, 4)
		s.Do(hostiletest.Emit, int32(abi.KindText), scratch, n+10)
		return s.Do(hostiletest.InitTable, 2).Do(hostiletest.InitData, scratch+500, 7).End()
	}()
	for name, s := range map[string]*hostiletest.Script{
		"a slot":                  script().Do(hostiletest.TableClear, 0),
		"another slot":            script().Do(hostiletest.TableClear, 1),
		"a global":                script().Do(hostiletest.GlobalSet, 'g'),
		"memory":                  script().Do(hostiletest.Fill, 48<<10, 'm', 4),
		"a data segment":          script().Do(hostiletest.DropData),
		"an element segment":      script().Do(hostiletest.DropElem),
		"all of it, and it fails": script().Do(hostiletest.TableClear, 0).Do(hostiletest.GlobalSet, 'g').Do(hostiletest.Fill, 48<<10, 'm', 4).Do(hostiletest.DropData).Do(hostiletest.Trap),
	} {
		change := s.End()
		reads := func(prepare ...func(*plugins.Registry)) (first, behind string) {
			r := hostileRegistry(t, plugins.Options{MaxInstances: 1, Isolation: where}, prepare...)
			info := add(t, r, hostiletest.Decoder(t, hostileCache(), "puppet", hostiletest.Puppet()))
			one := func(in []byte) string {
				res, err := r.Decode(t.Context(), info, ask(in))
				return fmt.Sprintf("%q %v", texts(res), readapi.CodeOf(err))
			}
			first = one(look)
			for range 3 {
				one(change)
			}
			return first, one(look)
		}
		first, behind := reads()
		if first != behind || !strings.Contains(first, "00") {
			t.Errorf("%s: the next read sees it: %s, then %s", name, first, behind)
		}
		if first, behind := reads(plugins.NothingPutBack); first == behind && !strings.Contains(name, "fails") { // what fails is dropped all the same
			t.Errorf("%s: nothing differs without putting back, so this proves nothing: %s", name, first)
		}
	}
}

// goHostile is the guest in Go, built once.
var goHostile = sync.OnceValues(func() ([]byte, error) { return hostiletest.Go(context.Background()) })

func goDecoder(t testing.TB) plugins.Decoder {
	t.Helper()
	b, err := goHostile()
	if err != nil {
		t.Fatal(err)
	}
	return hostiletest.Decoder(t, hostileCache(), "hostile-go", b)
}

// What a whole runtime does when it means harm: the same ends as a module that was made by hand.
func TestGoAttacks(t *testing.T) { rings(t, goAttacks) }

func goAttacks(t *testing.T, where plugins.Isolation) {
	r := hostileRegistry(t, plugins.Options{MaxInstances: 1, Isolation: where})
	info := add(t, r, goDecoder(t))
	brief := func(l *readapi.Limits) { l.Timeout = 50 * time.Millisecond }
	for _, a := range []attack{
		{name: "fail", input: []byte("fail\n" + injection), code: readapi.CodeMalformed},
		{name: "panic", input: []byte("panic\n" + injection), code: readapi.CodeTrap},
		{name: "exit 0", input: []byte("exit 0\n"), code: readapi.CodeTrap},
		{name: "exit 1", input: []byte("exit 1\n"), code: readapi.CodeTrap},
		{name: "a limit of words", input: []byte("limit\n" + injection), code: readapi.CodeBadOutput},
		{name: "stdout", input: []byte("stdout 10000\n" + strings.Repeat("x", 1000)), text: "printed"},
		{name: "stderr", input: []byte("stderr 10000\n" + strings.Repeat("x", 1000)), text: "printed"},
		{name: "log", input: []byte("log 10000\n" + strings.Repeat("x", 1000)), text: "logged"},
		{name: "a year of sleep", input: []byte("sleep 9\n"), text: "9000h0m0s"},
		{name: "memory", input: []byte("alloc 100\n"), limits: func(l *readapi.Limits) { l.MaxMemoryBytes = 32 << 20 }, code: readapi.CodeLimitMemory, limit: "max_memory_bytes"},
		{name: "recursion", input: []byte("depth 100000\n"), code: readapi.CodeLimitDepth, limit: "max_depth"},
		{name: "a goroutine that waits for ever", input: []byte("select\n"), code: readapi.CodeTrap},
		{name: "a loop, by work", input: []byte("spin\n"), limits: little, code: readapi.CodeLimitFuel, limit: "fuel"},
		{name: "a loop, by time", input: []byte("spin\n"), limits: brief, code: readapi.CodeLimitTime, limit: "timeout_ms"},
		{name: "lines", input: []byte("lines 100000000\n" + strings.Repeat("x", 100)), limits: func(l *readapi.Limits) { l.Fuel = 20e9 }, code: readapi.CodeLimitOutput, limit: "max_output_bytes"},
	} {
		t.Run(a.name, func(t *testing.T) {
			q := ask(a.input)
			if a.limits != nil {
				a.limits(&q.Limits)
			}
			res, err := r.Decode(t.Context(), info, q)
			ended(t, a, res, err)
		})
	}
	if res, err := r.Decode(t.Context(), info, ask([]byte("memo\ngood"))); err != nil || res.Parts[0].Text != "good" {
		t.Errorf("a good read behind them: %+v, %v", res, err)
	}
}

// A decoder in Go that keeps things in variables, maps, channels and goroutines finds the same in every read: what its own sample left.
func TestGoMemo(t *testing.T) { rings(t, goMemo) }

func goMemo(t *testing.T, where plugins.Isolation) {
	reads := func(prepare ...func(*plugins.Registry)) (out []string) {
		r := hostileRegistry(t, plugins.Options{MaxInstances: 1, Isolation: where}, prepare...)
		info := add(t, r, goDecoder(t))
		for k := range 200 {
			res, err := r.Decode(t.Context(), info, ask([]byte("memo\n"+canary(k%50, k, false))))
			if err != nil || len(res.Parts) != 2 || res.Parts[0].Text != canary(k%50, k, false) {
				t.Fatalf("read %d: %+v, %v", k, res, err)
			}
			out = append(out, res.Parts[1].Text)
			if k == 3 && len(prepare) > 0 {
				break
			}
		}
		return out
	}
	for k, found := range reads() {
		if found != "4 kept: a sample a sample a sample a sample" {
			t.Fatalf("read %d finds %q", k, found)
		}
	}
	leaky := reads(plugins.NothingPutBack)
	if n := strings.Count(leaky[1], canary(0, 0, false)); n != 4 {
		t.Errorf("without putting back the second read finds the first %d times, want 4: %q", n, leaky[1])
	}
}

// The clock, the random stream, the order of maps and whatever else differs from read to read in a program is the same in all reads, and
// nothing of the machine is in it.
func TestGoWorld(t *testing.T) { rings(t, goWorld) }

func goWorld(t *testing.T, where plugins.Isolation) {
	r := hostileRegistry(t, plugins.Options{MaxInstances: 2, Isolation: where})
	info := add(t, r, goDecoder(t))
	var first string
	for k := range 20 {
		res, err := r.Decode(t.Context(), info, ask([]byte("world\n")))
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = res.Parts[0].Text
		}
		if got := res.Parts[0].Text; got != first {
			t.Fatalf("read %d sees %q, the first %q", k, got, first)
		}
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, never := range []string{"root:", "PATH=", host + "\n", fmt.Sprint(time.Now().Year()), "<nil>"} {
		if strings.Contains(first, never) {
			t.Errorf("the guest sees %q: %q", never, first)
		}
	}
	if !strings.HasPrefix(first, "2000-01-01 00:00:0") || !strings.Contains(first, "1h0m0") || strings.Count(first, "ERRNO")+strings.Count(first, "open ") < 5 {
		t.Errorf("the probe did not run as it should: %q", first)
	}
}
