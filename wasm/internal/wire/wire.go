// Package wire is what a process and its running helper say to each other, after package hello's first word.
//
//	c := wire.NewConn(out, in)
//	err := c.Send(wire.Frame, header, payload)
//	kind, n, err := c.Next() // then c.Read(b) until n bytes are taken
//
// A message is a kind (uint8), three zero bytes, a little-endian uint32 with its length, and that many bytes. A receiver decides by the kind how
// much it takes before it makes room for anything: neither side trusts the other's lengths.
package wire

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"sync"
)

// Kind is the kind of a message.
type Kind uint8

// From the parent.
const (
	Warm   Kind = 1 + iota // empty: a snapshot is to be taken; then a Call that warms up; its frames go nowhere
	Begin                  // no more of them; empty
	Decode                 // a Call
	Ack                    // of a frame: one byte, 1 to stop
	Data                   // the head of a piece, and the bytes that a Read asked for
	NoData                 // the head of a piece, and a Failure: they are not to be had
	Stop                   // end the call; empty
	Reset                  // back to the snapshot; empty
)

// From the helper.
const (
	Ready   Kind = 64 + iota // it has compiled and warmed up, or failed: a Started
	Frame                    // a uint32 with the frame's kind, then its payload; waits for an Ack
	Read                     // a Span of the input
	Log                      // a Line
	Done                     // the call's end: an Outcome
	IsReset                  // one byte, 1 when it worked
)

// What a message may be long at most, where that is the same for all calls.
const (
	MaxJSON    = 64 << 10 // Started, Outcome, Failure
	MaxLine    = 32 << 10
	MaxPiece   = 1 << 20   // of the input
	MaxInline  = 256 << 10 // an input that goes with its call
	SpanBytes  = 12
	KindBytes  = 4  // of a frame's kind
	PieceBytes = 12 // of the head of a piece: the call's number (uint32), counted from 1 by both sides, and the offset (uint64)
)

// ErrProtocol says that the other side does not keep to this.
var ErrProtocol = errors.New("wire: the other side breaks the protocol")

const headerBytes = 8

// Conn is one side of the two pipes. Send may be called from several goroutines at once; Next and Read are for one.
type Conn struct {
	r *bufio.Reader
	w io.Writer

	mu  sync.Mutex
	buf []byte
	hdr [headerBytes]byte
}

const bufferBytes = 64 << 10

// NewConn returns a Conn over r and w.
func NewConn(r io.Reader, w io.Writer) *Conn {
	return &Conn{r: bufio.NewReaderSize(r, bufferBytes), w: w}
}

// Send writes one message, made of the parts. A short one is one write.
func (c *Conn) Send(k Kind, parts ...[]byte) error {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	if int64(n) > 1<<32-1 {
		return ErrProtocol
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.buf = append(c.buf[:0], byte(k), 0, 0, 0)
	c.buf = binary.LittleEndian.AppendUint32(c.buf, uint32(n))
	for _, p := range parts {
		if len(c.buf)+len(p) > bufferBytes {
			if err := c.flush(); err != nil {
				return err
			}
			if _, err := c.w.Write(p); err != nil {
				return err
			}
			continue
		}
		c.buf = append(c.buf, p...)
	}
	return c.flush()
}

func (c *Conn) flush() error {
	if len(c.buf) == 0 {
		return nil
	}
	_, err := c.w.Write(c.buf)
	c.buf = c.buf[:0]
	return err
}

// SendJSON writes v as one message.
func (c *Conn) SendJSON(k Kind, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.Send(k, b)
}

// Next reads the head of the next message. The caller takes its n bytes, all of them, before it calls Next again.
func (c *Conn) Next() (k Kind, n int64, err error) {
	if _, err := io.ReadFull(c.r, c.hdr[:]); err != nil {
		return 0, 0, err
	}
	if c.hdr[1] != 0 || c.hdr[2] != 0 || c.hdr[3] != 0 {
		return 0, 0, ErrProtocol
	}
	return Kind(c.hdr[0]), int64(binary.LittleEndian.Uint32(c.hdr[4:])), nil
}

// Read fills b with the message's next bytes.
func (c *Conn) Read(b []byte) error {
	_, err := io.ReadFull(c.r, b)
	return err
}

// Skip drops the message's next n bytes.
func (c *Conn) Skip(n int64) error {
	_, err := c.r.Discard(int(n))
	return err
}

// ReadJSON reads a message of n bytes into v.
func (c *Conn) ReadJSON(n int64, v any) error {
	b, err := c.ReadBytes(n, MaxJSON)
	if err != nil {
		return err
	}
	if json.Unmarshal(b, v) != nil {
		return ErrProtocol
	}
	return nil
}

// ReadBytes reads a message of n bytes; more than most is a breach of the protocol.
func (c *Conn) ReadBytes(n, most int64) ([]byte, error) {
	if n > most {
		return nil, ErrProtocol
	}
	b := make([]byte, n)
	return b, c.Read(b)
}

// Quiet reports whether nothing of the other side's waits here already.
func (c *Conn) Quiet() bool { return c.r.Buffered() == 0 }
