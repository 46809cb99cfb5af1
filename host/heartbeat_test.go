package host_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// silenced is an index that a host cannot tell of itself, while it is off.
type silenced struct {
	store.IndexDriver
	off, dropless atomic.Bool
}

func (s *silenced) PutHost(ctx context.Context, h store.HostEntry, ttl time.Duration) (int64, error) {
	if s.off.Load() {
		return 0, &readapi.Error{Code: readapi.CodeQuotaExceeded, Detail: "the disk is full"}
	}
	return s.IndexDriver.PutHost(ctx, h, ttl)
}

func (s *silenced) DropHost(ctx context.Context, id string) error {
	if s.dropless.Load() {
		return nil
	}
	return s.IndexDriver.DropHost(ctx, id)
}

// on opens a host on a driver of its own.
func on(t *testing.T, p *place, d store.IndexDriver, q host.Decoders, o *host.Options) *host.Host {
	t.Helper()
	own := *p
	own.driver = d
	return own.open(t, q, o)
}

func hostsOf(t *testing.T, p *place) (ids []string) {
	t.Helper()
	set, err := p.driver.Decoders(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range set.Hosts {
		ids = append(ids, h.ID)
	}
	return ids
}

// A host stays on the list for as long as it lives, leaves it when it is closed, and is taken off it when it dies, by whoever else renews.
func TestHostList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace()
		a := p.open(t, newQuick(), nil)
		dying := &silenced{IndexDriver: p.driver}
		b := on(t, p, dying, newQuick(), nil)
		time.Sleep(time.Hour)
		want := []string{host.MemberID(a), host.MemberID(b)}
		slices.Sort(want)
		if got := hostsOf(t, p); !slices.Equal(got, want) {
			t.Errorf("after an hour: %v, want %v", got, want)
		}
		dying.dropless.Store(true)
		_ = b.Close()
		time.Sleep(29 * time.Second)
		if got := hostsOf(t, p); len(got) != 2 {
			t.Errorf("29 seconds after its death: %v", got)
		}
		time.Sleep(12 * time.Second) // the rest of its time, and a renewal
		if got := hostsOf(t, p); !slices.Equal(got, []string{host.MemberID(a)}) {
			t.Errorf("41 seconds after its death: %v", got)
		}
		for range 2 {
			_ = a.Close()
			if got := hostsOf(t, p); len(got) != 0 {
				t.Errorf("behind Close: %v", got)
			}
		}
	})
}

// A host that could not say that it is there is forgotten, and then neither offers nor reads before it is back on the list. Its calls are busy, and
// say for how long; nothing else of its trouble shows.
func TestHostForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace()
		less := newQuick()
		less.decoders = less.decoders[1:]
		p.open(t, newQuick(), nil)
		way := &silenced{IndexDriver: p.driver}
		away := on(t, p, way, less, nil)
		s := away.Session(scope("s"))
		a := attach(t, s, "a.txt", "hello")
		way.off.Store(true)
		time.Sleep(29 * time.Second)
		read(t, s, a.Resource, readapi.Selection{}) // nobody has forgotten it yet
		time.Sleep(15 * time.Second)
		if n := len(hostsOf(t, p)); n != 1 {
			t.Errorf("%d hosts", n)
		}
		_, readErr := s.Read(t.Context(), a.Resource, readapi.Selection{}, nil)
		_, offerErr := s.Offer(t.Context(), a.Ref("s"))
		_, _, listErr := s.Attachments(t.Context(), "", 0)
		for what, err := range map[string]error{"read": readErr, "offer": offerErr, "list": listErr} {
			wantCode(t, what, err, readapi.CodeBusy)
			if e, ok := err.(*readapi.Error); !ok || e.RetryAfter <= 0 {
				t.Errorf("%s: %+v", what, err)
			}
		}
		way.off.Store(false)
		if doc := read(t, s, a.Resource, readapi.Selection{}); doc.URI != a.Resource {
			t.Errorf("%+v", doc)
		}
		if n := len(hostsOf(t, p)); n != 2 {
			t.Errorf("%d hosts", n)
		}
	})
}

// A host is ready once it is on the list and has what is switched on.
func TestHostReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace()
		full := p.open(t, newQuick(), nil)
		less := newQuick()
		less.decoders = less.decoders[1:]
		way := &silenced{IndexDriver: p.driver}
		h := on(t, p, way, less, nil)
		is := func(when string, h *host.Host, want readapi.Code) {
			t.Helper()
			err := h.Ready(t.Context())
			wantCode(t, when, err, want)
			if e, ok := err.(*readapi.Error); ok && want == readapi.CodeCapabilityUnavailable && e.Ref != "pdf" {
				t.Errorf("%s: %+v", when, e)
			}
		}
		is("with all", full, "")
		is("without one", h, readapi.CodeCapabilityUnavailable)
		if err := full.EnableDecoder(t.Context(), "pdf", false); err != nil {
			t.Fatal(err)
		}
		is("without one that is off", h, "")
		way.off.Store(true)
		time.Sleep(time.Minute)
		is("forgotten", h, readapi.CodeBusy)
		way.off.Store(false)
		is("back", h, "")
		if n := len(hostsOf(t, p)); n != 2 {
			t.Errorf("%d hosts", n)
		}
		_ = h.Close()
		is("closed", h, readapi.CodeCanceled)
	})
}

// A command is on no list and holds nothing back, though it reads less; it has dead hosts forgotten, which nobody else may do; and what its
// decoders are, others do not hear, but for those that nobody knew.
func TestHostAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace()
		dying := &silenced{IndexDriver: p.driver}
		dying.dropless.Store(true)
		small := newQuick()
		small.decoders = small.decoders[2:] // text
		_ = on(t, p, dying, small, nil).Close()
		alone := func(q *quick) *host.Host { return p.open(t, q, &host.Options{Alone: true}) }
		pdf := attach(t, alone(newQuick()).Session(scope("s")), "q3.pdf", aPDF)
		if pdf.Resource != "" {
			t.Error("offered what a host cannot read that is counted on")
		}
		time.Sleep(31 * time.Second)
		before := hostsOf(t, p)
		c := alone(newQuick())
		if o := offerOf(t, c.Session(scope("s")), pdf.Ref("s")); o.URI == "" || len(before) != 1 || len(hostsOf(t, p)) != 0 {
			t.Errorf("%+v; %d hosts before, %d after", o, len(before), len(hostsOf(t, p)))
		}
		full := p.open(t, newQuick(), nil)
		_ = alone(small)
		if o := offerOf(t, full.Session(scope("s")), pdf.Ref("s")); o.URI == "" {
			t.Errorf("a command that reads less: %+v", o)
		}
		more := newQuick()
		more.decoders = append(more.decoders, quickDecoder{"zip", []readapi.MediaType{"application/zip"}})
		if got := names(t, alone(more)); got != "text pdf image zip" {
			t.Errorf("behind a command with one more: %s", got)
		}
	})
}

func TestHostTTL(t *testing.T) {
	p := newPlace()
	for _, ttl := range []time.Duration{-1, time.Microsecond} {
		_, err := host.New(t.Context(), blobsOf(t, p), indexOf(t, p), newQuick(), &host.Options{HostTTL: ttl})
		wantCode(t, ttl.String(), err, readapi.CodeInvalidRequest)
	}
}

// Hosts that come and go while others offer and read, with a time so short that they are forgotten now and then: no call fails but for being
// busy, and all settle on the same.
func TestHammerHosts(t *testing.T) {
	for name, open := range places() {
		t.Run(name, func(t *testing.T) {
			p := open(t)
			keep := p.open(t, newQuick(), &host.Options{HostTTL: 9 * time.Millisecond})
			a := attach(t, keep.Session(scope("s")), "a.txt", "hello")
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			var group sync.WaitGroup
			var calls atomic.Int64
			for n := range 4 {
				group.Go(func() {
					for ctx.Err() == nil {
						q := newQuick()
						q.decoders = q.decoders[n%2:]
						h, err := host.New(t.Context(), blobsOf(t, p), indexOf(t, p), q, &host.Options{HostTTL: 9 * time.Millisecond, Alone: n == 3})
						if err != nil {
							t.Error(err)
							return
						}
						for range 20 {
							_, err := h.Session(scope("s")).Read(t.Context(), a.Resource, readapi.Selection{}, nil)
							if code := readapi.CodeOf(err); code != "" && code != readapi.CodeBusy {
								t.Error(err)
							}
							calls.Add(1)
						}
						if err := h.Close(); err != nil {
							t.Error(err)
						}
					}
				})
			}
			group.Wait()
			if doc := read(t, keep.Session(scope("s")), a.Resource, readapi.Selection{}); doc == nil || calls.Load() < 20 {
				t.Errorf("%d calls", calls.Load())
			}
			_ = keep.Close()
			if got := hostsOf(t, p); len(got) != 0 {
				t.Errorf("left on the list: %v", got)
			}
			p.close(t)
		})
	}
}

// failAt is an index whose nth call fails that a host makes for being one.
type failAt struct {
	store.IndexDriver
	n    int
	done int
}

func (f *failAt) fails() error {
	if f.done++; f.done == f.n {
		return &readapi.Error{Code: readapi.CodeBusy}
	}
	return nil
}

func (f *failAt) Decoders(ctx context.Context) (store.DecoderSet, error) {
	if err := f.fails(); err != nil {
		return store.DecoderSet{}, err
	}
	return f.IndexDriver.Decoders(ctx)
}

func (f *failAt) SetDecoders(ctx context.Context, was int64, d []store.DecoderEntry) (store.DecoderSet, error) {
	if err := f.fails(); err != nil {
		return store.DecoderSet{}, err
	}
	return f.IndexDriver.SetDecoders(ctx, was, d)
}

func (f *failAt) PutHost(ctx context.Context, h store.HostEntry, ttl time.Duration) (int64, error) {
	if err := f.fails(); err != nil {
		return 0, err
	}
	return f.IndexDriver.PutHost(ctx, h, ttl)
}

// A host that cannot begin leaves nothing: no place on the list, nothing that runs; and the next one begins.
func TestHostBeginFails(t *testing.T) {
	for _, alone := range []bool{false, true} {
		for n := 1; ; n++ {
			finished := false
			synctest.Test(t, func(t *testing.T) {
				p := newPlace()
				f := &failAt{IndexDriver: p.driver, n: n}
				own := *p
				own.driver = f
				h, err := host.New(t.Context(), blobsOf(t, &own), indexOf(t, &own), newQuick(), &host.Options{Alone: alone})
				if err == nil {
					_ = h.Close()
				}
				if finished = f.done < n; !finished && err != nil {
					wantCode(t, "New", err, readapi.CodeBusy)
				}
				if got := hostsOf(t, p); len(got) != 0 {
					t.Errorf("alone %v, call %d: on the list: %v", alone, n, got)
				}
				attach(t, p.open(t, newQuick(), nil).Session(scope("s")), "a.txt", "hello")
			})
			if finished {
				if n < 4 {
					t.Errorf("alone %v: only %d calls", alone, n)
				}
				break
			}
		}
	}
}
