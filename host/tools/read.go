package tools

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	maxURI    = 1024     // characters of an address; none is longer, and what is longer is refused before it is looked at
	maxCursor = 16 << 10 // characters of a cursor
	maxUnits  = 8 << 10  // characters of a selection of units
	maxChild  = 64       // characters of the path of a file inside the file
)

// labelTokens is what the label around an answer takes at most: its lines of ours, and the name of a file, escaped.
const labelTokens = 400

// read runs read_attachment.
func (s *Set) read(ctx context.Context, raw json.RawMessage) (*Result, error) {
	a := parseArgs(raw, "", "uri", "units", "cursor", "child", "form", "max_tokens")
	uri := a.required("uri", maxURI)
	units, child := a.text("units", maxUnits), a.text("child", maxChild)
	sel := readapi.Selection{Cursor: a.text("cursor", maxCursor), Form: readapi.Form(a.choice("form", forms...))}
	most := a.integer("max_tokens", s.least(), s.opts.MaxTokens, s.opts.MaxTokens)
	if a.err != nil {
		return nil, a.err
	}
	if units != "" {
		var err error
		if sel.Units, err = readapi.ParseUnits(units); err != nil {
			return nil, err
		}
	}
	if child != "" {
		var err error
		if sel.Child, err = readapi.ParseChild(child); err != nil {
			return nil, err
		}
	}
	doc, text, err := s.within(ctx, uri, sel, most, labelled(sel.Cursor == "", most))
	if err != nil {
		return nil, err
	}
	structured, err := structure(doc)
	if err != nil {
		return nil, err
	}
	return &Result{Text: text, Images: pictures(doc), Structured: structured}, nil
}

// Content is a part of a file as it stands, for whoever shows it under a heading of their own: the resources of the MCP door.
type Content struct {
	Document *readapi.Document
	Text     string // of all parts that are text or data; units are set off by a line, hidden characters are escaped
	Images   []readapi.Image
}

// Content returns what read_attachment returns, without the label: as much as the budget holds of the file at uri, from its start or from
// the cursor of a former answer. Errors as for Call.
func (s *Set) Content(ctx context.Context, uri, cursor string) (*Content, error) {
	if s.invalid != nil {
		return nil, readapi.AsError("tools.Content", s.invalid)
	}
	doc, text, err := s.within(ctx, uri, readapi.Selection{Cursor: cursor}, s.opts.MaxTokens, plain)
	if err != nil {
		return nil, readapi.AsError("tools.Content", err)
	}
	return &Content{Document: doc, Text: text, Images: pictures(doc)}, nil
}

// tries is how often an answer is made smaller. A file of very many tiny units, whose markers outweigh them, takes two.
const tries = 4

// within reads as much of sel as gives a text, laid out by layout, of at most so many tokens together with its pictures. A decoder counts
// the content alone, so what the layout adds is found by laying it out.
func (s *Set) within(ctx context.Context, uri string, sel readapi.Selection, most int64, layout func(*readapi.Document) string) (*readapi.Document, string, error) {
	var actual int64
	sel.MaxTokens, sel.Words = max(most-labelTokens, most/2, 1), true
	for range tries {
		doc, err := s.session.Read(ctx, uri, sel, nil)
		if err != nil {
			return nil, "", withoutPassword(err)
		}
		reveal(doc)
		text := layout(doc)
		images, cost := imageTokens(doc)
		tokens := readapi.EstimateTokens(text)
		actual = tokens + cost
		if actual <= most || tokens <= most && images == 1 { // one picture cannot be made smaller
			return doc, text, nil
		}
		content := min(sel.MaxTokens, max(doc.Usage.EstTokens, 1))
		sel.MaxTokens = max(1, content*most/actual*9/10)
	}
	return nil, "", overBudget(most, actual, "Ask for fewer units, or for a larger max_tokens.")
}

// withoutPassword tells a model of an encrypted file what can be done here: the host would have it give a password, for which there is no
// argument.
func withoutPassword(err error) error {
	e, ok := errors.AsType[*readapi.Error](err)
	if !ok || e.Code != readapi.CodeEncrypted {
		return err
	}
	c := *e
	c.Hint = "No tool takes a password: ask for a copy that opens without one."
	return &c
}

// reveal escapes in place what hides in the texts of doc. The host has done so unless a cursor asked for the text as it stands, which is
// not for a model.
func reveal(doc *readapi.Document) {
	for i := range doc.Parts {
		doc.Parts[i].Text, _ = readapi.Escape(doc.Parts[i].Text)
	}
}

func pictures(doc *readapi.Document) (out []readapi.Image) {
	for _, p := range doc.Parts {
		if p.Type == readapi.PartImage && p.Image != nil {
			out = append(out, *p.Image)
		}
	}
	return out
}

// imageTokens is how many pictures doc has and what they cost.
func imageTokens(doc *readapi.Document) (images int, cost int64) {
	for _, p := range doc.Parts {
		if p.Type == readapi.PartImage && p.Image != nil {
			images++
			cost += p.EstTokens
		}
	}
	return images, cost
}

// pictureJSON stands for a picture in the structured answer: its bytes are Result.Images[Image-1].
type pictureJSON struct {
	Type      readapi.PartType  `json:"type"`
	Unit      readapi.Unit      `json:"unit,omitempty"`
	At        int64             `json:"at"`
	MediaType readapi.MediaType `json:"media_type"`
	Width     int               `json:"width"`
	Height    int               `json:"height"`
	EstTokens int64             `json:"est_tokens,omitempty"`
	Image     int               `json:"image"`
}

// structure is the JSON of doc without the bytes of pictures.
func structure(doc *readapi.Document) (json.RawMessage, error) {
	parts := []any{}
	n := 0
	for _, p := range doc.Parts {
		if p.Type != readapi.PartImage || p.Image == nil {
			parts = append(parts, p)
			continue
		}
		n++
		parts = append(parts, pictureJSON{p.Type, p.Unit, p.At, p.Image.MediaType, p.Image.Width, p.Image.Height, p.EstTokens, n})
	}
	bare := *doc
	bare.Parts = nil
	b, err := json.Marshal(bare)
	if err != nil {
		return nil, err
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, err
	}
	if m["parts"], err = json.Marshal(parts); err != nil {
		return nil, err
	}
	return json.Marshal(m)
}
