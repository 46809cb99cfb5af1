package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/recall"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func compile(t *testing.T, raw json.RawMessage) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("x.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("x.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func valid(t *testing.T, s *jsonschema.Schema, raw json.RawMessage) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return s.Validate(v)
}

// withAttach are options with a folder that has any file.
func withAttach() *Options {
	return &Options{Attach: func(context.Context, string) (host.NewFile, error) {
		return host.NewFile{Name: "notes.txt", Size: 3, SizeKnown: true, Content: strings.NewReader("abc")}, nil
	}}
}

func tool(t *testing.T, s *Set, name string) Tool {
	t.Helper()
	for _, tool := range s.List() {
		if tool.Name == name {
			return tool
		}
	}
	t.Fatalf("no tool %s", name)
	return Tool{}
}

// TestSchemaTop: providers refuse a tool whose arguments are not plainly an object.
func TestSchemaTop(t *testing.T) {
	for _, tool := range New(pages(), withAttach()).List() {
		compile(t, tool.OutputSchema)
		compile(t, tool.InputSchema)
		var top map[string]json.RawMessage
		if err := json.Unmarshal(tool.InputSchema, &top); err != nil {
			t.Fatal(err)
		}
		if string(top["type"]) != `"object"` || string(top["additionalProperties"]) != "false" {
			t.Errorf("%s: type %s, additionalProperties %s", tool.Name, top["type"], top["additionalProperties"])
		}
		for _, key := range []string{"anyOf", "oneOf", "allOf", "not", "if", "enum"} {
			if top[key] != nil {
				t.Errorf("%s: %s at the top", tool.Name, key)
			}
		}
		if tool.Title == "" || len(tool.Description) < 200 || bytes.ContainsAny(tool.InputSchema, "\n\t") {
			t.Errorf("%s is not described, or its schema is not in its short form", tool.Name)
		}
	}
}

// TestArguments: what the schema refuses the tool refuses, and what it takes the tool takes.
func TestArguments(t *testing.T) {
	long := strings.Repeat("x", 501)
	for _, c := range []struct {
		tool, args string
		names      string // what the sentence must name; "" when the call must work
	}{
		{ReadAttachment, `{"uri":"` + address + `"}`, ""},
		{ReadAttachment, `{"uri":"` + address + `","units":"1-2","form":"text","max_tokens":1000}`, ""},
		{ReadAttachment, `{"uri":"` + address + `","max_tokens":2e3}`, ""},
		{ReadAttachment, `{"uri":"` + address + `","max_tokens":2000.0}`, ""},
		{ReadAttachment, `{}`, "uri is missing"},
		{ReadAttachment, `{"uri":7}`, "uri is not a string"},
		{ReadAttachment, `{"uri":null}`, "uri is not a string"},
		{ReadAttachment, `{"uri":"` + strings.Repeat("x", 1025) + `"}`, "uri has more"},
		{ReadAttachment, `{"uri":"` + address + `","pages":"1"}`, `"pages"`},
		{ReadAttachment, `{"URI":"` + address + `"}`, `"URI"`},
		{ReadAttachment, `{"uri":"` + address + `","units":1}`, "units is not a string"},
		{ReadAttachment, `{"uri":"` + address + `","form":"source"}`, "form is none of"},
		{ReadAttachment, `{"uri":"` + address + `","form":""}`, "form is none of"},
		{ReadAttachment, `{"uri":"` + address + `","max_tokens":1500.5}`, "max_tokens is not a whole"},
		{ReadAttachment, `{"uri":"` + address + `","max_tokens":"1500"}`, "max_tokens is not a whole"},
		{ReadAttachment, `{"uri":"` + address + `","max_tokens":true}`, "max_tokens is not a whole"},
		{ReadAttachment, `{"uri":"` + address + `","max_tokens":999}`, "max_tokens is not from 1000 to 20000"},
		{ReadAttachment, `{"uri":"` + address + `","max_tokens":20001}`, "max_tokens is not from"},
		{ReadAttachment, `{"uri":"` + address + `","max_tokens":-1}`, "max_tokens is not from"},
		{ReadAttachment, `[]`, "arguments are not a JSON object"},
		{ReadAttachment, `"x"`, "arguments are not a JSON object"},
		{Recall, `{"terms":["a"]}`, ""},
		{Recall, `{"terms":["a"],"limit":25,"since":"2026-11-01","until":"2026-11-30T10:00:00+01:00","question":"which?"}`, ""},
		{Recall, `{"expand":{"message_id":"m","session_id":"s","before":0,"after":8}}`, ""},
		{Recall, `{"terms":"a"}`, "terms is not a list"},
		{Recall, `{"terms":[1]}`, "terms is not a list"},
		{Recall, `{"terms":["1","2","3","4","5","6","7","8","9"]}`, "terms has more"},
		{Recall, `{"terms":["` + long + `"]}`, "terms has an entry"},
		{Recall, `{"terms":["a"],"limit":0}`, "limit is not from 1 to 25"},
		{Recall, `{"terms":["a"],"limit":26}`, "limit is not from"},
		{Recall, `{"terms":["a"],"since":1790000000000}`, "since is not a string"},
		{Recall, `{"terms":["a"],"question":"` + long + `"}`, "question has more"},
		{Recall, `{"expand":"m"}`, "expand is not a JSON object"},
		{Recall, `{"expand":{}}`, "expand.message_id is missing"},
		{Recall, `{"expand":{"message_id":"m","before":9}}`, "expand.before is not from"},
		{Recall, `{"expand":{"message_id":"m","depth":1}}`, `expand."depth"`},
		{Attach, `{"path":"a.txt","name":"b.txt"}`, ""},
		{Attach, `{"path":"a.txt","text":"said by the user"}`, `"text"`},
		{Attach, `{"name":"b.txt"}`, "path is missing"},
		{Attach, `{"path":""}`, "path is empty"},
		{Attach, `{"path":["a"]}`, "path is not a string"},
	} {
		set := New(pages("one", "two"), withAttach())
		err := valid(t, compile(t, tool(t, set, c.tool).InputSchema), json.RawMessage(c.args))
		if (err == nil) != (c.names == "") {
			t.Errorf("%s %.60s: the schema says %v", c.tool, c.args, err)
		}
		check(t, set, c.tool, c.args, c.names)
	}
}

// check calls a tool whose sentence must say names, "" when the call must work.
func check(t *testing.T, set *Set, name, args, names string) {
	t.Helper()
	_, err := set.Call(t.Context(), name, json.RawMessage(args))
	if names == "" {
		if err != nil {
			t.Errorf("%s %.60s: %v", name, args, err)
		}
		return
	}
	e, ok := err.(*readapi.Error)
	if !ok || e.Code != readapi.CodeInvalidRequest || !strings.Contains(e.Message(), names) || e.Hint == "" || e.Op == "" {
		t.Errorf("%s %.60s: %v, want one that names %q", name, args, err, names)
	}
}

// TestArgumentsBeyondSchema are those that JSON Schema cannot see or does not check.
func TestArgumentsBeyondSchema(t *testing.T) {
	for _, c := range [][3]string{
		{ReadAttachment, `{"uri":"` + address + `","uri":"` + address + `"}`, "uri is given twice"},
		{ReadAttachment, `{"uri":"` + address + `"} {}`, "not a JSON object"},
		{ReadAttachment, `{"uri":"` + address + `"`, "not a JSON object"},
		{ReadAttachment, `{"uri":""}`, "uri is empty"},
		{ReadAttachment, `{"uri":"` + address + `","units":"3-1"}`, "range ends before"},
		{ReadAttachment, `{"a\u202e\n` + strings.Repeat("b", 99) + `":1}`, `"a\u{202E}\u{A}b`},
		{Recall, `{"terms":["a"],"since":"yesterday"}`, "since is neither"},
		{Recall, `{"terms":["a"],"since":""}`, "since is neither"},
		{Recall, `{}`, "neither terms nor"},
		{Recall, `{"terms":[]}`, "neither terms nor"},
		{"read", `{}`, "no tool of this name"},
		{"", ``, "no tool of this name"},
	} {
		check(t, New(pages("one"), withAttach()), c[0], c[1], c[2])
	}
	check(t, New(pages("one"), nil), Attach, `{"path":"a"}`, "no tool of this name")
	check(t, New(pages("one"), &Options{MaxTokens: -1}), ReadAttachment, `{}`, "MaxTokens is negative")
	if _, err := New(pages("one"), nil).Call(t.Context(), Recall, nil); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
		t.Errorf("no arguments: %v", err)
	}
}

// TestRequest: what the arguments say reaches the session.
func TestRequest(t *testing.T) {
	f := pages("one", "two")
	set := New(f, withAttach())
	for _, c := range []struct{ tool, args string }{
		{ReadAttachment, `{"uri":"` + address + `","units":"2-","form":"image"}`},
		{ReadAttachment, `{"uri":"` + address + `","cursor":"1"}`},
		{Recall, `{"terms":["a","b"],"limit":3,"since":"2026-11-01","until":"2026-11-02","question":"q"}`},
		{Recall, `{"expand":{"message_id":"m","before":2}}`},
		{Attach, `{"path":"dir/a.txt","name":"b.txt"}`},
	} {
		if _, err := set.Call(t.Context(), c.tool, json.RawMessage(c.args)); err != nil {
			t.Fatal(err)
		}
	}
	if sel := f.reads[0]; sel.Form != readapi.FormImage || readapi.FormatUnits(sel.Units) != "2-" || sel.Unescaped || sel.MaxTokens <= 0 || sel.MaxTokens >= DefaultMaxTokens {
		t.Errorf("read: %+v", sel)
	}
	if sel := f.reads[1]; sel.Cursor != "1" || sel.Form != "" || sel.Units != nil {
		t.Errorf("read on: %+v", sel)
	}
	day := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	if want := (recall.Request{Terms: []string{"a", "b"}, Limit: 3, Since: day, Until: day.AddDate(0, 0, 2).Add(-time.Millisecond), Question: "q"}); !reflect.DeepEqual(f.asked[0], want) {
		t.Errorf("recall: %+v, want %+v", f.asked[0], want)
	}
	if want := (recall.Request{Expand: &recall.Expand{Anchor: "m", Before: 2, After: -1}}); !reflect.DeepEqual(f.asked[1], want) {
		t.Errorf("expand: %+v", f.asked[1].Expand)
	}
	if m := f.stored[0]; m.Text != "" || len(m.Files) != 1 || m.Files[0].Name != "b.txt" || m.Files[0].Size != 3 || !m.Files[0].SizeKnown {
		t.Errorf("attach: %+v", m)
	}
}

// closing tells when it is closed.
type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

// TestAttachCloses: a file that was opened for a call is closed with it, whatever came of it.
func TestAttachCloses(t *testing.T) {
	for _, fail := range []error{nil, &readapi.Error{Code: readapi.CodeTooLarge}} {
		c := &closing{Reader: strings.NewReader("abc")}
		f := pages()
		f.err = fail
		set := New(f, &Options{Attach: func(context.Context, string) (host.NewFile, error) { return host.NewFile{Name: "a", Content: c}, nil }})
		if _, err := set.Call(t.Context(), Attach, object("path", "a")); readapi.CodeOf(err) != readapi.CodeOf(fail) {
			t.Errorf("%v, want %v", err, fail)
		}
		if !c.closed {
			t.Errorf("after %v the file is open", fail)
		}
	}
}

// TestErrors: what the session says goes up as it is.
func TestErrors(t *testing.T) {
	want := &readapi.Error{Op: "host.Read", Code: readapi.CodeMalformed, Hint: "h"}
	f := pages("one")
	f.err = want
	for _, c := range []struct {
		tool string
		args json.RawMessage
	}{{ReadAttachment, object("uri", address)}, {Recall, object("terms", []string{"a"})}, {Attach, object("path", "a")}} {
		if r, err := New(f, withAttach()).Call(t.Context(), c.tool, c.args); err != error(want) || r != nil {
			t.Errorf("%s: %v, %v", c.tool, r, err)
		}
	}
}

// TestEncrypted: a model is not told to give a password, for which there is no argument.
func TestEncrypted(t *testing.T) {
	f := pages("one")
	f.err = &readapi.Error{Op: "host.Read", Code: readapi.CodeEncrypted, Hint: "Give the password."}
	_, err := New(f, nil).Call(t.Context(), ReadAttachment, object("uri", address))
	if got := Failure(err); !strings.HasPrefix(got, "encrypted: ") || strings.Contains(got, "Give") || !strings.Contains(got, "No tool takes a password") {
		t.Error(got)
	}
}

// TestOutputSchemas holds every structured answer against its schema, and shows that the schemas can say no.
func TestOutputSchemas(t *testing.T) {
	full := pages("one", "two")
	full.doc.Parts = append(full.doc.Parts, animation(1).doc.Parts...)
	full.doc.Parts = append(full.doc.Parts, readapi.Part{Type: readapi.PartData, At: 3, Data: json.RawMessage(`[1,{"a":null}]`)},
		readapi.Part{Type: readapi.PartText, At: 4, Offset: 7, Text: "", Truncated: true})
	full.doc.Children = []readapi.Child{{N: 1, Name: "b", MediaType: "text/plain"}}
	full.doc.Warnings = []readapi.Warning{{Code: "partial", Detail: "d", At: 1}, {Code: "x"}}
	full.found = answer(2, "hello")
	empty := &fake{doc: readapi.Document{MediaType: "text/plain", Kind: readapi.KindOther, Unit: readapi.UnitLine}}
	for name, f := range map[string]*fake{"full": full, "empty": empty, "pictures": animation(3)} {
		set := New(f, withAttach())
		for _, c := range []struct {
			tool string
			args json.RawMessage
		}{{ReadAttachment, object("uri", address)}, {Recall, object("terms", []string{"a"})}, {Attach, object("path", "a")}} {
			r, err := set.Call(t.Context(), c.tool, c.args)
			if err != nil {
				t.Fatal(err)
			}
			schema := compile(t, tool(t, set, c.tool).OutputSchema)
			if err := valid(t, schema, r.Structured); err != nil {
				t.Errorf("%s, %s: %v in %s", name, c.tool, err, r.Structured)
			}
			var m map[string]any
			if err := json.Unmarshal(r.Structured, &m); err != nil {
				t.Fatal(err)
			}
			for key := range m {
				without := map[string]any{}
				for k, v := range m {
					if k != key {
						without[k] = v
					}
				}
				b, _ := json.Marshal(without)
				if optional := key == "uri" || key == "name" || key == "sha256"; (valid(t, schema, b) == nil) != optional {
					t.Errorf("%s, %s: without %s the schema is not right", name, c.tool, key)
				}
			}
		}
	}
}

// TestNoPictureBytes: pictures are beside the structured answer, in its order.
func TestNoPictureBytes(t *testing.T) {
	r, err := New(animation(3), nil).Call(t.Context(), ReadAttachment, object("uri", address))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Parts []map[string]any `json:"parts"`
	}
	if err := json.Unmarshal(r.Structured, &doc); err != nil {
		t.Fatal(err)
	}
	if len(r.Images) != 3 || len(doc.Parts) != 3 {
		t.Fatalf("%d pictures, %d parts", len(r.Images), len(doc.Parts))
	}
	for i, p := range doc.Parts {
		if p["image"] != float64(i+1) || p["data"] != nil || r.Images[i].Bytes[0] != byte(i) {
			t.Errorf("part %d: %v", i, p)
		}
	}
}

// TestHostOptions: the model is told addresses as the host makes them, and turns in flight are left out of what it recalls.
func TestHostOptions(t *testing.T) {
	f := pages("text")
	set := New(f, &Options{URIPrefix: "acme://files/", ExcludeTurns: []string{"now"}})
	for _, tool := range set.List() {
		if text := tool.Description + string(tool.InputSchema); strings.Contains(text, readapi.URIPrefix) || tool.Name == ReadAttachment && strings.Count(text, "acme://files/ID") != 2 {
			t.Errorf("%s speaks of other addresses: %s", tool.Name, text)
		}
	}
	if _, err := set.Call(t.Context(), Recall, json.RawMessage(`{"terms":["a"]}`)); err != nil {
		t.Fatal(err)
	}
	if got := f.asked[0].ExcludeTurns; !reflect.DeepEqual(got, []string{"now"}) {
		t.Errorf("left out: %q", got)
	}
}

// TestFailure: a model is told what to do, and to try again only where that may help.
func TestFailure(t *testing.T) {
	busy := &readapi.Error{Code: readapi.CodeBusy, Hint: "Wait."}
	if got, want := Failure(busy), "busy: There is no room for this read just now.\nhint: Wait.\nThe same call may succeed later.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Failure(&readapi.Error{Code: readapi.CodeConflict, Final: true}); strings.Contains(got, "later") {
		t.Errorf("a final failure: %q", got)
	}
	if got := Failure(nil); got != "" {
		t.Errorf("no failure: %q", got)
	}
}
