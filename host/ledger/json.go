package ledger

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// timeLayout is RFC 3339 with milliseconds, which is what an index keeps.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// names maps every key of an event to its one name: some have a second one that others use.
var names = map[string]string{
	"id": "id", "message_id": "id", "type": "type", "role": "type", "turn": "turn", "timestamp": "timestamp", "ts": "timestamp",
	"text": "text", "display_text": "display_text", "attachments": "attachments",
	"tool": "tool", "call_id": "call_id", "intent": "intent", "arguments": "arguments", "result": "result",
}

// MarshalJSON writes {"id","type","turn","timestamp",…}; what is empty is left out. Raw values come without the spaces between their
// parts, keys of others last, by name.
func (e Event) MarshalJSON() ([]byte, error) {
	b, err := e.encode()
	return b, readapi.AsError("ledger.Event.MarshalJSON", err)
}

func (e Event) encode() ([]byte, error) {
	w := writer{}
	w.buf.WriteByte('{')
	w.text("id", e.ID)
	w.text("type", string(e.Type))
	w.text("turn", e.Turn)
	if !e.Time.IsZero() {
		w.text("timestamp", e.Time.UTC().Format(timeLayout))
	}
	w.text("text", e.Text)
	w.text("display_text", e.DisplayText)
	if len(e.Attachments) > 0 {
		w.raw("attachments", append(append([]byte{'['}, bytes.Join(raws(e.Attachments), []byte{','})...), ']'))
	}
	w.text("tool", e.Tool)
	w.text("call_id", e.CallID)
	w.text("intent", e.Intent)
	w.raw("arguments", e.Arguments)
	w.raw("result", e.Result)
	for _, key := range slices.Sorted(maps.Keys(e.Extra)) {
		if names[key] != "" {
			return nil, invalid("a key of others has the name of " + keyName(names[key]) + ", which is an event's own")
		}
		w.raw(key, e.Extra[key])
	}
	if w.err != nil {
		return nil, w.err
	}
	w.buf.WriteByte('}')
	return w.buf.Bytes(), nil
}

func raws(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, raw := range list {
		out[i] = raw
		if raw == nil {
			out[i] = []byte("null")
		}
	}
	return out
}

// writer writes the members of an object. < > & are not escaped: history is stored as it is searched.
type writer struct {
	buf bytes.Buffer
	err error
}

func (w *writer) key(key string) {
	if w.buf.Len() > 1 {
		w.buf.WriteByte(',')
	}
	w.string(key)
	w.buf.WriteByte(':')
}

func (w *writer) string(s string) {
	e := json.NewEncoder(&w.buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil && w.err == nil {
		w.err = err
	}
	w.buf.Truncate(w.buf.Len() - 1) // the line's end
}

func (w *writer) text(key, value string) {
	if value != "" {
		w.key(key)
		w.string(value)
	}
}

func (w *writer) raw(key string, value json.RawMessage) {
	if len(value) == 0 {
		return
	}
	w.key(key)
	if err := json.Compact(&w.buf, value); (err != nil || !utf8.Valid(value)) && w.err == nil {
		if key != "arguments" && key != "result" { // a key of others is their text
			key = "a key"
		}
		w.err = invalid("the value of " + key + " is no JSON in UTF-8")
	}
}

// UnmarshalJSON reads what MarshalJSON writes. An unknown type, a value of the wrong kind and a key that stands twice are invalid_request
// with a detail that says which.
func (e *Event) UnmarshalJSON(b []byte) error {
	if !json.Valid(b) {
		return readapi.AsError("ledger.Event.UnmarshalJSON", invalid("an event is no JSON"))
	}
	return readapi.AsError("ledger.Event.UnmarshalJSON", e.decode(b))
}

// decode reads an event from b, which is valid JSON.
func (e *Event) decode(b []byte) error {
	*e = Event{}
	b = bytes.TrimSpace(b)
	if b[0] != '{' {
		return invalid("an event is a JSON object")
	}
	seen := make(map[string]bool, 8)
	for pos := 1; ; {
		key, raw, next := member(b, pos)
		if next == 0 {
			return nil
		}
		pos = next
		name := names[key]
		if name == "" {
			name = key
		}
		if seen[name] {
			return invalid("an event has " + keyName(name) + " twice")
		}
		seen[name] = true
		if err := e.set(name, raw); err != nil {
			return err
		}
	}
}

// keyName is how an error speaks of a key: of ours by name, never by a name that somebody made up.
func keyName(name string) string {
	if names[name] == "" {
		return "one key"
	}
	return strconv.Quote(name)
}

func (e *Event) set(name string, raw json.RawMessage) (err error) {
	switch name {
	case "id":
		e.ID, err = text(name, raw)
	case "type":
		var s string
		s, err = text(name, raw)
		if e.Type = Type(s); err == nil && !e.Type.valid() {
			err = invalid(`an event's "type" is none of user, assistant, tool_call and tool_result`)
		}
	case "turn":
		e.Turn, err = text(name, raw)
	case "timestamp":
		e.Time, err = timestamp(raw)
	case "text":
		e.Text, err = text(name, raw)
	case "display_text":
		e.DisplayText, err = text(name, raw)
	case "attachments":
		if raw[0] != '[' {
			return invalid(`an event's "attachments" are no array`)
		}
		if err = json.Unmarshal(raw, &e.Attachments); len(e.Attachments) == 0 {
			e.Attachments = nil
		}
	case "tool":
		e.Tool, err = text(name, raw)
	case "call_id":
		e.CallID, err = text(name, raw)
	case "intent":
		e.Intent, err = text(name, raw)
	case "arguments":
		e.Arguments = bytes.Clone(raw)
	case "result":
		e.Result = bytes.Clone(raw)
	default:
		if e.Extra == nil {
			e.Extra = map[string]json.RawMessage{}
		}
		e.Extra[name] = bytes.Clone(raw)
	}
	return err
}

func (t Type) valid() bool {
	switch t {
	case User, Assistant, ToolCall, ToolResult:
		return true
	}
	return false
}

func text(name string, raw []byte) (string, error) {
	if raw[0] != '"' {
		return "", invalid("an event's " + keyName(name) + " is no string")
	}
	return unquote(raw), nil
}

// unquote is the string that raw, a valid JSON string, stands for.
func unquote(raw []byte) (s string) {
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// maxTime is the end of the year 9999, in milliseconds since 1970.
const maxTime = 253402300799999

func timestamp(raw []byte) (time.Time, error) {
	if raw[0] == '"' {
		t, err := time.Parse(time.RFC3339, unquote(raw))
		if t = t.UTC().Truncate(time.Millisecond); err == nil && t.Year() >= 1 && t.Year() <= 9999 && !t.IsZero() {
			return t, nil
		}
		return time.Time{}, invalid(`an event's "timestamp" is no time of RFC 3339`)
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || n < 0 || n > maxTime || n != float64(int64(n)) {
		return time.Time{}, invalid(`an event's "timestamp" is neither a time of RFC 3339 nor whole milliseconds since 1970`)
	}
	return time.UnixMilli(int64(n)).UTC(), nil
}

// member returns the member of an object that begins at or behind pos, and where the next one may begin; 0 is the end of the object.
// b is valid JSON.
func member(b []byte, pos int) (key string, raw []byte, next int) {
	for strings.IndexByte(" \t\r\n,", b[pos]) >= 0 {
		pos++
	}
	if b[pos] == '}' {
		return "", nil, 0
	}
	end := valueEnd(b, pos)
	key = unquote(b[pos:end])
	for pos = end; strings.IndexByte(" \t\r\n:", b[pos]) >= 0; {
		pos++
	}
	end = valueEnd(b, pos)
	return key, b[pos:end], end
}

// valueEnd is where the value that begins at pos ends.
func valueEnd(b []byte, pos int) int {
	depth := 0
	for ; pos < len(b); pos++ {
		switch b[pos] {
		case '"':
			pos = stringEnd(b, pos)
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth == 0 {
				for pos < len(b) && strings.IndexByte(" \t\r\n,:}]", b[pos]) < 0 {
					pos++
				}
				return pos
			}
			continue
		}
		if depth == 0 {
			return pos + 1
		}
	}
	return pos
}

// stringEnd is where the last quote of the string that begins at pos stands.
func stringEnd(b []byte, pos int) int {
	for pos++; ; pos++ {
		i := bytes.IndexAny(b[pos:], `"\`)
		if pos += i; b[pos] == '"' {
			return pos
		}
		pos++
	}
}
