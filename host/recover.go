package host

import "context"

// startRecovery ends the purges that a host before this one has begun and not ended, beside the calls. What cannot be ended now stays
// begun: the next host tries again, and so do a collection and a check of the store. stop waits for it.
func (h *Host) startRecovery() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = h.keeper.Recover(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}
