package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
)

// readerFunc is an input that a test answers for.
type readerFunc struct {
	size int64
	at   func(p []byte, off int64) (int, error)
}

func (r readerFunc) ReadAt(p []byte, off int64) (int, error) { return r.at(p, off) }
func (r readerFunc) Size() int64                             { return r.size }

// TestCancel cancels a read while the guest works, once a garbage collection has come through, which needs the guest to stop for it.
func TestCancel(t *testing.T) {
	started := cat(emitRange(3, i32(0), i32(0)), drop)
	withStart := func(g *guest) *guest {
		g.funcs[2].body = cat(started, g.funcs[2].body)
		return g
	}
	for name, g := range map[string]*guest{"loop": withStart(endless()), "recursion": withStart(tree()), "bulk": withStart(fills())} {
		t.Run(name, func(t *testing.T) {
			engines(t, func(t *testing.T, e Engine) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				i := instance(t, program(t, e, g))
				defer i.Close()
				running := make(chan struct{})
				go func() {
					<-running
					runtime.GC()
					cancel()
				}()
				_, err := i.Decode(ctx, &Call{
					Emit:   func(abi.Kind, []byte) bool { close(running); return false },
					Limits: Limits{Fuel: 1 << 60, Timeout: time.Hour},
				})
				wantCode(t, err, readapi.CodeCanceled)
			})
		})
	}
}

// TestCancelWhileReading stops a read whose input hangs, in each way that a read can be stopped.
func TestCancelWhileReading(t *testing.T) {
	for name, tc := range map[string]struct {
		code  readapi.Code
		stop  func(cancel context.CancelFunc, p *Program)
		limit time.Duration
	}{
		"canceled":       {readapi.CodeCanceled, func(cancel context.CancelFunc, _ *Program) { cancel() }, time.Hour},
		"deadline":       {readapi.CodeLimitTime, func(context.CancelFunc, *Program) {}, 20 * time.Millisecond},
		"program closed": {readapi.CodeCanceled, func(_ context.CancelFunc, p *Program) { _ = p.Close(context.Background()) }, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			p := program(t, Compiler, echo())
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			reading, release := make(chan struct{}), make(chan struct{})
			i := instance(t, p)
			stopped := make(chan struct{})
			go func() {
				defer close(stopped)
				<-reading
				tc.stop(cancel, p)
			}()
			_, err := i.Decode(ctx, &Call{Limits: Limits{Timeout: tc.limit}, Input: readerFunc{1000, func(b []byte, _ int64) (int, error) {
				close(reading)
				<-release
				return len(b), nil // after the instance is gone: it must have been given memory of its own
			}}})
			wantCode(t, err, tc.code)
			if err := i.Close(); err != nil {
				t.Error(err)
			}
			close(release)
			<-stopped
		})
	}
}

func TestInputReaders(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 50_000) // several pieces
	file := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := program(t, Compiler, echo())
	for name, in := range map[string]readapi.Input{
		"bytes":           bytes.NewReader([]byte(text)),
		"string":          strings.NewReader(text),
		"section of one":  io.NewSectionReader(strings.NewReader("x"+text+"x"), 1, int64(len(text))),
		"section of file": io.NewSectionReader(f, 0, int64(len(text))),
		"EOF with data": readerFunc{int64(len(text)), func(b []byte, off int64) (int, error) {
			return copy(b, text[off:]), io.EOF
		}},
	} {
		if got, _, err := decode(t, p, &Call{Input: in}); err != nil || string(got.payloads[1]) != text {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, _, err := decode(t, p, &Call{}); err != nil || len(got.payloads[1]) != 0 {
		t.Errorf("no input: %v", err)
	}
}

// TestInputFails checks that a reader that fails is what the error is about, whatever the guest makes of it.
func TestInputFails(t *testing.T) {
	corrupt := &readapi.Error{Code: readapi.CodeCorrupt}
	disk := errors.New("disk on fire")
	for name, tc := range map[string]struct {
		err  error
		code readapi.Code
	}{
		"corrupt": {fmt.Errorf("reading: %w", corrupt), readapi.CodeCorrupt},
		"other":   {disk, readapi.CodeNotFound},
		"shorter": {io.EOF, readapi.CodeMalformed},
		"nothing": {nil, readapi.CodeMalformed},
	} {
		for fate, body := range map[string]code{
			"goes on": cat(drop, i32(0)), "fails": cat(drop, i32(1)), "traps": cat(drop, unreachable),
			"sees it": cat(i32(-1), i32Eq, i32Eqz), // fails unless input_read said -1
		} {
			t.Run(name+" and the guest "+fate, func(t *testing.T) {
				p := program(t, Compiler, newGuest(i64(0), i32(0), i32(100), call_(fnInputRead), body))
				_, _, err := decode(t, p, &Call{Input: readerFunc{100, func(b []byte, _ int64) (int, error) { return len(b) / 2, tc.err }}})
				got := wantCode(t, err, tc.code)
				if tc.err != nil && tc.err != io.EOF && !errors.Is(got, tc.err) {
					t.Errorf("the cause is lost: %v", got)
				}
			})
		}
	}
}

// TestReaderPanics checks that a reader that panics, in whichever goroutine, does not end the process.
func TestReaderPanics(t *testing.T) {
	p := program(t, Compiler, echo())
	_, _, err := decode(t, p, &Call{Input: readerFunc{100, func([]byte, int64) (int, error) { panic("reader") }}})
	wantCode(t, err, readapi.CodeNotFound)
	_, _, err = decode(t, p, &Call{Emit: func(abi.Kind, []byte) bool { panic("emit") }})
	wantCode(t, err, readapi.CodeInternal)
	_, _, err = decode(t, p, &Call{Emit: func(abi.Kind, []byte) bool { var m map[string]int; m["x"] = 1; return false }})
	wantCode(t, err, readapi.CodeInternal)
}

// TestInputRange checks offsets and lengths at and beyond the borders.
func TestInputRange(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		for _, tc := range []struct {
			off      int64
			ptr, len int32
			want     int32
			code     readapi.Code
		}{
			{0, 0, 4, 4, ""}, {2, 0, 100, 2, ""}, {4, 0, 1, 0, ""}, {1 << 62, 0, 1, 0, ""}, {-1, 0, 1, -1, ""}, {-1 << 63, 0, 1, -1, ""},
			{0, 65536, 0, 0, ""}, {0, 65533, 4, 0, readapi.CodeBadOutput}, {0, -1, 4, 0, readapi.CodeBadOutput}, {0, 4, -1, 0, readapi.CodeBadOutput},
			{9, 65537, 0, 0, readapi.CodeBadOutput},
		} {
			p := program(t, e, newGuest(i64(tc.off), i32(tc.ptr), i32(tc.len), call_(fnInputRead), i32(tc.want), i32Sub))
			_, _, err := decode(t, p, &Call{Input: input("text")})
			if readapi.CodeOf(err) != tc.code {
				t.Errorf("%+v: %v", tc, err)
			}
		}
	})
}

// TestBadPointers checks the other functions of the ABI.
func TestBadPointers(t *testing.T) {
	for name, body := range map[string]code{
		"request_read": cat(i32(65535), call_(fnRequestRead), i32(0)),
		"emit":         cat(emitRange(3, i32(65535), i32(2))),
		"emit 4 GiB":   cat(emitRange(3, i32(0), i32(-1))),
		"log":          cat(i32(1), i32(65536), i32(1), call_(fnLog), i32(0)),
	} {
		_, _, err := decode(t, program(t, Compiler, newGuest(body)), &Call{Request: []byte("{}")})
		if readapi.CodeOf(err) != readapi.CodeBadOutput {
			t.Errorf("%s: %v", name, err)
		}
	}
}
