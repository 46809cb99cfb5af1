package sandbox

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// budget is the memory that all guests of a runtime share. It is fair: who asks first is served first, so that a large request is not
// starved by small ones.
type budget struct {
	sem  *semaphore.Weighted
	size int64
	wait time.Duration
	used atomic.Int64
}

func newBudget(size int64, wait time.Duration) *budget {
	return &budget{sem: semaphore.NewWeighted(size), size: size, wait: wait}
}

// acquire takes n bytes, waiting for them up to b.wait, until the deadline (zero: none) or until ctx ends. It reports whether it has
// them.
func (b *budget) acquire(ctx context.Context, deadline time.Time, n int64) bool {
	if n > b.size {
		return false
	}
	if !b.sem.TryAcquire(n) {
		until := time.Now().Add(b.wait)
		if !deadline.IsZero() && deadline.Before(until) {
			until = deadline
		}
		ctx, cancel := context.WithDeadline(ctx, until)
		defer cancel()
		if b.sem.Acquire(ctx, n) != nil {
			return false
		}
	}
	b.used.Add(n)
	return true
}

func (b *budget) release(n int64) {
	if n > 0 {
		b.used.Add(-n)
		b.sem.Release(n)
	}
}
