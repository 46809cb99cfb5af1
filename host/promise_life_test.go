package host_test

import (
	"fmt"
	"slices"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// life is what the model of a history knows of whole sessions.
type life struct {
	deleted map[readapi.Scope]bool
	missing map[readapi.Scope]bool // a message carries a file that was purged
	done    map[string]int         // what was done, how often
	copies  int
}

func newLife() life {
	return life{deleted: map[readapi.Scope]bool{}, missing: map[readapi.Scope]bool{}, done: map[string]int{}}
}

// mayEnd checks how something ended that only a deleted session may not do.
func (h *history) mayEnd(s *host.Session, what string, err error) bool {
	want := readapi.Code("")
	if h.life.deleted[s.Scope()] {
		want = readapi.CodeGone
	}
	if readapi.CodeOf(err) != want {
		h.violation("%s in %v: %v, want %q", what, s.Scope(), err, want)
	}
	return err == nil
}

// forget leaves a few of what was purged in the model, so that a long history stays as quick as a short one.
func (h *history) forget() {
	purged := 0
	for _, k := range slices.Backward(h.known) {
		if k.purged {
			if purged++; purged > 200 {
				k.scope = readapi.Scope{}
			}
		}
	}
	h.known = slices.DeleteFunc(h.known, func(k *known) bool { return k.scope == readapi.Scope{} })
}

// of are the artifacts of a session that are still there, in order of arrival.
func (h *history) of(scope readapi.Scope) (out []*known) {
	for _, k := range h.known {
		if k.scope == scope && !k.purged {
			out = append(out, k)
		}
	}
	return out
}

// live lets something happen that is more than a message or a deleted file.
func (h *history) live(on opened, s *host.Session) {
	switch n := h.rand.IntN(100); {
	case n < 30:
		h.upload(s)
	case n < 50 && len(h.known) > 0:
		h.openFrom(s)
	case n < 60:
		h.copySession(s)
	case n < 80 && len(h.known) > 0:
		h.purge(s)
	case n < 90:
		err := s.SetArchived(h.t.Context(), h.rand.IntN(2) == 0)
		if readapi.CodeOf(err) != readapi.CodeNotFound || len(h.of(s.Scope())) > 0 { // else it may not be there yet
			h.mayEnd(s, "archive", err)
		}
		h.life.done["archive"]++
	case n < 94:
		err := s.DeleteSession(h.t.Context())
		if code := readapi.CodeOf(err); code != "" && (code != readapi.CodeNotFound || len(h.of(s.Scope())) > 0) {
			h.violation("delete the session %v: %v", s.Scope(), err)
		}
		if err == nil {
			h.life.deleted[s.Scope()] = true
			for _, k := range h.of(s.Scope()) {
				k.deleted = true
			}
		}
		h.life.done["delete session"]++
	default:
		for _, k := range h.known { // rather one that takes nothing more
			if h.life.deleted[k.scope] {
				s = on.Session(k.scope)
				break
			}
		}
		if err := s.PurgeSession(h.t.Context()); err != nil {
			h.violation("purge the session %v: %v", s.Scope(), err)
		}
		for _, k := range h.of(s.Scope()) {
			k.purged = true
		}
		delete(h.life.deleted, s.Scope())
		delete(h.life.missing, s.Scope())
		h.forget()
		h.life.done["purge session"]++
	}
}

func (h *history) upload(s *host.Session) {
	k := &known{scope: s.Scope(), sample: pick(h.rand, promiseSamples()), source: store.SourceUserUpload}
	id, content := fmt.Sprint("up", h.steps), k.sample.content
	b := beginOf(id, "c", k.sample.name, content)
	b.MediaType = ""
	if _, err := s.BeginUpload(h.t.Context(), b); !h.mayEnd(s, "begin an upload", err) {
		return
	}
	if _, err := s.UploadChunk(h.t.Context(), "c", id, 0, []byte(content)); err != nil {
		h.t.Fatal(err)
	}
	a, err := s.CommitUpload(h.t.Context(), "c", id)
	if err != nil {
		h.t.Fatal(err)
	}
	k.id = a.ID
	if want := h.expected(s.Scope(), k); a.Unavailable != want || (a.Resource == "") != (want != "") {
		h.violation("uploaded %+v, want %q", a, want)
	}
	h.known = append(h.known, k)
	h.life.done["upload"]++
}

// openFrom opens some artifact from elsewhere, often one of the same principal.
func (h *history) openFrom(s *host.Session) {
	k := pick(h.rand, h.known)
	if h.rand.IntN(4) > 0 {
		s = pick(h.rand, h.hosts).Session(readapi.Scope{Principal: k.scope.Principal, Session: s.Scope().Session})
	}
	a, err := s.OpenFrom(h.t.Context(), k.scope.Session, k.id)
	code := readapi.CodeOf(err)
	own := s.Scope() == k.scope
	can := s.Scope().Principal == k.scope.Principal && !k.purged && k.source.Readable() && !k.deleted
	mine := h.find(s.Scope(), a.ID)
	switch {
	case err == nil && mine != nil: // its own, or a copy of before, whatever became of the source
		if mine.deleted || mine.purged || mine.sample != k.sample {
			h.violation("%v opened %+v from %+v, which is %+v", s.Scope(), a, k, mine)
		}
	case err == nil:
		if !can || own || h.life.deleted[s.Scope()] {
			h.violation("%v opened %+v from %+v", s.Scope(), a, k)
		}
		mine = &known{scope: s.Scope(), id: a.ID, sample: k.sample, source: store.SourceCopy}
		// A copy that was purged and is opened again is the same copy.
		h.known = slices.DeleteFunc(h.known, func(k *known) bool { return k.scope == mine.scope && k.id == mine.id })
		h.known = append(h.known, mine)
		h.life.done["open from"]++
	case code == readapi.CodeGone: // a copy that was deleted, or the session
		if !own && h.copyOf(s.Scope(), k) == nil && !h.life.deleted[s.Scope()] {
			h.violation("%v was told %v of %+v", s.Scope(), err, k)
		}
	case code != readapi.CodeNotFound || can:
		h.violation("%v could not open %+v: %v", s.Scope(), k, err)
	}
	if err == nil {
		if want := h.expected(s.Scope(), mine); a.Unavailable != want || (a.Resource == "") != (want != "") {
			h.violation("opened %+v, want %q", a, want)
		}
	}
}

func (h *history) find(scope readapi.Scope, id readapi.ArtifactID) *known {
	for _, k := range h.known {
		if k.scope == scope && k.id == id && !k.purged {
			return k
		}
	}
	return nil
}

// copyOf is the copy of k in scope, if it is there.
func (h *history) copyOf(scope readapi.Scope, k *known) *known {
	return h.find(scope, host.CopyID(k.scope.Session, scope.Session, k.id))
}

func (h *history) copySession(s *host.Session) {
	from := h.of(s.Scope())
	if len(from) == 0 || len(from) > 200 { // a long history need not copy its largest sessions
		return
	}
	h.life.copies++
	dst := readapi.Scope{Principal: s.Scope().Principal, Session: readapi.SessionID(fmt.Sprint("copy", h.life.copies))}
	_, err := s.CopyTo(h.t.Context(), dst.Session)
	if h.life.missing[s.Scope()] && !h.life.deleted[s.Scope()] {
		if readapi.CodeOf(err) != readapi.CodeNotFound {
			h.violation("copy %v without a file that it carries: %v", s.Scope(), err)
		}
		return
	}
	if !h.mayEnd(s, "copy", err) {
		return
	}
	for _, k := range from {
		c := &known{scope: dst, id: host.CopyID(k.scope.Session, dst.Session, k.id), sample: k.sample, source: k.source, deleted: k.deleted, carried: k.carried}
		if k.source.Readable() {
			c.source = store.SourceCopy
		}
		h.known = append(h.known, c)
	}
	h.life.done["copy"]++
}

func (h *history) purge(s *host.Session) {
	k := pick(h.rand, h.known)
	if h.rand.IntN(2) == 0 {
		s = pick(h.rand, h.hosts).Session(k.scope)
	}
	if err := s.Purge(h.t.Context(), uri(k.id)); err != nil {
		h.violation("purge %+v by %v: %v", k, s.Scope(), err)
	}
	if s.Scope() == k.scope && !k.purged {
		h.life.missing[k.scope] = h.life.missing[k.scope] || k.carried
		k.purged = true
		h.life.done["purge"]++
	}
}
