package glovebox_test

import (
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// What an embedder can get wrong has a code, and none of it is the file's fault.
func TestMisuse(t *testing.T) {
	r, err := glovebox.NewReader(&glovebox.Options{CacheDir: testCache(t)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadFile(t.Context(), strings.NewReader("a"), -1, "a.txt", nil); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
		t.Errorf("a negative size: %v, want invalid_request", err)
	}
	if _, err := r.ReadFile(t.Context(), nil, 1, "a.txt", nil); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
		t.Errorf("no reader: %v, want invalid_request", err)
	}
	for range 2 {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := r.ReadFile(t.Context(), strings.NewReader("a"), 1, "a.txt", nil); readapi.CodeOf(err) != readapi.CodeCanceled {
		t.Errorf("a closed reader: %v, want canceled", err)
	}
	if err := r.Warm(t.Context()); err != nil {
		t.Errorf("warming what is closed: %v", err)
	}
}
