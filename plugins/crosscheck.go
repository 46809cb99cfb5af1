package plugins

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"hash/crc32"
	"sync"
	"sync/atomic"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// checker says which reads are run twice, and on what.
type checker struct {
	every  int64
	n      atomic.Int64
	engine func() (engine, error) // the other one
}

func (c *checker) due() bool { return c.every > 0 && c.n.Add(1)%c.every == 0 }

// What the second run of a read may take. The interpreter is about a hundred times slower than the compiler.
const (
	mostCheckTime = 10 * time.Second
	mostCheckFuel = 1e9
)

// otherEngine is made when it is first needed. It runs guests where the registry's own does, in the other way.
func (r *Registry) otherEngine() (engine, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return nil, errGone
	case r.other != nil:
		return r.other, nil
	}
	o := r.opts
	o.Engine = sandbox.Interpreter
	if r.opts.Engine == sandbox.Interpreter {
		o.Engine = sandbox.Compiler
	}
	e, err := newEngine(o, r.reclaim)
	if err == nil {
		r.other = e
	}
	return e, err
}

// Verify runs one read on both engines, on each in a new instance and in one that was put back, and compares the answers and the fuel. The
// answers are thrown away; nil says that they were the same, if only the same error.
//
// Errors: decoder_trap when two differ, and then the decoder is quarantined; busy, canceled, limit_time and the errors of an input that
// cannot be read, which say nothing; conflict when the input changed meanwhile; those of Decode for a decoder that is not there or cannot be
// made.
func (r *Registry) Verify(ctx context.Context, info readapi.DecoderInfo, d readapi.Decoding) error {
	const op = "plugins.Verify"
	e, err := r.named(op, info)
	if err != nil {
		return err
	}
	err = e.pool.verify(ctx, d)
	if errors.Is(err, errGone) {
		return r.gone(op, info.Name)
	}
	if err != nil {
		return withRef(readapi.AsError(op, err), e.Name)
	}
	return nil
}

func (p *pool) verify(ctx context.Context, d readapi.Decoding) error {
	var err error
	if d.Limits, err = d.Limits.WithDefaults(); err != nil {
		return err
	}
	pass, err := p.enter(ctx, d)
	if err != nil {
		return err
	}
	defer pass.leave(0)
	other, err := p.other()
	if err != nil {
		return err
	}
	var first *taped
	for _, on := range []*pool{p, other} {
		prog, err := on.program(ctx)
		if err != nil {
			return err
		}
		inst, err := prog.instance(ctx)
		if err != nil {
			return err
		}
		for again := range 2 {
			got := on.taped(ctx, inst, d)
			if first == nil {
				first = &got
			}
			if err := p.agree(*first, got); err != nil {
				if got.alive {
					inst.Close()
				}
				return err
			}
			if !got.alive || again == 1 || inst.Reset() != nil {
				if got.alive {
					on.put(inst)
				}
				break
			}
		}
	}
	return nil
}

// checked is run for a read whose answer is to be compared before it is given.
func (p *pool) checked(ctx context.Context, d readapi.Decoding) outcome {
	inst, err := p.get(ctx)
	if err != nil {
		return unmade(ctx, err)
	}
	first := p.taped(ctx, inst, d)
	if first.alive {
		p.put(inst)
	}
	if first.cannotSay() || p.opts.Engine == sandbox.Compiler && first.usage.Fuel > mostCheckFuel {
		return first.outcome
	}
	second, err := p.second(ctx, d)
	if err == nil {
		err = p.agree(first, second)
	}
	if p.distrusted.Load() { // by this read or by another: what one cannot trust one does not give out
		return outcome{err: errDecoderQuarantined(), usage: first.usage}
	}
	if err != nil {
		p.opts.Logger.Info("a read could not be compared", "decoder", p.decoder.Name, "code", string(readapi.CodeOf(err)))
	}
	return first.outcome
}

// second runs a read on the other engine.
func (p *pool) second(ctx context.Context, d readapi.Decoding) (taped, error) {
	other, err := p.other()
	if err != nil {
		return taped{}, err
	}
	most := min(mostCheckTime, max(0, time.Until(endOf(ctx, d.Limits.Timeout))/2))
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	inst, err := other.get(ctx)
	if err != nil {
		return taped{}, err
	}
	got := other.taped(ctx, inst, d)
	if got.alive {
		other.put(inst)
	}
	return got, nil
}

// other returns the pool of the same decoder on the other engine. It holds what a read needs that is compared, and takes part in nothing
// else: whoever runs on it has been let in by p.
func (p *pool) other() (*pool, error) {
	if t := p.twin.Load(); t != nil {
		return t, nil
	}
	e, err := p.shared.check.engine()
	if err != nil {
		return nil, err
	}
	opts := p.opts
	opts.OnCompile = nil
	p.twin.CompareAndSwap(nil, newPool(e, p.decoder, opts, p.shared))
	return p.twin.Load(), nil
}

// agree compares two runs of one read, and quarantines the decoder where they differ. Other errors say that they cannot be compared.
func (p *pool) agree(a, b taped) error {
	switch {
	case a.cannotSay():
		return a.err
	case b.cannotSay():
		return b.err
	case a.same(b):
		return nil
	case a.tape.changed(b.tape):
		return &readapi.Error{Code: readapi.CodeConflict, Detail: "the file changed while it was read"}
	}
	p.distrust("Two runs of one read gave different answers.")
	return errDecoderQuarantined()
}

// taped is an outcome, and what the guest got to read.
type taped struct {
	outcome
	tape *tape
}

func (p *pool) taped(ctx context.Context, inst instance, d readapi.Decoding) taped {
	t := &tape{}
	if d.Input != nil {
		t.in = d.Input
		d.Input = t
	}
	frames := sha256.New()
	return taped{p.run(ctx, inst, d, frames), t}
}

// cannotSay reports whether the run ended by something that is another at each run: time, room, a caller, an input that fails.
func (t taped) cannotSay() bool {
	if t.host {
		return true
	}
	switch readapi.CodeOf(t.err) {
	case readapi.CodeLimitTime, readapi.CodeCanceled, readapi.CodeBusy, readapi.CodeInternal:
		return true
	}
	return t.tape.failed()
}

// same compares frames, fuel and memory; of runs that ended by an error the frames and the code, for a stack may end a little earlier on one
// engine.
func (t taped) same(b taped) bool {
	if t.sum != b.sum || readapi.CodeOf(t.err) != readapi.CodeOf(b.err) || t.alive != b.alive {
		return false
	}
	return !t.alive || t.usage == b.usage
}

// tape is an input that remembers what was read of it.
type tape struct {
	in readapi.Input

	mu    sync.Mutex
	reads []taken
	err   error
}

type taken struct {
	off int64
	n   int
	sum uint32
}

// mostTaken is how many reads are remembered, which are of up to 256 KiB.
const mostTaken = 1 << 16

// Size implements readapi.Input.
func (t *tape) Size() int64 { return t.in.Size() }

// ReadAt implements io.ReaderAt.
func (t *tape) ReadAt(p []byte, off int64) (int, error) {
	n, err := t.in.ReadAt(p, off)
	t.mu.Lock()
	defer t.mu.Unlock()
	if n < len(p) {
		t.err = cmp.Or(err, errShort)
	}
	if len(t.reads) < mostTaken {
		t.reads = append(t.reads, taken{off, n, crc32.ChecksumIEEE(p[:max(0, n)])})
	}
	return n, err
}

var errShort = errors.New("plugins: the input is shorter than it was")

func (t *tape) failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err != nil
}

// changed reports whether the same read gave other bytes than it did to b: then it is no wonder that the answers differ.
func (t *tape) changed(b *tape) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range min(len(t.reads), len(b.reads)) {
		x, y := t.reads[i], b.reads[i]
		if x != y {
			return x.off == y.off && x.n == y.n
		}
	}
	return false
}
