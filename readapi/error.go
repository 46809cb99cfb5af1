package readapi

import (
	"errors"
	"strconv"
	"strings"
)

// Error is the one error type of this module. Programs act on Code; people read Message. Exported functions of every package return an
// *Error or nil.
type Error struct {
	Op   string // exported operation: "host.Read"
	Code Code
	Ref  string // artifact id or module name; never a path, never text that a user wrote
	Err  error  // cause, for the host's log; never sent to a guest, a model or a client

	Detail     string    // what exactly, in words of ours: a feature, a rule; never text from a file
	Hint       string    // one sentence on what to do
	Limit      *LimitHit // with limit_*, too_large, quota_exceeded
	RetryAfter Duration  // with busy
	Final      bool      // the same call will not succeed later, though others of its code may
}

// LimitHit says which limit was hit: its name as in Limits' JSON, its value, and what the input asked for or had reached (0: unknown).
type LimitHit struct {
	Name   string `json:"name"`
	Value  int64  `json:"value"`
	Actual int64  `json:"actual,omitempty"`
}

// Error is for logs: operation, code, reference, detail and cause. Clients get Message.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Op != "" {
		b.WriteString(e.Op + ": ")
	}
	b.WriteString(string(e.Code))
	if e.Ref != "" {
		b.WriteString(" (" + e.Ref + ")")
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is e's code, so that errors.Is(err, CodeNotFound) works.
func (e *Error) Is(target error) bool {
	c, ok := target.(Code)
	return ok && c == e.Code
}

// Message is one clear sentence for a person, with no path, no stack and no text of the file in it.
func (e *Error) Message() string {
	s := sentences[e.Code]
	if s == "" {
		s = sentences[CodeInternal]
	}
	switch {
	case e.Detail != "":
		if of := about[e.Code]; of != "" {
			s = of
		}
		return strings.TrimSuffix(s, ".") + ": " + strings.TrimSuffix(e.Detail, ".") + "."
	case e.Limit != nil && e.Limit.Name != "":
		return strings.TrimSuffix(s, ".") + ": " + e.Limit.String() + "."
	}
	return s
}

// String says which limit it is and by what it was passed: "max_attachment_bytes is 1000, and this has 1001".
func (l LimitHit) String() string {
	s := l.Name + " is " + strconv.FormatInt(l.Value, 10)
	if l.Actual > 0 {
		s += ", and this has " + strconv.FormatInt(l.Actual, 10)
	}
	return s
}

// Retryable reports whether the same call may succeed later without any change to it.
func (e *Error) Retryable() bool { return e.Code.Retryable() && !e.Final }

// AsError returns err as an *Error under op: an *Error keeps its fields and gets op only if it has none; everything else is wrapped with
// the code that CodeOf finds. nil stays nil. It is the one conversion at an exported edge.
func AsError(op string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		if e.Op != "" {
			return e
		}
		c := *e
		c.Op = op
		return &c
	}
	return &Error{Op: op, Code: CodeOf(err), Err: err}
}
