package host

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"

	"github.com/glovebox-wasm/glovebox/host/sniff"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// A file inside a file is handed on by the decoder of the file around it, whole, and only then read, by the decoder of its own type: no read
// holds an instance while it waits for another, so no two can wait for each other. All of it is one read, with one budget.

// descend finds the file inside the file that j asks for: the job of reading that one. A job that asks for none is its own.
func (r *Reader) descend(ctx context.Context, j job) (job, error) {
	path, room := j.req.Child, j.lim.MaxInputBytes
	j.req.Child = nil
	for i, n := range path {
		if j.what.Empty {
			return j, ofInner(j.path, invalid("the file is empty", "Leave the child out."))
		}
		f, used, err := r.handOn(ctx, j, n, room)
		if err != nil {
			return j, ofInner(j.path, err)
		}
		room -= int64(len(f.Bytes))
		in := r.inner(j, f)
		in.asked, in.path = j.asked, path[:i+1]
		in.chain = append(slices.Clone(j.chain), used.decoder)
		if err := r.admit(&in); err != nil {
			return j, ofInner(in.path, r.named(ctx, in, err))
		}
		j = in
	}
	if len(path) > 0 && j.from != nil && !j.what.Empty {
		able, err := j.from.narrow(j.able, j.chain)
		if err != nil {
			return j, err
		}
		j.able = able
	}
	return j, nil
}

// handOn has the decoder of j give the nth file inside it, of at most room bytes.
func (r *Reader) handOn(ctx context.Context, j job, n int, room int64) (readapi.File, accepted, error) {
	j.req = forPictures(readapi.Request{
		Version: 1, Name: j.Name, Form: readapi.FormAuto, Child: []int{n}, MaxFileBytes: room, MaxBytes: j.req.MaxBytes, Password: j.req.Password,
	}, j.req)
	if room <= 0 { // 0 would be none asked for
		return readapi.File{}, accepted{}, overRoom(j.lim.MaxInputBytes, j.lim.MaxInputBytes+1)
	}
	res, used, err := r.decode(ctx, j)
	switch e, ok := errors.AsType[*readapi.Error](err); {
	case ok && e.Limit != nil && e.Limit.Name == "max_file_bytes":
		return readapi.File{}, used, overRoom(j.lim.MaxInputBytes, max(0, e.Limit.Actual)+j.lim.MaxInputBytes-room)
	case err != nil:
		return readapi.File{}, used, err
	case len(res.Files) != 1 || res.Files[0].At != 0:
		return readapi.File{}, used, badOutput("not the file inside the file that was asked for")
	}
	return res.Files[0], used, nil
}

// overRoom is the error for files inside files that are larger together than a file may be.
func overRoom(most, actual int64) error {
	return &readapi.Error{
		Code: readapi.CodeLimitOutput, Limit: &readapi.LimitHit{Name: "max_input_bytes", Value: most, Actual: actual},
		Hint: "Raise the limit max_input_bytes, or take the file out by other means.",
	}
}

// inner is the job of reading a file that the decoder of j handed on, before it is asked for anything.
func (r *Reader) inner(j job, f readapi.File) job {
	sum := sha256.Sum256(f.Bytes)
	digest := hex.EncodeToString(sum[:])
	in := job{
		File: File{Input: bytes.NewReader(f.Bytes), Name: f.Child.Name, Declared: f.Child.MediaType, SHA256: digest, Party: j.Party},
		lim:  j.lim, set: j.set, digest: knownDigest(digest), spent: j.spent, outer: j.outer,
	}
	if in.outer == nil {
		in.outer = j.digest
	}
	in.what = sniff.Sniff(f.Bytes, int64(len(f.Bytes)), in.Name, string(in.Declared))
	return in
}

// admit finds the decoders for a file inside a file, by the predicate that every file is judged by. What is refused is not the file that
// was offered, so it says so by other codes.
func (r *Reader) admit(j *job) error {
	able, no := r.accepts.accept(j.set, j.lim, unstored(j.what, j.Input.Size()))
	switch {
	case j.what.Empty && j.what.MediaType == readapi.OctetStream:
		return &readapi.Error{Code: readapi.CodeMalformed, Detail: "the file is empty"}
	case no != nil && !j.what.Empty:
		return no.err
	}
	j.able, j.req.Name = able, j.Name
	return nil
}

// ofInner is an error about the file inside the file at path; without a path it stays as it is. It never has a code that takes back what
// was offered: the file around it is there, and is read.
func ofInner(path []int, err error) error {
	e, ok := errors.AsType[*readapi.Error](err)
	if !ok || len(path) == 0 {
		return err
	}
	c := *e
	switch e.Code {
	case readapi.CodeUnsupportedKind:
		c.Code, c.Detail = readapi.CodeUnsupportedFeature, "no decoder reads "+c.Detail
		c.Hint = "Install or switch on a decoder for this type to read it."
	case readapi.CodeTooLarge:
		c.Code = readapi.CodeLimitOutput
	case readapi.CodeNotFound, readapi.CodeGone, readapi.CodeUnauthorized, readapi.CodeInvalidURI:
		c = readapi.Error{Op: e.Op, Code: readapi.CodeBadOutput, Ref: e.Ref, Err: err, Detail: "the decoder speaks for the host"}
	case readapi.CodeLimitTime, readapi.CodeBusy, readapi.CodeCanceled, readapi.CodeCorrupt, readapi.CodeInternal, readapi.CodeStaleCursor:
		return err // not about that file
	}
	where := "in file " + readapi.FormatChild(path) + " inside it"
	switch {
	case c.Detail != "":
		c.Detail = where + ": " + c.Detail
	case c.Limit != nil:
		c.Detail = where + ": " + c.Limit.String()
	default:
		c.Detail = where
	}
	return &c
}
