package host_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/recall"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Recall names every file, and gives an address exactly where a read by the asking session works.
func TestRecallOffers(t *testing.T) {
	audit := &log{}
	h := newPlace().open(t, newQuick(), &host.Options{Audit: audit.tell})
	s, other := h.Session(scope("s")), h.Session(scope("other"))
	mine, theirs := attach(t, s, "plan.pdf", aPDF), attach(t, other, "plan-b.txt", "hello")
	gone := attach(t, s, "plan-c.txt", "bye")
	if err := s.Delete(t.Context(), gone.Resource); err != nil {
		t.Fatal(err)
	}
	found := func(s *host.Session) map[string]readapi.Offer {
		t.Helper()
		answer, err := s.Recall(t.Context(), recall.Request{Terms: []string{"plan"}})
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]readapi.Offer{}
		for _, p := range answer.Passages {
			for _, m := range p.Messages {
				for _, f := range m.Materials {
					out[f.Name] = readapi.Offer{URI: f.Resource}
					if p.SessionID == s.Scope().Session {
						out[f.Name] = readapi.Offer{URI: f.Resource, Unavailable: f.Unavailable}
					}
				}
			}
		}
		return out
	}
	if d := cmp.Diff(map[string]readapi.Offer{"plan.pdf": {URI: mine.Resource}, "plan-b.txt": {}, "plan-c.txt": {Unavailable: readapi.CodeGone}}, found(s)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]readapi.Offer{"plan.pdf": {}, "plan-b.txt": {URI: theirs.Resource}, "plan-c.txt": {}}, found(other)); d != "" {
		t.Error(d)
	}
	if err := h.EnableDecoder(t.Context(), "pdf", false); err != nil {
		t.Fatal(err)
	}
	if got := found(s)["plan.pdf"]; got != (readapi.Offer{Unavailable: readapi.CodeUnsupportedKind}) {
		t.Errorf("without its decoder: %+v", got)
	}
	if got := found(h.Session(readapi.Scope{Principal: "other", Session: "s"})); len(got) != 0 {
		t.Errorf("another principal finds %v", got)
	}
	_ = h.Close()
	if d := cmp.Diff([]string{"", "", "", ""}, audit.causes("recall")); d != "" || len(audit.causes("offer")) > 0 {
		t.Errorf("%s; offers %q", d, audit.causes("offer"))
	}
}
