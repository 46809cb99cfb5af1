//go:build !wasip1

package readapi

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Duration is a time.Duration. Guests know no time, and are built without the package.
type Duration = time.Duration

// errorJSON is the shape that API clients see.
type errorJSON struct {
	Code         Code      `json:"code"`
	Message      string    `json:"message"`
	Op           string    `json:"op,omitempty"`
	Ref          string    `json:"ref,omitempty"`
	Retryable    bool      `json:"retryable"`
	RetryAfterMS int64     `json:"retry_after_ms,omitempty"`
	Limit        *LimitHit `json:"limit,omitempty"`
	Hint         string    `json:"hint,omitempty"`
}

// MarshalJSON gives the public shape: code, message, op, ref, retryable, retry_after_ms, limit, hint. The cause stays behind.
func (e *Error) MarshalJSON() ([]byte, error) {
	return json.Marshal(errorJSON{
		Code: e.Code, Message: e.Message(), Op: e.Op, Ref: e.Ref, Retryable: e.Retryable(),
		RetryAfterMS: e.RetryAfter.Milliseconds(), Limit: e.Limit, Hint: e.Hint,
	})
}

// contextCode is the code of an error that is neither an *Error nor a Code.
func contextCode(err error) Code {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return CodeLimitTime
	case errors.Is(err, context.Canceled):
		return CodeCanceled
	}
	return CodeInternal
}
