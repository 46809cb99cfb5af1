package store_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// ids are those of what a walk yields.
func ids[T any](t *testing.T, seq iter.Seq2[T, error], id func(T) string) (out []string) {
	t.Helper()
	for v, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, id(v))
	}
	return out
}

// Each walk meets everything once, in order, also where the last page is a full one.
func TestWalks(t *testing.T) {
	for _, n := range []int{0, 1, store.MaxPage - 1, store.MaxPage, store.MaxPage + 1, 2 * store.MaxPage} {
		x, err := store.NewIndex(memindex.New())
		if err != nil {
			t.Fatal(err)
		}
		at := time.Now().UTC().Truncate(time.Millisecond)
		one := store.Session{Principal: "p", ID: "a", Created: at, Updated: at}
		var rows []store.Artifact
		var files, sessions []string
		for i := range n {
			a := row(one.Scope(), fmt.Sprintf("f%06d", i), int64(i), at)
			rows, files = append(rows, a), append(files, string(a.ID))
			s := store.Session{Principal: "q", ID: readapi.SessionID(fmt.Sprintf("s%06d", i)), Created: at, Updated: at}
			sessions = append(sessions, string(s.ID))
			if err := x.Load(t.Context(), s, nil, nil, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Load(t.Context(), one, rows, nil, nil); err != nil {
			t.Fatal(err)
		}
		file := func(a store.Artifact) string { return string(a.ID) }
		session := func(s store.Session) string { return string(s.ID) }
		newest := slices.Sorted(slices.Values(ids(t, x.SessionsOf(t.Context(), "q", store.SessionQuery{}), session)))
		for name, c := range map[string]struct{ got, want []string }{
			"AllArtifacts":     {ids(t, x.AllArtifacts(t.Context(), store.ArtifactScan{}), file), files},
			"AllArtifacts, 7":  {ids(t, x.AllArtifacts(t.Context(), store.ArtifactScan{Limit: 7}), file), files},
			"ArtifactsOf":      {ids(t, x.ArtifactsOf(t.Context(), one.Scope()), file), files},
			"AllSessions":      {ids(t, x.AllSessions(t.Context(), readapi.Scope{}), session), append([]string{"a"}, sessions...)},
			"AllSessions of q": {ids(t, x.AllSessions(t.Context(), readapi.Scope{Principal: "q"}), session), sessions},
			"SessionsOf":       {newest, sessions},
		} {
			if !slices.Equal(c.got, c.want) {
				t.Errorf("%s of %d: %d rows", name, n, len(c.got))
			}
		}
	}
}

func row(scope readapi.Scope, id string, seq int64, at time.Time) store.Artifact {
	return store.Artifact{Scope: scope, ID: readapi.ArtifactID(id), Seq: seq, Version: 1, Blob: digest, Bytes: 1, Name: "n", Kind: readapi.KindCode,
		Source: store.SourceUserUpload, Status: readapi.StatusLive, MediaType: "text/plain", Created: at}
}

// A walk whose limit cannot be, or that is canceled, says so once and ends.
func TestWalkEnds(t *testing.T) {
	x, err := store.NewIndex(memindex.New())
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for want, seq := range map[readapi.Code]iter.Seq2[store.Artifact, error]{
		readapi.CodeInvalidRequest: x.AllArtifacts(t.Context(), store.ArtifactScan{Limit: -1}),
		readapi.CodeCanceled:       x.AllArtifacts(ended, store.ArtifactScan{}),
	} {
		var got []error
		for _, err := range seq {
			got = append(got, err)
		}
		if len(got) != 1 || !errors.Is(got[0], want) {
			t.Errorf("%v instead of one %v", got, want)
		}
	}
}

// lostAnswer gives leases, and does not say so.
type lostAnswer struct{ store.IndexDriver }

func (d lostAnswer) Acquire(ctx context.Context, name, holder string, ttl time.Duration) (bool, error) {
	_, err := d.IndexDriver.Acquire(ctx, name, holder, ttl)
	return false, errors.Join(err, errors.New("the answer is lost"))
}

// A lease whose answer was lost is given back: the next one need not wait for it. One that is held keeps others out, until it is stopped.
func TestLead(t *testing.T) {
	driver := memindex.New()
	x, err := store.NewIndex(driver)
	if err != nil {
		t.Fatal(err)
	}
	lost, err := store.NewIndex(lostAnswer{driver})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := lost.Lead(t.Context(), "n", time.Hour); err == nil {
		t.Fatal("nobody has said that it was given")
	}
	ctx, stop, err := x.Lead(t.Context(), "n", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := x.Lead(t.Context(), "n", time.Hour); !errors.Is(err, readapi.CodeBusy) {
		t.Fatal(err)
	}
	stop()
	if ctx.Err() == nil {
		t.Fatal("the context goes on behind stop")
	}
	_, stop, err = x.Lead(t.Context(), "n", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	stop()
}
