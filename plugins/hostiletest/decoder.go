package hostiletest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Helper is the command line of the test's own program as a helper. Its TestMain must run helper.Main when the first argument is "helper".
func Helper(t testing.TB) []string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{exe, "helper"}
}

// Decoder makes a decoder of a module of this package, called name. It accepts types instead of its own, if there are any. It is foreign, as
// such decoders are: Helper compiles it into cache ("": each registry has it compiled again), and a registry of it needs that helper too.
func Decoder(t testing.TB, cache, name string, wasm []byte, types ...readapi.MediaType) plugins.Decoder {
	t.Helper()
	d, err := plugins.FromModule(t.Context(), wasm, &plugins.ModuleOptions{Name: name, Helper: Helper(t), CacheDir: cache})
	if err != nil {
		t.Fatal(err)
	}
	if len(types) > 0 {
		d.MediaTypes = types
	}
	return d
}

// Go builds the guest that is written in Go. It takes a second or two, and the go command, which must find this module from the current
// folder.
func Go(ctx context.Context) ([]byte, error) {
	dir, err := os.MkdirTemp("", "glovebox-hostile-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "guest.wasm")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-buildmode=c-shared", "-o", out,
		"github.com/glovebox-wasm/glovebox/plugins/hostiletest/guest")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("hostiletest: %w\n%s", err, text)
	}
	return os.ReadFile(out)
}
