package plugins

import (
	"context"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/ring"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// engine makes programs: of package sandbox, whose guests run in this process, or of package ring, whose guests run in others.
type engine interface {
	compile(ctx context.Context, m sandbox.Module) (program, error)
	Cached(m sandbox.Module) bool
	Pressed() bool // memory is short: better close an instance than keep it
	Close(ctx context.Context) error
}

// program is a decoder that is ready to make instances.
type program interface {
	Snapshot(ctx context.Context, calls []sandbox.Call) error
	instance(ctx context.Context) (instance, error)
	Close(ctx context.Context) error
}

// instance runs one read at a time.
type instance interface {
	Decode(ctx context.Context, c *sandbox.Call) (sandbox.Usage, error)
	Reset() error
	Close() error
}

// newEngine is the one that o asks for.
func newEngine(o Options, reclaim func()) (engine, error) {
	box := &sandbox.Options{
		Engine: o.Engine, CacheDir: o.CacheDir, MaxTotalMemoryBytes: o.MaxTotalMemoryBytes, Reclaim: reclaim, Helper: o.Helper, Log: o.Logger,
		CompileLimits: o.CompileLimits, InitLimits: o.InitLimits,
	}
	switch o.Isolation {
	case InProcess:
		rt, err := sandbox.New(box)
		if err != nil {
			return nil, err
		}
		return inProcess{rt}, nil
	case Process:
		r, err := ring.New(&ring.Options{Helper: o.Helper, Engine: o.Engine, CacheDir: o.CacheDir, Log: o.Logger, CompileLimits: o.CompileLimits, InitLimits: o.InitLimits})
		if err != nil {
			return nil, err
		}
		return inHelpers{r}, nil
	}
	return nil, &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: "there is no such isolation", Hint: "It is InProcess or Process."}
}

type inProcess struct{ *sandbox.Runtime }

func (e inProcess) compile(ctx context.Context, m sandbox.Module) (program, error) {
	p, err := e.Compile(ctx, m)
	if err != nil {
		return nil, err
	}
	return boxProgram{p}, nil
}

type boxProgram struct{ *sandbox.Program }

func (p boxProgram) instance(ctx context.Context) (instance, error) {
	i, err := p.Instance(ctx)
	if err != nil {
		return nil, err
	}
	return i, nil
}

type inHelpers struct{ *ring.Ring }

func (e inHelpers) compile(ctx context.Context, m sandbox.Module) (program, error) {
	p, err := e.Compile(ctx, m)
	if err != nil {
		return nil, err
	}
	return ringProgram{p}, nil
}

type ringProgram struct{ *ring.Program }

func (p ringProgram) instance(ctx context.Context) (instance, error) {
	i, err := p.Instance(ctx)
	if err != nil {
		return nil, err
	}
	return i, nil
}
