package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// lineDecoder reads texts, line by line.
type lineDecoder struct{}

var lineInfo = readapi.DecoderInfo{Name: "lines", Version: "1.0", Digest: strings.Repeat("0c", 32)}

func (lineDecoder) All() []readapi.DecoderInfo { return []readapi.DecoderInfo{lineInfo} }

func (lineDecoder) Accepts(m readapi.MediaType) []readapi.DecoderInfo {
	if m == "text/plain" {
		return []readapi.DecoderInfo{lineInfo}
	}
	return nil
}

func (lineDecoder) Decode(_ context.Context, _ readapi.DecoderInfo, d readapi.Decoding) (readapi.Result, error) {
	in, req := d.Input, d.Request
	b, err := io.ReadAll(io.NewSectionReader(in, 0, in.Size()))
	if err != nil {
		return readapi.Result{}, err
	}
	res := readapi.Result{Unit: readapi.UnitLine, Decoder: lineInfo}
	budget := req.MaxTokens
	for text := range strings.Lines(string(b)) {
		res.Total++
		if at := res.Total; at < req.Start.At || !readapi.Selected(req.Units, at) || res.Next != nil {
			continue
		}
		if budget -= readapi.EstimateTokens(text); budget < 0 && len(res.Parts) > 0 {
			res.Next = &readapi.Position{At: res.Total}
			continue
		}
		res.Parts = append(res.Parts, readapi.Part{Type: readapi.PartText, Unit: readapi.UnitLine, At: res.Total, Text: text})
		res.Covers = readapi.Range{From: res.Parts[0].At, To: res.Total}
	}
	return res, nil
}

// realHost is a host in memory that tells its audit.
func realHost(t *testing.T) (h *host.Host, audit func() []host.AuditEvent) {
	t.Helper()
	blobs, err := store.NewBlobs(memblob.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	index, err := store.NewIndex(memindex.New())
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var told []host.AuditEvent
	h, err = host.New(t.Context(), blobs, index, lineDecoder{}, &host.Options{Audit: func(e host.AuditEvent) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, e)
	}})
	if err != nil {
		t.Fatal(err)
	}
	return h, func() []host.AuditEvent {
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		return told
	}
}

// TestHost: over a real host an address is listed and recalled if, and only if, it opens, and only for the session that has it. The file is
// named to all of the principal's sessions.
func TestHost(t *testing.T) {
	h, audit := realHost(t)
	dir := t.TempDir()
	var text strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&text, "line %d of a long text\n", i+1)
	}
	if err := os.WriteFile(filepath.Join(dir, "long.txt"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	session := func(id readapi.SessionID) *host.Session {
		return h.Session(readapi.Scope{Principal: readapi.LocalPrincipal, Session: id})
	}
	if _, err := session("other").Append(t.Context(), ledger.Event{Type: ledger.User, Text: "hello"}); err != nil { // a session is there once it has something
		t.Fatal(err)
	}
	mine := dial(t, session("mine"), &MCPOptions{Root: root}).greet()
	other := dial(t, session("other"), &MCPOptions{Root: root}).greet()

	r := mine.call("attach", map[string]any{"path": "long.txt"})
	_, uri, found := strings.Cut(r.Result.Content[0].Text, "Its address is ")
	if uri = strings.TrimSpace(uri); r.Result.IsError || !found {
		t.Fatalf("%+v", r)
	}
	listed := func(w *wire) (uris []string) {
		t.Helper()
		for _, res := range w.ask("resources/list", nil).Result.Resources {
			uris = append(uris, res.URI)
		}
		return uris
	}
	// opens reports whether the address is listed, and fails unless that is whether it opens, with the code that it must have else.
	opens := func(w *wire, code string) bool {
		t.Helper()
		tool, resource := w.call("read_attachment", map[string]any{"uri": uri}), w.ask("resources/read", map[string]any{"uri": uri})
		is := len(listed(w)) == 1
		recalled := w.call("recall", map[string]any{"terms": []string{"long.txt"}}).Result.Content[0].Text
		if !strings.Contains(recalled, `attached: "long.txt" (text/plain`) || strings.Contains(recalled, "uri "+uri+" ") != is {
			t.Errorf("listed %v, recalled %s", is, recalled)
		}
		if tool.Result.IsError == is || (resource.Error == nil) != is {
			t.Errorf("listed %v: %+v, %+v", is, tool, resource)
		}
		if !is {
			if got := tool.Result.StructuredContent.Error["code"]; got != code {
				t.Errorf("the tool says %v, want %s", got, code)
			}
			if got := resource.Error.Data["error"].(map[string]any)["code"]; got != code {
				t.Errorf("the resource says %v, want %s", got, code)
			}
		}
		return is
	}
	if !opens(mine, "") || opens(other, "not_found") {
		t.Error("the address must open for the session that has it, and for no other")
	}

	var all strings.Builder
	args := map[string]any{"uri": uri, "max_tokens": 3000}
	for answers := 0; ; answers++ {
		r := mine.call("read_attachment", args)
		body := r.Result.Content[0].Text
		if n := readapi.EstimateTokens(body); r.Result.IsError || n > 3000 || answers > 100 {
			t.Fatalf("%d tokens: %.300s", n, body)
		}
		for l := range strings.Lines(body) {
			if strings.HasPrefix(l, "line ") {
				all.WriteString(l)
			}
		}
		where := r.Result.Meta[metaKey].(map[string]any)
		if where["next"] == nil {
			break
		}
		args = map[string]any{"uri": uri, "max_tokens": 3000, "cursor": where["next"]}
	}
	if diff := cmp.Diff(text.String(), all.String()); diff != "" {
		t.Error(diff)
	}

	enable := func(on bool) {
		if err := h.EnableDecoder(t.Context(), "lines", on); err != nil {
			t.Fatal(err)
		}
	}
	enable(false)
	if opens(mine, "unsupported_kind") {
		t.Error("the address opens without a decoder")
	}
	enable(true)
	if !opens(mine, "") {
		t.Error("the address does not open with its decoder")
	}
	if err := session("mine").Delete(t.Context(), uri); err != nil {
		t.Fatal(err)
	}
	if opens(mine, "gone") || opens(other, "not_found") {
		t.Error("the address of a deleted file opens")
	}
	for _, method := range []string{"resources/read", "tools/call"} {
		params := map[string]any{"uri": "x", "name": "read_attachment", "arguments": map[string]any{"uri": "x"}}
		mine.ask(method, params)
	}
	for _, w := range []*wire{mine, other} {
		_ = w.in.Close()
		if err := <-w.done; err != nil {
			t.Error(err)
		}
	}
	causes := map[string]int{}
	for _, e := range audit() {
		causes[e.Cause]++
	}
	if causes[host.CauseInvalidURI] != 2 || causes[host.CauseForeign] == 0 || causes[host.CauseDeleted] == 0 {
		b, _ := json.Marshal(causes)
		t.Errorf("the audit was told %s", b)
	}
}
