// Package recall finds messages of earlier turns by what a person would type, including the names of the files that they carried, and
// says which of those files the asking session can open.
//
//	r := recall.New(ledger, offers)
//	answer, err := r.Recall(ctx, scope, recall.Request{Terms: []string{"q3", "流水线"}})
//
// The search covers all sessions of the asking session's principal. A file is always named; it has an address only if a read by the asking
// session would work now, which is not decided here: Offers, which package host implements, says so, in one query for the whole answer.
package recall
