package text

import (
	"fmt"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/decodertest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func asJSON(req *readapi.Request)  { req.MediaType = "application/json" }
func asLines(req *readapi.Request) { req.MediaType = "application/x-ndjson" }

// factsOf are facts of meta by name, in one line.
func factsOf(res readapi.Result, names string) string {
	var out []string
	for n := range strings.FieldsSeq(names) {
		if v, ok := res.Meta[n]; ok {
			out = append(out, fmt.Sprintf("%s=%v", n, v))
		}
	}
	return strings.Join(out, " ")
}

func TestJSON(t *testing.T) {
	const names = "type items items_at_least keys title depth valid error invalid_lines"
	for _, c := range []struct {
		in, want string
		lines    bool
	}{
		{in: `{"title": "A map", "b": {"title": 1, "c": [1, 2]}, "d": []}`, want: "type=object items=3 keys=[title b d] title=A map depth=3 valid=true"},
		{in: "[{\"a\": 1, \"b\": [1]}, {\"c\": 1}, 3]\n", want: "type=array items=3 keys=[a b] depth=3 valid=true"},
		{in: `"text"`, want: "type=string depth=0 valid=true"},
		{in: `{"title": {"title": "x"}}`, want: "type=object items=1 keys=[title] depth=2 valid=true"},
		{in: `[[{"a": 1}], 2]`, want: "type=array items=2 depth=3 valid=true"},
		{in: "{\n \"a\": 1,\n \"b\": tru\n}", want: "type=object items=2 keys=[a b] depth=1 valid=false error=map[column:10 line:3 reason:a value is missing]"},
		{in: "", want: "depth=0 valid=false error=map[column:1 line:1 reason:the text ends inside a value]"},
		{in: "not json", want: "depth=0 valid=false error=map[column:2 line:1 reason:a value is missing]"},
		{in: "{\"a\":1}\n\n{\"b\":[2]}\r\n3", lines: true, want: "type=object items=3 keys=[a] depth=2 valid=true"},
		{in: "{\"a\":1}\n{\"b\":\n{}\n", lines: true, want: "type=object items=2 keys=[a] depth=1 valid=false error=map[column:6 line:2 reason:the text ends inside a value] invalid_lines=1"},
		{in: "", lines: true, want: "items=0 depth=0 valid=true"},
	} {
		change := asJSON
		if c.lines {
			change = asLines
		}
		res := read(t, c.in, change)
		if got := factsOf(res, names); got != c.want || textOf(res) != c.in {
			t.Errorf("%q gives\n%s, want\n%s", c.in, got, c.want)
		}
	}
}

// TestJSONLong: what is over many pieces is read as what is in one, keys and depths are bounded, and the head of a large text says so.
func TestJSONLong(t *testing.T) {
	var b strings.Builder
	for i := range 30000 {
		fmt.Fprintf(&b, ",\n{\"流水\": %d, \"list\": [%d]}", i, i)
	}
	in := "[" + b.String()[2:] + "]"
	res := read(t, in, asJSON)
	if got := factsOf(res, "type items keys valid lines"); got != "type=array items=30000 keys=[流水 list] valid=true lines=30000" || textOf(res) != in {
		t.Error(got)
	}
	lines := strings.ReplaceAll(strings.Trim(in, "[]"), ",\n", "\n")
	res = read(t, lines+"}", asLines)
	if got := factsOf(res, "items keys valid invalid_lines"); got != "items=29999 keys=[流水 list] valid=false invalid_lines=1" {
		t.Error(got)
	}
	head := func(r *readapi.Request) { asJSON(r); r.Units = []readapi.Range{{From: 1, To: 2}} }
	large := in[:len(in)-1] + strings.Repeat(",\n[0]", scanBytes/5) + "]"
	if got := factsOf(read(t, large, head), "items_at_least valid"); got != "items_at_least=true" {
		t.Errorf("the head of a large text: %s", got)
	}
	many := "{" + strings.Repeat(`"`+strings.Repeat("流", 100)+`":0,`, 60) + `"x":[` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "]}"
	res = read(t, many, asJSON)
	keys, _ := res.Meta["keys"].([]any)
	if len(keys) != mostKeys || keys[0] != strings.Repeat("流", 66) || factsOf(res, "items depth valid") != "items=61 depth=5002 valid=true" {
		t.Errorf("%d keys, %s", len(keys), factsOf(res, "items depth valid"))
	}
}

func TestJSONInvariants(t *testing.T) {
	for _, in := range []string{"{\"a\": [1, 2,\n 3], \"b\": \"流水\"}\n", "[1, 2", "{\"a\":1}\n\n{\"b\":2}\nx\n", strings.Repeat("[1]\n", 40)} {
		decodertest.Invariants(t, []byte(in), "text", decodeAs("application/json"))
		decodertest.Invariants(t, []byte(in), "text", decodeAs("application/x-ndjson"))
	}
}
