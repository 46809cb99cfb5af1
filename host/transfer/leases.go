package transfer

import (
	"context"
	"crypto/rand"
	"encoding/hex"
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

// nameTTL is of what one run at a time may do: so long a run that died keeps others waiting. A test has less patience.
var nameTTL = 30 * time.Second

// leases keep bytes of a store from being removed, and a name for this run alone, and renew both until they end.
type leases struct {
	index  *store.Index
	holder string
	name   string

	mu      sync.Mutex
	digests map[string]bool
	used    bool // something was leased

	stop chan struct{}
	done sync.WaitGroup
}

// hold begins leases in an index; name is "" for none. Errors: busy while another run has the name.
func hold(ctx context.Context, index *store.Index, name string) (*leases, error) {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	l := &leases{index: index, holder: "transfer-" + hex.EncodeToString(b[:]), name: name, digests: map[string]bool{}, stop: make(chan struct{})}
	if name != "" {
		ok, err := index.Acquire(ctx, name, l.holder, nameTTL)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, &readapi.Error{Code: readapi.CodeBusy, Detail: "another one of its kind runs on this store", RetryAfter: nameTTL}
		}
	}
	l.done.Go(func() { l.renew(ctx) })
	return l, nil
}

// renew renews until the end. What cannot be renewed is tried again the next time: a lease outlives several.
func (l *leases) renew(ctx context.Context) {
	tick := time.NewTicker(nameTTL / 3)
	defer tick.Stop()
	leased := time.Now()
	for {
		select {
		case <-l.stop:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if l.name != "" {
			_, _ = l.index.Acquire(ctx, l.name, l.holder, nameTTL)
		}
		if time.Since(leased) > leaseTTL/3 {
			leased = time.Now()
			for part := range slices.Chunk(l.held(), store.MaxPage) {
				_ = l.index.LeaseBlobs(ctx, l.holder, part, leaseTTL)
			}
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
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endingTTL)
	defer cancel()
	if l.used {
		_ = l.index.EndLeases(ctx, l.holder)
	}
	if l.name != "" {
		_ = l.index.Resign(ctx, l.name, l.holder)
	}
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
