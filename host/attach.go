package host

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/sniff"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Message is a message of a user to append, with the files that it carries.
type Message struct {
	ID          string // "" takes a new one
	Turn        string
	Time        time.Time // zero: now
	Text        string
	DisplayText string
	Attached    []readapi.ArtifactID // files that the session has already, as by an upload; they come before Files
	Files       []NewFile
}

// NewFile is a file to attach. Its content is read once, to the end.
type NewFile struct {
	Name      string            // as the user called it
	MediaType readapi.MediaType // as the sender called it; a hint, "" for none
	Size      int64             // with SizeKnown: what the sender says; the content must have exactly this size
	SizeKnown bool
	Content   io.Reader
	Source    store.Source // "" is user_upload
}

// Attached is what Attach stored.
type Attached struct {
	MessageID   string               `json:"message_id"`
	Attachments []readapi.Attachment `json:"attachments"`
}

// Attach stores files and appends the message of the user that carries them, all or nothing.
//
// Errors: invalid_request (more files than a message may carry, a size that is not the content's), too_large, quota_exceeded,
// capability_unavailable, conflict, busy, canceled, and what a file's reader returns; not_found where that has no code, and for one of
// Attached that the session has not; gone for one that was deleted, and in a deleted session.
func (s *Session) Attach(ctx context.Context, m Message) (*Attached, error) {
	c, err := s.begin("attach", "Attach")
	if err != nil {
		return nil, err
	}
	defer c.leave()
	out, err := c.attach(ctx, m)
	if err != nil || len(out.Attachments) == 0 {
		return out, c.end(ctx, err)
	}
	for _, a := range out.Attachments {
		c.tell(ctx, a.ID, "", "", false)
	}
	return out, nil
}

func (c *call) attach(ctx context.Context, m Message) (*Attached, error) {
	h := c.host
	if err := h.checkFiles(m.Files, len(m.Attached)); err != nil {
		return nil, err
	}
	now := h.now()
	had, err := c.attached(ctx, m.Attached)
	if err != nil {
		return nil, err
	}
	event := ledger.Event{ID: m.ID, Type: ledger.User, Turn: m.Turn, Time: m.Time, Text: m.Text, DisplayText: m.DisplayText}
	if event.Time.IsZero() && event.ID == "" { // with an id it may be there already, and then it keeps its time
		event.Time = now
	}
	draft := event
	if len(m.Files)+len(had) > 0 {
		draft.Attachments = []json.RawMessage{[]byte("{}")} // a message without text is none otherwise
	}
	if err := ledger.Check(draft); err != nil { // before any file is read and kept for nothing
		return nil, err
	}
	if err := h.room(ctx, c.scope, announced(m.Files)); err != nil {
		return nil, err
	}
	holder := &holder{host: h, name: string(newArtifactID())}
	defer holder.end(ctx)
	rows, err := h.store(ctx, holder, m.Files)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].Scope, rows[i].Created = c.scope, now
	}
	for _, row := range append(had, rows...) {
		ref, err := json.Marshal(h.attachment(h.view.Load(), row).Ref(c.scope.Session))
		if err != nil {
			return nil, err
		}
		event.Attachments = append(event.Attachments, ref)
	}
	ids, err := h.ledger.Append(ctx, c.scope, store.Batch{Artifacts: rows, Holder: holder.name, Quota: h.opts.Quota}, event)
	if err != nil {
		return nil, err
	}
	holder.done = true
	out := &Attached{MessageID: ids[0], Attachments: make([]readapi.Attachment, 0, len(had)+len(rows))}
	rows, v := h.rowsNow(ctx, c.scope, append(had, rows...))
	for _, row := range rows {
		out.Attachments = append(out.Attachments, h.attachment(v, row))
	}
	return out, nil
}

// attached returns the files of the session that a message carries besides new ones.
func (c *call) attached(ctx context.Context, ids []readapi.ArtifactID) ([]store.Artifact, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if len(distinct(ids)) < len(ids) {
		return nil, invalid("a message carries a file once", "Name each file once.")
	}
	known, _, err := c.host.index.Artifacts(ctx, c.scope, ids)
	if err != nil {
		return nil, err
	}
	var rows []store.Artifact
	for _, id := range ids {
		row, ok := known[id]
		if c.ref = id; !ok {
			return nil, c.absent()
		}
		if no := c.host.accepts.available(row); no != nil {
			return nil, c.refuse(no)
		}
		rows = append(rows, row)
	}
	c.ref = ""
	return rows, nil
}

// rowsNow is rows and the decoder set as they are behind an append. What has been stored has been stored: when the store cannot be asked,
// what is known answers.
func (h *Host) rowsNow(ctx context.Context, scope readapi.Scope, rows []store.Artifact) ([]store.Artifact, *view) {
	if len(rows) == 0 {
		return rows, h.view.Load()
	}
	ids := make([]readapi.ArtifactID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
		rows[i].Version = max(1, row.Version)
	}
	known, generation, err := h.index.Artifacts(ctx, scope, ids)
	if err != nil {
		return rows, h.view.Load()
	}
	for i, row := range rows {
		if now, ok := known[row.ID]; ok {
			rows[i] = now
		}
	}
	v, err := h.viewAt(ctx, generation)
	if err != nil {
		v = h.view.Load()
	}
	return rows, v
}

// checkFiles refuses what can be refused before anything is read.
func (h *Host) checkFiles(files []NewFile, attached int) error {
	if n := h.opts.MaxAttachments; len(files)+attached > n {
		return invalid("a message carries at most "+strconv.Itoa(n)+" files", "Send the rest with another message.")
	}
	for _, f := range files {
		switch {
		case f.Content == nil:
			return invalid("a file has no content", "Give a reader for each file.")
		case f.SizeKnown && f.Size < 0:
			return invalid("the size of a file is negative", "Say how many bytes it has, or that this is not known.")
		case f.SizeKnown && f.Size > h.opts.MaxAttachmentBytes:
			return tooLargeFile(h.opts.MaxAttachmentBytes, f.Size)
		case f.Source != "" && !f.Source.Readable():
			return invalid("files do not come from this source", "Leave the source out for a file that the user sent.")
		}
	}
	return nil
}

// announced is how much files will take at least.
func announced(files []NewFile) (u store.Usage) {
	for _, f := range files {
		u.Files++
		if f.SizeKnown {
			u.Bytes += f.Size
		}
	}
	return u
}

func tooLargeFile(most, size int64) error {
	return &readapi.Error{
		Code: readapi.CodeTooLarge, Limit: &readapi.LimitHit{Name: "max_attachment_bytes", Value: most, Actual: size}, Hint: "Attach a smaller file.",
	}
}

// holder keeps bytes from being removed between their being written and their being named by a row.
type holder struct {
	host *Host
	name string
	used bool // it has leases
	done bool // the append has ended them
}

// leaseTime is how long bytes without a row are kept. It covers the longest time from the first byte of a message's files to its append.
const leaseTime = time.Hour

// named leases blobs; see store.PutAllOptions.
func (o *holder) named(ctx context.Context, blobs []store.Blob) error {
	digests := make([]string, 0, len(blobs))
	for _, b := range blobs {
		digests = append(digests, b.SHA256)
	}
	slices.Sort(digests)
	return o.lease(ctx, slices.Compact(digests))
}

// one leases a blob; see store.PutOptions.
func (o *holder) one(ctx context.Context, blob store.Blob) error {
	return o.named(ctx, []store.Blob{blob})
}

// leaseWait is how long a writer waits for somebody who removes the same bytes just now, which takes no longer than to remove a file.
const leaseWait = 2 * time.Second

// lease leases blobs.
func (o *holder) lease(ctx context.Context, digests []string) error {
	o.used = true
	start := time.Now()
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := o.host.index.LeaseBlobs(ctx, o.name, digests, leaseTime)
		if readapi.CodeOf(err) != readapi.CodeBusy || time.Since(start) > leaseWait {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// end ends the leases of what was not appended, so that collecting it need not wait for their time. Where that fails, their time ends them.
func (o *holder) end(ctx context.Context) {
	if o.used && !o.done {
		_ = o.host.index.EndLeases(context.WithoutCancel(ctx), o.name)
	}
}

// store keeps the bytes of files in one step, leased by holder, and says what they are, once and for all.
func (h *Host) store(ctx context.Context, holder *holder, files []NewFile) ([]store.Artifact, error) {
	var readers []io.Reader
	for _, f := range files {
		content := &content{r: f.Content, size: -1}
		if f.SizeKnown {
			content.size = f.Size
		}
		readers = append(readers, content)
	}
	blobs, heads, err := h.blobs.PutAll(ctx, readers, store.PutAllOptions{Max: h.opts.MaxAttachmentBytes, Prefix: sniff.PrefixBytes, Named: holder.named})
	if err != nil {
		return nil, err
	}
	rows := make([]store.Artifact, 0, len(files))
	for i, f := range files {
		rows = append(rows, describe(heads[i], blobs[i], f.Name, f.MediaType, f.Source))
	}
	return rows, nil
}

// describe is the row of new bytes, whose first are head.
func describe(head []byte, blob store.Blob, name string, declared readapi.MediaType, source store.Source) store.Artifact {
	name = readapi.FileName(name)
	what := sniff.Sniff(head, blob.Size, name, string(declared))
	if source == "" {
		source = store.SourceUserUpload
	}
	return store.Artifact{
		ID: newArtifactID(), Blob: blob.SHA256, Bytes: blob.Size, Name: name, Kind: readapi.KindOf(what.MediaType, name), Source: source,
		Status: readapi.StatusLive, MediaType: what.MediaType, Candidates: what.Candidates, Declared: what.Declared, Mismatch: what.Mismatch,
	}
}

// newArtifactID is 128 random bits: it says nothing about the content, and nobody can guess one.
func newArtifactID() readapi.ArtifactID {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return readapi.ArtifactID(hex.EncodeToString(b[:]))
}

// content is what a file's reader gives, with errors that have a code, and exactly as long as was said: a file that grows or shrinks while
// it is attached would be stored in a state that it never had.
type content struct {
	r    io.Reader
	size int64 // -1: not known
	n    int64
}

func (c *content) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(max(n, 0))
	switch {
	case c.size >= 0 && (c.n > c.size || err == io.EOF && c.n < c.size):
		return n, invalid("its size is not what was said", "Attach it again once nothing changes it any more.")
	case err != nil && err != io.EOF && readapi.CodeOf(err) == readapi.CodeInternal:
		return n, inputError(err)
	}
	return n, err
}
