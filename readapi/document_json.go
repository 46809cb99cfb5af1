//go:build !wasip1

package readapi

import "encoding/json"

// RawJSON is one JSON value as it is written.
type RawJSON = json.RawMessage

// documentJSON carries next as a string or null, which a plain field cannot.
type documentJSON struct {
	plainDocument
	Next *string `json:"next"`
}

type plainDocument Document

// MarshalJSON gives the public shape: lists are never null, next is null at the end.
func (d Document) MarshalJSON() ([]byte, error) {
	w := documentJSON{plainDocument: plainDocument(d)}
	if d.Next != "" {
		w.Next = &d.Next
	}
	if w.Meta == nil {
		w.Meta = map[string]any{}
	}
	if w.Parts == nil {
		w.Parts = []Part{}
	}
	if w.Children == nil {
		w.Children = []Child{}
	}
	if w.Warnings == nil {
		w.Warnings = []Warning{}
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (d *Document) UnmarshalJSON(b []byte) error {
	var w documentJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*d = Document(w.plainDocument)
	if w.Next != nil {
		d.Next = *w.Next
	}
	return nil
}

type partJSON struct {
	Type      PartType        `json:"type"`
	Unit      Unit            `json:"unit,omitempty"`
	At        int64           `json:"at"`
	Offset    int64           `json:"offset,omitempty"`
	Text      *string         `json:"text,omitempty"`
	MediaType MediaType       `json:"media_type,omitempty"`
	Width     int             `json:"width,omitempty"`
	Height    int             `json:"height,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"` // image: base64 string; data: the value itself
	File      string          `json:"file,omitempty"`
	EstTokens int64           `json:"est_tokens,omitempty"`
	Truncated bool            `json:"truncated,omitempty"`
}

// MarshalJSON gives the flat public shape of the API.
func (p Part) MarshalJSON() ([]byte, error) {
	w := partJSON{Type: p.Type, Unit: p.Unit, At: p.At, Offset: p.Offset, EstTokens: p.EstTokens, Truncated: p.Truncated}
	switch p.Type {
	case PartText:
		w.Text = &p.Text
	case PartData:
		w.Data = p.Data
	case PartImage:
		if p.Image == nil {
			break
		}
		w.MediaType, w.Width, w.Height, w.File = p.Image.MediaType, p.Image.Width, p.Image.Height, p.Image.File
		if w.File == "" {
			b, err := json.Marshal(p.Image.Bytes)
			if err != nil {
				return nil, err
			}
			w.Data = b
		}
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Part) UnmarshalJSON(b []byte) error {
	var w partJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*p = Part{Type: w.Type, Unit: w.Unit, At: w.At, Offset: w.Offset, EstTokens: w.EstTokens, Truncated: w.Truncated}
	switch w.Type {
	case PartText:
		if w.Text != nil {
			p.Text = *w.Text
		}
	case PartData:
		p.Data = w.Data
	case PartImage:
		p.Image = &Image{MediaType: w.MediaType, Width: w.Width, Height: w.Height, File: w.File}
		if len(w.Data) > 0 {
			return json.Unmarshal(w.Data, &p.Image.Bytes)
		}
	}
	return nil
}
