package host

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Read decodes the part of the attachment at uri that sel selects; limits replace the host's for this read, except for what may be read at
// all, which Offer promised.
//
// The Document is as Reader.Read makes it, with its address; the caller owns it. An answer that was given before may come from the cache,
// with the usage of the first one but for WallMS and Cached.
//
// Errors: invalid_uri, not_found (absent or of another session), gone (the session's own, deleted), unsupported_kind, too_large, corrupt,
// and those of Reader.Read.
func (s *Session) Read(ctx context.Context, uri string, sel readapi.Selection, limits *readapi.Limits) (*readapi.Document, error) {
	c, err := s.begin("read", "Read")
	if err != nil {
		return nil, err
	}
	defer c.leave()
	doc, err := c.read(ctx, uri, sel, limits)
	if err = c.end(ctx, err); err != nil {
		return nil, err
	}
	return doc, nil
}

func (c *call) read(ctx context.Context, uri string, sel readapi.Selection, limits *readapi.Limits) (*readapi.Document, error) {
	start := time.Now()
	lim := c.host.opts.Limits
	if limits != nil {
		own, err := limits.WithDefaults()
		if err != nil {
			return nil, err
		}
		own.MaxInputBytes, own.MaxImageInputBytes = lim.MaxInputBytes, lim.MaxImageInputBytes
		lim = own
	}
	within, cancel := context.WithTimeout(ctx, lim.Timeout)
	defer cancel()
	row, v, err := c.lookup(within, uri)
	if err == nil {
		var doc *readapi.Document
		if doc, err = c.readRow(within, row, v, sel, lim); err == nil {
			doc.URI = uri
			doc.Usage.WallMS = time.Since(start).Milliseconds()
			return doc, nil
		}
	}
	if readapi.CodeOf(err) == readapi.CodeLimitTime && ctx.Err() == nil {
		err = overTime(err, lim)
	}
	return nil, err
}

// readRow reads a session's own artifact, from the cache if it can.
func (c *call) readRow(ctx context.Context, row store.Artifact, v *view, sel readapi.Selection, lim readapi.Limits) (*readapi.Document, error) {
	h := c.host
	able, no := h.accepts.accept(h.allowed(v), lim, row)
	if no != nil {
		return nil, c.namedRow(ctx, row, v, lim, c.refuse(no))
	}
	f := File{Name: row.Name, Declared: row.Declared, SHA256: row.Blob, Party: c.party()}
	ask, able, err := h.reader.request(ctx, f, sel, lim, able, knownDigest(row.Blob))
	if err != nil {
		return nil, err
	}
	key := h.keyOf(row, able, ask, lim, v)
	if doc := h.cached(ctx, key, ask); doc != nil {
		doc.Usage.Cached = true
		return doc, ctx.Err()
	}
	blob, err := h.blobs.Open(ctx, store.Blob{SHA256: row.Blob, Size: row.Bytes})
	if err != nil {
		return nil, err
	}
	defer func() { _ = blob.Close() }() // nothing was written
	f.Input = stored{blob}
	j := job{
		File: f, asked: ask, lim: lim, set: h.allowed(v), what: sniffed(row), able: able, digest: startVerify(ctx, blob), spent: &readapi.Usage{},
	}
	defer j.digest.stop(ctx)
	doc, err := h.reader.answer(ctx, j)
	if err != nil {
		return nil, j.blame(ctx, h.decoders, err)
	}
	h.keep(ctx, key, ask, doc)
	return doc, nil
}

// startVerify compares a blob with its digest beside the decode: the answer waits for it. stop must follow.
func startVerify(ctx context.Context, blob *store.OpenBlob) *digesting {
	if blob.Verified() {
		return knownDigest(blob.Blob.SHA256)
	}
	ctx, cancel := context.WithCancel(ctx)
	d := &digesting{cancel: cancel, done: make(chan struct{}), sum: blob.Blob.SHA256}
	go func() {
		defer close(d.done)
		d.err = blob.Verify(ctx)
	}()
	return d
}

// blame is the error of a read of stored bytes, whose decoders d are. A decoder may fail because the bytes are not those that were stored:
// then that is the error. And what accept has decided no decoder may say again: behind an offer, a read is never told that there was none.
func (j job) blame(ctx context.Context, d Decoders, err error) error {
	if _, bad := j.digest.wait(ctx); readapi.CodeOf(bad) == readapi.CodeCorrupt {
		return bad
	}
	e, ok := errors.AsType[*readapi.Error](err)
	if !ok {
		return err
	}
	said := *e
	switch e.Code {
	case readapi.CodeTooLarge:
		said.Code, said.Limit = readapi.CodeUnsupportedFeature, nil
		if said.Detail == "" {
			said.Detail = "a file of this size"
		}
	case readapi.CodeUnsupportedKind:
		if !slices.ContainsFunc(j.able, func(a accepted) bool { return !gone(d, a) }) {
			return err // its decoders have just been taken out
		}
		said.Code = readapi.CodeMalformed
	case readapi.CodeNotFound, readapi.CodeGone, readapi.CodeUnauthorized, readapi.CodeInvalidURI:
		said = readapi.Error{Op: e.Op, Code: readapi.CodeBadOutput, Ref: e.Ref, Err: err, Detail: "the decoder speaks for the host"}
	default:
		return err
	}
	return &said
}

// stored is a blob as an Input whose failures are the store's and not the file's.
type stored struct{ *store.OpenBlob }

// ReadAt implements io.ReaderAt.
func (s stored) ReadAt(p []byte, off int64) (int, error) {
	n, err := s.OpenBlob.ReadAt(p, off)
	if err != nil && err != io.EOF && readapi.CodeOf(err) == readapi.CodeInternal {
		err = &readapi.Error{Code: readapi.CodeCorrupt, Detail: "its stored bytes cannot be read", Err: err}
	}
	return n, err
}

// Bytes are the original bytes of an attachment. ReadAt may be called concurrently; Read and Seek share one place.
type Bytes struct {
	io.ReadSeeker
	Attachment readapi.Attachment
	SHA256     string // lower-case hex

	blob *store.OpenBlob
}

// OpenBytes returns the original bytes, verified. Who opens, closes. Errors as for Read, less those of decoders: what no decoder reads
// can still be had as bytes.
func (s *Session) OpenBytes(ctx context.Context, uri string) (*Bytes, error) {
	c, err := s.begin("open", "OpenBytes")
	if err != nil {
		return nil, err
	}
	defer c.leave()
	b, err := c.open(ctx, uri)
	if err = c.end(ctx, err); err != nil {
		return nil, err
	}
	return b, nil
}

func (c *call) open(ctx context.Context, uri string) (*Bytes, error) {
	row, v, err := c.lookup(ctx, uri)
	if err != nil {
		return nil, err
	}
	if no := c.host.accepts.available(row); no != nil {
		return nil, c.refuse(no)
	}
	blob, err := c.host.blobs.Open(ctx, store.Blob{SHA256: row.Blob, Size: row.Bytes})
	if err != nil {
		return nil, err
	}
	if err := blob.Verify(ctx); err != nil {
		_ = blob.Close()
		return nil, err
	}
	return &Bytes{io.NewSectionReader(stored{blob}, 0, row.Bytes), c.host.attachment(v, row), row.Blob, blob}, nil
}

// ReadAt implements io.ReaderAt.
func (b *Bytes) ReadAt(p []byte, off int64) (int, error) { return stored{b.blob}.ReadAt(p, off) }

// Close frees the bytes.
func (b *Bytes) Close() error { return readapi.AsError("host.Bytes.Close", b.blob.Close()) }

// party is on whose behalf the session's reads are: parties take turns with the decoders. No id holds the byte between the two.
func (c *call) party() string { return string(c.scope.Principal) + "/" + string(c.scope.Session) }
