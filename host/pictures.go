package host

import (
	"context"
	"errors"
	"slices"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// gathering puts an answer together of a decoder's parts and of the pictures that it handed on in place of others.
type gathering struct {
	req    readapi.Request
	cost   readapi.ImageCost
	parts  []readapi.Part
	warned []readapi.Warning
	bytes  int64 // of parts
	tokens int64 // of parts
	done   int   // pictures that were read, or failed
	first  error // of those that failed

	at   int64 // the unit of the last part or picture
	part int64 // how many of that unit there were, those of former answers included
}

// pictures reads the pictures of units that the decoder of j handed on, and puts what comes of each in its place. The answer ends before
// one that does not fit any more. One that cannot be read is a warning, or the error of a read of which nothing else comes.
func (r *Reader) pictures(ctx context.Context, j job, res *readapi.Result) error {
	if len(res.Files) == 0 && !slices.ContainsFunc(res.Parts, func(p readapi.Part) bool { return oversize(p, &j.req) }) {
		return nil
	}
	g := &gathering{req: j.req, cost: j.req.Fit().Cost, at: j.req.Start.At, part: j.req.Start.Part}
	before := 0
	for _, f := range res.Files {
		if j.req.Form != readapi.FormImage || f.At < 1 || f.Before < before || f.Before > len(res.Parts) {
			return badOutput("a picture that is out of place")
		}
		if ended, err := g.take(ctx, r, j, res, res.Parts[before:f.Before]); ended || err != nil {
			return err
		}
		before = f.Before
		ended, err := g.picture(ctx, r, j, f)
		if err != nil {
			return err
		}
		if ended {
			g.end(res, f.At)
			return nil
		}
	}
	if ended, err := g.take(ctx, r, j, res, res.Parts[before:]); ended || err != nil {
		return err
	}
	if g.first != nil && len(g.parts) == 0 && res.Next == nil && j.req.Start.At == 0 {
		return g.first
	}
	g.finish(res)
	return nil
}

// take adds parts of the decoder's own; ended says that the answer ended before one of them.
func (g *gathering) take(ctx context.Context, r *Reader, j job, res *readapi.Result, parts []readapi.Part) (ended bool, err error) {
	for _, p := range parts {
		if !oversize(p, &j.req) {
			g.add(p)
			continue
		}
		f := readapi.File{At: p.At, Child: readapi.Child{MediaType: p.Image.MediaType}, Bytes: p.Image.Bytes}
		if in := r.inner(j, f); r.admit(&in) != nil { // nobody can: it is refused as it stands
			g.add(p)
			continue
		}
		if ended, err = g.picture(ctx, r, j, f); ended {
			g.end(res, p.At)
		}
		if ended || err != nil {
			return ended, err
		}
	}
	return false, nil
}

// oversize reports whether p is a picture that is not as the request wants pictures. A decoder that does not scale them, or knows nothing of
// profiles, gives such: it is read once more, as a file, by the decoder that does.
func oversize(p readapi.Part, req *readapi.Request) bool {
	m := p.Image
	return p.Type == readapi.PartImage && m != nil && (!req.TakesImage(m.MediaType) ||
		req.MaxImageBytes > 0 && int64(len(m.Bytes)) > req.MaxImageBytes || !req.Fit().Fits(int64(m.Width), int64(m.Height)))
}

// add adds a part.
func (g *gathering) add(p readapi.Part) {
	g.count(p.At)
	g.bytes += partBytes(p)
	g.tokens += partTokens(&p, g.cost)
	g.parts = append(g.parts, p)
}

func partBytes(p readapi.Part) int64 {
	n := len(p.Text) + len(p.Data)
	if p.Image != nil {
		n += len(p.Image.Bytes)
	}
	return int64(n)
}

// count counts a part or picture of unit at.
func (g *gathering) count(at int64) {
	if at != g.at {
		g.at, g.part = at, 0
	}
	g.part++
}

// picture reads f and adds what comes of it; ended says that the answer ends before it.
func (g *gathering) picture(ctx context.Context, r *Reader, j job, f readapi.File) (ended bool, err error) {
	something := len(g.parts) > 0 || g.done > 0
	if something && int64(g.done) >= j.req.MaxFrames {
		return true, nil
	}
	parts, warnings, err := r.picture(ctx, j, f)
	var size, tokens int64
	for _, p := range parts {
		size += partBytes(p)
		tokens += partTokens(&p, g.cost)
	}
	switch code := readapi.CodeOf(err); {
	case code == readapi.CodeCorrupt, code == readapi.CodeInternal, code == readapi.CodeCanceled:
		return false, err
	case code == readapi.CodeLimitTime, code == readapi.CodeLimitFuel, code == readapi.CodeBusy: // it may be read by the next answer
		if ctx.Err() != nil || !something {
			return false, err
		}
		return true, nil
	case err != nil:
		g.fail(f.At, err)
	case something && (g.bytes+size > j.req.MaxBytes || j.req.MaxTokens > 0 && g.tokens+tokens > j.req.MaxTokens):
		return true, nil
	}
	g.done++
	g.count(f.At)
	g.bytes += size
	g.tokens += tokens
	g.parts, g.warned = append(g.parts, parts...), append(g.warned, warnings...)
	return false, nil
}

// picture reads one picture of a unit.
func (r *Reader) picture(ctx context.Context, j job, f readapi.File) (parts []readapi.Part, warnings []readapi.Warning, err error) {
	in := r.inner(j, f)
	if in.what.MediaType.Type() != "image" {
		return nil, nil, &readapi.Error{Code: readapi.CodeUnsupportedFeature, Detail: "no picture but " + string(in.what.MediaType)}
	}
	if err := r.admit(&in); err != nil {
		return nil, nil, err
	}
	in.req.Version, in.req.Form, in.req.MaxBytes = 1, readapi.FormImage, j.req.MaxBytes
	in.req = forPictures(in.req, j.req)
	in.req.MaxFrames = 1
	res, _, err := r.decode(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range res.Parts {
		if p.Type != readapi.PartImage {
			continue
		}
		if _, _, err := checkPart(&p, in.req); err != nil {
			return nil, nil, err
		}
		p.At, p.Offset, p.Truncated = f.At, 0, false
		parts = append(parts, p)
	}
	if len(parts) == 0 {
		return nil, nil, badOutput("no picture")
	}
	for _, w := range res.Warnings {
		if w.Code != readapi.WarnMetadataStripped && len(warnings) < mostOfOne {
			w.At = f.At
			warnings = append(warnings, w)
		}
	}
	return parts, warnings, nil
}

// mostOfOne is how many warnings one picture may have.
const mostOfOne = 8

// fail notes that the picture of unit at cannot be read.
func (g *gathering) fail(at int64, err error) {
	if g.first == nil {
		g.first = err
	}
	w := readapi.Warning{Code: readapi.WarnPartial, Detail: "its picture cannot be read: " + string(readapi.CodeOf(err)), At: at}
	switch readapi.CodeOf(err) {
	case readapi.CodeUnsupportedKind, readapi.CodeUnsupportedFeature:
		w.Code = readapi.WarnUnsupportedFilter
	}
	if e, ok := errors.AsType[*readapi.Error](err); ok {
		switch {
		case e.Detail != "":
			w.Detail += ", " + e.Detail
		case e.Limit != nil:
			w.Detail += ", " + e.Limit.String()
		}
	}
	g.warned = append(g.warned, w)
}

// end ends the answer before a picture of unit at, where the next one begins.
func (g *gathering) end(res *readapi.Result, at int64) {
	next := &readapi.Position{At: at}
	if at == g.at {
		next.Part = g.part
	}
	var keep []readapi.Warning
	for _, w := range res.Warnings {
		if w.At < at || w.At == at && next.Part > 0 { // else it comes again
			keep = append(keep, w)
		}
	}
	res.Warnings, res.Next = keep, next
	res.Covers = readapi.Range{}
	g.finish(res)
}

// finish puts what was gathered into res.
func (g *gathering) finish(res *readapi.Result) {
	for _, p := range g.parts {
		cover(&res.Covers, p.At)
	}
	for _, w := range g.warned {
		cover(&res.Covers, w.At)
	}
	res.Parts, res.Files = g.parts, nil
	res.Warnings = append(res.Warnings, g.warned...)
}

// cover makes r hold unit at.
func cover(r *readapi.Range, at int64) {
	if r.From == 0 || at < r.From {
		r.From = at
	}
	r.To = max(r.To, at)
}
