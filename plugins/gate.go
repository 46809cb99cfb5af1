package plugins

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// gate lets reads in: each with all the memory that its guest may come to hold, so that no guest ever waits for another that waits too.
//
// Reads that do not fit wait, first come first served within a party. Parties take turns, the one that was served longest ago first, but
// those behind for which far more work was done lately: four times as much as for the one that had the least, and further behind for
// sixteen times. A little more or less does not count, for it is chance. A read that others pass too often while its party has nothing at
// work is next all the same; nobody passes it then, and room is kept free until it fits.
//
// A party that has something at work never gets the last room: that is for one that has nothing.
type gate struct {
	size  int64 // bytes that all reads together may reserve
	keep  int64 // of them for parties that have nothing at work
	queue int   // reads that may wait
	each  int   // of one party

	mu      sync.Mutex
	used    int64
	waiting int
	running int
	parties map[string]*party
	active  map[*party]bool // those of which a read waits
	turn    uint64          // counts reads as they come and as they are let in
	typical time.Duration   // how long a read stays, lately
}

// party is one on whose behalf reads are.
type party struct {
	work    float64   // that was done for it, in seconds; half of it is forgotten every halfLife
	at      time.Time // when it was that much
	served  uint64    // when it was last let in, in turns
	running int
	queue   []*waiter
}

// lane is a decoder's share of the gate.
type lane struct {
	most    int // reads of one party at once; there is one more for a party that has nothing at work
	running int
	closed  bool
	changed chan struct{} // closed when a read has ended
}

// waiter is a read that waits.
type waiter struct {
	party  *party
	lane   *lane
	need   int64
	came   uint64
	passed int           // how often another was let in before it though it was the first of its party, which had nothing at work
	done   chan struct{} // closed when it was let in, or sent away
	err    error         // why it was sent away; valid when done is closed
}

// pass is a read that was let in. It must be left exactly once.
type pass struct {
	g     *gate
	party *party
	lane  *lane
	need  int64
	since time.Time
}

const (
	halfLife   = 10 * time.Second
	littleWork = 0.1  // seconds: what nobody is put behind for
	noWork     = 1e-3 // seconds: as good as none
	mostKnown  = 4096 // parties that are remembered
	leastRetry = 100 * time.Millisecond
	mostRetry  = 30 * time.Second
)

func newGate(size int64, queue, each int) *gate {
	room := readapi.DefaultLimits().MaxMemoryBytes
	return &gate{
		size: size, keep: min(room, size/4), queue: queue, each: each,
		parties: map[string]*party{}, active: map[*party]bool{}, typical: 10 * time.Millisecond,
	}
}

func newLane(most int) *lane { return &lane{most: most, changed: make(chan struct{})} }

// enter lets a read in that may need so much memory, and waits for its turn if it must: until ctx ends, the lane is closed, or the read
// gives way to a party that asks for less.
//
// Errors: errGone, canceled, limit_time for a read that comes late, and busy where there are too many before it, or ctx's time ended while it
// waited.
func (g *gate) enter(ctx context.Context, name string, l *lane, need int64) (*pass, error) {
	if err := ctx.Err(); err != nil { // its time was over before it came: nobody held it up
		return nil, err
	}
	w, err := g.line(name, l, need)
	if err != nil {
		return nil, err
	}
	select {
	case <-w.done:
	case <-ctx.Done():
		if g.giveUp(w) {
			return nil, waited(ctx, "other reads took all the time that it had", g.retry())
		}
	}
	if w.err != nil {
		return nil, w.err
	}
	return &pass{g: g, party: w.party, lane: l, need: w.need, since: time.Now()}, nil
}

// line puts a read in line and lets in whose turn it is, which may be this one.
func (g *gate) line(name string, l *lane, need int64) (*waiter, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if l.closed {
		return nil, errGone
	}
	p := g.party(name)
	g.turn++
	w := &waiter{party: p, lane: l, need: min(max(need, 1), g.size), came: g.turn, done: make(chan struct{})}
	p.queue = append(p.queue, w)
	g.active[p] = true
	g.waiting++
	g.letIn()
	if over(w.done) {
		return w, nil
	}
	switch longest := g.longest(); {
	case len(p.queue) > g.each:
		g.drop(w)
		return nil, g.full("max_queue_per_party", g.each, "too many reads of this session wait")
	case g.waiting <= g.queue:
	case len(longest.queue) > len(p.queue): // the newest read of whoever has the most gives way
		g.sendAway(longest.queue[len(longest.queue)-1], g.full("max_queue", g.queue, "too many reads wait"))
	default:
		g.drop(w)
		return nil, g.full("max_queue", g.queue, "too many reads wait")
	}
	return w, nil
}

func over(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// party returns the party of a name. It needs the lock, as all that follow do.
func (g *gate) party(name string) *party {
	p := g.parties[name]
	if p == nil {
		if len(g.parties) >= mostKnown {
			g.forget()
		}
		p = &party{at: time.Now()}
		g.parties[name] = p
	}
	return p
}

// forget forgets parties that have nothing here: those for which nothing was done lately, and where that is not enough the rest of them.
func (g *gate) forget() {
	now := time.Now()
	for _, all := range []bool{false, true} {
		for name, p := range g.parties {
			if p.running == 0 && len(p.queue) == 0 && (all || p.lately(now) < noWork) {
				delete(g.parties, name)
			}
		}
		if len(g.parties) < mostKnown {
			return
		}
	}
}

// lately is the work that was done for p, as far as it is not forgotten.
func (p *party) lately(now time.Time) float64 {
	if now != p.at {
		p.work *= math.Exp2(-now.Sub(p.at).Seconds() / halfLife.Seconds())
		p.at = now
	}
	return p.work
}

func (g *gate) longest() *party {
	var most *party
	for p := range g.active {
		if most == nil || len(p.queue) > len(most.queue) {
			most = p
		}
	}
	return most
}

// letIn lets in everyone whose turn it is.
func (g *gate) letIn() {
	for g.waiting > 0 {
		w := g.next()
		if w == nil {
			return
		}
		p := w.party
		g.remove(w)
		g.turn++
		p.served = g.turn
		p.running++
		w.lane.running++
		g.running++
		g.used += w.need
		close(w.done)
	}
}

// next returns the read that is to be let in now, nil if there is none, and counts it for those that it passes.
func (g *gate) next() *waiter {
	var first []*waiter // of each party
	now, least := time.Now(), math.Inf(1)
	for p := range g.active {
		if i := slices.IndexFunc(p.queue, func(w *waiter) bool { return w.lane.free(p) }); i >= 0 {
			first = append(first, p.queue[i])
			least = min(least, p.lately(now))
		}
	}
	slices.SortFunc(first, func(a, b *waiter) int { return g.order(a, b, least) })
	for _, w := range first {
		switch {
		case g.used+w.need > g.size:
			if g.overdue(w) {
				return nil // nobody passes it: there will be room
			}
		case w.party.running > 0 && g.used+w.need > g.size-g.keep:
		default:
			for _, other := range first {
				if other != w && other.party.running == 0 {
					other.passed++
				}
			}
			return w
		}
	}
	return nil
}

// free reports whether the lane has room for one more read of p.
func (l *lane) free(p *party) bool {
	return l.running < l.most || l.running == l.most && p.running == 0
}

// overdue reports whether others have passed w as often as they may.
func (g *gate) overdue(w *waiter) bool { return w.passed >= g.queue }

// order puts those first that were passed too often, and then goes by turns.
func (g *gate) order(a, b *waiter, least float64) int {
	switch la, lb := g.overdue(a), g.overdue(b); {
	case la && lb:
		return cmp.Compare(a.came, b.came)
	case la:
		return -1
	case lb:
		return 1
	}
	return cmp.Or(cmp.Compare(a.party.behind(least), b.party.behind(least)), cmp.Compare(a.party.served, b.party.served), cmp.Compare(a.came, b.came))
}

// behind is how far behind p is put, when the party for which least was done had so much.
func (p *party) behind(least float64) int {
	return int(math.Log2((p.work+littleWork)/(least+littleWork)) / 2)
}

func (g *gate) remove(w *waiter) {
	w.party.queue = slices.DeleteFunc(w.party.queue, func(x *waiter) bool { return x == w })
	g.waiting--
	if len(w.party.queue) == 0 {
		delete(g.active, w.party)
	}
}

// drop takes out a read that was not let in. It may have been one that others had to wait for.
func (g *gate) drop(w *waiter) {
	g.remove(w)
	g.letIn()
}

func (g *gate) sendAway(w *waiter, err error) {
	w.err = err
	g.drop(w)
	close(w.done)
}

// giveUp takes w out of the line. It reports false when w has been let in or sent away meanwhile.
func (g *gate) giveUp(w *waiter) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if over(w.done) {
		return false
	}
	g.drop(w)
	return true
}

// leave gives back what p holds; work is what was done for it.
func (p *pass) leave(work time.Duration) {
	g := p.g
	g.mu.Lock()
	defer g.mu.Unlock()
	p.party.work = p.party.lately(time.Now()) + work.Seconds()
	p.party.running--
	p.lane.running--
	g.running--
	g.used -= p.need
	g.typical += (time.Since(p.since) - g.typical) / 8
	close(p.lane.changed)
	p.lane.changed = make(chan struct{})
	g.letIn()
}

// retry is how long a read that comes now had better wait before it comes again.
func (g *gate) retry() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.retryAfter()
}

func (g *gate) retryAfter() time.Duration {
	return min(max(g.typical*time.Duration(g.waiting+1)/time.Duration(max(1, g.running)), leastRetry), mostRetry)
}

func (g *gate) full(limit string, most int, why string) error {
	return &readapi.Error{
		Code: readapi.CodeBusy, Detail: why, RetryAfter: g.retryAfter(), Hint: "Try again in a moment.",
		Limit: &readapi.LimitHit{Name: limit, Value: int64(most), Actual: int64(most) + 1},
	}
}

// shut sends away the reads that wait in l, and lets none in any more.
func (g *gate) shut(l *lane) {
	g.mu.Lock()
	defer g.mu.Unlock()
	l.closed = true
	for p := range g.active {
		for _, w := range slices.Clone(p.queue) {
			if w.lane == l {
				w.err = errGone
				g.remove(w)
				close(w.done)
			}
		}
	}
	g.letIn()
}

// drained waits until the reads of l have left.
func (g *gate) drained(ctx context.Context, l *lane) error {
	for {
		g.mu.Lock()
		running, changed := l.running, l.changed
		g.mu.Unlock()
		if running == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
