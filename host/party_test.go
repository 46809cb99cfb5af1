package host_test

import (
	"context"
	"slices"
	"testing"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// heard notes on whose behalf it is asked.
type heard struct {
	*quick
	parties, files []string
}

func (h *heard) Decode(ctx context.Context, info readapi.DecoderInfo, d readapi.Decoding) (readapi.Result, error) {
	h.parties = append(h.parties, d.Party)
	h.files = append(h.files, d.SHA256())
	return h.quick.Decode(ctx, info, d)
}

// A decode says on whose behalf it is: two sessions are two parties, and so are the sessions of one name of two principals.
func TestParty(t *testing.T) {
	d := &heard{quick: newQuick()}
	h := newPlace().open(t, d, &host.Options{CacheBytes: -1})
	for _, sc := range []readapi.Scope{{Principal: "a", Session: "s"}, {Principal: "a", Session: "t"}, {Principal: "b", Session: "s"}} {
		a := attach(t, h.Session(sc), "a.txt", "the same bytes\n")
		for range 2 {
			read(t, h.Session(sc), a.Resource, readapi.Selection{})
		}
	}
	p := d.parties
	if len(p) != 6 || p[0] != p[1] || p[2] != p[3] || p[4] != p[5] || len(slices.Compact(slices.Sorted(slices.Values(p)))) != 3 || slices.Contains(p, "") {
		t.Errorf("parties %q", p)
	}
	if f := slices.Compact(slices.Clone(d.files)); len(f) != 1 || len(f[0]) != 64 {
		t.Errorf("files %q", d.files)
	}
}
