package text

import (
	"errors"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/html"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// pages shows HTML as what a person sees of it.
var pages = renderer{render: renderHTML, file: fileHTML}

// renderHTML shows a page as its visible text.
func renderHTML(p *page) error {
	src, err := p.source()
	if err != nil {
		return err
	}
	found, err := html.Render(src.next, html.Output{Write: p.write, Data: p.data, Table: p.table}, html.Options{ShowHidden: p.req.Unescaped})
	if errors.Is(err, html.ErrDepth) {
		return pdk.OverLimit(readapi.CodeLimitDepth, "max_open_elements", html.MaxOpen, html.MaxOpen+1)
	}
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	facts := map[string]any{"links": found.Links}
	for _, f := range [...]struct{ key, value string }{
		{"title", found.Title}, {"language", found.Language}, {"description", found.Description}, {"author", found.Author}, {"base", found.Base},
	} {
		if f.value != "" {
			facts[f.key] = f.value
		}
	}
	if n := found.HiddenCharacters(); n > 0 {
		facts["hidden_characters"] = n
		if err := p.w.Warn(readapi.WarnHiddenText, found.HiddenDetail(), 0); err != nil {
			return err
		}
	}
	if found.LinksCut {
		if err := p.w.Warn(readapi.WarnPartial, "there are more links than are listed", 0); err != nil {
			return err
		}
	}
	p.meta(facts)
	for i, c := range found.Pictures {
		if err := p.w.Child(pictureChild(i+1, c)); err != nil {
			return err
		}
	}
	return err
}

// pictureChild is a picture inside a page as a file inside it.
func pictureChild(n int, c html.Picture) readapi.Child {
	return readapi.Child{N: n, Name: readapi.FileName(c.Name), MediaType: readapi.MediaType(c.MediaType), Bytes: c.Bytes}
}

// fileHTML hands on a picture that stands in a page.
func fileHTML(p *page, n int) error {
	src, err := p.source()
	if err != nil {
		return err
	}
	nothing := html.Output{Write: func([]byte) error { return nil }}
	found, err := html.Render(src.next, nothing, html.Options{Picture: n})
	if err != nil {
		return err
	}
	if n < 1 || n > len(found.Pictures) {
		return pdk.Invalid("the page has " + counted(int64(len(found.Pictures)), "picture", "pictures") + " inside, and this is none of them")
	}
	return p.w.File(0, pictureChild(n, found.Pictures[n-1]), found.Picture)
}
