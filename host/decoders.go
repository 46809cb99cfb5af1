package host

import (
	"context"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// Decoders is what a Reader calls to have bytes decoded. It is safe for concurrent use.
type Decoders interface {
	// Accepts returns the enabled decoders that accept m now, the preferred one first.
	Accepts(m readapi.MediaType) []readapi.DecoderInfo

	// Decode runs the decoder that info names on in. The result's frames are checked against the protocol, not against lim: the caller
	// checks what leaves. Errors carry the codes of the decoder; not_found means that the decoder went away since Accepts.
	Decode(ctx context.Context, info readapi.DecoderInfo, in readapi.Input, req readapi.Request, lim readapi.Limits) (readapi.Result, error)
}

// accept is the one predicate that says whether a file can be read: the decoders that take one of the candidate media types, in order.
// Offer and Read both call it, so they cannot drift apart.
func accept(d Decoders, candidates []readapi.MediaType) []accepted {
	var out []accepted
	for _, m := range candidates {
		for _, info := range d.Accepts(m) {
			out = append(out, accepted{m, info})
		}
	}
	return out
}

// accepted is a decoder that will be asked, and what it will be told the file is.
type accepted struct {
	mediaType readapi.MediaType
	decoder   readapi.DecoderInfo
}
