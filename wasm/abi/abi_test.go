package abi_test

import (
	"encoding/json"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/google/go-cmp/cmp"
)

func frame(t testing.TB, header any, body string) []byte {
	t.Helper()
	b, err := abi.AppendFrame(nil, header, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var description = abi.Description{
	ABI: 1, Name: "x", Version: "1", MediaTypes: []readapi.MediaType{"text/plain"}, Unit: "line", Names: []readapi.MediaType{"image/heif", "image/jxl"},
	Samples: []abi.Sample{{MediaType: "text/plain", Bytes: 2}, {MediaType: "text/plain", Bytes: 1}},
}

func TestFrames(t *testing.T) {
	for _, c := range []struct {
		kind   abi.Kind
		header any
		body   string
	}{
		{abi.KindDescribe, &description, "abc"},
		{abi.KindMeta, map[string]any{"pages": 3.0}, ""},
		{abi.KindText, &abi.Part{At: 1, To: 4, Offset: 2, Truncated: true}, "héllo"},
		{abi.KindImage, &abi.Part{At: 1, MediaType: "image/png", Width: 1, Height: 1}, "x"},
		{abi.KindData, &abi.Part{At: 1}, `{"a":[1]}`},
		{abi.KindWarning, &readapi.Warning{Code: "partial", Detail: "d", At: 3}, ""},
		{abi.KindError, &abi.Failure{Code: readapi.CodeLimitPixels, Limit: &readapi.LimitHit{Name: "max_pixels", Value: 1, Actual: 2}}, ""},
		{abi.KindChild, &readapi.Child{N: 1, Name: "a.png", MediaType: "image/png", Bytes: 9}, ""},
		{abi.KindEnd, &abi.End{Total: 9, AtLeast: true, Next: &readapi.Position{At: 2, Offset: 7}}, ""},
	} {
		f, err := abi.ParseFrame(c.kind, frame(t, c.header, c.body))
		if err != nil {
			t.Errorf("kind %d: %v", c.kind, err)
			continue
		}
		if d := cmp.Diff(c.header, f.Value); d != "" || string(f.Body) != c.body {
			t.Errorf("kind %d: %s, body %q", c.kind, d, f.Body)
		}
	}
	if got := description.SplitSamples([]byte("abc")); string(got[0]) != "ab" || string(got[1]) != "c" {
		t.Errorf("samples %q", got)
	}
}

func TestBadFrames(t *testing.T) {
	for name, c := range map[string]struct {
		kind    abi.Kind
		payload []byte
	}{
		"empty":                  {abi.KindEnd, nil},
		"short length":           {abi.KindEnd, []byte{1, 0, 0}},
		"header beyond payload":  {abi.KindEnd, []byte{255, 255, 255, 255, '{', '}'}},
		"header is not JSON":     {abi.KindEnd, []byte{1, 0, 0, 0, '{'}},
		"unit 0":                 {abi.KindText, frame(t, abi.Part{At: 0}, "a")},
		"end before begin":       {abi.KindText, frame(t, abi.Part{At: 4, To: 2}, "a")},
		"negative offset":        {abi.KindText, frame(t, abi.Part{At: 4, Offset: -2}, "a")},
		"text is not UTF-8":      {abi.KindText, frame(t, abi.Part{At: 1}, "\xff")},
		"image of another type":  {abi.KindImage, frame(t, abi.Part{At: 1, MediaType: "image/svg+xml"}, "x")},
		"data is not JSON":       {abi.KindData, frame(t, abi.Part{At: 1}, "{")},
		"warning without a code": {abi.KindWarning, frame(t, readapi.Warning{}, "")},
		"a host's code":          {abi.KindError, frame(t, abi.Failure{Code: readapi.CodeNotFound}, "")},
		"an unknown code":        {abi.KindError, frame(t, abi.Failure{Code: "oops"}, "")},
		"child 0":                {abi.KindChild, frame(t, readapi.Child{}, "")},
		"next at 0":              {abi.KindEnd, frame(t, abi.End{Next: &readapi.Position{}}, "")},
		"negative total":         {abi.KindEnd, frame(t, abi.End{Total: -1}, "")},
		"wildcard type":          {abi.KindDescribe, frame(t, abi.Description{ABI: 1, Name: "x", Version: "1", MediaTypes: []readapi.MediaType{"*/*"}, Unit: "line"}, "")},
		"any image":              {abi.KindDescribe, frame(t, abi.Description{ABI: 1, Name: "x", Version: "1", MediaTypes: []readapi.MediaType{"image/*"}, Unit: "line"}, "")},
		"names any image":        {abi.KindDescribe, frame(t, abi.Description{ABI: 1, Name: "x", Version: "1", MediaTypes: []readapi.MediaType{"a/b"}, Names: []readapi.MediaType{"image/*"}, Unit: "line"}, "")},
		"names too many":         {abi.KindDescribe, frame(t, abi.Description{ABI: 1, Name: "x", Version: "1", MediaTypes: []readapi.MediaType{"a/b"}, Names: slices.Repeat([]readapi.MediaType{"a/b"}, 257), Unit: "line"}, "")},
		"other ABI":              {abi.KindDescribe, frame(t, abi.Description{ABI: 2, Name: "x", Version: "1", MediaTypes: []readapi.MediaType{"a/b"}, Unit: "line"}, "")},
		"a name of words":        {abi.KindDescribe, frame(t, abi.Description{ABI: 1, Name: "x is good", Version: "1", MediaTypes: []readapi.MediaType{"a/b"}, Unit: "line"}, "")},
		"a version of words":     {abi.KindDescribe, frame(t, abi.Description{ABI: 1, Name: "x", Version: "1\nhost: ok", MediaTypes: []readapi.MediaType{"a/b"}, Unit: "line"}, "")},
		"a unit of words":        {abi.KindDescribe, frame(t, abi.Description{ABI: 1, Name: "x", Version: "1", MediaTypes: []readapi.MediaType{"a/b"}, Unit: "line. Now"}, "")},
		"a unit that is a mark":  {abi.KindDescribe, frame(t, abi.Description{ABI: 1, Name: "x", Version: "1", MediaTypes: []readapi.MediaType{"a/b"}, Unit: "---"}, "")},
		"a limit of words":       {abi.KindError, frame(t, abi.Failure{Code: readapi.CodeLimitPixels, Limit: &readapi.LimitHit{Name: "x. Now"}}, "")},
		"samples beyond body":    {abi.KindDescribe, frame(t, description, "a")},
	} {
		if f, err := abi.ParseFrame(c.kind, c.payload); err == nil {
			t.Errorf("%s: accepted as %+v", name, f)
		}
	}
	if f, err := abi.ParseFrame(99, []byte{1}); err != nil || f.Value != nil {
		t.Errorf("a kind of a later version: %+v, %v, want it skipped", f, err)
	}
}

// one runs frames through a Collector.
func one(frames ...func(c *abi.Collector) bool) (readapi.Result, error) {
	var c abi.Collector
	for _, f := range frames {
		f(&c)
	}
	return c.Result()
}

func TestCollector(t *testing.T) {
	add := func(kind abi.Kind, header any, body string) func(*abi.Collector) bool {
		return func(c *abi.Collector) bool { return c.Add(kind, frame(t, header, body)) }
	}
	end := add(abi.KindEnd, abi.End{Total: 5}, "")
	res, err := one(add(abi.KindMeta, map[string]any{"a": 1}, ""), add(abi.KindText, abi.Part{At: 2, To: 4}, "x"), add(abi.KindText, abi.Part{At: 5}, "y"), end)
	if err != nil || res.Covers != (readapi.Range{From: 2, To: 5}) || len(res.Parts) != 2 || res.Total != 5 {
		t.Errorf("got %+v, %v", res, err)
	}
	for name, c := range map[string]struct {
		frames []func(*abi.Collector) bool
		want   readapi.Code
	}{
		"silence":            {nil, readapi.CodeBadOutput},
		"no end":             {[]func(*abi.Collector) bool{add(abi.KindText, abi.Part{At: 1}, "x")}, readapi.CodeBadOutput},
		"frame after end":    {[]func(*abi.Collector) bool{end, end}, readapi.CodeBadOutput},
		"parts out of order": {[]func(*abi.Collector) bool{add(abi.KindText, abi.Part{At: 2}, "x"), add(abi.KindText, abi.Part{At: 1}, "x"), end}, readapi.CodeBadOutput},
		"describe in decode": {[]func(*abi.Collector) bool{add(abi.KindDescribe, description, "abc"), end}, readapi.CodeBadOutput},
		"failure":            {[]func(*abi.Collector) bool{add(abi.KindError, abi.Failure{Code: readapi.CodeEncrypted}, "")}, readapi.CodeEncrypted},
	} {
		if _, err := one(c.frames...); readapi.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	c := abi.Collector{MaxBytes: 40}
	for range 3 {
		c.Add(abi.KindText, frame(t, abi.Part{At: 1}, "0123456789"))
	}
	if _, err := c.Result(); readapi.CodeOf(err) != readapi.CodeLimitOutput {
		t.Errorf("over the cap: %v", err)
	}
}

// The payload is guest memory: what is collected must not change with it.
func TestCollectorCopies(t *testing.T) {
	var c abi.Collector
	for _, f := range []struct {
		kind abi.Kind
		p    []byte
	}{
		{abi.KindText, frame(t, abi.Part{At: 1}, "text")}, {abi.KindImage, frame(t, abi.Part{At: 1, MediaType: "image/png"}, "png")},
		{abi.KindData, frame(t, abi.Part{At: 1}, `"data"`)}, {abi.KindMeta, frame(t, map[string]any{"k": "meta"}, "")}, {abi.KindEnd, frame(t, abi.End{}, "")},
	} {
		c.Add(f.kind, f.p)
		clear(f.p)
	}
	res, err := c.Result()
	if err != nil || res.Parts[0].Text != "text" || string(res.Parts[1].Image.Bytes) != "png" || string(res.Parts[2].Data) != `"data"` || res.Meta["k"] != "meta" {
		t.Errorf("got %+v, %v", res, err)
	}
}

func FuzzFrame(f *testing.F) {
	f.Add(uint32(abi.KindDescribe), frame(f, description, "abc"))
	f.Add(uint32(abi.KindText), frame(f, abi.Part{At: 1}, "text"))
	f.Add(uint32(abi.KindEnd), frame(f, abi.End{Total: 1, Next: &readapi.Position{At: 1}}, ""))
	f.Add(uint32(abi.KindError), frame(f, abi.Failure{Code: readapi.CodeMalformed}, ""))
	f.Add(uint32(abi.KindMeta), frame(f, map[string]any{"a": []any{1, "x"}}, ""))
	f.Add(uint32(abi.KindEnd), []byte{255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, kind uint32, payload []byte) {
		fr, err := abi.ParseFrame(abi.Kind(kind), payload)
		var c abi.Collector
		stop := c.Add(abi.Kind(kind), payload)
		if err != nil {
			if _, rerr := c.Result(); !stop || readapi.CodeOf(rerr) != readapi.CodeBadOutput {
				t.Fatalf("a frame that does not parse was collected: %v", rerr)
			}
			return
		}
		if fr.Kind == abi.KindText && !utf8.Valid(fr.Body) {
			t.Fatal("text that is not UTF-8 was let out")
		}
		if fr.Value == nil {
			return
		}
		// What parses prints as something that parses to the same.
		again := frame(t, fr.Value, string(fr.Body))
		fr2, err := abi.ParseFrame(abi.Kind(kind), again)
		a, _ := json.Marshal(fr.Value)
		b, _ := json.Marshal(fr2.Value)
		if err != nil || string(a) != string(b) {
			t.Fatalf("%s became %s, %v", a, b, err)
		}
	})
}
