package host

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/glovebox-wasm/glovebox/host/sniff"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// UploadBegin says what will be uploaded. What its parts must add up to is said before the first of them.
type UploadBegin struct {
	ID        string            // the sender's, 1 to 128 characters of [A-Za-z0-9_-]; unique in the session, for good
	Owner     string            // whose the parts are, as a connection is: nobody else may send or end them; 1 to 128 of the same characters
	Name      string            // as the user called the file
	MediaType readapi.MediaType // as the sender called it; a hint, "" for none
	Bytes     int64
	SHA256    string       // lower-case hex
	Source    store.Source // "" is user_upload
}

// UploadState is how far an upload is. Attachment is there once it was committed.
type UploadState struct {
	Next       int64               `json:"next"`             // where the next part begins
	Expires    time.Time           `json:"expires,omitzero"` // when it is dropped unless more comes
	Attachment *readapi.Attachment `json:"attachment,omitempty"`
}

// BeginUpload begins an upload, or says how far one is that was begun in the same way, whose time then starts again. One that was committed
// answers with its attachment, whoever asks.
//
// Errors: invalid_request, too_large, quota_exceeded (for what the store keeps, and as upload_bytes for what a principal has under way),
// conflict for an id that was begun with something else, gone in a deleted session, busy for too many at once, and those of the store.
func (s *Session) BeginUpload(ctx context.Context, b UploadBegin) (UploadState, error) {
	c, err := s.begin("upload", "BeginUpload")
	if err != nil {
		return UploadState{}, err
	}
	defer c.leave()
	state, err := c.beginUpload(ctx, b)
	return state, c.end(ctx, err)
}

// UploadChunk takes the part of an upload that begins at offset, and returns where the next one begins. A part may come again as it came
// before. The bytes are the caller's again when it returns.
//
// Errors: not_found for an upload that this owner has not under way; conflict for a gap, for other bytes than were sent before, for what
// was sent in other pieces, and for more than was announced; what a write may return, which ends the upload.
func (s *Session) UploadChunk(ctx context.Context, owner, id string, offset int64, data []byte) (next int64, err error) {
	c, err := s.begin("upload", "UploadChunk")
	if err != nil {
		return 0, err
	}
	defer c.leave()
	next, err = c.uploadChunk(ctx, uploadKey{c.scope, owner, id}, offset, data)
	if err != nil {
		return 0, c.end(ctx, err)
	}
	return next, nil
}

// CommitUpload makes an attachment of an upload whose bytes are all there. The session has it, and no message carries it yet. It is durable
// and idempotent: committed again, also by others and after a restart, it answers with the same attachment.
//
// Errors: not_found; conflict where the bytes are not those that were announced, which ends the upload; quota_exceeded and gone, which end
// it too; and those of the store.
func (s *Session) CommitUpload(ctx context.Context, owner, id string) (readapi.Attachment, error) {
	c, err := s.begin("upload", "CommitUpload")
	if err != nil {
		return readapi.Attachment{}, err
	}
	defer c.leave()
	a, err := c.commitUpload(ctx, uploadKey{c.scope, owner, id})
	return a, c.end(ctx, err)
}

// AbortUpload drops an upload. Errors: not_found; conflict for one that was committed: its attachment is to be deleted instead.
func (s *Session) AbortUpload(ctx context.Context, owner, id string) error {
	c, err := s.begin("upload", "AbortUpload")
	if err != nil {
		return err
	}
	defer c.leave()
	return c.end(ctx, c.abortUpload(ctx, uploadKey{c.scope, owner, id}))
}

// checkBegin returns b with its defaults.
func (h *Host) checkBegin(b UploadBegin) (UploadBegin, error) {
	const form = "It is 1 to 128 characters of A-Z a-z 0-9 _ -."
	if b.Source == "" {
		b.Source = store.SourceUserUpload
	}
	switch {
	case !readapi.ArtifactID(b.ID).Valid():
		return b, invalid("the id of an upload has not its form", form)
	case !readapi.ArtifactID(b.Owner).Valid():
		return b, invalid("the owner of an upload has not its form", form)
	case b.Bytes < 0:
		return b, invalid("the size of a file is negative", "Say how many bytes it has.")
	case !store.ValidDigest(b.SHA256):
		return b, invalid("the digest of a file is no sha256", "Give it as 64 characters of lower-case hex.")
	case !b.Source.Readable():
		return b, invalid("files do not come from this source", "Leave the source out for a file that the user sent.")
	case b.Bytes > h.opts.MaxAttachmentBytes:
		return b, tooLargeFile(h.opts.MaxAttachmentBytes, b.Bytes)
	case b.Bytes > h.opts.MaxUploadBytes:
		return b, &readapi.Error{
			Code: readapi.CodeTooLarge, Limit: &readapi.LimitHit{Name: "upload_bytes", Value: h.opts.MaxUploadBytes, Actual: b.Bytes}, Hint: "Upload a smaller file.",
		}
	}
	return b, nil
}

// digest tells uploads apart that were begun with one id.
func (b UploadBegin) digest() string {
	said, _ := json.Marshal([]any{b.Name, b.MediaType, b.Bytes, b.SHA256, b.Source}) // strings and a number
	sum := sha256.Sum256(said)
	return hex.EncodeToString(sum[:])
}

func (c *call) beginUpload(ctx context.Context, b UploadBegin) (UploadState, error) {
	b, err := c.host.checkBegin(b)
	if err != nil {
		return UploadState{}, err
	}
	digest := b.digest()
	if a, ok, err := c.finished(ctx, b.ID, digest); ok || err != nil {
		return UploadState{Next: b.Bytes, Attachment: &a}, err
	}
	for {
		u, fresh, err := c.host.uploads.reserve(uploadKey{c.scope, b.Owner, b.ID}, b, digest)
		if err != nil {
			return UploadState{}, err
		}
		if fresh {
			return c.openUpload(ctx, u)
		}
		u.mu.Lock()
		state, ended := u.state(), u.ended
		u.mu.Unlock()
		if !ended { // else it ended just now, and there is none any more
			return state, nil
		}
	}
}

// openUpload makes an upload ready for its bytes. Its lock is held since it was reserved.
func (c *call) openUpload(ctx context.Context, u *upload) (UploadState, error) {
	defer u.mu.Unlock()
	err := c.host.room(ctx, c.scope, store.Usage{Files: 1, Bytes: u.begin.Bytes})
	if err == nil {
		var own context.Context // it outlives the call
		own, u.cancel = context.WithCancel(context.WithoutCancel(ctx))
		u.writer, err = c.host.blobs.Writer(own, store.PutOptions{Max: u.begin.Bytes, Prefix: sniff.PrefixBytes, Named: u.holder.one})
	}
	if err != nil {
		u.drop(ctx)
		return UploadState{}, err
	}
	return u.state(), nil
}

// finished returns the attachment that an upload became; ok is false when there is none of this id. digest is what it must have been begun
// with, "" for whatever.
func (c *call) finished(ctx context.Context, id, digest string) (a readapi.Attachment, ok bool, err error) {
	done, ok, err := c.host.index.Upload(ctx, c.scope, id)
	if err != nil || !ok {
		return a, false, err
	}
	if digest != "" && done.Begin != digest {
		return a, false, uploadConflict("another upload was committed under this id", "Give the upload another id.")
	}
	rows, generation, err := c.host.index.Artifacts(ctx, c.scope, []readapi.ArtifactID{done.Artifact})
	if err != nil {
		return a, false, err
	}
	row, ok := rows[done.Artifact]
	if !ok { // purged meanwhile, and its upload with it
		return a, false, nil
	}
	v, err := c.host.viewAt(ctx, generation)
	if err != nil {
		return a, false, err
	}
	c.ref = row.ID
	return c.host.attachment(v, row), true, nil
}

func (c *call) uploadChunk(ctx context.Context, key uploadKey, offset int64, data []byte) (next int64, err error) {
	u, err := c.underWay(key)
	if err != nil {
		return 0, err
	}
	defer u.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := u.take(offset, data); err != nil {
		if u.writer.Err() != nil {
			u.drop(ctx)
		}
		return 0, err
	}
	u.all.touch(u)
	return u.next, nil
}

func (c *call) abortUpload(ctx context.Context, key uploadKey) error {
	u, err := c.underWay(key)
	if err == nil {
		defer u.mu.Unlock()
		u.drop(ctx)
		return nil
	}
	if _, ok, failed := c.finished(ctx, key.id, ""); failed != nil || !ok {
		return cmp.Or(failed, err)
	}
	c.cause = ""
	return uploadConflict("the upload was committed", "Delete its attachment.")
}

// underWay returns an upload of the owner, locked.
func (c *call) underWay(key uploadKey) (*upload, error) {
	if u := c.host.uploads.find(key); u != nil {
		u.mu.Lock()
		if !u.ended {
			return u, nil
		}
		u.mu.Unlock()
	}
	if c.host.uploads.others(key) {
		c.cause = CauseOwner
	}
	return nil, &readapi.Error{Code: readapi.CodeNotFound, Detail: "no such upload is under way", Hint: "Begin it again."}
}

func (c *call) commitUpload(ctx context.Context, key uploadKey) (readapi.Attachment, error) {
	u, absent := c.underWay(key)
	if absent != nil {
		a, ok, err := c.finished(ctx, key.id, "")
		if ok || err != nil {
			c.cause = ""
			return a, err
		}
		return a, absent
	}
	defer u.mu.Unlock()
	a, err := c.commitBytes(ctx, u)
	if err == nil || u.writer.Err() != nil || !mayPass(err) {
		u.drop(ctx)
	}
	return a, err
}

// mayPass reports whether a failure may be over soon, so that what was uploaded is worth keeping.
func mayPass(err error) bool {
	switch readapi.CodeOf(err) {
	case readapi.CodeBusy, readapi.CodeCanceled, readapi.CodeLimitTime:
		return true
	}
	return false
}

// commitBytes makes an attachment of u.
func (c *call) commitBytes(ctx context.Context, u *upload) (a readapi.Attachment, err error) {
	if a, ok, err := c.finished(ctx, u.key.id, u.digest); ok || err != nil { // by another owner, or the answer was lost
		return a, err
	}
	blob, err := u.bytes(ctx)
	if err != nil {
		return a, err
	}
	row := describe(u.writer.Head(), blob, u.begin.Name, u.begin.MediaType, u.begin.Source)
	row.ID, row.Scope, row.Created = u.artifact, c.scope, c.host.now()
	_, err = c.host.index.Append(ctx, c.scope, store.Batch{
		Artifacts: []store.Artifact{row}, Holder: u.holder.name, Quota: c.host.opts.Quota,
		Uploads: []store.Upload{{ID: u.key.id, Begin: u.digest, Artifact: row.ID}},
	})
	if err == nil {
		u.holder.done = true
	} else if readapi.CodeOf(err) != readapi.CodeConflict { // else another one was faster
		return a, err
	}
	a, ok, failed := c.finished(ctx, u.key.id, u.digest)
	if !ok {
		err = cmp.Or[error](failed, err, &readapi.Error{Code: readapi.CodeGone})
		return readapi.Attachment{}, err
	}
	return a, nil
}

func uploadConflict(detail, hint string) error {
	return &readapi.Error{Code: readapi.CodeConflict, Detail: detail, Hint: hint, Final: true}
}
