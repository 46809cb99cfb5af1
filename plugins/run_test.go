package plugins_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/binary"
	wat "github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// small is a decoder that reads one byte of its input and answers with nothing: a module of some hundred bytes.
func small(t *testing.T, name string) plugins.Decoder {
	return saying(t, name, abi.KindEnd, abi.End{})
}

// saying is small with another frame.
func saying(t *testing.T, name string, kind abi.Kind, header any) plugins.Decoder {
	t.Helper()
	end, err := abi.AppendFrame(nil, header, nil)
	if err != nil {
		t.Fatal(err)
	}
	i32 := wat.Types{wat.I32}
	m := wat.New()
	read := m.Import(abi.HostModule, abi.ImportInputRead, wat.Types{wat.I64, wat.I32, wat.I32}, i32)
	emit := m.Import(abi.HostModule, abi.ImportEmit, wat.Types{wat.I32, wat.I32, wat.I32}, i32)
	version := m.Func(nil, i32, nil, wat.I32Const(abi.Version))
	describe := m.Func(nil, i32, nil, wat.I32Const(0))
	decode := m.Func(nil, i32, nil,
		wat.I64Const(0), wat.I32Const(1024), wat.I32Const(1), wat.Call(read), wat.Op(0x1a),
		wat.I32Const(int32(kind)), wat.I32Const(0), wat.I32Const(int32(len(end))), wat.Call(emit))
	m.Memory(1, 1)
	m.Data(0, end)
	m.ExportMemory(abi.ExportMemory)
	m.ExportFunc(abi.ExportABI, version)
	m.ExportFunc(abi.ExportDescribe, describe)
	m.ExportFunc(abi.ExportDecode, decode)
	wasm, err := binary.Rewrite(m.Bytes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	d := decoder(name, digestOf(wasm), "text/plain")
	d.Load = func() ([]byte, error) { return wasm, nil }
	return d
}

func digestOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func interpreted(t *testing.T, opts plugins.Options) *plugins.Registry {
	t.Helper()
	opts.Engine = sandbox.Interpreter
	r, err := plugins.New(&opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return r
}

// gate is an input that says when it is read and holds the read until it is let through.
type gate struct {
	reached chan struct{}
	open    chan struct{}
}

func newGate() *gate { return &gate{reached: make(chan struct{}), open: make(chan struct{})} }

func (g *gate) Size() int64 { return 1 }

func (g *gate) ReadAt(p []byte, _ int64) (int, error) {
	close(g.reached)
	<-g.open
	return len(p), nil
}

// start reads g and returns what comes of it, once the decoder is at work.
func start(t *testing.T, r *plugins.Registry, g *gate) <-chan error {
	t.Helper()
	infos := r.Accepts("text/plain")
	if len(infos) != 1 {
		t.Fatalf("%d decoders, want 1", len(infos))
	}
	done := make(chan error, 1)
	go func() {
		_, err := r.Decode(context.WithoutCancel(t.Context()), infos[0], readapi.Decoding{Input: g, Request: readapi.Request{Form: readapi.FormAuto}, Limits: readapi.DefaultLimits()})
		done <- err
	}()
	select {
	case <-g.reached:
	case err := <-done:
		t.Fatal(err)
	}
	return done
}

// Closing from several places, and closing beside a removal that was given up, leaves the read that runs alone: the second close used to
// find nothing left to wait for and took the sandbox away below the read.
func TestCloseWaitsBesideOthers(t *testing.T) {
	live := context.WithoutCancel(t.Context())
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, before := range map[string]func(r *plugins.Registry){
		"close": func(*plugins.Registry) {},
		"remove": func(r *plugins.Registry) {
			if err := r.Remove(ended, "a"); readapi.CodeOf(err) != readapi.CodeCanceled {
				t.Errorf("a removal that was given up: %v, want canceled", err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := interpreted(t, plugins.Options{})
			if err := r.Add(small(t, "a")); err != nil {
				t.Fatal(err)
			}
			g := newGate()
			done := start(t, r, g)
			before(r)
			var closers sync.WaitGroup
			for range 4 {
				closers.Go(func() {
					if err := r.Close(live); err != nil {
						t.Error(err)
					}
				})
			}
			for len(r.Accepts("text/plain")) > 0 { // until one of them has begun
				runtime.Gosched()
			}
			close(g.open)
			if err := <-done; err != nil {
				t.Errorf("the read that ran: %v", err)
			}
			closers.Wait()
		})
	}
}

// A close whose ctx ends stops the reads that run.
func TestCloseStops(t *testing.T) {
	r := interpreted(t, plugins.Options{})
	if err := r.Add(small(t, "a")); err != nil {
		t.Fatal(err)
	}
	g := newGate()
	defer close(g.open)
	done := start(t, r, g)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Close(ended); readapi.CodeOf(err) != readapi.CodeCanceled {
		t.Errorf("a close that was given up: %v, want canceled", err)
	}
	if err := <-done; readapi.CodeOf(err) != readapi.CodeCanceled {
		t.Errorf("the read that was stopped: %v, want canceled", err)
	}
}

func TestClosedRegistry(t *testing.T) {
	r := interpreted(t, plugins.Options{})
	d := small(t, "a")
	if err := r.Add(d); err != nil {
		t.Fatal(err)
	}
	info := r.Accepts("text/plain")[0]
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.Add(d); readapi.CodeOf(err) != readapi.CodeCanceled {
		t.Errorf("Add: %v, want canceled", err)
	}
	if _, err := r.Decode(t.Context(), info, readapi.Decoding{Input: newGate(), Request: readapi.Request{Form: readapi.FormAuto}, Limits: readapi.DefaultLimits()}); readapi.CodeOf(err) != readapi.CodeCanceled {
		t.Errorf("Decode: %v, want canceled", err)
	}
}

// A read whose time is over before it began is late. Only one that waits for others is busy; which of the two it was used to be chance.
func TestLateIsNotBusy(t *testing.T) {
	r := interpreted(t, plugins.Options{MaxInstances: 1})
	if err := r.Add(small(t, "a")); err != nil {
		t.Fatal(err)
	}
	info := r.Accepts("text/plain")[0]
	late, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancel()
	for range 50 {
		_, err := r.Decode(late, info, readapi.Decoding{Input: newGate(), Request: readapi.Request{Form: readapi.FormAuto}, Limits: readapi.DefaultLimits()})
		if readapi.CodeOf(err) != readapi.CodeLimitTime {
			t.Fatalf("a read that came late: %v, want limit_time", err)
		}
	}
}

func TestBusy(t *testing.T) {
	r := interpreted(t, plugins.Options{MaxInstances: 1})
	if err := r.Add(small(t, "a")); err != nil {
		t.Fatal(err)
	}
	g := newGate()
	done := start(t, r, g)
	soon, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := r.Decode(soon, r.Accepts("text/plain")[0], readapi.Decoding{Input: newGate(), Request: readapi.Request{Form: readapi.FormAuto}, Limits: readapi.DefaultLimits()})
	if e, ok := errors.AsType[*readapi.Error](err); !ok || e.Code != readapi.CodeBusy || e.RetryAfter <= 0 {
		t.Errorf("a read that waited: %v, want busy", err)
	}
	close(g.open)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// The largest limits are limits like any other.
func TestHugeLimits(t *testing.T) {
	r := interpreted(t, plugins.Options{})
	if err := r.Add(small(t, "a")); err != nil {
		t.Fatal(err)
	}
	const n = math.MaxInt64
	lim := readapi.Limits{Timeout: n, Fuel: n, MaxMemoryBytes: n, MaxOutputBytes: n}
	if _, err := r.Decode(t.Context(), r.Accepts("text/plain")[0], readapi.Decoding{Input: strings.NewReader("a"), Request: readapi.Request{Form: readapi.FormAuto}, Limits: lim}); err != nil {
		t.Error(err)
	}
}

// What a decoder keeps ready for its next read gives way to a read of another one. It used to keep that busy for good, with nothing at work.
func TestIdleGivesWay(t *testing.T) {
	r := interpreted(t, plugins.Options{MaxTotalMemoryBytes: 100 << 10}) // room for one instance, not two
	types := []readapi.MediaType{"text/plain", "text/html", "text/css"}
	for _, m := range types {
		d := small(t, string(m))
		d.MediaTypes = []readapi.MediaType{m}
		if err := r.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	for k := range 9 {
		info := r.Accepts(types[k%3])[0]
		if _, err := r.Decode(t.Context(), info, readapi.Decoding{Input: strings.NewReader("a"), Request: readapi.Request{Form: readapi.FormAuto}, Limits: readapi.DefaultLimits()}); err != nil {
			t.Fatalf("read %d: %v", k, err)
		}
	}
}

// expiring is a context whose deadline passes when done is closed.
type expiring struct {
	context.Context
	done chan struct{}
}

func (e expiring) Done() <-chan struct{} { return e.done }

func (e expiring) Err() error {
	select {
	case <-e.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// A read whose time is over before its decoder is ready may try again, unless the process ends with the read: then compiling does not go
// on, and only more time helps.
func TestLateForDecoder(t *testing.T) {
	for oneShot, want := range map[bool]readapi.Code{false: readapi.CodeBusy, true: readapi.CodeLimitTime} {
		r := interpreted(t, plugins.Options{OneShot: oneShot})
		ctx := expiring{t.Context(), make(chan struct{})}
		d := small(t, "a")
		load := d.Load
		d.Load = func() ([]byte, error) {
			close(ctx.done)
			return load()
		}
		if err := r.Add(d); err != nil {
			t.Fatal(err)
		}
		info := r.Accepts("text/plain")[0]
		if _, err := r.Decode(ctx, info, readapi.Decoding{Input: strings.NewReader("a"), Request: readapi.Request{Form: readapi.FormAuto}, Limits: readapi.DefaultLimits()}); readapi.CodeOf(err) != want {
			t.Errorf("one-shot %v: %v, want %s", oneShot, err, want)
		}
	}
}

// unreadable is an input whose bytes cannot be had.
type unreadable struct{ err error }

func (unreadable) Size() int64                         { return 1 }
func (u unreadable) ReadAt([]byte, int64) (int, error) { return 0, u.err }

// A guest whose input fails takes that for damage and says so. The caller hears what it was.
func TestInputFailure(t *testing.T) {
	r := interpreted(t, plugins.Options{})
	if err := r.Add(saying(t, "a", abi.KindError, abi.Failure{Code: readapi.CodeMalformed})); err != nil {
		t.Fatal(err)
	}
	for err, want := range map[error]readapi.Code{
		errors.New("disk on fire"): readapi.CodeNotFound, readapi.CodeCorrupt: readapi.CodeCorrupt, readapi.CodeGone: readapi.CodeGone,
	} {
		_, got := r.Decode(t.Context(), r.Accepts("text/plain")[0], readapi.Decoding{Input: unreadable{err}, Request: readapi.Request{Form: readapi.FormAuto}, Limits: readapi.DefaultLimits()})
		if readapi.CodeOf(got) != want {
			t.Errorf("%v: %v, want %s", err, got, want)
		}
	}
	_, err := r.Decode(t.Context(), r.Accepts("text/plain")[0], readapi.Decoding{Input: strings.NewReader("a"), Request: readapi.Request{Form: readapi.FormAuto}, Limits: readapi.DefaultLimits()})
	if readapi.CodeOf(err) != readapi.CodeMalformed {
		t.Errorf("a file that is damaged: %v, want malformed_input", err)
	}
}

// A decoder whose module cannot be loaded because the embedder's function panics must not hold up those who wait for it.
func TestLoadPanics(t *testing.T) {
	r := interpreted(t, plugins.Options{})
	d := small(t, "a")
	load, calls := d.Load, 0
	d.Load = func() ([]byte, error) {
		if calls++; calls == 1 {
			panic("on purpose")
		}
		return load()
	}
	if err := r.Add(d); err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = r.Warm(t.Context())
	}()
	if err := r.Warm(t.Context()); err != nil {
		t.Error(err)
	}
}
