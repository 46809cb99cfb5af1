package sandbox

import (
	"bytes"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestHelperHasLittle looks at what a helper gets: no environment, and no file that is open here.
func TestHelperHasLittle(t *testing.T) {
	t.Setenv("GLOVEBOX_SECRET", "canary")
	secret := filepath.Join(t.TempDir(), "canary")
	f, err := os.Create(secret)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var log bytes.Buffer
	rt := newRuntime(t, Options{Helper: self(t, "bad", "tells"), Log: slog.New(slog.NewTextHandler(&log, nil))})
	_, err = rt.Compile(t.Context(), ticket(t, 7))
	refusedWith(t, err, "")
	if !strings.Contains(log.String(), "told:") {
		t.Fatalf("it told nothing: %s", log.String())
	}
	if strings.Contains(log.String(), "canary") {
		t.Errorf("it has %s", log.String())
	}
	cmd := exec.CommandContext(t.Context(), self(t)[0], "bad", "tells") // the ablation
	var told bytes.Buffer
	cmd.Stderr, cmd.ExtraFiles = &told, []*os.File{f}
	_ = cmd.Run()
	if strings.Count(told.String(), "canary") < 2 {
		t.Errorf("it would not tell: %s", told.String())
	}
}
