package retain_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// scene is a store with something of everything that a collection meets.
type scene struct {
	*place
	live   []store.Artifact // that nothing may remove
	gone   []store.Artifact // that are removed in the end
	orphan store.Blob
}

func newScene(t *testing.T, b store.BlobDriver, x store.IndexDriver) *scene {
	t.Helper()
	p := newPlace(t, b, x, "")
	s := &scene{place: p}
	old := func(a *store.Artifact) { a.Created = time.Now().Add(-48 * time.Hour) }
	generated := func(a *store.Artifact) { old(a); a.Source = store.SourceGenerated }
	now := time.Now()
	s.live = append(s.live, p.attach(scope("a"), "kept"), p.attach(scope("a"), "shared"), p.attach(scope("b"), "late"))
	s.gone = append(s.gone, p.attach(scope("a"), "shared", generated), p.attach(scope("a"), "alone", generated))
	purging := p.attach(scope("b"), "purging")
	_, _, err := p.index.PurgeArtifact(t.Context(), purging.Scope, purging.ID, now)
	must(t, err)
	deleted := p.attach(scope("b"), "deleted")
	_, _, err = p.index.DeleteArtifact(t.Context(), deleted.Scope, deleted.ID, now.Add(-48*time.Hour))
	must(t, err)
	s.gone = append(s.gone, purging, deleted)
	for _, session := range []string{"c", "d"} {
		s.gone = append(s.gone, p.attach(scope(session), "of a session"), p.attach(scope(session), "shared"), p.attach(scope(session), session))
	}
	_, _, err = p.index.MarkSession(t.Context(), scope("c"), store.PurgeSession, now)
	must(t, err)
	_, _, err = p.index.MarkSession(t.Context(), scope("d"), store.DeleteSession, now.Add(-48*time.Hour))
	must(t, err)
	s.orphan = p.put("orphan")
	return s
}

// all is a collection that removes everything of a scene that may go.
var all = retain.GCOptions{Grace: nothing, Policy: []retain.Rule{
	{Source: store.SourceGenerated, TTL: 24 * time.Hour, AfterDelete: time.Nanosecond}, {AfterDelete: 24 * time.Hour},
}}

// whole checks that nothing is lost and that every row has its bytes.
func (s *scene) whole(what string) {
	s.t.Helper()
	for _, a := range s.live {
		row, ok := s.find(a)
		if !ok || row.Status != readapi.StatusLive || !s.has(a.Blob) {
			s.t.Fatalf("%s: a live artifact is lost: %+v %v", what, row, ok)
		}
	}
	r, err := s.keeper(nil).Fsck(context.Background(), retain.FsckOptions{ReadData: true})
	must(s.t, err)
	for _, f := range r.Findings {
		if f.Problem != retain.PurgeBegun && !f.Harmless {
			s.t.Fatalf("%s: %+v", what, f)
		}
	}
}

// runs are what may fail or die at any step.
var runs = map[string]func(*retain.Keeper) error{
	"gc": func(k *retain.Keeper) error {
		_, err := k.GC(context.Background(), all)
		return err
	},
	"recover": func(k *retain.Keeper) error {
		_, err := k.Recover(context.Background())
		return err
	},
	"purge": func(k *retain.Keeper) error {
		return k.Purge(context.Background(), store.Purge{Scope: scope("c")})
	},
	"fsck": func(k *retain.Keeper) error {
		r, err := k.Fsck(context.Background(), retain.FsckOptions{Repair: true, Grace: nothing, ReadData: true})
		if err == nil && !r.Clean {
			err = &readapi.Error{Code: readapi.CodeCorrupt, Detail: "the store is not clean"}
		}
		return err
	},
}

// A collection whose step number k fails, or that dies there, loses nothing, and the next ends what it began. Every k; the step is done or
// not; the rest goes on or dies with it.
func TestEveryStepFails(t *testing.T) {
	for name, run := range runs {
		for _, dead := range []bool{false, true} {
			for _, before := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/dead=%v/before=%v", name, dead, before), func(t *testing.T) {
					t.Parallel()
					everyStep(t, run, dead, before)
				})
			}
		}
	}
}

func everyStep(t *testing.T, run func(*retain.Keeper) error, dead, before bool) {
	silent := map[string]int{} // steps whose failure nobody was told of
	for k := 1; ; k++ {
		b, x, _ := engines["memory"](t)
		s := newScene(t, b, x)
		f := &steps{at: k, dead: dead, before: before, lease: 10 * time.Millisecond}
		faulty := newPlace(t, faultyBlobs{b, f}, faultyIndex{x, f}, "")
		err := run(faulty.keeper(nil))
		if f.n < k {
			if k < 8 || err != nil {
				t.Fatalf("the run has %d steps, %v", f.n, err)
			}
			t.Logf("%d steps; unnoticed: %v", f.n, silent)
			return
		}
		what := fmt.Sprintf("step %d, %s", k, f.names[k-1])
		if err == nil {
			silent[f.names[k-1]]++
		} else if _, ok := errors.AsType[*readapi.Error](err); !ok {
			t.Fatalf("%s: an error without a code: %v", what, err)
		}
		s.whole(what)
		s.ends(what)
		for name := range silent {
			if name != "Resign" {
				t.Fatalf("%s failed and nobody was told", name)
			}
		}
	}
}

// ends collects until everything is gone that was to go, and checks that the store is clean then.
func (s *scene) ends(what string) {
	s.t.Helper()
	time.Sleep(12 * time.Millisecond) // what the dead has claimed is over
	for range 2 {                     // the second for what the first has deleted
		if _, err := s.keeper(nil).GC(context.Background(), all); err != nil {
			s.t.Fatalf("%s: the next collection: %v", what, err)
		}
	}
	s.whole(what)
	s.clean(retain.FsckOptions{ReadData: true, Grace: nothing})
	for _, a := range s.gone {
		if _, ok := s.find(a); ok || s.has(a.Blob) && a.Blob != s.live[1].Blob {
			s.t.Fatalf("%s: %s is still there", what, a.Blob)
		}
	}
	if s.has(s.orphan.SHA256) {
		s.t.Fatalf("%s: the orphan is still there", what)
	}
}
