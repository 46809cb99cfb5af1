package host

import (
	"context"
	"errors"

	"github.com/glovebox-wasm/glovebox/host/sniff"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// A file that no decoder reads is not offered, and reading it stays unsupported_kind. Whoever asks for it anyway is told what its header
// says: "image/heif: heic 4032x3024" is more use than "image/heif". The header is read where every byte of a stranger is, behind the wall.

// named is the error no of a file that nobody reads, with what a decoder says of the file. Whatever goes wrong with that leaves the error as
// it is.
func (r *Reader) named(ctx context.Context, j job, no error) error {
	e, ok := errors.AsType[*readapi.Error](no)
	if !ok || e.Code != readapi.CodeUnsupportedKind || j.Input == nil || j.Input.Size() <= 0 {
		return no
	}
	for _, info := range j.set.Names(j.what.MediaType) {
		lim, err := j.left()
		if err != nil {
			break
		}
		res, err := r.decoders.Decode(ctx, info, readapi.Decoding{
			Input: j.Input, Limits: lim, Party: j.Party, SHA256: func() string {
				sum, _ := j.digest.wait(ctx)
				return sum
			},
			Request: readapi.Request{
				Version: 1, Name: j.Name, MediaType: j.what.MediaType, Form: readapi.FormAuto, MaxBytes: lim.MaxOutputBytes,
				MaxPixels: lim.MaxPixels, MaxSide: lim.MaxSide, MaxFrames: lim.MaxFrames, MaxTotalPixels: lim.MaxTotalPixels, MaxEdge: lim.MaxEdge,
			},
		})
		j.spend(res.Usage)
		if said, ok := errors.AsType[*readapi.Error](err); ok && said.Code == readapi.CodeUnsupportedFeature && said.Detail != "" {
			c := *e
			c.Detail += ": " + said.Detail
			return &c
		}
	}
	return no
}

// namedFile is named for a file that belongs to no session.
func (r *Reader) namedFile(ctx context.Context, f File, what sniff.Result, lim readapi.Limits, set allowed, no error) error {
	if len(set.Names(what.MediaType)) == 0 {
		return no
	}
	digest := startDigest(ctx, f)
	defer digest.stop(ctx)
	return r.named(ctx, job{File: f, lim: lim, set: set, what: what, digest: digest, spent: &readapi.Usage{}}, no)
}

// namedRow is named for a session's own artifact. Bytes that cannot be had say nothing.
func (c *call) namedRow(ctx context.Context, row store.Artifact, v *view, lim readapi.Limits, no error) error {
	h := c.host
	if readapi.CodeOf(no) != readapi.CodeUnsupportedKind || len(h.allowed(v).Names(row.MediaType)) == 0 {
		return no
	}
	blob, err := h.blobs.Open(ctx, store.Blob{SHA256: row.Blob, Size: row.Bytes})
	if err != nil {
		return no
	}
	defer func() { _ = blob.Close() }() // nothing was written
	f := File{Input: stored{blob}, Name: row.Name, Declared: row.Declared, SHA256: row.Blob, Party: c.party()}
	j := job{File: f, lim: lim, set: h.allowed(v), what: sniffed(row), digest: startVerify(ctx, blob), spent: &readapi.Usage{}}
	defer j.digest.stop(ctx)
	err = h.reader.named(ctx, j, no)
	if _, bad := j.digest.wait(ctx); bad != nil {
		return no // they are not the bytes that were stored
	}
	return err
}
