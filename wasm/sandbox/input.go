package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// inputReader reads a call's input. A reader that may block is only called from a goroutine of the call's own, into a buffer of its own:
// when the call is stopped meanwhile, that goroutine is left to end by itself and touches nothing of the guest's.
type inputReader struct {
	r       io.ReaderAt
	size    int64
	instant bool // r is bytes in memory: it cannot block
	ask     chan question
	answer  chan answer
}

type question struct {
	off int64
	n   int
}

type answer struct {
	b   []byte // valid until the next question
	err error
}

// inputPiece is how much is read at once from a reader that may block.
const inputPiece = 256 << 10

func newInputReader(in readapi.Input) *inputReader {
	if in == nil {
		in = bytes.NewReader(nil)
	}
	return &inputReader{r: in, size: max(0, in.Size()), instant: instant(in)}
}

// instant reports whether r is bytes in memory.
func instant(r io.ReaderAt) bool {
	switch v := r.(type) {
	case *bytes.Reader, *strings.Reader:
		return true
	case *io.SectionReader:
		outer, _, _ := v.Outer()
		return instant(outer)
	}
	return false
}

// read fills dst with the input from off, which is not negative, and returns how much there was: less than len(dst) only at the input's end.
func (in *inputReader) read(c *call, dst []byte, off int64) (int, error) {
	if off >= in.size {
		return 0, nil
	}
	dst = dst[:min(int64(len(dst)), in.size-off)]
	for n := 0; n < len(dst); {
		piece := dst[n:min(len(dst), n+hostPiece)]
		c.chargeBytes(int64(len(piece)), copyPerKiB)
		k, err := in.piece(c, piece, off+int64(n))
		n += k
		if err != nil {
			return n, err
		}
	}
	return len(dst), nil
}

func (in *inputReader) piece(c *call, dst []byte, off int64) (int, error) {
	if in.instant {
		return readFull(in.r, dst, off)
	}
	n := 0
	for n < len(dst) {
		want := min(len(dst)-n, inputPiece)
		a, err := in.wait(c, question{off: off + int64(n), n: want})
		if err != nil {
			return n, err
		}
		n += copy(dst[n:n+want], a)
	}
	return n, nil
}

// wait asks the reading goroutine and waits for its answer, the caller or the deadline, whichever comes first.
func (in *inputReader) wait(c *call, q question) ([]byte, error) {
	if in.ask == nil {
		in.ask, in.answer = make(chan question, 1), make(chan answer, 1)
		go serveInput(in.r, in.ask, in.answer)
	}
	in.ask <- q
	select { // most readers answer at once; a timer is only for those that do not
	case a := <-in.answer:
		return a.b, a.err
	default:
	}
	timer := time.NewTimer(time.Until(c.deadline))
	defer timer.Stop()
	select {
	case a := <-in.answer:
		return a.b, a.err
	case <-c.ctx.Done():
		panic(&stop{contextError(c.ctx.Err())})
	case <-c.inst.prog.closing:
		panic(&stop{c.over()})
	case <-timer.C:
		panic(&stop{c.timeout()})
	}
}

// close ends the reading goroutine, after its current read if there is one.
func (in *inputReader) close() {
	if in.ask != nil {
		close(in.ask)
	}
}

// serveInput answers questions until there are no more. Both channels hold one entry, so it never waits for a call that is gone.
func serveInput(r io.ReaderAt, ask <-chan question, answers chan<- answer) {
	var buf []byte
	for q := range ask {
		if cap(buf) < q.n {
			buf = make([]byte, q.n)
		}
		b := buf[:q.n]
		_, err := readGuarded(r, b, q.off)
		answers <- answer{b: b, err: err}
	}
}

// readGuarded turns a panic of the reader into an error: in a goroutine of ours it would end the process.
func readGuarded(r io.ReaderAt, p []byte, off int64) (n int, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("sandbox: the input's reader panicked: %v", v)
		}
	}()
	return readFull(r, p, off)
}

// readFull reads exactly len(p) bytes. An input that ends before its size is an error.
func readFull(r io.ReaderAt, p []byte, off int64) (int, error) {
	n, err := r.ReadAt(p, off)
	switch {
	case n >= len(p):
		return len(p), nil
	case err == nil || errors.Is(err, io.EOF):
		return max(n, 0), io.ErrUnexpectedEOF
	}
	return max(n, 0), err
}
