package plugins

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
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
	shared  *shared
	lane    *lane
	breaker *breaker

	distrusted atomic.Bool          // two runs of one read came to different answers
	twin       atomic.Pointer[pool] // the same decoder on the other engine, once one was needed; it has no reads of its own

	mu     sync.Mutex
	prog   program
	making chan struct{} // closed when the program that is being made is there, or is not
	idle   []rested      // the one that was used last is the last
	expiry *time.Timer   // closes those that were not used for long; nil: none is idle
	closed bool

	drain chan struct{} // a token that the one who closes holds
}

// rested is an instance that no read uses.
type rested struct {
	instance
	since time.Time
}

// shared is what the pools of a registry have in common.
type shared struct {
	gate       *gate
	quarantine *quarantine
	check      checker
	report     func(Incident)
}

func newPool(box engine, d Decoder, opts Options, s *shared) *pool {
	p := &pool{box: box, decoder: d, opts: opts, shared: s, lane: newLane(opts.MaxInstances), drain: make(chan struct{}, 1)}
	p.breaker = newBreaker(opts.RestAfter, func(kind IncidentKind) {
		detail := "The decoder failed with several files in a row and rests."
		if kind == DecoderRecovered {
			detail = "The decoder answers again."
		}
		s.report(Incident{Kind: kind, Decoder: d.Info(), Detail: detail})
	})
	return p
}

// state is whether the decoder is in service.
func (p *pool) state() State {
	if p.distrusted.Load() {
		return StateQuarantined
	}
	return p.breaker.state()
}

// distrust takes the decoder out of service: something of it differs from one run to the other.
func (p *pool) distrust(what string) {
	if !p.distrusted.Swap(true) {
		p.shared.report(Incident{Kind: DecoderQuarantined, Decoder: p.decoder.Info(), Detail: what})
	}
}

// trust takes the decoder, and the files that failed with it, back into service.
func (p *pool) trust() {
	p.distrusted.Store(false)
	p.shared.quarantine.forgive(p.decoder.Digest)
}

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

// errGone says that the decoder was taken out of the registry.
var errGone = errors.New("plugins: the decoder is gone")

// waited is the error of a read whose context ended while it waited for others: the caller's own wish, or no room in time. The latter is
// busy, whoever set the time: nothing of the file was read yet, and the same read may well succeed later.
func waited(ctx context.Context, why string, retry time.Duration) error {
	if readapi.CodeOf(ctx.Err()) == readapi.CodeCanceled {
		return ctx.Err()
	}
	return &readapi.Error{Code: readapi.CodeBusy, Detail: why, RetryAfter: retry, Hint: "Try again in a moment."}
}

// busyRetry is what a caller is told to wait who waited for a close: about one ordinary read.
const busyRetry = 500 * time.Millisecond

// busyCompile is what a reader is told to wait while a decoder is compiled, which takes seconds where a read takes milliseconds.
const busyCompile = 5 * time.Second

// get returns an idle instance or a new one.
func (p *pool) get(ctx context.Context) (instance, error) {
	prog, err := p.program(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		inst := p.idle[n-1].instance
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
		p.idle = append(p.idle, rested{inst, time.Now()})
		if p.expiry == nil {
			p.expiry = time.AfterFunc(p.opts.IdleTimeout, p.expire)
		}
	}
	p.mu.Unlock()
	if !keep {
		inst.Close()
	}
}

// trim closes the instances that no read uses.
func (p *pool) trim() {
	if t := p.twin.Load(); t != nil {
		t.trim()
	}
	p.mu.Lock()
	unused := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, i := range unused {
		i.Close()
	}
}

// expire closes the instances that were not used for long, all but the last one: a first read after a pause is as quick as any. What a burst of
// reads needed, which may be as many processes, is not kept for ever.
func (p *pool) expire() {
	p.mu.Lock()
	n := 0
	for n < len(p.idle)-1 && time.Since(p.idle[n].since) >= p.opts.IdleTimeout {
		n++
	}
	unused := slices.Clone(p.idle[:n])
	p.idle = slices.Delete(p.idle, 0, n)
	p.expiry = nil
	if len(p.idle) > 1 {
		p.expiry = time.AfterFunc(p.opts.IdleTimeout-time.Since(p.idle[0].since), p.expire)
	}
	p.mu.Unlock()
	for _, i := range unused {
		i.Close()
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
			return nil, waited(ctx, "the decoder is still being prepared", busyCompile)
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
	p.closed = true
	p.mu.Unlock()
	p.shared.gate.shut(p.lane)
	const why = "the decoder is still at work"
	select {
	case p.drain <- struct{}{}:
		defer func() { <-p.drain }()
	case <-ctx.Done():
		return waited(ctx, why, busyRetry)
	}
	if p.shared.gate.drained(ctx, p.lane) != nil {
		return waited(ctx, why, busyRetry)
	}
	if t := p.twin.Load(); t != nil {
		if err := t.free(ctx); err != nil {
			return err
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
	if p.expiry != nil {
		p.expiry.Stop()
	}
	p.mu.Unlock()
	if prog == nil {
		return nil
	}
	return prog.Close(ctx)
}

// warm makes the program, with the room of an ordinary read.
func (p *pool) warm(ctx context.Context) error {
	pass, err := p.enter(ctx, readapi.Decoding{Limits: readapi.DefaultLimits()})
	if err != nil {
		return err
	}
	defer pass.leave(0)
	_, err = p.program(ctx)
	return err
}
