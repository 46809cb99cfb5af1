package store_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/fileblob"
	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// crashDir tells the test binary that it is the child, and where the store is.
const crashDir = "GLOVEBOX_TEST_CRASH_DIR"

var crashScope = readapi.Scope{Principal: "local", Session: "crash"}

func openStore(t *testing.T, dir string) (*store.Blobs, *store.Index) {
	t.Helper()
	files, err := fileblob.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := newBlobs(t, files, nil)
	rows, err := sqliteindex.Open(t.Context(), filepath.Join(dir, "index.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := store.NewIndex(rows)
	if err != nil {
		t.Fatal(err)
	}
	return b, x
}

// crashContent is what the artifact number i carries. Some share their bytes, so that a blob is stored again.
func crashContent(i int) []byte {
	n := i
	if i%4 == 3 {
		n = i - 3
	}
	return bytes.Repeat([]byte(fmt.Sprintf("artifact %d\n", n)), 1+n*7919%20_000)
}

// TestCrashChild is the child: it stores until it is killed, and prints every id that is committed.
func TestCrashChild(t *testing.T) {
	dir := os.Getenv(crashDir)
	if dir == "" {
		t.Skip("this is the child of TestCrash")
	}
	b, x := openStore(t, dir)
	rows, err := all(t, x)
	if err != nil {
		t.Fatal(err)
	}
	i := len(rows)
	for step := i; ; step++ {
		var contents []io.Reader
		for k := range []int{1, 3, 40}[step%3] { // by itself, and in small and large batches
			contents = append(contents, bytes.NewReader(crashContent(i+k)))
		}
		blobs, _, err := b.PutAll(t.Context(), contents, store.PutAllOptions{Max: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		var batch store.Batch
		said := "" // in one write: a line of a batch that is not said would be no promise
		for k, blob := range blobs {
			a := store.Artifact{ID: readapi.ArtifactID(fmt.Sprintf("%032x", i+k)), Blob: blob.SHA256, Bytes: blob.Size, Name: "a", Kind: "other",
				Source: store.SourceUserUpload, MediaType: "text/plain", Created: time.Now()}
			e := store.Event{ID: strconv.Itoa(i + k), Type: "user", Time: time.Now(), Message: true, Payload: []byte(strconv.Itoa(i + k))}
			batch.Artifacts, batch.Events = append(batch.Artifacts, a), append(batch.Events, e)
			said += fmt.Sprintln("committed", a.ID)
		}
		if _, err := x.Append(t.Context(), crashScope, storetest.Leased(t, x, batch)); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Print(said); err != nil {
			t.Fatal(err)
		}
		i += len(blobs)
	}
}

func all(t *testing.T, x *store.Index) (rows []store.Artifact, err error) {
	for after := int64(-1); ; {
		page, _, err := x.ListArtifacts(t.Context(), crashScope, after, 0)
		if err != nil || len(page) == 0 {
			return rows, err
		}
		rows, after = append(rows, page...), page[len(page)-1].Seq
	}
}

// A process that is killed at any moment loses nothing that it has committed, and leaves no row without its bytes. Fifty kills with
// GLOVEBOX_BARS=1, else five.
func TestCrash(t *testing.T) {
	kills := 5
	if os.Getenv("GLOVEBOX_BARS") != "" {
		kills = 50
	}
	dir := t.TempDir()
	promised := map[readapi.ArtifactID]bool{}
	for k := range kills {
		for _, id := range crash(t, dir, k) {
			promised[id] = true
		}
		checkCrashed(t, dir, promised)
		if t.Failed() {
			t.Fatalf("after %d kills", k+1)
		}
	}
	t.Logf("%d kills, %d artifacts, all there", kills, len(promised))
}

// crash runs a child, kills it, and returns what it said was committed.
func crash(t *testing.T, dir string, k int) (ids []readapi.ArtifactID) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCrashChild$", "-test.v")
	child.Env = append(os.Environ(), crashDir+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	child.Stderr = &errs
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	// The first of them die while they open a store that was not closed; the others a little after a commit, which lasts some milliseconds.
	commits, later := k%7, time.Duration(rand.IntN(8000))*time.Microsecond
	kill := func() { _ = child.Process.Kill() }
	var said strings.Builder
	lines := bufio.NewScanner(io.TeeReader(out, &said))
	for lines.Scan() {
		id, ok := strings.CutPrefix(lines.Text(), "committed ")
		if ok {
			ids = append(ids, readapi.ArtifactID(id))
		}
		if strings.HasPrefix(lines.Text(), "=== RUN") && commits == 0 || ok && len(ids) == 1+(commits-1)*15 {
			time.AfterFunc(later, kill)
		}
	}
	err = child.Wait()
	if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.ExitCode() != -1 {
		t.Fatalf("the child ended by itself: %v\n%s%s", err, said.String(), errs.String())
	}
	return ids
}

func checkCrashed(t *testing.T, dir string, promised map[readapi.ArtifactID]bool) {
	t.Helper()
	b, x := openStore(t, dir)
	defer x.Close()
	rows, err := all(t, x)
	if err != nil {
		t.Fatal(err)
	}
	there := map[readapi.ArtifactID]bool{}
	for i, a := range rows {
		there[a.ID] = true
		o, err := b.Open(t.Context(), store.Blob{SHA256: a.Blob, Size: a.Bytes})
		if err == nil {
			err = o.Verify(t.Context())
		}
		if err != nil {
			t.Errorf("the artifact %s has a row and not its bytes: %v", a.ID, err)
			continue
		}
		got := make([]byte, o.Size())
		if _, err := o.ReadAt(got, 0); err != nil && err != io.EOF || !bytes.Equal(got, crashContent(i)) {
			t.Errorf("the artifact %s has other bytes: %v", a.ID, err)
		}
		_ = o.Close()
	}
	for id := range promised {
		if !there[id] {
			t.Errorf("the artifact %s was committed and is lost", id)
		}
	}
	last, ok, err := x.LastEvent(context.WithoutCancel(t.Context()), crashScope)
	if err != nil || ok != (len(rows) > 0) || ok && last.Seq != int64(len(rows)-1) {
		t.Errorf("%d artifacts, and the last event is %+v: %v", len(rows), last, err)
	}
}
