//go:build unix

package fileblob

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/storefault"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// faulty is a disk that records what is done, and fails the step number fail (from 1) with err; 0: none.
type faulty struct {
	disk
	mu        sync.Mutex
	steps     []string
	fail      int
	err       error
	noSyncAll bool // the system cannot
	short     bool // the failing write takes half of the bytes and says so without an error
	kill      bool // the process ends at the step, instead of an error
}

// step records one and returns the error of the step that fails.
func (f *faulty) step(format string, args ...any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.steps = append(f.steps, fmt.Sprintf(format, args...))
	if len(f.steps) == f.fail {
		if f.kill {
			storefault.Kill()
		}
		return f.err
	}
	return nil
}

func (f *faulty) mkdir(name string) error {
	if err := f.step("mkdir %s", name); err != nil {
		return err
	}
	return f.disk.mkdir(name)
}

func (f *faulty) create(name string) (file, error) {
	if err := f.step("create %s", tmpName(name)); err != nil {
		return nil, err
	}
	inner, err := f.disk.create(name)
	return &faultyFile{inner, f}, err
}

func (f *faulty) rename(from, to string) error {
	if err := f.step("rename %s %s", tmpName(from), to); err != nil {
		return err
	}
	return f.disk.rename(from, to)
}

func (f *faulty) remove(name string) error {
	f.mu.Lock()
	f.steps = append(f.steps, "remove "+tmpName(name)) // it tidies up behind another failure
	f.mu.Unlock()
	return f.disk.remove(name)
}

func (f *faulty) syncDir(name string) error {
	if err := f.step("sync %s/", name); err != nil {
		return err
	}
	return f.disk.syncDir(name)
}

func (f *faulty) syncAll() (bool, error) {
	if f.noSyncAll {
		return false, nil
	}
	if err := f.step("sync all"); err != nil {
		return true, err
	}
	return f.disk.syncAll()
}

func tmpName(name string) string {
	if strings.HasPrefix(name, tmpDir+"/") {
		return "tmp/*"
	}
	return name
}

type faultyFile struct {
	file
	disk *faulty
}

func (f *faultyFile) Write(p []byte) (int, error) {
	if err := f.disk.step("write %d", len(p)); err != nil {
		n, _ := f.file.Write(p[:len(p)/2])
		if f.disk.short {
			err = nil
		}
		return n, err
	}
	return f.file.Write(p)
}

func (f *faultyFile) Sync() error {
	if err := f.disk.step("sync"); err != nil {
		return err
	}
	return f.file.Sync()
}

func (f *faultyFile) Close() error {
	if err := f.disk.step("close"); err != nil {
		_ = f.file.Close()
		return err
	}
	return f.file.Close()
}

func newFaulty(t *testing.T, dir string) (*Driver, *faulty) {
	t.Helper()
	root, err := openRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	f := &faulty{disk: root}
	d, err := open(f, Options{StaleAfter: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	f.steps = nil
	return d, f
}

var payload = bytes.Repeat([]byte("a payload "), 5000)

func newBlobs(t *testing.T, d *Driver) *store.Blobs {
	t.Helper()
	b, err := store.NewBlobs(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func putPayload(t *testing.T, b *store.Blobs) (store.Blob, error) {
	blob, _, err := b.Put(t.Context(), bytes.NewReader(payload), store.PutOptions{Max: 1 << 20, Prefix: 0})
	return blob, err
}

// The order that loses nothing when power fails: the bytes are durable before they have their name, and every folder that leads to the
// name is durable before Put returns.
func TestWriteOrder(t *testing.T) {
	d, f := newFaulty(t, t.TempDir())
	b := newBlobs(t, d)
	blob, err := putPayload(t, b)
	if err != nil {
		t.Fatal(err)
	}
	folder := "blobs/" + blob.SHA256[:2]
	want := []string{
		"create tmp/*", "write 32768", "write 17232", "sync", "close",
		"mkdir " + folder, "sync ./", "sync blobs/",
		"rename tmp/* " + folder + "/" + blob.SHA256, "sync " + folder + "/",
	}
	if diff := cmp.Diff(want, f.steps); diff != "" {
		t.Errorf("the first blob (-want +got):\n%s", diff)
	}
	f.steps = nil
	if _, err := putPayload(t, b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(slices.Concat(want[:5], want[8:]), f.steps); diff != "" {
		t.Errorf("a later blob of the folder (-want +got):\n%s", diff)
	}
}

// Whichever step fails, and however: the caller is told, nothing is under the name or left in tmp, what was there before stays, and the
// same call works as soon as the disk does. Only where the very last sync fails may the whole bytes be under the name.
func TestEveryStepFails(t *testing.T) {
	const steps = 10 // as TestWriteOrder counts them
	for _, c := range []struct {
		err   error
		short bool
		want  readapi.Code
	}{
		{syscall.ENOSPC, false, readapi.CodeQuotaExceeded}, {syscall.EDQUOT, false, readapi.CodeQuotaExceeded}, {syscall.EFBIG, false, readapi.CodeQuotaExceeded},
		{syscall.ENOSPC, true, readapi.CodeQuotaExceeded},
		{syscall.EIO, false, readapi.CodeCapabilityUnavailable}, {syscall.EROFS, false, readapi.CodeCapabilityUnavailable},
		{syscall.EACCES, false, readapi.CodeCapabilityUnavailable}, {syscall.EMFILE, false, readapi.CodeBusy}, {syscall.ENFILE, false, readapi.CodeBusy},
	} {
		for k := 1; k <= steps; k++ {
			name := fmt.Sprintf("%v at step %d, short %v", c.err, k, c.short)
			dir := t.TempDir()
			d, f := newFaulty(t, dir)
			b := newBlobs(t, d)
			kept, _, err := b.Put(t.Context(), strings.NewReader("kept"), store.PutOptions{Max: 10, Prefix: 0})
			if err != nil {
				t.Fatal(err)
			}
			d.forget()
			f.steps, f.fail, f.err, f.short = nil, k, &fs.PathError{Op: "test", Path: "/a/path", Err: c.err}, c.short
			want := c.want
			if c.short && (k == 2 || k == 3) {
				want = readapi.CodeCapabilityUnavailable
			}
			_, err = putPayload(t, b)
			if got := readapi.CodeOf(err); got != want {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
			if e, ok := errors.AsType[*readapi.Error](err); ok && (strings.Contains(e.Message(), "path") || e.Op == "" || e.Detail == "") {
				t.Errorf("%s: %+v", name, e)
			}
			n := 0
			for info, err := range d.List(t.Context()) {
				if err != nil || info.SHA256 != kept.SHA256 && (k != steps || info.Size != int64(len(payload))) {
					t.Errorf("%s: %+v is there: %v", name, info, err)
				}
				n++
			}
			if left, err := os.ReadDir(filepath.Join(dir, tmpDir)); err != nil || len(left) != 0 {
				t.Errorf("%s: %v is left in tmp: %v", name, left, err)
			}
			f.fail = 0
			blob, err := putPayload(t, b)
			if err != nil {
				t.Errorf("%s: the retry: %v", name, err)
				continue
			}
			for _, blob := range []store.Blob{blob, kept} {
				if o, err := b.Open(t.Context(), blob); err != nil {
					t.Errorf("%s: %v", name, err)
				} else {
					_ = o.Close()
				}
			}
		}
	}
}
