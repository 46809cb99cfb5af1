package plugins

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// breaker takes a decoder out of service for a while when it fails with one file after the other, so that reads that will fail cost nothing.
//
// What counts are failures that are the decoder's own, in a row, with different files. One party cannot do it to others: where there are
// more than one, its failures count for little more than half of what it takes. Nor can it keep one open: while the decoder rests each party
// may try it by itself, with pauses of its own, and the first answer that anybody gets ends the rest.
type breaker struct {
	most   int // failures that open it
	report func(IncidentKind)

	mu      sync.Mutex
	fails   []failure // since the last answer, of different files
	parties []string  // the first two that were seen
	open    bool
	rests   map[string]*rest // while it is open: of parties that have tried since, or whose failures opened it
}

// rest is when one party may try a decoder that rests.
type rest struct {
	pause  time.Duration
	until  time.Time
	trying bool
}

// failure is one that is the decoder's own.
type failure struct{ file, party string }

// verdict is what a read says about its decoder.
type verdict int

const (
	noVerdict verdict = iota // it was the file, or it did not come to it
	answered                 // the decoder did what it is for
	failed                   // and this is its own failure
)

// How long a breaker stays open at first, and at most.
const (
	firstPause = time.Second
	mostPause  = time.Minute
	mostRests  = 256 // parties with pauses of their own; those that come later share one
)

// try is one read's place with a breaker. end must be called once.
type try struct {
	b     *breaker
	party string
	rest  *rest // the breaker is open, and this read is to find out for its party whether it must stay so; nil: it is not
}

// begin lets a read of the party through, or says for how long to stay away.
func (b *breaker) begin(party string) (*try, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.parties) < 2 && !slices.Contains(b.parties, party) {
		b.parties = append(b.parties, party)
	}
	if !b.open {
		return &try{b: b, party: party}, nil
	}
	r := b.restOf(party)
	if left := time.Until(r.until); left > 0 || r.trying {
		return nil, &readapi.Error{
			Code: readapi.CodeBusy, Detail: "the decoder failed several times in a row and rests", Hint: "Try again in a moment.",
			RetryAfter: max(left, leastRetry),
		}
	}
	r.trying = true
	return &try{b: b, party: party, rest: r}, nil
}

// restOf is the party's rest, from the beginning none at all. It needs the lock, as all that follow do.
func (b *breaker) restOf(party string) *rest {
	if b.rests[party] == nil && len(b.rests) >= mostRests {
		party = ""
	}
	r := b.rests[party]
	if r == nil {
		r = &rest{}
		b.rests[party] = r
	}
	return r
}

func (r *rest) again() {
	r.pause = min(max(2*r.pause, firstPause), mostPause)
	r.until = time.Now().Add(r.pause)
}

// end says how the read went. file is its digest, "" where it is not known.
func (t *try) end(v verdict, file string) {
	b := t.b
	if kind := b.judge(t, v, file); kind != "" {
		b.report(kind)
	}
}

func (b *breaker) judge(t *try, v verdict, file string) IncidentKind {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.rest != nil {
		t.rest.trying = false
	}
	switch {
	case v == noVerdict:
	case v == answered:
		b.fails = nil
		if t.rest != nil && b.open {
			b.open, b.rests = false, nil
			return DecoderRecovered
		}
	case t.rest != nil && b.open:
		t.rest.again()
	case b.open: // it began before the breaker opened
	default:
		b.count(failure{file, t.party})
		if b.enough() {
			b.trip()
			return DecoderResting
		}
	}
	return ""
}

// trip opens it. Those whose files opened it wait before they try; for the others the decoder may well work.
func (b *breaker) trip() {
	b.open, b.rests = true, map[string]*rest{}
	for _, f := range b.fails {
		if r := b.restOf(f.party); r.pause == 0 {
			r.again()
		}
	}
	b.fails = nil
}

// count remembers a failure. A file fails once, for each party that reads it; one that is not known is one of its own.
func (b *breaker) count(f failure) {
	if f.file != "" && slices.Contains(b.fails, f) {
		return
	}
	of := func(x failure) bool { return x.party == f.party }
	if i := slices.IndexFunc(b.fails, of); len(b.fails) >= 2*b.most { // a party alone may go on for ever
		b.fails = slices.Delete(b.fails, max(i, 0), max(i, 0)+1)
	}
	b.fails = append(b.fails, f)
}

// enough reports whether the failures open the breaker: those of one party are little more than half of them, unless it is the only one.
func (b *breaker) enough() bool {
	share := b.most
	if len(b.parties) > 1 {
		share = min((b.most+1)/2, b.most-1)
	}
	files, counted := map[string]bool{}, map[string]int{}
	n := 0
	for _, f := range b.fails {
		if f.file != "" && files[f.file] || counted[f.party] >= share {
			continue
		}
		files[f.file] = true
		counted[f.party]++
		n++
	}
	return n >= b.most
}

// state is StateResting while reads are turned away.
func (b *breaker) state() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open {
		return StateResting
	}
	return StateReady
}

func newBreaker(most int, report func(IncidentKind)) *breaker {
	return &breaker{most: cmp.Or(most, defaultRestAfter), report: report}
}

const defaultRestAfter = 5
