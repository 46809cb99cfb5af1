package host

import (
	"context"
	"slices"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Offer says for each ref whether a read by this session would work now: a URI or a reason, in the order of refs. One query answers for
// all, up to store.MaxPage of them; more take a query for each such number. What is absent, foreign or has no address is not_found; the
// session's own that was deleted is gone.
func (s *Session) Offer(ctx context.Context, refs ...readapi.AttachmentRef) ([]readapi.Offer, error) {
	c, err := s.begin("offer", "Offer")
	if err != nil {
		return nil, err
	}
	defer c.leave()
	out, causes, err := s.host.offer(ctx, s.scope, refs)
	if err != nil {
		return nil, c.end(ctx, err)
	}
	for i, o := range out {
		if o.Unavailable != "" {
			_, id, _ := refs[i].Address()
			c.tell(ctx, id, o.Unavailable, causes[i], causes[i] == CauseAbsent)
		}
	}
	return out, nil
}

// offers is the host as package recall asks it. What a search shows is one access, not one for each file that it names, so these offers
// are not told to the audit.
type offers struct{ host *Host }

// Offer implements recall.Offers.
func (o offers) Offer(ctx context.Context, scope readapi.Scope, refs []readapi.AttachmentRef) ([]readapi.Offer, error) {
	out, _, err := o.host.offer(ctx, scope, refs)
	return out, readapi.AsError("host.Offer", err)
}

// offer answers for refs, with the cause of each refusal.
func (h *Host) offer(ctx context.Context, scope readapi.Scope, refs []readapi.AttachmentRef) (out []readapi.Offer, causes []string, err error) {
	out, causes = make([]readapi.Offer, len(refs)), make([]string, len(refs))
	ids := make([]readapi.ArtifactID, len(refs)) // "" where the ref cannot be of scope
	for i, ref := range refs {
		session, id, ok := ref.Address()
		switch {
		case !ok:
			out[i].Unavailable, causes[i] = readapi.CodeNotFound, CauseUnsupportedRef
		case session != scope.Session:
			out[i].Unavailable, causes[i] = readapi.CodeNotFound, CauseForeign
		default:
			ids[i] = id
		}
	}
	known := make(map[readapi.ArtifactID]judged, len(refs))
	for chunk := range slices.Chunk(distinct(ids), store.MaxPage) {
		if err := h.judge(ctx, scope, chunk, known); err != nil {
			return nil, nil, err
		}
	}
	for i, id := range ids {
		if id != "" {
			out[i], causes[i] = known[id].offer, known[id].cause
		}
	}
	return out, causes, nil
}

// judged is the answer for one artifact and why.
type judged struct {
	offer readapi.Offer
	cause string
}

// judge finds ids by one query and puts the answer for each into known.
func (h *Host) judge(ctx context.Context, scope readapi.Scope, ids []readapi.ArtifactID, known map[readapi.ArtifactID]judged) error {
	rows, generation, err := h.index.Artifacts(ctx, scope, ids)
	if err != nil {
		return err
	}
	v, err := h.viewAt(ctx, generation)
	if err != nil {
		return err
	}
	for _, id := range ids {
		row, ok := rows[id]
		if !ok {
			known[id] = judged{readapi.Offer{Unavailable: readapi.CodeNotFound}, CauseAbsent}
			continue
		}
		known[id] = h.offerRow(v, row)
	}
	return nil
}

// offerRow is what accept says of a session's own artifact.
func (h *Host) offerRow(v *view, row store.Artifact) judged {
	if _, no := h.accepts.accept(h.allowed(v), h.opts.Limits, row); no != nil {
		return judged{readapi.Offer{Unavailable: no.err.Code}, no.cause}
	}
	return judged{readapi.Offer{URI: h.uri(row.ID)}, ""}
}

// attachment is row as its owner sees it.
func (h *Host) attachment(v *view, row store.Artifact) readapi.Attachment {
	o := h.offerRow(v, row).offer
	return readapi.Attachment{
		ID: row.ID, Name: row.Name, MediaType: row.MediaType, Kind: row.Kind, Bytes: row.Bytes, Status: row.Status, Version: row.Version, Created: row.Created,
		Resource: o.URI, Unavailable: o.Unavailable,
	}
}

// distinct returns the ids that are not "", each once.
func distinct(ids []readapi.ArtifactID) []readapi.ArtifactID {
	out := slices.DeleteFunc(slices.Clone(ids), func(id readapi.ArtifactID) bool { return id == "" })
	slices.Sort(out)
	return slices.Compact(out)
}
