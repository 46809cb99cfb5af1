package host_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// names are the decoders of a host's set, in order, the ones that are off in brackets.
func names(t *testing.T, h *host.Host) string {
	t.Helper()
	set, err := h.DecoderSet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range set.Decoders {
		if d.Enabled {
			out = append(out, d.Name)
		} else {
			out = append(out, "("+d.Name+")")
		}
	}
	return strings.Join(out, " ")
}

// An address goes when its decoder is switched off and comes back when it is switched on, in every host of the store, at the next call,
// and over a restart.
func TestDecoderSwitch(t *testing.T) {
	p := newPlace()
	h, second := p.open(t, newQuick(), nil), p.open(t, newQuick(), nil)
	a := attach(t, h.Session(scope("s")), "q3.pdf", aPDF)
	state := func(h *host.Host) string {
		s := h.Session(scope("s"))
		o := offerOf(t, s, a.Ref("s"))
		_, err := s.Read(t.Context(), a.Resource, readapi.Selection{}, nil)
		page, _, listErr := s.Attachments(t.Context(), "", 0)
		if listErr != nil || len(page) != 1 || page[0].Resource != o.URI {
			t.Errorf("the list says %+v, %v; the offer %+v", page, listErr, o)
		}
		if (o.URI != "") != (err == nil) || o.Unavailable != readapi.CodeOf(err) {
			t.Errorf("offered %+v, read %v", o, err)
		}
		return string(o.Unavailable)
	}
	hosts := []*host.Host{h, second}
	for round := range 3 {
		for i, by := range hosts {
			for _, on := range []bool{false, true} {
				if err := by.EnableDecoder(t.Context(), "pdf", on); err != nil {
					t.Fatal(err)
				}
				want := map[bool]string{true: "", false: "unsupported_kind"}[on]
				for j, seen := range hosts {
					if got := state(seen); got != want {
						t.Errorf("round %d: host %d switched %v, host %d says %q", round, i, on, j, got)
					}
				}
			}
		}
	}
	if err := second.EnableDecoder(t.Context(), "pdf", false); err != nil {
		t.Fatal(err)
	}
	_, _ = h.Close(), second.Close()
	again := p.open(t, newQuick(), nil)
	if got := state(again); got != "unsupported_kind" || names(t, again) != "(pdf) image text" {
		t.Errorf("after a restart: %q, %s", got, names(t, again))
	}
	wantCode(t, "a decoder that is not there", again.EnableDecoder(t.Context(), "zip", true), readapi.CodeNotFound)
}

func TestDecoderRegister(t *testing.T) {
	p := newPlace()
	q := newQuick()
	q.decoders = q.decoders[:2]
	h := p.open(t, q, nil)
	if got := names(t, h); got != "pdf image" {
		t.Error(got)
	}
	if err := h.EnableDecoder(t.Context(), "image", false); err != nil {
		t.Fatal(err)
	}
	first, err := p.driver.Decoders(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.open(t, q, nil)
	if again, err := p.driver.Decoders(t.Context()); err != nil || cmp.Diff(first.Decoders, again.Decoders) != "" {
		t.Errorf("a host that brings nothing new changes the set: %s, %v", cmp.Diff(first.Decoders, again.Decoders), err)
	}
	newer := p.open(t, newQuick(), nil) // another version of the program, with one more
	if got := names(t, newer); got != "pdf (image) text" {
		t.Errorf("behind a newer host: %s", got)
	}
	if got := names(t, p.open(t, q, nil)); got != "pdf (image) text" {
		t.Errorf("behind an older host: %s", got)
	}
}

// The digest of a decoder in the set is one that a host has. Hosts of two versions do not overwrite each other's; when the last host of one
// has gone, the set says the other. A process that is no host leaves it as it is.
func TestDecoderDigest(t *testing.T) {
	p := newPlace()
	older, newer := p.open(t, newQuick(), nil), p.open(t, &changedDigest{newQuick()}, nil)
	digest := func(when, want string) {
		t.Helper()
		if set, err := p.driver.Decoders(t.Context()); err != nil || set.Decoders[0].Digest != want {
			t.Errorf("%s: %+v, %v", when, set, err)
		}
	}
	first := newQuick().decoders[0].info().Digest
	for range 3 {
		for _, h := range []*host.Host{older, newer} {
			host.Beat(t, h)
			digest("while both are there", first)
		}
	}
	_ = older.Close()
	host.Beat(t, newer)
	digest("when the older one has gone", digestA)
	for range 2 {
		p.open(t, newQuick(), &host.Options{Alone: true})
		digest("beside a command", digestA)
	}
	p.open(t, newQuick(), nil)
	digest("behind an older host", digestA)
}

type changedDigest struct{ *quick }

func (c *changedDigest) All() []readapi.DecoderInfo {
	out := c.quick.All()
	out[0].Digest = digestA
	return out
}

// The set's order is the order in which decoders are asked, whatever order they were loaded in.
func TestDecoderOrder(t *testing.T) {
	q := &quick{decoders: []quickDecoder{{"first", []readapi.MediaType{"text/plain"}}, {"second", []readapi.MediaType{"text/plain"}}}}
	p := newPlace()
	h := p.open(t, q, nil)
	a := attach(t, h.Session(scope("s")), "a.txt", "hello")
	decoder := func() string {
		doc, err := h.Session(scope("s")).Read(t.Context(), a.Resource, readapi.Selection{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return doc.Decoder.Name
	}
	if got := decoder(); got != "first" {
		t.Error(got)
	}
	set, err := p.driver.Decoders(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(set.Decoders)
	if _, err := p.driver.SetDecoders(t.Context(), set.Generation, set.Decoders); err != nil {
		t.Fatal(err)
	}
	if got := decoder(); got != "second" {
		t.Errorf("%s, also from the cache", got)
	}
	if err := h.EnableDecoder(t.Context(), "second", false); err != nil {
		t.Fatal(err)
	}
	if got := decoder(); got != "first" {
		t.Error(got)
	}
}

// While nothing changes, the set costs no query.
func TestDecoderSetIsKept(t *testing.T) {
	p := newPlace()
	c := &counting{IndexDriver: p.driver}
	p.driver = c
	h := p.open(t, newQuick(), nil)
	s := h.Session(scope("s"))
	a := attach(t, s, "a.txt", "hello")
	before := c.decoders.Load()
	for range 10 {
		_ = offerOf(t, s, a.Ref("s"))
		if _, err := s.Read(t.Context(), a.Resource, readapi.Selection{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := c.decoders.Load() - before; n != 0 {
		t.Errorf("%d queries", n)
	}
}

// racing is an index where another host changes the set just before each of the first few changes.
type racing struct {
	store.IndexDriver
	mu   sync.Mutex
	left int
}

func (r *racing) SetDecoders(ctx context.Context, was int64, d []store.DecoderEntry) (store.DecoderSet, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left > 0 {
		r.left--
		set, err := r.IndexDriver.Decoders(ctx)
		if err != nil {
			return store.DecoderSet{}, err
		}
		other := slices.Clone(set.Decoders)
		if i := slices.IndexFunc(other, func(e store.DecoderEntry) bool { return e.Name == "foreign" }); i >= 0 {
			other[i].Enabled = !other[i].Enabled
		} else {
			other = append(other, store.DecoderEntry{Name: "foreign", Digest: digestB, Enabled: true})
		}
		if _, err := r.IndexDriver.SetDecoders(ctx, set.Generation, other); err != nil {
			return store.DecoderSet{}, err
		}
	}
	return r.IndexDriver.SetDecoders(ctx, was, d)
}

// A change that comes second is made on top of the first, and loses none.
func TestDecoderConflict(t *testing.T) {
	p := newPlace()
	r := &racing{IndexDriver: p.driver, left: 3}
	p.driver = r
	h := p.open(t, newQuick(), nil)
	if got := names(t, h); got != "foreign pdf image text" {
		t.Error(got)
	}
	r.mu.Lock()
	r.left = 2
	r.mu.Unlock()
	if err := h.EnableDecoder(t.Context(), "pdf", false); err != nil {
		t.Fatal(err)
	}
	if got := names(t, h); got != "foreign (pdf) image text" {
		t.Error(got)
	}
	r.mu.Lock()
	r.left = 1000
	r.mu.Unlock()
	wantCode(t, "never the first", h.EnableDecoder(t.Context(), "pdf", true), readapi.CodeConflict)
}

// refusing is an index that takes no change.
type refusing struct {
	store.IndexDriver
	asked int
}

func (r *refusing) SetDecoders(context.Context, int64, []store.DecoderEntry) (store.DecoderSet, error) {
	r.asked++
	return store.DecoderSet{}, &readapi.Error{Code: readapi.CodeBusy}
}

// Only a conflict is tried again; a change that fails leaves everything as it was.
func TestDecoderChangeFails(t *testing.T) {
	p := newPlace()
	h := p.open(t, newQuick(), nil)
	r := &refusing{IndexDriver: p.driver}
	more := newQuick()
	more.decoders = append(more.decoders, quickDecoder{"more", nil})
	p.driver = r
	_, err := host.New(t.Context(), blobsOf(t, p), indexOf(t, p), more, nil)
	wantCode(t, "New", err, readapi.CodeBusy)
	same := p.open(t, newQuick(), nil) // brings nothing new, so it needs no change
	wantCode(t, "EnableDecoder", same.EnableDecoder(t.Context(), "pdf", false), readapi.CodeBusy)
	if r.asked != 2 || names(t, same) != "pdf image text" || names(t, h) != "pdf image text" {
		t.Errorf("asked %d times; %s; %s", r.asked, names(t, same), names(t, h))
	}
}

// TestOrderDecoders: an order is the store's, for all its hosts and for good; what cannot be carried out changes nothing.
func TestOrderDecoders(t *testing.T) {
	p := newPlace()
	h, second := p.open(t, newQuick(), nil), p.open(t, newQuick(), nil)
	if err := h.OrderDecoders(t.Context(), "text", "image"); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "an unknown one", h.OrderDecoders(t.Context(), "pdf", "zip"), readapi.CodeNotFound)
	wantCode(t, "one twice", h.OrderDecoders(t.Context(), "pdf", "pdf"), readapi.CodeInvalidRequest)
	if err := second.OrderDecoders(t.Context()); err != nil {
		t.Error(err)
	}
	_ = h.Close()
	again := p.open(t, newQuick(), nil)
	for name, h := range map[string]*host.Host{"second": second, "again": again} {
		if got := names(t, h); got != "text image pdf" {
			t.Errorf("%s: %s", name, got)
		}
	}
}
