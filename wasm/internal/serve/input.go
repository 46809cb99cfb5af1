package serve

import (
	"errors"
	"io"
	"slices"

	"github.com/glovebox-wasm/glovebox/wasm/internal/wire"
)

// piece is a part of the input, or why it is not to be had.
type piece struct {
	call uint32
	off  int64
	n    int // of those asked for; with err there are no bytes
	b    []byte
	err  error
}

func (p *piece) covers(off int64) bool { return off >= p.off && off < p.off+int64(p.n) }

const (
	maxAsked  = 2 // pieces that are under way
	keptBytes = 8 << 20
	firstStep = 64 << 10
)

var errGone = errors.New("serve: the call ended")

// remote is an input that lies with the parent. It is asked for in pieces: short ones where the guest jumps about, longer and longer ones with
// the next already under way where it goes straight on. The latest are kept.
type remote struct {
	server *server
	size   int64
	gone   <-chan struct{} // closed when the call ends

	kept  []piece // the latest last
	asked []piece // in order, without bytes
	end   int64   // of what was asked for last; -1: nothing was
	step  int
}

// Size implements readapi.Input.
func (r *remote) Size() int64 { return r.size }

// ReadAt implements io.ReaderAt. The sandbox calls it from one goroutine at a time.
func (r *remote) ReadAt(b []byte, off int64) (int, error) {
	n := 0
	for n < len(b) && off < r.size {
		p, err := r.at(off, len(b)-n)
		if err != nil {
			return n, err
		}
		k := copy(b[n:], p.b[off-p.off:])
		n, off = n+k, off+int64(k)
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// at returns the piece that holds off. A piece that could not be read is asked for again, no longer than what the guest wants of it: it may be
// what lies behind that is missing.
func (r *remote) at(off int64, want int) (piece, error) {
	p, err := r.find(off)
	if err != nil || p.err == nil {
		return p, err
	}
	want = min(want, wire.MaxPiece)
	if err := r.ask(off, want); err != nil {
		return p, err
	}
	for {
		p, err := r.wait()
		switch {
		case err != nil:
			return p, err
		case p.off == off && p.n == int(min(int64(want), r.size-off)):
			return p, p.err
		}
	}
}

func (r *remote) find(off int64) (piece, error) {
	for i := len(r.kept) - 1; i >= 0; i-- {
		if p := r.kept[i]; p.covers(off) {
			return p, nil
		}
	}
	if !slices.ContainsFunc(r.asked, func(p piece) bool { return p.covers(off) }) {
		if off == r.end {
			r.step = min(2*r.step, wire.MaxPiece)
		} else {
			r.step = firstStep
		}
		if err := r.ask(off, r.step); err != nil {
			return piece{}, err
		}
	} else {
		r.step = min(2*r.step, wire.MaxPiece)
	}
	if r.step > firstStep && len(r.asked) < maxAsked && r.end < r.size {
		if err := r.ask(r.end, r.step); err != nil {
			return piece{}, err
		}
	}
	for {
		p, err := r.wait()
		if err != nil || p.covers(off) {
			return p, err
		}
	}
}

func (r *remote) ask(off int64, n int) error {
	for len(r.asked) == maxAsked {
		if _, err := r.wait(); err != nil {
			return err
		}
	}
	n = int(min(int64(n), r.size-off))
	r.asked = append(r.asked, piece{off: off, n: n})
	r.end = off + int64(n)
	return r.server.conn.Send(wire.Read, wire.Span{Off: off, N: n}.Append(nil))
}

// wait takes the next piece. They come in the order in which they were asked for.
func (r *remote) wait() (piece, error) {
	var p piece
	select {
	case p = <-r.server.pieces:
	case <-r.gone:
		return p, errGone
	}
	if len(r.asked) == 0 || p.off != r.asked[0].off || p.err == nil && len(p.b) != r.asked[0].n {
		return p, wire.ErrProtocol
	}
	p.n = r.asked[0].n
	r.asked = r.asked[1:]
	r.kept = append(r.kept, p)
	total := 0
	for i := len(r.kept) - 1; i >= 0; i-- {
		if total += r.kept[i].n; total > keptBytes {
			r.kept = slices.Delete(r.kept, 0, i+1)
			break
		}
	}
	return p, nil
}
