package ring

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/binary"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// goGuest builds the sandbox's own test decoder, once for all tests: the request's name says what it does.
var goGuest = sync.OnceValues(func() (sandbox.Module, error) {
	dir, err := os.MkdirTemp("", "glovebox-guest-")
	if err != nil {
		return sandbox.Module{}, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "guest.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-buildmode=c-shared", "-o", out, "../sandbox/testdata/guest")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return sandbox.Module{}, err
	}
	original, err := os.ReadFile(out)
	if err != nil {
		return sandbox.Module{}, err
	}
	return rewritten("go-guest", original)
})

func rewritten(name string, original []byte) (sandbox.Module, error) {
	w, err := binary.Rewrite(original, nil)
	if err != nil {
		return sandbox.Module{}, err
	}
	sum := sha256.Sum256(w)
	return sandbox.Module{Name: name, Wasm: w, Digest: hex.EncodeToString(sum[:])}, nil
}

func guest(t testing.TB) sandbox.Module {
	t.Helper()
	m, err := goGuest()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// told is the request that makes the guest do what verb says.
func told(t testing.TB, verb string) []byte {
	t.Helper()
	b, err := json.Marshal(readapi.Request{Version: abi.Version, MediaType: "text/plain", Name: verb, Form: readapi.FormAuto})
	if err != nil {
		t.Fatal(err)
	}
	return b
}
