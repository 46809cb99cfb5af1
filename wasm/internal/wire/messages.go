package wire

import (
	"encoding/binary"
	"encoding/json"
	"log/slog"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// RunArgs are those of hello.Run. The module follows the first message, then Warm messages and Begin.
type RunArgs struct {
	Build          string `json:"build"`     // of the one who asks
	Engine         string `json:"engine"`    // "compiler" or "interpreter"
	CacheDir       string `json:"cache_dir"` // may be read until the module is loaded; "": none
	Name           string `json:"name"`
	Digest         string `json:"digest"` // sha256 of the module, lower-case hex
	Bytes          int64  `json:"bytes"`  // its length
	MaxMemoryBytes int64  `json:"max_memory_bytes"`

	Init sandbox.Limits `json:"init"` // of what runs before the first read; zero: the defaults
}

// Started says how a helper's start went.
type Started struct {
	Failure  *Failure `json:"failure,omitempty"`
	Active   []string `json:"active,omitempty"`   // what keeps it in; see package confine
	Snapshot bool     `json:"snapshot,omitempty"` // Reset can work
}

// Failure is an error, as it is said to the other side.
type Failure struct {
	Code         readapi.Code      `json:"code"`
	Detail       string            `json:"detail,omitempty"`
	Limit        *readapi.LimitHit `json:"limit,omitempty"`
	RetryAfterMS int64             `json:"retry_after_ms,omitempty"`
	Cause        string            `json:"cause,omitempty"` // for the log
	Short        bool              `json:"short,omitempty"` // of NoData: the input ended before its size
}

const maxCause = 4 << 10

// FailureOf is err as a Failure; nil for nil.
func FailureOf(err error) *Failure {
	if err == nil {
		return nil
	}
	f := &Failure{Code: readapi.CodeOf(err)}
	if e, ok := readapi.AsError("", err).(*readapi.Error); ok {
		f.Detail, f.Limit, f.RetryAfterMS = e.Detail, e.Limit, e.RetryAfter.Milliseconds()
		if e.Err != nil {
			f.Cause = e.Err.Error()
		}
	}
	f.Cause = f.Cause[:min(len(f.Cause), maxCause)]
	return f
}

// Outcome is the end of a call.
type Outcome struct {
	Usage   sandbox.Usage `json:"usage"`
	Failure *Failure      `json:"failure,omitempty"`
}

// Call is the head of a Decode or a Warm message; the request and, where it is inline, the input follow it.
type Call struct {
	RequestBytes int64          `json:"request_bytes"`
	Size         int64          `json:"size"` // of the input
	Inline       bool           `json:"inline"`
	Limits       sandbox.Limits `json:"limits"`
}

// AppendCall appends a call's message, without the request and the input.
func AppendCall(dst []byte, c *Call) ([]byte, error) {
	b, err := json.Marshal(c)
	if err != nil {
		return dst, err
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(b)))
	return append(dst, b...), nil
}

// ReadCall reads a call's message of n bytes. The parent is trusted: it could do worse than send a long request.
func (c *Conn) ReadCall(n int64) (call Call, request, input []byte, err error) {
	var size [4]byte
	if n < int64(len(size)) {
		return call, nil, nil, ErrProtocol
	}
	if err := c.Read(size[:]); err != nil {
		return call, nil, nil, err
	}
	head := int64(binary.LittleEndian.Uint32(size[:]))
	n -= int64(len(size))
	if head > n {
		return call, nil, nil, ErrProtocol
	}
	if err := c.ReadJSON(head, &call); err != nil {
		return call, nil, nil, err
	}
	n -= head
	if call.RequestBytes < 0 || call.RequestBytes > n || call.Size < 0 || call.Inline && call.Size != n-call.RequestBytes || !call.Inline && n != call.RequestBytes {
		return call, nil, nil, ErrProtocol
	}
	request = make([]byte, call.RequestBytes)
	input = make([]byte, n-call.RequestBytes)
	if err := c.Read(request); err != nil {
		return call, nil, nil, err
	}
	return call, request, input, c.Read(input)
}

// Line is one record of a helper's log.
type Line struct {
	Level   slog.Level        `json:"level"`
	Message string            `json:"message"`
	Attrs   map[string]string `json:"attrs,omitempty"`
}

// Span is a piece of the input.
type Span struct {
	Off int64
	N   int
}

// Append appends the span as a message's payload.
func (s Span) Append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(s.Off))
	return binary.LittleEndian.AppendUint32(dst, uint32(s.N))
}

// ReadSpan reads a Span out of a message of n bytes. It lies within an input of size bytes, and is neither empty nor too long.
func (c *Conn) ReadSpan(n, size int64) (Span, error) {
	var b [SpanBytes]byte
	if n != SpanBytes {
		return Span{}, ErrProtocol
	}
	if err := c.Read(b[:]); err != nil {
		return Span{}, err
	}
	off, length := binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint32(b[8:])
	if length == 0 || length > MaxPiece || off > uint64(size) || uint64(length) > uint64(size)-off {
		return Span{}, ErrProtocol
	}
	return Span{int64(off), int(length)}, nil
}
