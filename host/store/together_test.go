package store_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Who a child of TestTwoProcesses is.
const togetherName = "GLOVEBOX_TEST_TOGETHER_NAME"

const togetherCount = 20

// TestTogetherChild is the child: it opens the store, which may not be there yet, and stores beside others.
func TestTogetherChild(t *testing.T) {
	dir, name := os.Getenv(crashDir), os.Getenv(togetherName)
	if name == "" {
		t.Skip("this is the child of TestTwoProcesses")
	}
	b, x := openStore(t, dir)
	defer x.Close()
	for i := range togetherCount {
		blob, _, err := b.Put(t.Context(), bytes.NewReader(crashContent(i)), store.PutOptions{Max: 1 << 20, Prefix: 0})
		if err != nil {
			t.Fatal(err)
		}
		id := fmt.Sprintf("%s%d", name, i)
		a := store.Artifact{ID: readapi.ArtifactID(id), Blob: blob.SHA256, Bytes: blob.Size, Name: "a", Source: store.SourceUserUpload, Created: time.Now()}
		e := store.Event{ID: id, Type: "user", Time: time.Now(), Message: true, Payload: []byte(`{}`)}
		if _, err := x.Append(t.Context(), crashScope, storetest.Leased(t, x, store.Batch{Artifacts: []store.Artifact{a}, Events: []store.Event{e}})); err != nil {
			t.Fatal(err)
		}
	}
}

// Several processes that open a new store at once, and store the same files in one session, all succeed.
func TestTwoProcesses(t *testing.T) {
	for range 3 {
		dir := t.TempDir()
		var children []*exec.Cmd
		var outs []*bytes.Buffer
		for _, name := range []string{"a", "b", "c"} {
			child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTogetherChild$")
			child.Env = append(os.Environ(), crashDir+"="+dir, togetherName+"="+name)
			out := &bytes.Buffer{}
			child.Stdout, child.Stderr = out, out
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			children, outs = append(children, child), append(outs, out)
		}
		for i, child := range children {
			if err := child.Wait(); err != nil {
				t.Errorf("%v\n%s", err, outs[i])
			}
		}
		b, x := openStore(t, dir)
		rows, err := all(t, x)
		if err != nil || len(rows) != len(children)*togetherCount {
			t.Errorf("%d rows, %v", len(rows), err)
		}
		for _, a := range rows {
			o, err := b.Open(t.Context(), store.Blob{SHA256: a.Blob, Size: a.Bytes})
			if err != nil {
				t.Errorf("%s: %v", a.ID, err)
				continue
			}
			_ = o.Close()
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}
