package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

const (
	firstChunkBytes = 32 << 10 // most attachments are small
	chunkBytes      = 256 << 10
)

// reading calls a caller's reader from a goroutine of its own: it may block for good or panic. The buffer belongs to the goroutine from
// ask until its answer, so that a Read that is left behind writes where nobody looks any more.
type reading struct {
	ask    chan int64 // read at most this many bytes and one
	answer chan readAnswer
	ended  atomic.Bool // nobody waits any more
}

type readAnswer struct {
	p   []byte
	err error
}

// readerError is an error of the caller's reader, to tell it from those of the place that is written to.
type readerError struct{ err error }

func (e *readerError) Error() string { return e.err.Error() }

func startReading(r io.Reader) *reading {
	in := &reading{ask: make(chan int64), answer: make(chan readAnswer, 1)}
	go func() {
		defer close(in.answer) // runtime.Goexit in the reader cannot be recovered
		size := firstChunkBytes
		var buf []byte
		for most := range in.ask {
			if len(buf) < size {
				buf = make([]byte, size)
			}
			size = chunkBytes
			in.answer <- in.some(r, buf, most)
		}
	}()
	return in
}

// next returns the next bytes, at most one more than most, until the following next; io.EOF with the last.
func (in *reading) next(ctx context.Context, most int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	in.ask <- most
	select {
	case a, ok := <-in.answer:
		if !ok {
			a.err = errors.New("store: the reader ended its goroutine")
		}
		if a.err != nil && a.err != io.EOF {
			return nil, &readerError{a.err}
		}
		return a.p, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// stop ends the goroutine, once the Read that is under way has returned.
func (in *reading) stop() {
	in.ended.Store(true)
	close(in.ask)
}

// some fills p as far as most and one byte more allow.
func (in *reading) some(r io.Reader, p []byte, most int64) (a readAnswer) {
	defer func() {
		if v := recover(); v != nil {
			a = readAnswer{err: fmt.Errorf("store: the reader panicked: %v", v)}
		}
	}()
	if most < int64(len(p)) {
		p = p[:most+1]
	}
	for n, idle := 0, 0; ; {
		k, err := r.Read(p[n:])
		if k < 0 || k > len(p)-n {
			return readAnswer{err: fmt.Errorf("store: the reader says that it read %d of %d bytes", k, len(p)-n)}
		}
		n += k
		if err != nil || n == len(p) || in.ended.Load() {
			return readAnswer{p[:n], err}
		}
		if idle++; k > 0 {
			idle = 0
		}
		if idle == maxIdleReads {
			return readAnswer{err: io.ErrNoProgress}
		}
	}
}

// maxIdleReads is how often a reader may return nothing without an error, as in package bufio.
const maxIdleReads = 100
