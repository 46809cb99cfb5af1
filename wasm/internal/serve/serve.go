// Package serve is the running helper: the far end of package ring. It takes every right away from its process, runs one program in one
// instance of package sandbox, and answers the calls of its parent until that goes away.
//
//	os.Exit(serve.Main(os.Stdin, os.Stdout, args)) // after package hello's first word
package serve

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"sync"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/confine"
	"github.com/glovebox-wasm/glovebox/wasm/internal/wire"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// Exit codes of Main.
const (
	exitDone   = 0
	exitBroken = 66 // the parent said something that makes no sense
)

// maxModule is above what admission lets through and what rewriting adds.
const maxModule = 256 << 20

// Main serves one parent and returns the exit code. It ends the process when the parent is gone. Nothing else can be done in the process
// afterwards.
func Main(in io.Reader, out io.Writer, raw json.RawMessage) int {
	s := &server{conn: wire.NewConn(in, out), jobs: make(chan job), acks: make(chan bool, 1), pieces: make(chan piece, maxAsked)}
	var args wire.RunArgs
	if err := json.Unmarshal(raw, &args); err != nil || args.Bytes <= 0 || args.Bytes > maxModule || args.MaxMemoryBytes <= 0 {
		return exitBroken
	}
	ctx := context.Background() // this is the root of a program
	started, err := s.start(ctx, args)
	if err != nil {
		started = wire.Started{Failure: wire.FailureOf(err)}
	}
	if s.conn.SendJSON(wire.Ready, started) != nil {
		return exitDone
	}
	if err != nil {
		return exitDone
	}
	go func() {
		s.receive(ctx)
		os.Exit(exitDone) // the parent is gone: whatever the guest does does not matter any more
	}()
	for j := range s.jobs {
		if s.work(j) != nil {
			break
		}
	}
	return exitDone
}

type server struct {
	conn   *wire.Conn
	inst   *sandbox.Instance
	jobs   chan job
	acks   chan bool
	pieces chan piece

	mu   sync.Mutex
	call uint32 // the number of the current or last call
	stop func() // ends the call that runs; nil: none does
}

// job is a call, or a reset.
type job struct {
	reset   bool
	ctx     context.Context // it ends when the parent wants the call to
	call    wire.Call
	request []byte
	input   []byte
}

// start gives rights away, and loads and warms up the program. The first part of that is done before a byte of the module is read; files are
// out of reach as soon as its machine code is loaded, before any of it runs.
func (s *server) start(ctx context.Context, args wire.RunArgs) (started wire.Started, err error) {
	engine := sandbox.Compiler
	if args.Engine == sandbox.Interpreter.String() {
		engine = sandbox.Interpreter
	}
	if args.Build != sandbox.Build() {
		return started, &readapi.Error{Code: readapi.CodeCapabilityUnavailable, Detail: "the helper is of another build"}
	}
	policy := confine.Policy{MaxMemoryBytes: args.MaxMemoryBytes, ReadDir: args.CacheDir, More: true}
	if _, err := confine.Apply(policy); err != nil {
		return started, &readapi.Error{Code: readapi.CodeCapabilityUnavailable, Detail: "the helper cannot be confined", Err: err}
	}
	m := sandbox.Module{Name: args.Name, Wasm: make([]byte, args.Bytes), Digest: args.Digest}
	if err := s.conn.Read(m.Wasm); err != nil {
		return started, err
	}
	rt, err := sandbox.New(&sandbox.Options{
		Engine: engine, CacheDir: args.CacheDir, MaxTotalMemoryBytes: 2 * args.MaxMemoryBytes, InitLimits: args.Init, Log: slog.New(&logger{conn: s.conn}),
	})
	if err != nil {
		return started, err
	}
	prog, err := rt.Compile(ctx, m)
	if err != nil {
		return started, err
	}
	report, err := confine.Apply(confine.Policy{})
	if err != nil {
		return started, &readapi.Error{Code: readapi.CodeCapabilityUnavailable, Detail: "the helper cannot be confined", Err: err}
	}
	started.Active = confine.Active(report)
	warm, err := s.warm()
	if err != nil {
		return started, err
	}
	if warm != nil {
		if err := prog.Snapshot(ctx, warm); err != nil {
			return started, err
		}
	}
	started.Snapshot = prog.HasSnapshot()
	s.inst, err = prog.Instance(ctx)
	return started, err
}

// warm reads the calls that come before Begin; nil when there is to be no snapshot. The first Warm message is empty and says that there is to be
// one.
func (s *server) warm() ([]sandbox.Call, error) {
	var calls []sandbox.Call
	for {
		k, n, err := s.conn.Next()
		switch {
		case err != nil:
			return nil, err
		case k == wire.Begin && n == 0:
			return calls, nil
		case k != wire.Warm:
			return nil, wire.ErrProtocol
		case n == 0:
			calls = []sandbox.Call{}
			continue
		}
		call, request, input, err := s.conn.ReadCall(n)
		if err != nil {
			return nil, err
		}
		calls = append(calls, sandbox.Call{
			Request: request, Input: bytes.NewReader(input), Limits: call.Limits, Emit: func(abi.Kind, []byte) bool { return false },
		})
	}
}

// receive takes what the parent says and passes it on, until there is no more. It never waits for the guest: a Stop must get through.
func (s *server) receive(ctx context.Context) {
	for {
		k, n, err := s.conn.Next()
		if err != nil || s.take(ctx, k, n) != nil {
			return
		}
	}
}

func (s *server) take(ctx context.Context, k wire.Kind, n int64) error {
	switch k {
	case wire.Decode:
		call, request, input, err := s.conn.ReadCall(n)
		if err != nil {
			return err
		}
		s.jobs <- s.begin(ctx, job{call: call, request: request, input: input})
	case wire.Reset:
		s.jobs <- job{reset: true}
	case wire.Stop:
		s.mu.Lock()
		if s.stop != nil {
			s.stop()
		}
		s.mu.Unlock()
	case wire.Ack:
		b, err := s.conn.ReadBytes(n, 1)
		if err != nil || len(b) != 1 {
			return wire.ErrProtocol
		}
		select {
		case s.acks <- b[0] == 1:
		default:
			return wire.ErrProtocol
		}
	case wire.Data, wire.NoData:
		return s.takePiece(k, n)
	default:
		return wire.ErrProtocol
	}
	return nil
}

// takePiece hands a piece of the input to the call that asked for it. One that belongs to an earlier call is dropped: the call ended while it was
// under way.
func (s *server) takePiece(k wire.Kind, n int64) error {
	var head [wire.PieceBytes]byte
	if n < wire.PieceBytes || n > wire.PieceBytes+wire.MaxPiece {
		return wire.ErrProtocol
	}
	if err := s.conn.Read(head[:]); err != nil {
		return err
	}
	p := piece{call: binary.LittleEndian.Uint32(head[:]), off: int64(binary.LittleEndian.Uint64(head[4:]))}
	p.b = make([]byte, n-wire.PieceBytes)
	if err := s.conn.Read(p.b); err != nil {
		return err
	}
	if k == wire.NoData {
		var f wire.Failure
		if json.Unmarshal(p.b, &f) != nil {
			return wire.ErrProtocol
		}
		p.b, p.err = nil, &readapi.Error{Code: f.Code, Detail: f.Detail}
		if f.Short {
			p.err = io.ErrUnexpectedEOF
		}
	}
	s.mu.Lock()
	current := s.stop != nil && s.call == p.call
	s.mu.Unlock()
	if !current {
		return nil
	}
	select {
	case s.pieces <- p:
		return nil
	default: // more than were asked for
		return wire.ErrProtocol
	}
}

func (s *server) work(j job) error {
	if j.reset {
		worked := byte(0)
		if s.inst.Reset() == nil {
			worked = 1
		}
		return s.conn.Send(wire.IsReset, []byte{worked})
	}
	c := sandbox.Call{Request: j.request, Input: bytes.NewReader(j.input), Limits: j.call.Limits, Emit: s.emit(j.ctx)}
	if !j.call.Inline {
		c.Input = &remote{server: s, size: j.call.Size, end: -1, gone: j.ctx.Done()}
	}
	usage, err := s.inst.Decode(j.ctx, &c)
	s.end()
	return s.conn.SendJSON(wire.Done, wire.Outcome{Usage: usage, Failure: wire.FailureOf(err)})
}

// begin makes room for a new call, which has the next number. From here on a Stop is for this one.
func (s *server) begin(ctx context.Context, j job) job {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.pieces) > 0 {
		<-s.pieces
	}
	s.call++
	j.ctx, s.stop = context.WithCancel(ctx)
	return j
}

func (s *server) end() {
	s.mu.Lock()
	s.stop()
	s.stop = nil
	s.mu.Unlock()
}

// emit sends a frame and waits for the parent's word on whether it has enough: that is the guest's to know before it goes on, as in one process.
func (s *server) emit(ctx context.Context) func(kind abi.Kind, payload []byte) bool {
	return func(kind abi.Kind, payload []byte) bool {
		var k [wire.KindBytes]byte
		binary.LittleEndian.PutUint32(k[:], uint32(kind))
		if s.conn.Send(wire.Frame, k[:], payload) != nil {
			return true
		}
		select {
		case stop := <-s.acks:
			return stop
		case <-ctx.Done():
			return true
		}
	}
}
