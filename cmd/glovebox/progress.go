package main

import (
	"io"
	"sync"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progress tells a person at a terminal why a first run takes seconds: decoders are being compiled. Elsewhere it is silent. It writes to
// standard error only and leaves nothing behind there.
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

// compiling is called when the compilation of a decoder begins, and what it returns when that is done. Several goroutines may be at it.
func (p *progress) compiling(decoder string) (done func()) {
	if p.w == nil {
		return func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.all = mpb.New(mpb.WithOutput(p.w), mpb.WithAutoRefresh())
	}
	bar := p.all.New(0, mpb.SpinnerStyle(),
		mpb.PrependDecorators(decor.Name("preparing the "+decoder+" decoder (first run only) ")),
		mpb.AppendDecorators(decor.Elapsed(decor.ET_STYLE_MMSS)),
		mpb.BarWidth(2))
	p.drawn++
	return func() { p.done(bar) }
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
