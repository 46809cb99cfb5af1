package plugins

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/ring"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// What counts is what the decoder does wrong, and nothing that a file can do, or a caller, or other reads.
func TestBreakerCounts(t *testing.T) {
	for code, opens := range map[readapi.Code]bool{
		readapi.CodeTrap: true, readapi.CodeBadOutput: true, readapi.CodeInternal: true,
		readapi.CodeMalformed: false, readapi.CodeEncrypted: false, readapi.CodeUnsupportedFeature: false, readapi.CodeInvalidRequest: false,
		readapi.CodeLimitTime: false, readapi.CodeLimitFuel: false, readapi.CodeLimitMemory: false, readapi.CodeLimitOutput: false,
		readapi.CodeLimitPixels: false, readapi.CodeLimitDepth: false, readapi.CodeCanceled: false, readapi.CodeBusy: false, readapi.CodeCorrupt: false,
		readapi.CodeNotFound: false,
	} {
		t.Run(string(code), func(t *testing.T) {
			e := &fakeEngine{run: func(context.Context, *sandbox.Call, int) error { return &readapi.Error{Code: code} }}
			r, heard := faked(t, e, Options{})
			for k := range defaultRestAfter {
				if err := readOf(t.Context(), r, "p", numbered(k)); readapi.CodeOf(err) != code {
					t.Fatalf("read %d: %v", k, err)
				}
			}
			err := readOf(t.Context(), r, "p", "one more")
			want, state := code, StateReady
			if opens {
				want, state = readapi.CodeBusy, StateResting
			}
			if got := r.List()[0].State; readapi.CodeOf(err) != want || got != state {
				t.Errorf("%v, and the decoder is %s", err, got)
			}
			if opens != slices.ContainsFunc(*heard, func(i Incident) bool { return i.Kind == DecoderResting && i.Decoder.Digest == "d" && i.SHA256 == "" }) {
				t.Errorf("heard %v", *heard)
			}
			if n := len(r.Accepts("text/plain")); n != 1 {
				t.Errorf("%d decoders accept the type: the address must not be withdrawn", n)
			}
		})
	}
}

// A decoder that cannot be made rests too, and one whose read was given up meanwhile does not.
func TestBreakerOfUnmade(t *testing.T) {
	for want, fail := range map[readapi.Code]error{
		readapi.CodeBusy:                  &readapi.Error{Code: readapi.CodeModuleRefused},
		readapi.CodeCapabilityUnavailable: &readapi.Error{Code: readapi.CodeCapabilityUnavailable},
	} {
		e := &fakeEngine{make: func() error { return fail }}
		r, _ := faked(t, e, Options{RestAfter: 3})
		for k := range 3 {
			if err := readOf(t.Context(), r, "p", numbered(k)); !errors.Is(err, readapi.CodeOf(fail)) {
				t.Fatalf("read %d: %v", k, err)
			}
		}
		if err := readOf(t.Context(), r, "p", "one more"); readapi.CodeOf(err) != want {
			t.Errorf("after %v: %v, want %s", fail, err, want)
		}
	}
}

// An open breaker lets one read through after a second, and after twice as long each time that fails, up to a minute.
func TestBreakerTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		works := false
		code := readapi.CodeTrap
		e := &fakeEngine{run: func(_ context.Context, c *sandbox.Call, _ int) error {
			if works {
				return ending(c, 1)
			}
			return &readapi.Error{Code: code}
		}}
		r, heard := faked(t, e, Options{RestAfter: 2})
		defer r.Close(t.Context())
		for k := range 2 {
			_ = readOf(t.Context(), r, "p", numbered(k))
		}
		for k, pause := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
			before := e.runs.Load()
			err := readOf(t.Context(), r, "p", "f")
			if e, ok := errors.AsType[*readapi.Error](err); !ok || e.Code != readapi.CodeBusy || e.RetryAfter != pause*time.Second {
				t.Fatalf("pause %d: %v, %+v", k, err, e)
			}
			time.Sleep(pause*time.Second - 1)
			if _ = readOf(t.Context(), r, "p", "f"); e.runs.Load() != before {
				t.Fatalf("pause %d: it ran before its time", k)
			}
			time.Sleep(1)
			if _ = readOf(t.Context(), r, "p", "f"); e.runs.Load() != before+1 {
				t.Fatalf("pause %d: it was not tried", k)
			}
		}
		time.Sleep(time.Minute)
		code = readapi.CodeMalformed // says nothing about the decoder: the next is tried at once
		if err := readOf(t.Context(), r, "p", "f"); readapi.CodeOf(err) != code {
			t.Error(err)
		}
		works = true
		if err := readOf(t.Context(), r, "p", "f"); err != nil {
			t.Error(err)
		}
		if got := r.List()[0].State; got != StateReady {
			t.Errorf("the decoder is %s", got)
		}
		var kinds []IncidentKind
		for _, i := range *heard {
			kinds = append(kinds, i.Kind)
		}
		if !slices.Equal(kinds, []IncidentKind{DecoderResting, DecoderRecovered}) {
			t.Errorf("heard %v", kinds)
		}
	})
}

// Only one read of a party tries an open breaker; its others are busy while it does.
func TestBreakerOneTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker(1, func(IncidentKind) {})
		first, err := b.begin("p")
		if err != nil {
			t.Fatal(err)
		}
		first.end(failed, "f")
		time.Sleep(firstPause)
		probe, err := b.begin("p")
		if err != nil || probe.rest == nil {
			t.Fatalf("%+v, %v", probe, err)
		}
		if _, err := b.begin("p"); readapi.CodeOf(err) != readapi.CodeBusy {
			t.Errorf("a second one: %v", err)
		}
		probe.end(noVerdict, "")
		if _, err := b.begin("p"); err != nil {
			t.Errorf("after the first said nothing: %v", err)
		}
	})
}

// Who opens a breaker, or has opened it alone before anybody else came, does not keep it open for others: not by files that take long, nor by
// files that fail. Others find out for themselves.
func TestBreakerIsNotHeld(t *testing.T) {
	for name, hold := range map[string]func(b *breaker){
		"by nobody":    func(*breaker) {},
		"by long ones": func(b *breaker) { _, _ = b.begin("hostile") },
		"by failures": func(b *breaker) {
			for range 10 {
				if try, err := b.begin("hostile"); err == nil {
					try.end(failed, "f")
				}
				time.Sleep(mostPause)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var heard []IncidentKind
				b := newBreaker(5, func(k IncidentKind) { heard = append(heard, k) })
				for k := range 5 {
					try, err := b.begin("hostile")
					if err != nil {
						t.Fatal(err)
					}
					try.end(failed, numbered(k))
				}
				if b.state() != StateResting {
					t.Fatal("it did not open")
				}
				if _, err := b.begin("hostile"); readapi.CodeOf(err) != readapi.CodeBusy {
					t.Fatalf("the one that opened it does not wait: %v", err)
				}
				if name != "by nobody" {
					time.Sleep(firstPause)
				}
				hold(b)
				try, err := b.begin("victim")
				if err != nil {
					t.Fatal(err)
				}
				try.end(answered, "")
				if b.state() != StateReady || !slices.Equal(heard, []IncidentKind{DecoderResting, DecoderRecovered}) {
					t.Errorf("%s, heard %v", b.state(), heard)
				}
			})
		})
	}
}

// What is remembered of parties is bounded while a decoder rests: those that come late share one rest.
func TestBreakerBounds(t *testing.T) {
	b := newBreaker(1, func(IncidentKind) {})
	for k := range 2 * mostRests {
		try, err := b.begin(numbered(k))
		if k <= mostRests && err != nil {
			t.Fatalf("party %d: %v", k, err)
		}
		if err == nil {
			try.end(failed, "f")
		}
	}
	if len(b.rests) != mostRests+1 {
		t.Errorf("%d rests", len(b.rests))
	}
}

// However many files one party makes a decoder fail with, the others can use it; where it is the only party there is nobody to protect. A
// file that fails again counts once, and an answer makes everything good.
func TestBreakerIsFair(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		most := rapid.IntRange(2, 8).Draw(rt, "most")
		opened := false
		b := newBreaker(most, func(IncidentKind) { opened = true })
		end := func(party, file string, v verdict) {
			if try, err := b.begin(party); err == nil {
				try.end(v, file)
			}
		}
		end("victim", "", answered)
		files := rapid.SliceOfN(rapid.IntRange(0, 30), 0, 60).Draw(rt, "files")
		for _, k := range files {
			end("hostile", numbered(k), failed)
			if rapid.Bool().Draw(rt, "unknown") {
				end("hostile", "", failed)
			}
		}
		if opened {
			rt.Fatalf("one party opened it with %d failures", len(files))
		}
		end("victim", "", answered)
		for k := range most {
			end([]string{"victim", "hostile"}[k%2], "the same", failed)
			end([]string{"victim", "hostile"}[k%2], "the same", failed)
		}
		if opened {
			rt.Fatal("one file opened it")
		}
		end("victim", "", answered)
		for k := range most {
			if opened {
				rt.Fatalf("%d failures opened it", k)
			}
			end([]string{"victim", "hostile"}[k%2], numbered(k), failed)
		}
		if !opened {
			rt.Fatalf("%d failures of two parties in a row did not open it", most)
		}
	})
}

// A file that fails the host itself, twice, is not given to its decoder again. Another decoder's failures and another file's are their own,
// what a guest can do is none, and turning the decoder on takes the file back.
func TestFileQuarantine(t *testing.T) {
	for name, tc := range map[string]struct {
		fail func() error
		host bool
	}{
		"engine":  {func() error { return &readapi.Error{Code: readapi.CodeInternal} }, true},
		"helper":  {func() error { return &readapi.Error{Code: readapi.CodeTrap, Err: ring.ErrDied} }, true},
		"memory":  {func() error { return &readapi.Error{Code: readapi.CodeLimitMemory, Err: ring.ErrDied} }, false},
		"late":    {func() error { time.Sleep(time.Minute); return &readapi.Error{Code: readapi.CodeLimitTime} }, true},
		"in time": {func() error { time.Sleep(31 * time.Second); return &readapi.Error{Code: readapi.CodeLimitTime} }, false},
		"guest":   {func() error { return &readapi.Error{Code: readapi.CodeTrap} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := &fakeEngine{run: func(context.Context, *sandbox.Call, int) error { return tc.fail() }}
				r, heard := faked(t, e, Options{RestAfter: 100})
				defer r.Close(t.Context())
				for range 2 {
					if err := readOf(t.Context(), r, "p", "bad"); err == nil {
						t.Fatal("it did not fail")
					}
				}
				_ = readOf(t.Context(), r, "p", "other")
				before := e.runs.Load()
				err := readOf(t.Context(), r, "q", "bad")
				got, ok := errors.AsType[*readapi.Error](err)
				refused := ok && got.Code == readapi.CodeTrap && got.Final && e.runs.Load() == before
				if refused != tc.host {
					t.Errorf("%v, after %d runs", err, e.runs.Load())
				}
				told := slices.ContainsFunc(*heard, func(i Incident) bool { return i.Kind == FileQuarantined && i.SHA256 == "bad" && i.Decoder.Name == "a" })
				if told != tc.host || told && len(*heard) != 1 {
					t.Errorf("heard %v", *heard)
				}
				before = e.runs.Load()
				if _ = readOf(t.Context(), r, "p", "other"); e.runs.Load() != before+1 {
					t.Error("another file is refused too")
				}
				if err := r.Enable("a", true); err != nil {
					t.Fatal(err)
				}
				if _ = readOf(t.Context(), r, "q", "bad"); e.runs.Load() != before+2 {
					t.Error("the file is still refused")
				}
			})
		})
	}
}

// What is remembered of files is bounded, and nobody waits for a digest while there is nothing to compare it with.
func TestQuarantineBounds(t *testing.T) {
	q := newQuarantine()
	q.strike("d", "first")
	q.strike("d", "first")
	for k := range 3 * mostPairs {
		q.strike("d", numbered(k))
		if k%1000 == 0 && !q.holds("d", "first") {
			t.Fatal("what is asked for is forgotten")
		}
	}
	if len(q.pairs) != mostPairs || q.order.Len() != mostPairs || q.holds("d", numbered(0)) {
		t.Errorf("%d pairs", len(q.pairs))
	}
	e := &fakeEngine{run: func(_ context.Context, c *sandbox.Call, _ int) error { return ending(c, 1) }}
	r, _ := faked(t, e, Options{})
	_, err := r.Decode(t.Context(), r.Accepts("text/plain")[0], readapi.Decoding{
		Request: readapi.Request{Form: readapi.FormAuto}, Limits: readapi.DefaultLimits(), SHA256: func() string { t.Error("asked"); return "" },
	})
	if err != nil {
		t.Error(err)
	}
}

// A read that differs from itself in an instance that was put back quarantines its decoder as one does that differs between engines.
func TestVerifyPutBack(t *testing.T) {
	leaks := true
	e := &fakeEngine{run: func(_ context.Context, c *sandbox.Call, n int) error {
		if !leaks {
			n = 1
		}
		return ending(c, int64(n))
	}}
	r, heard := faked(t, e, Options{})
	verify := func() error {
		return r.Verify(t.Context(), r.Accepts("text/plain")[0], readapi.Decoding{Request: readapi.Request{Form: readapi.FormAuto}, Limits: readapi.DefaultLimits()})
	}
	if err := verify(); readapi.CodeOf(err) != readapi.CodeTrap || len(*heard) != 1 || r.List()[0].State != StateQuarantined {
		t.Errorf("%v, heard %v", err, *heard)
	}
	leaks = false
	if err := r.Enable("a", true); err != nil {
		t.Fatal(err)
	}
	before := e.runs.Load()
	if err := verify(); err != nil || e.runs.Load() != before+4 || r.List()[0].State != StateReady {
		t.Errorf("%v, after %d runs", err, e.runs.Load()-before)
	}
}
