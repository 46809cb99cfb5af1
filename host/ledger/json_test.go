package ledger_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/readapi"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 50e6, time.UTC)

func TestEventJSON(t *testing.T) {
	for _, c := range []struct {
		name, in, out string // out "": as in
		want          ledger.Event
	}{
		{"user", `{"id":"u1","type":"user","turn":"t","timestamp":"2026-03-01T12:00:00.050Z","text":"<a> & b","display_text":"d"}`, "",
			ledger.Event{ID: "u1", Type: ledger.User, Turn: "t", Time: noon, Text: "<a> & b", DisplayText: "d"}},
		{"call", `{"type":"tool_call","tool":"read","call_id":"c","intent":"look","arguments":{"a":1}}`, "",
			ledger.Event{Type: ledger.ToolCall, Tool: "read", CallID: "c", Intent: "look", Arguments: json.RawMessage(`{"a":1}`)}},
		{"result", `{"type":"tool_result","result":null}`, "", ledger.Event{Type: ledger.ToolResult, Result: json.RawMessage("null")}},
		{"second names", `{"message_id":"u1","role":"user","ts":1772366400050}`, `{"id":"u1","type":"user","timestamp":"2026-03-01T12:00:00.050Z"}`,
			ledger.Event{ID: "u1", Type: ledger.User, Time: noon}},
		{"another zone", `{"ts":"2026-03-01T13:00:00.05+01:00"}`, `{"timestamp":"2026-03-01T12:00:00.050Z"}`, ledger.Event{Time: noon}},
		{"keys of others", `{ "z" : [ 1 , {"id":2} ], "id":"i" , "a":null }`, `{"id":"i","a":null,"z":[1,{"id":2}]}`,
			ledger.Event{ID: "i", Extra: map[string]json.RawMessage{"z": json.RawMessage(`[ 1 , {"id":2} ]`), "a": json.RawMessage("null")}}},
		{"attachments as they came", `{"type":"user","attachments":[{"kind":"image"},null,7]}`, "",
			ledger.Event{Type: ledger.User, Attachments: []json.RawMessage{[]byte(`{"kind":"image"}`), []byte("null"), []byte("7")}}},
		{"no attachments", `{"attachments":[]}`, `{}`, ledger.Event{}},
		{"escapes", `{"text":"a\n\"\u00e9\ud83d\ude00","\u0069d":"\u2028"}`, "{\"id\":\"\\u2028\",\"text\":\"a\\n\\\"é😀\"}", ledger.Event{ID: "\u2028", Text: "a\n\"é😀"}},
		{"keys are exact", `{"Text":"x","TYPE":1}`, `{"TYPE":1,"Text":"x"}`,
			ledger.Event{Extra: map[string]json.RawMessage{"Text": []byte(`"x"`), "TYPE": []byte("1")}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got ledger.Event
			if err := json.Unmarshal([]byte(c.in), &got); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("read (-want +got):\n%s", d)
			}
			out, err := got.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			want := c.out
			if want == "" {
				want = c.in
			}
			if string(out) != want {
				t.Errorf("written\n got %s\nwant %s", out, want)
			}
		})
	}
}

func TestEventJSONRefused(t *testing.T) {
	for name, in := range map[string]string{
		"no object":           `[]`,
		"null":                ``,
		"no JSON":             `{"id":}`,
		"unknown type":        `{"type":"system"}`,
		"type no string":      `{"type":1}`,
		"text null":           `{"text":null}`,
		"text an array":       `{"text":["a"]}`,
		"id a number":         `{"id":1}`,
		"attachments object":  `{"attachments":{}}`,
		"attachments null":    `{"attachments":null}`,
		"twice":               `{"id":"a","id":"a"}`,
		"twice by two names":  `{"id":"a","message_id":"a"}`,
		"twice, escaped":      `{"text":"a","\u0074ext":"a"}`,
		"twice, of others":    `{"x":1,"x":1}`,
		"time a word":         `{"ts":"yesterday"}`,
		"time a fraction":     `{"ts":1.5}`,
		"time negative":       `{"ts":-1}`,
		"time too late":       `{"ts":253402300800000}`,
		"time out of range":   `{"ts":1e999}`,
		"time beyond 9999":    `{"ts":"9999-12-31T23:59:59-01:00"}`,
		"time with no zone":   `{"ts":"2026-03-01T12:00:00"}`,
		"time a boolean":      `{"ts":true}`,
		"time before year 1":  `{"ts":"0001-01-01T00:00:00Z"}`,
		"intent is an object": `{"intent":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			var e ledger.Event
			if err := e.UnmarshalJSON([]byte(in)); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
				t.Errorf("%s: %v", in, err)
			}
		})
	}
}

func TestEventJSONErrorsAreOurWords(t *testing.T) {
	var e ledger.Event
	err := json.Unmarshal([]byte(`{"my secret key":1,"my secret key":2}`), &e)
	var re *readapi.Error
	if !errors.As(err, &re) || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}

func TestEventOwnKeysInExtra(t *testing.T) {
	for _, key := range []string{"id", "role", "message_id", "result"} {
		if _, err := (ledger.Event{Extra: map[string]json.RawMessage{key: []byte("1")}}).MarshalJSON(); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// FuzzEvent: what is read is written so that it reads the same.
func FuzzEvent(f *testing.F) {
	for _, in := range []string{`{}`, `{"id":"a","role":"user","ts":1,"text":"x","attachments":[null,{"a":"b\\\""}],"x":{"y":[1,2,"]}"]}}`,
		`{"type":"tool_result","result":{"kind":"k","a":["b",{"c":"d"}]}}`, ` { "result" : 1e5 , "arguments" : "\u0041" } `, `{"a":true,"b":-0.5,"c":"\ud800"}`} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		before := bytes.Clone(in)
		var e ledger.Event
		err := e.UnmarshalJSON(in)
		if !bytes.Equal(in, before) {
			t.Fatal("the input was written to")
		}
		if err != nil {
			if readapi.CodeOf(err) != readapi.CodeInvalidRequest {
				t.Fatal(err)
			}
			return
		}
		out, err := e.MarshalJSON()
		if err != nil {
			if readapi.CodeOf(err) != readapi.CodeInvalidRequest {
				t.Fatal(err)
			}
			return // raw values that are not UTF-8
		}
		var again ledger.Event
		if err := json.Unmarshal(out, &again); err != nil {
			t.Fatalf("%s gives %s: %v", in, out, err)
		}
		twice, err := again.MarshalJSON()
		if err != nil || !bytes.Equal(out, twice) {
			t.Fatalf("%s gives %s gives %s (%v)", in, out, twice, err)
		}
		again.Extra, e.Extra, again.Attachments, e.Attachments = nil, nil, nil, nil
		again.Arguments, e.Arguments, again.Result, e.Result = nil, nil, nil, nil
		if d := cmp.Diff(e, again); d != "" {
			t.Fatal(d)
		}
	})
}

func TestEventJSONProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := ledger.Event{
			ID: rapid.String().Draw(t, "id"), Turn: rapid.String().Draw(t, "turn"), Text: rapid.String().Draw(t, "text"), Type: ledger.User,
			Time: time.UnixMilli(rapid.Int64Range(0, 253402300799999).Draw(t, "time")).UTC(),
		}
		b, err := e.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var got ledger.Event
		if err := got.UnmarshalJSON(b); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(e, got); d != "" {
			t.Fatal(d)
		}
	})
}
