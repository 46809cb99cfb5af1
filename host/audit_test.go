package host_test

import (
	"context"
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Every access and every refusal is told once, in order, with what the caller was told and what was really the matter.
func TestAudit(t *testing.T) {
	audit := &log{}
	p := newPlace()
	h := p.open(t, newQuick(), &host.Options{Audit: audit.tell})
	s, other := h.Session(scope("s")), h.Session(readapi.Scope{Principal: "other", Session: "t"})
	a := attach(t, s, "a.txt", "hello")
	zip := attach(t, s, "x.zip", "PK\x03\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	bad := attach(t, s, "b.txt", "refuse encrypted")
	ctx := t.Context()
	_, _ = s.Read(ctx, a.Resource, readapi.Selection{}, nil)
	_, _ = s.Read(ctx, bad.Resource, readapi.Selection{}, nil)
	_, _ = s.Read(ctx, uri(zip.ID), readapi.Selection{}, nil)
	_, _ = s.Read(ctx, "nonsense of a user", readapi.Selection{}, nil)
	_, _ = other.Read(ctx, a.Resource, readapi.Selection{}, nil)
	_, _ = other.Read(ctx, uri("missing"), readapi.Selection{}, nil)
	_, _ = other.Offer(ctx, a.Ref("t"), a.Ref("s"))
	_, _ = s.Offer(ctx, a.Ref("s"))
	if b, err := s.OpenBytes(ctx, a.Resource); err == nil {
		_ = b.Close()
	}
	_ = other.Delete(ctx, a.Resource)
	_ = s.Delete(ctx, a.Resource)
	_, _ = s.OpenBytes(ctx, a.Resource)
	_, _ = s.Append(ctx, ledger.Event{Type: ledger.Assistant, Text: "done", Time: aTime})
	_, _ = s.Attach(ctx, host.Message{Files: slices.Repeat([]host.NewFile{newFile("secret.txt", "x")}, 9)})
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	type row struct {
		Op, Session string
		Ref         readapi.ArtifactID
		Code        readapi.Code
		Cause       string
	}
	want := []row{
		{"attach", "s", a.ID, "", ""}, {"attach", "s", zip.ID, "", ""}, {"attach", "s", bad.ID, "", ""},
		{"read", "s", a.ID, "", ""}, {"read", "s", bad.ID, "encrypted", "encrypted"},
		{"read", "s", zip.ID, "unsupported_kind", host.CauseUnsupportedKind}, {"read", "s", "", "invalid_uri", host.CauseInvalidURI},
		{"read", "t", a.ID, "not_found", host.CauseForeign}, {"read", "t", "missing", "not_found", host.CauseAbsent},
		{"offer", "t", a.ID, "not_found", host.CauseForeign}, {"offer", "t", a.ID, "not_found", host.CauseForeign},
		{"open", "s", a.ID, "", ""}, {"delete", "t", a.ID, "not_found", host.CauseForeign}, {"delete", "s", a.ID, "", ""},
		{"open", "s", a.ID, "gone", host.CauseDeleted}, {"append", "s", "", "", ""}, {"attach", "s", "", "invalid_request", "invalid_request"},
	}
	var got []row
	for _, e := range audit.events {
		got = append(got, row{e.Op, string(e.Session), e.Ref, e.Code, e.Cause})
		if e.Time.IsZero() || (e.Principal == "other") != (e.Session == "t") {
			t.Errorf("%+v", e)
		}
		if b, err := json.Marshal(e); err != nil || strings.Contains(string(b), "secret") || strings.Contains(string(b), "nonsense") {
			t.Errorf("an event with a user's words: %s, %v", b, err)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A hook that is slow holds callers up rather than losing events, and Close waits for it; one that panics ends nothing.
func TestAuditSlowHook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		told := 0
		h := newPlace().open(t, newQuick(), &host.Options{Audit: func(host.AuditEvent) {
			<-release
			told++
			if told%3 == 0 {
				panic("on purpose")
			}
		}})
		s := h.Session(scope("s"))
		const calls = 3000
		done := 0
		go func() {
			for range calls {
				_, _ = s.Read(context.WithoutCancel(t.Context()), uri("missing"), readapi.Selection{}, nil)
				done++
			}
		}()
		synctest.Wait()
		if done == 0 || done == calls {
			t.Errorf("%d calls of %d went through while the hook stood still", done, calls)
		}
		close(release)
		synctest.Wait()
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		if done != calls || told != calls {
			t.Errorf("%d calls, %d events, want %d of both", done, told, calls)
		}
	})
}

// A hook that panics or ends its goroutine loses its own event and no other, and holds up nobody.
func TestAuditBrokenHook(t *testing.T) {
	for name, breaks := range map[string]func(){"panics": func() { panic("hook") }, "ends its goroutine": runtime.Goexit} {
		told := 0
		h := newPlace().open(t, newQuick(), &host.Options{Audit: func(host.AuditEvent) {
			if told++; told%2 == 1 {
				breaks()
			}
		}})
		const calls = 3000 // more than may wait
		for range calls {
			_, _ = h.Session(scope("s")).Read(t.Context(), "", readapi.Selection{}, nil)
		}
		if err := h.Close(); err != nil || told != calls {
			t.Errorf("a hook that %s: %d of %d events, %v", name, told, calls, err)
		}
	}
}

// Close waits for the calls that run; later ones are canceled.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuick()
		release := make(chan struct{})
		q.hook = func(readapi.Input) { <-release }
		audit := &log{}
		h := newPlace().open(t, q, &host.Options{Audit: audit.tell})
		s := h.Session(scope("s"))
		a := attach(t, s, "a.txt", "hello")
		var readErr error
		var reading sync.WaitGroup
		reading.Go(func() { _, readErr = s.Read(t.Context(), a.Resource, readapi.Selection{}, nil) })
		synctest.Wait()
		var closed atomic.Bool
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if err := h.Close(); err != nil {
					t.Error(err)
				}
				closed.Store(true)
			})
		}
		synctest.Wait()
		if closed.Load() {
			t.Error("Close did not wait for the read")
		}
		for name, call := range everyCall(s) {
			wantCode(t, name, call(t.Context()), readapi.CodeCanceled)
		}
		wantCode(t, "EnableDecoder", h.EnableDecoder(t.Context(), "pdf", false), readapi.CodeCanceled)
		_, err := h.DecoderSet(t.Context())
		wantCode(t, "DecoderSet", err, readapi.CodeCanceled)
		close(release)
		both.Wait()
		reading.Wait()
		if readErr != nil || !slices.Equal(audit.causes("read"), []string{""}) {
			t.Errorf("the read that ran: %v, %q", readErr, audit.causes("read"))
		}
	})
}

// What yields is canceled too, from the next step on, and does not hold up a Close within its loop.
func TestCloseWithinLoop(t *testing.T) {
	h := newPlace().open(t, newQuick(), nil)
	s := h.Session(scope("s"))
	for range 100 {
		if _, err := s.Append(t.Context(), ledger.Event{Type: ledger.Assistant, Text: "hello"}); err != nil {
			t.Fatal(err)
		}
	}
	loops := map[string]func(each func(error)){
		"Events": func(each func(error)) {
			for _, err := range s.Events(t.Context()) {
				each(err)
			}
		},
		"Sessions": func(each func(error)) {
			for _, err := range h.Sessions(t.Context(), readapi.LocalPrincipal, true) {
				each(err)
			}
		},
	}
	var errs []error
	loops["Events"](func(err error) {
		if errs = append(errs, err); len(errs) == 2 {
			if err := h.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	if len(errs) != 3 || errs[0] != nil || errs[1] != nil || readapi.CodeOf(errs[2]) != readapi.CodeCanceled {
		t.Errorf("a loop over events in which the host is closed: %v", errs)
	}
	for name, loop := range loops {
		n := 0
		loop(func(err error) { n++; wantCode(t, name, err, readapi.CodeCanceled) })
		if n != 1 {
			t.Errorf("%s of a closed host: %d steps", name, n)
		}
	}
}

func TestOptions(t *testing.T) {
	for name, o := range map[string]host.Options{
		"negative file size": {MaxAttachmentBytes: -1}, "negative files": {MaxAttachments: -1}, "too many files": {MaxAttachments: 9},
		"negative cache": {CacheBytes: -2}, "negative limit": {Limits: readapi.Limits{Fuel: -1}}, "prefix": {URIPrefix: "files/"},
		"hidden prefix": {URIPrefix: "a://\x00"}, "a prefix of two lines": {URIPrefix: "a://\n"}, "a prefix with a blank": {URIPrefix: "a://b c/"},
		"negative quota": {Quota: store.Quota{TotalBytes: -1}}, "negative uploads": {MaxUploads: -1}, "negative upload bytes": {MaxUploadBytes: -1},
		"negative upload time": {UploadTTL: -1}, "negative shared cache": {SharedCacheBytes: -1}, "negative time of a host": {HostTTL: -1},
		"no time of a host": {HostTTL: 2 * time.Millisecond},
	} {
		p := newPlace()
		_, err := host.New(t.Context(), blobsOf(t, p), indexOf(t, p), newQuick(), &o)
		wantCode(t, name, err, readapi.CodeInvalidRequest)
	}
	_, err := host.New(t.Context(), nil, nil, nil, nil)
	wantCode(t, "nothing", err, readapi.CodeInvalidRequest)
}
