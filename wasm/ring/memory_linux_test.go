package ring

import (
	"bytes"
	"errors"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// TestProcessMemory: a helper that takes more than it may, whatever it is in it that does, ends, and the read is limit_memory.
// Other systems do not count a process's memory, and Probe says so.
func TestProcessMemory(t *testing.T) {
	for mib, want := range map[string]readapi.Code{"64": "", "8192": readapi.CodeLimitMemory} {
		_, i := started(t, Options{Helper: self(t, "spy", mib)})
		_, err := i.Decode(t.Context(), &sandbox.Call{Request: told(t, "lines"), Input: bytes.NewReader([]byte("x\n"))})
		if readapi.CodeOf(err) != want || errors.Is(err, ErrDied) != (want != "") {
			t.Errorf("%s MiB: %v, want %q; it said %.500q", mib, err, want, i.proc.said.text())
		}
	}
}
