package readapi

// RawJSON is one JSON value as it is written. On the host it is a json.RawMessage; guests are built without encoding/json.
type RawJSON = []byte
