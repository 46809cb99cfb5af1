package host

import (
	"context"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// room refuses what would be refused when it is appended, before any byte of it is taken: a session that was deleted, a quota that would
// not hold. It promises nothing, since others add too; the append decides.
func (h *Host) room(ctx context.Context, scope readapi.Scope, more store.Usage) error {
	if more.Files == 0 {
		return nil
	}
	s, _, err := h.index.Session(ctx, scope)
	if err != nil {
		return err
	}
	if !s.Deleted.IsZero() {
		return store.SessionGone()
	}
	q := h.opts.Quota
	if q == (store.Quota{}) {
		return nil
	}
	own, total, err := h.index.Usage(ctx, scope.Principal)
	if err != nil {
		return err
	}
	return q.Allows(more, store.Usage{Files: s.Files, Bytes: s.Bytes}, own, total)
}
