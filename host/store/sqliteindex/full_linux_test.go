package sqliteindex_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	fullPath  = "GLOVEBOX_TEST_FULL" // tells a child which database to open where no file can grow beyond mostBytes
	mostBytes = 16 << 10             // less than shared memory needs
)

func TestFullChild(t *testing.T) {
	path := os.Getenv(fullPath)
	if path == "" {
		t.Skip("the child of TestOpenOnFullDisk")
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: mostBytes, Max: mostBytes}); err != nil {
		t.Fatal(err)
	}
	d, err := sqliteindex.Open(t.Context(), path, nil)
	if err == nil {
		err = d.Close()
	}
	fmt.Fprintln(os.Stderr, "code:", readapi.CodeOf(err)) // standard output may be a file, and may not grow
}

// A disk without room for the memory that processes share beside the log is a full disk too, not one that we may not use.
func TestOpenOnFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	d, err := sqliteindex.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullChild$")
	child.Env = append(os.Environ(), fullPath+"="+path)
	if out, err := child.CombinedOutput(); err != nil || !strings.Contains(string(out), "code: "+string(readapi.CodeQuotaExceeded)+"\n") {
		t.Errorf("%v, %s, want quota_exceeded", err, out)
	}
}
