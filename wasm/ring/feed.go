package ring

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/internal/wire"
)

// feed gives a helper the pieces of the input that it asks for. It reads in a goroutine of its own: a reader that blocks holds up neither
// frames nor the end of a call. A read that was under way then ends in its own time, and what it read goes nowhere.
type feed struct {
	conn *wire.Conn
	call uint32
	in   readapi.Input
	size int64
	ask  chan wire.Span // nil: nothing was asked for yet

	mu    sync.Mutex
	ended bool
	err   error // the first thing that went wrong with reading
}

// maxWanted is how many pieces a helper may have under way.
const maxWanted = 4

var errInput = errors.New("ring: the input cannot be read")

func newFeed(conn *wire.Conn, call uint32, in readapi.Input) *feed {
	if in == nil {
		in = bytes.NewReader(nil)
	}
	return &feed{conn: conn, call: call, in: in, size: max(0, in.Size())}
}

// instant reports whether r is bytes in memory, which cannot block.
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

// all reads the whole input, until ctx or the time ends. The error is errInput when it cannot be read.
func (f *feed) all(ctx context.Context, deadline time.Time) ([]byte, error) {
	b := make([]byte, f.size)
	if len(b) == 0 {
		return b, nil
	}
	if instant(f.in) {
		if err := readGuarded(f.in, b, 0); err != nil {
			return nil, errInput
		}
		return b, nil
	}
	read := make(chan error, 1)
	go func() { read <- readGuarded(f.in, b, 0) }()
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case err := <-read:
		if err != nil {
			return nil, errInput
		}
		return b, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return nil, os.ErrDeadlineExceeded
	}
}

// want queues a piece. Too many at once are a breach of the protocol.
func (f *feed) want(s wire.Span) error {
	if f.ask == nil {
		f.ask = make(chan wire.Span, maxWanted)
		go f.serve(f.ask)
	}
	select {
	case f.ask <- s:
		return nil
	default:
		return wire.ErrProtocol
	}
}

func (f *feed) serve(ask <-chan wire.Span) {
	var buf []byte
	for s := range ask {
		if cap(buf) < s.N {
			buf = make([]byte, s.N)
		}
		err := readGuarded(f.in, buf[:s.N], s.Off)
		f.send(s, buf[:s.N], err)
	}
}

// send sends a piece, unless the call has ended meanwhile.
func (f *feed) send(s wire.Span, b []byte, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return
	}
	head := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(nil, f.call), uint64(s.Off))
	if err == nil {
		_ = f.conn.Send(wire.Data, head, b) // whoever reads from the helper finds out what is wrong with it
		return
	}
	if f.err == nil {
		f.err = err
	}
	failure, err := json.Marshal(wire.Failure{Code: readapi.CodeOf(err), Short: errors.Is(err, io.ErrUnexpectedEOF)})
	if err == nil {
		_ = f.conn.Send(wire.NoData, head, failure)
	}
}

// close says that nothing is wanted any more. The reading goroutine ends after its current read.
func (f *feed) close() {
	if f.ask == nil {
		return
	}
	f.mu.Lock()
	f.ended = true
	f.mu.Unlock()
	close(f.ask)
}

// blame is the error for a call that ended because the input cannot be read, with the reader's own error in it; nil when it is about something
// else.
func (f *feed) blame(said *wire.Failure) *readapi.Error {
	f.mu.Lock()
	err := f.err
	f.mu.Unlock()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		if said.Code != readapi.CodeMalformed {
			return nil
		}
		return &readapi.Error{Code: readapi.CodeMalformed, Detail: "the file became shorter while it was read", Err: err}
	}
	code := readapi.CodeOf(err)
	if code == readapi.CodeInternal {
		code = readapi.CodeNotFound
	}
	if said.Code != code {
		return nil
	}
	return &readapi.Error{Code: code, Detail: "its bytes cannot be read", Err: err}
}

// readGuarded fills p, and turns a panic of the reader into an error: in a goroutine of ours it would end the process.
func readGuarded(r io.ReaderAt, p []byte, off int64) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("ring: the input's reader panicked: %v", v)
		}
	}()
	n, err := r.ReadAt(p, off)
	switch {
	case n >= len(p):
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	}
	return err
}
