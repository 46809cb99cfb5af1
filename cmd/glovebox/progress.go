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

	mu   sync.Mutex
	all  *mpb.Progress
	bars map[string]*mpb.Bar
}

func (a *app) newProgress() *progress {
	p := &progress{bars: map[string]*mpb.Bar{}}
	if isTerminal(a.err) && a.getenv("TERM") != "dumb" {
		p.w = a.err
	}
	return p
}

// compiling is called when the compilation of a decoder begins and when it is done. It may be called by several goroutines.
func (p *progress) compiling(decoder string, done bool) {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	bar := p.bars[decoder]
	switch {
	case done && bar != nil:
		bar.Abort(true)
		bar.Wait()
		delete(p.bars, decoder)
		if len(p.bars) == 0 { // nothing is drawn any more when the answer is printed
			p.all.Wait()
			p.all = nil
		}
	case !done && bar == nil:
		if p.all == nil {
			p.all = mpb.New(mpb.WithOutput(p.w), mpb.WithAutoRefresh())
		}
		p.bars[decoder] = p.all.New(0, mpb.SpinnerStyle(),
			mpb.PrependDecorators(decor.Name("preparing the "+decoder+" decoder (first run only) ")),
			mpb.AppendDecorators(decor.Elapsed(decor.ET_STYLE_MMSS)),
			mpb.BarWidth(2))
	}
}

// close takes down what is still drawn.
func (p *progress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, bar := range p.bars {
		bar.Abort(true)
		delete(p.bars, name)
	}
	if p.all != nil {
		p.all.Wait()
		p.all = nil
	}
}
