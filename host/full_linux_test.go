package host_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	fullVar  = "GLOVEBOX_HOST_FULL"       // in the child: the folder of the store
	fullDisk = "GLOVEBOX_HOST_FULL_MOUNT" // in the child: it mounts a small disk there; else it limits how large a file may be
	diskSize = 16 << 20
)

// TestFullDisk runs a child whose files cannot grow, and one that has a small disk for itself. The first needs nothing of the system; where
// it does not let us mount, as in most containers, that one is all.
func TestFullDisk(t *testing.T) {
	t.Run("files", func(t *testing.T) { fullChild(t, exec.CommandContext(t.Context(), os.Args[0])) })
	t.Run("disk", func(t *testing.T) {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = []string{fullDisk + "=1"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS} // what it mounts goes with it
		if uid := os.Getuid(); uid != 0 {
			cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: uid, Size: 1}}
			cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
		}
		fullChild(t, cmd)
	})
}

func fullChild(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var out bytes.Buffer
	cmd.Args = append(cmd.Args, "-test.v", "-test.run=^TestFullDiskChild$")
	cmd.Env = append(append(os.Environ(), fullVar+"="+t.TempDir()), cmd.Env...)
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Start()
	if err != nil && cmd.SysProcAttr != nil {
		t.Logf("the system gives no disk of its own: %v", err)
		return
	}
	if err == nil {
		err = cmd.Wait()
	}
	if err == nil && cmd.SysProcAttr != nil && strings.Contains(out.String(), noDisk) {
		t.Log(noDisk)
		return
	}
	if err != nil || !strings.Contains(out.String(), "bars:") {
		t.Errorf("%v\n%s", err, out.String())
	}
	for line := range strings.Lines(out.String()) {
		if _, figures, ok := strings.Cut(line, "bars:"); ok {
			t.Log("bars:" + strings.TrimRight(figures, "\n"))
		}
	}
}

const noDisk = "the system gives no disk of its own"

// TestFullDiskChild attaches files while there is room for one page, two, three, and so on: it is full at every step of it once. Who is told
// has lost nothing, and tries again with success once there is room.
func TestFullDiskChild(t *testing.T) {
	dir := os.Getenv(fullVar)
	if dir == "" {
		return
	}
	fill, codes := limitFiles, []readapi.Code{readapi.CodeQuotaExceeded, readapi.CodeCapabilityUnavailable} // the second from SQLite, which knows no limit
	if os.Getenv(fullDisk) != "" {
		fill, codes = fillDisk, codes[:1]
		err := errors.Join(syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""),
			syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", diskSize)))
		if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
			t.Log(noDisk)
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	told, rooms := 0, 60
	byCode := map[readapi.Code]int{}
	for room := range rooms {
		if err := attachFull(t, dir, room, fill); err != nil {
			told++
			byCode[readapi.CodeOf(err)]++
			if !slices.Contains(codes, readapi.CodeOf(err)) {
				t.Errorf("room for %d pages: %v, want one of %v", room, err, codes)
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	if told < 5 || told == rooms || byCode[readapi.CodeQuotaExceeded] == 0 {
		t.Errorf("%d of %d were told that it is full: this proves little", told, rooms)
	}
	t.Logf("bars: %d rooms where it is full, %d callers were told %v, 0 lost", rooms, told, byCode)
}

// attachFull attaches two files where it is full, and returns how that ended; when they are refused, it makes room and attaches them again. The
// store is opened anew each time, so that the log of its index begins anew and needs room too.
func attachFull(t *testing.T, dir string, room int, fill func(t *testing.T, dir string, room int) (empty func())) error {
	t.Helper()
	p := filesIn(t, dir)
	defer p.close(t)
	h := p.open(t, newQuick(), &host.Options{Alone: true, CacheBytes: -1})
	defer h.Close()
	s := h.Session(scope("s"))
	contents := []string{fmt.Sprintf("%d %s", room, strings.Repeat("x", room%7*1000))}
	contents = append(contents, contents[0]+"b")
	message := func() host.Message {
		return host.Message{ID: fmt.Sprint("m", room), Turn: "t", Time: aTime, Text: "see", Files: []host.NewFile{newFile("a.txt", contents[0]), newFile("b.txt", contents[1])}}
	}
	before := fileCount(t, s)
	empty := fill(t, dir, room)
	got, told := s.Attach(t.Context(), message())
	after := fileCount(t, s)
	empty()
	if told != nil {
		if after != before {
			t.Errorf("room for %d pages: the message was refused, and %d files are there of it", room, after-before)
		}
		var err error
		if got, err = s.Attach(t.Context(), message()); err != nil {
			t.Fatalf("again with room, after %d pages: %v", room, err)
		}
	}
	for i, a := range got.Attachments {
		if have, err := bytesOf(t.Context(), s, a.ID); err != nil || have != contents[i] {
			t.Fatalf("room for %d pages: %q, %v", room, have, err)
		}
		if err := s.Purge(t.Context(), uri(a.ID)); err != nil { // so that there is room for the next
			t.Fatal(err)
		}
	}
	wholeStore(t, p, fmt.Sprintf("room for %d pages", room), true)
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

// limitFiles lets files be as large as some pages, until empty is called.
func limitFiles(t *testing.T, _ string, room int) (empty func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	set := func(limit syscall.Rlimit) {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
	}
	set(syscall.Rlimit{Cur: uint64(room) << 12, Max: was.Max})
	return func() { set(was) }
}

// fillDisk leaves room for some pages, until empty is called.
func fillDisk(t *testing.T, dir string, room int) (empty func()) {
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
	return func() {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}
