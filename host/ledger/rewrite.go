package ledger

import (
	"encoding/json"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Rewrite returns the row of an event with its references changed: change is asked for each that is well-formed, and says what stands there
// instead. What is malformed stays, and so does everything else of the event. A row in which nothing changes is returned as it is.
//
// Errors: corrupt for a row that cannot be read; those of change.
func Rewrite(row store.Event, change func(readapi.AttachmentRef) (readapi.AttachmentRef, error)) (store.Event, error) {
	const op = "ledger.Rewrite"
	e, err := read(row)
	if err != nil {
		return row, readapi.AsError(op, err)
	}
	if e.Type != User {
		return row, nil
	}
	changed := false
	for i, raw := range e.Attachments {
		ref, ok := readapi.ParseAttachmentRef(raw)
		if !ok {
			continue
		}
		now, err := change(ref)
		if err != nil {
			return row, readapi.AsError(op, err)
		}
		if now == ref {
			continue
		}
		if e.Attachments[i], err = json.Marshal(now); err != nil {
			return row, readapi.AsError(op, err)
		}
		changed = true
	}
	if !changed {
		return row, nil
	}
	row.Payload, err = e.encode()
	return row, readapi.AsError(op, err)
}
