package ring

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/internal/wire"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// A helper that was taken over may say anything. This file lets through what an honest one could have said: codes that a guest's call can end
// with, sentences and names of package sandbox's, numbers within the call's limits. Everything else is bad_output.

// details are the sentences of package sandbox that a call or a start can end with; a test compares them with its source.
var details = []string{
	"a frame after the host had enough",
	"a pointer outside the guest's memory",
	"it cannot be instantiated",
	"it does not compile",
	"it imports a function that the host does not have",
	"it imports a memory",
	"it does not export its memory",
	"it speaks another version of the ABI",
	"it was not rewritten",
	"its data does not fit its memory",
	"its digest is not the one that it should have",
	"its globals are not what its state says",
	"its imports do not fit",
	"its memory is not what its state says",
	"other reads hold the memory",
	"the caller's deadline passed",
	"the decoder ended itself",
	"the decoder says that it failed",
	"the helper cannot be confined",
	otherBuild,
	"the memory did not grow to the snapshot",
	"the system has no memory",
	"the wall's globals are missing",
}

// known is detail if it is one of ours, "" otherwise: a model may read it.
func known(detail string) string {
	if slices.Contains(details, detail) {
		return detail
	}
	return ""
}

// cause is what a helper says was behind an error, for the log.
func cause(f *wire.Failure) error {
	if f.Cause == "" {
		return nil
	}
	return errors.New(readapi.EscapeLine(f.Cause))
}

func lie(what string) *readapi.Error {
	return &readapi.Error{Code: readapi.CodeBadOutput, Detail: "the decoder's process breaks the protocol", Err: errors.New("ring: " + what)}
}

// guestFailure is the error that a helper says a guest's call ended with.
func guestFailure(f *wire.Failure, l sandbox.Limits, memory int64) *readapi.Error {
	e := &readapi.Error{Code: f.Code, Detail: known(f.Detail), Err: cause(f)}
	limit := func(name string, value int64) {
		if f.Limit != nil && f.Limit.Name == name {
			e.Limit = &readapi.LimitHit{Name: name, Value: value, Actual: max(0, f.Limit.Actual)}
		}
	}
	switch f.Code {
	case readapi.CodeLimitFuel:
		limit("fuel", l.Fuel)
		limit("max_host_calls", l.MaxHostCalls)
	case readapi.CodeLimitTime:
		limit("timeout_ms", max(1, l.Timeout.Milliseconds()))
	case readapi.CodeLimitOutput:
		limit("max_output_bytes", l.MaxOutputBytes)
		limit("max_output_frames", l.MaxFrames)
	case readapi.CodeLimitMemory:
		if l.MaxMemoryBytes > 0 {
			memory = min(memory, l.MaxMemoryBytes)
		}
		limit(memoryLimit, memory)
	case readapi.CodeLimitDepth:
		if f.Limit != nil && f.Limit.Value > 0 {
			limit("max_depth", f.Limit.Value)
		}
	case readapi.CodeBusy: // nobody else is in its process: the system, or the limit of the process, has no more
		e.Code, e.Detail = readapi.CodeLimitMemory, ""
		e.Limit = &readapi.LimitHit{Name: memoryLimit, Value: memory}
	case readapi.CodeTrap, readapi.CodeBadOutput:
	case readapi.CodeInternal:
		e.Code, e.Detail = readapi.CodeTrap, "its process failed"
	default:
		return lie("a code that no guest's call ends with")
	}
	return e
}

// plausible checks what a helper says a call cost against the call's limits, and puts in what was counted here.
func (x *exchange) plausible(u sandbox.Usage, failed bool) (sandbox.Usage, bool) {
	l := x.limits
	honest := u.Fuel >= 0 && u.MemoryBytes >= 0 && u.MemoryBytes <= x.prog.prepared.MaxMemoryBytes &&
		u.HostCalls >= 0 && u.HostCalls <= addOne(l.MaxHostCalls) && u.LogBytes >= 0 && u.LogBytes <= l.MaxLogBytes && u.LogDropped >= 0
	if failed { // the call may have been just over one of its limits, with a frame that was not sent
		honest = honest && u.Frames-x.frames <= 1 && u.Frames >= x.frames && u.OutputBytes >= x.bytes
	} else {
		honest = honest && u.Fuel <= l.Fuel && u.Frames == x.frames && u.OutputBytes == x.bytes
	}
	if !honest {
		u = sandbox.Usage{Frames: x.frames, OutputBytes: x.bytes}
	}
	return u, honest
}

func addOne(n int64) int64 { return min(n, math.MaxInt64-1) + 1 }

// logBudget is what is left of the log that one call may write, escaped.
type logBudget struct {
	left    int64
	dropped int64
}

// escapeGrowth is how much longer a byte becomes when it is escaped; logBase is for what package sandbox says itself.
const (
	escapeGrowth = 10
	logBase      = 64 << 10
)

func newLogBudget(guest int64) *logBudget {
	return &logBudget{left: min(guest, math.MaxInt64/(2*escapeGrowth))*escapeGrowth + logBase}
}

// messages and attributes of package sandbox's log records; nothing else of a helper's comes under its own name.
var logAttrs = []string{"line", "code", "detail", "cause", "dropped_bytes", "error", "panic", "stack"}

const maxMessage = 200

// take passes one record of a helper's log on, escaped and within the budget.
func (p *Program) take(ctx context.Context, proc *process, n int64, b *logBudget) error {
	if n > wire.MaxLine {
		return wire.ErrProtocol
	}
	if n > b.left {
		b.left = 0 // nothing comes after what was dropped
		b.dropped++
		return proc.conn.Skip(n)
	}
	b.left -= n
	var line wire.Line
	if err := proc.conn.ReadJSON(n, &line); err != nil {
		return err
	}
	var attrs []slog.Attr
	for _, key := range logAttrs {
		if v, ok := line.Attrs[key]; ok {
			attrs = append(attrs, slog.String(key, readapi.EscapeLine(v)))
		}
	}
	level := max(slog.LevelDebug, min(slog.LevelError, line.Level))
	message := readapi.EscapeLine(line.Message[:min(len(line.Message), maxMessage)])
	p.log.LogAttrs(ctx, level, message, attrs...)
	return nil
}

// report says how much of a log was over the budget.
func (b *logBudget) report(p *Program) {
	if b.dropped > 0 {
		p.log.Warn("a helper's log is over its limit", "dropped_records", b.dropped)
	}
}

// timeout is the error for a call that took too long.
func timeout(d time.Duration) *readapi.Error {
	return &readapi.Error{Code: readapi.CodeLimitTime, Limit: &readapi.LimitHit{Name: "timeout_ms", Value: max(1, d.Milliseconds())}}
}
