package host

import (
	"cmp"
	"context"
	"slices"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// view is the decoder set of the store as it was at one generation. It is immutable.
type view struct {
	generation int64
	rank       map[string]int // of the enabled decoders, by name: their place in the order
}

func newView(set store.DecoderSet) *view {
	v := &view{generation: set.Generation, rank: map[string]int{}}
	for i, d := range set.Decoders {
		if d.Enabled {
			v.rank[d.Name] = i
		}
	}
	return v
}

// allowed is the decoders that there are, as far as a view enables them and in its order; without a view, as they are.
type allowed struct {
	Decoders
	view *view
}

// Accepts implements Decoders.
func (a allowed) Accepts(m readapi.MediaType) []readapi.DecoderInfo {
	return a.view.order(a.Decoders.Accepts(m))
}

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

// viewAt returns the view of a generation that a query has just named. Another host of the store may have changed the set, which is so
// noticed at the next call, without a query of its own while nothing changes.
func (h *Host) viewAt(ctx context.Context, generation int64) (*view, error) {
	if v := h.view.Load(); v.generation == generation {
		return v, nil
	}
	set, err := h.index.Decoders(ctx)
	if err != nil {
		return nil, err
	}
	return h.adopt(set), nil
}

// adopt makes set what the host goes by. A set that is older than what another call adopted meanwhile is noticed by the next query.
func (h *Host) adopt(set store.DecoderSet) *view {
	v := newView(set)
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
	return readapi.AsError(op, h.changeSet(ctx, func(set []store.DecoderEntry) ([]store.DecoderEntry, error) {
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
	return readapi.AsError(op, h.changeSet(ctx, func(set []store.DecoderEntry) ([]store.DecoderEntry, error) {
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
// that they have now. Decoders that only other hosts have stay as they are.
func (h *Host) register(ctx context.Context) error {
	return h.changeSet(ctx, func(set []store.DecoderEntry) ([]store.DecoderEntry, error) {
		for _, d := range h.decoders.All() {
			i := slices.IndexFunc(set, func(e store.DecoderEntry) bool { return e.Name == d.Name })
			if i < 0 {
				set = append(set, store.DecoderEntry{Name: d.Name, Digest: d.Digest, Enabled: true})
				continue
			}
			set[i].Digest = d.Digest
		}
		return set, nil
	})
}

// changeSet replaces the set by what change makes of a copy of it, and adopts it. When another host was faster, change is asked again.
func (h *Host) changeSet(ctx context.Context, change func([]store.DecoderEntry) ([]store.DecoderEntry, error)) error {
	const attempts = 100 // each lost one is a change that another host made
	for n := 1; ; n++ {
		was, err := h.index.Decoders(ctx)
		if err != nil {
			return err
		}
		want, err := change(slices.Clone(was.Decoders))
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
