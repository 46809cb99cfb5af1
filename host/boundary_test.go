package host_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// boundaries are what keeps a file from being read, each with a file that nothing else keeps from it, and what its session is told. The
// decoders of everything, below, take that file, so that a condition that is left out is not made up for by another.
var boundaries = map[string]struct {
	want readapi.Code
	set  func(t *testing.T, p *place, h *host.Host) readapi.ArtifactID
}{
	"source": {readapi.CodeNotFound, func(t *testing.T, p *place, _ *host.Host) readapi.ArtifactID {
		p.put(t, scope("s"), "", store.Artifact{ID: "recorded", Name: "r.txt", MediaType: "text/plain", Kind: readapi.KindOther, Source: store.SourceMemoryAddURI})
		return "recorded"
	}},
	"status": {readapi.CodeGone, func(t *testing.T, p *place, h *host.Host) readapi.ArtifactID {
		a := attach(t, h.Session(scope("s")), "a.txt", "hello")
		if err := h.Session(scope("s")).Delete(t.Context(), uri(a.ID)); err != nil {
			t.Fatal(err)
		}
		return a.ID
	}},
	"empty": {readapi.CodeUnsupportedKind, func(t *testing.T, p *place, h *host.Host) readapi.ArtifactID {
		return attach(t, h.Session(scope("s")), "empty", "").ID
	}},
	"media type": {readapi.CodeUnsupportedKind, func(t *testing.T, p *place, h *host.Host) readapi.ArtifactID {
		return attach(t, h.Session(scope("s")), "x.zip", "PK\x03\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00").ID
	}},
	"size": {readapi.CodeTooLarge, func(t *testing.T, p *place, h *host.Host) readapi.ArtifactID {
		return attach(t, h.Session(scope("s")), "a.txt", strings.Repeat("x", 1001)).ID
	}},
	"scope": {readapi.CodeNotFound, func(t *testing.T, p *place, h *host.Host) readapi.ArtifactID {
		return attach(t, h.Session(scope("other")), "a.txt", "hello").ID
	}},
	"principal": {readapi.CodeNotFound, func(t *testing.T, p *place, h *host.Host) readapi.ArtifactID {
		return attach(t, h.Session(readapi.Scope{Principal: "other", Session: "s"}), "a.txt", "hello").ID
	}},
	"every host": {readapi.CodeUnsupportedKind, func(t *testing.T, p *place, h *host.Host) readapi.ArtifactID {
		a := attach(t, h.Session(scope("s")), "q3.pdf", aPDF)
		older := newQuick()
		older.decoders = older.decoders[1:]
		p.open(t, older, nil)
		return a.ID
	}},
	"decoder enabled": {readapi.CodeUnsupportedKind, func(t *testing.T, p *place, h *host.Host) readapi.ArtifactID {
		if err := h.EnableDecoder(t.Context(), "pdf", false); err != nil {
			t.Fatal(err)
		}
		return attach(t, h.Session(scope("s")), "q3.pdf", aPDF).ID
	}},
}

// mutants are hosts that leave one boundary out, wherever it is held.
func mutants() map[string]func(*place) func(*host.Host) {
	out := map[string]func(*place) func(*host.Host){
		"scope": func(p *place) func(*host.Host) {
			p.driver = anyScope{p.driver, func(asked, row readapi.Scope) bool { return row.Principal == asked.Principal }}
			return nil
		},
		"principal": func(p *place) func(*host.Host) {
			p.driver = anyScope{p.driver, func(asked, row readapi.Scope) bool { return row.Session == asked.Session }}
			return nil
		},
	}
	for _, name := range host.Conditions() {
		out[name] = func(*place) func(*host.Host) {
			return func(h *host.Host) { host.LeaveOut(h, name) }
		}
	}
	return out
}

// anyScope answers for artifacts of other scopes too.
type anyScope struct {
	store.IndexDriver
	also func(asked, row readapi.Scope) bool
}

func (d anyScope) Artifacts(ctx context.Context, scope readapi.Scope, ids []readapi.ArtifactID) ([]store.Artifact, int64, error) {
	rows, generation, err := d.IndexDriver.Artifacts(ctx, scope, ids)
	for _, id := range ids {
		all, findErr := d.FindArtifacts(ctx, id)
		if findErr != nil {
			return nil, 0, findErr
		}
		for _, row := range all {
			if row.Scope != scope && d.also(scope, row.Scope) {
				rows = append(rows, row)
			}
		}
	}
	return rows, generation, err
}

// held reports whether a boundary holds in a host that leaves another one out (""): offer and read refuse with the boundary's code.
func held(t *testing.T, boundary, leftOut string) bool {
	t.Helper()
	b, p, d := boundaries[boundary], newPlace(), newQuick()
	// One that takes what nothing is known about, so that only the empty file of that type is refused for being empty.
	d.decoders = append(d.decoders, quickDecoder{"any", []readapi.MediaType{readapi.OctetStream}})
	var after func(*host.Host)
	if leftOut != "" {
		after = mutants()[leftOut](p)
	}
	h := p.open(t, d, &host.Options{Limits: readapi.Limits{MaxInputBytes: 1000}})
	id := b.set(t, p, h)
	if after != nil {
		after(h)
	}
	ref := readapi.Attachment{ID: id, Name: "n", MediaType: "m/m", Kind: readapi.KindOther}.Ref("s")
	s := h.Session(scope("s"))
	offer := offerOf(t, s, ref)
	_, err := s.Read(t.Context(), uri(id), readapi.Selection{}, nil)
	return offer.Unavailable == b.want && readapi.CodeOf(err) == b.want
}

// Each boundary holds, and the host that leaves it out is found out by exactly that boundary's test.
func TestBoundaries(t *testing.T) {
	if got, want := slices.Sorted(maps.Keys(mutants())), slices.Sorted(maps.Keys(boundaries)); !slices.Equal(got, want) {
		t.Fatalf("mutants of %q, boundaries %q", got, want)
	}
	for boundary := range boundaries {
		if !held(t, boundary, "") {
			t.Errorf("%s does not hold", boundary)
		}
		for leftOut := range boundaries {
			if got := held(t, boundary, leftOut); got != (boundary != leftOut) {
				t.Errorf("without %s, the test of %s passes: %v", leftOut, boundary, got)
			}
		}
	}
}
