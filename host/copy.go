package host

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Copied is what CopyTo has copied; what was there already is not counted.
type Copied struct {
	Session readapi.SessionID `json:"session_id"`
	Events  int64             `json:"events"`
	Files   int64             `json:"files"`
}

const (
	copyPage      = 64      // events that are read at once; each may take ledger.MaxEventBytes
	copyEvents    = 512     // events of one append
	copyBytes     = 4 << 20 // of one append, about
	copyArtifacts = 500     // files that are copied at once
)

// CopyTo copies the session into another one of its principal: its files, those that were deleted as deleted ones, and all that happened,
// with the references to its files rewritten to those of the copy. The copy stands for itself: the source may be purged afterwards. What
// fails on its way goes on when it is called again, and what is complete already stays as it is, also when the copy has gone on since.
//
// Errors: invalid_request for a copy onto itself; not_found for a source that is not there, gone for a deleted one or a deleted copy;
// not_found, about the file, for a message that carries a file which the session does not have any more; conflict where the other session
// has something else; quota_exceeded; and those of the store. But for a session that others write to meanwhile, these come before anything
// is written.
func (s *Session) CopyTo(ctx context.Context, dst readapi.SessionID) (*Copied, error) {
	c, err := s.begin("copy", "CopyTo")
	if err != nil {
		return nil, err
	}
	defer c.leave()
	out, err := c.copyTo(ctx, dst)
	if err = c.end(ctx, err); err != nil {
		return nil, err
	}
	return out, nil
}

// copyID is the id of an artifact's copy: the same whenever it is copied, so that nothing is copied twice. It is shorter than what
// redaction takes for a digest.
func copyID(src, dst readapi.SessionID, id readapi.ArtifactID) readapi.ArtifactID {
	said, _ := json.Marshal([]string{string(src), string(dst), string(id)}) // strings
	sum := sha256.Sum256(said)
	return readapi.ArtifactID("copy_" + hex.EncodeToString(sum[:16]))
}

// copying is one copy on its way.
type copying struct {
	*call
	src, dst readapi.Scope
	holder   *holder
	out      *Copied
}

func (c *call) copyTo(ctx context.Context, dst readapi.SessionID) (*Copied, error) {
	if !dst.Valid() || dst == c.scope.Session {
		return nil, invalid("the copy's session is none, or the source itself", "Name another session.")
	}
	if _, err := c.present(ctx); err != nil {
		return nil, err
	}
	w := &copying{
		call: c, src: c.scope, dst: readapi.Scope{Principal: c.scope.Principal, Session: dst},
		holder: &holder{host: c.host, name: string(newArtifactID())}, out: &Copied{Session: dst},
	}
	defer w.holder.end(ctx)
	if err := w.check(ctx); err != nil {
		return nil, err
	}
	if err := w.artifacts(ctx, w.copyArtifacts); err != nil {
		return nil, err
	}
	if err := w.copyEvents(ctx); err != nil {
		return nil, err
	}
	return w.out, w.stillThere(ctx)
}

// stillThere fails where the source was purged while it was copied: what had gone by then is not in the copy.
func (w *copying) stillThere(ctx context.Context) error {
	s, ok, err := w.host.index.Session(ctx, w.src)
	if err == nil && (!ok || s.Purging) {
		return noSession()
	}
	return err
}

// check looks for what would make the copy fail, before anything is written.
func (w *copying) check(ctx context.Context) error {
	// Before its files are counted: another copy may be under way beside this one, and what that adds in between is nothing else.
	dst, exists, err := w.host.index.Session(ctx, w.dst)
	if err != nil {
		return err
	}
	if exists && !dst.Deleted.IsZero() {
		return store.SessionGone()
	}
	var missing, have store.Usage
	err = w.artifacts(ctx, func(ctx context.Context, rows []store.Artifact) error {
		known, err := w.known(ctx, rows)
		for _, row := range rows {
			if row.Blob == "" {
				continue
			}
			u := &missing
			if _, ok := known[copyID(w.src.Session, w.dst.Session, row.ID)]; ok {
				u = &have
			}
			u.Files, u.Bytes = u.Files+1, u.Bytes+row.Bytes
		}
		return err
	})
	if err != nil {
		return err
	}
	behind, err := w.compare(ctx)
	if err != nil {
		return err
	}
	if (behind || missing.Files > 0) && dst.Files > have.Files {
		return w.otherContent()
	}
	return w.host.room(ctx, w.dst, missing)
}

func (w *copying) otherContent() error {
	return &readapi.Error{Code: readapi.CodeConflict, Detail: "the other session has something else already", Hint: "Copy into a session that is not there yet.", Final: true}
}

// artifacts calls do with the source's artifacts, page by page.
func (w *copying) artifacts(ctx context.Context, do func(context.Context, []store.Artifact) error) error {
	for after := int64(-1); ; {
		rows, _, err := w.host.index.ListArtifacts(ctx, w.src, after, copyArtifacts)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return nil
		}
		after = rows[len(rows)-1].Seq
		if err := do(ctx, rows); err != nil {
			return err
		}
	}
}

// known returns which copies of rows are there.
func (w *copying) known(ctx context.Context, rows []store.Artifact) (map[readapi.ArtifactID]store.Artifact, error) {
	ids := make([]readapi.ArtifactID, len(rows))
	for i, row := range rows {
		ids[i] = copyID(w.src.Session, w.dst.Session, row.ID)
	}
	known, _, err := w.host.index.Artifacts(ctx, w.dst, ids)
	return known, err
}

// compare walks through both transcripts: as far as the copy goes, it must be one. behind says that it does not go to the end. On its
// way every event that is to come is rewritten once, to see that it can be.
func (w *copying) compare(ctx context.Context) (behind bool, err error) {
	for after := int64(-1); ; {
		from, err := w.host.index.Events(ctx, w.src, after, copyPage)
		if err != nil {
			return false, err
		}
		to, err := w.host.index.Events(ctx, w.dst, after, copyPage)
		if err != nil {
			return false, err
		}
		rows, err := w.rewrite(ctx, from)
		if err != nil {
			return false, err
		}
		for i, row := range rows {
			if i >= len(to) {
				behind = true
				break
			}
			if to[i].ID != row.ID || !bytes.Equal(to[i].Payload, row.Payload) {
				return false, w.otherContent()
			}
		}
		if len(from) == 0 {
			return behind, nil
		}
		after = from[len(from)-1].Seq
	}
}

// rewrite makes events those of the copy.
func (w *copying) rewrite(ctx context.Context, events []store.Event) ([]store.Event, error) {
	there, err := w.carried(ctx, events)
	if err != nil {
		return nil, err
	}
	out := make([]store.Event, len(events))
	for i, row := range events {
		out[i], err = ledger.Rewrite(row, func(ref readapi.AttachmentRef) (readapi.AttachmentRef, error) {
			session, id, ok := ref.Address()
			if !ok || session != w.src.Session {
				return ref, nil
			}
			if !there[id] {
				return ref, &readapi.Error{
					Code: readapi.CodeNotFound, Ref: string(id), Detail: "a message carries a file that the session does not have any more",
					Hint: "Only a session whose files are all there, deleted ones too, can be copied.",
				}
			}
			ref.Ref.SessionID, ref.Ref.RelativePath = w.dst.Session, string(copyID(w.src.Session, w.dst.Session, id))
			return ref, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// carried says which of the files that events carry can be in the copy: the source has them, or the copy has them already.
func (w *copying) carried(ctx context.Context, events []store.Event) (map[readapi.ArtifactID]bool, error) {
	there := map[readapi.ArtifactID]bool{}
	var ids, copies []readapi.ArtifactID
	for _, row := range events {
		_, err := ledger.Rewrite(row, func(ref readapi.AttachmentRef) (readapi.AttachmentRef, error) {
			if session, id, ok := ref.Address(); ok && session == w.src.Session {
				ids = append(ids, id)
			}
			return ref, nil
		})
		if err != nil {
			return nil, err
		}
	}
	ids = distinct(ids)
	for len(ids) > 0 {
		part := ids[:min(len(ids), store.MaxPage)]
		ids, copies = ids[len(part):], copies[:0]
		for _, id := range part {
			copies = append(copies, copyID(w.src.Session, w.dst.Session, id))
		}
		rows, _, err := w.host.index.Artifacts(ctx, w.src, part)
		if err != nil {
			return nil, err
		}
		done, _, err := w.host.index.Artifacts(ctx, w.dst, copies)
		if err != nil {
			return nil, err
		}
		for i, id := range part {
			row, ok := rows[id]
			_, copied := done[copies[i]]
			there[id] = copied || ok && !row.Purging
		}
	}
	return there, nil
}

// copyArtifacts copies those of rows that are not there yet.
func (w *copying) copyArtifacts(ctx context.Context, rows []store.Artifact) error {
	known, err := w.known(ctx, rows)
	if err != nil {
		return err
	}
	var fresh []readapi.ArtifactID
	var digests []string
	for _, row := range rows {
		if _, ok := known[copyID(w.src.Session, w.dst.Session, row.ID)]; ok || row.Purging {
			continue
		}
		fresh = append(fresh, row.ID)
		if row.Blob != "" {
			digests = append(digests, row.Blob)
		}
	}
	copies, err := w.host.copyRows(ctx, w.holder, w.src, w.dst, fresh, digests)
	if err != nil || len(copies) == 0 {
		return err
	}
	_, err = w.host.index.Append(ctx, w.dst, store.Batch{Artifacts: copies, Holder: w.holder.name, Quota: w.host.opts.Quota, Again: true})
	if err == nil {
		w.holder.used = false
		w.out.Files += int64(len(copies))
	}
	return err
}

// copyRows returns the copies of artifacts, whose bytes it leases. A source that is being purged has none: it is looked at again behind the
// lease, and one that is not being purged then has had its bytes all the time, and keeps them as long as the lease.
func (h *Host) copyRows(ctx context.Context, holder *holder, src, dst readapi.Scope, ids []readapi.ArtifactID, digests []string) (out []store.Artifact, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if len(digests) > 0 {
		slices.Sort(digests)
		if err := holder.lease(ctx, slices.Compact(digests)); err != nil {
			return nil, err
		}
	}
	rows, _, err := h.index.Artifacts(ctx, src, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		row, ok := rows[id]
		if !ok || row.Purging {
			continue
		}
		row.Scope, row.ID, row.Created = dst, copyID(src.Session, dst.Session, id), h.now()
		if row.Source.Readable() {
			row.Source = store.SourceCopy
		}
		out = append(out, row)
	}
	return out, nil
}

// copyEvents copies the events that are not there yet.
func (w *copying) copyEvents(ctx context.Context) error {
	last, ok, err := w.host.index.LastEvent(ctx, w.dst)
	if err != nil {
		return err
	}
	after := int64(-1)
	if ok {
		after = last.Seq
	}
	var batch []store.Event
	for size := 0; ; {
		page, err := w.host.index.Events(ctx, w.src, after, copyPage)
		if err != nil {
			return err
		}
		rows, err := w.rewrite(ctx, page)
		if err != nil {
			return err
		}
		for _, row := range rows {
			batch, size, after = append(batch, row), size+len(row.Payload), row.Seq
		}
		if len(page) > 0 && len(batch) < copyEvents && size < copyBytes {
			continue
		}
		if len(batch) == 0 {
			return nil
		}
		if err := w.appendEvents(ctx, batch); err != nil {
			return err
		}
		batch, size = nil, 0
	}
}

// appendEvents appends events, whose numbers must be those of the source.
func (w *copying) appendEvents(ctx context.Context, batch []store.Event) error {
	seqs, err := w.host.index.Append(ctx, w.dst, store.Batch{Events: batch})
	if err != nil {
		return err
	}
	for i, seq := range seqs {
		if seq != batch[i].Seq { // somebody has said something in between
			return w.otherContent()
		}
	}
	w.out.Events += int64(len(batch))
	return nil
}

// OpenFrom copies a file of another session of the principal into this one, so that it can be read here; asked again, it answers with the
// same copy. The copy stands for itself: it survives what becomes of the source. A file of this session is itself.
//
// Errors: not_found for what is not there, deleted, of another principal or without bytes that may be read, which all look the same; gone
// for a copy that this session has deleted, and in a deleted session; quota_exceeded; and those of the store.
func (s *Session) OpenFrom(ctx context.Context, source readapi.SessionID, id readapi.ArtifactID) (readapi.Attachment, error) {
	c, err := s.begin("open_from", "OpenFrom")
	if err != nil {
		return readapi.Attachment{}, err
	}
	defer c.leave()
	a, err := c.openFrom(ctx, readapi.Scope{Principal: s.scope.Principal, Session: source}, id)
	return a, c.end(ctx, err)
}

func (c *call) openFrom(ctx context.Context, src readapi.Scope, id readapi.ArtifactID) (a readapi.Attachment, err error) {
	if !src.Valid() || !id.Valid() {
		return a, invalid("the session's or the file's id has not the form of one", "An id is 1 to 128 characters of A-Z a-z 0-9 _ -.")
	}
	c.ref = id
	mine := id
	if src != c.scope {
		mine = copyID(src.Session, c.scope.Session, id)
	}
	own, generation, err := c.host.index.Artifacts(ctx, c.scope, []readapi.ArtifactID{mine})
	if err != nil {
		return a, err
	}
	rows, _, err := c.host.index.Artifacts(ctx, src, []readapi.ArtifactID{id})
	if err != nil {
		return a, err
	}
	v, err := c.host.viewAt(ctx, generation)
	if err != nil {
		return a, err
	}
	if row, ok := own[mine]; ok {
		if no := c.host.accepts.available(row); no != nil {
			return a, c.refuse(no)
		}
		return c.host.attachment(v, row), nil
	}
	row, ok := rows[id]
	if !ok {
		return a, c.absent()
	}
	if no := c.host.accepts.available(row); no != nil {
		c.cause = no.cause
		return a, notFound()
	}
	return c.openCopy(ctx, src, row)
}

// openCopy copies a live artifact into the session.
func (c *call) openCopy(ctx context.Context, src readapi.Scope, row store.Artifact) (a readapi.Attachment, err error) {
	h := c.host
	holder := &holder{host: h, name: string(newArtifactID())}
	defer holder.end(ctx)
	copies, err := h.copyRows(ctx, holder, src, c.scope, []readapi.ArtifactID{row.ID}, []string{row.Blob})
	if err != nil {
		return a, err
	}
	if len(copies) == 0 || copies[0].Status != readapi.StatusLive {
		c.cause = CauseDeleted
		return a, notFound()
	}
	if _, err := h.index.Append(ctx, c.scope, store.Batch{Artifacts: copies, Holder: holder.name, Quota: h.opts.Quota, Again: true}); err != nil {
		return a, err
	}
	holder.done = true
	rows, generation, err := h.index.Artifacts(ctx, c.scope, []readapi.ArtifactID{copies[0].ID})
	if err != nil {
		return a, err
	}
	v, err := h.viewAt(ctx, generation)
	if err != nil {
		return a, err
	}
	return h.attachment(v, rows[copies[0].ID]), nil
}
