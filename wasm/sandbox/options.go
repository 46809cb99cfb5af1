package sandbox

import (
	"cmp"
	"log/slog"
	"math"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
)

// Engine is how WebAssembly is executed.
type Engine int

// The engines. They give the same results and spend the same fuel; the interpreter is some hundred times slower and starts without
// compiling.
const (
	Compiler Engine = iota
	Interpreter
)

// String returns the engine's name.
func (e Engine) String() string {
	if e == Interpreter {
		return "interpreter"
	}
	return "compiler"
}

// Options configure a Runtime. Zero in a field means its default; a negative number is an error.
type Options struct {
	Engine Engine

	// CacheDir is where compiled modules are kept, in folders of mode 0700. "" keeps none, and a folder that cannot be used is
	// reported to Log and not used.
	CacheDir string

	// MaxTotalMemoryBytes bounds the memory of all guests of the runtime together; default 2 GiB.
	MaxTotalMemoryBytes int64

	// MemoryWait is how long a guest that needs memory waits for other guests to give theirs back; default 2 s. The wait is fair:
	// first come, first served.
	MemoryWait time.Duration

	// Reclaim is called when a guest needs memory that is not there: the embedder closes instances that it keeps and does not use. It runs
	// inside a call of another instance, so it must not wait for one. nil: nothing is kept.
	Reclaim func()

	// Helper is the command line of a program that runs helper.Main: foreign modules are compiled by it, in a process with limits of its own.
	// Empty: foreign modules are refused.
	Helper []string

	// CompileLimits are those of that process.
	CompileLimits CompileLimits

	// InitLimits are the caps of what runs before the first read: start function and _initialize together, describe, and each warm-up call
	// whose own limits are zero. They are small by default: 20 M units of fuel, of which the decoders that come with this project use 3 M,
	// and sixteen times as many for a warm-up call, of which they use 50 M; 10 s, or 30 s on the interpreter; 64 MiB.
	InitLimits Limits

	// Log gets what guests print, escaped and capped, and what we know about traps. nil: nowhere.
	Log *slog.Logger
}

// CompileLimits are the caps of a process that compiles a foreign module. Zero in a field means its default; a negative number is an error.
type CompileLimits struct {
	MaxMemoryBytes int64         // of the process; default 2 GiB
	Timeout        time.Duration // wall time; default 60 s
	MaxCodeBytes   int64         // machine code that comes out; default 256 MiB
}

func (l CompileLimits) withDefaults() (CompileLimits, error) {
	if l.MaxMemoryBytes < 0 || l.Timeout < 0 || l.MaxCodeBytes < 0 {
		return l, invalid("a limit is negative")
	}
	l.MaxMemoryBytes = cmp.Or(l.MaxMemoryBytes, 2<<30)
	l.Timeout = cmp.Or(l.Timeout, time.Minute)
	l.MaxCodeBytes = cmp.Or(l.MaxCodeBytes, 256<<20)
	return l, nil
}

const (
	defaultTotalMemoryBytes = 2 << 30
	defaultMemoryWait       = 2 * time.Second
)

func (o *Options) withDefaults() (Options, error) {
	var f Options
	if o != nil {
		f = *o
	}
	switch {
	case f.Engine != Compiler && f.Engine != Interpreter:
		return f, invalid("there is no such engine")
	case f.Engine == Compiler && !CompilerSupported():
		return f, &readapi.Error{Op: "sandbox", Code: readapi.CodeCapabilityUnavailable, Detail: "the compiler does not support this machine", Hint: "Use the interpreter."}
	case f.MaxTotalMemoryBytes < 0 || f.MemoryWait < 0:
		return f, invalid("an option is negative")
	}
	var err error
	if f.InitLimits, err = f.InitLimits.withInitDefaults(f.Engine); err != nil {
		return f, err
	}
	if f.MaxTotalMemoryBytes == 0 {
		f.MaxTotalMemoryBytes = defaultTotalMemoryBytes
	}
	if f.MemoryWait == 0 {
		f.MemoryWait = defaultMemoryWait
	}
	if f.Reclaim == nil {
		f.Reclaim = func() {}
	}
	if f.Log == nil {
		f.Log = slog.New(slog.DiscardHandler)
	}
	f.CompileLimits, err = f.CompileLimits.withDefaults()
	return f, err
}

// Limits are the caps of one call. Zero in a field means its default; a negative number is invalid_request.
type Limits struct {
	Fuel           int64         // units of work; default 300e9, about half a minute
	Timeout        time.Duration // wall time; default 30 s
	MaxMemoryBytes int64         // the guest's memory; default 256 MiB, and never more than the module was rewritten for
	MaxOutputBytes int64         // bytes of emitted frames together; default 10 MiB plus a tenth for their headers
	MaxLogBytes    int64         // bytes of guest log; what is over is dropped and counted; default 64 KiB
	MaxFrames      int64         // emitted frames; default 100,000
	MaxHostCalls   int64         // calls from the guest to the host; default 1,000,000
}

// headerShare is what frame headers may add to the default output limit of a read.
const headerShare = 1 << 20

func (l Limits) withDefaults() (Limits, error) {
	d := readapi.DefaultLimits()
	for _, f := range []struct {
		v   *int64
		def int64
	}{
		{&l.Fuel, d.Fuel}, {(*int64)(&l.Timeout), int64(d.Timeout)}, {&l.MaxMemoryBytes, d.MaxMemoryBytes},
		{&l.MaxOutputBytes, d.MaxOutputBytes + headerShare}, {&l.MaxLogBytes, 64 << 10}, {&l.MaxFrames, 100_000}, {&l.MaxHostCalls, 1_000_000},
	} {
		if *f.v < 0 {
			return l, invalid("a limit is negative")
		}
		if *f.v == 0 {
			*f.v = f.def
		}
	}
	return l, nil
}

// What InitLimits are by default, where they are not those of a read.
const (
	initFuel    = 20e6 // the tightest loop takes 50 ms for it
	initTimeout = 10 * time.Second
	initMemory  = 64 << 20
	warmShare   = 16 // warm-up calls get as many times the fuel
)

func (l Limits) withInitDefaults(e Engine) (Limits, error) {
	if l.Fuel == 0 {
		l.Fuel = initFuel
	}
	if l.MaxMemoryBytes == 0 {
		l.MaxMemoryBytes = initMemory
	}
	if l.Timeout == 0 {
		l.Timeout = initTimeout
		if e == Interpreter {
			l.Timeout *= 3
		}
	}
	return l.withDefaults()
}

// warm are the limits of a warm-up call, of a program whose InitLimits are init.
func (l Limits) warm(init Limits) Limits {
	if l != (Limits{}) {
		return l
	}
	init.Fuel = min(init.Fuel, math.MaxInt64/warmShare) * warmShare
	return init
}

// Call is one decode.
type Call struct {
	Request []byte // JSON of a readapi.Request

	// Input is the file. Reads of it go through a goroutine of the call unless it is a *bytes.Reader, *strings.Reader or an
	// *io.SectionReader of one, so that a slow reader cannot hold up a cancelled call. A ReadAt that was under way when a call was
	// stopped ends in its own time, after Decode has returned.
	Input readapi.Input

	// Emit gets each frame, in order. payload is guest memory: copy what is to be kept. A guest that was told to stop and goes on
	// emitting is bad_output. Emit runs inside the call: while it blocks, nothing can stop the call, and it must not close the instance.
	Emit func(kind abi.Kind, payload []byte) (stop bool)

	Limits Limits
}

// Usage is what one call cost. The caller measures the wall time.
type Usage struct {
	Fuel        int64 // units of work; the same on every machine and engine for the same module, input, request and start state
	MemoryBytes int64 // the guest's memory at the call's end, which is its largest: WebAssembly memory does not shrink
	HostCalls   int64
	Frames      int64
	OutputBytes int64 // of frames
	LogBytes    int64 // of guest log that was kept
	LogDropped  int64 // of guest log that was over the limit
}

func invalid(detail string) *readapi.Error {
	return &readapi.Error{Op: "sandbox", Code: readapi.CodeInvalidRequest, Detail: detail, Hint: "Leave a field at 0 for its default."}
}
