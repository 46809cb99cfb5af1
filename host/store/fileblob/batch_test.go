//go:build unix

package fileblob

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func batchContents(n int) (contents [][]byte) {
	for i := range n {
		contents = append(contents, bytes.Repeat([]byte(fmt.Sprintln("a file of a message", i)), 50))
	}
	return contents
}

func putBatch(t *testing.T, b *store.Blobs, contents [][]byte) ([]store.Blob, error) {
	var readers []io.Reader
	for _, c := range contents {
		readers = append(readers, bytes.NewReader(c))
	}
	blobs, _, err := b.PutAll(t.Context(), readers, store.PutAllOptions{Max: 1 << 20})
	return blobs, err
}

// phases joins neighbouring steps of one kind, whose order among themselves is left to chance.
func phases(steps []string) (out []string) {
	for _, s := range steps {
		kind, of, _ := strings.Cut(s, " ")
		switch {
		case of == "all":
			kind = s
		case kind == "sync" && of != "":
			kind = "sync folder"
		case kind == "sync" || kind == "close":
			kind = "sync, close"
		}
		if len(out) == 0 || out[len(out)-1] != kind {
			out = append(out, kind)
		}
	}
	return out
}

// The order of a batch is that of one blob: all bytes are durable before the first name, all names before PutAll returns. Each folder is
// synced once, or the file system is, twice.
func TestBatchOrder(t *testing.T) {
	for _, c := range []struct {
		n    int
		no   bool
		want []string
	}{
		{manyBlobs - 1, false, []string{"sync, close", "mkdir", "sync folder", "rename", "sync folder"}},
		{manyBlobs, true, []string{"sync, close", "mkdir", "sync folder", "rename", "sync folder"}},
		{manyBlobs, false, []string{"sync all", "sync, close", "mkdir", "sync folder", "rename", "sync all"}},
	} {
		d, f := newFaulty(t, t.TempDir())
		f.noSyncAll = c.no
		blobs, err := putBatch(t, newBlobs(t, d), batchContents(c.n))
		if err != nil {
			t.Fatal(err)
		}
		first := slices.IndexFunc(f.steps, func(s string) bool { return strings.HasPrefix(s, "sync") })
		if diff := cmp.Diff(c.want, phases(f.steps[first:])); diff != "" && (runtime.GOOS == "linux" || c.want[0] != "sync all") {
			t.Errorf("%d, %v (-want +got):\n%s", c.n, c.no, diff)
		}
		count := map[string]int{}
		for _, s := range f.steps {
			count[s]++
		}
		if all := count["sync all"] == 2; !all && count["sync"] != c.n || count["sync ./"] != 1 || count["sync blobs/"] != 1 {
			t.Errorf("%d, %v: the syncs are %v", c.n, c.no, count)
		}
		for i, blob := range blobs {
			name := blobPath(blob.SHA256)
			if count["rename tmp/* "+name] != 1 || count["sync all"] == 0 && count["sync "+filepath.Dir(name)+"/"] != 1 {
				t.Errorf("blob %d: renamed %d times, its folder synced %d times", i, count["rename tmp/* "+name], count["sync "+filepath.Dir(name)+"/"])
			}
		}
	}
}

// Whichever step of a batch fails: the caller is told, what is there is whole, nothing is left in tmp, and the same call works afterwards.
func TestEveryStepOfABatchFails(t *testing.T) {
	everyStepOfABatchFails(t, batchContents(5), 1)
	everyStepOfABatchFails(t, batchContents(manyBlobs), 3)
}

func everyStepOfABatchFails(t *testing.T, contents [][]byte, stride int) {
	for k := 1; ; k += stride {
		dir := t.TempDir()
		d, f := newFaulty(t, dir)
		b := newBlobs(t, d)
		f.fail, f.err = k, syscall.ENOSPC
		_, err := putBatch(t, b, contents)
		if len(f.steps) < k {
			if k < 20 || err != nil {
				t.Errorf("the batch has only %d steps, or fails without a fault: %v", k, err)
			}
			return
		}
		if readapi.CodeOf(err) != readapi.CodeQuotaExceeded {
			t.Errorf("step %d: %v, want quota_exceeded", k, err)
		}
		if left, err := os.ReadDir(filepath.Join(dir, tmpDir)); err != nil || len(left) != 0 {
			t.Errorf("step %d: %v is left in tmp: %v", k, left, err)
		}
		f.fail = 0
		for info, err := range b.List(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if o, err := b.Open(t.Context(), info.Blob); err != nil {
				t.Errorf("step %d: what is there is not whole: %v", k, err)
			} else {
				_ = o.Close()
			}
		}
		if blobs, err := putBatch(t, b, contents); err != nil || len(blobs) != len(contents) {
			t.Errorf("step %d: the retry: %v", k, err)
		}
	}
}
