package host_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/recall"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// blobsIn are the digests that a place keeps bytes of.
func blobsIn(t testing.TB, p *place) (out []string) {
	t.Helper()
	for info, err := range p.blobs.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, info.SHA256)
	}
	return out
}

// Case mk-del-01: deleting twice does nothing more, a deleted file is gone to its owner, and purging it takes bytes and row and may be done
// again.
func TestDeletePurge(t *testing.T) {
	for name, open := range places() {
		t.Run(name, func(t *testing.T) {
			p := open(t)
			audit := &log{}
			h := p.open(t, newQuick(), &host.Options{Audit: audit.tell})
			s, ctx := h.Session(scope("s")), t.Context()
			a := attach(t, s, "a.txt", "hello")
			shared := attach(t, s, "b.txt", "shared")
			other := attach(t, h.Session(scope("t")), "b.txt", "shared")
			for range 2 {
				if err := s.Delete(ctx, a.Resource); err != nil {
					t.Fatal(err)
				}
			}
			list, _, err := s.Attachments(ctx, "", 0)
			if err != nil || len(list) != 2 || list[0].Status != readapi.StatusDeleted || list[0].Resource != "" || list[0].Unavailable != readapi.CodeGone {
				t.Errorf("%+v, %v", list, err)
			}
			_, err = s.Read(ctx, a.Resource, readapi.Selection{}, nil)
			wantCode(t, "a deleted file", err, readapi.CodeGone)
			if n := len(blobsIn(t, p)); n != 2 {
				t.Errorf("%d blobs before the purge", n)
			}
			for range 2 {
				for _, uri := range []string{a.Resource, shared.Resource} { // one of them live
					if err := s.Purge(ctx, uri); err != nil {
						t.Fatal(err)
					}
				}
			}
			if got := blobsIn(t, p); !slices.Equal(got, []string{digestOf("shared")}) {
				t.Errorf("after the purge there are %v", got)
			}
			if list, _, err := s.Attachments(ctx, "", 0); err != nil || len(list) != 0 {
				t.Errorf("%+v, %v", list, err)
			}
			_, err = s.Read(ctx, a.Resource, readapi.Selection{}, nil)
			wantCode(t, "a purged file", err, readapi.CodeNotFound)
			if err := s.Purge(ctx, other.Resource); err != nil {
				t.Error("a foreign file:", err)
			}
			read(t, h.Session(scope("t")), other.Resource, readapi.Selection{})
			wantCode(t, "no address", s.Purge(ctx, "a.txt"), readapi.CodeInvalidURI)
			if err := h.Close(); err != nil {
				t.Fatal(err)
			}
			want := []string{"", "", host.CauseAbsent, host.CauseAbsent, host.CauseForeign, host.CauseInvalidURI}
			if got := audit.causes("purge"); !slices.Equal(got, want) {
				t.Errorf("causes %q, want %q", got, want)
			}
		})
	}
}

// Case mk-del-02: a purge stops at what is no file in the place of its bytes: what that points to is untouched, and the record stays.
func TestPurgeLink(t *testing.T) {
	dir := t.TempDir()
	p := filesIn(t, dir)
	h := p.open(t, newQuick(), nil)
	s := h.Session(scope("s"))
	a := attach(t, s, "a.txt", "hello")
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("keep"), 0o600); err != nil {
		t.Fatal(err)
	}
	var place string
	err := filepath.WalkDir(filepath.Join(dir, "blobs"), func(name string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Base(name) == digestOf("hello") {
			place = name
		}
		return err
	})
	if err != nil || place == "" {
		t.Fatal(place, err)
	}
	if err := os.Remove(place); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, place); err != nil {
		t.Fatal(err)
	}
	err = s.Purge(t.Context(), a.Resource)
	wantCode(t, "a purge of a link", err, readapi.CodeCorrupt)
	if b, err := os.ReadFile(outside); string(b) != "keep" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	if rows, _, err := p.driver.Artifacts(t.Context(), scope("s"), []readapi.ArtifactID{a.ID}); len(rows) != 1 || err != nil {
		t.Errorf("%+v, %v", rows, err)
	}
	_, err = s.Read(t.Context(), a.Resource, readapi.Selection{}, nil)
	wantCode(t, "it does not open any more", err, readapi.CodeGone)
	if err := os.Remove(place); err != nil {
		t.Fatal(err)
	}
	if err := s.Purge(t.Context(), a.Resource); err != nil {
		t.Error("once the link is gone:", err)
	}
}

// Case mk-bytes: why bytes cannot be had, as the operator is told.
func TestBytesRefused(t *testing.T) {
	audit := &log{}
	p := newPlace()
	h := p.open(t, newQuick(), &host.Options{Audit: audit.tell})
	s := h.Session(scope("session-1"))
	image := attach(t, s, "image.png", "\x89PNG\r\n\x1a\n0000")
	plain := attach(t, s, "b", "\x00\x01\x02\x03")
	if err := s.Delete(t.Context(), image.Resource); err != nil {
		t.Fatal(err)
	}
	place := func(kind readapi.RefKind, session readapi.SessionID, path string) readapi.AttachmentRef {
		ref := image.Ref(session)
		ref.Ref = readapi.StorageRef{Kind: kind, SessionID: session, RelativePath: path}
		return ref
	}
	_, err := s.Offer(t.Context(), image.Ref("session-1"), image.Ref("other-session"), place(readapi.RefWorkspaceFile, "", "image.png"),
		place(readapi.RefSessionFile, "session-1", "missing"), plain.Ref("session-1"))
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{host.CauseDeleted, host.CauseForeign, host.CauseUnsupportedRef, host.CauseAbsent, host.CauseUnsupportedKind}
	if got := audit.causes("offer"); !slices.Equal(got, want) {
		t.Errorf("causes %q, want %q", got, want)
	}
}

// A session that is archived is left out of lists and is else what it was; one that is deleted is gone to itself and as if it had never
// been to the others; one that is purged has never been.
func TestSessionStates(t *testing.T) {
	for name, open := range places() {
		t.Run(name, func(t *testing.T) {
			p := open(t)
			audit := &log{}
			h := p.open(t, newQuick(), &host.Options{Audit: audit.tell})
			s, other, ctx := h.Session(scope("s")), h.Session(scope("t")), t.Context()
			a := attach(t, s, "needle.txt", "hello")
			message, err := s.Append(ctx, ledger.Event{ID: "said", Type: ledger.Assistant, Text: "a needle in a stack", Time: aTime})
			if err != nil {
				t.Fatal(message, err)
			}
			attach(t, other, "b.txt", "hello")
			listed := func(archived bool) (out []readapi.SessionID) {
				for s, err := range h.Sessions(ctx, readapi.LocalPrincipal, archived) {
					if err != nil {
						t.Fatal(err)
					}
					out = append(out, s.ID)
				}
				slices.Sort(out)
				return out
			}
			found := func(by *host.Session) int {
				t.Helper()
				answer, err := by.Recall(ctx, recall.Request{Terms: []string{"needle"}})
				if err != nil {
					t.Fatal(err)
				}
				return len(answer.Passages)
			}
			wantCode(t, "archive what is not there", h.Session(scope("none")).SetArchived(ctx, true), readapi.CodeNotFound)
			for _, archived := range []bool{true, true, false, true} {
				if err := s.SetArchived(ctx, archived); err != nil {
					t.Fatal(err)
				}
				if got := slices.Contains(listed(false), "s"); got == archived {
					t.Errorf("archived %v, listed %v", archived, got)
				}
			}
			if len(listed(true)) != 2 || found(other) == 0 {
				t.Error("an archived session is lost")
			}
			read(t, s, a.Resource, readapi.Selection{})
			attach(t, s, "c.txt", "more")

			upload(t, s, "up", "c", "late.txt", "late")
			for range 2 {
				if err := s.DeleteSession(ctx); err != nil {
					t.Fatal(err)
				}
			}
			wantCode(t, "delete what is not there", h.Session(scope("none")).DeleteSession(ctx), readapi.CodeNotFound)
			if got := listed(true); !slices.Equal(got, []readapi.SessionID{"t"}) || found(other) != 0 {
				t.Errorf("sessions %q", got)
			}
			expand := recall.Request{Expand: &recall.Expand{Session: "s", Anchor: "said", Before: -1, After: -1}}
			_, err = other.Recall(ctx, expand)
			wantCode(t, "an anchor in a deleted session", err, readapi.CodeNotFound)
			gone(t, s, a)
			_, err = s.CommitUpload(ctx, "c", "up")
			wantCode(t, "an upload of before", err, readapi.CodeNotFound)
			_, err = other.OpenFrom(ctx, "s", a.ID)
			wantCode(t, "open from a deleted session", err, readapi.CodeNotFound)
			_, err = other.Read(ctx, a.Resource, readapi.Selection{}, nil)
			wantCode(t, "read a deleted session's file elsewhere", err, readapi.CodeNotFound)

			for range 2 {
				if err := s.PurgeSession(ctx); err != nil {
					t.Fatal(err)
				}
			}
			if _, ok, err := p.driver.Session(ctx, scope("s")); ok || err != nil {
				t.Error("it is still there:", err)
			}
			if got := blobsIn(t, p); !slices.Equal(got, []string{digestOf("hello")}) { // that of the other
				t.Errorf("blobs %v", got)
			}
			_, err = s.Read(ctx, a.Resource, readapi.Selection{}, nil)
			wantCode(t, "read a purged session's file", err, readapi.CodeNotFound)
			b := attach(t, s, "needle.txt", "anew") // its id is free again
			if found(other) != 1 || b.Version != 1 {
				t.Error("a session of the same id", b)
			}
			if err := h.Close(); err != nil {
				t.Fatal(err)
			}
			for op, want := range map[string][]string{
				"archive": {"not_found", "", "", "", host.CauseDeleted}, "unarchive": {""}, "delete_session": {"", "", "not_found"}, "purge_session": {"", host.CauseAbsent},
				"open_from": {host.CauseDeleted},
			} {
				if got := audit.causes(op); !slices.Equal(got, want) {
					t.Errorf("%s: causes %q, want %q", op, got, want)
				}
			}
			for _, e := range audit.events {
				if !slices.Contains(host.AuditOps(), e.Op) {
					t.Errorf("no such op: %s", e.Op)
				}
			}
		})
	}
}

// gone checks that everything that a deleted session asks for is gone.
func gone(t *testing.T, s *host.Session, a readapi.Attachment) {
	t.Helper()
	ctx := t.Context()
	_, readErr := s.Read(ctx, a.Resource, readapi.Selection{}, nil)
	_, openErr := s.OpenBytes(ctx, a.Resource)
	_, appendErr := s.Append(ctx, ledger.Event{Type: ledger.Assistant, Text: "more", Time: aTime})
	_, attachErr := s.Attach(ctx, host.Message{Text: "see", Files: []host.NewFile{newFile("a.txt", "x")}})
	_, copyErr := s.CopyTo(ctx, "elsewhere")
	_, beginErr := s.BeginUpload(ctx, beginOf("new", "c", "a.txt", "x"))
	_, recallErr := s.Recall(ctx, recall.Request{Terms: []string{"needle"}})
	_, importErr := s.Import(ctx, bytes.NewReader([]byte(`{"type":"assistant","text":"x"}`)), ledger.ImportOptions{})
	var eventsErr error
	for _, err := range s.Events(ctx) {
		eventsErr = err
	}
	for what, err := range map[string]error{
		"read": readErr, "open": openErr, "append": appendErr, "attach": attachErr, "copy": copyErr, "upload": beginErr, "recall": recallErr,
		"import": importErr, "events": eventsErr, "archive": s.SetArchived(ctx, true),
	} {
		wantCode(t, what+" in a deleted session", err, readapi.CodeGone)
	}
	if o := offerOf(t, s, a.Ref("s")); o.Unavailable != readapi.CodeGone {
		t.Errorf("a deleted session is offered %+v", o)
	}
}

// A purge that was begun and not ended is ended by the next host of the store.
func TestPurgeRecovered(t *testing.T) {
	p := newPlace()
	h := p.open(t, newQuick(), nil)
	s := h.Session(scope("s"))
	a, b := attach(t, s, "a.txt", "one"), attach(t, h.Session(scope("t")), "b.txt", "two")
	index := indexOf(t, p)
	if _, ok, err := index.PurgeArtifact(t.Context(), scope("s"), a.ID, aTime); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if _, ok, err := index.MarkSession(t.Context(), scope("t"), store.PurgeSession, aTime); !ok || err != nil {
		t.Fatal(ok, err)
	}
	alone := p.open(t, newQuick(), &host.Options{Alone: true})
	wantCode(t, "begun", func() error { _, err := alone.Session(scope("t")).OpenBytes(t.Context(), uri(b.ID)); return err }(), readapi.CodeGone)
	next := p.open(t, newQuick(), nil)
	for len(blobsIn(t, p)) > 0 {
		if t.Context().Err() != nil {
			t.Fatal("the purges do not end")
		}
	}
	if err := next.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAttachmentVersion(t *testing.T) {
	s := newPlace().open(t, newQuick(), nil).Session(scope("s"))
	for i := range 3 {
		a := attach(t, s, "a.txt", "hello")
		b, err := json.Marshal(a)
		if a.Version != int64(i+1) || err != nil || !bytes.Contains(b, []byte(`"version":`)) {
			t.Errorf("%s, %v", b, err)
		}
	}
}
