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
	Limits   readapi.Limits    // of every read; a call may ask for others
	Profiles []readapi.Profile // on top of the built-in ones; see profile.NewSet
	Profile  string            // of a read that names none; "": none
}

// Reader turns files into Documents. It is safe for concurrent use.
type Reader struct {
	decoders Decoders
	limits   readapi.Limits
	profiles profiles
	accepts  predicate
}

// NewReader returns a Reader that asks decoders. A negative limit is invalid_request, and so is a profile that cannot be or is not there.
func NewReader(decoders Decoders, opts *ReaderOptions) (*Reader, error) {
	if opts == nil {
		opts = &ReaderOptions{}
	}
	lim, err := opts.Limits.WithDefaults()
	if err != nil {
		return nil, readapi.AsError("host.NewReader", err)
	}
	known, err := newProfiles(opts.Profiles, opts.Profile)
	if err != nil {
		return nil, readapi.AsError("host.NewReader", err)
	}
	return &Reader{decoders, lim, known, newPredicate()}, nil
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
	set := allowed{r.decoders, nil}
	able, no := r.accepts.accept(set, lim, unstored(what, f.Input.Size()))
	switch {
	case what.Empty && what.MediaType == readapi.OctetStream:
		return nil, &readapi.Error{Code: readapi.CodeMalformed, Detail: "the file is empty"}
	case no != nil && !what.Empty: // an empty text asks for no decoder
		return nil, r.namedFile(ctx, f, what, lim, set, no.err)
	}
	digest := startDigest(ctx, f)
	defer digest.stop(ctx)
	asked, able, err := r.request(ctx, f, sel, lim, able, digest)
	if err != nil {
		return nil, err
	}
	doc, err := r.answer(ctx, job{File: f, asked: asked, lim: lim, set: set, what: what, able: able, digest: digest, spent: &readapi.Usage{}})
	if err != nil {
		return nil, err
	}
	doc.Usage.WallMS = time.Since(start).Milliseconds()
	return doc, nil
}

// job is one read, once it is known what the file is, who will be asked, and for what.
type job struct {
	File
	asked
	lim    readapi.Limits
	set    allowed // the decoders that there are
	what   sniff.Result
	able   []accepted
	digest *digesting     // of the bytes; no answer leaves before it is known
	spent  *readapi.Usage // by all that was decoded for this read

	outer *digesting            // of the file that this one is inside of, at whatever depth; nil: it is inside of none
	path  []int                 // the way to it from there
	chain []readapi.DecoderInfo // who read the files on that way
}

// asked is what the decoder is asked, and the cursor that it goes on from: nil for a read that begins.
type asked struct {
	req  readapi.Request
	from *cursor
}

// answer has j decoded and makes a Document of what the decoder let out, without the time that it took.
func (r *Reader) answer(ctx context.Context, j job) (*readapi.Document, error) {
	j, err := r.descend(ctx, j)
	if err != nil {
		return nil, err
	}
	doc, err := r.answerOne(ctx, j)
	if err != nil {
		return nil, ofInner(j.path, err)
	}
	return doc, nil
}

// answerOne is answer, once the file is found that is to be read.
func (r *Reader) answerOne(ctx context.Context, j job) (*readapi.Document, error) {
	if j.what.Empty {
		return emptyDocument(ctx, j)
	}
	res, used, err := r.decode(ctx, j)
	if err == nil {
		err = r.pictures(ctx, j, &res)
	}
	if err != nil {
		return nil, err
	}
	sum, blob, err := j.sums(ctx)
	if err = cmp.Or(err, ctx.Err()); err != nil { // an answer that comes too late is none
		return nil, err
	}
	res.Usage = *j.spent
	doc, err := buildDocument(j.File, j.req, j.lim, j.what, used, res)
	if err != nil {
		return nil, err
	}
	doc.SHA256, doc.Child = sum, readapi.FormatChild(j.path)
	if res.Next != nil {
		doc.Next = cursor{
			blob: digestKey(blob), decoder: decoderKey(j.chain, res.Decoder), form: j.req.Form, next: *res.Next, units: j.req.Units, child: j.path,
		}.String()
	}
	return doc, nil
}

// sums waits for the digests of the file that is read and of the one that it is inside of, which may be the same.
func (j *job) sums(ctx context.Context) (sum, blob string, err error) {
	if sum, err = j.digest.wait(ctx); err != nil || j.outer == nil {
		return sum, sum, err
	}
	blob, err = j.outer.wait(ctx)
	return sum, blob, err
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
	case len(j.req.Units) > 0:
		return nil, invalid("the file is empty", "Leave the selection out.")
	}
	sum, _, err := j.sums(ctx)
	if err != nil {
		return nil, err
	}
	doc := &readapi.Document{
		Name: readapi.EscapeLine(j.Name), MediaType: j.what.MediaType, Kind: readapi.KindOf(j.what.MediaType, j.Name),
		SHA256: sum, Unit: readapi.UnitLine, Meta: map[string]any{}, Child: readapi.FormatChild(j.path), Usage: *j.spent,
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
func (r *Reader) request(ctx context.Context, f File, sel readapi.Selection, lim readapi.Limits, able []accepted, digest *digesting) (asked, []accepted, error) {
	req, err := begin(f, sel, lim)
	if err == nil {
		err = r.profiles.apply(&req, sel, lim)
	}
	if err != nil {
		return asked{}, nil, err
	}
	ask := asked{req: req}
	if sel.Cursor != "" {
		if ask, err = resume(ctx, req, sel, digest); err != nil {
			return asked{}, nil, err
		}
		if len(ask.req.Child) == 0 { // else the decoder is known once the file is found
			if able, err = ask.from.narrow(able, nil); err != nil {
				return asked{}, nil, err
			}
		}
	}
	if ask.req.Form == readapi.FormImage {
		_, ask.req.MaxFileBytes = lim.InputLimit("image/png")
	}
	return ask, able, nil
}

// maxPassword bounds a password. No format takes a longer one.
const maxPassword = 4 << 10

// begin is the request that sel makes without its cursor.
func begin(f File, sel readapi.Selection, lim readapi.Limits) (readapi.Request, error) {
	req := readapi.Request{
		Version: 1, Name: f.Name, Form: cmp.Or(sel.Form, readapi.FormAuto), Units: sel.Units, Child: sel.Child, Unescaped: sel.Unescaped, Words: sel.Words,
		Password: sel.Password, MaxTokens: max(0, cmp.Or(sel.MaxTokens, lim.MaxTokens)), MaxBytes: min(cmp.Or(sel.MaxBytes, lim.MaxOutputBytes), lim.MaxOutputBytes),
		MaxPixels: lim.MaxPixels, MaxSide: lim.MaxSide, MaxFrames: lim.MaxFrames, MaxTotalPixels: lim.MaxTotalPixels,
	}
	switch {
	case sel.MaxBytes < 0:
		return req, invalid("the byte budget is negative", "Leave it at 0 for the default.")
	case !req.Form.Valid():
		return req, invalid("there is no such form", "Forms are auto, text, image and source.")
	case len(sel.Password) > maxPassword:
		return req, invalid("the password is too long", "")
	case sel.Cursor != "" && (len(sel.Units) > 0 || len(sel.Child) > 0):
		return req, invalid("a cursor and a selection were given", "A cursor carries its selection; give one of the two.")
	}
	return req, readapi.CheckChild(sel.Child)
}

// resume is req from where the cursor of sel says.
func resume(ctx context.Context, req readapi.Request, sel readapi.Selection, digest *digesting) (asked, error) {
	c, err := parseCursor(sel.Cursor)
	if err != nil {
		return asked{}, err
	}
	if sel.Form != "" && sel.Form != c.form {
		return asked{}, invalid("the cursor is for the form "+string(c.form), "Leave the form out or start again without the cursor.")
	}
	sum, err := digest.wait(ctx)
	if err != nil {
		return asked{}, err
	}
	if digestKey(sum) != c.blob {
		return asked{}, c.foreign()
	}
	req.Form, req.Units, req.Child, req.Start = c.form, c.units, c.child, c.next
	return asked{req, &c}, nil
}

// decode asks the accepted decoders in order, within what is left of the read's budget of work. Only a refusal of the bytes goes on to the
// next; the first refusal is what the caller hears when nobody can read them, for it comes from what the file most likely is. A decoder
// that went away meanwhile is as if it had not been there.
func (r *Reader) decode(ctx context.Context, j job) (readapi.Result, accepted, error) {
	var first error
	req := j.req
	for _, a := range j.able {
		lim, err := j.left()
		if err != nil {
			first = cmp.Or(first, err)
			break
		}
		req.MediaType = a.mediaType
		res, err := r.decoders.Decode(ctx, a.decoder, readapi.Decoding{
			Input: j.Input, Request: req, Limits: lim, Party: j.Party, SHA256: func() string {
				sum, _ := j.digest.wait(ctx)
				return sum
			},
		})
		j.spend(res.Usage)
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
	return readapi.Result{}, accepted{}, j.advised(first)
}

// left are the limits of what is decoded next: fuel is the whole read's.
func (j *job) left() (readapi.Limits, error) {
	lim := j.lim
	if lim.Fuel -= j.spent.Fuel; lim.Fuel <= 0 { // 0 would be the default
		return lim, &readapi.Error{Code: readapi.CodeLimitFuel, Limit: &readapi.LimitHit{Name: "fuel", Value: j.lim.Fuel, Actual: j.spent.Fuel}}
	}
	return lim, nil
}

// spend counts what was decoded for the read.
func (j *job) spend(u readapi.Usage) {
	j.spent.Fuel += u.Fuel
	j.spent.MemoryBytes = max(j.spent.MemoryBytes, u.MemoryBytes)
}

// advised says in an error of a decoder what to do about it, where only the host knows.
func (j *job) advised(err error) error {
	e, ok := errors.AsType[*readapi.Error](err)
	fuel := ok && e.Code == readapi.CodeLimitFuel && e.Limit != nil && e.Limit.Name == "fuel"
	if !fuel && (!ok || e.Code != readapi.CodeEncrypted || e.Hint != "") {
		return withUnits(err)
	}
	c := *e
	switch {
	case fuel: // the decoder was told what was left
		c.Limit = &readapi.LimitHit{Name: "fuel", Value: j.lim.Fuel, Actual: max(j.spent.Fuel, e.Limit.Actual)}
	case j.req.Password != "":
		c.Hint = "The password that was given does not open it."
	case j.from != nil:
		c.Hint = "A cursor does not carry the password: give it again."
	default:
		c.Hint = "Give the password that opens it."
	}
	return &c
}

// withUnits says in the error for a unit that is not there what to ask for instead.
func withUnits(err error) error {
	e, ok := errors.AsType[*readapi.Error](err)
	if !ok || e.Code != readapi.CodeInvalidRequest || e.Limit == nil || e.Limit.Name != "units" || e.Hint != "" {
		return err
	}
	c := *e
	switch {
	case e.Limit.Value == 1:
		c.Hint = "It has one: leave the selection out."
	case e.Limit.Value > 1:
		c.Hint = "Ask for units up to " + strconv.FormatInt(e.Limit.Value, 10) + `; "2-" is everything from the second on.`
	}
	return &c
}
