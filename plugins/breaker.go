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
// more than one, its failures count for little more than half of what it takes.
type breaker struct {
	most   int // failures that open it
	report func(IncidentKind)

	mu      sync.Mutex
	fails   []failure // since the last answer, of different files
	parties []string  // the first two that were seen
	pause   time.Duration
	open    bool
	until   time.Time // when it is tried again
	probing bool      // it is being tried
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
)

// try is one read's place with a breaker. end must be called once.
type try struct {
	b     *breaker
	party string
	probe bool // the breaker is open, and this read is to find out whether it must stay so
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
	if left := time.Until(b.until); left > 0 || b.probing {
		return nil, &readapi.Error{
			Code: readapi.CodeBusy, Detail: "the decoder failed several times in a row and rests", Hint: "Try again in a moment.",
			RetryAfter: max(left, leastRetry),
		}
	}
	b.probing = true
	return &try{b: b, party: party, probe: true}, nil
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
	if t.probe {
		b.probing = false
	}
	switch {
	case v == noVerdict:
	case v == answered:
		b.fails = nil
		if t.probe {
			b.open, b.pause = false, 0
			return DecoderRecovered
		}
	case t.probe:
		b.rest(min(2*b.pause, mostPause))
	case b.open: // it began before the breaker opened
	default:
		b.count(failure{file, t.party})
		if b.enough() {
			b.rest(firstPause)
			return DecoderResting
		}
	}
	return ""
}

func (b *breaker) rest(pause time.Duration) {
	b.open, b.pause, b.until, b.fails = true, pause, time.Now().Add(pause), nil
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
