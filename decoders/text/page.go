package text

import (
	"errors"
	"maps"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// renderer shows files of one media type as what they say rather than as they stand, in the forms auto and text.
type renderer struct {
	// render writes the text of the whole file to p, from its beginning, whatever was asked for: p knows which lines leave. It returns
	// errPlain, before it has written anything, when the file is not what its media type says: it is then shown as it stands. Any other
	// error is returned as it is.
	render func(p *page) error

	// file hands on the nth file inside the file, from 1; nil where there are none.
	file func(p *page, n int) error
}

// rendererOf returns how files of a media type are shown; ok is false for those that are shown as they stand.
func rendererOf(mt readapi.MediaType) (r renderer, ok bool) {
	switch mt {
	case "text/html":
		return pages, true
	case "application/json":
		return jsonTexts, true
	case "application/x-ndjson":
		return jsonLines, true
	case "application/xml", "image/svg+xml":
		return xmlTexts, true
	case "text/markdown":
		return markdowns, true
	case "text/calendar":
		return calendars, true
	case "text/vcard":
		return cards, true
	case "text/csv":
		return commaTables, true
	case "text/tab-separated-values":
		return tabTables, true
	case "message/rfc822":
		return mails, true
	case "application/rtf":
		return rtfs, true
	case "application/x-ipynb+json":
		return notebooks, true
	case "application/mbox":
		return mailboxes, true
	}
	return renderer{}, false
}

// errPlain is returned by a renderer for a file that is not what its media type says.
var errPlain = errors.New("text: shown as it stands")

// errEnough is returned to a renderer when nothing more of its text is wanted and counting the rest is not worth the work. It returns it.
var errEnough = errors.New("text: enough")

// page is an answer in the making of a file that is rendered. The unit is the line of what is rendered.
type page struct {
	in    readapi.Input
	req   *readapi.Request
	w     *pdk.Writer
	lines *lines
	facts map[string]any
	src   *source // when source was called
}

func newPage(in readapi.Input, req *readapi.Request, w *pdk.Writer) *page {
	return &page{in: in, req: req, w: w, lines: newLines(req, w), facts: map[string]any{}}
}

// source gives the file as UTF-8, piece by piece. What it finds about the charset goes into meta.
func (p *page) source() (*source, error) {
	src, err := open(p.in, true)
	p.src = src
	return src, err
}

// write adds text, which is valid UTF-8.
func (p *page) write(text []byte) error {
	if err := p.lines.feed(text); err != nil {
		return err
	}
	if p.lines.done && p.in.Size() > scanBytes {
		return errEnough
	}
	return nil
}

// data adds a structured part behind the line that was finished last, in the answer that has that line.
func (p *page) data(value any) error {
	if !p.lines.wantedLast() {
		return nil
	}
	return p.ended(p.w.Data(p.lines.count, value))
}

// table is data for what stands in the lines too, which a reader of words does without.
func (p *page) table(value any) error {
	if !p.lines.wantedLast() {
		return nil
	}
	return p.ended(p.w.Table(p.lines.count, value))
}

// ended notes that the answer has no room for more, where that is what err says.
func (p *page) ended(err error) error {
	if errors.Is(err, pdk.ErrFull) {
		p.lines.done, p.lines.full = true, true
		return nil
	}
	return err
}

// meta notes facts about the file.
func (p *page) meta(facts map[string]any) { maps.Copy(p.facts, facts) }

// show renders the file; false means that it is to be shown as it stands.
func (p *page) show(r renderer) (shown bool, err error) {
	err = r.render(p)
	whole := true
	switch {
	case errors.Is(err, errPlain):
		return false, nil
	case errors.Is(err, errEnough):
		whole = false
	case err != nil:
		return true, err
	}
	if whole {
		if err := p.lines.finish(); err != nil {
			return true, err
		}
		if err := p.w.CheckUnits(p.lines.count); err != nil {
			return true, err
		}
	}
	if err := p.w.Meta(p.facts); err != nil {
		return true, err
	}
	if p.src == nil { // the renderer decoded it by its own rules
		p.src = &source{in: p.in, charset: charset.Charset{Label: "utf-8", Source: charset.SourceUTF8, Percent: 100}}
	}
	return true, report(p.src, p.lines, p.w, whole)
}
