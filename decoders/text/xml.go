package text

import (
	"io"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/xml"
)

// xmlTexts shows XML as it stands, drawings in SVG too, and says in meta what it holds. No entity is expanded, nothing is fetched.
var xmlTexts = renderer{render: renderXML}

func renderXML(p *page) error {
	src, err := p.source()
	if err != nil {
		return err
	}
	w := &written{p: p, src: src}
	info, err := xml.Scan(w.next, xml.Keep{Attrs: []string{"width", "height", "viewBox", "xml:lang", "version"}, Texts: []string{"title", "desc"}})
	if err != nil && err != errEnough {
		return err
	}
	facts := map[string]any{}
	for _, f := range [...]struct{ key, value string }{{"root", info.Root}, {"namespace", info.Namespace}, {"doctype", info.Doctype}, {"language", info.Attrs["xml:lang"]}} {
		if f.value != "" {
			facts[f.key] = f.value
		}
	}
	if info.Entities > 0 {
		facts["entities"] = info.Entities
	}
	if len(info.External) > 0 {
		facts["external"] = info.External
	}
	drawing(info, p.req.MediaType == "image/svg+xml", facts)
	if err == nil {
		facts["elements"], facts["depth"] = info.Elements, info.Depth
		facts["well_formed"] = info.Invalid == nil
		if e := info.Invalid; e != nil {
			facts["error"] = map[string]any{"line": e.Line, "column": e.Column, "reason": e.Reason}
			delete(facts, "elements")
			delete(facts, "depth")
		}
		if err = w.rest(); err == io.EOF {
			err = nil
		}
		if err != nil && err != errEnough {
			return err
		}
	}
	p.meta(facts)
	return err
}

// drawing adds what a drawing says of itself: its size as it is written there, and its words.
func drawing(info *xml.Info, svg bool, facts map[string]any) {
	if title := info.Texts["title"]; title != "" {
		facts["title"] = title
	}
	if !svg {
		return
	}
	for _, f := range [...]struct{ key, value string }{
		{"width", info.Attrs["width"]}, {"height", info.Attrs["height"]}, {"view_box", info.Attrs["viewBox"]}, {"description", info.Texts["desc"]},
	} {
		if f.value != "" {
			facts[f.key] = f.value
		}
	}
}
