package pdf

import (
	"encoding/json"
	"testing"
)

func TestValueSize(t *testing.T) {
	for _, v := range []any{
		"", "text", 0, -12, 345, true, false, []any{}, []any{1}, []any{1, "b", false}, map[string]any{}, map[string]any{"a": 1},
		map[string]any{"links": []any{map[string]any{"page": 2, "text": "1 Foo"}, map[string]any{"uri": "https://example.org/"}}},
	} {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if got := valueSize(v); got != len(b) {
			t.Errorf("valueSize(%s) = %d, want %d", b, got, len(b))
		}
	}
}

func TestPieces(t *testing.T) {
	var list []any
	for i := range 1000 {
		list = append(list, map[string]any{"n": i, "text": "some words"})
	}
	n := 0
	parts := pieces("list", list)
	for _, p := range parts {
		if size := valueSize(p); size > pieceBytes+100 {
			t.Errorf("a piece of %d bytes", size)
		}
		for _, e := range p.(map[string]any)["list"].([]any) {
			if e.(map[string]any)["n"] != n {
				t.Fatalf("element %d is %v", n, e)
			}
			n++
		}
	}
	if n != len(list) || len(parts) < 5 || pieces("none", nil) != nil {
		t.Errorf("%d elements in %d pieces", n, len(parts))
	}
}
