package sandbox

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/modules"
)

// phases are what of a guest runs before its first read: each makes a guest that does body there, whose locals 0 and 7 are i32.
var phases = map[string]func(body ...any) *guest{
	"start": func(body ...any) *guest {
		g := newGuest(i32(0))
		g.start = g.fn("", "", decodeLocals, body...)
		return g
	},
	"_initialize": func(body ...any) *guest {
		g := newGuest(i32(0))
		g.export(abi.ExportInitialize, g.fn("", "", decodeLocals, body...))
		return g
	},
	"version": func(body ...any) *guest {
		g := newGuest(i32(0))
		g.export(abi.ExportABI, g.fn("", "i", decodeLocals, cat(body...), i32(abi.Version)))
		return g
	},
	"describe": func(body ...any) *guest {
		g := newGuest(i32(0))
		g.export(abi.ExportDescribe, g.fn("", "i", decodeLocals, cat(body...), emitRange(1, i32(0), i32(0)), drop, i32(0)))
		return g
	},
	"warm-up": func(body ...any) *guest { return newGuest(cat(body...), i32(0)) },
}

// spin goes round n times, for some units of fuel each.
func spin(n int32) code {
	return cat(i32(n), set(7), loop(get(7), i32(1), i32Sub, byte(0x22), 7, brIf(0)))
}

// TestInitLimits attacks where a guest runs before its first read. Each phase stops at the limits of its own; with those raised the same
// guest goes through, so it was they that stopped it.
func TestInitLimits(t *testing.T) {
	const fuel, warm = 100_000, 100_000 * warmShare
	for name, phase := range phases {
		budget := int64(fuel)
		if name == "warm-up" {
			budget = warm
		}
		for _, tc := range []struct {
			attack string
			body   code
			limits Limits
			raised Limits
			limit  string
			value  int64
		}{
			{"spins", spin(int32(budget)), Limits{Fuel: fuel}, Limits{Fuel: 1e9}, "fuel", budget},
			{"fills", repeated(40, i32(0), i32(1), i32(1<<16), memFill()), Limits{Fuel: fuel}, Limits{Fuel: 100 * fuel}, "fuel", budget},
			{"grows", cat(grow(i32(31)), i32(-1), i32Eq, if_(unreachable)), Limits{MaxMemoryBytes: 16 * pageBytes}, Limits{MaxMemoryBytes: 32 * pageBytes}, "max_memory_bytes", 16 * pageBytes},
			{"calls the host", repeated(9, call_(fnInputLen), drop), Limits{MaxHostCalls: 8}, Limits{MaxHostCalls: 20}, "max_host_calls", 8},
		} {
			t.Run(name+" "+tc.attack, func(t *testing.T) {
				engines(t, func(t *testing.T, e Engine) {
					if tc.attack == "fills" && name == "warm-up" {
						tc.body = repeated(40*warmShare, i32(0), i32(1), i32(1<<16), memFill())
					}
					begin := func(l Limits) error {
						p := compile(t, newRuntime(t, Options{Engine: e, InitLimits: l}), phase(tc.body).module(t))
						return p.Snapshot(t.Context(), []Call{{}})
					}
					err := begin(tc.limits)
					code := readapi.CodeLimitFuel
					if tc.limit == "max_memory_bytes" {
						code = readapi.CodeLimitMemory
					}
					got := wantCode(t, err, code)
					if got.Limit == nil || got.Limit.Name != tc.limit || got.Limit.Value != tc.value {
						t.Errorf("limit %+v, want %s %d", got.Limit, tc.limit, tc.value)
					}
					if err := begin(tc.raised); err != nil {
						t.Errorf("with the limit raised: %v", err)
					}
				})
			})
		}
	}
}

// repeated does body n times, as part of a function.
func repeated(n int32, body ...any) code {
	return cat(i32(n), set(7), loop(cat(body...), get(7), i32(1), i32Sub, byte(0x22), 7, brIf(0)))
}

// TestInitDeadline stops a guest before its first read by time, and by its caller, in the midst of what it does. Nothing else would: it has
// the fuel of a lifetime. The same guest without the attack gets through.
func TestInitDeadline(t *testing.T) {
	for name, phase := range phases {
		for attack, body := range map[string]code{"spins": loop(br(0)), "fills": loop(i32(0), i32(1), i32(1<<16), memFill(), br(0)), "grows in vain": loop(grow(i32(1000)), drop, br(0))} {
			t.Run(name+" "+attack, func(t *testing.T) {
				begin := func(ctx context.Context, timeout time.Duration, log slog.Handler, body code) error {
					rt := newRuntime(t, Options{InitLimits: Limits{Fuel: 1 << 60, Timeout: timeout}, Log: slog.New(log)})
					return compile(t, rt, phase(cat(i32(1), i32(0), i32(1), call_(fnLog), body)).module(t)).Snapshot(ctx, []Call{{}})
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				ran := &onLog{Handler: slog.DiscardHandler, do: func() {}}
				wantCode(t, begin(ctx, 20*time.Millisecond, ran, body), readapi.CodeLimitTime)
				if ran.n == 0 {
					t.Error("the attack did not run")
				}
				wantCode(t, begin(ctx, time.Hour, &onLog{Handler: slog.DiscardHandler, do: cancel}, body), readapi.CodeCanceled)
				if err := begin(t.Context(), time.Hour, slog.DiscardHandler, nil); err != nil {
					t.Errorf("without the attack: %v", err)
				}
			})
		}
	}
}

// onLog does something when a guest logs.
type onLog struct {
	slog.Handler
	do func()
	n  int
}

func (h *onLog) Enabled(context.Context, slog.Level) bool { return true }
func (h *onLog) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h *onLog) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "guest" {
		h.n++
		h.do()
	}
	return nil
}

// TestInitRoom checks that the decoders of this project need no more than a quarter of what they are given before their first read.
func TestInitRoom(t *testing.T) {
	rt := newRuntime(t, Options{CacheDir: testCache(t), InitLimits: Limits{Fuel: initFuel / 4, MaxMemoryBytes: initMemory / 4}})
	for _, m := range modules.All() {
		w, err := m.Wasm()
		if err != nil {
			t.Fatal(err)
		}
		var calls []Call
		for k, s := range m.Samples {
			req := fmt.Sprintf(`{"v":1,"media_type":%q,"form":"auto","max_bytes":1000000}`, m.Description.Samples[k].MediaType)
			calls = append(calls, Call{Request: []byte(req), Input: input(string(s))})
		}
		p := compile(t, rt, Module{Name: m.Name, Wasm: w, Digest: m.Digest})
		if err := p.Snapshot(t.Context(), calls); err != nil || len(calls) == 0 {
			t.Errorf("%s with %d samples: %v", m.Name, len(calls), err)
		}
	}
}

// TestInitLimitsAreChecked checks that a negative one is refused, and that a warm-up call's own limits are kept.
func TestInitLimitsAreChecked(t *testing.T) {
	for _, l := range []Limits{{Fuel: -1}, {Timeout: -1}, {MaxMemoryBytes: -1}, {MaxFrames: -1}} {
		_, err := New(&Options{InitLimits: l})
		wantCode(t, err, readapi.CodeInvalidRequest)
	}
	p := program(t, Compiler, phases["warm-up"](spin(1_000_000)))
	err := p.Snapshot(t.Context(), []Call{{Limits: Limits{Fuel: 1000}}})
	if got := wantCode(t, err, readapi.CodeLimitFuel); got.Limit.Value != 1000 {
		t.Errorf("limit %+v", got.Limit)
	}
}
