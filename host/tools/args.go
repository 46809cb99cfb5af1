package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// args are the arguments of one call. The first one that does not fit is remembered, and every later question has a zero answer.
type args struct {
	values map[string]json.RawMessage
	within string // name of the object that these are the keys of, with a dot behind; "" for the call itself
	err    error
}

// parseArgs reads a JSON object that has no other keys than these, and none of them twice.
func parseArgs(raw json.RawMessage, within string, keys ...string) *args {
	a := &args{values: map[string]json.RawMessage{}, within: within}
	if raw == nil {
		return a
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return a.refuse("", "are not a JSON object")
	}
	for d.More() {
		t, err := d.Token()
		key, isKey := t.(string)
		var v json.RawMessage
		if err != nil || !isKey || d.Decode(&v) != nil {
			return a.refuse("", "are not a JSON object")
		}
		if !slices.Contains(keys, key) {
			a.err = invalid("there is no argument "+within+shownKey(key), "Arguments are "+strings.Join(keys, ", ")+".")
			return a
		}
		if _, twice := a.values[key]; twice {
			return a.refuse(key, "is given twice")
		}
		a.values[key] = v
	}
	if _, err := d.Token(); err != nil || len(bytes.TrimSpace(raw[d.InputOffset():])) > 0 {
		return a.refuse("", "are not a JSON object")
	}
	return a
}

// shownKey is a key that nobody knows, as far as it may stand in a sentence of ours.
func shownKey(key string) string {
	const most = 64
	if key = readapi.EscapeLine(key); len(key) > most {
		key = strings.ToValidUTF8(key[:most], "") + "…"
	}
	return `"` + strings.ReplaceAll(key, `"`, "'") + `"`
}

// refuse remembers what is wrong with the argument called key, "" for all of them.
func (a *args) refuse(key, why string) *args {
	if a.err == nil {
		subject := "the arguments"
		if name := a.within + key; key != "" {
			subject = "the argument " + name
		} else if a.within != "" {
			subject, why = "the argument "+strings.TrimSuffix(a.within, "."), strings.Replace(why, "are not a", "is not a", 1)
		}
		a.err = invalid(subject+" "+why, "The tool's schema says what it takes.")
	}
	return a
}

// take returns the value of key; ok is false when it is not there or something was wrong before.
func (a *args) take(key string) (v json.RawMessage, ok bool) {
	v, ok = a.values[key]
	return v, ok && a.err == nil
}

// text is a string of at most so many characters, "" when it is not there.
func (a *args) text(key string, most int) string {
	raw, ok := a.take(key)
	if !ok {
		return ""
	}
	s, ok := text(raw)
	switch {
	case !ok:
		a.refuse(key, "is not a string")
	case utf8.RuneCountInString(s) > most:
		a.refuse(key, "has more than "+strconv.Itoa(most)+" characters")
	}
	return s
}

// text reads a JSON string, and nothing that could become one.
func text(raw json.RawMessage) (s string, ok bool) {
	return s, len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil
}

// required is text that must be there and have something in it.
func (a *args) required(key string, most int) string {
	s := a.text(key, most)
	if _, ok := a.values[key]; a.err == nil && !ok {
		a.refuse(key, "is missing")
	} else if s == "" {
		a.refuse(key, "is empty")
	}
	return s
}

// choice is text that is one of some words, "" when it is not there.
func (a *args) choice(key string, of ...string) string {
	s := a.text(key, math.MaxInt32)
	if _, ok := a.take(key); ok && !slices.Contains(of, s) {
		a.refuse(key, "is none of "+strings.Join(of, ", "))
	}
	return s
}

// integer is a whole number within bounds, otherwise when it is not there. As in JSON Schema 2.0 is a whole number, "2" and true are not.
func (a *args) integer(key string, least, most, otherwise int64) int64 {
	raw, ok := a.take(key)
	if !ok {
		return otherwise
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case err != nil || f != math.Trunc(f):
		a.refuse(key, "is not a whole number")
	case f < float64(least) || f > float64(most):
		a.refuse(key, fmt.Sprintf("is not from %d to %d", least, most))
	}
	return int64(f)
}

// texts is a list of strings.
func (a *args) texts(key string, most, mostEach int) []string {
	raw, ok := a.take(key)
	if !ok {
		return nil
	}
	var list []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &list) != nil {
		a.refuse(key, "is not a list of strings")
		return nil
	}
	if len(list) > most {
		a.refuse(key, "has more than "+strconv.Itoa(most)+" entries")
		return nil
	}
	var out []string
	for _, raw := range list {
		s, ok := text(raw)
		if !ok {
			a.refuse(key, "is not a list of strings")
		} else if utf8.RuneCountInString(s) > mostEach {
			a.refuse(key, "has an entry of more than "+strconv.Itoa(mostEach)+" characters")
		}
		out = append(out, s)
	}
	return out
}

// moment is a point in time: RFC 3339, or a date, which stands for its first moment in UTC, with last for its last one.
func (a *args) moment(key string, last bool) time.Time {
	s := a.text(key, 64)
	if _, ok := a.take(key); !ok {
		return time.Time{}
	}
	if day, err := time.Parse(time.DateOnly, s); err == nil {
		if last {
			day = day.AddDate(0, 0, 1).Add(-time.Millisecond)
		}
		return day
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		a.refuse(key, "is neither a date nor a time of RFC 3339")
	}
	return t
}

// object is an object of arguments, nil when it is not there.
func (a *args) object(key string, keys ...string) *args {
	raw, ok := a.take(key)
	if !ok {
		return nil
	}
	return parseArgs(raw, a.within+key+".", keys...)
}
