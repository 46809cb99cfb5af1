package server

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/recall"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a session with files by id. An id that it has not is absent; "foreign" is absent too.
type fake struct {
	files map[string]*readapi.Document // all of a file; Read cuts it
	list  []readapi.Attachment
	slow  func(ctx context.Context) error // what reading "slow" does
}

func (f *fake) Read(ctx context.Context, uri string, sel readapi.Selection, _ *readapi.Limits) (*readapi.Document, error) {
	id, err := readapi.ParseURI(uri)
	if err != nil {
		return nil, err
	}
	switch id {
	case "slow":
		if err := f.slow(ctx); err != nil {
			return nil, readapi.AsError("host.Read", err)
		}
		id = "notes"
	case "gone":
		return nil, &readapi.Error{Op: "host.Read", Code: readapi.CodeGone, Ref: "gone"}
	case "busy":
		return nil, &readapi.Error{Op: "host.Read", Code: readapi.CodeBusy, RetryAfter: time.Second, Hint: "Try again."}
	case "leak":
		return nil, errors.New("open /home/secret/file: no")
	case "panic":
		panic("open /home/secret/file")
	}
	whole := f.files[string(id)]
	if whole == nil {
		return nil, &readapi.Error{Op: "host.Read", Code: readapi.CodeNotFound}
	}
	first, err := strconv.Atoi(cmp.Or(sel.Cursor, "0"))
	if err != nil {
		return nil, &readapi.Error{Op: "host.Read", Code: readapi.CodeInvalidRequest, Detail: "this is not a cursor"}
	}
	doc := *whole
	doc.URI, doc.Parts = uri, nil
	for i, p := range whole.Parts {
		if i < first || !readapi.Selected(sel.Units, p.At) {
			continue
		}
		tokens := readapi.EstimateTokens(p.Text)
		if doc.Usage.EstTokens+tokens > sel.MaxTokens && len(doc.Parts) > 0 {
			doc.Next = strconv.Itoa(i)
			break
		}
		doc.Usage.EstTokens += tokens
		doc.Parts = append(doc.Parts, p)
		doc.Covers = readapi.Range{From: doc.Parts[0].At, To: p.At}
	}
	return &doc, nil
}

func (f *fake) Recall(_ context.Context, req recall.Request) (*recall.Answer, error) {
	return &recall.Answer{UnmatchedTerms: req.Terms}, nil
}

func (f *fake) Attach(_ context.Context, m host.Message) (*host.Attached, error) {
	b, err := io.ReadAll(m.Files[0].Content)
	if err != nil {
		return nil, err
	}
	a := readapi.Attachment{
		ID: "new", Name: m.Files[0].Name, MediaType: "text/plain", Kind: readapi.KindOther, Bytes: int64(len(b)), Status: readapi.StatusLive, Resource: readapi.URIPrefix + "new",
	}
	return &host.Attached{MessageID: "m1", Attachments: []readapi.Attachment{a}}, nil
}

func (f *fake) Attachments(_ context.Context, cursor string, limit int) ([]readapi.Attachment, string, error) {
	from, err := strconv.Atoi(cmp.Or(cursor, "0"))
	if err != nil || from > len(f.list) || limit < 1 {
		return nil, "", &readapi.Error{Op: "host.Attachments", Code: readapi.CodeInvalidRequest, Detail: "this is not a cursor"}
	}
	to := min(from+limit, len(f.list))
	next := ""
	if to < len(f.list) {
		next = strconv.Itoa(to)
	}
	return f.list[from:to], next, nil
}

// newFake has a text, a PDF, a picture, an empty text and a picture that breaks every frame.
func newFake() *fake {
	decoder := readapi.DecoderInfo{Name: "fake", Version: "1.0", Digest: strings.Repeat("0b", 32)}
	doc := func(name string, m readapi.MediaType, unit readapi.Unit, parts ...readapi.Part) *readapi.Document {
		for i := range parts {
			parts[i].At, parts[i].Unit = int64(i+1), unit
		}
		return &readapi.Document{Name: name, MediaType: m, Kind: readapi.KindOf(m, name), Bytes: 7, Unit: unit, Total: int64(len(parts)), Parts: parts, Decoder: decoder}
	}
	text := func(s string) readapi.Part { return readapi.Part{Type: readapi.PartText, Text: s} }
	picture := func(n int) readapi.Part {
		return readapi.Part{Type: readapi.PartImage, Image: &readapi.Image{MediaType: "image/png", Width: 2, Height: 3, Bytes: bytes.Repeat([]byte{7}, n)}}
	}
	f := &fake{files: map[string]*readapi.Document{
		"notes":   doc("notes.txt", "text/plain", readapi.UnitLine, text("one\ntwo\n")),
		"report":  doc("report.pdf", "application/pdf", readapi.UnitPage, text("first"), text("second")),
		"photo":   doc("photo.jpg", "image/jpeg", readapi.UnitFrame, picture(3)),
		"empty":   doc("empty.txt", "text/plain", readapi.UnitLine),
		"huge":    doc("huge.png", "image/png", readapi.UnitFrame, picture(13<<20)),
		"many":    doc("many.txt", "text/plain", readapi.UnitPage),
		"foreign": nil,
	}}
	for i := range 3000 {
		f.files["many"].Parts = append(f.files["many"].Parts, readapi.Part{Type: readapi.PartText, Unit: readapi.UnitPage, At: int64(i + 1), Text: fmt.Sprintf("[%d] some words of a page", i+1)})
	}
	f.files["many"].Total = 3000
	created := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	for _, id := range []string{"notes", "report", "photo", "empty"} {
		d := f.files[id]
		f.list = append(f.list, readapi.Attachment{
			ID: readapi.ArtifactID(id), Name: d.Name, MediaType: d.MediaType, Kind: d.Kind, Bytes: d.Bytes, Status: readapi.StatusLive, Created: created, Resource: readapi.URIPrefix + id,
		})
	}
	f.list = append(f.list, readapi.Attachment{ID: "gone", Name: "gone.txt", MediaType: "text/plain", Kind: readapi.KindOther, Status: readapi.StatusDeleted, Unavailable: readapi.CodeGone})
	return f
}

// wire is a client that speaks in lines.
type wire struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error // of ServeStdio
	stop context.CancelFunc
}

func dial(t *testing.T, session Session, opts *MCPOptions) *wire {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	w := &wire{t: t, in: inW, out: bufio.NewReaderSize(outR, 64<<10), done: make(chan error, 1), stop: stop}
	go func() {
		err := ServeStdio(ctx, session, inR, outW, opts)
		_ = outW.Close()
		w.done <- err
	}()
	t.Cleanup(func() {
		stop()
		_ = inW.Close()
		_ = inR.Close()
		_ = outR.Close()
	})
	return w
}

func (w *wire) send(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.in, line+"\n"); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wire) receive() string {
	w.t.Helper()
	line, err := w.out.ReadString('\n')
	if err != nil {
		w.t.Fatalf("%v after %q", err, line)
	}
	return strings.TrimSuffix(line, "\n")
}

const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

func (w *wire) greet() *wire {
	w.t.Helper()
	w.send(hello)
	w.receive()
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return w
}

// reply is what a client reads of an answer.
type reply struct {
	ID     any
	Method string
	Params map[string]any
	Result struct {
		IsError           bool
		Content           []struct{ Type, Text, MimeType, Data string }
		StructuredContent *struct {
			Error map[string]any
		}
		Meta       map[string]any `json:"_meta"`
		Resources  []struct{ URI, Name, MimeType string }
		NextCursor string
		Contents   []struct {
			URI, MimeType string
			Text, Blob    *string
		}
		CacheScope string
	}
	Error *struct {
		Code    int
		Message string
		Data    map[string]any
	}
}

// ask sends a request and returns its answer.
func (w *wire) ask(method string, params any) reply {
	w.t.Helper()
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		w.t.Fatal(err)
	}
	w.send(string(b))
	return w.answer()
}

func (w *wire) answer() (r reply) {
	w.t.Helper()
	line := w.receive()
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		w.t.Fatalf("%v in %.200q", err, line)
	}
	return r
}

// call runs a tool.
func (w *wire) call(name string, args map[string]any) reply {
	w.t.Helper()
	return w.ask("tools/call", map[string]any{"name": name, "arguments": args})
}

// alive fails unless the server still answers.
func (w *wire) alive() {
	w.t.Helper()
	if r := w.ask("ping", map[string]any{}); r.Error != nil {
		w.t.Fatalf("ping: %+v", r.Error)
	}
}
