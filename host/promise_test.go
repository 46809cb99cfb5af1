package host_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex/pgtest"
	"github.com/glovebox-wasm/glovebox/host/store/s3blob/s3test"
	"github.com/glovebox-wasm/glovebox/plugins/boxtest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// The first promise: an address is offered if, and only if, it opens. A random history runs against hosts that share a store, and against
// a model of a few lines; after every step, random sessions ask for random artifacts by offer, by list and by read, of random hosts.

// promiseCodes are what a read may answer behind an offer.
var promiseCodes = []readapi.Code{
	"", readapi.CodeInvalidRequest, readapi.CodeStaleCursor, readapi.CodeMalformed, readapi.CodeEncrypted, readapi.CodeUnsupportedFeature,
	readapi.CodeLimitTime, readapi.CodeLimitFuel, readapi.CodeLimitMemory, readapi.CodeLimitOutput, readapi.CodeLimitPixels,
	readapi.CodeLimitDepth, readapi.CodeTrap, readapi.CodeBadOutput, readapi.CodeBusy, readapi.CodeCanceled, readapi.CodeCorrupt, readapi.CodeInternal,
}

// sample is a file, what its type's decoder is, and why nobody may read it whatever the decoders, "" if somebody may.
type sample struct {
	name, content, decoder string
	never                  readapi.Code
}

var promiseLimits = readapi.Limits{MaxInputBytes: 700, MaxImageInputBytes: 200}

func promiseSamples() []sample {
	png := func(n int) string { return "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", n-8) }
	out := []sample{
		{"a.txt", "some text", "text", ""}, {"b.md", "# head\n\ntext\n", "text", ""}, {"empty.txt", "", "text", ""}, {"empty", "", "", readapi.CodeUnsupportedKind},
		{"empty.pdf", "", "", readapi.CodeUnsupportedKind}, {"most.txt", strings.Repeat("x", 700), "text", ""}, {"more.txt", strings.Repeat("x", 701), "text", readapi.CodeTooLarge},
		{"a.png", png(200), "image", ""}, {"large.png", png(201), "image", readapi.CodeTooLarge}, {"named.txt", png(30), "image", ""},
		{"q3.pdf", aPDF, "pdf", ""}, {"prose.txt", "The header of such a file is %PDF-1.7 and then come objects.\n", "text", ""},
		{"x.zip", "PK\x03\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "box", ""}, {"\u202e../../x.pdf", aPDF, "pdf", ""},
		{"b.bin", "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\xff\xfe\xfd", "", readapi.CodeUnsupportedKind},
	}
	inside := func(entries ...boxtest.Entry) string { return string(boxtest.Zip("", entries...)) }
	out = append(out, sample{"box.zip", inside(text("a.txt", "text\n"), text("b.bin", "\x00\x01\x02\x80\xff\xfe")), "box", ""},
		sample{"deep.zip", string(boxtest.Nest(2, text("refuse too_large", ""))), "box", ""}, sample{"locked.zip", string(boxtest.Zip("pw", text("a.txt", "x"))), "box", ""},
		sample{"big.zip", inside(text("big.png", png(201))), "box", ""})
	for _, code := range promiseCodes[1:] {
		out = append(out, sample{"bad.txt", "refuse " + string(code) + "\n", "text", ""})
	}
	for _, code := range []readapi.Code{readapi.CodeTooLarge, readapi.CodeUnsupportedKind, readapi.CodeNotFound, readapi.CodeGone, readapi.CodeUnauthorized, readapi.CodeInvalidURI} {
		out = append(out, sample{"liar.txt", "refuse " + string(code) + "\n", "text", ""}) // a decoder that says what only the host may say
		out = append(out, sample{"liar.zip", inside(text("liar.txt", "refuse "+string(code)+"\n")), "box", ""})
	}
	return out
}

// history is one run.
type history struct {
	t     *testing.T
	p     *place
	rand  *rand.Rand
	hosts []opened

	known []*known // every artifact, of all scopes
	off   map[string]bool
	life  life

	steps, checks, offered, violations int
}

// known is what the model says of an artifact.
type known struct {
	scope   readapi.Scope
	id      readapi.ArtifactID
	sample  sample
	source  store.Source
	deleted bool
	purged  bool
	carried bool // by a message
}

// expected is what scope may be told of k: "" when there must be an address.
func (h *history) expected(scope readapi.Scope, k *known) readapi.Code {
	switch {
	case scope != k.scope, k.purged, !k.source.Readable():
		return readapi.CodeNotFound
	case k.deleted:
		return readapi.CodeGone
	case k.sample.never == readapi.CodeTooLarge: // also when its decoder is off
		return k.sample.never
	case k.sample.decoder == "" || h.off[k.sample.decoder]:
		return readapi.CodeUnsupportedKind
	}
	return k.sample.never
}

func pick[T any](r *rand.Rand, all []T) T { return all[r.IntN(len(all))] }

func (h *history) scope() readapi.Scope {
	return readapi.Scope{Principal: pick(h.rand, []readapi.PrincipalID{"local", "other"}), Session: pick(h.rand, []readapi.SessionID{"a", "b", "c"})}
}

// opened is a host with its own drivers on the place.
type opened struct {
	*host.Host
	place *place
}

func (h *history) open() opened {
	o := &host.Options{Limits: promiseLimits}
	if h.rand.IntN(4) == 0 {
		o.CacheBytes = -1
	}
	p := h.p.again(h.t)
	return opened{p.open(h.t, withBoxes(), o), p}
}

func (h *history) close(o opened) {
	if err := o.Close(); err != nil {
		h.t.Error(err)
	}
	o.place.close(h.t)
}

func (h *history) step() {
	h.steps++
	on := pick(h.rand, h.hosts)
	s := on.Session(h.scope())
	switch n := h.rand.IntN(100); {
	case n < 40:
		h.attach(s)
	case n < 45:
		_, err := s.Append(h.t.Context(), ledger.Event{Type: ledger.Assistant, Text: "words", Time: aTime})
		h.mayEnd(s, "append", err)
	case n < 60:
		h.live(on, s)
	case n < 72 && len(h.known) > 0:
		k := pick(h.rand, h.known)
		err := s.Delete(h.t.Context(), uri(k.id))
		if mine := s.Scope() == k.scope && !k.purged; mine != (err == nil) || !mine && readapi.CodeOf(err) != readapi.CodeNotFound {
			h.violation("delete by %v of %+v: %v", s.Scope(), k, err)
		}
		k.deleted = k.deleted || err == nil
	case n < 90:
		name := pick(h.rand, []string{"text", "image", "pdf", "box"})
		h.off[name] = h.rand.IntN(3) == 0
		if err := on.EnableDecoder(h.t.Context(), name, !h.off[name]); err != nil {
			h.t.Fatal(err)
		}
	case n < 95 && !h.life.deleted[s.Scope()]:
		k := &known{scope: s.Scope(), id: readapi.ArtifactID(fmt.Sprintf("recorded-%d", h.steps)), sample: sample{"a.txt", "", "text", ""}, source: store.SourceMemoryAddURI}
		h.p.put(h.t, k.scope, "", store.Artifact{ID: k.id, Name: "a.txt", MediaType: "text/plain", Kind: readapi.KindOther, Source: k.source})
		h.known = append(h.known, k)
	case n < 96:
		i := h.rand.IntN(len(h.hosts))
		h.close(h.hosts[i])
		h.hosts[i] = h.open()
	}
}

func (h *history) attach(s *host.Session) {
	all := promiseSamples()
	var files []host.NewFile
	var fresh []*known
	for range 1 + h.rand.IntN(3) {
		k := &known{scope: s.Scope(), carried: true, sample: pick(h.rand, all), source: pick(h.rand, []store.Source{store.SourceUserUpload, store.SourceGenerated, store.SourceCopy})}
		files = append(files, host.NewFile{Name: k.sample.name, Content: strings.NewReader(k.sample.content), Source: k.source})
		fresh = append(fresh, k)
	}
	got, err := s.Attach(h.t.Context(), host.Message{Text: "see", Time: aTime, Files: files})
	if !h.mayEnd(s, "attach", err) {
		return
	}
	for i, a := range got.Attachments {
		fresh[i].id = a.ID
		if want := h.expected(s.Scope(), fresh[i]); a.Unavailable != want || (a.Resource == "") != (want != "") {
			h.violation("attached %+v, want %q", a, want)
		}
	}
	h.known = append(h.known, fresh...)
}

func (h *history) violation(format string, args ...any) {
	if h.violations++; h.violations <= 10 {
		h.t.Errorf("step %d, without %v: "+format, append([]any{h.steps, h.off}, args...)...)
	}
}

// check asks for some artifacts, often ones of the asking session, in one offer, and reads each.
func (h *history) check() {
	if len(h.known) == 0 {
		return
	}
	scope := h.scope()
	var asked []*known
	for range 3 {
		k := pick(h.rand, h.known)
		if h.rand.IntN(2) == 0 {
			scope = k.scope
		}
		asked = append(asked, k)
	}
	var refs []readapi.AttachmentRef
	for _, k := range asked {
		refs = append(refs, readapi.Attachment{ID: k.id, Name: "n", MediaType: "m/m", Kind: readapi.KindOther}.Ref(scope.Session))
	}
	offers, err := pick(h.rand, h.hosts).Session(scope).Offer(h.t.Context(), refs...)
	if err != nil || len(offers) != len(refs) {
		h.t.Fatal(offers, err)
	}
	for i, k := range asked {
		want := h.expected(scope, k)
		if o := offers[i]; o.Unavailable != want || (o.URI != "") != (want == "") || want == "" && o.URI != uri(k.id) {
			h.violation("%v is offered %+v of %+v, want %q", scope, o, k, want)
		}
		sel := pick(h.rand, []readapi.Selection{{}, {Child: []int{1}}, {Child: []int{2}}, {Child: []int{2, 2}}, {Child: []int{1, 1, 1, 1}}, {Form: readapi.FormImage}, {Password: "pw", Child: []int{1}}})
		_, err := pick(h.rand, h.hosts).Session(scope).Read(h.t.Context(), uri(k.id), sel, nil)
		code := readapi.CodeOf(err)
		if h.checks++; want == "" {
			h.offered++
		}
		if want == "" && !slices.Contains(promiseCodes, code) || want != "" && code != want {
			h.violation("%v was told %q of %+v, and reads %v", scope, want, k, err)
		}
	}
}

// promise runs a history of some steps.
func promise(t *testing.T, p *place, seed uint64, steps int) {
	h := &history{t: t, p: p, rand: rand.New(rand.NewPCG(seed, seed)), off: map[string]bool{}, life: newLife()}
	for range 2 {
		h.hosts = append(h.hosts, h.open())
	}
	for range steps {
		h.step()
		h.check()
	}
	for _, o := range h.hosts {
		h.close(o)
	}
	p.close(t)
	t.Logf("seed %d: %d steps, %d artifacts, %d checks, %d of them of addresses, %d violations", seed, h.steps, len(h.known), h.checks, h.offered, h.violations)
	t.Logf("besides: %v", h.life.done)
	for _, what := range []string{"upload", "open from", "copy", "purge", "archive", "delete session", "purge session"} {
		if h.life.done[what] < steps/1000 {
			t.Errorf("%s: only %d times", what, h.life.done[what])
		}
	}
	if h.offered < steps/5 || h.checks-h.offered < steps/5 {
		t.Errorf("of %d checks %d were of addresses: this history proves little", h.checks, h.offered)
	}
}

// places are the stores that the promise is held over.
func places() map[string]func(t testing.TB) *place {
	return map[string]func(t testing.TB) *place{
		"memory": func(testing.TB) *place { return newPlace() },
		"files":  func(t testing.TB) *place { return filesIn(t, t.TempDir()) },
		"remote": func(t testing.TB) *place { return remoteAt(t, pgtest.URL(t), s3test.URL(t)) },
	}
}

func TestPromise(t *testing.T) {
	steps := 2_500
	if os.Getenv("GLOVEBOX_BARS") != "" {
		steps = 100_000
	}
	for name, open := range places() {
		t.Run(name, func(t *testing.T) { promise(t, open(t), rand.Uint64(), steps) })
	}
}
