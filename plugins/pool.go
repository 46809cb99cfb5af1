package plugins

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// pool keeps instances of one decoder, by digest. The program is compiled and its snapshot taken when the first read needs it.
type pool struct {
	box     engine
	decoder Decoder
	opts    Options
	slots   chan struct{} // one per instance that may run at once
	gone    chan struct{} // closed when the pool is

	mu     sync.Mutex
	prog   program
	making chan struct{} // closed when the program that is being made is there, or is not
	idle   []instance
	closed bool

	drain   chan struct{} // a token that the one who closes holds
	drained int           // slots that closing has taken for good; of whoever holds drain
}

func newPool(box engine, d Decoder, opts Options) *pool {
	return &pool{box: box, decoder: d, opts: opts, slots: make(chan struct{}, opts.MaxInstances), gone: make(chan struct{}), drain: make(chan struct{}, 1)}
}

// decode runs one read on an instance that is in the snapshot's state.
func (p *pool) decode(ctx context.Context, d readapi.Decoding) (readapi.Result, error) {
	req, lim := d.Request, d.Limits
	if !p.hasForm(req.Form) {
		return readapi.Result{}, &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: "the decoder does not have the form " + string(req.Form), Hint: "Its forms are " + p.forms() + "."}
	}
	if err := p.slot(ctx); err != nil {
		return readapi.Result{}, err
	}
	free := func() { <-p.slots }
	defer func() { free() }()
	inst, err := p.get(ctx)
	if err != nil {
		return readapi.Result{}, err
	}
	raw, err := json.Marshal(req)
	if err != nil {
		inst.Close()
		return readapi.Result{}, err
	}
	most := min(lim.MaxOutputBytes, math.MaxInt64-headerRoom) + headerRoom
	collect := abi.Collector{MaxBytes: most}
	usage, err := inst.Decode(ctx, &sandbox.Call{
		Request: raw, Input: d.Input, Emit: collect.Add,
		Limits: sandbox.Limits{Fuel: lim.Fuel, Timeout: lim.Timeout, MaxMemoryBytes: lim.MaxMemoryBytes, MaxOutputBytes: most},
	})
	if err != nil {
		inst.Close() // after any error its state is unknown
		if _, said := collect.Result(); ofGuest(err) && said != nil && readapi.CodeOf(said) != readapi.CodeBadOutput {
			return readapi.Result{}, p.inert(ctx, said) // why it stopped
		}
		return readapi.Result{}, err
	}
	// Putting back takes as long as a small read, and nobody needs to wait for it: the answer has left the guest. The slot is held until it
	// is done, so whoever closes the pool waits, and no more instances than there may be are in use.
	release := free
	free = func() {}
	p.behind(func() {
		defer release()
		p.put(inst)
	})
	res, err := collect.Result()
	res.Usage.Fuel, res.Usage.MemoryBytes = usage.Fuel, usage.MemoryBytes
	return res, p.inert(ctx, err)
}

// ofGuest reports whether err is about what the guest did, of which the guest knows more. Of an input that cannot be read, or a caller that
// went away, it knows nothing: it takes the first for damage.
func ofGuest(err error) bool {
	switch readapi.CodeOf(err) {
	case readapi.CodeTrap, readapi.CodeBadOutput, readapi.CodeLimitTime, readapi.CodeLimitFuel, readapi.CodeLimitMemory, readapi.CodeLimitOutput,
		readapi.CodeLimitDepth:
		return true
	}
	return false
}

// headerRoom is what frame headers, meta and warnings may take besides the parts that MaxOutputBytes is about.
const headerRoom = 4 << 20

func (p *pool) hasForm(f readapi.Form) bool {
	return f == readapi.FormAuto || slices.Contains(p.decoder.Forms, f)
}

func (p *pool) forms() string {
	s := string(readapi.FormAuto)
	for _, f := range p.decoder.Forms {
		s += ", " + string(f)
	}
	return s
}

// slot takes the right to run one instance, and waits for it if it must. A read that comes with its time already over is late, not held
// up by others.
func (p *pool) slot(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case p.slots <- struct{}{}:
		return nil
	default:
	}
	select { // fair: waiting senders are served in order
	case p.slots <- struct{}{}:
		return nil
	case <-p.gone:
		return errGone
	case <-ctx.Done():
		return waited(ctx, "every instance of the decoder is at work")
	}
}

// errGone says that the decoder was taken out of the registry.
var errGone = errors.New("plugins: the decoder is gone")

// waited is the error of a read whose context ended while it waited for others: the caller's own wish, or no room in time. The latter is
// busy, whoever set the time: nothing of the file was read yet, and the same read may well succeed later.
func waited(ctx context.Context, why string) error {
	if readapi.CodeOf(ctx.Err()) == readapi.CodeCanceled {
		return ctx.Err()
	}
	return &readapi.Error{Code: readapi.CodeBusy, Detail: why, RetryAfter: busyRetry, Hint: "Try again in a moment."}
}

// busyRetry is what a caller is told to wait: about one ordinary read.
const busyRetry = 500 * time.Millisecond

// busyCompile is the same while a decoder is compiled, which takes seconds where a read takes milliseconds.
const busyCompile = 5 * time.Second

// get returns an idle instance or a new one.
func (p *pool) get(ctx context.Context) (instance, error) {
	prog, err := p.program(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		inst := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return inst, nil
	}
	p.mu.Unlock()
	return prog.instance(ctx)
}

// behind runs f behind the read that calls it; in a process that reads once there is nothing to win.
func (p *pool) behind(f func()) {
	if p.opts.OneShot {
		f()
		return
	}
	go f()
}

// put brings an instance back to the snapshot's state and keeps it; one that cannot be brought back is dropped, and so is one whose memory
// others wait for.
func (p *pool) put(inst instance) {
	if p.opts.OneShot || inst.Reset() != nil || p.box.Pressed() {
		inst.Close()
		return
	}
	p.mu.Lock()
	keep := !p.closed
	if keep {
		p.idle = append(p.idle, inst)
	}
	p.mu.Unlock()
	if !keep {
		inst.Close()
	}
}

// trim closes the instances that no read uses.
func (p *pool) trim() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, inst := range idle {
		inst.Close()
	}
}

// program returns the compiled decoder, made by whoever needs it first; the others wait for that. A failure is not kept: the next read
// tries again.
func (p *pool) program(ctx context.Context) (program, error) {
	for {
		p.mu.Lock()
		switch {
		case p.closed:
			p.mu.Unlock()
			return nil, errGone
		case p.prog != nil:
			defer p.mu.Unlock()
			return p.prog, nil
		case p.making == nil:
			p.making = make(chan struct{})
			p.mu.Unlock()
			return p.make(ctx)
		}
		wait := p.making
		p.mu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, waited(ctx, "the decoder is still being prepared")
		}
	}
}

// make makes the program. Whatever happens, a panic of the embedder's functions included, those who wait for it go on.
func (p *pool) make(ctx context.Context) (prog program, err error) {
	defer func() {
		p.mu.Lock()
		gone := p.closed
		if !gone {
			p.prog = prog
		}
		close(p.making)
		p.making = nil
		p.mu.Unlock()
		if gone && prog != nil { // whoever closed the pool did not see it
			prog, err = nil, cmp.Or(prog.Close(ctx), errGone)
		}
	}()
	prog, err = p.compile(ctx)
	if readapi.CodeOf(err) == readapi.CodeLimitTime && !p.opts.OneShot && ctx.Err() != nil { // compiling goes on without us and fills the cache
		err = &readapi.Error{Code: readapi.CodeBusy, Detail: "the decoder is still being prepared", RetryAfter: busyCompile, Hint: "Try again in some seconds.", Err: err}
	}
	return prog, err
}

func (p *pool) compile(ctx context.Context) (program, error) {
	m, err := p.decoder.module()
	if err != nil {
		return nil, err
	}
	if p.opts.OnCompile != nil && !p.box.Cached(m) {
		if done := p.opts.OnCompile(p.decoder.Name); done != nil {
			defer done()
		}
	}
	prog, err := p.box.compile(ctx, m)
	if err != nil || p.opts.OneShot {
		return prog, err
	}
	calls, err := p.warmup()
	if err == nil {
		err = prog.Snapshot(ctx, calls)
	}
	if err != nil {
		prog.Close(ctx)
		return nil, err
	}
	return prog, nil
}

// warmup is one read of each sample in every form.
func (p *pool) warmup() ([]sandbox.Call, error) {
	lim := readapi.DefaultLimits()
	var calls []sandbox.Call
	for _, s := range p.decoder.Samples {
		req := readapi.Request{Version: abi.Version, MediaType: s.MediaType, Form: readapi.FormAuto, MaxTokens: lim.MaxTokens, MaxBytes: lim.MaxOutputBytes}
		raw, err := json.Marshal(req)
		if err != nil {
			return nil, err
		}
		calls = append(calls, sandbox.Call{Request: raw, Input: bytes.NewReader(s.Data), Emit: func(abi.Kind, []byte) bool { return false }})
	}
	return calls, nil
}

// close waits for the reads that run, then frees the instances and the program. It is idempotent, and safe beside itself: each call returns
// when all is freed or its ctx ends, and then another may go on where this one stopped.
func (p *pool) close(ctx context.Context) error {
	p.mu.Lock()
	if !p.closed {
		p.closed = true
		close(p.gone)
	}
	p.mu.Unlock()
	const why = "the decoder is still at work"
	select {
	case p.drain <- struct{}{}:
		defer func() { <-p.drain }()
	case <-ctx.Done():
		return waited(ctx, why)
	}
	for ; p.drained < cap(p.slots); p.drained++ {
		select {
		case p.slots <- struct{}{}:
		case <-ctx.Done():
			return waited(ctx, why)
		}
	}
	return p.free(ctx)
}

// free closes what nobody uses any more.
func (p *pool) free(ctx context.Context) error {
	p.trim()
	p.mu.Lock()
	prog := p.prog
	p.prog = nil
	p.mu.Unlock()
	if prog == nil {
		return nil
	}
	return prog.Close(ctx)
}
