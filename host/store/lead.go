package store

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// Lead makes the caller the only one on this store that does what name names, until stop is called. It renews the lease; a process that
// dies keeps others waiting for as long as ttl. The context that it returns ends when the lease is lost, and its cause (context.Cause) is
// busy then: what has outlived its lease must not go on.
//
// Errors: busy while another one has the name; those of a write.
func (x *Index) Lead(ctx context.Context, name string, ttl time.Duration) (lead context.Context, stop func(), err error) {
	holder := "lead-" + rand.Text()
	resign := func() {
		out, cancel := context.WithTimeout(context.WithoutCancel(ctx), ttl/10)
		defer cancel()
		if x.Resign(out, name, holder) != nil {
			_ = x.Resign(out, name, holder) // or else it ends by itself, and nobody has the name until then
		}
	}
	ok, err := x.Acquire(ctx, name, holder, ttl)
	if err != nil {
		resign() // it may have been given, and only the answer was lost
		return nil, nil, err
	}
	if !ok {
		return nil, nil, &readapi.Error{Op: "store.Index.Lead", Code: readapi.CodeBusy, Detail: "another process does the same on this store just now",
			RetryAfter: ttl}
	}
	lead, end := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		x.renew(lead, name, holder, ttl, end)
	}()
	return lead, func() {
		end(nil)
		<-done
		resign()
	}, nil
}

// renew keeps the lease of holder until ctx ends, and ends it when the lease is lost.
func (x *Index) renew(ctx context.Context, name, holder string, ttl time.Duration, end context.CancelCauseFunc) {
	tick := time.NewTicker(ttl / 6)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		asked := time.Now()
		ok, err := x.Acquire(ctx, name, holder, ttl)
		switch {
		case err == nil && ok:
			last = asked
		case err == nil, !Within(last, ttl/2):
			end(&readapi.Error{Op: "store.Index.Lead", Code: readapi.CodeBusy, Detail: "another process does the same on this store by now",
				RetryAfter: ttl, Err: err})
			return
		}
	}
}

// Within reports whether less than d has passed since t, by the clock that stands still while the machine sleeps and by the other: whoever
// holds a lease or a claim asks it before doing what only its holder may.
func Within(t time.Time, d time.Duration) bool {
	return time.Since(t) < d && time.Now().Round(0).Sub(t.Round(0)) < d
}
