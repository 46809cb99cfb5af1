package text

import (
	"errors"
	"strconv"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/html"
	"github.com/glovebox-wasm/glovebox/decoders/text/internal/inside"
	"github.com/glovebox-wasm/glovebox/decoders/text/internal/notebook"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// notebooks shows a notebook's cells one behind the other, code and what it gave between fences.
var notebooks = renderer{render: renderNotebook, file: notebookFile}

// scanNotebook reads a notebook for what is true of the whole: its language stands behind the cells.
func scanNotebook(p *page) (*notebook.Info, error) {
	src, err := p.source()
	if err != nil {
		return nil, err
	}
	info, err := notebook.Scan(src.next)
	if errors.Is(err, notebook.ErrNotNotebook) {
		return nil, errPlain
	}
	return info, err
}

func renderNotebook(p *page) error {
	info, err := scanNotebook(p)
	if err != nil {
		return err
	}
	src, err := p.source()
	if err != nil {
		return err
	}
	hidden := int64(0)
	err = notebook.Read(src.next, info, notebook.Sink{
		Text: p.write,
		File: func(n int, f *notebook.File) (string, error) {
			text := "[" + fileKind(f.MediaType) + ": " + f.Name + ", " + inside.Size(f.Bytes) + ", file " + strconv.Itoa(n) + "]"
			return text, p.w.Child(notebookChild(n, f))
		},
		HTML: func(page []byte) ([]byte, int64) {
			text, n := html.Visible(page, html.Options{ShowHidden: p.req.Unescaped})
			hidden += n
			return text, n
		},
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	meta := map[string]any{"cells": info.Cells, "code_cells": info.Code, "outputs": info.Outputs}
	for _, f := range [...][2]string{{"title", info.Title}, {"language", info.Language}, {"kernel", info.Kernel}, {"nbformat", info.Format}} {
		if f[1] != "" {
			meta[f[0]] = f[1]
		}
	}
	p.meta(meta)
	if info.Cut {
		if e := p.w.Warn(readapi.WarnPartial, "a text of the notebook is too long and is cut", 0); e != nil {
			return e
		}
	}
	if hidden > 0 {
		detail := counted(hidden, "character", "characters") + " of outputs that nobody would see are left out"
		if e := p.w.Warn(readapi.WarnHiddenText, detail, 0); e != nil {
			return e
		}
	}
	return err
}

func notebookChild(n int, f *notebook.File) readapi.Child {
	return readapi.Child{N: n, Name: f.Name, MediaType: f.MediaType, Bytes: f.Bytes}
}

// notebookFile hands on a picture or other data.
func notebookFile(p *page, n int) error {
	info, err := scanNotebook(p)
	if errors.Is(err, errPlain) {
		return errNoFile()
	}
	if err != nil {
		return err
	}
	src, err := p.source()
	if err != nil {
		return err
	}
	var found *notebook.File
	err = notebook.Read(src.next, info, notebook.Sink{File: func(at int, f *notebook.File) (string, error) {
		if at != n {
			return "", nil
		}
		found = f
		return "", errFound
	}})
	switch {
	case errors.Is(err, errFound):
		return p.handOn(notebookChild(n, found), func() ([]byte, error) { return found.Data(), nil })
	case err != nil:
		return err
	}
	return errNoFile()
}
