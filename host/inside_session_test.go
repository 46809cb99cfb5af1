package host_test

import (
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/plugins/boxtest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// withBoxes are quick decoders and that of archives.
func withBoxes() *quick {
	q := newQuick()
	q.decoders = append(q.decoders, quickDecoder{"box", []readapi.MediaType{boxtest.MediaType}})
	return q
}

// Behind an address a file inside the file is read as one is: the address, the decoders that the store enables, the cache.
func TestChildByAddress(t *testing.T) {
	h := newPlace().open(t, withBoxes(), nil)
	s := h.Session(scope("s"))
	a := attach(t, s, "box.zip", string(boxtest.Nest(2, text("leaf.txt", "leaf"))))
	child := readapi.Selection{Child: []int{2, 2}}
	doc := read(t, s, a.Resource, child)
	if doc.URI != a.Resource || doc.Child != "2/2" || doc.Name != "leaf.txt" || doc.Usage.Cached || doc.Parts[0].Text != "text read 4 bytes of text/plain" {
		t.Errorf("got %+v", doc)
	}
	for what, c := range map[string]struct {
		sel    readapi.Selection
		lim    *readapi.Limits
		cached bool
	}{
		"again":              {child, nil, true},
		"another child":      {readapi.Selection{Child: []int{2, 1}}, nil, false},
		"the file itself":    {readapi.Selection{}, nil, false},
		"another form":       {readapi.Selection{Child: []int{2, 2}, Form: readapi.FormText}, nil, false},
		"a password":         {readapi.Selection{Child: []int{2, 2}, Password: "p"}, nil, false},
		"another password":   {readapi.Selection{Child: []int{2, 2}, Password: "q"}, nil, false},
		"a limit of no sway": {child, &readapi.Limits{MaxInputBytes: 1}, true},
	} {
		if got := read2(t, s, a.Resource, c.sel, c.lim); got.Usage.Cached != c.cached {
			t.Errorf("%s: cached %v", what, got.Usage.Cached)
		}
	}
	if got := read(t, s, a.Resource, readapi.Selection{Child: []int{2, 2}, Password: "p"}); !got.Usage.Cached {
		t.Error("the same password again is not cached")
	}
	// The decoder of the file inside may come and go; the address stays.
	if err := h.EnableDecoder(t.Context(), "text", false); err != nil {
		t.Fatal(err)
	}
	_, err := s.Read(t.Context(), a.Resource, child, nil)
	wantCode(t, "without its decoder", err, readapi.CodeUnsupportedFeature)
	if doc := read(t, s, a.Resource, readapi.Selection{Child: []int{2}}); doc.Name != "inner.zip" {
		t.Errorf("the archive inside: %+v", doc)
	}
	if err := h.EnableDecoder(t.Context(), "text", true); err != nil {
		t.Fatal(err)
	}
	read(t, s, a.Resource, child)
	if err := h.EnableDecoder(t.Context(), "box", false); err != nil {
		t.Fatal(err)
	}
	_, err = s.Read(t.Context(), a.Resource, child, nil)
	wantCode(t, "without the decoder around it", err, readapi.CodeUnsupportedKind)
}

func read2(t *testing.T, s *host.Session, uri string, sel readapi.Selection, lim *readapi.Limits) *readapi.Document {
	t.Helper()
	doc, err := s.Read(t.Context(), uri, sel, lim)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// A password leaves no trace: not in the audit, not in errors, and an answer that it opened is for those alone who have it.
func TestPasswordStays(t *testing.T) {
	const secret = "hunter2-and-more"
	var told log
	h := newPlace().open(t, withBoxes(), &host.Options{Audit: told.tell})
	s := h.Session(scope("s"))
	a := attach(t, s, "box.zip", string(boxtest.Zip(secret, text("a.txt", strings.Repeat("line\n", 1000)))))
	doc := read(t, s, a.Resource, readapi.Selection{Password: secret, Child: []int{1}})
	if strings.Contains(doc.Parts[0].Text, secret) {
		t.Error("the answer has it")
	}
	for _, sel := range []readapi.Selection{{Child: []int{1}}, {Child: []int{1}, Password: secret + "x"}, {}, {Password: strings.Repeat(secret, 1000)}} {
		_, err := s.Read(t.Context(), a.Resource, sel, nil)
		e, ok := err.(*readapi.Error)
		if !ok || e.Code != readapi.CodeEncrypted && e.Code != readapi.CodeInvalidRequest {
			t.Fatalf("without the password: %v", err)
		}
		b, _ := e.MarshalJSON()
		if strings.Contains(e.Error()+string(b), "hunter2") {
			t.Errorf("the error has it: %v", e)
		}
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	for _, e := range told.events {
		if strings.Contains(string(e.Cause)+e.Op+string(e.Ref), "hunter2") {
			t.Errorf("the audit has it: %+v", e)
		}
	}
}
