package host_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store/storefault"
	"github.com/glovebox-wasm/glovebox/host/transfer"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// lived is the whole life of a session, with all that a store does for it: what TestFaults and TestKills let fail at every call.
type lived struct {
	t     *testing.T
	h     *host.Host
	s     *host.Session
	moved *place // that the session is moved to

	// again makes a step until it succeeds; told says how often it did not.
	again func(what string, step func(context.Context) error)
	told  int

	// done is told of everything that was promised: that the attachment has this content from now on, or may end; "" for its end.
	done func(l promised)
}

// promised is what somebody was told of an attachment.
type promised struct {
	What    string // attached; ends: it may be gone from now on; gone: it is
	Session readapi.SessionID
	ID      readapi.ArtifactID
	Content string
}

// attached is what a message with an id carries. Where the answer to the first try was lost, the second one is a conflict.
func (l *lived) attached(s *host.Session, id string, contents ...string) (out []readapi.ArtifactID) {
	l.t.Helper()
	was := l.told
	l.again("attach", func(ctx context.Context) error {
		var files []host.NewFile
		for i, c := range contents {
			files = append(files, newFile(fmt.Sprintf("%s-%d.txt", id, i), c))
		}
		_, err := s.Attach(ctx, host.Message{ID: id, Turn: id, Time: aTime, Text: "see", Files: files})
		if readapi.CodeOf(err) == readapi.CodeConflict && l.told > was {
			return nil
		}
		return err
	})
	l.again("show", func(ctx context.Context) error {
		e, err := l.h.Ledger().Event(ctx, s.Scope(), id)
		if err != nil {
			return err
		}
		if len(e.Refs()) != len(contents) {
			l.t.Fatalf("the message %s has %d files", id, len(e.Refs()))
		}
		for i, ref := range e.Refs() {
			_, artifact, _ := ref.Address()
			out = append(out, artifact)
			l.done(promised{"attached", s.Scope().Session, artifact, contents[i]})
		}
		return nil
	})
	return out
}

func (l *lived) uploaded(id, content string) (a readapi.Attachment) {
	l.again("upload", func(ctx context.Context) error {
		half := len(content) / 2
		state, err := l.s.BeginUpload(ctx, beginOf(id, "c", "u.txt", content))
		for err == nil && state.Attachment == nil && state.Next < int64(len(content)) {
			end := half
			if state.Next >= int64(half) {
				end = len(content)
			}
			state.Next, err = l.s.UploadChunk(ctx, "c", id, state.Next, []byte(content[state.Next:end]))
		}
		if err == nil {
			a, err = l.s.CommitUpload(ctx, "c", id)
		}
		return err
	})
	l.done(promised{"attached", l.s.Scope().Session, a.ID, content})
	return a
}

func (l *lived) content(s *host.Session, id readapi.ArtifactID, want string) {
	l.t.Helper()
	l.again("open", func(ctx context.Context) error {
		got, err := bytesOf(ctx, s, id)
		if err == nil && got != want {
			l.t.Errorf("%q, want %q", got, want)
		}
		return err
	})
	l.again("read", func(ctx context.Context) error {
		doc, err := s.Read(ctx, uri(id), readapi.Selection{}, nil)
		if err == nil && (len(doc.Parts) != 1 || !strings.Contains(doc.Parts[0].Text, fmt.Sprintf("read %d bytes", len(want)))) {
			l.t.Errorf("read %+v", doc)
		}
		return err
	})
}

// bytesOf is all that an attachment holds.
func bytesOf(ctx context.Context, s *host.Session, id readapi.ArtifactID) (string, error) {
	b, err := s.OpenBytes(ctx, uri(id))
	if err != nil {
		return "", err
	}
	defer b.Close()
	got := make([]byte, b.Attachment.Bytes)
	_, err = b.ReadAt(got, 0)
	if err == io.EOF {
		err = nil
	}
	return string(got), err
}

// ending makes a step that ends attachments of a session.
func (l *lived) ending(what string, session readapi.SessionID, ids []readapi.ArtifactID, step func(context.Context) error) {
	for _, id := range ids {
		l.done(promised{What: "ends", Session: session, ID: id})
	}
	l.again(what, step)
	for _, id := range ids {
		l.done(promised{What: "gone", Session: session, ID: id})
	}
}

// copied tells of what a copy of the session s in another one has.
func (l *lived) copied(to readapi.SessionID, of map[readapi.ArtifactID]string) {
	for id, content := range of {
		l.done(promised{"attached", to, host.CopyID("s", to, id), content})
	}
}

// life is all of it.
func (l *lived) life() {
	t, u := l.h.Session(scope("t")), l.h.Session(scope("u"))
	first := l.attached(u, "m0", "shared")
	one := l.attached(l.s, "m1", "kept", "shared")
	deleted := l.attached(l.s, "m2", "deleted")
	up := l.uploaded("up", "uploaded")
	l.ending("delete", "s", deleted, func(ctx context.Context) error { return l.s.Delete(ctx, uri(deleted[0])) })
	l.again("copy", func(ctx context.Context) error { _, err := l.s.CopyTo(ctx, "t"); return err })
	l.copied("t", map[readapi.ArtifactID]string{one[0]: "kept", one[1]: "shared", up.ID: "uploaded"})
	l.again("open from", func(ctx context.Context) error { _, err := u.OpenFrom(ctx, "s", one[0]); return err })
	l.copied("u", map[readapi.ArtifactID]string{one[0]: "kept"})
	l.content(l.s, one[0], "kept")
	l.ending("purge", "s", []readapi.ArtifactID{up.ID}, func(ctx context.Context) error { return l.s.Purge(ctx, uri(up.ID)) })
	l.again("archive", func(ctx context.Context) error { return l.s.SetArchived(ctx, true) })
	l.again("import", func(ctx context.Context) error {
		line := `{"type":"assistant","text":"imported","turn":"m3","timestamp":1700000000000}`
		_, err := l.s.Import(ctx, strings.NewReader(line), ledger.ImportOptions{})
		return err
	})
	l.upkeep()
	l.moves()
	l.ending("delete session", "s", one, func(ctx context.Context) error { return l.s.DeleteSession(ctx) })
	l.again("purge session", func(ctx context.Context) error { return l.s.PurgeSession(ctx) })
	l.upkeep()
	l.content(t, host.CopyID("s", "t", one[0]), "kept")
	l.content(t, host.CopyID("s", "t", one[1]), "shared")
	l.content(t, host.CopyID("s", "t", up.ID), "uploaded")
	l.content(u, host.CopyID("s", "u", one[0]), "kept")
	l.content(u, first[0], "shared")
}

// errUnreadable is told by a report.
var errUnreadable = errors.New("bytes could not be read")

// upkeep collects and checks the store. What could not be removed is in the report, and nothing that is there may be damaged.
func (l *lived) upkeep() {
	l.again("gc", func(ctx context.Context) error {
		r, err := l.h.Keeper().GC(ctx, retain.GCOptions{Grace: time.Nanosecond})
		for _, c := range r.Candidates {
			if err == nil && c.Reason == retain.ReasonFailed {
				err = &readapi.Error{Code: c.Code, Detail: c.Text}
			}
		}
		return err
	})
	l.again("fsck", func(ctx context.Context) error {
		r, err := l.h.Keeper().Fsck(ctx, retain.FsckOptions{ReadData: true, Repair: true, Jobs: 1, Grace: time.Nanosecond})
		for _, f := range r.Findings {
			switch {
			case f.Problem == retain.BlobDamaged, f.Problem == retain.BlobMissing:
				l.t.Errorf("fsck: %+v, %v", f, err)
			case err == nil && f.Problem == retain.BlobUnreadable:
				err = errUnreadable
			}
		}
		return err
	})
}

// moves takes the store to another place, in each of the ways.
func (l *lived) moves() {
	if l.moved == nil {
		return
	}
	from := transfer.Store{Blobs: host.BlobsOf(l.h), Index: host.IndexOf(l.h)}
	to := transfer.Store{Blobs: blobsOf(l.t, l.moved), Index: indexOf(l.t, l.moved)}
	l.again("migrate", func(ctx context.Context) error {
		_, err := transfer.Migrate(ctx, from, to, transfer.MigrateOptions{Jobs: 1})
		return err
	})
	var lines bytes.Buffer
	l.again("export", func(ctx context.Context) error {
		lines.Reset()
		_, err := transfer.Export(ctx, from.Blobs, from.Index, &lines, transfer.ExportOptions{})
		return err
	})
	l.again("import of an export", func(ctx context.Context) error {
		_, err := transfer.Import(ctx, to.Blobs, to.Index, bytes.NewReader(lines.Bytes()), transfer.ImportOptions{})
		return err
	})
}

// under is a place whose calls are those of a plan.
func (p *place) under(plan *storefault.Plan) *place {
	return &place{blobs: storefault.Blobs(p.blobs, plan), driver: storefault.Index(p.driver, plan)}
}

// wholeStore checks that every row has its bytes, and that nothing is half there; purged says that something was purged, so that a message
// may name what is gone. It returns how many rows are without their bytes.
func wholeStore(t testing.TB, p *place, what string, purged bool) (dangling int) {
	t.Helper()
	wrong, dangling := wrongIn(t, p, purged)
	for _, w := range wrong {
		t.Errorf("%s: %s", what, w)
	}
	return dangling
}

// wrongIn is what wholeStore finds.
func wrongIn(t testing.TB, p *place, purged bool) (wrong []string, dangling int) {
	t.Helper()
	report, err := retain.New(blobsOf(t, p), indexOf(t, p), nil).Fsck(context.Background(), retain.FsckOptions{ReadData: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		switch {
		case f.Problem == retain.PurgeBegun, f.Harmless && f.Problem != retain.EventDangling, f.Problem == retain.EventDangling && purged:
			continue
		case f.Problem == retain.BlobMissing, f.Problem == retain.BlobDamaged, f.Problem == retain.BlobSize:
			dangling++
		}
		wrong = append(wrong, fmt.Sprintf("%+v", f))
	}
	return wrong, dangling
}

// namedOnly collects, and checks that nothing is left that no row names, and nothing of a lease or a claim.
func namedOnly(t testing.TB, p *place, what string) {
	t.Helper()
	keeper := retain.New(blobsOf(t, p), indexOf(t, p), nil)
	if _, err := keeper.GC(t.Context(), retain.GCOptions{Grace: time.Nanosecond}); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for info, err := range p.blobs.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		uses, err := indexOf(t, p).BlobUses(t.Context(), []string{info.SHA256})
		if u := uses[info.SHA256]; err != nil || u.Rows == 0 || u.Lease.After(time.Now()) && !u.Claim.IsZero() {
			t.Errorf("%s: bytes are left: %+v, %v", what, u, err)
		}
	}
	if report, err := keeper.Fsck(t.Context(), retain.FsckOptions{ReadData: true, Grace: time.Nanosecond}); err != nil || !report.Clean {
		t.Errorf("%s: the store is not clean: %+v, %v", what, report, err)
	}
}
