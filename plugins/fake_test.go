package plugins

import (
	"context"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// fakeEngine runs what a test says in place of a guest.
type fakeEngine struct {
	run  func(ctx context.Context, c *sandbox.Call, n int) error // n counts the runs of one instance, from 1
	make func() error
	runs atomic.Int64
	live atomic.Int64 // instances
}

func (e *fakeEngine) compile(context.Context, sandbox.Module) (program, error) {
	if e.make != nil {
		if err := e.make(); err != nil {
			return nil, err
		}
	}
	return fakeProgram{e}, nil
}
func (e *fakeEngine) Cached(sandbox.Module) bool  { return false }
func (e *fakeEngine) Pressed() bool               { return false }
func (e *fakeEngine) Close(context.Context) error { return nil }

type fakeProgram struct{ e *fakeEngine }

func (p fakeProgram) Snapshot(context.Context, []sandbox.Call) error { return nil }
func (p fakeProgram) Close(context.Context) error                    { return nil }

func (p fakeProgram) instance(context.Context) (instance, error) {
	p.e.live.Add(1)
	return &fakeInstance{e: p.e}, nil
}

type fakeInstance struct {
	e *fakeEngine
	n int
}

func (i *fakeInstance) Decode(ctx context.Context, c *sandbox.Call) (sandbox.Usage, error) {
	i.n++
	i.e.runs.Add(1)
	err := i.e.run(ctx, c, i.n)
	return sandbox.Usage{Fuel: 1}, err
}
func (i *fakeInstance) Reset() error { return nil }
func (i *fakeInstance) Close() error {
	i.e.live.Add(-1)
	return nil
}

// ending sends the frame that ends an answer.
func ending(c *sandbox.Call, total int64) error {
	frame, err := abi.AppendFrame(nil, abi.End{Total: total}, nil)
	c.Emit(abi.KindEnd, frame)
	return err
}

// faked is a registry with one decoder, which the engine runs, and what it reported.
func faked(t *testing.T, e *fakeEngine, opts Options) (*Registry, *[]Incident) {
	t.Helper()
	var heard []Incident
	opts.Engine = sandbox.Interpreter
	opts.Report = func(i Incident) { heard = append(heard, i) }
	r, err := New(&opts)
	if err != nil {
		t.Fatal(err)
	}
	r.engine, r.other = e, e
	err = r.Add(Decoder{
		Name: "a", Version: "1", Digest: "d", MediaTypes: []readapi.MediaType{"text/plain"}, Unit: "line",
		Load: func() ([]byte, error) { return []byte("x"), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return r, &heard
}

// readOf is a read of the file with this digest, for a party.
func readOf(ctx context.Context, r *Registry, party, file string) error {
	_, err := r.Decode(ctx, r.Accepts("text/plain")[0], readapi.Decoding{
		Input: strings.NewReader("x"), Request: readapi.Request{Form: readapi.FormAuto}, Limits: readapi.DefaultLimits(),
		Party: party, SHA256: func() string { return file },
	})
	return err
}

func numbered(k int) string { return "file " + strconv.Itoa(k) }
