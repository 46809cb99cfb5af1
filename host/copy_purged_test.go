package host_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// afterAppend is an index that does something once, behind the first append of events to a session.
type afterAppend struct {
	store.IndexDriver
	to readapi.Scope
	do func()
}

func (d *afterAppend) Append(ctx context.Context, scope readapi.Scope, b store.Batch) ([]int64, error) {
	seqs, err := d.IndexDriver.Append(ctx, scope, b)
	if do := d.do; do != nil && scope == d.to && len(b.Events) > 0 {
		d.do = nil
		do()
	}
	return seqs, err
}

// A copy whose source is purged while it is made is not complete, and must not say that it is: its caller may go on to think that
// everything is in it.
func TestCopyOfPurged(t *testing.T) {
	p := newPlace()
	driver := &afterAppend{IndexDriver: p.driver, to: scope("d")}
	p.driver = driver
	h := p.open(t, newQuick(), nil)
	s := h.Session(scope("s"))
	const n = 1200 // more than one append takes
	var events []ledger.Event
	for i := range n {
		events = append(events, ledger.Event{Type: ledger.Assistant, Text: fmt.Sprint("said ", i)})
	}
	if _, err := s.Append(t.Context(), events...); err != nil {
		t.Fatal(err)
	}
	driver.do = func() {
		if _, _, err := driver.MarkSession(t.Context(), scope("s"), store.PurgeSession, time.UnixMilli(0).UTC()); err != nil {
			t.Error(err)
		}
		if err := driver.DropSession(t.Context(), scope("s")); err != nil {
			t.Error(err)
		}
	}
	out, err := s.CopyTo(t.Context(), "d")
	if have := len(eventsOf(t, h, scope("d"))); have == n {
		t.Fatal("the copy was complete before its source was purged")
	}
	wantCode(t, "a copy whose source was purged", err, readapi.CodeNotFound)
	if out != nil {
		t.Errorf("%+v", out)
	}
}
