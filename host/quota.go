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
		return sessionGone()
	}
	q := h.opts.Quota
	if q == (store.Quota{}) {
		return nil
	}
	own, total, err := h.index.Usage(ctx, scope.Principal)
	if err != nil {
		return err
	}
	for _, l := range []struct {
		name       string
		have, most int64
	}{
		{"session_files", s.Files + more.Files, q.SessionFiles}, {"session_bytes", s.Bytes + more.Bytes, q.SessionBytes},
		{"principal_files", own.Files + more.Files, q.PrincipalFiles}, {"principal_bytes", own.Bytes + more.Bytes, q.PrincipalBytes},
		{"total_bytes", total.Bytes + more.Bytes, q.TotalBytes},
	} {
		if l.most > 0 && l.have > l.most {
			return store.QuotaError(l.name, l.most, l.have)
		}
	}
	return nil
}
