//go:build !wasip1

package boxtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build builds the decoder as a module. It takes some seconds, and the go command, which must find this module from the current folder.
func Build(ctx context.Context) ([]byte, error) {
	dir, err := os.MkdirTemp("", "glovebox-box-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "guest.wasm")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-buildmode=c-shared", "-o", out,
		"github.com/glovebox-wasm/glovebox/plugins/boxtest/guest")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("boxtest: %w\n%s", err, text)
	}
	return os.ReadFile(out)
}
