package main

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/recall"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// blanks is an endless stream of empty lines.
type blanks struct{}

func (blanks) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '\n'
	}
	return len(b), nil
}

// TestReadEvents: exactly as much as one commit takes is read, one byte more is refused, and every line has its number.
func TestReadEvents(t *testing.T) {
	line := `{"type":"user","text":"x"}`
	events, lines, err := readEvents(io.MultiReader(strings.NewReader("\n"+line+"\n \n"), io.LimitReader(blanks{}, maxAppend-int64(len(line)*2)-5), strings.NewReader(line)))
	if err != nil || len(events) != 2 || lines[0] != 2 || lines[1] < maxAppend/2 {
		t.Errorf("%d events in lines %v: %v", len(events), lines, err)
	}
	_, _, err = readEvents(io.LimitReader(blanks{}, maxAppend+1))
	if e, ok := errors.AsType[*readapi.Error](err); !ok || e.Code != readapi.CodeTooLarge || e.Limit == nil || e.Limit.Value != maxAppend {
		t.Errorf("%v", err)
	}
	for _, err := range []error{errors.New("secret"), readapi.CodeBusy} {
		if got := appendFailure([]int{1}, err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
	bad := &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: "event 9: no"}
	if got := appendFailure([]int{1, 2}, bad); got != error(bad) {
		t.Errorf("an event that is not there became %v", got)
	}
}

// TestSchemasOfSessions: what the types of the host can print, the schemas take; what would break the promises of an address, they do not.
func TestSchemasOfSessions(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	live := readapi.Attachment{
		ID: "a", Name: "a.txt", MediaType: "text/plain", Kind: readapi.KindOther, Bytes: 1, Version: 1, Status: readapi.StatusLive, Created: at, Resource: readapi.ArtifactID("a").URI(),
	}
	gone, both, neither := live, live, live
	gone.Resource, gone.Status, gone.Unavailable = "", readapi.StatusDeleted, readapi.CodeGone
	both.Unavailable, neither.Resource = readapi.CodeGone, ""
	ref, err := json.Marshal(live.Ref("s"))
	if err != nil {
		t.Fatal(err)
	}
	data := []byte{}
	material := recall.Material{Name: "a.txt", Kind: readapi.KindOther, MimeType: "text/plain", Bytes: 1, Resource: live.Resource}
	answer := func(m recall.Material) recall.Answer {
		return recall.Answer{
			Passages: []recall.Passage{{SessionID: "s", Score: 1.5, AnchorID: "m", Messages: []recall.Message{
				{MessageID: "m", Role: ledger.User, Text: "x", Timestamp: at, Truncated: true, Materials: []recall.Material{m}},
			}, HasMoreAfter: true}},
			Searched: recall.Searched{Sessions: 1, Oldest: at, Capped: true}, UnmatchedTerms: []string{"y"},
		}
	}
	doubled := material
	doubled.Unavailable = readapi.CodeGone
	events := eventsDocument{ID: "s", Events: []ledger.Event{
		{ID: "1", Type: ledger.User, Turn: "t", Time: at, Text: "x", DisplayText: "y", Attachments: []json.RawMessage{ref}, Extra: map[string]json.RawMessage{"mood": []byte(`1`)}},
		{ID: "2", Type: ledger.ToolCall, Turn: "t", Time: at, Tool: "search", CallID: "c", Intent: "i", Arguments: []byte(`{}`)},
		{ID: "3", Type: ledger.ToolResult, Turn: "t", Time: at, Tool: "search", CallID: "c", Result: []byte(`[1]`)},
	}}
	for _, c := range []struct {
		schema string
		value  any
		fits   bool
	}{
		{"attachment", live, true}, {"attachment", gone, true}, {"attachment", both, false}, {"attachment", neither, false},
		{"attachments", attachmentsDocument{[]readapi.Attachment{live, gone}}, true}, {"attachments", attachmentsDocument{[]readapi.Attachment{both}}, false},
		{"recall", answer(material), true}, {"recall", answer(doubled), false},
		{"session", events, true}, {"session", eventsDocument{ID: "a b", Events: []ledger.Event{}}, false},
		{"bytes", bytesDocument{ID: "a", Name: "a", MediaType: "text/plain", Kind: readapi.KindOther, Data: &data}, true},
		{"bytes", bytesDocument{ID: "a", Name: "a", MediaType: "text/plain", Kind: readapi.KindOther}, false},
		{"deleted", deletedDocument{"a", readapi.StatusDeleted}, true}, {"deleted", deletedDocument{"a", readapi.StatusLive}, false},
		{"sessions", map[string]any{"sessions": []sessionDocument{{"s", 1, at, at, false, at}}}, true},
		{"sessions", map[string]any{"sessions": nil}, false}, {"appended", map[string]any{"event_ids": []string{"1"}}, true},
	} {
		schema, err := loadSchema(c.schema)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(c.value)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(schema, string(b)); (err == nil) != c.fits {
			t.Errorf("%s: %s: %v, want it to fit: %v", c.schema, b, err, c.fits)
		}
	}
}
