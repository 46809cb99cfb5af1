package host

import (
	"context"
	"slices"

	"github.com/glovebox-wasm/glovebox/host/sniff"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Decoders is what a Reader calls to have bytes decoded. It is safe for concurrent use.
type Decoders interface {
	// Accepts returns the enabled decoders that accept m now, the preferred one first.
	Accepts(m readapi.MediaType) []readapi.DecoderInfo

	// Decode runs the decoder that info names on d. The result's frames are checked against the protocol, not against the limits: the
	// caller checks what leaves. Errors carry the codes of the decoder; not_found means that the decoder went away since Accepts.
	Decode(ctx context.Context, info readapi.DecoderInfo, d readapi.Decoding) (readapi.Result, error)

	// All returns every decoder that is loaded, enabled or not, in the order in which they are asked.
	All() []readapi.DecoderInfo
}

// Namer is what Decoders may be besides: it knows who can say what a file is that nobody reads.
type Namer interface {
	// Names returns the enabled decoders that do not read files of type m but say what they are: Decode ends with unsupported_feature, whose
	// detail is the facts of the file's header.
	Names(m readapi.MediaType) []readapi.DecoderInfo
}

// predicate says whether a file can be read, by conditions in order: the first that does not hold is the reason. Offer and Read both ask
// it, so they cannot drift apart; a file that belongs to no session is judged as a live upload. It is a value so that tests can leave a
// condition out and see which promise breaks.
type predicate struct {
	bytes    []condition // whether there are bytes that their owner may have
	decoding []condition // whether they can be decoded
}

// condition is one thing that must hold.
type condition struct {
	name   string
	holds  func(c claim) bool
	refuse func(c claim) *readapi.Error // what the owner is told
	cause  string                       // what the operator is told
}

// claim is what is judged.
type claim struct {
	row     store.Artifact
	limit   string     // the name of the limit on the size of such files
	most    int64      // that limit
	loaded  int        // decoders that take what the bytes are, also those that are switched off
	enabled int        // those of them that are not switched off, also where another host of the store has none
	able    []accepted // the decoders that will be asked
}

// refusal is why not, for the owner and for the operator.
type refusal struct {
	err   *readapi.Error
	cause string
}

func newPredicate() predicate {
	return predicate{
		bytes: []condition{
			{"source", func(c claim) bool { return c.row.Source.Readable() }, func(claim) *readapi.Error { return notFound() }, CauseSource},
			{"status", func(c claim) bool { return c.row.Status == readapi.StatusLive }, func(claim) *readapi.Error { return &readapi.Error{Code: readapi.CodeGone} }, CauseDeleted},
		},
		decoding: []condition{ // the size first: it is known before anything is read
			{"size", func(c claim) bool { return c.row.Bytes <= c.most }, tooLarge, CauseTooLarge},
			{"empty", func(c claim) bool { return c.row.Bytes > 0 || c.row.MediaType != readapi.OctetStream }, unsupported, CauseUnsupportedKind},
			{"media type", func(c claim) bool { return c.loaded > 0 }, unsupported, CauseUnsupportedKind},
			{"decoder enabled", func(c claim) bool { return c.enabled > 0 || c.loaded == 0 }, switchedOff, CauseUnsupportedKind},
			{"every host", func(c claim) bool { return len(c.able) > 0 || c.enabled == 0 }, notEverywhere, CauseUnsupportedKind},
		},
	}
}

// accept returns the decoders that will be asked for row, of those that d allows, within the input limits of lim; or why it cannot be
// read. The row is judged by what was found out when it came: nothing of its bytes is looked at again.
func (p predicate) accept(d allowed, lim readapi.Limits, row store.Artifact) ([]accepted, *refusal) {
	c := claim{row: row, loaded: len(d.Decoders.Accepts(row.MediaType)), enabled: d.enabled(row.MediaType), able: decodersFor(d, row)}
	c.limit, c.most = lim.InputLimit(row.MediaType)
	c.most = d.view.most(row.MediaType, c.most)
	if no := firstRefusal(c, p.bytes, p.decoding); no != nil {
		return nil, no
	}
	return c.able, nil
}

// available is the part of accept that asks for no decoder: whether the bytes can be had.
func (p predicate) available(row store.Artifact) *refusal {
	return firstRefusal(claim{row: row}, p.bytes)
}

func firstRefusal(c claim, lists ...[]condition) *refusal {
	for _, conditions := range lists {
		for _, need := range conditions {
			if !need.holds(c) {
				return &refusal{need.refuse(c), need.cause}
			}
		}
	}
	return nil
}

// decodersFor lists the decoders for what the bytes are. Behind those come the decoders of what the bytes might be instead, for when the
// first ones refuse them: they never make a file readable whose own kind nobody takes.
func decodersFor(d Decoders, row store.Artifact) []accepted {
	out := able(d, row.MediaType)
	if len(out) == 0 {
		return nil
	}
	for _, m := range row.Candidates {
		if m != row.MediaType {
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

// unstored is the row of a file that belongs to no session.
func unstored(what sniff.Result, size int64) store.Artifact {
	return store.Artifact{
		Source: store.SourceUserUpload, Status: readapi.StatusLive, Bytes: size, MediaType: what.MediaType, Candidates: what.Candidates,
		Declared: what.Declared, Mismatch: what.Mismatch,
	}
}

// sniffed is the inverse: what was found out about row when it came.
func sniffed(row store.Artifact) sniff.Result {
	return sniff.Result{MediaType: row.MediaType, Candidates: row.Candidates, Declared: row.Declared, Mismatch: row.Mismatch, Empty: row.Bytes == 0}
}

func notFound() *readapi.Error { return &readapi.Error{Code: readapi.CodeNotFound} }

func unsupported(c claim) *readapi.Error { return unsupportedKind(c.row.MediaType) }

func switchedOff(c claim) *readapi.Error {
	return &readapi.Error{Code: readapi.CodeUnsupportedKind, Detail: string(c.row.MediaType), Hint: "Its decoder is switched off; switch it on to read it."}
}

func notEverywhere(c claim) *readapi.Error {
	return &readapi.Error{
		Code: readapi.CodeUnsupportedKind, Detail: string(c.row.MediaType),
		Hint: "Another host of the store cannot read it yet; try again when all of them have the same decoders.",
	}
}

func unsupportedKind(m readapi.MediaType) *readapi.Error {
	return &readapi.Error{Code: readapi.CodeUnsupportedKind, Detail: string(m), Hint: "The original bytes are unchanged; install a decoder for this type to read it."}
}

func tooLarge(c claim) *readapi.Error {
	return &readapi.Error{
		Code: readapi.CodeTooLarge, Limit: &readapi.LimitHit{Name: c.limit, Value: c.most, Actual: c.row.Bytes},
		Hint: "Raise the limit " + c.limit + " or read a smaller file.",
	}
}
