//go:build !windows

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestDemo runs what make demo does, which ends with an error where a step does not do what it says.
func TestDemo(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	bin := filepath.Join(dir, "glovebox") // as which the test binary is the program
	if err := os.Symlink(self, bin); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(sh, "cmd/internal/samples/demo.sh")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "BIN="+bin, "GO=go", "DEMO="+dir, "GLOVEBOX_TEST_CACHE="+testCache(t), "XDG_CONFIG_HOME="+dir, "XDG_CONFIG_DIRS="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"page 1 of 3", "no address: it is not of this session", "There is no such attachment (not_found)", "no decoder reads its kind",
		"(unsupported_kind)", "pdf is enabled", "sandbox without files",
	} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("the demo does not show %q\n%s", want, out)
		}
	}
}
