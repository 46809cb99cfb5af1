package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func read(t testing.TB, s *host.Session, uri string, sel readapi.Selection) *readapi.Document {
	t.Helper()
	doc, err := s.Read(t.Context(), uri, sel, nil)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// sameAnswer compares what two answers say, leaving out what they cost.
func sameAnswer(a, b *readapi.Document) string {
	x, y := *a, *b
	x.Usage, y.Usage = readapi.Usage{}, readapi.Usage{}
	return cmp.Diff(x, y)
}

// An answer from the cache is the one that was given before, says so, and belongs to its caller.
func TestCache(t *testing.T) {
	q := newQuick()
	h := newPlace().open(t, q, nil)
	s := h.Session(scope("s"))
	a := attach(t, s, "a.txt", "hello")
	first := read(t, s, a.Resource, readapi.Selection{})
	keep, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		again := read(t, s, a.Resource, readapi.Selection{})
		if !again.Usage.Cached || q.decoded.Load() != 1 {
			t.Fatalf("%d: cached %v, %d decodes", n, again.Usage.Cached, q.decoded.Load())
		}
		again.Usage.Cached, again.Usage.WallMS = false, first.Usage.WallMS
		b, err := json.Marshal(again)
		if err != nil || !bytes.Equal(b, keep) {
			t.Fatalf("%d: %s, want %s", n, b, keep)
		}
		again.Parts[0].Text, again.Meta["list"], again.Meta["new"] = "changed", nil, 1
		if n == 1 {
			again.Parts = append(again.Parts[:0], readapi.Part{})
		}
	}
	first.Parts[0].Text, first.Meta["new"] = "changed", 1
	first.Meta["list"].([]any)[1].(map[string]any)["k"] = "changed"
	if got := read(t, s, a.Resource, readapi.Selection{}); got.Parts[0].Text == "changed" || len(got.Meta) != 1 || strings.Contains(fmt.Sprint(got.Meta), "changed") {
		t.Errorf("what a caller does to an answer reaches others: %+v", got)
	}
}

// What shapes an answer is part of its key, and nothing else is.
func TestCacheKey(t *testing.T) {
	q := newQuick()
	p := newPlace()
	h := p.open(t, q, nil)
	s := h.Session(scope("s"))
	a := attach(t, s, "a.txt", "hello")
	read(t, s, a.Resource, readapi.Selection{})
	cached := func(name string, want bool, s *host.Session, uri string, sel readapi.Selection, lim *readapi.Limits) {
		t.Helper()
		doc, err := s.Read(t.Context(), uri, sel, lim)
		if err != nil || doc.Usage.Cached != want || doc.URI != uri {
			t.Errorf("%s: %+v, %v, want cached %v", name, doc, err, want)
		}
	}
	cached("again", true, s, a.Resource, readapi.Selection{}, nil)
	cached("the same in words", true, s, a.Resource, readapi.Selection{Form: readapi.FormAuto, MaxTokens: 20_000, MaxBytes: 10 << 20}, nil)
	cached("another time limit", true, s, a.Resource, readapi.Selection{}, &readapi.Limits{Timeout: time.Minute})
	cached("another budget", false, s, a.Resource, readapi.Selection{MaxTokens: 100}, nil)
	cached("another byte budget", false, s, a.Resource, readapi.Selection{MaxBytes: 100}, nil)
	cached("units", false, s, a.Resource, readapi.Selection{Units: []readapi.Range{{From: 1, To: 1}}}, nil)
	cached("another form", false, s, a.Resource, readapi.Selection{Form: readapi.FormSource}, nil)
	cached("raw", false, s, a.Resource, readapi.Selection{Unescaped: true}, nil)
	cached("as words", false, s, a.Resource, readapi.Selection{Words: true}, nil)
	cached("a child", false, s, a.Resource, readapi.Selection{Child: []int{1}}, nil)
	cached("other pixels", false, s, a.Resource, readapi.Selection{}, &readapi.Limits{MaxEdge: 100})
	cached("less output", false, s, a.Resource, readapi.Selection{MaxBytes: 100}, &readapi.Limits{MaxOutputBytes: 1000})
	again := attach(t, s, "a.txt", "hello")
	cached("the same file again", true, s, again.Resource, readapi.Selection{}, nil)
	elsewhere := h.Session(scope("other"))
	cached("in another session of the principal", true, elsewhere, attach(t, elsewhere, "a.txt", "hello").Resource, readapi.Selection{}, nil)
	stranger := h.Session(readapi.Scope{Principal: "stranger", Session: "s"})
	cached("of another principal", false, stranger, attach(t, stranger, "a.txt", "hello").Resource, readapi.Selection{}, nil)
	cached("another name", false, s, attach(t, s, "b.txt", "hello").Resource, readapi.Selection{}, nil)
	cached("other bytes", false, s, attach(t, s, "a.txt", "hallo").Resource, readapi.Selection{}, nil)
	for _, m := range []readapi.MediaType{"application/pdf", "image/png"} {
		declared, err := s.Attach(t.Context(), host.Message{Files: []host.NewFile{{Name: "a.txt", MediaType: m, Content: strings.NewReader("hello")}}})
		if err != nil {
			t.Fatal(err)
		}
		cached("declared as "+string(m), false, s, declared.Attachments[0].Resource, readapi.Selection{}, nil)
	}

	none := p.open(t, q, &host.Options{CacheBytes: -1})
	before := q.decoded.Load()
	for range 2 {
		cached("no cache", false, none.Session(scope("s")), a.Resource, readapi.Selection{}, nil)
	}
	if n := q.decoded.Load() - before; n != 2 {
		t.Errorf("no cache: %d decodes", n)
	}
}

// The cache holds to its size, and one answer may not take all of it. Errors are not kept.
func TestCacheSize(t *testing.T) {
	q := &sizedAnswers{quick: newQuick(), n: 200 << 10}
	p := newPlace()
	h := p.open(t, q, &host.Options{CacheBytes: 8 << 20})
	s := h.Session(scope("s"))
	all := readapi.Selection{MaxTokens: -1}
	for i := range 100 { // 20 MiB of answers
		read(t, s, attach(t, s, "a.txt", fmt.Sprint("file ", i)).Resource, all)
	}
	if n := host.CacheBytes(h); n > 8<<20 || n < 4<<20 {
		t.Errorf("%d bytes are kept of 20 MiB, in a cache of 8", n)
	}
	for n, want := range map[int]bool{900 << 10: true, 2 << 20: false} { // less and more than an eighth
		q.n = n
		empty := p.open(t, q, &host.Options{CacheBytes: 8 << 20}).Session(scope("s"))
		a := attach(t, empty, "a.txt", "one")
		read(t, empty, a.Resource, all)
		if doc := read(t, empty, a.Resource, all); doc.Usage.Cached != want {
			t.Errorf("an answer of %d bytes in a cache of 8 MiB: kept %v", n, doc.Usage.Cached)
		}
	}
	bad := attach(t, s, "a.txt", "refuse malformed_input")
	before := q.decoded.Load()
	for range 2 {
		_, err := s.Read(t.Context(), bad.Resource, all, nil)
		wantCode(t, "a damaged file", err, readapi.CodeMalformed)
	}
	if n := q.decoded.Load() - before; n != 2 {
		t.Errorf("an error is answered by %d decodes", n)
	}
}

// sizedAnswers answers with n bytes.
type sizedAnswers struct {
	*quick
	n int
}

func (s *sizedAnswers) Decode(ctx context.Context, info readapi.DecoderInfo, d readapi.Decoding) (readapi.Result, error) {
	res, err := s.quick.Decode(ctx, info, d)
	if err == nil {
		res.Parts[0] = readapi.Part{Type: readapi.PartData, At: 1, Data: json.RawMessage(`"` + strings.Repeat("x", s.n) + `"`)}
	}
	return res, err
}

// A walk by cursors gives the same answers from the cache as without it.
func TestCacheWalk(t *testing.T) {
	p := newPlace()
	h, plain := p.open(t, fakes{lines(digestA)}, nil), p.open(t, fakes{lines(digestA)}, &host.Options{CacheBytes: -1})
	a := attach(t, h.Session(scope("s")), "a.txt", strings.Repeat("some words on a line\n", 300))
	for round := range 2 {
		cursor, pages := "", 0
		for {
			sel := readapi.Selection{Cursor: cursor, MaxTokens: 100}
			got, want := read(t, h.Session(scope("s")), a.Resource, sel), read(t, plain.Session(scope("s")), a.Resource, sel)
			if d := sameAnswer(want, got); d != "" || got.Usage.Cached != (round == 1) {
				t.Fatalf("round %d, page %d, cached %v: %s", round, pages, got.Usage.Cached, d)
			}
			if pages++; got.Next == "" {
				break
			}
			cursor = got.Next
		}
		if pages < 3 {
			t.Errorf("%d pages", pages)
		}
	}
}

// What the caller's limits may change and what not: what may be read at all is the host's to say, because Offer said so.
func TestReadLimits(t *testing.T) {
	h := newPlace().open(t, newQuick(), &host.Options{Limits: readapi.Limits{MaxInputBytes: 1000, MaxImageInputBytes: 100}})
	s := h.Session(scope("s"))
	text, png := attach(t, s, "a.txt", strings.Repeat("x", 1000)), attach(t, s, "a.png", "\x89PNG\r\n\x1a\n"+strings.Repeat("\x00", 92))
	small := &readapi.Limits{MaxInputBytes: 1, MaxImageInputBytes: 1}
	for _, a := range []readapi.Attachment{text, png} {
		if _, err := s.Read(t.Context(), a.Resource, readapi.Selection{}, small); err != nil {
			t.Errorf("%s: an address that was offered does not open: %v", a.Name, err)
		}
	}
	long, large := attach(t, s, "a.txt", strings.Repeat("x", 1001)), attach(t, s, "a.png", "\x89PNG\r\n\x1a\n"+strings.Repeat("\x00", 93))
	for _, a := range []readapi.Attachment{long, large} {
		if a.Unavailable != readapi.CodeTooLarge {
			t.Errorf("%+v", a)
		}
		_, err := s.Read(t.Context(), uri(a.ID), readapi.Selection{}, &readapi.Limits{MaxInputBytes: 1 << 30, MaxImageInputBytes: 1 << 30})
		wantCode(t, a.Name, err, readapi.CodeTooLarge)
	}
	_, err := s.Read(t.Context(), text.Resource, readapi.Selection{}, &readapi.Limits{Fuel: -1})
	wantCode(t, "a negative limit", err, readapi.CodeInvalidRequest)
	_, err = s.Read(t.Context(), text.Resource, readapi.Selection{Form: "audio"}, nil)
	wantCode(t, "no such form", err, readapi.CodeInvalidRequest)
}

// Behind an address no decoder can say what accept has decided already.
func TestDecoderCannotWithdraw(t *testing.T) {
	h := newPlace().open(t, newQuick(), nil)
	s := h.Session(scope("s"))
	_, err := s.Read(t.Context(), attach(t, s, "a.txt", "refuse too_large").Resource, readapi.Selection{}, nil)
	wantCode(t, "too_large", err, readapi.CodeUnsupportedFeature)
	_, err = s.Read(t.Context(), attach(t, s, "a.txt", "refuse encrypted").Resource, readapi.Selection{}, nil)
	wantCode(t, "encrypted", err, readapi.CodeEncrypted)
}

// The time that a read may take is for all of it.
func TestReadTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuick()
		q.hook = func(readapi.Input) { time.Sleep(time.Minute) }
		h := newPlace().open(t, q, nil)
		defer h.Close()
		s := h.Session(scope("s"))
		a := attach(t, s, "a.txt", "hello")
		_, err := s.Read(t.Context(), a.Resource, readapi.Selection{}, &readapi.Limits{Timeout: time.Second})
		if e, ok := err.(*readapi.Error); !ok || e.Code != readapi.CodeLimitTime || e.Limit == nil || e.Limit.Value != 1000 {
			t.Errorf("got %v", err)
		}
	})
}

// rotten is a blob driver whose blobs have one byte changed, or are cut, when they are opened.
type rotten struct {
	store.BlobDriver
	at  atomic.Int64 // the byte; -1: none
	cut atomic.Int64 // how many bytes are left out at the end
	err atomic.Bool  // reading behind the first 64 KiB fails
}

func (r *rotten) Open(ctx context.Context, sha256 string) (store.BlobReader, error) {
	b, err := r.BlobDriver.Open(ctx, sha256)
	if err != nil {
		return nil, err
	}
	return &rottenReader{b, r}, nil
}

type rottenReader struct {
	store.BlobReader
	r *rotten
}

func (b *rottenReader) Size() int64 { return b.BlobReader.Size() - b.r.cut.Load() }

func (b *rottenReader) ReadAt(p []byte, off int64) (int, error) {
	if b.r.err.Load() && off+int64(len(p)) > 64<<10 {
		return 0, &fs.PathError{Op: "read", Path: "/a/path", Err: errors.New("input/output error")}
	}
	n, err := b.BlobReader.ReadAt(p, off)
	if at := b.r.at.Load(); at >= off && at < off+int64(n) {
		p[at-off] ^= 1
	}
	return n, err
}

// A byte that has changed is found wherever it is, in small files and in large ones, whether the decoder minds it or not: nothing is
// answered from such bytes.
func TestBitRot(t *testing.T) {
	p := newPlace()
	bad := &rotten{BlobDriver: p.blobs}
	bad.at.Store(-1)
	p.blobs = bad
	h := p.open(t, newQuick(), &host.Options{CacheBytes: -1})
	defer h.Close()
	s := h.Session(scope("s"))
	for name, content := range map[string]string{
		"small": strings.Repeat("some text\n", 100), "large": strings.Repeat("some text\n", 200_000),
		"small, refused": "refuse malformed_input\n" + strings.Repeat("x", 100), "large, refused": "refuse encrypted\n" + strings.Repeat("x", 2<<20),
	} {
		a := attach(t, s, "a.txt", content)
		wrong := func(what string) {
			t.Helper()
			doc, err := s.Read(t.Context(), a.Resource, readapi.Selection{}, nil)
			wantCode(t, name+", "+what, err, readapi.CodeCorrupt)
			b, openErr := s.OpenBytes(t.Context(), a.Resource)
			wantCode(t, name+", opened, "+what, openErr, readapi.CodeCorrupt)
			if doc != nil || b != nil {
				t.Errorf("%s, %s: an answer and an error", name, what)
			}
			if e, ok := err.(*readapi.Error); ok && (e.Ref != string(a.ID) || strings.Contains(e.Message(), "path")) {
				t.Errorf("%s, %s: %q about %q", name, what, e.Message(), e.Ref)
			}
		}
		for i := range 64 {
			bad.at.Store(int64(len(content)-1) * int64(i) / 63)
			wrong(fmt.Sprint("byte ", bad.at.Load()))
		}
		bad.at.Store(-1)
		bad.cut.Store(1)
		wrong("cut")
		bad.cut.Store(0)
		if strings.HasPrefix(name, "large") {
			bad.err.Store(true)
			wrong("unreadable")
			bad.err.Store(false)
		}
		_, err := s.Read(t.Context(), a.Resource, readapi.Selection{}, nil)
		if code := readapi.CodeOf(err); code == readapi.CodeCorrupt || (code == "") == strings.Contains(name, "refused") {
			t.Errorf("%s, mended: %v", name, err)
		}
	}
}

// An answer of a large file waits until its bytes have been compared with their digest, also when the decoder has read only a part.
func TestAnswerWaitsForVerify(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace()
		held := &holding{BlobDriver: p.blobs, release: make(chan struct{})}
		p.blobs = held
		q := &headOnly{quick: newQuick(), done: make(chan struct{})}
		h := p.open(t, q, nil)
		s := h.Session(scope("s"))
		a := attach(t, s, "a.txt", strings.Repeat("some text\n", 200_000))
		answered := make(chan error, 1)
		go func() {
			_, err := s.Read(t.Context(), a.Resource, readapi.Selection{}, nil)
			answered <- err
		}()
		<-q.done
		synctest.Wait()
		select {
		case err := <-answered:
			t.Errorf("answered before the bytes were verified: %v", err)
		default:
		}
		close(held.release)
		if err := <-answered; err != nil {
			t.Error(err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
}

// headOnly reads the first bytes only.
type headOnly struct {
	*quick
	done chan struct{}
}

func (q *headOnly) Decode(_ context.Context, info readapi.DecoderInfo, d readapi.Decoding) (readapi.Result, error) {
	in := d.Input
	defer close(q.done)
	_, err := in.ReadAt(make([]byte, 10), 0)
	return readapi.Result{Unit: readapi.UnitLine, Decoder: info}, err
}

// holding is a blob driver whose blobs can be read behind their middle only after release.
type holding struct {
	store.BlobDriver
	release chan struct{}
}

func (h *holding) Open(ctx context.Context, sha256 string) (store.BlobReader, error) {
	b, err := h.BlobDriver.Open(ctx, sha256)
	if err != nil {
		return nil, err
	}
	return &heldReader{b, h.release}, nil
}

type heldReader struct {
	store.BlobReader
	release chan struct{}
}

func (b *heldReader) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > b.Size()/2 {
		<-b.release
	}
	return b.BlobReader.ReadAt(p, off)
}
