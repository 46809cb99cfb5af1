package host

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// view is the decoder set of the store, and what its hosts have, as it was at one generation. It is immutable.
type view struct {
	generation int64
	member     bool           // this host is on the list of hosts
	rank       map[string]int // of the enabled decoders, by name: their place in the order

	everywhere map[string]taken  // what every host of the store reads with an enabled decoder, by its name, if all have it
	sum        [sha256.Size]byte // of all of the above that shapes an answer
}

// newView returns the view that set is, for the host called self.
func newView(set store.DecoderSet, self string) *view {
	v := &view{generation: set.Generation, rank: map[string]int{}, everywhere: map[string]taken{}}
	v.member = slices.ContainsFunc(set.Hosts, func(h store.HostEntry) bool { return h.ID == self })
	shape := sha256.New()
	for i, d := range set.Decoders {
		if !d.Enabled {
			continue
		}
		v.rank[d.Name] = i
		if all, ok := common(set.Hosts, d.Name); ok {
			v.everywhere[d.Name] = all
			_, _ = fmt.Fprintf(shape, "%q %q\n", d.Name, all) // never fails
		}
	}
	v.sum = [sha256.Size]byte(shape.Sum(nil))
	return v
}

// takes reports whether every host reads files of type m with the decoder of a name.
func (v *view) takes(name string, m readapi.MediaType) bool {
	all, ok := v.everywhere[name]
	return ok && all.takes(m)
}

// most is the size of the largest file of type m that every host reads, where own is that of this host.
func (v *view) most(m readapi.MediaType, own int64) int64 {
	if v == nil {
		return own
	}
	for _, all := range v.everywhere { // the same for each: hosts have one limit for all their decoders
		if all.takes(m) {
			own = min(own, all.most(m))
		}
	}
	return own
}

// allowed is the decoders that there are, as far as a view enables them and every host has them, in its order; without a view, as they are.
type allowed struct {
	Decoders
	view *view
}

// Accepts implements Decoders.
func (a allowed) Accepts(m readapi.MediaType) []readapi.DecoderInfo {
	list := a.Decoders.Accepts(m)
	if a.view == nil {
		return list
	}
	return a.view.order(slices.DeleteFunc(slices.Clone(list), func(d readapi.DecoderInfo) bool { return !a.view.takes(d.Name, m) }))
}

// enabled is how many decoders there are for files of type m that are not switched off, whether every host has them or not.
func (a allowed) enabled(m readapi.MediaType) int { return len(a.view.order(a.Decoders.Accepts(m))) }

// Names returns the decoders that do not read files of type m but say what they are.
func (a allowed) Names(m readapi.MediaType) []readapi.DecoderInfo {
	namer, ok := a.Decoders.(Namer)
	if !ok {
		return nil
	}
	return a.view.order(namer.Names(m))
}

// order returns those of list that v enables, in its order; without a view, the list.
func (v *view) order(list []readapi.DecoderInfo) []readapi.DecoderInfo {
	if v == nil {
		return list
	}
	var out []readapi.DecoderInfo
	for _, d := range list {
		if _, on := v.rank[d.Name]; on {
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(x, y readapi.DecoderInfo) int { return cmp.Compare(v.rank[x.Name], v.rank[y.Name]) })
	return out
}

// viewAt returns the view of a generation that a query has just named. Another host of the store may have changed the set, or come or gone,
// which is so noticed at the next call, without a query of its own while nothing changes. A host that is not on the list gets on it first;
// busy when that does not work.
func (h *Host) viewAt(ctx context.Context, generation int64) (*view, error) {
	if v := h.view.Load(); v.generation == generation && h.ready(v) {
		return v, nil
	}
	const attempts = 3 // to be forgotten again at once takes a clock that is far off
	for range attempts {
		set, err := h.index.Decoders(ctx)
		if err != nil {
			return nil, err
		}
		if v := h.adopt(set); h.ready(v) {
			return v, nil
		}
		if err := h.announce(ctx); err != nil {
			return nil, notReady(cmp.Or(ctx.Err(), err))
		}
	}
	return nil, notReady(nil)
}

// ready reports whether the host may answer by v: it is on the list of hosts, or needs not be.
func (h *Host) ready(v *view) bool { return h.member == nil || v.member }

// notReady is the error of a call that comes before the host is back on the list.
func notReady(err error) error {
	if code := readapi.CodeOf(err); code == readapi.CodeCanceled || code == readapi.CodeLimitTime {
		return err
	}
	return &readapi.Error{Code: readapi.CodeBusy, Detail: "this host was away for too long and is not yet counted on again", RetryAfter: time.Second, Err: err}
}

// adopt makes set what the host goes by. A set that is older than what another call adopted meanwhile is noticed by the next query.
func (h *Host) adopt(set store.DecoderSet) *view {
	self := ""
	if h.member != nil {
		self = h.member.id
	} else { // nobody counts on it, but it opens what it offers, too
		set.Hosts = append(slices.Clip(set.Hosts), store.HostEntry{Decoders: h.loaded()})
	}
	v := newView(set, self)
	h.view.Store(v)
	return v
}

// allowed is the decoders as v has them.
func (h *Host) allowed(v *view) allowed { return allowed{h.decoders, v} }

// DecoderSet says which decoders there are and which are enabled, in the order in which they are asked.
func (h *Host) DecoderSet(ctx context.Context) (store.DecoderSet, error) {
	leave, err := h.enter("host.DecoderSet")
	if err != nil {
		return store.DecoderSet{}, err
	}
	defer leave()
	set, err := h.index.Decoders(ctx)
	if err != nil {
		return store.DecoderSet{}, readapi.AsError("host.DecoderSet", err)
	}
	h.adopt(set)
	set.Decoders = slices.Clone(set.Decoders)
	return set, nil
}

// EnableDecoder switches a decoder on or off, for every host of the store. not_found when there is none of this name.
func (h *Host) EnableDecoder(ctx context.Context, name string, on bool) error {
	const op = "host.EnableDecoder"
	leave, err := h.enter(op)
	if err != nil {
		return err
	}
	defer leave()
	return readapi.AsError(op, h.changeSet(ctx, func(was store.DecoderSet) ([]store.DecoderEntry, error) {
		set := was.Decoders
		i := slices.IndexFunc(set, func(d store.DecoderEntry) bool { return d.Name == name })
		if i < 0 {
			return nil, &readapi.Error{Code: readapi.CodeNotFound, Detail: "there is no decoder of this name", Hint: "glovebox plugin list names the decoders."}
		}
		set[i].Enabled = on
		return set, nil
	}))
}

// OrderDecoders has the named decoders asked first, in this order, by every host of the store; the others keep theirs behind them. not_found
// when there is none of a name, invalid_request when one is named twice.
func (h *Host) OrderDecoders(ctx context.Context, names ...string) error {
	const op = "host.OrderDecoders"
	leave, err := h.enter(op)
	if err != nil {
		return err
	}
	defer leave()
	return readapi.AsError(op, h.changeSet(ctx, func(was store.DecoderSet) ([]store.DecoderEntry, error) {
		set := was.Decoders
		var front []store.DecoderEntry
		for _, name := range names {
			named := func(d store.DecoderEntry) bool { return d.Name == name }
			i := slices.IndexFunc(set, named)
			switch {
			case slices.ContainsFunc(front, named):
				return nil, &readapi.Error{Code: readapi.CodeInvalidRequest, Ref: name, Detail: "a decoder is named twice"}
			case i < 0:
				return nil, &readapi.Error{Code: readapi.CodeNotFound, Ref: name, Detail: "there is no decoder of this name", Hint: "glovebox plugin list names the decoders."}
			}
			front = append(front, set[i])
			set = slices.Delete(set, i, i+1)
		}
		return append(front, set...), nil
	}))
}

// register brings the decoders that this host has loaded into the set: unknown ones behind the others, enabled; known ones with the digest
// that they have now, unless another host has the one that is there: hosts of two versions would else overwrite each other's for as long as
// both run. Decoders that only other hosts have stay as they are. A host that is on no list brings unknown ones only.
func (h *Host) register(ctx context.Context) error {
	return h.changeSet(ctx, func(was store.DecoderSet) ([]store.DecoderEntry, error) {
		set := was.Decoders
		for _, d := range h.decoders.All() {
			i := slices.IndexFunc(set, func(e store.DecoderEntry) bool { return e.Name == d.Name })
			switch {
			case i < 0:
				set = append(set, store.DecoderEntry{Name: d.Name, Digest: d.Digest, Enabled: true})
			case h.member != nil && !h.elsewhere(was.Hosts, set[i]):
				set[i].Digest = d.Digest
			}
		}
		return set, nil
	})
}

// elsewhere reports whether another host has the decoder e, of its very digest.
func (h *Host) elsewhere(hosts []store.HostEntry, e store.DecoderEntry) bool {
	return slices.ContainsFunc(hosts, func(other store.HostEntry) bool {
		return other.ID != h.member.id && slices.ContainsFunc(other.Decoders, func(d store.DecoderEntry) bool { return d.Name == e.Name && d.Digest == e.Digest })
	})
}

// changeSet replaces the set by what change makes of a copy of it, and adopts it. When another host was faster, change is asked again.
func (h *Host) changeSet(ctx context.Context, change func(store.DecoderSet) ([]store.DecoderEntry, error)) error {
	const attempts = 100 // each lost one is a change that another host made
	for n := 1; ; n++ {
		was, err := h.index.Decoders(ctx)
		if err != nil {
			return err
		}
		draft := was
		draft.Decoders = slices.Clone(was.Decoders)
		want, err := change(draft)
		if err != nil {
			return err
		}
		if slices.Equal(want, was.Decoders) {
			h.adopt(was)
			return nil
		}
		now, err := h.index.SetDecoders(ctx, was.Generation, want)
		switch {
		case err == nil:
			h.adopt(now)
			return nil
		case readapi.CodeOf(err) != readapi.CodeConflict || n == attempts:
			return err
		}
	}
}
