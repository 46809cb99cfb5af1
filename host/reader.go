package host

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/glovebox-wasm/glovebox/host/sniff"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// ReaderOptions of a Reader; nil means all defaults.
type ReaderOptions struct {
	Limits readapi.Limits // of every read; a call may ask for others
}

// Reader turns files into Documents. It is safe for concurrent use.
type Reader struct {
	decoders Decoders
	limits   readapi.Limits
	accepts  predicate
}

// NewReader returns a Reader that asks decoders. A negative limit is invalid_request.
func NewReader(decoders Decoders, opts *ReaderOptions) (*Reader, error) {
	if opts == nil {
		opts = &ReaderOptions{}
	}
	lim, err := opts.Limits.WithDefaults()
	if err != nil {
		return nil, readapi.AsError("host.NewReader", err)
	}
	return &Reader{decoders, lim, newPredicate()}, nil
}

// File is the bytes to read and what is said of them. Only the bytes decide what the file is.
type File struct {
	Input    readapi.Input
	Name     string            // as the user called it; a hint
	Declared readapi.MediaType // as the sender called it; a hint
	SHA256   string            // lower-case hex, where it is known and checked; else it is computed
	Limits   *readapi.Limits   // instead of the Reader's; nil: the Reader's
	Party    string            // on whose behalf; see readapi.Decoding
}

// Read decodes the part of f that sel selects.
//
// The Document names its unit; parts are in order of At, which counts from 1; text is valid UTF-8 with hidden characters escaped unless
// sel says otherwise. The answer ends at a unit border within the budget where it can, and Next continues it exactly. The caller owns
// the result. Nothing of f is kept.
//
// Errors: invalid_request, stale_cursor, too_large, unsupported_kind when no decoder accepts what the bytes are, and those of the
// decoder. When ctx ends the code is canceled or limit_time.
func (r *Reader) Read(ctx context.Context, f File, sel readapi.Selection) (*readapi.Document, error) {
	lim, err := r.limitsFor(f)
	if err != nil {
		return nil, readapi.AsError("host.Read", err)
	}
	within, cancel := context.WithTimeout(ctx, lim.Timeout)
	defer cancel()
	doc, err := r.read(within, f, sel, lim)
	if err != nil {
		if readapi.CodeOf(err) == readapi.CodeLimitTime && ctx.Err() == nil {
			err = overTime(err, lim)
		}
		return nil, readapi.AsError("host.Read", err)
	}
	return doc, nil
}

// overTime says that it was the read's own limit that passed, which whoever saw its context end cannot know.
func overTime(err error, lim readapi.Limits) error {
	e := readapi.Error{Code: readapi.CodeLimitTime, Err: err}
	if known, ok := errors.AsType[*readapi.Error](err); ok {
		e = *known
	}
	e.Detail, e.Limit = "", &readapi.LimitHit{Name: "timeout_ms", Value: max(1, lim.Timeout.Milliseconds())}
	return &e
}

func (r *Reader) read(ctx context.Context, f File, sel readapi.Selection, lim readapi.Limits) (*readapi.Document, error) {
	start := time.Now()
	what, err := identify(ctx, f)
	if err != nil {
		return nil, err
	}
	able, no := r.accepts.accept(allowed{r.decoders, nil}, lim, unstored(what, f.Input.Size()))
	switch {
	case what.Empty && what.MediaType == readapi.OctetStream:
		return nil, &readapi.Error{Code: readapi.CodeMalformed, Detail: "the file is empty"}
	case no != nil && !what.Empty: // an empty text asks for no decoder
		return nil, no.err
	}
	digest := startDigest(ctx, f)
	defer digest.stop(ctx)
	req, able, err := r.request(ctx, f, sel, lim, able, digest)
	if err != nil {
		return nil, err
	}
	doc, err := r.answer(ctx, job{f, req, lim, what, able, digest})
	if err != nil {
		return nil, err
	}
	doc.Usage.WallMS = time.Since(start).Milliseconds()
	return doc, nil
}

// job is one read, once it is known what the file is, who will be asked, and for what.
type job struct {
	File
	req    readapi.Request
	lim    readapi.Limits
	what   sniff.Result
	able   []accepted
	digest *digesting // of the bytes; no answer leaves before it is known
}

// answer has j decoded and makes a Document of what the decoder let out, without the time that it took.
func (r *Reader) answer(ctx context.Context, j job) (*readapi.Document, error) {
	if j.what.Empty {
		return emptyDocument(ctx, j)
	}
	res, used, err := r.decode(ctx, j)
	if err != nil {
		return nil, err
	}
	sum, err := j.digest.wait(ctx)
	if err = cmp.Or(err, ctx.Err()); err != nil { // an answer that comes too late is none
		return nil, err
	}
	doc, err := buildDocument(j.File, j.req, j.lim, j.what, used, res)
	if err != nil {
		return nil, err
	}
	doc.SHA256 = sum
	if res.Next != nil {
		doc.Next = cursor{
			blob: digestKey(sum), decoder: digestKey(res.Decoder.Digest), form: j.req.Form, next: *res.Next, units: j.req.Units, child: j.req.Child,
		}.String()
	}
	return doc, nil
}

func (r *Reader) limitsFor(f File) (readapi.Limits, error) {
	if f.Limits == nil {
		return r.limits, nil
	}
	return f.Limits.WithDefaults()
}

// identify decides once what the bytes are.
func identify(ctx context.Context, f File) (sniff.Result, error) {
	size := f.Input.Size()
	if size < 0 {
		return sniff.Result{}, invalid("the size is negative", "Say how many bytes the file has.")
	}
	prefix, err := readPrefix(ctx, f.Input, min(size, sniff.PrefixBytes))
	if err != nil {
		return sniff.Result{}, err
	}
	return sniff.Sniff(prefix, size, f.Name, string(f.Declared)), nil
}

// emptyDocument answers for a file of no bytes that is called a text: a text without lines. No decoder is asked, and what it could not
// have been asked for is refused all the same.
func emptyDocument(ctx context.Context, j job) (*readapi.Document, error) {
	switch {
	case j.req.Form == readapi.FormImage:
		return nil, invalid("an empty text does not have the form image", "Its forms are auto, text, source.")
	case len(j.req.Units) > 0 || len(j.req.Child) > 0:
		return nil, invalid("the file is empty", "Leave the selection out.")
	}
	sum, err := j.digest.wait(ctx)
	if err != nil {
		return nil, err
	}
	doc := &readapi.Document{
		Name: readapi.EscapeLine(j.Name), MediaType: j.what.MediaType, Kind: readapi.KindOf(j.what.MediaType, j.Name),
		SHA256: sum, Unit: readapi.UnitLine, Meta: map[string]any{},
	}
	if len(j.able) > 0 {
		doc.Decoder = j.able[0].decoder
	}
	return doc, nil
}

func invalid(detail, hint string) error {
	return &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: detail, Hint: hint}
}

// request builds what the decoder is asked from the selection or from its cursor, and narrows able to the cursor's decoder.
func (r *Reader) request(ctx context.Context, f File, sel readapi.Selection, lim readapi.Limits, able []accepted, digest *digesting) (readapi.Request, []accepted, error) {
	req := readapi.Request{
		Version: 1, Name: f.Name, Form: cmp.Or(sel.Form, readapi.FormAuto), Units: sel.Units, Child: sel.Child, Unescaped: sel.Unescaped,
		MaxTokens: max(0, cmp.Or(sel.MaxTokens, lim.MaxTokens)), MaxBytes: min(cmp.Or(sel.MaxBytes, lim.MaxOutputBytes), lim.MaxOutputBytes),
		MaxPixels: lim.MaxPixels, MaxSide: lim.MaxSide, MaxFrames: lim.MaxFrames, MaxTotalPixels: lim.MaxTotalPixels, MaxEdge: lim.MaxEdge,
	}
	switch {
	case sel.MaxBytes < 0:
		return req, nil, invalid("the byte budget is negative", "Leave it at 0 for the default.")
	case !req.Form.Valid():
		return req, nil, invalid("there is no such form", "Forms are auto, text, image and source.")
	case sel.Cursor == "":
		return req, able, nil
	case len(sel.Units) > 0 || len(sel.Child) > 0:
		return req, nil, invalid("a cursor and a selection were given", "A cursor carries its selection; give one of the two.")
	}
	c, err := parseCursor(sel.Cursor)
	if err != nil {
		return req, nil, err
	}
	if sel.Form != "" && sel.Form != c.form {
		return req, nil, invalid("the cursor is for the form "+string(c.form), "Leave the form out or start again without the cursor.")
	}
	sum, err := digest.wait(ctx)
	if err != nil {
		return req, nil, err
	}
	if digestKey(sum) != c.blob {
		return req, nil, c.foreign()
	}
	req.Form, req.Units, req.Child, req.Start = c.form, c.units, c.child, c.next
	for _, a := range able {
		if digestKey(a.decoder.Digest) == c.decoder {
			return req, []accepted{a}, nil
		}
	}
	return req, nil, c.stale("the decoder is not the one that the cursor is for")
}

// decode asks the accepted decoders in order. Only a refusal of the bytes goes on to the next; the first refusal is what the caller
// hears when nobody can read them, for it comes from what the file most likely is. A decoder that went away meanwhile is as if it had
// not been there.
func (r *Reader) decode(ctx context.Context, j job) (readapi.Result, accepted, error) {
	var first error
	req := j.req
	for _, a := range j.able {
		req.MediaType = a.mediaType
		res, err := r.decoders.Decode(ctx, a.decoder, readapi.Decoding{
			Input: j.Input, Request: req, Limits: j.lim, Party: j.Party, SHA256: func() string {
				sum, _ := j.digest.wait(ctx)
				return sum
			},
		})
		if err == nil {
			return res, a, nil
		}
		code := readapi.CodeOf(err)
		if code == readapi.CodeNotFound && gone(r.decoders, a) {
			continue
		}
		if first == nil {
			first = err
		}
		if code != readapi.CodeMalformed {
			break
		}
	}
	if first == nil {
		first = unsupportedKind(j.what.MediaType)
	}
	return readapi.Result{}, accepted{}, withUnits(first)
}

// withUnits says in the error for a unit that is not there what to ask for instead.
func withUnits(err error) error {
	e, ok := errors.AsType[*readapi.Error](err)
	if !ok || e.Code != readapi.CodeInvalidRequest || e.Limit == nil || e.Limit.Name != "units" || e.Hint != "" {
		return err
	}
	c := *e
	c.Hint = "Ask for units up to " + strconv.FormatInt(e.Limit.Value, 10) + `; "2-" is everything from the second on.`
	return &c
}
