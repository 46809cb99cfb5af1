package image

import (
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Decoder reads pictures. Without a selection of units it answers the first frame of an animation, and every page of a TIFF.
//
// Its meta: format, width, height (as stored), display_width, display_height (upright), orientation, frames, duration_ms and loop (of
// an animation; loop 0 is for ever), has_alpha, bit_depth, color, icc, has_gps, est_tokens (of the first frame in the answer).
var Decoder = pdk.Decoder{
	Name:    "image",
	Version: "0.1.0",
	MediaTypes: []readapi.MediaType{
		"image/png", "image/apng", "image/vnd.mozilla.apng", "image/jpeg", "image/gif", "image/bmp", "image/tiff", "image/webp",
		"image/x-icon", "image/vnd.microsoft.icon", "image/jp2", "image/jpx", "image/x-jp2-codestream",
	},
	Names:   []readapi.MediaType{"image/heif", "image/avif", "image/jxl"},
	Unit:    readapi.UnitFrame,
	Forms:   []readapi.Form{readapi.FormImage},
	Samples: samples(),
	Decode:  decode,
}

func decode(in readapi.Input, req *readapi.Request, w *pdk.Writer) (err error) {
	if len(req.Child) > 0 {
		return pdk.Invalid("a picture holds no files")
	}
	f, err := opened(in)
	if err != nil {
		return err
	}
	if n, ok := f.(*namedFile); ok {
		return n.refusal()
	}
	h := f.head()
	a := answer{file: f, in: in, req: req, w: w, budget: newBudget(req), fit: req.Fit(), terms: termsOf(req)}
	if err := w.Meta(h.meta(a.fit)); err != nil {
		return err
	}
	if h.metadata || h.gps {
		if err := w.Warn(readapi.WarnMetadataStripped, "what the file says beside its pixels is not passed on", 0); err != nil {
			return err
		}
	}
	return a.emit()
}

// opened is open, safe against a panic of ours or of a library on a damaged file.
func opened(in readapi.Input) (f file, err error) {
	defer recovered(&err)
	return open(in)
}

// recovered turns a panic into malformed_input: the libraries' decoders are not free of them, and the file is what made it.
func recovered(err *error) {
	if p := recover(); p != nil {
		pdk.Log(2, "image: panic in a decoder")
		*err = pdk.Malformed("the data breaks the decoder")
	}
}

// meta is what the answer says of the whole file.
func (h *header) meta(fit readapi.Fit) map[string]any {
	dw, dh := h.display()
	m := map[string]any{
		"format": h.format, "width": h.width, "height": h.height, "display_width": dw, "display_height": dh,
		"orientation": h.orientation, "frames": h.frames, "has_alpha": h.alpha, "bit_depth": h.depth, "color": h.color,
		"icc": h.icc, "has_gps": h.gps, "est_tokens": fit.Tokens(dw, dh),
	}
	if h.animated {
		m["duration_ms"], m["loop"] = h.durationMS, h.loop
	}
	return m
}

// answer is one answer in the making.
type answer struct {
	file   file
	in     readapi.Input
	req    *readapi.Request
	w      *pdk.Writer
	budget *budget
	fit    readapi.Fit
	terms  terms

	emitted   int
	passed    int   // frames that cannot be had
	first     error // that the first of them ended with
	flattened bool  // the frame was transparent and is not any more
	idle      bool  // coded data of the frame made no pixel

	profiles profiles
}

// maxPassedOver bounds the frames that an answer leaves out; each is a warning.
const maxPassedOver = 64

func (a *answer) emit() error {
	h := a.file.head()
	if h.animated && len(a.req.Units) == 0 {
		// A moving picture is answered by one frame, and that is all that was asked for: no cursor leads through hundreds of them.
		a.w.Total(h.frames, h.atLeast)
		if err := a.w.CheckUnits(h.frames); err != nil {
			return err
		}
		at, _ := a.w.First()
		return a.one(at)
	}
	for at := range a.w.Units(h.frames) {
		a.w.Total(h.frames, h.atLeast)
		err := a.one(at)
		if a.emitted > 0 && answerFull(err) {
			return a.w.Stop(at)
		}
		switch {
		case a.first != nil && answerFull(err): // every frame so far was damaged: that is why there is none
			return a.first
		case err != nil && !a.passOver(at, err):
			return err
		}
	}
	if a.emitted == 0 && a.req.Start.At == 0 {
		return a.first // nothing that was asked for can be had
	}
	return nil
}

// answerFull reports whether err is a bound on the frames of one answer, which the next answer has for itself.
func answerFull(err error) bool {
	e, ok := asFailure(err)
	return ok && e.Limit != nil && (e.Limit.Name == "max_frames" || e.Limit.Name == "max_total_pixels")
}

// passOver notes that page at cannot be had and reports whether the others are worth reading on: damage to one page, or a variant that is
// not decoded, leaves them as they are. A limit ends the answer, as does the writer.
func (a *answer) passOver(at int64, err error) bool {
	e, ok := asFailure(err)
	if !ok || e.Code != readapi.CodeMalformed && e.Code != readapi.CodeUnsupportedFeature || a.passed == maxPassedOver {
		return false
	}
	a.passed++
	if a.first == nil {
		a.first = err
	}
	return a.w.Warn(readapi.WarnPartial, "this frame cannot be decoded: "+e.Detail, at) == nil
}

// one decodes frame at and emits it.
func (a *answer) one(at int64) error {
	h := a.file.head()
	a.flattened = false
	e, partial, err := a.picture(at)
	if err != nil {
		return h.explain(err)
	}
	if partial == "" {
		if m, b := a.original(a.file, e); b != nil {
			e.mediaType, e.bytes = m, b
		}
	}
	dw, dh := h.display()
	if n := a.fit.Cost.Tokens(int64(e.width), int64(e.height)); a.emitted == 0 && n != a.fit.Tokens(dw, dh) {
		if err := a.w.Meta(map[string]any{"est_tokens": n}); err != nil { // a page of another size, or fewer pixels for fewer bytes
			return err
		}
	}
	if a.flattened {
		if err := a.w.Warn(readapi.WarnAlphaFlattened, "what is transparent was laid on white", at); err != nil {
			return err
		}
	}
	if partial != "" {
		if err := a.w.Warn(readapi.WarnPartial, partial, at); err != nil {
			return err
		}
	}
	a.emitted++
	return a.w.Image(at, e.mediaType, e.width, e.height, e.bytes)
}

// picture returns frame at as it leaves, and what is missing from it.
func (a *answer) picture(at int64) (e encoded, partial string, err error) {
	defer recovered(&err)
	if err := a.budget.next(); err != nil {
		return e, "", err
	}
	before := a.budget.total
	p, err := a.file.frame(at, a.budget)
	if err != nil {
		return e, "", err
	}
	w, h := p.size()
	// A frame of an animation may be one pixel of data, and is a whole screen to scale and encode all the same.
	if decoded := a.budget.total - before; a.emitted > 0 && decoded < product(int64(w), int64(h)) {
		if err := a.budget.spend(product(int64(w), int64(h))-decoded, 1); err != nil {
			return e, "", err
		}
	}
	tw, th := a.size(p.whole())
	lack := lackOf(p)
	to, err := a.toSRGB(&p, at)
	if err != nil {
		return e, "", err
	}
	if a.terms.jpeg && to == nil {
		if e, ok := encodePlanes(p, tw, th, a.terms.maxBytes); ok {
			partial, err = lack()
			a.idle = idle(p)
			return e, partial, err
		}
	}
	m, rows := shrink(p.raster, tw, th)
	if p.partial, err = lack(); err != nil {
		return e, "", err
	}
	a.idle = idle(p)
	switch {
	case rows == 0:
		return e, "", pdk.Malformed("no pixels")
	case rows < th && p.partial == "":
		p.partial = "the pixel data is cut"
	}
	if to != nil {
		to.Pixels(m.pix[:4*tw*rows])
	}
	if !a.terms.png && m.transparent() {
		m.onWhite()
		a.flattened = true
	}
	e, err = encode(upright(m, p.orientation), a.file.head().lossy, a.terms)
	return e, p.partial, err
}

// size is the size at which a picture of w by h pixels leaves.
func (a *answer) size(w, h int64) (tw, th int) {
	fw, fh := a.fit.Size(w, h)
	return int(fw), int(fh)
}
