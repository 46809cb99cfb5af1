package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// progress tells a person at a terminal what takes seconds: decoders that are being compiled in a first run, large files that are being
// attached, a store that is copied. Elsewhere it is silent. It writes to standard error only and leaves nothing behind there.
type progress struct {
	w io.Writer // nil: silent

	mu    sync.Mutex
	all   *mpb.Progress // nil while nothing is drawn
	drawn int           // bars that are up
}

func (a *app) newProgress() *progress {
	p := &progress{}
	if isTerminal(a.err) && a.getenv("TERM") != "dumb" {
		p.w = a.err
	}
	return p
}

// begin returns what bars are drawn on. p.mu is held.
func (p *progress) begin() *mpb.Progress {
	if p.all == nil {
		p.all = mpb.New(mpb.WithOutput(p.w), mpb.WithAutoRefresh())
	}
	p.drawn++
	return p.all
}

// compiling is called when the compilation of a decoder begins, and what it returns when that is done. Several goroutines may be at it.
func (p *progress) compiling(decoder string) (done func()) {
	if p.w == nil {
		return func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	bar := p.begin().New(0, mpb.SpinnerStyle(),
		mpb.PrependDecorators(decor.Name("preparing the "+decoder+" decoder (first run only) ")),
		mpb.AppendDecorators(decor.Elapsed(decor.ET_STYLE_MMSS)),
		mpb.BarWidth(2))
	return func() { p.done(bar) }
}

// telling shows what text says, again and again, until done is called.
func (p *progress) telling(text func() string) (done func()) {
	if p.w == nil {
		return func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	bar := p.begin().New(0, mpb.SpinnerStyle(),
		mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return readapi.EscapeLine(text()) + " " })),
		mpb.AppendDecorators(decor.Elapsed(decor.ET_STYLE_MMSS)),
		mpb.BarWidth(2))
	return sync.OnceFunc(func() { p.done(bar) })
}

// steps shows the steps of what takes long, until end is called.
func (p *progress) steps() (tell func(step string, done int64, text string), end func()) {
	var now atomic.Value
	now.Store("")
	return func(step string, done int64, text string) {
		now.Store(fmt.Sprintf("%s %d %s", strings.ReplaceAll(step, "_", " "), done, text))
	}, p.telling(func() string { return now.Load().(string) })
}

// smallFile is the size up to which attaching a file is over before a bar could be looked at.
const smallFile = 8 << 20

// bar shows how much of a file has been read; nil shows nothing.
type bar struct {
	p   *progress
	bar *mpb.Bar
}

// copying shows how far a file of size bytes is read.
func (p *progress) copying(doing, name string, size int64) *bar {
	if p.w == nil || size <= smallFile {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.begin().New(size, mpb.BarStyle(), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(doing+" "+readapi.EscapeLine(name)+" ")),
		mpb.AppendDecorators(decor.CountersKibiByte("% .1f / % .1f")))
	return &bar{p, b}
}

func (b *bar) add(n int) {
	if b != nil && b.bar != nil {
		b.bar.IncrBy(n)
	}
}

func (b *bar) done() {
	if b != nil && b.bar != nil {
		b.p.done(b.bar)
		b.bar = nil
	}
}

// done takes a bar down, and the drawing with the last one: nothing is drawn any more when the answer is printed.
func (p *progress) done(bar *mpb.Bar) {
	p.mu.Lock()
	defer p.mu.Unlock()
	bar.Abort(true)
	bar.Wait()
	if p.drawn--; p.drawn == 0 && p.all != nil {
		p.all.Wait()
		p.all = nil
	}
}

// close takes down what is still drawn, when a command ends before a compilation does.
func (p *progress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all != nil {
		p.all.Shutdown()
		p.all = nil
	}
}
