//go:build unix

package fileblob

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/storefault"
)

const killVar = "GLOVEBOX_FILEBLOB_KILL" // in the child: folder, step

// TestKillsChild is the child of TestKills: it stores a blob, and is killed before a step of that.
func TestKillsChild(t *testing.T) {
	dir, step, ok := strings.Cut(os.Getenv(killVar), "|")
	if !ok {
		return
	}
	d, f := newFaulty(t, dir)
	f.kill = true
	if _, err := fmt.Sscan(step, &f.fail); err != nil {
		t.Fatal(err)
	}
	d.forget()
	blob, err := putPayload(t, newBlobs(t, d))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("stored", blob.SHA256)
}

// A process that is killed before any step of the file system leaves what was there, the whole blob or none of it, and in tmp what the next
// one sweeps; the next one stores the same. Ten kills at each with GLOVEBOX_BARS=1, else one.
func TestKills(t *testing.T) {
	const steps = 10 // as TestWriteOrder counts them
	kills := 1
	if os.Getenv("GLOVEBOX_BARS") != "" {
		kills = 10
	}
	total, whole := 0, 0
	for k := 1; k <= steps+1; k++ {
		for range kills {
			there, killed := killedBefore(t, k)
			if killed != (k <= steps) || !killed && !there {
				t.Fatalf("step %d: killed %v, there %v", k, killed, there)
			}
			if killed {
				total++
			}
			if there && killed {
				whole++
			}
		}
	}
	if whole == 0 || whole == total {
		t.Errorf("of %d kills %d left the blob: this proves little", total, whole)
	}
	t.Logf("bars: %d failpoints of the file system, %d kills, 0 lost, 0 torn", steps, total)
}

// killedBefore runs a child that is to be killed before a step, and reports whether its blob is there.
func killedBefore(t *testing.T, step int) (there, killed bool) {
	t.Helper()
	dir := t.TempDir()
	d, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept, _, err := newBlobs(t, d).Put(t.Context(), strings.NewReader("kept"), store.PutOptions{Max: 10, Prefix: 0})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	_, killed, err = storefault.RunChild(t.Context(), "TestKillsChild", fmt.Sprintf("%s=%s|%d", killVar, dir, step))
	if err != nil {
		t.Fatalf("step %d: %v", step, err)
	}

	d, err = Open(dir, &Options{StaleAfter: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	b, seen := newBlobs(t, d), 0
	for info, err := range d.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		o, err := b.Open(t.Context(), info.Blob)
		if err == nil {
			err = errors.Join(o.Verify(t.Context()), o.Close())
		}
		if err != nil {
			t.Errorf("killed before step %d: a torn blob: %v", step, err)
		}
		if seen++; info.SHA256 != kept.SHA256 {
			there = true
		}
	}
	if want := map[bool]int{false: 1, true: 2}[there]; seen != want {
		t.Errorf("killed before step %d: %d blobs, want %d", step, seen, want)
	}
	if left, err := os.ReadDir(filepath.Join(dir, tmpDir)); err != nil || len(left) != 0 {
		t.Errorf("killed before step %d: %d files are left in tmp, %v", step, len(left), err)
	}
	if _, err := putPayload(t, b); err != nil {
		t.Errorf("killed before step %d: the next one: %v", step, err)
	}
	return there, killed
}
