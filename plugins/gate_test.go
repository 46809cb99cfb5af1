package plugins

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// arrival is a read as a schedule draws it.
type arrival struct {
	After  time.Duration // since the one before
	Party  int
	Lane   int
	Need   int64
	Hold   time.Duration
	Within time.Duration // how long it waits
}

// TestGate draws schedules of reads and runs them in a world of its own. At each step: no more memory is reserved than there is, no lane is
// over its most, a party never has the last room while it has something at work, no more wait than may. At the end every read has heard
// something, nothing is held, and nobody waits: so no wake-up was lost. And a read of a party that has nothing at work, whose lane is free,
// sees no more than twice the queue's length of others go first.
func TestGate(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		arrivals := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) arrival {
			return arrival{
				After:  time.Duration(rapid.IntRange(0, 20).Draw(rt, "after")) * time.Millisecond,
				Party:  min(rapid.IntRange(0, 9).Draw(rt, "party"), 4), // one is greedy
				Lane:   rapid.IntRange(0, 1).Draw(rt, "lane"),
				Need:   int64(rapid.SampledFrom([]int{1, 5, 25, 60, 100, 1000}).Draw(rt, "need")),
				Hold:   time.Duration(rapid.IntRange(1, 200).Draw(rt, "hold")) * time.Millisecond,
				Within: time.Duration(rapid.SampledFrom([]int{1, 50, 100_000}).Draw(rt, "within")) * time.Millisecond,
			}
		}), 1, 80).Draw(rt, "arrivals")
		queue, each := rapid.IntRange(1, 20).Draw(rt, "queue"), rapid.IntRange(1, 10).Draw(rt, "each")
		most := rapid.IntRange(1, 4).Draw(rt, "most")
		var err error
		synctest.Test(t, func(t *testing.T) { err = schedule(t.Context(), arrivals, queue, each, most) })
		if err != nil {
			rt.Fatal(err)
		}
	})
}

func schedule(ctx context.Context, arrivals []arrival, queue, each, most int) error {
	g := newGate(100, queue, each)
	lanes := []*lane{newLane(most), newLane(most)}
	ctx = context.WithoutCancel(ctx)
	var mu sync.Mutex
	var bad []error
	heard := 0
	var reads sync.WaitGroup
	for _, a := range arrivals {
		time.Sleep(a.After)
		reads.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, a.Within)
			defer cancel()
			p, err := g.enter(ctx, strconv.Itoa(a.Party), lanes[a.Lane], a.Need)
			mu.Lock()
			heard++
			if err != nil && readapi.CodeOf(err) != readapi.CodeBusy {
				bad = append(bad, err)
			}
			bad = append(bad, sane(g, lanes)...)
			mu.Unlock()
			if err == nil {
				time.Sleep(a.Hold)
				p.leave(a.Hold)
			}
		})
		synctest.Wait()
	}
	reads.Wait()
	if heard != len(arrivals) {
		bad = append(bad, fmt.Errorf("%d reads of %d came back", heard, len(arrivals)))
	}
	if g.used != 0 || g.running != 0 || g.waiting != 0 || len(g.active) != 0 || lanes[0].running+lanes[1].running != 0 {
		bad = append(bad, fmt.Errorf("held at the end: %d bytes, %d running, %d waiting", g.used, g.running, g.waiting))
	}
	return errors.Join(bad...)
}

// sane checks what must hold at any time.
func sane(g *gate, lanes []*lane) (bad []error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	fail := func(format string, args ...any) { bad = append(bad, fmt.Errorf(format, args...)) }
	if g.used > g.size {
		fail("%d bytes of %d are reserved", g.used, g.size)
	}
	if g.waiting > g.queue {
		fail("%d wait of %d that may", g.waiting, g.queue)
	}
	waiting := 0
	for _, p := range g.parties {
		waiting += len(p.queue)
		if len(p.queue) > g.each {
			fail("%d reads of one party wait", len(p.queue))
		}
		if p.running > 1 && g.running == p.running && g.used > g.size-g.keep {
			fail("a party has %d at work and nobody else has room", p.running)
		}
		for _, w := range p.queue {
			if w.passed > 2*g.queue {
				fail("%d others went first", w.passed)
			}
		}
	}
	if waiting != g.waiting {
		fail("%d wait, and %d are counted", waiting, g.waiting)
	}
	for _, l := range lanes {
		if l.running > l.most+1 {
			fail("a lane for %d has %d", l.most, l.running)
		}
	}
	return bad
}

// enterNow is a read that must not wait.
func enterNow(t *testing.T, g *gate, party string, l *lane, need int64) *pass {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	p, err := g.enter(ctx, party, l, need)
	if err != nil {
		t.Fatalf("a read of %s: %v", party, err)
	}
	return p
}

// queued puts a read in line and notes its name when it is let in; it leaves at once.
func queued(t *testing.T, g *gate, party string, l *lane, need int64, order *[]string, held time.Duration) <-chan error {
	done := make(chan error, 1)
	go func() {
		p, err := g.enter(context.WithoutCancel(t.Context()), party, l, need)
		if err == nil {
			*order = append(*order, party)
			p.leave(held)
		}
		done <- err
	}()
	synctest.Wait()
	return done
}

// One party asks for far more than the others. They come in between its reads, however many it has in line.
func TestGateTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, l := newGate(100, 256, 64), newLane(100)
		hold := enterNow(t, g, "greedy", l, 100)
		var order []string
		for range 20 {
			queued(t, g, "greedy", l, 100, &order, 10*time.Millisecond)
		}
		for _, party := range []string{"a", "b"} {
			for range 2 {
				queued(t, g, party, l, 100, &order, 10*time.Millisecond)
			}
		}
		hold.leave(time.Second)
		synctest.Wait()
		if len(order) != 24 {
			t.Fatalf("%d reads were let in", len(order))
		}
		if first := order[:4]; slices.Contains(first, "greedy") || first[0] == first[1] {
			t.Errorf("it went %v", order)
		}
	})
}

// A party that has used the processors for a second comes behind one that has not, though it asked first; and some minutes later it does not any
// more: then it goes by who was served last.
func TestGateWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, forgiven := range []bool{false, true} {
			g, l := newGate(100, 256, 64), newLane(100)
			enterNow(t, g, "burns", l, 10).leave(30 * time.Second)
			enterNow(t, g, "new", l, 10).leave(20 * time.Millisecond)
			if forgiven {
				time.Sleep(5 * time.Minute)
			}
			hold := enterNow(t, g, "other", l, 100)
			var order []string
			want := []string{"new", "burns"}
			if forgiven {
				want = []string{"burns", "new"}
			}
			queued(t, g, want[1], l, 100, &order, 0)
			queued(t, g, want[0], l, 100, &order, 0)
			hold.leave(0)
			synctest.Wait()
			if !slices.Equal(order, want) {
				t.Errorf("forgiven %v: %v", forgiven, order)
			}
		}
	})
}

// A party that owes much, or a read that needs all the room, is not passed for ever, though new parties come all the time.
func TestGateNobodyStarves(t *testing.T) {
	for name, need := range map[string]int64{"in debt": 10, "large": 100} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const queue = 16
				g, l := newGate(100, queue, 8), newLane(1000)
				enterNow(t, g, "late", l, 10).leave(time.Minute)
				var holds []*pass
				for k := range 10 {
					holds = append(holds, enterNow(t, g, fmt.Sprint("first ", k), l, 10))
				}
				var order []string
				queued(t, g, "late", l, need, &order, 0)
				others := 0
				for k := 0; len(order) == 0 && others < 10*queue; k++ {
					var p *pass
					go func() { // somebody new is there before there is room
						p, _ = g.enter(context.WithoutCancel(t.Context()), fmt.Sprint("new ", k), l, 10)
					}()
					synctest.Wait()
					if len(holds) == 0 {
						t.Fatal("nobody is at work, and a read waits")
					}
					holds[0].leave(time.Millisecond)
					holds = holds[1:]
					synctest.Wait()
					if p != nil {
						holds = append(holds, p)
						others++
					}
				}
				if len(order) == 0 || others > 2*queue {
					t.Errorf("%d others went first", others)
				}
				if others < 2 {
					t.Errorf("%d others went first: it was not in the way", others)
				}
				for len(holds) > 0 {
					holds[0].leave(0)
					holds = holds[1:]
				}
				synctest.Wait()
				g.shut(l)
				synctest.Wait()
			})
		})
	}
}

// One party fills what it can, of memory and of one decoder's places. Somebody else's read comes through at once all the same.
func TestGateKeepsRoom(t *testing.T) {
	for name, l := range map[string]*lane{"memory": newLane(1000), "lane": newLane(3)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLane(l.most)
				g := newGate(100, 256, 64)
				var order []string
				var held []*pass
				for {
					ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
					p, err := g.enter(ctx, "greedy", l, 5)
					cancel()
					if err != nil {
						break
					}
					held = append(held, p)
				}
				if n := len(held); n != min(l.most, 15) {
					t.Errorf("it has %d at work", n)
				}
				enterNow(t, g, "other", l, 5).leave(0)
				queued(t, g, "greedy", l, 5, &order, 0)
				if len(order) > 0 {
					t.Error("the greedy one got the last room")
				}
				for _, p := range held {
					p.leave(0)
				}
				synctest.Wait()
			})
		})
	}
}

// Too many that wait are busy at once, with the limit and a time; who has the most in line gives way to who has less.
func TestGateBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, l := newGate(100, 6, 4), newLane(100)
		hold := enterNow(t, g, "first", l, 100)
		var order []string
		var greedy []<-chan error
		for range 4 {
			greedy = append(greedy, queued(t, g, "greedy", l, 100, &order, 0))
		}
		busy := func(err error, limit string, most int64) {
			t.Helper()
			e, ok := errors.AsType[*readapi.Error](err)
			if !ok || e.Code != readapi.CodeBusy || e.Limit == nil || e.Limit.Name != limit || e.Limit.Value != most || e.RetryAfter < leastRetry || e.RetryAfter > mostRetry {
				t.Errorf("%v %+v", err, e)
			}
		}
		busy(<-queued(t, g, "greedy", l, 100, &order, 0), "max_queue_per_party", 4)
		b := queued(t, g, "b", l, 100, &order, 0)
		queued(t, g, "c", l, 100, &order, 0)
		d := queued(t, g, "d", l, 100, &order, 0) // one too many: the newest of the greedy one's goes
		busy(<-greedy[3], "max_queue", 6)
		if len(d) != 0 || len(b) != 0 || len(greedy[2]) != 0 {
			t.Error("another was sent away")
		}
		for _, party := range []string{"e", "f"} {
			queued(t, g, party, l, 100, &order, 0)
		}
		busy(<-greedy[1], "max_queue", 6)
		busy(<-queued(t, g, "h", l, 100, &order, 0), "max_queue", 6) // nobody has more than it
		hold.leave(0)
		synctest.Wait()
		if len(order) != 6 || g.waiting != 0 || g.used != 0 {
			t.Errorf("it went %v", order)
		}
	})
}

// A read that goes away leaves at once, and those behind it go on, also where it was what they had to wait for.
func TestGateLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, l := newGate(100, 2, 2), newLane(100)
		hold := enterNow(t, g, "a", l, 50)
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error, 1)
		go func() {
			_, err := g.enter(ctx, "large", l, 100)
			gone <- err
		}()
		synctest.Wait()
		for range 2 {
			enterNow(t, g, "b", l, 20).leave(0) // passes it, as often as it may
		}
		var order []string
		queued(t, g, "b", l, 20, &order, 0)
		if len(order) > 0 {
			t.Fatal("the large read was passed too often")
		}
		cancel()
		synctest.Wait()
		if code := readapi.CodeOf(<-gone); code != readapi.CodeCanceled || len(order) != 1 {
			t.Errorf("%s, and then %v", code, order)
		}
		late, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := g.enter(late, "large", l, 100); readapi.CodeOf(err) != readapi.CodeBusy {
			t.Errorf("a read whose time is over: %v", err)
		}
		waits := queued(t, g, "c", l, 100, &order, 0)
		g.shut(l)
		if err := <-waits; !errors.Is(err, errGone) {
			t.Errorf("a read of a closed lane: %v", err)
		}
		if _, err := g.enter(t.Context(), "c", l, 1); !errors.Is(err, errGone) {
			t.Errorf("a read of a closed lane: %v", err)
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if g.drained(short, l) == nil {
			t.Error("it is drained while a read is at work")
		}
		hold.leave(0)
		if err := g.drained(t.Context(), l); err != nil {
			t.Error(err)
		}
	})
}

// Parties are forgotten, those first that owe nothing.
func TestGateForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, l := newGate(100, 10, 10), newLane(10)
		enterNow(t, g, "burns", l, 1).leave(time.Minute)
		for k := range 3 * mostKnown {
			enterNow(t, g, strconv.Itoa(k), l, 1).leave(0)
			time.Sleep(time.Millisecond)
		}
		if len(g.parties) > mostKnown || g.parties["burns"] == nil {
			t.Errorf("%d are known", len(g.parties))
		}
		time.Sleep(time.Minute)
	})
}

// TestPassedWhileAtWork: a read that waits for its own party's other read is passed without end, and holds nobody up.
func TestPassedWhileAtWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, l := newGate(100, 1, 4), newLane(9)
		first := enterNow(t, g, "greedy", l, 60)
		done := make(chan error)
		go func() {
			p, err := g.enter(t.Context(), "greedy", l, 60)
			if err == nil {
				p.leave(0)
			}
			done <- err
		}()
		synctest.Wait()
		for k := range 5 {
			enterNow(t, g, strconv.Itoa(k), l, 5).leave(0)
		}
		first.leave(0)
		if err := <-done; err != nil {
			t.Errorf("the greedy one's second read: %v", err)
		}
	})
}
