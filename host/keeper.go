package host

import (
	"context"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// keeper ends what was marked to be purged.
type keeper interface {
	Purge(ctx context.Context, p store.Purge) error
}

// plainKeeper removes bytes and then rows.
type plainKeeper struct {
	blobs *store.Blobs
	index *store.Index
}

// Purge implements keeper.
func (k plainKeeper) Purge(ctx context.Context, p store.Purge) error {
	if p.Artifact != "" {
		rows, _, err := k.index.Artifacts(ctx, p.Scope, []readapi.ArtifactID{p.Artifact})
		if err == nil && rows[p.Artifact].Blob != "" {
			err = k.remove(ctx, rows[p.Artifact].Blob)
		}
		return firstError(err, k.index.DropArtifact(ctx, p.Scope, p.Artifact))
	}
	for after := int64(-1); ; {
		rows, _, err := k.index.ListArtifacts(ctx, p.Scope, after, store.MaxPage)
		if err != nil {
			return err
		}
		for _, row := range rows {
			after = row.Seq
			if row.Blob == "" {
				continue
			}
			if err := k.remove(ctx, row.Blob); err != nil {
				return err
			}
		}
		if len(rows) < store.MaxPage {
			return k.index.DropSession(ctx, p.Scope)
		}
	}
}

func (k plainKeeper) remove(ctx context.Context, digest string) error {
	ok, err := k.index.ClaimBlob(ctx, digest, leaseTime)
	if err != nil || !ok {
		return err
	}
	return firstError(k.blobs.Remove(ctx, digest), k.index.EndClaim(ctx, digest))
}
