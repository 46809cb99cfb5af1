package abi_test

import (
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
)

// TestCollectorFiles holds what file frames may be: asked for, in order, whole, and within a cap of their own.
func TestCollectorFiles(t *testing.T) {
	type frames = []func(*abi.Collector) bool
	add := func(kind abi.Kind, header any, body string) func(*abi.Collector) bool {
		return func(c *abi.Collector) bool { return c.Add(kind, frame(t, header, body)) }
	}
	file := func(at int64, n int, more bool, body string) func(*abi.Collector) bool {
		return add(abi.KindFile, abi.File{At: at, Child: readapi.Child{N: n}, More: more}, body)
	}
	text := func(at int64) func(*abi.Collector) bool { return add(abi.KindText, abi.Part{At: at}, "x") }
	end := add(abi.KindEnd, abi.End{Total: 3}, "")
	child, pictures, none := abi.Collector{MaxFileBytes: 10, Child: true}, abi.Collector{MaxFileBytes: 10}, abi.Collector{}
	for name, c := range map[string]struct {
		in     abi.Collector
		frames frames
		want   readapi.Code
	}{
		"a child":                    {child, frames{file(0, 1, false, "0123456789"), end}, ""},
		"a child in pieces":          {child, frames{file(0, 1, true, "01234"), file(0, 1, true, ""), file(0, 1, false, "56789"), end}, ""},
		"one byte too many":          {child, frames{file(0, 1, false, "0123456789x"), end}, readapi.CodeLimitOutput},
		"in pieces, too":             {child, frames{file(0, 1, true, "01234"), file(0, 1, false, "56789x"), end}, readapi.CodeLimitOutput},
		"no file":                    {child, frames{end}, readapi.CodeBadOutput},
		"two files":                  {child, frames{file(0, 1, false, "a"), file(0, 1, false, "b"), end}, readapi.CodeBadOutput},
		"a picture for a child":      {child, frames{file(1, 1, false, "a"), end}, readapi.CodeBadOutput},
		"a part for a child":         {child, frames{text(1), file(0, 1, false, "a"), end}, readapi.CodeBadOutput},
		"without its end":            {child, frames{file(0, 1, true, "a"), end}, readapi.CodeBadOutput},
		"an end between":             {child, frames{file(0, 1, true, "a"), end, file(0, 1, false, "a")}, readapi.CodeBadOutput},
		"another child's piece":      {child, frames{file(0, 1, true, "a"), file(0, 2, false, "b"), end}, readapi.CodeBadOutput},
		"a failure between":          {child, frames{file(0, 1, true, "a"), add(abi.KindError, abi.Failure{Code: readapi.CodeMalformed}, "")}, readapi.CodeMalformed},
		"meta between":               {child, frames{file(0, 1, true, "a"), add(abi.KindMeta, map[string]any{}, ""), file(0, 1, false, "a"), end}, readapi.CodeBadOutput},
		"pictures among parts":       {pictures, frames{text(1), file(1, 1, false, "a"), file(1, 2, false, "b"), text(2), file(3, 1, false, "c"), end}, ""},
		"more than one answer may":   {pictures, frames{file(1, 1, false, "012345"), file(2, 1, false, "012345"), end}, readapi.CodeLimitOutput},
		"a child for a picture":      {pictures, frames{file(0, 1, false, "a"), end}, readapi.CodeBadOutput},
		"pictures out of order":      {pictures, frames{file(2, 1, false, "a"), file(1, 1, false, "a"), end}, readapi.CodeBadOutput},
		"a picture behind its unit":  {pictures, frames{text(2), file(1, 1, false, "a"), end}, readapi.CodeBadOutput},
		"a part behind its unit":     {pictures, frames{file(2, 1, false, "a"), text(1), end}, readapi.CodeBadOutput},
		"a picture of no unit":       {pictures, frames{file(4, 1, false, "a"), end}, readapi.CodeBadOutput},
		"a picture in another":       {pictures, frames{file(1, 1, true, "a"), file(2, 1, false, "b"), end}, readapi.CodeBadOutput},
		"nobody asked":               {none, frames{file(0, 1, false, "a"), end}, readapi.CodeBadOutput},
		"nobody asked for a picture": {none, frames{file(1, 1, false, ""), end}, readapi.CodeBadOutput},
		"a unit below 0":             {pictures, frames{file(-1, 1, false, "a"), end}, readapi.CodeBadOutput},
		"child 0":                    {child, frames{file(0, 0, false, "a"), end}, readapi.CodeBadOutput},
	} {
		collect := c.in
		stopped := false
		for _, f := range c.frames {
			stopped = f(&collect) || stopped
		}
		res, err := collect.Result()
		if readapi.CodeOf(err) != c.want || c.want == readapi.CodeLimitOutput && !stopped {
			t.Errorf("%s: %v, stopped %v, want %q", name, err, stopped, c.want)
		}
		if name == "a child in pieces" && string(res.Files[0].Bytes) != "0123456789" {
			t.Errorf("%s: %q", name, res.Files[0].Bytes)
		}
		if name == "pictures among parts" && (len(res.Files) != 3 || res.Files[0].Before != 1 || res.Files[1].Before != 1 || res.Files[2].Before != 2) {
			t.Errorf("%s: %+v", name, res.Files)
		}
	}
	// Files have a cap of their own: what else there is does not count to it, nor they to the others'.
	capped := abi.Collector{MaxBytes: 400, MaxFileBytes: 1000}
	for _, f := range (frames{text(1), file(1, 1, false, strings.Repeat("x", 1000)), end}) {
		f(&capped)
	}
	if res, err := capped.Result(); err != nil || len(res.Files) != 1 {
		t.Errorf("a file as large as it may be: %v", err)
	}
	most := abi.Collector{MaxFileBytes: 1}
	for i := 0; i < 1<<12 && !file(1, 1, false, "")(&most); i++ {
	}
	if _, err := most.Result(); readapi.CodeOf(err) != readapi.CodeBadOutput {
		t.Errorf("any number of empty files: %v", err)
	}
}
