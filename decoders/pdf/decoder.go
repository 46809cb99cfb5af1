package pdf

import (
	_ "embed"
	"errors"

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
	Forms:      []readapi.Form{readapi.FormText, readapi.FormImage},
	Children:   true,
	Samples:    []pdk.Sample{{MediaType: "application/pdf", Data: sample}},
	Decode:     decode,
}

// answer is one read of a document.
type answer struct {
	req     *readapi.Request
	w       *pdk.Writer
	d       *document
	current int64 // the page that is read
	emitted int64 // pages that are in the answer
	listed  int   // files inside that are
}

// mostListed is how many files inside one answer lists before it ends ahead of the next page: with those of a page it stays below what the
// protocol takes.
const mostListed = 8000

// decode emits for each selected page its text, which is empty for a page without text, and behind it what is structured of the page:
// tables, links, fields of forms, notes.
func decode(in readapi.Input, req *readapi.Request, w *pdk.Writer) error {
	a := answer{req: req, w: w}
	err := a.run(in)
	full := errors.Is(err, pdk.ErrFull)
	if len(req.Child) > 0 || err != nil && !full {
		return err
	}
	if err := w.Meta(a.d.outcome(full && req.Form != readapi.FormImage)); err != nil {
		return err
	}
	return err
}

// run answers. A panic is the file's fault: it costs the read its rest, or the read where there was nothing before.
func (a *answer) run(in readapi.Input) (err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case object.Stop:
			if err = x.Err; a.emitted > 0 { // the budget is one answer's: the next one goes on with a new one
				err = a.w.Stop(a.current)
			}
		default:
			err = pdk.Malformed("its structure cannot be followed")
		}
	}()
	if a.d, err = openDocument(in, a.req.Password); err != nil {
		return err
	}
	if len(a.req.Child) > 0 {
		return a.d.child(a.req.Child[0], a.req, a.w)
	}
	a.d.unescaped, a.d.words = a.req.Unescaped, a.req.Words
	if err := a.document(); err != nil {
		return err
	}
	if a.req.Form == readapi.FormImage {
		return a.views()
	}
	for at := range a.w.Units(int64(a.d.total)) {
		if a.current = at; a.listed > mostListed || a.d.spent {
			return a.w.Stop(at)
		}
		if err := a.page(); err != nil {
			return err
		}
		a.emitted++
	}
	return nil
}

// document emits what is said of the whole.
func (a *answer) document() error {
	for _, m := range [...]map[string]any{a.d.meta(), a.d.structure(), a.d.features()} { // apart: a frame of them is bounded
		if err := a.w.Meta(m); err != nil {
			return err
		}
	}
	if err := a.children(a.d.files()); err != nil {
		return err
	}
	if missing := a.d.incomplete(); missing != "" {
		if err := a.w.Warn(readapi.WarnPartial, missing, 0); err != nil {
			return err
		}
	}
	if a.d.placeholder() {
		return a.w.Warn(readapi.WarnPartial, onlyXFA, 0)
	}
	return nil
}

// page emits the current page. Everything of it is read before any of it goes out, so that an end of the budget never leaves a page half
// given. What has no budget of its own goes with the text: a later answer that goes on behind it does not say it again.
func (a *answer) page() error {
	a.d.alone = a.emitted == 0
	p := a.d.read(int(a.current), a.d.page(int(a.current)))
	if err := a.w.Text(a.current, p.text); err != nil {
		return err
	}
	if !a.goesOn() {
		if err := errors.Join(a.listPictures(int(a.current)), a.children(p.files)); err != nil {
			return err
		}
		for _, w := range p.warnings {
			if err := a.w.Warn(w.Code, w.Detail, w.At); err != nil {
				return err
			}
		}
	}
	for i, v := range p.data {
		give := a.w.Data
		if i < p.tables {
			give = a.w.Table
		}
		if err := give(a.current, v); err != nil {
			return err
		}
	}
	return nil
}

// children lists files inside the file.
func (a *answer) children(files []insideFile) error {
	for i := range files {
		if err := a.list(files[i].child()); err != nil {
			return err
		}
	}
	return nil
}

func (a *answer) list(c readapi.Child) error {
	a.listed++
	return a.w.Child(c)
}
