package server

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressEvery is how often a client that asked for it hears that a call still runs. Many end a call that is silent for a minute; ours may
// take half of that for a read, and longer where a decoder is compiled first.
const progressEvery = 5 * time.Second

// withProgress runs work, and meanwhile tells the client under token; nil: it did not ask. Nothing is sent after withProgress has returned.
func withProgress(ctx context.Context, session *mcp.ServerSession, token any, work func(context.Context) error) error {
	if token == nil || session == nil {
		return work(ctx)
	}
	done := make(chan struct{})
	var telling sync.WaitGroup
	telling.Go(func() {
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		for n := 1; ; n++ {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-ticker.C:
				// A client that is gone is noticed by whoever writes the answer.
				_ = session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(n), Message: "still at work"})
			}
		}
	})
	defer telling.Wait()
	defer close(done)
	return work(ctx)
}
