package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/recall"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const address = readapi.URIPrefix + "a1"

// fake is a session with one file, whose units are these parts.
type fake struct {
	doc    readapi.Document // all of the file; Read cuts it
	found  recall.Answer
	err    error
	reads  []readapi.Selection
	asked  []recall.Request
	stored []host.Message
}

// Read gives as many parts as the budget holds, at least one, from the cursor, which is a number.
func (f *fake) Read(_ context.Context, uri string, sel readapi.Selection, _ *readapi.Limits) (*readapi.Document, error) {
	f.reads = append(f.reads, sel)
	if f.err != nil {
		return nil, f.err
	}
	if uri != address {
		return nil, &readapi.Error{Op: "host.Read", Code: readapi.CodeNotFound}
	}
	first, _ := strconv.Atoi(cmp.Or(sel.Cursor, "0"))
	doc := f.doc
	doc.URI, doc.Parts, doc.Covers = uri, nil, readapi.Range{}
	for i, p := range f.doc.Parts {
		if i < first || !readapi.Selected(sel.Units, p.At) {
			continue
		}
		tokens := readapi.EstimateTokens(p.Text + string(p.Data))
		if p.Image != nil {
			tokens, p.EstTokens = readapi.ImageTokens, readapi.ImageTokens
		}
		if doc.Usage.EstTokens+tokens > sel.MaxTokens && len(doc.Parts) > 0 {
			doc.Next = strconv.Itoa(i)
			break
		}
		doc.Usage.EstTokens += tokens
		doc.Parts = append(doc.Parts, p)
		doc.Covers = readapi.Range{From: doc.Parts[0].At, To: p.At}
	}
	return &doc, nil
}

func (f *fake) Recall(_ context.Context, req recall.Request) (*recall.Answer, error) {
	f.asked = append(f.asked, req)
	return &f.found, f.err
}

func (f *fake) Attach(_ context.Context, m host.Message) (*host.Attached, error) {
	f.stored = append(f.stored, m)
	if f.err != nil {
		return nil, f.err
	}
	a := readapi.Attachment{ID: "a1", Name: m.Files[0].Name, MediaType: "text/plain", Kind: readapi.KindOther, Bytes: 3, Status: readapi.StatusLive, Resource: address}
	return &host.Attached{MessageID: "m1", Attachments: []readapi.Attachment{a}}, nil
}

// pages is a PDF of these pages.
func pages(texts ...string) *fake {
	doc := readapi.Document{
		Name: "report.pdf", MediaType: "application/pdf", Kind: readapi.KindPDF, Bytes: 1234, Unit: readapi.UnitPage, Total: int64(len(texts)),
		SHA256: strings.Repeat("0a", 32), Decoder: readapi.DecoderInfo{Name: "pdf", Version: "1.0", Digest: strings.Repeat("0b", 32)},
	}
	for i, s := range texts {
		doc.Parts = append(doc.Parts, readapi.Part{Type: readapi.PartText, Unit: readapi.UnitPage, At: int64(i + 1), Text: s})
	}
	return &fake{doc: doc}
}

// animation is a picture of n frames.
func animation(n int) *fake {
	f := pages()
	f.doc.MediaType, f.doc.Kind, f.doc.Unit, f.doc.Total = "image/gif", readapi.KindImage, readapi.UnitFrame, int64(n)
	for i := range n {
		f.doc.Parts = append(f.doc.Parts, readapi.Part{
			Type: readapi.PartImage, Unit: readapi.UnitFrame, At: int64(i + 1), Image: &readapi.Image{MediaType: "image/png", Width: 3, Height: 2, Bytes: []byte{byte(i)}},
		})
	}
	return f
}

// object is a JSON object of keys and values in turn.
func object(kv ...any) json.RawMessage {
	m := map[string]any{}
	for i := 0; i < len(kv); i += 2 {
		m[fmt.Sprint(kv[i])] = kv[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return b
}
