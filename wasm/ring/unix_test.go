//go:build unix

package ring

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/glovebox-wasm/glovebox/wasm/confine"
	"github.com/glovebox-wasm/glovebox/wasm/helper"
	"github.com/glovebox-wasm/glovebox/wasm/internal/wire"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// spying is a helper with a spy for an output, or, with a number of MiB, one that takes so much memory when its first frame leaves.
func spying() int {
	if len(os.Args) < 3 {
		return helper.Main(os.Stdin, &spy{})
	}
	mib, _ := strconv.Atoi(os.Args[2])
	return helper.Main(os.Stdin, &hog{mib: mib})
}

type hog struct {
	mib  int
	held [][]byte
}

func (h *hog) Write(b []byte) (int, error) {
	for ; len(b) > 0 && b[0] == byte(wire.Frame) && h.mib > 0; h.mib -= 16 {
		h.held = append(h.held, make([]byte, 16<<20)) // nothing is written to it: the limit counts what could be
	}
	return os.Stdout.Write(b)
}

// TestNothingLeaks: instances come and go, and leave no process, descriptor or folder.
func TestNothingLeaks(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		return // there is no way to count here
	}
	p, first := started(t, Options{})
	before := descriptors(t)
	for range 5 {
		i, err := p.Instance(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if a := record(t.Context(), i.Decode, sandbox.Call{Request: told(t, "lines"), Input: bytes.NewReader([]byte("x\n"))}, 0); a.Code != "" {
			t.Fatal(a)
		}
		pid := i.proc.cmd.Process.Pid
		if err := i.Close(); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d: %v", pid, err)
		}
	}
	if after := descriptors(t); after != before {
		t.Errorf("%d descriptors, then %d", before, after)
	}
	first.Close()
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// spy is the output of a helper that tries what a guest that broke out would, as soon as the helper says that it is ready.
type spy struct{ done bool }

func (s *spy) Write(b []byte) (int, error) {
	if len(b) > 0 && b[0] == byte(wire.Ready) && !s.done {
		s.done = true
		_, err := os.ReadFile("/etc/passwd")
		fmt.Fprintln(os.Stderr, "spy: read:", err)
		_, err = os.Create("/tmp/glovebox-ring-test")
		fmt.Fprintln(os.Stderr, "spy: write:", err)
		_, err = syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
		fmt.Fprintln(os.Stderr, "spy: socket:", err)
		fmt.Fprintln(os.Stderr, "spy: exec:", exec.Command("/bin/true").Run())
		fmt.Fprintln(os.Stderr, "spy: env:", len(os.Environ()))
	}
	return os.Stdout.Write(b)
}

// TestConfined: where the kernel has the measures, a helper that is ready can do nothing but speak.
func TestConfined(t *testing.T) {
	rec := &recorder{}
	_, i := started(t, Options{Helper: self(t, "spy"), Log: rec.log()})
	active := confine.Active(confine.Probe())
	if !strings.Contains(rec.text(), fmt.Sprintf("confined=%q", fmt.Sprint(active))) {
		t.Errorf("not all of %v is active: %s", active, rec.text())
	}
	i.Close()
	said := i.proc.said.text()
	for _, what := range []string{"read", "write", "socket", "exec"} {
		if !strings.Contains(said, "spy: "+what+": ") {
			t.Fatalf("%s was not tried: %q", what, said)
		}
		if slices.Contains(active, confine.Seccomp) && strings.Contains(said, "spy: "+what+": <nil>") {
			t.Errorf("%s works: %q", what, said)
		}
	}
	if !strings.Contains(said, "spy: env: 0\n") {
		t.Errorf("it has an environment: %q", said)
	}
}
