// Package ledger is the append-only record of sessions: what users said and which files they attached, what the assistant answered, which
// tools it called and what came back.
//
//	l := ledger.New(index)
//	ids, err := l.Append(ctx, scope, store.Batch{}, ledger.Event{Type: ledger.User, Text: "see attached"})
//	for e, err := range l.Events(ctx, scope, -1) { … }
//
// An event names files by reference; it never holds their bytes. The rows are kept by host/store; host/recall searches them.
package ledger
