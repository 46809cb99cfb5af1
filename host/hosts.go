package host

import (
	"context"
	"math"
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
		_ = h.sweep(ctx) // a service to others: on a full disk, a command still reads and removes
		return ctx.Err()
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

// Ready reports whether reads should be sent to this host, as a balancer asks: it is on the list of the store's hosts, or gets on it now, and
// has loaded every decoder that is switched on. One that lacks a decoder works, but holds back what only that one reads.
//
// Errors: busy while it is not on the list, capability_unavailable with the name of a decoder that it lacks, and those of the store.
func (h *Host) Ready(ctx context.Context) error {
	const op = "host.Ready"
	leave, err := h.enter(op)
	if err != nil {
		return err
	}
	defer leave()
	set, err := h.index.Decoders(ctx)
	if err != nil {
		return readapi.AsError(op, err)
	}
	if _, err := h.viewAt(ctx, set.Generation); err != nil {
		return readapi.AsError(op, err)
	}
	loaded := h.loaded()
	for _, d := range set.Decoders {
		if d.Enabled && !slices.ContainsFunc(loaded, func(have store.DecoderEntry) bool { return have.Name == d.Name }) {
			return &readapi.Error{
				Op: op, Code: readapi.CodeCapabilityUnavailable, Ref: d.Name, Detail: "a decoder of the store is not loaded here",
				Hint: "Load it here too, or switch it off for all hosts.",
			}
		}
	}
	return nil
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
		t := taken{largest: h.opts.Limits.MaxInputBytes, largestImage: h.opts.Limits.MaxImageInputBytes}
		if tells {
			if t.types = taker.Takes(d); len(t.types) == 0 {
				continue // it reads nothing here
			}
		}
		out = append(out, store.DecoderEntry{Name: d.Name, Digest: d.Digest, Takes: t.String()})
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

// taken is what hosts read with a decoder: files of these types, nil for whatever the decoder takes, up to these sizes.
type taken struct {
	types                 []readapi.MediaType
	largest, largestImage int64 // in bytes
}

// String writes t for the other hosts: "52428800 20971520 application/pdf", the sizes and then the types, if they are known.
func (t taken) String() string {
	out := []string{strconv.FormatInt(t.largest, 10), strconv.FormatInt(t.largestImage, 10)}
	for _, m := range t.types {
		out = append(out, string(m))
	}
	return strings.Join(out, " ")
}

// parseTaken is the inverse. What it does not understand, which a host of another version may have written, is read by nobody.
func parseTaken(s string) taken {
	none := taken{types: []readapi.MediaType{}}
	fields := strings.Fields(s)
	if len(fields) < 2 {
		return none
	}
	var t taken
	var err, imageErr error
	t.largest, err = strconv.ParseInt(fields[0], 10, 64)
	t.largestImage, imageErr = strconv.ParseInt(fields[1], 10, 64)
	if err != nil || imageErr != nil {
		return none
	}
	for _, m := range fields[2:] {
		t.types = append(t.types, readapi.MediaType(m))
	}
	return t
}

// and is what is read by t and by u.
func (t taken) and(u taken) taken {
	out := taken{t.types, min(t.largest, u.largest), min(t.largestImage, u.largestImage)}
	switch {
	case t.types == nil:
		out.types = u.types
	case u.types != nil:
		out.types = slices.DeleteFunc(slices.Clone(t.types), func(m readapi.MediaType) bool { return !slices.Contains(u.types, m) })
	}
	return out
}

// takes reports whether files of type m are read.
func (t taken) takes(m readapi.MediaType) bool { return t.types == nil || slices.Contains(t.types, m) }

// most is the size of the largest file of type m that is read.
func (t taken) most(m readapi.MediaType) int64 {
	_, most := readapi.Limits{MaxInputBytes: t.largest, MaxImageInputBytes: t.largestImage}.InputLimit(m)
	return most
}

// anything is what a host reads with its decoders when there is no other.
var anything = taken{nil, math.MaxInt64, math.MaxInt64}

// common is what every host reads with the decoder of a name; ok is false when one of them does not have it, or has another one of which it
// does not say what it takes.
func common(hosts []store.HostEntry, name string) (all taken, ok bool) {
	all = anything
	silent, digests := false, map[string]bool{}
	for _, h := range hosts {
		i := slices.IndexFunc(h.Decoders, func(d store.DecoderEntry) bool { return d.Name == name })
		if i < 0 {
			return taken{}, false
		}
		t := parseTaken(h.Decoders[i].Takes)
		digests[h.Decoders[i].Digest] = true
		silent = silent || t.types == nil
		all = all.and(t)
	}
	return all, !silent || len(digests) == 1 || len(hosts) == 0
}
