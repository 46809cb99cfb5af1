package pdf

import (
	_ "embed"
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

//go:embed sample.pdf
var sample []byte

// Decoder reads PDF.
var Decoder = pdk.Decoder{
	Name:       "pdf",
	Version:    "0.1.0",
	MediaTypes: []readapi.MediaType{"application/pdf"},
	Unit:       readapi.UnitPage,
	Forms:      []readapi.Form{readapi.FormText},
	Samples:    []pdk.Sample{{MediaType: "application/pdf", Data: sample}},
	Decode:     decode,
}

// decode emits one text part for each selected page, an empty one for a page without text.
func decode(in readapi.Input, req *readapi.Request, w *pdk.Writer) (err error) {
	var current, emitted int64
	defer func() {
		switch x := recover().(type) {
		case nil:
		case object.Stop:
			if err = x.Err; emitted > 0 { // the budget is one answer's: the next one goes on with a new one
				err = w.Stop(current)
			}
		default:
			err = pdk.Malformed("its structure cannot be followed")
		}
	}()
	if len(req.Child) > 0 {
		return pdk.Invalid("this decoder lists no files inside a PDF")
	}
	d, err := openDocument(in, req.Password)
	if err != nil {
		return err
	}
	if err := w.Meta(d.meta()); err != nil {
		return err
	}
	if missing := d.incomplete(); missing != "" {
		if err := w.Warn(readapi.WarnPartial, missing, 0); err != nil {
			return err
		}
	}
	for at := range w.Units(int64(d.total)) {
		current = at
		p := d.read(d.page(int(at)))
		if err := w.Text(at, p.text); err != nil {
			return err
		}
		emitted++
		if err := p.warn(w, at); err != nil {
			return err
		}
	}
	return nil
}

// warn emits the warnings of a page that was emitted whole.
func (p *pageText) warn(w *pdk.Writer, at int64) error {
	if p.partial != "" {
		if err := w.Warn(readapi.WarnPartial, p.partial, at); err != nil {
			return err
		}
	}
	if strings.TrimSpace(p.text) == "" {
		if err := w.Warn(readapi.WarnNoTextLayer, "the page has no text of its own", at); err != nil {
			return err
		}
	}
	if p.lowConfidence {
		return w.Warn(readapi.WarnLowConfidence, "the fonts do not say what many of the characters are", at)
	}
	return nil
}
