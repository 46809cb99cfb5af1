package sqliteindex_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

var scope = readapi.Scope{Principal: "local", Session: "s"}

func artifact(i int) store.Artifact {
	return store.Artifact{ID: readapi.ArtifactID(fmt.Sprintf("%032x", i)), Blob: strings.Repeat("a", 64), Bytes: 3, Name: "a.txt", Kind: "doc",
		Source: store.SourceUserUpload, MediaType: "text/plain", Candidates: []readapi.MediaType{"text/plain"}, Created: time.Now()}
}

func TestSmoke(t *testing.T) {
	d, err := sqliteindex.Open(t.Context(), filepath.Join(t.TempDir(), "a b?#%.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	x, _ := store.NewIndex(d)
	defer x.Close()
	seqs, err := x.Append(t.Context(), scope, []store.Artifact{artifact(1)}, []store.Event{{ID: "e", Type: "user", Time: time.Now(), Message: true, Payload: []byte(`{}`)}})
	t.Log(seqs, err)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(x.Artifacts(t.Context(), scope, []readapi.ArtifactID{artifact(1).ID, "b"}))
	t.Log(x.ListArtifacts(t.Context(), scope, -1, 10))
	t.Log(x.FindArtifacts(t.Context(), artifact(1).ID))
	t.Log(x.Session(t.Context(), scope))
	t.Log(x.Sessions(t.Context(), "local", store.SessionQuery{}))
	t.Log(x.LastEvent(t.Context(), scope))
	t.Log(x.SetDecoders(t.Context(), 0, []store.DecoderEntry{{Name: "a"}}))
	t.Log(x.Decoders(t.Context()))
	t.Log(x.DeleteArtifact(t.Context(), scope, artifact(1).ID, time.Now()))
	t.Log(x.BlobNames(t.Context(), "", 10))
}
