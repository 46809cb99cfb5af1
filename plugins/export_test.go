package plugins

import (
	"context"

	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// NothingPutBack makes r keep instances as reads leave them: what the tests of isolation must notice. It is for a registry without decoders.
func NothingPutBack(r *Registry) { r.engine = keepingEngine{r.engine} }

type keepingEngine struct{ engine }

func (e keepingEngine) compile(ctx context.Context, m sandbox.Module) (program, error) {
	p, err := e.engine.compile(ctx, m)
	return keepingProgram{p}, err
}

type keepingProgram struct{ program }

func (p keepingProgram) instance(ctx context.Context) (instance, error) {
	i, err := p.program.instance(ctx)
	return keepingInstance{i}, err
}

type keepingInstance struct{ instance }

func (keepingInstance) Reset() error { return nil }

// Vouched makes r run foreign decoders in this process, as if somebody vouched for them: for tests of what becomes of their words. It is
// for a registry without decoders.
func Vouched(r *Registry) { r.engine = vouchingEngine{r.engine} }

type vouchingEngine struct{ engine }

func (e vouchingEngine) compile(ctx context.Context, m sandbox.Module) (program, error) {
	m.Foreign = false
	return e.engine.compile(ctx, m)
}
