package host_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func digestOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func beginOf(id, owner, name, content string) host.UploadBegin {
	return host.UploadBegin{ID: id, Owner: owner, Name: name, MediaType: "text/plain", Bytes: int64(len(content)), SHA256: digestOf(content)}
}

// upload begins an upload and sends its bytes, without committing it.
func upload(t testing.TB, s *host.Session, id, owner, name, content string) {
	t.Helper()
	if _, err := s.BeginUpload(t.Context(), beginOf(id, owner, name, content)); err != nil {
		t.Fatal(err)
	}
	if next, err := s.UploadChunk(t.Context(), owner, id, 0, []byte(content)); err != nil || next != int64(len(content)) {
		t.Fatal(next, err)
	}
}

// uploaded is a whole upload.
func uploaded(t testing.TB, s *host.Session, id, name, content string) readapi.Attachment {
	t.Helper()
	upload(t, s, id, "c1", name, content)
	a, err := s.CommitUpload(t.Context(), "c1", id)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// staging is a blob driver that counts what is begun and not ended.
type staging struct {
	store.BlobDriver
	open atomic.Int64
}

type stagingWriter struct {
	store.BlobWriter
	d    *staging
	once sync.Once
}

func (d *staging) Create(ctx context.Context) (store.BlobWriter, error) {
	w, err := d.BlobDriver.Create(ctx)
	if err != nil {
		return nil, err
	}
	d.open.Add(1)
	return &stagingWriter{BlobWriter: w, d: d}, nil
}

func (w *stagingWriter) end() { w.once.Do(func() { w.d.open.Add(-1) }) }

func (w *stagingWriter) Commit(sha256 string) error {
	err := w.BlobWriter.Commit(sha256)
	if err == nil {
		w.end()
	}
	return err
}

func (w *stagingWriter) Abort() error {
	w.end()
	return w.BlobWriter.Abort()
}

// Case mk-up-01: parts may come again, only their owner sends them, and once it is committed everybody gets the same attachment. Case
// mk-id-01: the same upload of the same session is the same artifact, and its id says nothing.
func TestUploadCommitted(t *testing.T) {
	for name, open := range places() {
		t.Run(name, func(t *testing.T) {
			p := open(t)
			h := p.open(t, newQuick(), nil)
			s, ctx := h.Session(scope("session-1")), t.Context()
			const content = "fixture text"
			begin := beginOf("upload-1", "c1", "dir/fixture.txt", content)
			state, err := s.BeginUpload(ctx, begin)
			if err != nil || state.Next != 0 || state.Attachment != nil || state.Expires.IsZero() {
				t.Fatal(state, err)
			}
			for range 2 {
				if next, err := s.UploadChunk(ctx, "c1", "upload-1", 0, []byte(content[:8])); next != 8 || err != nil {
					t.Fatal(next, err)
				}
			}
			_, err = s.UploadChunk(ctx, "c2", "upload-1", 0, []byte(content[:8]))
			wantCode(t, "a part of somebody else", err, readapi.CodeNotFound)
			_, err = s.CommitUpload(ctx, "c2", "upload-1")
			wantCode(t, "a commit of somebody else", err, readapi.CodeNotFound)
			wantCode(t, "an abort of somebody else", s.AbortUpload(ctx, "c2", "upload-1"), readapi.CodeNotFound)
			if state, err := s.BeginUpload(ctx, begin); state.Next != 8 || err != nil {
				t.Error("begun again in the middle:", state, err)
			}
			if next, err := s.UploadChunk(ctx, "c1", "upload-1", 8, []byte(content[8:])); next != int64(len(content)) || err != nil {
				t.Fatal(next, err)
			}
			first, err := s.CommitUpload(ctx, "c1", "upload-1")
			if err != nil || first.Kind != readapi.KindOther || first.Name != "dir-fixture.txt" || first.Version != 1 || len(first.ID) != 32 || first.Resource != uri(first.ID) {
				t.Fatalf("%+v, %v", first, err)
			}
			check := func(s *host.Session) {
				t.Helper()
				for _, owner := range []string{"c1", "c3"} {
					if again, err := s.CommitUpload(ctx, owner, "upload-1"); err != nil || again != first {
						t.Errorf("committed again by %s: %+v, %v", owner, again, err)
					}
					begin := begin
					begin.Owner = owner
					if state, err := s.BeginUpload(ctx, begin); err != nil || state.Attachment == nil || *state.Attachment != first || state.Next != first.Bytes {
						t.Errorf("begun again by %s: %+v, %v", owner, state, err)
					}
					begin.Name = "other.txt"
					_, err := s.BeginUpload(ctx, begin)
					wantCode(t, "begun as something else", err, readapi.CodeConflict)
					wantCode(t, "aborted behind the commit", s.AbortUpload(ctx, owner, "upload-1"), readapi.CodeConflict)
				}
			}
			check(s)
			if doc := read(t, s, first.Resource, readapi.Selection{}); doc.Bytes != first.Bytes {
				t.Errorf("%+v", doc)
			}
			_, err = h.Session(scope("session-2")).CommitUpload(ctx, "c1", "upload-1")
			wantCode(t, "an upload of another session", err, readapi.CodeNotFound)
			if err := h.Close(); err != nil {
				t.Fatal(err)
			}
			check(p.again(t).open(t, newQuick(), nil).Session(scope("session-1"))) // another process
			if other := uploaded(t, p.open(t, newQuick(), nil).Session(scope("session-2")), "upload-1", "fixture.txt", content); other.ID == first.ID {
				t.Error("the same upload of another session is the same artifact")
			}
		})
	}
}

// Case mk-up-02: bytes that are not those that were announced are no attachment, and the upload is over.
func TestUploadNotAsAnnounced(t *testing.T) {
	p := newPlace()
	d := &staging{BlobDriver: p.blobs}
	p.blobs = d
	s, ctx := p.open(t, newQuick(), nil).Session(scope("s")), t.Context()
	for name, change := range map[string]func(*host.UploadBegin){
		"digest": func(b *host.UploadBegin) { b.SHA256 = strings.Repeat("0", 64) },
		"size":   func(b *host.UploadBegin) { b.Bytes++ },
	} {
		b := beginOf("up-"+name, "c1", "a.txt", "hello")
		change(&b)
		if _, err := s.BeginUpload(ctx, b); err != nil {
			t.Fatal(err)
		}
		if _, err := s.UploadChunk(ctx, "c1", b.ID, 0, []byte("hello")); err != nil {
			t.Fatal(err)
		}
		_, err := s.CommitUpload(ctx, "c1", b.ID)
		wantCode(t, "another "+name, err, readapi.CodeConflict)
		_, err = s.CommitUpload(ctx, "c1", b.ID)
		wantCode(t, "again after another "+name, err, readapi.CodeNotFound)
	}
	if list, _, err := s.Attachments(ctx, "", 0); len(list) != 0 || err != nil || d.open.Load() != 0 {
		t.Errorf("%v, %v, %d files are open", list, err, d.open.Load())
	}
	for _, err := range d.List(ctx) {
		t.Errorf("bytes are left: %v", err)
	}
}

// Case mk-up-03: an upload waits so long; being begun in the same way starts its time again, being begun in another does not.
func TestUploadTime(t *testing.T) {
	now := aTime
	p := newPlace()
	d := &staging{BlobDriver: p.blobs}
	p.blobs = d
	h := p.open(t, newQuick(), &host.Options{Now: func() time.Time { return now }})
	s, ctx := h.Session(scope("s")), t.Context()
	one, two := beginOf("one", "c1", "a.txt", "hello"), beginOf("two", "c1", "a.txt", "hello")
	for _, b := range []host.UploadBegin{one, two} {
		if state, err := s.BeginUpload(ctx, b); err != nil || !state.Expires.Equal(aTime.Add(5*time.Minute)) {
			t.Fatal(state, err)
		}
	}
	now = aTime.Add(5*time.Minute - time.Millisecond)
	other := one
	other.Name = "b.txt"
	_, err := s.BeginUpload(ctx, other)
	wantCode(t, "begun as another", err, readapi.CodeConflict)
	if _, err := s.BeginUpload(ctx, two); err != nil {
		t.Fatal(err)
	}
	now = aTime.Add(5 * time.Minute)
	_, err = s.UploadChunk(ctx, "c1", "one", 0, []byte("hel"))
	wantCode(t, "its time is over", err, readapi.CodeNotFound)
	if _, err := s.UploadChunk(ctx, "c1", "two", 0, []byte("hel")); err != nil || d.open.Load() != 1 {
		t.Errorf("%v, %d files are open", err, d.open.Load())
	}
	now = now.Add(5*time.Minute - 1) // since the part
	if _, err := s.UploadChunk(ctx, "c1", "two", 3, []byte("lo")); err != nil {
		t.Error("a part did not start the time again:", err)
	}
	if _, err := s.BeginUpload(ctx, other); err != nil { // its id is free again
		t.Error(err)
	}
	if err := h.Close(); err != nil || d.open.Load() != 0 {
		t.Errorf("%v, %d files are open on a closed host", err, d.open.Load())
	}
}

// Parts in any order, cut anywhere, right and wrong, against a model of a few lines: what is accepted is what was announced, at its place.
func TestUploadParts(t *testing.T) {
	p := newPlace()
	h := p.open(t, newQuick(), &host.Options{MaxUploads: 1000})
	n := atomic.Int64{}
	rapid.Check(t, func(r *rapid.T) {
		s, ctx := h.Session(scope("s")), t.Context()
		content := rapid.SliceOfN(rapid.SampledFrom([]byte("ab")), 0, 40).Draw(r, "content")
		id := fmt.Sprint("u", n.Add(1))
		if _, err := s.BeginUpload(ctx, beginOf(id, "c", "a.txt", string(content))); err != nil {
			r.Fatal(err)
		}
		next, borders := 0, []int{0}
		for range rapid.IntRange(0, 30).Draw(r, "parts") {
			from := rapid.IntRange(0, min(len(content), next+2)).Draw(r, "from")
			if rapid.Bool().Draw(r, "at a border") {
				from = rapid.SampledFrom(borders).Draw(r, "border")
			}
			part := bytes.Clone(content[from:rapid.IntRange(from, len(content)).Draw(r, "to")])
			wrong := len(part) > 0 && rapid.IntRange(0, 3).Draw(r, "wrong") == 0
			if wrong {
				i := rapid.IntRange(0, len(part)-1).Draw(r, "at")
				part[i] ^= 3 // a and b change places
				wrong = from+i < next
				if !wrong {
					part[i] ^= 3 // what is new cannot be wrong before the commit
				}
			}
			end := from + len(part)
			ok := from <= next && !wrong && (len(part) == 0 || slices.Contains(borders, from) && (end >= next || slices.Contains(borders, end)))
			got, err := s.UploadChunk(ctx, "c", id, int64(from), part)
			if ok {
				if end > next {
					next, borders = end, append(borders, end)
				}
				if err != nil || got != int64(next) {
					r.Fatalf("%d-%d: %d, %v, want %d", from, end, got, err, next)
				}
			} else if readapi.CodeOf(err) != readapi.CodeConflict {
				r.Fatalf("%d-%d of %d was taken: %v", from, end, next, err)
			}
		}
		if _, err := s.UploadChunk(ctx, "c", id, int64(next), content[next:]); err != nil {
			r.Fatal(err)
		}
		_, err := s.UploadChunk(ctx, "c", id, int64(len(content)), []byte("more"))
		if readapi.CodeOf(err) != readapi.CodeConflict {
			r.Fatal("more than was announced:", err)
		}
		a, err := s.CommitUpload(ctx, "c", id)
		if err != nil || a.Bytes != int64(len(content)) {
			r.Fatal(a, err)
		}
		b, err := s.OpenBytes(ctx, uri(a.ID))
		if err != nil {
			r.Fatal(err)
		}
		got := make([]byte, len(content))
		if _, err := b.ReadAt(got, 0); !bytes.Equal(got, content) {
			r.Fatalf("%q, %v, want %q", got, err, content)
		}
		_ = b.Close()
	})
}

// Whoever commits first gives an upload its attachment: on two hosts at once, by many owners, there is one.
func TestUploadRace(t *testing.T) {
	for name, open := range places() {
		t.Run(name, func(t *testing.T) {
			p := open(t)
			hosts := []*host.Host{p.open(t, newQuick(), nil), p.again(t).open(t, newQuick(), nil)}
			for round := range 10 {
				var all sync.WaitGroup
				id := fmt.Sprint("up", round)
				got := make([]readapi.Attachment, 8)
				for i := range got {
					s, owner := hosts[i%2].Session(scope("s")), fmt.Sprint("c", i/2)
					state, err := s.BeginUpload(t.Context(), beginOf(id, owner, "a.txt", "hello"))
					if err != nil {
						t.Fatal(err)
					}
					if _, err := s.UploadChunk(t.Context(), owner, id, state.Next, []byte("hello")); err != nil {
						t.Fatal(err)
					}
				}
				for i := range got {
					all.Go(func() {
						var err error
						if got[i], err = hosts[i%2].Session(scope("s")).CommitUpload(t.Context(), fmt.Sprint("c", i/2), id); err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
				for i := range got {
					got[i].Version = max(1, got[i].Version)
					if got[i] != got[0] {
						t.Errorf("%+v and %+v", got[0], got[i])
					}
				}
			}
			if list, _, err := hosts[0].Session(scope("s")).Attachments(t.Context(), "", 0); len(list) != 10 || err != nil {
				t.Errorf("%d attachments, %v", len(list), err)
			}
		})
	}
}

func TestUploadLimits(t *testing.T) {
	p := newPlace()
	d := &staging{BlobDriver: p.blobs}
	p.blobs = d
	h := p.open(t, newQuick(), &host.Options{MaxUploads: 3, MaxUploadBytes: 10, MaxAttachmentBytes: 20})
	ctx := t.Context()
	s, other := h.Session(scope("s")), h.Session(readapi.Scope{Principal: "other", Session: "s"})
	refused := func(what string, b host.UploadBegin, code readapi.Code, limit string) {
		t.Helper()
		_, err := s.BeginUpload(ctx, b)
		wantCode(t, what, err, code)
		if e, ok := err.(*readapi.Error); ok && limit != "" && (e.Limit == nil || e.Limit.Name != limit) {
			t.Errorf("%s: %+v", what, e.Limit)
		}
	}
	refused("more than a file may have", beginOf("a", "c", "a.txt", strings.Repeat("x", 21)), readapi.CodeTooLarge, "max_attachment_bytes")
	refused("more than uploads may have", beginOf("a", "c", "a.txt", strings.Repeat("x", 11)), readapi.CodeTooLarge, "upload_bytes")
	upload(t, s, "one", "c", "a.txt", "123456")
	refused("more than is left", beginOf("two", "c", "a.txt", "12345"), readapi.CodeQuotaExceeded, "upload_bytes")
	upload(t, s, "two", "c", "a.txt", "1234")
	upload(t, h.Session(scope("t")), "three", "c", "a.txt", "")
	refused("a fourth", beginOf("four", "c", "a.txt", ""), readapi.CodeBusy, "uploads")
	upload(t, other, "one", "c", "a.txt", "1234567890") // another principal has its own
	if err := s.AbortUpload(ctx, "c", "one"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CommitUpload(ctx, "c", "two"); err != nil {
		t.Fatal(err)
	}
	upload(t, s, "four", "c", "a.txt", "1234567890")
	good := beginOf("five", "c", "a.txt", "")
	for what, change := range map[string]func(*host.UploadBegin){
		"no id": func(b *host.UploadBegin) { b.ID = "" }, "an id that is none": func(b *host.UploadBegin) { b.ID = "a b" },
		"no owner": func(b *host.UploadBegin) { b.Owner = "" }, "no digest": func(b *host.UploadBegin) { b.SHA256 = "" },
		"a digest in capitals": func(b *host.UploadBegin) { b.SHA256 = strings.ToUpper(b.SHA256) }, "a negative size": func(b *host.UploadBegin) { b.Bytes = -1 },
		"a source that has no bytes": func(b *host.UploadBegin) { b.Source = store.SourceMemoryAddURI },
	} {
		b := good
		change(&b)
		refused(what, b, readapi.CodeInvalidRequest, "")
	}
	_, err := s.UploadChunk(ctx, "c", "four", -1, nil)
	wantCode(t, "a negative offset", err, readapi.CodeInvalidRequest)
	if err := h.Close(); err != nil || d.open.Load() != 0 {
		t.Errorf("%v, %d files are open", err, d.open.Load())
	}
	_, err = s.BeginUpload(ctx, good)
	wantCode(t, "a closed host", err, readapi.CodeCanceled)
}

// A quota is looked at before the first byte, and again when the upload becomes an attachment. What is refused then leaves no row, and
// nothing holds its bytes any more.
func TestUploadQuota(t *testing.T) {
	p := newPlace()
	h := p.open(t, newQuick(), &host.Options{Quota: store.Quota{SessionBytes: 10, PrincipalFiles: 3, TotalBytes: 25}})
	ctx := t.Context()
	s := h.Session(scope("s"))
	upload(t, s, "one", "c", "a.txt", "123456")
	upload(t, s, "two", "c", "b.txt", "abcdef")
	if _, err := s.CommitUpload(ctx, "c", "one"); err != nil {
		t.Fatal(err)
	}
	limit := func(what string, err error, name string) {
		t.Helper()
		wantCode(t, what, err, readapi.CodeQuotaExceeded)
		if e, ok := err.(*readapi.Error); ok && (e.Limit == nil || e.Limit.Name != name) {
			t.Errorf("%s: %+v", what, e)
		}
	}
	_, err := s.CommitUpload(ctx, "c", "two")
	limit("at the commit", err, "session_bytes")
	if uses, err := indexOf(t, p).BlobUses(ctx, []string{digestOf("abcdef")}); err != nil || uses[digestOf("abcdef")] != (store.BlobUse{SHA256: digestOf("abcdef")}) {
		t.Errorf("%+v, %v", uses, err)
	}
	if list, _, err := s.Attachments(ctx, "", 0); len(list) != 1 || err != nil {
		t.Error(list, err)
	}
	_, err = s.BeginUpload(ctx, beginOf("three", "c", "a.txt", "12345"))
	limit("at the begin", err, "session_bytes")
	unread := host.NewFile{Name: "a.txt", Size: 5, SizeKnown: true, Content: iotest.ErrReader(errors.New("it was read"))}
	_, err = s.Attach(ctx, host.Message{Text: "see", Files: []host.NewFile{unread}})
	limit("attached", err, "session_bytes")
	_, err = s.Attach(ctx, host.Message{Text: "see", Files: []host.NewFile{{Name: "a.txt", Content: strings.NewReader("12345")}}})
	limit("attached, of a size that is not said", err, "session_bytes")
	attach(t, s, "c.txt", "1234")
	attach(t, h.Session(scope("t")), "c.txt", "1234")
	_, err = h.Session(scope("u")).BeginUpload(ctx, beginOf("a", "c", "a.txt", "1"))
	limit("a fourth file", err, "principal_files")
	other := h.Session(readapi.Scope{Principal: "other", Session: "s"})
	attach(t, other, "a.txt", "12345678")
	_, err = h.Session(readapi.Scope{Principal: "third", Session: "s"}).BeginUpload(ctx, beginOf("a", "c", "a.txt", "1234"))
	limit("more than all may have", err, "total_bytes")
	if e, ok := err.(*readapi.Error); ok && e.Limit != nil && e.Limit.Actual != 0 {
		t.Errorf("one principal is told how much the others have: %+v", err)
	}
	if err := other.PurgeSession(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err = h.Session(readapi.Scope{Principal: "third", Session: "s"}).BeginUpload(ctx, beginOf("a", "c", "a.txt", "1234")); err != nil {
		t.Error("a purge has given no room:", err)
	}
}

// A message carries files that its session has already, before the new ones; whose they are not, it cannot.
func TestAttachedBefore(t *testing.T) {
	p := newPlace()
	h := p.open(t, newQuick(), &host.Options{MaxAttachments: 3})
	s, ctx := h.Session(scope("s")), t.Context()
	a, b := uploaded(t, s, "one", "a.txt", "aaa"), uploaded(t, s, "two", "a.txt", "bbb")
	if a.Version != 1 || b.Version != 2 {
		t.Errorf("versions %d and %d", a.Version, b.Version)
	}
	got, err := s.Attach(ctx, host.Message{Attached: []readapi.ArtifactID{b.ID, a.ID}, Files: []host.NewFile{newFile("c.txt", "ccc")}})
	if err != nil || len(got.Attachments) != 3 || got.Attachments[0] != b || got.Attachments[1] != a {
		t.Fatalf("%+v, %v", got, err)
	}
	e, err := h.Ledger().Event(ctx, scope("s"), got.MessageID)
	if err != nil || len(e.Refs()) != 3 {
		t.Fatal(e, err)
	}
	if d := cmp.Diff([]readapi.AttachmentRef{b.Ref("s"), a.Ref("s"), got.Attachments[2].Ref("s")}, e.Refs()); d != "" {
		t.Error(d)
	}
	foreign := uploaded(t, h.Session(scope("t")), "one", "a.txt", "aaa")
	c := uploaded(t, s, "three", "a.txt", "ccc")
	if err := s.Delete(ctx, uri(c.ID)); err != nil {
		t.Fatal(err)
	}
	p.put(t, scope("s"), "", store.Artifact{ID: "recorded", Name: "a.txt", MediaType: "text/plain", Kind: readapi.KindOther, Source: store.SourceMemoryAddURI})
	for what, c := range map[string]struct {
		ids  []readapi.ArtifactID
		want readapi.Code
	}{
		"absent": {[]readapi.ArtifactID{a.ID, "missing"}, readapi.CodeNotFound}, "foreign": {[]readapi.ArtifactID{foreign.ID}, readapi.CodeNotFound},
		"deleted": {[]readapi.ArtifactID{c.ID}, readapi.CodeGone}, "twice": {[]readapi.ArtifactID{a.ID, a.ID}, readapi.CodeInvalidRequest},
		"recorded": {[]readapi.ArtifactID{"recorded"}, readapi.CodeNotFound}, "no id": {[]readapi.ArtifactID{"a b"}, readapi.CodeInvalidRequest},
	} {
		_, err := s.Attach(ctx, host.Message{Text: "see", Attached: c.ids})
		wantCode(t, what, err, c.want)
	}
	_, err = s.Attach(ctx, host.Message{Attached: []readapi.ArtifactID{a.ID, b.ID}, Files: []host.NewFile{newFile("c.txt", "x"), newFile("d.txt", "y")}})
	wantCode(t, "more than a message carries", err, readapi.CodeInvalidRequest)
}
