package text

import (
	"errors"
	"strconv"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset"
	"github.com/glovebox-wasm/glovebox/decoders/text/internal/inside"
	"github.com/glovebox-wasm/glovebox/decoders/text/internal/rtf"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// rtfs shows the text of RTF.
var rtfs = renderer{render: renderRTF, file: rtfFile}

func renderRTF(p *page) error {
	raw, err := readRange(p.in, 0, p.in.Size())
	if err != nil {
		return err
	}
	doc, err := rtf.Read(raw, rtf.Sink{
		Hidden: p.req.Unescaped,
		Text:   p.write,
		HTML: func(page []byte) (int64, error) {
			hidden, _, err := p.inner(page, p.write)
			return hidden, err
		},
		Name: func(n int, f *rtf.File) string {
			return "[" + fileKind(f.MediaType) + ": " + f.Name + ", " + inside.Size(f.Bytes) + ", file " + strconv.Itoa(n) + "]"
		},
		Links: func(links []rtf.Link) error {
			var out []any
			for _, l := range links {
				out = append(out, map[string]any{"text": l.Text, "uri": l.URI})
			}
			return p.data(map[string]any{"links": out})
		},
	})
	if errors.Is(err, rtf.ErrNotRTF) {
		return errPlain
	}
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	if e := rtfNotes(p, doc); e != nil {
		return e
	}
	return err
}

// fileKind is what a text calls a file inside.
func fileKind(mt readapi.MediaType) string {
	if mt.Type() == "image" {
		return "image"
	}
	return "file"
}

// rtfNotes tells what is known of a document beside its text.
func rtfNotes(p *page, doc *rtf.Document) error {
	meta := map[string]any{}
	for _, f := range doc.Info {
		key := f.Key
		switch key {
		case "creatim":
			key = "created"
		case "revtim":
			key = "modified"
		case "doccomm":
			key = "comment"
		}
		meta[key] = f.Value
	}
	p.meta(meta)
	p.src = &source{
		in: p.in, charset: charset.Charset{Label: doc.Charset, Source: charset.SourceDeclared, Percent: 100}, replaced: doc.Replaced,
	}
	for i := range doc.Files {
		if err := p.w.Child(rtfChild(doc, i)); err != nil {
			return err
		}
	}
	if doc.Hidden > 0 {
		detail := counted(doc.Hidden, "character", "characters") + " that a reader would not see are left out"
		if err := p.w.Warn(readapi.WarnHiddenText, detail, 0); err != nil {
			return err
		}
	}
	if doc.Damaged {
		return p.w.Warn(readapi.WarnPartial, "the document is damaged or cut off", 0)
	}
	return nil
}

func rtfChild(doc *rtf.Document, i int) readapi.Child {
	f := &doc.Files[i]
	return readapi.Child{N: i + 1, Name: f.Name, MediaType: f.MediaType, Bytes: f.Bytes}
}

// rtfFile hands on a picture or an object.
func rtfFile(p *page, n int) error {
	raw, err := readRange(p.in, 0, p.in.Size())
	if err != nil {
		return err
	}
	doc, err := rtf.Read(raw, rtf.Sink{})
	if errors.Is(err, rtf.ErrNotRTF) || err == nil && (n < 1 || n > len(doc.Files)) {
		return errNoFile()
	}
	if err != nil {
		return err
	}
	return p.handOn(rtfChild(doc, n-1), func() ([]byte, error) { return doc.Files[n-1].Data(), nil })
}
