package host

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Several hosts may use one store. Each says in the store which decoders it has loaded, and for how long it may be counted on; a change of
// that raises the generation, which every call learns from the one query that it makes anyway. So all hosts go by the same set and the same
// list of hosts, and what one of them offers the others open. No clock is part of this: a host is ready while it is on the list, and whoever
// finds himself forgotten, because he was paused for too long, gets on it again before he answers. Clocks only say when a host that died may be
// forgotten.

// Taker is what Decoders may be besides: it knows which types of files a decoder reads. Where one host's Decoders are none, a decoder is used
// only as long as all hosts have it with the same digest.
type Taker interface {
	// Takes returns the types for which Accepts names the decoder; none for one that is not there or is switched off.
	Takes(info readapi.DecoderInfo) []readapi.MediaType
}

// defaultHostTTL is how long a host is counted on that is not heard from: so long no file has an address that only the others could open.
const defaultHostTTL = 30 * time.Second

// leaveTime bounds how long Close waits for the store to forget the host; what it does not do then, time does.
const leaveTime = 3 * time.Second

// membership is a host's place on the store's list. A nil membership is that of a host that is on none.
type membership struct {
	id   string
	ttl  time.Duration
	quit chan struct{}
	done chan struct{}
	once sync.Once
}

func newMembership(o Options) *membership {
	if o.Alone {
		return nil
	}
	return &membership{id: string(newArtifactID()), ttl: o.HostTTL, quit: make(chan struct{}), done: make(chan struct{})}
}

// join brings the host's decoders into the set, gets it on the list, and keeps it there until leave.
func (h *Host) join(ctx context.Context) error {
	if err := h.register(ctx); err != nil {
		return err
	}
	if h.member == nil {
		return h.sweep(ctx)
	}
	if err := h.announce(ctx); err != nil {
		return err
	}
	set, err := h.index.Decoders(ctx)
	if err != nil {
		_ = h.index.DropHost(ctx, h.member.id) // else its time ends it
		return err
	}
	h.adopt(set)
	go h.stay(context.WithoutCancel(ctx))
	return nil
}

// stay renews the host's place until leave is called, and gives it up then. What fails is tried again at the next turn: until then the host
// counts as long as nobody forgets it, and when that happens the next call notices.
func (h *Host) stay(ctx context.Context) {
	m := h.member
	defer close(m.done)
	every := time.NewTicker(m.ttl / 3)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			within, cancel := context.WithTimeout(ctx, m.ttl/3)
			if h.register(within) == nil { // decoders may have come since, and a host with other digests may have gone
				_ = h.announce(within)
			}
			cancel()
		case <-m.quit:
			within, cancel := context.WithTimeout(ctx, leaveTime)
			_ = h.index.DropHost(within, m.id)
			cancel()
			return
		}
	}
}

// leave takes the host off the list. No call may run any more: it would get it on again.
func (m *membership) leave() {
	if m == nil {
		return
	}
	m.once.Do(func() { close(m.quit) })
	<-m.done
}

// announce says that the host is there, and forgets those whose time is over.
func (h *Host) announce(ctx context.Context) error {
	_, err := h.index.PutHost(ctx, store.HostEntry{ID: h.member.id, Decoders: h.loaded()}, h.member.ttl)
	return err
}

// loaded says what this host reads: with which decoders, of which types, and how large.
func (h *Host) loaded() []store.DecoderEntry {
	taker, tells := h.decoders.(Taker)
	var out []store.DecoderEntry
	for _, d := range h.decoders.All() {
		e := store.DecoderEntry{Name: d.Name, Digest: d.Digest}
		if tells {
			if e.Takes = formatTakes(taker.Takes(d), h.opts.Limits); e.Takes == "" {
				continue // it reads nothing here
			}
		}
		out = append(out, e)
	}
	return out
}

// sweep has hosts forgotten that ended without a word, on behalf of one that is on no list itself: there may be no other who does it. It gets on
// the list for that moment, as one that reads what another host does, so that no address goes.
func (h *Host) sweep(ctx context.Context) error {
	set, err := h.index.Decoders(ctx)
	if err != nil {
		return err
	}
	now, over := time.Now(), false
	guest := store.HostEntry{ID: string(newArtifactID()), Decoders: h.loaded()}
	for _, other := range set.Hosts {
		if other.Until.Before(now) {
			over = true
			continue
		}
		guest.Decoders = other.Decoders
	}
	if !over {
		return nil
	}
	if _, err := h.index.PutHost(ctx, guest, time.Second); err != nil {
		return err
	}
	if err := h.index.DropHost(ctx, guest.ID); err != nil {
		return err
	}
	set, err = h.index.Decoders(ctx)
	if err == nil {
		h.adopt(set)
	}
	return err
}

// formatTakes writes what a host reads with a decoder: "application/pdf=52428800", types in order and the largest file of each.
func formatTakes(types []readapi.MediaType, lim readapi.Limits) string {
	var out []string
	for _, m := range types {
		_, most := lim.InputLimit(m)
		out = append(out, string(m)+"="+strconv.FormatInt(most, 10))
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

// parseTakes is the inverse. What it does not understand, a host of another version may have written: that takes nothing.
func parseTakes(s string) map[readapi.MediaType]int64 {
	out := map[readapi.MediaType]int64{}
	for _, field := range strings.Fields(s) {
		m, size, _ := strings.Cut(field, "=")
		if most, err := strconv.ParseInt(size, 10, 64); err == nil {
			out[readapi.MediaType(m)] = most
		}
	}
	return out
}

// common is what every host reads with the decoder of a name: the largest file of each type. nil is whatever the decoder takes; ok is false
// when one of the hosts does not have it, or has another one of which it does not say what it takes.
func common(hosts []store.HostEntry, name string) (takes map[readapi.MediaType]int64, ok bool) {
	silent, digests := false, map[string]bool{}
	for _, h := range hosts {
		i := slices.IndexFunc(h.Decoders, func(d store.DecoderEntry) bool { return d.Name == name })
		if i < 0 {
			return nil, false
		}
		d := h.Decoders[i]
		digests[d.Digest] = true
		if d.Takes == "" {
			silent = true
			continue
		}
		takes = both(takes, parseTakes(d.Takes))
	}
	return takes, !silent || len(digests) == 1
}

// both is what a and b take; a nil a is anything.
func both(a, b map[readapi.MediaType]int64) map[readapi.MediaType]int64 {
	if a == nil {
		return b
	}
	out := map[readapi.MediaType]int64{}
	for m, most := range b {
		if other, ok := a[m]; ok {
			out[m] = min(most, other)
		}
	}
	return out
}
