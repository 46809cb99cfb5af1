package host_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestHammer lets everything happen at once, to hosts that share a store and are closed in the middle of it: no call ends in a way that its
// comment does not name, what a session has deleted does not open for it any more, and nothing is left running.
func TestHammer(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	p := newPlace()
	var told, calls atomic.Int64
	o := &host.Options{CacheBytes: 1 << 20, Audit: func(host.AuditEvent) { told.Add(1) }}
	hosts := []*host.Host{p.open(t, newQuick(), o), p.open(t, newQuick(), o)}
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(worker), 1))
			w := hammer{t: t, r: r, scope: scope(fmt.Sprint("s", worker%3)), calls: &calls}
			for i := range 300 {
				w.hit(hosts[r.IntN(len(hosts))])
				if worker == 0 && i == 200 {
					all.Go(func() { _ = hosts[0].Close() })
				}
			}
		})
	}
	all.Wait()
	for _, h := range hosts {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
	if told.Load() != calls.Load() {
		t.Errorf("%d events of %d calls", told.Load(), calls.Load())
	}
}

// hammer is one worker, with the artifacts that it has attached.
type hammer struct {
	t     *testing.T
	r     *rand.Rand
	scope readapi.Scope
	calls *atomic.Int64 // that the audit must know
	mine  []readapi.Attachment
	gone  map[readapi.ArtifactID]bool
}

// ended checks how a call ended, and whether the audit must know of it.
func (w *hammer) ended(what string, err error, allowed ...readapi.Code) bool {
	code := readapi.CodeOf(err)
	if code == readapi.CodeCanceled { // the host is closed
		return false
	}
	w.calls.Add(1)
	if err != nil && !slices.Contains(allowed, code) {
		w.t.Errorf("%s: %v", what, err)
	}
	return err == nil
}

func (w *hammer) hit(h *host.Host) {
	s, ctx := h.Session(w.scope), w.t.Context()
	if len(w.mine) == 0 || w.r.IntN(5) == 0 {
		got, err := s.Attach(ctx, host.Message{Text: "see", Files: []host.NewFile{newFile(pick(w.r, []string{"a.txt", "b.md"}), pick(w.r, []string{"one", "two", "three"}))}})
		if w.ended("attach", err) {
			w.mine = append(w.mine, got.Attachments...)
		}
		return
	}
	a := pick(w.r, w.mine)
	switch w.r.IntN(10) {
	case 6:
		w.upload(s)
	case 7:
		if w.ended("purge", s.Purge(ctx, uri(a.ID))) {
			w.mine = slices.DeleteFunc(w.mine, func(b readapi.Attachment) bool { return b.ID == a.ID })
		}
	case 8:
		other := h.Session(scope("opened-" + string(w.scope.Session)))
		got, err := other.OpenFrom(ctx, w.scope.Session, a.ID)
		if w.ended("open from", err, readapi.CodeNotFound) && (got.Bytes != a.Bytes || got.Name != a.Name) {
			w.t.Errorf("%+v was opened as %+v", a, got)
		}
	case 9:
		w.copy(h, s)
	case 0:
		if w.ended("delete", s.Delete(ctx, uri(a.ID))) {
			if w.gone == nil {
				w.gone = map[readapi.ArtifactID]bool{}
			}
			w.gone[a.ID] = true
		}
	case 1:
		doc, err := s.Read(ctx, uri(a.ID), readapi.Selection{}, nil)
		if w.ended("read", err, readapi.CodeGone, readapi.CodeUnsupportedKind) && (w.gone[a.ID] || doc.Bytes != a.Bytes || doc.Name != a.Name) {
			w.t.Errorf("read %+v: %+v, deleted before: %v", a, doc, w.gone[a.ID])
		}
	case 2:
		b, err := s.OpenBytes(ctx, uri(a.ID))
		if w.ended("open", err, readapi.CodeGone) {
			if n, err := io.Copy(io.Discard, b); n != a.Bytes || err != nil || w.gone[a.ID] {
				w.t.Errorf("%d bytes of %+v, %v, deleted before: %v", n, a, err, w.gone[a.ID])
			}
			_ = b.Close()
		}
	case 3:
		if err := h.EnableDecoder(ctx, "text", w.r.IntN(3) > 0); err != nil && readapi.CodeOf(err) != readapi.CodeCanceled {
			w.t.Errorf("enable: %v", err)
		}
	case 4:
		_, err := h.Session(scope("stranger")).Read(ctx, uri(a.ID), readapi.Selection{}, nil)
		w.ended("stranger", err, readapi.CodeNotFound)
		if err == nil {
			w.t.Errorf("a stranger read %+v", a)
		}
	case 5:
		_, _, err := s.Attachments(ctx, "", store.MaxPage)
		w.ended("list", err)
	}
}

func (w *hammer) upload(s *host.Session) {
	id, content := fmt.Sprint("up", w.r.Uint64()), pick(w.r, []string{"one", "two", "three"})
	_, err := s.BeginUpload(w.t.Context(), beginOf(id, "c", "a.txt", content))
	if !w.ended("begin", err, readapi.CodeBusy) {
		return
	}
	if _, err := s.UploadChunk(w.t.Context(), "c", id, 0, []byte(content)); err != nil {
		w.ended("chunk", err, readapi.CodeNotFound)
		return
	}
	if w.r.IntN(4) == 0 {
		w.ended("abort", s.AbortUpload(w.t.Context(), "c", id))
		return
	}
	a, err := s.CommitUpload(w.t.Context(), "c", id)
	if w.ended("commit", err, readapi.CodeBusy) { // while somebody removes the same bytes
		w.mine = append(w.mine, a)
	}
}

// copy copies the session and purges the copy: what it shares with its source must stay.
func (w *hammer) copy(h *host.Host, s *host.Session) {
	dst := readapi.SessionID(fmt.Sprint("copy", w.r.Uint64()))
	_, err := s.CopyTo(w.t.Context(), dst)
	// Others purge the files of the session, or end its life, and write to it.
	if !w.ended("copy", err, readapi.CodeNotFound, readapi.CodeBusy) || w.r.IntN(2) == 0 {
		return
	}
	d := h.Session(scope(string(dst)))
	w.ended("delete the copy", d.DeleteSession(w.t.Context()), readapi.CodeNotFound)
	w.ended("purge the copy", d.PurgeSession(w.t.Context()))
}
