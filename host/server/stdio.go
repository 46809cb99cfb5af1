package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// ServeStdio speaks MCP for session: messages come in, one a line, and answers go out, one a line; nothing else is written. It returns nil
// when in ends and what was asked has been answered.
//
// Errors: canceled or limit_time when ctx ends, whatever still runs being stopped; internal when in or out fails. A Read of in that is under
// way then is left behind.
func ServeStdio(ctx context.Context, session Session, in io.Reader, out io.Writer, opts *MCPOptions) error {
	srv, err := MCP(session, opts)
	if err != nil {
		return err
	}
	return readapi.AsError("server.ServeStdio", serve(ctx, srv, newLines(in, out, MaxFrameBytes)))
}

func serve(ctx context.Context, srv *mcp.Server, conn *lines) error {
	session, err := srv.Connect(ctx, conn, nil)
	if err != nil {
		return err
	}
	// The end of the input is what makes the SDK stop the calls that run; it does not look at ctx.
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	err = session.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// lines is a connection of JSON-RPC messages, one a line. The SDK's own ends with the first line that is not JSON, and drops the answers
// that are due when its input ends; this one answers such a line with an error, and sees every answer off before it reports the end.
type lines struct {
	in  io.Reader
	out io.Writer
	max int // bytes of a line, with its end

	incoming chan line
	queue    []jsonrpc.Message // of a batch; of the one goroutine that reads
	closed   chan struct{}
	close    sync.Once

	mu      sync.Mutex          // guards what follows, and writes
	due     map[jsonrpc.ID]bool // calls that have not been answered
	ended   bool                // the input has ended
	settled chan struct{}
}

// line is one line of the input without its end.
type line struct {
	text    []byte
	tooLong bool
	err     error // nothing follows
}

func newLines(in io.Reader, out io.Writer, max int) *lines {
	return &lines{in: in, out: out, max: max, incoming: make(chan line), closed: make(chan struct{}), due: map[jsonrpc.ID]bool{}, settled: make(chan struct{})}
}

// Connect implements mcp.Transport.
func (l *lines) Connect(context.Context) (mcp.Connection, error) {
	go l.scan()
	return l, nil
}

// SessionID implements mcp.Connection.
func (l *lines) SessionID() string { return "" }

// Close implements mcp.Connection.
func (l *lines) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}

// scan cuts the input into lines. It ends with the input, or with the first line behind Close.
func (l *lines) scan() {
	r := bufio.NewReaderSize(l.in, 64<<10)
	for {
		next := l.next(r)
		select {
		case l.incoming <- next:
		case <-l.closed:
			return
		}
		if next.err != nil {
			return
		}
	}
}

// next reads one line. Of one that is too long nothing is kept.
func (l *lines) next(r *bufio.Reader) (out line) {
	for {
		piece, err := r.ReadSlice('\n')
		if len(out.text)+len(piece) > l.max {
			out.tooLong, out.text = true, nil
		}
		if !out.tooLong {
			out.text = append(out.text, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (len(out.text) > 0 || out.tooLong) && errors.Is(err, io.EOF): // a last line without its end; the end comes again
			return out
		}
		out.err = err
		return out
	}
}

// Read implements mcp.Connection. It is called by one goroutine.
func (l *lines) Read(context.Context) (jsonrpc.Message, error) {
	for {
		if len(l.queue) > 0 {
			msg := l.queue[0]
			l.queue = l.queue[1:]
			if l.owe(msg) {
				return msg, nil
			}
			if err := l.refuse(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, "the id is that of a call that still runs"); err != nil {
				return nil, err
			}
			continue
		}
		select {
		case <-l.closed:
			return nil, io.EOF
		case next := <-l.incoming:
			switch {
			case next.err != nil && !errors.Is(next.err, io.EOF):
				return nil, next.err
			case next.err != nil:
				l.end()
				select {
				case <-l.settled:
				case <-l.closed:
				}
				return nil, io.EOF
			case next.tooLong:
				err := l.refuse(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, "the message is larger than the frame limit")
				if err != nil {
					return nil, err
				}
			default:
				if err := l.accept(bytes.TrimSpace(next.text)); err != nil {
					return nil, err
				}
			}
		}
	}
}

// maxBatch bounds a batch, each of whose messages is answered.
const maxBatch = 1000

// accept puts the messages of a line in the queue. What is none is answered with an error, and only a failed write is an error here.
//
// A batch is taken in every revision, and its messages are answered one by one: only revision 2025-03-26 had batches, and it leaves that free.
func (l *lines) accept(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if !json.Valid(text) { // also refuses what is nested so deeply that a decoder would run out of stack
		return l.refuse(jsonrpc.ID{}, jsonrpc.CodeParseError, "the line is not JSON")
	}
	messages := []json.RawMessage{text}
	if text[0] == '[' {
		if err := json.Unmarshal(text, &messages); err != nil || len(messages) == 0 {
			return l.refuse(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, "the batch is empty")
		}
		if len(messages) > maxBatch {
			return l.refuse(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, "the batch is too long")
		}
	}
	for _, raw := range messages {
		if !usableID(raw) {
			if err := l.refuse(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, "the id is neither a short string nor a whole number below 2^53"); err != nil {
				return err
			}
			continue
		}
		msg, err := jsonrpc.DecodeMessage(raw)
		if err != nil {
			if err := l.refuse(idOf(raw), jsonrpc.CodeInvalidRequest, "this is not a JSON-RPC message"); err != nil {
				return err
			}
			continue
		}
		l.queue = append(l.queue, msg)
	}
	return nil
}

// maxIDBytes bounds the JSON of an id: it stands in the answer, which must fit a frame.
const maxIDBytes = 1024

// usableID reports whether the id of a message, where it has one, can stand in the answer exactly as it came. The SDK makes an int64 of
// every number: 1.5 would be answered as 1, which may be another call, and a large number as one beside it.
func usableID(raw json.RawMessage) bool {
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(raw, &m) != nil || len(m.ID) == 0 {
		return true // DecodeMessage says what is wrong with it
	}
	if c := m.ID[0]; c == '-' || '0' <= c && c <= '9' {
		n, err := strconv.ParseFloat(string(m.ID), 64)
		return err == nil && n == math.Trunc(n) && math.Abs(n) < 1<<53
	}
	return len(m.ID) <= maxIDBytes
}

// idOf is the id of what is no message, where it has one.
func idOf(raw json.RawMessage) jsonrpc.ID {
	var m struct {
		ID any `json:"id"`
	}
	if json.Unmarshal(raw, &m) != nil {
		return jsonrpc.ID{}
	}
	id, err := jsonrpc.MakeID(m.ID)
	if err != nil {
		return jsonrpc.ID{}
	}
	return id
}

// owe notes a call whose answer is due. It is false for the id of one that still runs: the SDK would never answer the second, and an error
// with its id would be taken for the answer to the first.
func (l *lines) owe(msg jsonrpc.Message) bool {
	req, ok := msg.(*jsonrpc.Request)
	if !ok || !req.IsCall() {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.due[req.ID] {
		return false
	}
	l.due[req.ID] = true
	return true
}

// end notes that nothing more will be asked.
func (l *lines) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	if len(l.due) == 0 {
		close(l.settled)
	}
}

// Write implements mcp.Connection. An answer that does not fit a frame goes out as an error in its place.
func (l *lines) Write(ctx context.Context, msg jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	response, isResponse := msg.(*jsonrpc.Response)
	text, err := jsonrpc.EncodeMessage(msg)
	if err == nil && len(text) >= l.max && isResponse {
		text, err = jsonrpc.EncodeMessage(&jsonrpc.Response{ID: response.ID, Error: rpcError(&readapi.Error{
			Op: "server.MCP", Code: readapi.CodeLimitOutput, Detail: "the answer does not fit one message", Hint: "Ask for less at a time.",
			Limit: &readapi.LimitHit{Name: "frame_bytes", Value: int64(l.max), Actual: int64(len(text))},
		}, "", false)})
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.out.Write(append(text, '\n'))
	if isResponse && l.due[response.ID] {
		delete(l.due, response.ID)
		if l.ended && len(l.due) == 0 {
			close(l.settled)
		}
	}
	return err
}

// refuse answers a line that is no message.
func (l *lines) refuse(id jsonrpc.ID, code int64, message string) error {
	text, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: code, Message: message}})
	if err != nil {
		return err
	}
	if !id.IsValid() { // JSON-RPC 2.0, 5: the id is null, where the encoder leaves it out
		text = append([]byte(`{"id":null,`), text[1:]...)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.out.Write(append(text, '\n'))
	return err
}
