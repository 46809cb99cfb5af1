// Package retain decides what a store keeps and removes the rest: purges, retention, garbage collection, and the check of the whole.
//
//	keeper := retain.New(blobs, index, nil)
//	report, err := keeper.GC(ctx, retain.GCOptions{Policy: []retain.Rule{{Source: store.SourceGenerated, TTL: 30 * 24 * time.Hour}}})
//
// Bytes are removed in one way only: claimed in the index (store.Index.ClaimBlob), removed, and the claim ended. A writer leases the bytes
// before they get their name, and its row is refused when a claim came in between. So a row never names bytes that were removed, wherever a
// process dies. What a death can leave is bytes without a row, which GC takes, and a removal that was begun, which Recover ends.
package retain
