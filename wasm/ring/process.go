package ring

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/internal/hello"
	"github.com/glovebox-wasm/glovebox/wasm/internal/wire"
)

// process is one helper that runs, or has ended.
type process struct {
	cmd     *exec.Cmd
	conn    *wire.Conn
	in, out *os.File      // our ends of its pipes
	exited  chan struct{} // closed when it has ended and nothing of it is left
	said    *stderr
	calls   uint32 // decodes that it was sent
	reaped  atomic.Bool

	once sync.Once
}

const (
	stopGrace   = 100 * time.Millisecond // for a call to end after it was told to
	stderrBytes = 16 << 10               // that are kept for the log
	pipeBytes   = 1 << 20
)

// startup asks for a process to be started.
type startup struct {
	cmd  *exec.Cmd
	done chan error
}

// startProcesses starts processes from one thread, which lives as long as the ring: a helper is killed when the thread that started it ends, as
// the kernel takes that for the death of its parent, and Go ends threads when a goroutine that is locked to one returns.
func startProcesses(starts <-chan startup) {
	runtime.LockOSThread()
	for s := range starts {
		s.done <- s.cmd.Start()
	}
}

// launch starts a helper. It has an empty environment, and nothing but three pipes.
func (r *Ring) launch() (*process, error) {
	program, err := exec.LookPath(r.opts.Helper[0])
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return nil, cannotStart(err)
	}
	cmd := exec.Command(program, r.opts.Helper[1:]...)
	cmd.Args[0] = r.opts.Helper[0]
	cmd.Env = []string{} // not nil, which would be our own
	isolate(cmd)
	var files []*os.File
	pipe := func() (r, w *os.File) {
		if err != nil {
			return nil, nil
		}
		if r, w, err = os.Pipe(); err == nil {
			files = append(files, r, w)
		}
		return r, w
	}
	inR, inW := pipe()
	outR, outW := pipe()
	errR, errW := pipe()
	if err == nil {
		widen(inW, pipeBytes)
		widen(outR, pipeBytes)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = inR, outW, errW
		s := startup{cmd, make(chan error, 1)}
		r.starts <- s
		err = <-s.done
	}
	if err != nil {
		for _, f := range files {
			f.Close()
		}
		return nil, cannotStart(err)
	}
	for _, f := range []*os.File{inR, outW, errW} {
		f.Close()
	}
	p := &process{cmd: cmd, conn: wire.NewConn(outR, inW), in: inW, out: outR, exited: make(chan struct{}), said: &stderr{}}
	go func() {
		heard := make(chan struct{})
		go func() {
			defer close(heard)
			p.said.listen(errR)
		}()
		_ = cmd.Wait()
		p.reaped.Store(true)
		errR.SetReadDeadline(time.Now().Add(stopGrace)) // a child that escaped might hold it open
		<-heard
		errR.Close()
		close(p.exited)
	}()
	return p, nil
}

func cannotStart(err error) error {
	return &readapi.Error{
		Code: readapi.CodeCapabilityUnavailable, Detail: "the helper process cannot be started", Err: err,
		Hint: "Name a helper program, such as \"glovebox helper\", or run decoders in process.",
	}
}

// kill ends the process and waits until nothing of it is left.
func (p *process) kill() {
	p.once.Do(func() {
		p.in.Close()
		p.out.Close()
		if !p.reaped.Load() { // afterwards its number may be another's
			killAll(p.cmd)
		}
	})
	<-p.exited
}

// gone reports whether the process has ended.
func (p *process) gone() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// expire ends what is being read and written at t; the zero time is never.
func (p *process) expire(t time.Time) {
	_ = p.in.SetWriteDeadline(t)
	_ = p.out.SetReadDeadline(t)
}

// death is the error for a process whose pipes broke. It ends the process.
func (p *process) death(cause error) *readapi.Error {
	select { // it is at its end already: let it say how
	case <-p.exited:
	case <-time.After(stopGrace):
	}
	p.kill()
	e := &readapi.Error{Code: readapi.CodeTrap, Detail: "its process ended", Err: errors.Join(ErrDied, cause)}
	if p.cmd.ProcessState.ExitCode() == hello.ExitMemory || outOfMemory(p.said.text()) {
		e.Code = readapi.CodeLimitMemory
	}
	return e
}

// outOfMemory reports whether a Go program's last words are that it got no memory; the last of them are the race detector's.
func outOfMemory(said string) bool {
	return strings.Contains(said, "out of memory") || strings.Contains(said, "cannot allocate memory") || strings.Contains(said, "failed to allocate")
}

// stderr keeps the beginning of what a helper prints.
type stderr struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// listen reads f until its end. When there is more than anybody wants it closes f, which ends a flood.
func (s *stderr) listen(f *os.File) {
	b := make([]byte, 4<<10)
	for {
		n, err := f.Read(b)
		s.mu.Lock()
		s.buf.Write(b[:min(n, stderrBytes-s.buf.Len())])
		full := s.buf.Len() == stderrBytes
		s.mu.Unlock()
		if err != nil || full {
			if full {
				f.Close()
			}
			return
		}
	}
}

func (s *stderr) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}
