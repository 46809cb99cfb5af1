package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// The caller's reader may block for good or panic. So it is only ever called from a goroutine that a read whose context ends can leave
// behind, with a buffer that nobody else touches; that ends after the ReadAt that is under way.

// readPrefix returns the first n bytes of in.
func readPrefix(ctx context.Context, in readapi.Input, n int64) ([]byte, error) {
	done := make(chan error, 1)
	prefix := make([]byte, n)
	go func() {
		k, err := readGuarded(in, prefix, 0)
		if int64(k) == n {
			err = nil
		} else if err == nil {
			err = io.ErrUnexpectedEOF
		}
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			return nil, inputError(err)
		}
		return prefix, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// readGuarded turns a panic of the reader into an error: in a goroutine of ours it would end the process.
func readGuarded(in io.ReaderAt, p []byte, off int64) (n int, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("host: the input's reader panicked: %v", v)
		}
	}()
	return in.ReadAt(p, off)
}

// inputError is the error for bytes that cannot be read: the caller's own code where the input has one, else malformed_input would blame
// the content, so it is not_found.
func inputError(err error) error {
	if e, ok := errors.AsType[*readapi.Error](err); ok {
		return e
	}
	return &readapi.Error{Code: readapi.CodeNotFound, Detail: "its bytes cannot be read", Err: err}
}

// digesting is a sha256 that is computed beside the decode: the answer needs it only at its end.
type digesting struct {
	cancel context.CancelFunc
	done   chan struct{}
	sum    string
	err    error
}

// knownDigest is a digest that needs no computing.
func knownDigest(sum string) *digesting {
	d := &digesting{cancel: func() {}, done: make(chan struct{}), sum: sum}
	close(d.done)
	return d
}

// startDigest begins; stop must follow.
func startDigest(ctx context.Context, f File) *digesting {
	if f.SHA256 != "" {
		return knownDigest(f.SHA256)
	}
	ctx, cancel := context.WithCancel(ctx)
	d := &digesting{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(d.done)
		d.sum, d.err = digest(ctx, f.Input)
	}()
	return d
}

func digest(ctx context.Context, in readapi.Input) (string, error) {
	h := sha256.New()
	buf := make([]byte, min(in.Size(), 256<<10))
	for off, size := int64(0), in.Size(); off < size; {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		p := buf[:min(int64(len(buf)), size-off)]
		n, err := readGuarded(in, p, off)
		switch {
		case n == len(p):
		case err == nil || errors.Is(err, io.EOF):
			return "", &readapi.Error{Code: readapi.CodeMalformed, Detail: "the file became shorter while it was read", Err: io.ErrUnexpectedEOF}
		default:
			return "", inputError(err)
		}
		h.Write(p)
		off += int64(n)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// wait returns the digest, or ctx's error where that ends first.
func (d *digesting) wait(ctx context.Context) (string, error) {
	select {
	case <-d.done:
		return d.sum, d.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// stop ends the computation and waits for the ReadAt that is under way, so that nothing reads the input behind a read that has returned;
// unless ctx has ended, which nothing may hold up.
func (d *digesting) stop(ctx context.Context) {
	d.cancel()
	_, _ = d.wait(ctx)
}
