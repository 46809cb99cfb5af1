package main

import (
	"context"
	"iter"
	"sync"
)

// inOrder calls f for each item, n at a time, and take for each result in the order of the items. At most 2n items are under way or
// waiting to be taken, so a slow first item does not pile up what follows it. It ends early when ctx does or take returns false, and
// returns when no f runs any more.
func inOrder[T, R any](ctx context.Context, n int, items iter.Seq[T], f func(context.Context, T) R, take func(R) bool) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()

	queue := make(chan chan R, n) // results to come, in order
	slots := make(chan struct{}, n)
	running.Go(func() {
		defer close(queue)
		for item := range items {
			slot := make(chan R, 1)
			select {
			case queue <- slot:
			case <-ctx.Done():
				return
			}
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			running.Go(func() {
				defer func() { <-slots }()
				slot <- f(ctx, item)
			})
		}
	})
	for slot := range queue {
		select {
		case r := <-slot:
			if !take(r) {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}
