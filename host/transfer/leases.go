package transfer

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	leaseTTL  = 10 * time.Minute // of bytes that are being copied; renewed as long as they are
	endingTTL = 10 * time.Second // for giving back what is held when the run was canceled
)

// leases keep bytes of a store from being removed, and are renewed until they end.
type leases struct {
	index  *store.Index
	holder string

	mu      sync.Mutex
	digests map[string]bool
	used    bool // something was leased

	stop chan struct{}
	done sync.WaitGroup
}

// hold begins leases in an index.
func hold(ctx context.Context, index *store.Index) *leases {
	l := &leases{index: index, holder: "transfer-" + rand.Text(), digests: map[string]bool{}, stop: make(chan struct{})}
	l.done.Go(func() { l.renew(ctx) })
	return l
}

// renew renews until the end. What cannot be renewed is tried again the next time: a lease outlives several.
func (l *leases) renew(ctx context.Context) {
	tick := time.NewTicker(leaseTTL / 5)
	defer tick.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for part := range slices.Chunk(l.held(), store.MaxPage) {
			_ = l.index.LeaseBlobs(ctx, l.holder, part, leaseTTL)
		}
	}
}

func (l *leases) held() (digests []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for d := range l.digests {
		digests = append(digests, d)
	}
	return digests
}

// add leases more bytes. Without leases (nil) nothing needs one.
func (l *leases) add(ctx context.Context, digests []string) error {
	if l == nil {
		return nil
	}
	if len(digests) == 0 {
		return nil
	}
	l.mu.Lock()
	l.used = true
	l.mu.Unlock()
	for part := range slices.Chunk(digests, store.MaxPage) {
		if err := l.index.LeaseBlobs(ctx, l.holder, part, leaseTTL); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range digests {
		l.digests[d] = true
	}
	return nil
}

// await is add that waits while some of the bytes are being removed.
func (l *leases) await(ctx context.Context, digests []string) error {
	for try := 0; ; try++ {
		err := l.add(ctx, digests)
		if readapi.CodeOf(err) != readapi.CodeBusy || try == tries {
			return err
		}
		if err := wait(ctx, try); err != nil {
			return err
		}
	}
}

// clear ends the leases on bytes.
func (l *leases) clear(ctx context.Context) error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	none := len(l.digests) == 0
	clear(l.digests)
	l.mu.Unlock()
	if none {
		return nil
	}
	return l.index.EndLeases(ctx, l.holder)
}

// end gives everything back, also where ctx has ended. What cannot be given back ends by itself.
func (l *leases) end(ctx context.Context) {
	if l == nil {
		return
	}
	close(l.stop)
	l.done.Wait()
	if !l.used {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endingTTL)
	defer cancel()
	_ = l.index.EndLeases(ctx, l.holder)
}

// digestsOf returns the digests that rows name, each once.
func digestsOf(rows []store.Artifact) (digests []string) {
	for _, a := range rows {
		if a.Blob != "" {
			digests = append(digests, a.Blob)
		}
	}
	slices.Sort(digests)
	return slices.Compact(digests)
}
