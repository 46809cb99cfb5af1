package host

import (
	"context"
	"slices"

	"github.com/glovebox-wasm/glovebox/host/sniff"
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

// accept is the one predicate that says whether a file can be read: some decoder takes what the bytes are. Offer and Read both call it, so
// they cannot drift apart. Behind those come the decoders of what the bytes might be instead, for when the first ones refuse them: they
// never make a file readable whose own kind nobody takes.
func accept(d Decoders, what sniff.Result) []accepted {
	out := able(d, what.MediaType)
	if len(out) == 0 {
		return nil
	}
	for _, m := range what.Candidates {
		if m != what.MediaType {
			out = append(out, able(d, m)...)
		}
	}
	return out
}

func able(d Decoders, m readapi.MediaType) (out []accepted) {
	for _, info := range d.Accepts(m) {
		out = append(out, accepted{m, info})
	}
	return out
}

// gone reports whether a decoder that was accepted is not there any more.
func gone(d Decoders, a accepted) bool {
	return !slices.Contains(d.Accepts(a.mediaType), a.decoder)
}

// accepted is a decoder that will be asked, and what it will be told the file is.
type accepted struct {
	mediaType readapi.MediaType
	decoder   readapi.DecoderInfo
}
