package sandbox

import (
	"errors"
	"log/slog"
	"strings"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// This file alone reads the text of wazero's traps: their type is internal to wazero, and nothing else tells them apart. A test pins each
// text on both engines.

// trap is a kind of WebAssembly trap.
type trap string

// The traps that a module of the features that we admit can raise, with wazero's words for them.
const (
	trapUnreachable   trap = "unreachable"
	trapMemoryBounds  trap = "out of bounds memory access"
	trapDivideByZero  trap = "integer divide by zero"
	trapOverflow      trap = "integer overflow"
	trapConversion    trap = "invalid conversion to integer"
	trapTable         trap = "invalid table access"
	trapSignature     trap = "indirect call type mismatch"
	trapStack         trap = "stack overflow"
	trapNone          trap = "" // not a trap
	trapPrefix             = "wasm error: "
	recoveredByWazero      = "(recovered by wazero)"
	trapTextBytes          = 4 << 10 // of a trap's text that is kept
)

var traps = []trap{
	trapUnreachable, trapMemoryBounds, trapDivideByZero, trapOverflow, trapConversion, trapTable, trapSignature, trapStack,
}

// trapOf returns the trap that err is, trapNone if it is none: a panic of a host function, say.
func trapOf(err error) trap {
	text := err.Error()
	first, _, _ := strings.Cut(text, "\n")
	if strings.HasSuffix(first, recoveredByWazero) {
		return trapNone
	}
	first = strings.TrimPrefix(first, trapPrefix) // a stack overflow of the compiler engine comes without
	for _, t := range traps {
		if first == string(t) {
			return t
		}
	}
	return trapNone
}

// classify turns what wazero returned from a call into an error of ours. The order is from the certain to the likely: what a host function
// decided; how deep the guest was; that it was refused memory, which guests answer in many ways; the trap itself.
func (c *call) classify(err error) *readapi.Error {
	if s, ok := errors.AsType[*stop](err); ok {
		return s.err
	}
	ended, exited := errors.AsType[*exit](err)
	t := trapOf(err)
	err = &oneLine{err}
	if !exited && t == trapNone {
		return &readapi.Error{Code: readapi.CodeInternal, Err: err}
	}
	inst := c.inst
	if limit := inst.prog.state.MaxDepth; t == trapStack || t == trapUnreachable && inst.depth() > limit {
		e := overLimit(readapi.CodeLimitDepth, "max_depth", int64(limit), int64(inst.depth()))
		e.Err = err
		return e
	}
	if e := c.memoryRefused(); e != nil {
		e.Err = err
		return e
	}
	if exited {
		return &readapi.Error{Code: readapi.CodeTrap, Detail: "the decoder ended itself", Err: ended}
	}
	return &readapi.Error{Code: readapi.CodeTrap, Err: err}
}

// oneLine is an error of wazero's as a log may have it: its text has the names of the module's functions, which are a stranger's words.
type oneLine struct{ err error }

func (o *oneLine) Error() string {
	text := o.err.Error()
	return readapi.EscapeLine(text[:min(len(text), trapTextBytes)])
}

func (o *oneLine) Unwrap() error { return o.err }

// memoryRefused is the error for a guest that died after it did not get memory; nil if it got all that it asked for.
func (c *call) memoryRefused() *readapi.Error {
	m := c.inst.linear
	switch m.refused {
	case refusedCap:
		return overLimit(readapi.CodeLimitMemory, "max_memory_bytes", min(m.softCap, m.hardCap), m.wanted)
	case refusedBudget:
		if err := c.ctx.Err(); err != nil {
			return contextError(err)
		}
		return busy(m.budget)
	case refusedOver:
		return c.over()
	case refusedSystem:
		return &readapi.Error{Code: readapi.CodeBusy, Detail: "the system has no memory", RetryAfter: m.budget.wait}
	}
	return nil
}

func busy(b *budget) *readapi.Error {
	return &readapi.Error{
		Code: readapi.CodeBusy, Detail: "other reads hold the memory", RetryAfter: b.wait,
		Limit: &readapi.LimitHit{Name: "max_total_memory_bytes", Value: b.size, Actual: b.used.Load()},
	}
}

// logFailure tells the host's log what happened, where that is the guest's doing or ours. Trap text and the guest's exit go nowhere else.
func (c *call) logFailure(e *readapi.Error) {
	level := slog.LevelWarn
	switch e.Code {
	case readapi.CodeCanceled:
		return
	case readapi.CodeInternal:
		level = slog.LevelError
	}
	cause := ""
	if e.Err != nil {
		cause = e.Err.Error()
	}
	c.log.out.LogAttrs(c.ctx, level, "a call ended early",
		slog.String("code", string(e.Code)), slog.String("detail", e.Detail), slog.String("cause", readapi.EscapeLine(cause)))
}
