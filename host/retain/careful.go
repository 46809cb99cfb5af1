package retain

import (
	"context"
	"errors"
	"fmt"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// ErrMostUnnamed is in the error of a careful GC or Fsck that would remove most of the bytes that are there.
var ErrMostUnnamed = errors.New("most bytes are named by nothing")

// fewUnnamed bytes may be removed however few are named: what a writer that died leaves in a new store.
const fewUnnamed = 3

// careful refuses where more bytes are named by nothing than by something. Writers that die leave a few of them; as many as that are the
// bytes of other rows, as when a host names the bucket of many with an index of its own, or when the rows were lost.
func (k *Keeper) careful(ctx context.Context, o GCOptions) error {
	var named, unnamed, seen int64
	page := make([]string, 0, store.MaxPage)
	flush := func() error {
		by, err := k.keptOf(ctx, page)
		if err != nil {
			return err
		}
		for _, digest := range page {
			if by[digest].why != "" {
				named++
			} else {
				unnamed++
			}
		}
		page = page[:0]
		if o.Progress != nil {
			o.Progress("careful", seen, "blobs counted")
		}
		return nil
	}
	for info, err := range k.blobs.List(ctx) {
		if err != nil {
			return err
		}
		seen++
		if k.young(info, o.Grace).why != "" {
			named++ // it stays
			continue
		}
		if page = append(page, info.SHA256); len(page) == cap(page) {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	if unnamed <= max(named, fewUnnamed) {
		return nil
	}
	return &readapi.Error{
		Code:   readapi.CodeCapabilityUnavailable,
		Detail: fmt.Sprintf("%d of %d pieces of bytes are named by nothing, so these rows may not be the ones that belong to them", unnamed, unnamed+named),
		Hint:   "See that the rows and the bytes are of one store.", Err: ErrMostUnnamed,
	}
}
