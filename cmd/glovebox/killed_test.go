package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// program runs the test binary as the program on a data directory.
func program(t *testing.T, data string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Args[0] = "glovebox"
	none := t.TempDir()
	cmd.Env = append(os.Environ(), "GLOVEBOX_CACHE="+testCache(t), "GLOVEBOX_DATA="+data, "GLOVEBOX_SESSION=s", "XDG_CONFIG_HOME="+none, "XDG_CONFIG_DIRS="+none)
	return cmd
}

// listed is what attachment list says.
func listed(t *testing.T, data string) []readapi.Attachment {
	t.Helper()
	out, err := program(t, data, "attachment", "list", "--json").Output()
	var doc attachmentsDocument
	if err == nil {
		err = json.Unmarshal(out, &doc)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return doc.Attachments
}

// TestAttachKilled: an attach that is ended in the middle leaves no row and no message; one that is interrupted leaves no bytes either, and
// the data directory goes on as if nothing had been.
func TestAttachKilled(t *testing.T) {
	for name, c := range map[string]struct {
		sig  syscall.Signal
		code int // -1: ended by the signal
		left int // files that may be left for the next one to sweep
	}{
		"interrupted": {syscall.SIGINT, exitInterrupted, 0}, "told to end": {syscall.SIGTERM, 128 + 15, 0}, "killed": {syscall.SIGKILL, -1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			before := program(t, data, "attach", "-")
			before.Stdin = strings.NewReader("before")
			if out, err := before.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			cmd := program(t, data, "attach", "--message", "half", "-")
			w, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// A pipe holds 64 KiB on Linux: when all of this is written, most of it has been read.
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(c.sig); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // the exit code is looked at
			if got := cmd.ProcessState.ExitCode(); got != c.code {
				t.Errorf("exit code %d, want %d", got, c.code)
			}
			_ = w.Close() // nobody reads any more
			if n := regularFiles(t, filepath.Join(data, "files", "tmp")); n > c.left {
				t.Errorf("%d half-written files are left", n)
			}
			if n := regularFiles(t, filepath.Join(data, "files", "blobs")); n != 1 {
				t.Errorf("%d stored files, want the one of before", n)
			}
			if got := listed(t, data); len(got) != 1 || got[0].Bytes != 6 {
				t.Errorf("%+v", got)
			}
			out, err := program(t, data, "session", "show", "s", "--json").Output()
			if err != nil || strings.Contains(string(out), "half") {
				t.Errorf("%v\n%s", err, out)
			}
			after := program(t, data, "attach", "-")
			after.Stdin = strings.NewReader("after")
			if out, err := after.CombinedOutput(); err != nil || len(listed(t, data)) != 2 {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestInterruptedWait: an attach and an append that wait for their input end at once, without having made a data directory that nobody asked
// for yet, or with an empty one.
func TestInterruptedWait(t *testing.T) {
	for _, args := range [][]string{{"attach", "-"}, {"session", "append", "s"}} {
		data := filepath.Join(t.TempDir(), "data")
		cmd := program(t, data, args...)
		w, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, `{"type":"user","text":"x"}`+"\n"+strings.Repeat(" ", 1<<20)); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // the exit code is looked at
		if got := cmd.ProcessState.ExitCode(); got != exitInterrupted {
			t.Errorf("%v: exit code %d", args, got)
		}
		_ = w.Close() // nobody reads any more
		out, err := program(t, data, "session", "list", "--json").Output()
		if err != nil || strings.TrimSpace(string(out)) != `{"sessions":[]}` {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}

func regularFiles(t *testing.T, dir string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
