package host_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// The k-th call of a store fails, for every k of a session's whole life, once before it has done anything and once behind it, so that its
// answer is lost. Whoever called is told, or it succeeds; doing it again brings it to its end; and then nothing is missing, doubled or left.

var errFault = errors.New("the store has failed")

// faults fails the call number at; 0 fails none.
type faults struct {
	n, at  int
	behind bool // the call has done its work
}

// faulty makes call fail if it is its turn.
func faulty[T any](f *faults, call func() (T, error)) (T, error) {
	var none T
	f.n++
	fails := f.n == f.at
	if fails && !f.behind {
		return none, errFault
	}
	v, err := call()
	if fails && err == nil {
		return none, errFault
	}
	return v, err
}

func faultyDo(f *faults, call func() error) error {
	_, err := faulty(f, func() (struct{}, error) { return struct{}{}, call() })
	return err
}

type faultyIndex struct {
	store.IndexDriver
	f *faults
}

func (d faultyIndex) Append(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
	return faulty(d.f, func() ([]int64, error) { return d.IndexDriver.Append(ctx, s, b) })
}

func (d faultyIndex) Artifacts(ctx context.Context, s readapi.Scope, ids []readapi.ArtifactID) (rows []store.Artifact, gen int64, err error) {
	err = faultyDo(d.f, func() error { rows, gen, err = d.IndexDriver.Artifacts(ctx, s, ids); return err })
	return rows, gen, err
}

func (d faultyIndex) ListArtifacts(ctx context.Context, s readapi.Scope, after int64, limit int) (rows []store.Artifact, gen int64, err error) {
	err = faultyDo(d.f, func() error { rows, gen, err = d.IndexDriver.ListArtifacts(ctx, s, after, limit); return err })
	return rows, gen, err
}

func (d faultyIndex) DeleteArtifact(ctx context.Context, s readapi.Scope, id readapi.ArtifactID, at time.Time) (row store.Artifact, ok bool, err error) {
	err = faultyDo(d.f, func() error { row, ok, err = d.IndexDriver.DeleteArtifact(ctx, s, id, at); return err })
	return row, ok, err
}

func (d faultyIndex) PurgeArtifact(ctx context.Context, s readapi.Scope, id readapi.ArtifactID, at time.Time) (row store.Artifact, ok bool, err error) {
	err = faultyDo(d.f, func() error { row, ok, err = d.IndexDriver.PurgeArtifact(ctx, s, id, at); return err })
	return row, ok, err
}

func (d faultyIndex) DropArtifact(ctx context.Context, s readapi.Scope, id readapi.ArtifactID) error {
	return faultyDo(d.f, func() error { return d.IndexDriver.DropArtifact(ctx, s, id) })
}

func (d faultyIndex) Upload(ctx context.Context, s readapi.Scope, id string) (u store.Upload, ok bool, err error) {
	err = faultyDo(d.f, func() error { u, ok, err = d.IndexDriver.Upload(ctx, s, id); return err })
	return u, ok, err
}

func (d faultyIndex) Session(ctx context.Context, s readapi.Scope) (row store.Session, ok bool, err error) {
	err = faultyDo(d.f, func() error { row, ok, err = d.IndexDriver.Session(ctx, s); return err })
	return row, ok, err
}

func (d faultyIndex) MarkSession(ctx context.Context, s readapi.Scope, c store.SessionChange, at time.Time) (row store.Session, ok bool, err error) {
	err = faultyDo(d.f, func() error { row, ok, err = d.IndexDriver.MarkSession(ctx, s, c, at); return err })
	return row, ok, err
}

func (d faultyIndex) DropSession(ctx context.Context, s readapi.Scope) error {
	return faultyDo(d.f, func() error { return d.IndexDriver.DropSession(ctx, s) })
}

func (d faultyIndex) Events(ctx context.Context, s readapi.Scope, after int64, limit int) ([]store.Event, error) {
	return faulty(d.f, func() ([]store.Event, error) { return d.IndexDriver.Events(ctx, s, after, limit) })
}

func (d faultyIndex) LastEvent(ctx context.Context, s readapi.Scope) (e store.Event, ok bool, err error) {
	err = faultyDo(d.f, func() error { e, ok, err = d.IndexDriver.LastEvent(ctx, s); return err })
	return e, ok, err
}

func (d faultyIndex) LeaseBlobs(ctx context.Context, holder string, digests []string, ttl time.Duration) error {
	return faultyDo(d.f, func() error { return d.IndexDriver.LeaseBlobs(ctx, holder, digests, ttl) })
}

func (d faultyIndex) EndLeases(ctx context.Context, holder string) error {
	return faultyDo(d.f, func() error { return d.IndexDriver.EndLeases(ctx, holder) })
}

func (d faultyIndex) ClaimBlob(ctx context.Context, sha256 string, ttl time.Duration) (bool, error) {
	return faulty(d.f, func() (bool, error) { return d.IndexDriver.ClaimBlob(ctx, sha256, ttl) })
}

func (d faultyIndex) EndClaim(ctx context.Context, sha256 string) error {
	return faultyDo(d.f, func() error { return d.IndexDriver.EndClaim(ctx, sha256) })
}

type faultyBlobs struct {
	store.BlobDriver
	f *faults
}

type faultyWriter struct {
	store.BlobWriter
	f *faults
}

func (d faultyBlobs) Create(ctx context.Context) (store.BlobWriter, error) {
	return faulty(d.f, func() (store.BlobWriter, error) {
		w, err := d.BlobDriver.Create(ctx)
		return faultyWriter{w, d.f}, err
	})
}

func (w faultyWriter) Write(p []byte) (int, error) {
	return faulty(w.f, func() (int, error) { return w.BlobWriter.Write(p) })
}

func (w faultyWriter) Commit(sha256 string) error {
	return faultyDo(w.f, func() error { return w.BlobWriter.Commit(sha256) })
}

func (w faultyWriter) Abort() error {
	return faultyDo(w.f, func() error { return w.BlobWriter.Abort() })
}

func (d faultyBlobs) Open(ctx context.Context, sha256 string) (store.BlobReader, error) {
	return faulty(d.f, func() (store.BlobReader, error) { return d.BlobDriver.Open(ctx, sha256) })
}

func (d faultyBlobs) Stat(ctx context.Context, sha256 string) (store.BlobInfo, error) {
	return faulty(d.f, func() (store.BlobInfo, error) { return d.BlobDriver.Stat(ctx, sha256) })
}

func (d faultyBlobs) Remove(ctx context.Context, sha256 string) error {
	return faultyDo(d.f, func() error { return d.BlobDriver.Remove(ctx, sha256) })
}

func (d faultyBlobs) List(ctx context.Context) iter.Seq2[store.BlobInfo, error] {
	return d.BlobDriver.List(ctx)
}

// lived is a session's whole life, in which each step is done again until it succeeds.
type lived struct {
	t    *testing.T
	h    *host.Host
	s    *host.Session
	told int // how often a caller was told of a failure
}

func (l *lived) again(what string, step func() error) {
	l.t.Helper()
	for range 4 {
		err := step()
		if err == nil {
			return
		}
		if l.told++; !errors.Is(err, errFault) {
			l.t.Fatalf("%s: %v", what, err)
		}
	}
	l.t.Fatalf("%s does not come to its end", what)
}

// attached is what a message with an id carries. Where the answer to the first try was lost, the second one is a conflict.
func (l *lived) attached(id, name, content string) readapi.ArtifactID {
	l.again("attach", func() error {
		_, err := l.s.Attach(l.t.Context(), host.Message{ID: id, Turn: id, Time: aTime, Text: "see", Files: []host.NewFile{newFile(name, content)}})
		if readapi.CodeOf(err) == readapi.CodeConflict && l.told > 0 {
			return nil
		}
		return err
	})
	e, err := l.h.Ledger().Event(l.t.Context(), l.s.Scope(), id)
	if err != nil || len(e.Refs()) != 1 {
		l.t.Fatal(e, err)
	}
	_, artifact, _ := e.Refs()[0].Address()
	return artifact
}

func (l *lived) uploaded(id, content string) (a readapi.Attachment) {
	l.again("upload", func() error {
		state, err := l.s.BeginUpload(l.t.Context(), beginOf(id, "c", "u.txt", content))
		if err == nil && state.Attachment == nil {
			_, err = l.s.UploadChunk(l.t.Context(), "c", id, state.Next, []byte(content[state.Next:]))
		}
		if err == nil {
			a, err = l.s.CommitUpload(l.t.Context(), "c", id)
		}
		return err
	})
	return a
}

func (l *lived) content(s *host.Session, id readapi.ArtifactID, want string) {
	l.t.Helper()
	l.again("open", func() error {
		b, err := s.OpenBytes(l.t.Context(), uri(id))
		if err != nil {
			return err
		}
		defer b.Close()
		got := make([]byte, b.Attachment.Bytes)
		if _, err := b.ReadAt(got, 0); err != nil && err != io.EOF {
			return err
		}
		if string(got) != want {
			l.t.Errorf("%q, want %q", got, want)
		}
		return nil
	})
}

// life runs it all and checks what it comes to.
func (l *lived) life() {
	ctx := l.t.Context()
	kept, shared := l.attached("m1", "kept.txt", "kept"), l.attached("m2", "shared.txt", "shared")
	deleted := l.attached("m3", "deleted.txt", "deleted")
	up := l.uploaded("up", "uploaded")
	l.again("delete", func() error { return l.s.Delete(ctx, uri(deleted)) })
	l.again("copy", func() error { _, err := l.s.CopyTo(ctx, "t"); return err })
	l.again("open from", func() error { _, err := l.h.Session(scope("u")).OpenFrom(ctx, "s", shared); return err })
	l.content(l.s, kept, "kept")
	l.again("purge", func() error { return l.s.Purge(ctx, uri(up.ID)) })
	l.again("archive", func() error { return l.s.SetArchived(ctx, true) })
	l.again("import", func() error {
		_, err := l.s.Import(ctx, strings.NewReader(`{"type":"assistant","text":"imported","turn":"m3","timestamp":1700000000000}`), ledger.ImportOptions{})
		return err
	})
	l.again("delete session", func() error { return l.s.DeleteSession(ctx) })
	l.again("purge session", func() error { return l.s.PurgeSession(ctx) })
	t, u := l.h.Session(scope("t")), l.h.Session(scope("u"))
	l.content(t, host.CopyID("s", "t", kept), "kept")
	l.content(t, host.CopyID("s", "t", shared), "shared")
	l.content(t, host.CopyID("s", "t", up.ID), "uploaded")
	l.content(u, host.CopyID("s", "u", shared), "shared")
}

func TestFaults(t *testing.T) {
	for _, behind := range []bool{false, true} {
		told := 0
		for k := 1; ; k++ {
			f := &faults{at: k, behind: behind}
			p := newPlace()
			bad := &place{blobs: faultyBlobs{p.blobs, f}, driver: faultyIndex{p.driver, f}}
			h := bad.open(t, newQuick(), &host.Options{Alone: true, CacheBytes: -1})
			l := &lived{t: t, h: h, s: h.Session(scope("s"))}
			if f.n = 0; t.Failed() {
				t.Fatalf("call %d failed, behind its work %v", k-1, behind)
			}
			l.life()
			told += l.told
			over := f.n < k
			f.at = 0
			if err := h.Close(); err != nil {
				t.Fatal(err)
			}
			afterFaults(t, p, fmt.Sprintf("call %d, behind its work %v", k, behind))
			if over {
				t.Logf("behind their work %v: %d calls failed, %d were told", behind, k-1, told)
				if k < 50 || told < k/2 {
					t.Errorf("of %d calls that failed %d were told: this proves little", k-1, told)
				}
				break
			}
		}
	}
}

// afterFaults checks what is left in a store: after a collection nothing is left that no row names, and nothing is missing or doubled.
func afterFaults(t *testing.T, p *place, what string) {
	t.Helper()
	keeper := retain.New(blobsOf(t, p), indexOf(t, p), nil)
	report, err := keeper.Fsck(t.Context(), retain.FsckOptions{ReadData: true, Repair: true, Grace: time.Nanosecond})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for _, f := range report.Findings {
		if !f.Repaired && !f.Harmless {
			t.Errorf("%s: %+v", what, f)
		}
	}
	rows, err := p.driver.ScanArtifacts(t.Context(), store.ArtifactScan{Limit: store.MaxPage})
	if err != nil || len(rows) != 5 { // four in the copy, one that was opened
		t.Errorf("%s: %d artifacts, %v", what, len(rows), err)
	}
	events, err := p.driver.Events(t.Context(), scope("t"), -1, 100)
	if err != nil || len(events) != 3 {
		t.Errorf("%s: %d events in the copy, %v", what, len(events), err)
	}
	if _, ok, err := p.driver.Session(t.Context(), scope("s")); ok || err != nil {
		t.Errorf("%s: the purged session is there: %v", what, err)
	}
	for _, sc := range []readapi.Scope{scope("t"), scope("u")} {
		for _, row := range rows {
			if _, ok, err := p.driver.Upload(t.Context(), sc, "up"); ok || err != nil || row.Purging {
				t.Errorf("%s: %+v, %v", what, row, err)
			}
		}
	}
}
