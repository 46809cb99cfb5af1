package glovebox_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestSessionLife: what a session can do besides messages, by the front door.
func TestSessionLife(t *testing.T) {
	ctx := t.Context()
	h, err := glovebox.Open(ctx, t.TempDir(), &glovebox.Options{MaxUploads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	s, content := h.Session("s"), []byte("some text")
	sum := sha256.Sum256(content)
	begin := host.UploadBegin{ID: "up", Owner: "c", Name: "a.txt", Bytes: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
	if _, err := s.BeginUpload(ctx, begin); err != nil {
		t.Fatal(err)
	}
	other := begin
	other.ID = "second"
	if _, err := s.BeginUpload(ctx, other); readapi.CodeOf(err) != readapi.CodeBusy {
		t.Error("more uploads than there may be:", err)
	}
	if _, err := s.UploadChunk(ctx, "c", "up", 0, content); err != nil {
		t.Fatal(err)
	}
	a, err := s.CommitUpload(ctx, "c", "up")
	if err != nil || a.Version != 1 {
		t.Fatal(a, err)
	}
	if _, err := s.Append(ctx, host.Message{Text: "see", Attached: []readapi.ArtifactID{a.ID}}); err != nil {
		t.Fatal(err)
	}
	if report, err := s.Import(ctx, strings.NewReader(`{"type":"assistant","text":"seen"}`+"\nbad\n"), ledger.ImportOptions{}); err != nil || report.Appended != 1 || report.Bad != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	if done, err := s.CopyTo(ctx, "t"); err != nil || done.Events != 2 || done.Files != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	opened, err := h.Session("u").OpenFrom(ctx, "s", a.ID)
	if err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"archive": s.SetArchived(ctx, true), "abort": abortError(s.AbortUpload(ctx, "c", "up")), "purge": s.Purge(ctx, a.Resource),
	} {
		if err != nil {
			t.Error(what, err)
		}
	}
	if err := s.DeleteSession(ctx); err != nil {
		t.Error(err)
	}
	if err := s.PurgeSession(ctx); err != nil {
		t.Error(err)
	}
	if n, err := h.Keeper().Recover(ctx); n != 0 || err != nil {
		t.Error(n, err)
	}
	if doc, err := h.Session("u").Read(ctx, opened.Resource, nil); err != nil {
		t.Errorf("%v, %v", doc, err)
	}
}

// abortError is nil where aborting what was committed is told as that.
func abortError(err error) error {
	if readapi.CodeOf(err) == readapi.CodeConflict {
		return nil
	}
	return err
}
