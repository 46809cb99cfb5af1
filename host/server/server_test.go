package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestPages: the pages of the list give every file that can be read once, in order, and none that cannot.
func TestPages(t *testing.T) {
	for _, c := range []struct {
		files, readable int // every readable-th can be read
		pages           int
	}{{0, 1, 1}, {1, 1, 1}, {100, 1, 1}, {101, 1, 2}, {250, 1, 3}, {250, 3, 1}, {400, 3, 2}, {2500, 50, 3}, {5000, 5000, 6}} {
		f := newFake()
		f.list = nil
		var want []string
		for i := range c.files {
			a := readapi.Attachment{ID: readapi.ArtifactID(fmt.Sprint("a", i)), Name: fmt.Sprint(i, ".txt"), MediaType: "text/plain", Unavailable: readapi.CodeGone}
			if i%c.readable == 0 {
				a.Resource, a.Unavailable = a.ID.URI(), ""
				want = append(want, a.Resource)
			}
			f.list = append(f.list, a)
		}
		w := dial(t, f, nil).greet()
		var got []string
		pages, cursor := 0, ""
		for {
			r := w.ask("resources/list", map[string]any{"cursor": cursor})
			pages++
			if r.Error != nil || len(r.Result.Resources) > pageSize || r.Result.CacheScope != "private" {
				t.Fatalf("%+v: %+v", c, r)
			}
			for _, res := range r.Result.Resources {
				got = append(got, res.URI)
			}
			if cursor = r.Result.NextCursor; cursor == "" {
				break
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%+v: %s", c, diff)
		}
		if pages > c.pages {
			t.Errorf("%+v: %d pages", c, pages)
		}
	}
}

// TestWalk: by tool and by resource, the cursors give every unit once.
func TestWalk(t *testing.T) {
	w := dial(t, newFake(), &MCPOptions{MaxTokens: 2000}).greet()
	uri := readapi.URIPrefix + "many"
	next := func(r reply) string {
		where, _ := r.Result.Meta[metaKey].(map[string]any)
		cursor, _ := where["next"].(string)
		return cursor
	}
	for name, ask := range map[string]func(cursor string) (reply, string){
		"tool": func(cursor string) (reply, string) {
			args := map[string]any{"uri": uri}
			if cursor != "" {
				args["cursor"] = cursor
			}
			r := w.call("read_attachment", args)
			if cursor := next(r); cursor != "" && !strings.Contains(r.Result.Content[0].Text, "next cursor: "+cursor+"\n") {
				t.Errorf("the text does not say the cursor %s", cursor)
			}
			return r, r.Result.Content[0].Text
		},
		"resource": func(cursor string) (reply, string) {
			params := map[string]any{"uri": uri}
			if cursor != "" {
				params["_meta"] = map[string]any{metaCursor: cursor}
			}
			r := w.ask("resources/read", params)
			last := r.Result.Contents[len(r.Result.Contents)-1]
			if told := len(r.Result.Contents) == 2 && strings.Contains(*last.Text, "cursor "+next(r)+" "); told != (next(r) != "") {
				t.Errorf("%d items, cursor %q", len(r.Result.Contents), next(r))
			}
			return r, *r.Result.Contents[0].Text
		},
	} {
		seen, cursor, answers := 0, "", 0
		for {
			r, text := ask(cursor)
			if n := readapi.EstimateTokens(text); n > 2000 {
				t.Fatalf("%s: %d tokens", name, n)
			}
			answers++
			for strings.Contains(text, fmt.Sprintf("[%d] ", seen+1)) {
				seen++
			}
			if cursor = next(r); cursor == "" {
				break
			}
		}
		if seen != 3000 || answers < 20 {
			t.Errorf("%s: %d of 3000 pages in order, %d answers", name, seen, answers)
		}
	}
}

// TestForeign: nothing in an answer tells a foreign file from one that never was.
func TestForeign(t *testing.T) {
	w := dial(t, newFake(), nil).greet()
	for _, ask := range []func(id string) any{
		func(id string) any { return w.call("read_attachment", map[string]any{"uri": readapi.URIPrefix + id}) },
		func(id string) any {
			r := w.ask("resources/read", map[string]any{"uri": readapi.URIPrefix + id})
			if r.Error == nil || r.Error.Code != rpcNotFound || r.Error.Data["uri"] != readapi.URIPrefix+id {
				t.Errorf("%+v", r.Error)
			}
			delete(r.Error.Data, "uri") // what was asked for
			return r
		},
	} {
		if diff := cmp.Diff(ask("absent"), ask("foreign")); diff != "" {
			t.Error(diff)
		}
	}
}

// blocking is a fake whose "slow" file is read until its context ends; began and ended say when that is.
func blocking() (f *fake, began chan struct{}, ended chan error) {
	f = newFake()
	began, ended = make(chan struct{}, 8), make(chan error, 8)
	f.slow = func(ctx context.Context) error {
		began <- struct{}{}
		<-ctx.Done()
		ended <- ctx.Err()
		return ctx.Err()
	}
	return f, began, ended
}

const readSlow = `{"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"read_attachment","arguments":{"uri":"maka://runtime/attachments/slow"}}}`

// TestCancel: a client that cancels a call stops the read, and no other.
func TestCancel(t *testing.T) {
	f, began, ended := blocking()
	w := dial(t, f, nil).greet()
	w.send(readSlow)
	w.send(`{"jsonrpc":"2.0","id":"other","method":"resources/read","params":{"uri":"maka://runtime/attachments/slow"}}`)
	<-began
	<-began
	w.alive() // beside them
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"slow"}}`)
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the read ended with %v", err)
	}
	if r := w.answer(); r.ID != "slow" || !r.Result.IsError || r.Result.StructuredContent.Error["code"] != "canceled" {
		t.Errorf("%+v", r)
	}
	select {
	case err := <-ended:
		t.Errorf("the other read ended with %v", err)
	default:
	}
	w.alive()
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"other"}}`)
	if r := w.answer(); r.ID != "other" || r.Error == nil || r.Error.Data["error"].(map[string]any)["code"] != "canceled" {
		t.Errorf("%+v", r)
	}
}

// TestSameID: a second call with the id of one that runs is refused, and the first is answered; then the id is free again.
func TestSameID(t *testing.T) {
	f := newFake()
	began, release := make(chan struct{}, 2), make(chan struct{})
	f.slow = func(context.Context) error {
		began <- struct{}{}
		<-release
		return nil
	}
	w := dial(t, f, nil).greet()
	w.send(readSlow)
	<-began
	w.send(readSlow)
	if r := w.answer(); r.ID != nil || r.Error == nil || r.Error.Code != jsonrpc.CodeInvalidRequest {
		t.Errorf("%+v", r)
	}
	close(release)
	for range 2 {
		if r := w.answer(); r.ID != "slow" || r.Result.IsError || r.Error != nil {
			t.Errorf("%+v", r)
		}
		w.send(readSlow)
	}
	_ = w.in.Close()
	w.answer()
	if err := <-w.done; err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// TestContextEnds: what runs is stopped when the program is told to end.
func TestContextEnds(t *testing.T) {
	f, began, ended := blocking()
	w := dial(t, f, nil).greet()
	w.send(readSlow)
	<-began
	w.stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the read ended with %v", err)
	}
	go func() { _, _ = io.Copy(io.Discard, w.out) }()
	if err := <-w.done; readapi.CodeOf(err) != readapi.CodeCanceled {
		t.Errorf("the server ended with %v", err)
	}
}

// TestInputEnds: what was asked before the input ends is answered, and then the server ends without an error.
func TestInputEnds(t *testing.T) {
	f := newFake()
	began, release := make(chan struct{}), make(chan struct{})
	f.slow = func(context.Context) error {
		close(began)
		<-release
		return nil
	}
	w := dial(t, f, nil).greet()
	w.send(readSlow)
	<-began
	// The last line has no end of its own.
	if _, err := io.WriteString(w.in, `{"jsonrpc":"2.0","id":"last","method":"ping"}`); err != nil {
		t.Fatal(err)
	}
	if err := w.in.Close(); err != nil {
		t.Fatal(err)
	}
	if r := w.answer(); r.ID != "last" || r.Error != nil {
		t.Errorf("%+v", r)
	}
	close(release)
	if r := w.answer(); r.ID != "slow" || r.Result.IsError || !strings.Contains(r.Result.Content[0].Text, "one\ntwo\n") {
		t.Errorf("%+v", r)
	}
	if err := <-w.done; err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// TestOutputFails: a client that went away ends the server and the reads that run.
func TestOutputFails(t *testing.T) {
	f, began, ended := blocking()
	inR, inW := io.Pipe()
	defer inR.Close()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- ServeStdio(t.Context(), f, inR, outW, nil) }()
	_, _ = io.WriteString(inW, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_attachment","arguments":{"uri":"maka://runtime/attachments/slow"},"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`+"\n")
	<-began
	_ = outR.Close()
	_, _ = io.WriteString(inW, `{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n")
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the read ended with %v", err)
	}
	if err := <-done; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the server ended with %v", err)
	}
}

// TestID: an id comes back exactly, or the call is refused, whatever else is wrong with it.
func TestID(t *testing.T) {
	w := dial(t, newFake(), nil).greet()
	long := strings.Repeat("x", maxIDBytes-2)
	for _, id := range []string{`1`, `0`, `-7`, `9007199254740991`, `-9007199254740991`, `1e2`, `"1.5"`, `""`, `"` + long + `"`} {
		w.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
		var want any
		if err := json.Unmarshal([]byte(id), &want); err != nil {
			t.Fatal(err)
		}
		if r := w.answer(); r.ID != want || r.Error != nil {
			t.Errorf("%.20s: %.20v, %+v", id, r.ID, r.Error)
		}
	}
	for _, id := range []string{`1.5`, `9007199254740993`, `9007199254740992`, `-9007199254740992`, `99999999999999999999999`, `1e300`, `1e400`, `"` + long + `x"`} {
		for _, rest := range []string{`"method":"ping"`, `"method":"nothing"`, `"method":5`} {
			w.send(`{"jsonrpc":"2.0","id":` + id + `,` + rest + `}`)
			if r := w.answer(); r.ID != nil || r.Error == nil || r.Error.Code != jsonrpc.CodeInvalidRequest {
				t.Errorf("%.20s: %.20v, %+v", id, r.ID, r.Error)
			}
		}
	}
	w.alive()
}

// TestFrameIn: a line above the limit is answered and skipped; one at the limit is read.
func TestFrameIn(t *testing.T) {
	w := dial(t, newFake(), nil).greet()
	line := func(size int) string {
		const head, tail = `{"jsonrpc":"2.0","id":"long","method":"ping","params":{"x":"`, `"}}`
		return head + strings.Repeat("x", size-len(head)-len(tail)-1) + tail
	}
	w.send(line(MaxFrameBytes))
	if r := w.answer(); r.ID != "long" || r.Error != nil {
		t.Errorf("at the limit: %+v", r.Error)
	}
	w.send(line(MaxFrameBytes + 1))
	if r := w.answer(); r.ID != nil || r.Error == nil || r.Error.Code != jsonrpc.CodeInvalidRequest {
		t.Errorf("above the limit: %+v", r)
	}
	w.alive()
	w.send(strings.Repeat("[", 4<<20)) // deeper than any stack
	if r := w.answer(); r.Error == nil || r.Error.Code != jsonrpc.CodeParseError {
		t.Errorf("deep: %+v", r)
	}
	w.send(`{"jsonrpc":"2.0","id":1,"method":"ping","params":` + strings.Repeat(`{"a":`, 1<<20) + "1" + strings.Repeat("}", 1<<20) + `}`)
	if r := w.answer(); r.Error == nil || r.Error.Code != jsonrpc.CodeParseError {
		t.Errorf("deep: %+v", r)
	}
	w.alive()
}

// TestFrameOut: an answer that would break the frame is an error that says what to do.
func TestFrameOut(t *testing.T) {
	w := dial(t, newFake(), nil).greet()
	r := w.call("read_attachment", map[string]any{"uri": readapi.URIPrefix + "huge"})
	if !r.Result.IsError || r.Result.StructuredContent.Error["code"] != "limit_output" || !strings.Contains(r.Result.Content[0].Text, "hint: ") {
		t.Errorf("%+v", r)
	}
	if r = w.ask("resources/read", map[string]any{"uri": readapi.URIPrefix + "huge"}); r.Error == nil || r.Error.Code != rpcFailed {
		t.Errorf("%+v", r.Error)
	}
	w.alive()

	// What nobody foresaw is caught where it is written.
	var out strings.Builder
	l := newLines(nil, &out, 300)
	id, err := jsonrpc.MakeID("x")
	if err != nil {
		t.Fatal(err)
	}
	frame := func(n int) string {
		out.Reset()
		result, _ := json.Marshal(strings.Repeat("x", n))
		if err := l.Write(t.Context(), &jsonrpc.Response{ID: id, Result: result}); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	overhead := len(frame(0))
	if got := frame(300 - overhead); len(got) != 300 || !strings.Contains(got, "xxx") {
		t.Errorf("at the limit: %d bytes", len(got))
	}
	if got := frame(301 - overhead); strings.Contains(got, "xxx") || !strings.Contains(got, `"id":"x"`) || !strings.Contains(got, "limit_output") {
		t.Errorf("above the limit: %s", got)
	}
}

// TestProgress: a client that gave a token hears of a long call until its answer, and not after it.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.slow = func(context.Context) error { time.Sleep(3*progressEvery + time.Second); return nil }
		w := dial(t, f, nil).greet()
		w.send(strings.Replace(readSlow, `"arguments"`, `"_meta":{"progressToken":"tok"},"arguments"`, 1))
		for n := 1; n <= 3; n++ {
			if r := w.answer(); r.Method != "notifications/progress" || r.Params["progressToken"] != "tok" || r.Params["progress"] != float64(n) {
				t.Fatalf("%+v", r)
			}
		}
		if r := w.answer(); r.ID != "slow" {
			t.Fatalf("%+v", r)
		}
		time.Sleep(time.Hour)
		w.send(readSlow) // without a token
		if r := w.answer(); r.ID != "slow" {
			t.Fatalf("%+v", r)
		}
		_ = w.in.Close()
		if err := <-w.done; err != nil {
			t.Error(err)
		}
	})
}

// TestNoRoot: without a folder there is no tool that takes files.
func TestNoRoot(t *testing.T) {
	w := dial(t, newFake(), nil).greet()
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`)
	if line := w.receive(); strings.Contains(line, `"attach"`) || !strings.Contains(line, `"recall"`) {
		t.Error(line)
	}
	if r := w.call("attach", map[string]any{"path": "a"}); r.Error == nil || r.Error.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("%+v", r)
	}
	if _, err := MCP(newFake(), &MCPOptions{URIPrefix: "a://{"}); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
		t.Errorf("no prefix: %v", err)
	}
	if _, err := MCP(newFake(), &MCPOptions{MaxTokens: -1}); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
		t.Errorf("a negative budget: %v", err)
	}
}

// TestClient: the SDK's own client, in the newest revision that it knows, understands what we say.
func TestClient(t *testing.T) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- errors.Join(ServeStdio(t.Context(), newFake(), inR, outW, nil), outW.Close()) }()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: outR, Writer: inW}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var uris []string
	for r, err := range session.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		uris = append(uris, r.URI)
	}
	if len(uris) != 4 {
		t.Errorf("resources: %q", uris)
	}
	for _, uri := range uris {
		read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || len(read.Contents) != 1 {
			t.Errorf("%s: %v", uri, err)
		}
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "read_attachment", Arguments: map[string]any{"uri": uri}})
		if err != nil || res.IsError || len(res.Content) == 0 {
			t.Errorf("%s: %v, %+v", uri, err, res)
		}
	}
	if res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "read_attachment", Arguments: map[string]any{"uri": "x"}}); err != nil || !res.IsError {
		t.Errorf("%v, %+v", err, res)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Errorf("the server ended with %v", err)
	}
}
