package host_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	fullVar  = "GLOVEBOX_HOST_FULL" // in the child: the folder that the small disk goes to
	diskSize = 16 << 20             // the log of the index may grow to 4 MiB before it is written back
)

// TestFullDisk runs a child that has a small disk for itself.
func TestFullDisk(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run=^TestFullDiskChild$")
	cmd.Env = append(os.Environ(), fullVar+"="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS} // what it mounts goes with it
	if uid := os.Getuid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, fs.ErrPermission) || err == nil && strings.Contains(string(out), "no disk of its own") {
		t.Log("the system gives no disk of its own; host/store/sqliteindex limits the size of files instead, and TestFaults says ENOSPC")
		return
	}
	if err != nil || !strings.Contains(string(out), "bars:") {
		t.Errorf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if _, figures, ok := strings.Cut(line, "bars:"); ok {
			t.Log("bars:" + strings.TrimRight(figures, "\n"))
		}
	}
}

// TestFullDiskChild attaches files while a disk has room for one page, two, three, and so on: the disk is full at every step of it once. Who
// is told quota_exceeded has lost nothing, and tries again with success once there is room.
func TestFullDiskChild(t *testing.T) {
	dir := os.Getenv(fullVar)
	if dir == "" {
		return
	}
	err := errors.Join(syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""),
		syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", diskSize)))
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		t.Log("no disk of its own")
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	p := filesIn(t, dir)
	defer p.close(t)
	h := p.open(t, newQuick(), &host.Options{Alone: true, CacheBytes: -1})
	s := h.Session(scope("s"))
	promised := map[readapi.ArtifactID]string{}
	told, rooms := 0, 120
	for room := range rooms {
		content := fmt.Sprintf("%d %s", room, strings.Repeat("x", room%7*1000))
		filler := fillDisk(t, dir, room)
		told += attachFull(t, s, room, content, filler, promised)
		for id, want := range promised {
			if got, err := bytesOf(t.Context(), s, id); err != nil || got != want {
				t.Fatalf("room for %d pages: %q, %v", room, got, err)
			}
		}
		for id := range promised { // so that there is room for the next
			if err := s.Purge(t.Context(), uri(id)); err != nil {
				t.Fatal(err)
			}
			delete(promised, id)
		}
		if wholeStore(t, p, fmt.Sprintf("room for %d pages", room), true); t.Failed() {
			t.FailNow()
		}
	}
	if told < 5 || told == rooms {
		t.Errorf("%d of %d were told that the disk is full: this proves little", told, rooms)
	}
	t.Logf("bars: %d rooms on a full disk, %d callers were told, 0 lost", rooms, told)
}

// attachFull attaches two files to a full disk; when that is refused, it makes room and attaches them again.
func attachFull(t *testing.T, s *host.Session, room int, content, filler string, promised map[readapi.ArtifactID]string) (told int) {
	t.Helper()
	message := func() host.Message {
		return host.Message{ID: fmt.Sprint("m", room), Turn: "t", Time: aTime, Text: "see", Files: []host.NewFile{newFile("a.txt", content), newFile("b.txt", content+"b")}}
	}
	before := fileCount(t, s)
	got, err := s.Attach(t.Context(), message())
	if err != nil {
		told++
		wantCode(t, fmt.Sprintf("room for %d pages", room), err, readapi.CodeQuotaExceeded)
		if n := fileCount(t, s); n != before {
			t.Errorf("room for %d pages: the message was refused, and %d files are there of it", room, n-before)
		}
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		if got, err = s.Attach(t.Context(), message()); err != nil {
			t.Fatalf("again with room, after %d pages: %v", room, err)
		}
	}
	promised[got.Attachments[0].ID], promised[got.Attachments[1].ID] = content, content+"b"
	return told
}

func fileCount(t *testing.T, s *host.Session) int64 {
	t.Helper()
	row, _, err := host.IndexOf(host.HostOf(s)).Session(t.Context(), s.Scope())
	if err != nil {
		t.Fatal(err)
	}
	return row.Files
}

// fillDisk leaves room for some pages, and returns what it has filled it with.
func fillDisk(t *testing.T, dir string, room int) string {
	t.Helper()
	name := filepath.Join(dir, "filler")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		t.Fatal(err)
	}
	if n := int64(disk.Bavail) - int64(room); n > 0 {
		if err := syscall.Fallocate(int(f.Fd()), 0, 0, n*disk.Bsize); err != nil {
			t.Fatal(err)
		}
	}
	return name
}
