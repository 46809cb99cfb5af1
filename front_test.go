package glovebox_test

import (
	"io"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestNoFile: what is no file is the caller's slip, not a file that is too large or gone.
func TestNoFile(t *testing.T) {
	for what, c := range map[string]struct {
		in   io.ReaderAt
		size int64
	}{"a negative size": {strings.NewReader("text"), -1}, "no input": {nil, 4}} {
		if _, err := glovebox.ReadFile(t.Context(), c.in, c.size, "a.txt", nil); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
			t.Errorf("%s: %v, want invalid_request", what, err)
		}
	}
}
