package host

import (
	"bytes"
	"cmp"
	"encoding/json"
	"image"
	_ "image/jpeg" // what leaves is PNG or JPEG
	_ "image/png"
	"strconv"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/host/sniff"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// buildDocument checks what a decoder let out and makes the answer of it. The protocol was checked already; this checks what the host
// promises: UTF-8, budgets, pictures that are what they claim, nothing hidden unless it was asked for.
func buildDocument(f File, req readapi.Request, lim readapi.Limits, what sniff.Result, used accepted, res readapi.Result) (*readapi.Document, error) {
	doc := &readapi.Document{
		Name: readapi.EscapeLine(f.Name), MediaType: used.mediaType, Kind: readapi.KindOf(used.mediaType, f.Name), Bytes: f.Input.Size(),
		Unit: res.Unit, Total: res.Total, AtLeast: res.AtLeast, Covers: res.Covers, Parts: res.Parts, Children: res.Children,
		Warnings: res.Warnings, Decoder: res.Decoder, Usage: res.Usage,
	}
	doc.Meta, _ = escapeMeta(res.Meta, 0).(map[string]any)
	var hidden int
	var bytesOut int64
	cost := req.Fit().Cost
	for i := range doc.Parts {
		p := &doc.Parts[i]
		p.Unit = res.Unit
		n, h, err := checkPart(p, req)
		if err != nil {
			return nil, err
		}
		bytesOut += n
		hidden += h
		p.EstTokens = partTokens(p, cost)
		doc.Usage.EstTokens += p.EstTokens
		doc.Truncated = doc.Truncated || p.Truncated
	}
	if err := checkBudget(req, lim, bytesOut, doc.Usage.EstTokens); err != nil {
		return nil, err
	}
	if res.Next != nil && !behind(*res.Next, req.Start) {
		return nil, badOutput("an answer that does not go on") // whoever walks it would not come to an end
	}
	for i := range doc.Children {
		c := &doc.Children[i]
		c.Name = readapi.EscapeLine(c.Name)
		if m, ok := readapi.ParseMediaType(string(c.MediaType)); ok {
			c.MediaType = m
		} else {
			c.MediaType = readapi.OctetStream
		}
	}
	for i := range doc.Warnings {
		w := &doc.Warnings[i]
		w.Code, w.Detail = readapi.EscapeLine(w.Code), readapi.EscapeLine(w.Detail)
	}
	doc.Warnings = append(doc.Warnings, hostWarnings(what, used, hidden)...)
	return doc, nil
}

// behind reports whether p lies behind start; the zero start is the first unit's.
func behind(p, start readapi.Position) bool {
	start.At = max(1, start.At)
	return cmp.Or(cmp.Compare(p.At, start.At), cmp.Compare(p.Part, start.Part), cmp.Compare(p.Offset, start.Offset)) > 0
}

// hostWarnings says what the host itself noticed.
func hostWarnings(what sniff.Result, used accepted, hidden int) (out []readapi.Warning) {
	if what.Mismatch || used.mediaType != what.MediaType {
		detail := "the content is " + string(used.mediaType)
		if what.Declared != "" {
			detail = "declared as " + readapi.EscapeLine(string(what.Declared)) + ", " + detail
		}
		out = append(out, readapi.Warning{Code: readapi.WarnDeclaredType, Detail: detail})
	}
	if hidden > 0 {
		out = append(out, readapi.Warning{Code: readapi.WarnHiddenText, Detail: strconv.Itoa(hidden) + " hidden characters are shown escaped"})
	}
	return out
}

// checkPart checks one part in place, escapes its text unless the request wants it raw, and says how many bytes it carries and how many
// characters it hid.
func checkPart(p *readapi.Part, req readapi.Request) (n int64, hidden int, err error) {
	switch p.Type {
	case readapi.PartText:
		if !utf8.ValidString(p.Text) {
			return n, 0, badOutput("text that is not UTF-8")
		}
		if req.Form != readapi.FormSource && !req.Unescaped {
			p.Text, hidden = readapi.Escape(p.Text)
		}
		n = int64(len(p.Text))
	case readapi.PartData:
		if !req.Unescaped {
			p.Data, err = escapeData(p.Data)
		}
		n = int64(len(p.Data))
	case readapi.PartImage:
		n = int64(len(p.Image.Bytes))
		cfg, format, err := image.DecodeConfig(bytes.NewReader(p.Image.Bytes))
		if err != nil || "image/"+format != string(p.Image.MediaType) || cfg.Width != p.Image.Width || cfg.Height != p.Image.Height {
			return n, 0, badOutput("a picture that is not what it claims")
		}
		switch {
		case int64(max(cfg.Width, cfg.Height)) > req.MaxSide:
			return n, 0, badOutput("a picture larger than was allowed")
		case !req.TakesImage(p.Image.MediaType):
			return n, 0, badOutput("a picture of a type that was not asked for")
		case req.MaxImageBytes > 0 && n > req.MaxImageBytes:
			return n, 0, &readapi.Error{Code: readapi.CodeLimitOutput, Limit: &readapi.LimitHit{Name: "max_image_bytes", Value: req.MaxImageBytes, Actual: n}}
		case !req.Fit().Fits(int64(cfg.Width), int64(cfg.Height)):
			return n, 0, badOutput("a picture that does not fit the size that was asked for")
		}
	}
	return n, hidden, err
}

// escapeData escapes the strings of a structured part; numbers keep their digits.
func escapeData(b json.RawMessage) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, badOutput("structured data that is not JSON")
	}
	return json.Marshal(escapeMeta(v, 0))
}

func partTokens(p *readapi.Part, cost readapi.ImageCost) int64 {
	switch p.Type {
	case readapi.PartImage:
		return cost.Tokens(int64(p.Image.Width), int64(p.Image.Height))
	case readapi.PartData:
		return readapi.EstimateTokens(string(p.Data))
	}
	return readapi.EstimateTokens(p.Text)
}

// checkBudget refuses an answer that went over what was asked. A decoder may count roughly, so a little slack is not its fault; one unit
// that cannot be split (a picture, a table) may exceed the token budget alone.
func checkBudget(req readapi.Request, lim readapi.Limits, bytesOut, tokens int64) error {
	if bytesOut > lim.MaxOutputBytes {
		return &readapi.Error{Code: readapi.CodeLimitOutput, Limit: &readapi.LimitHit{Name: "max_output_bytes", Value: lim.MaxOutputBytes, Actual: bytesOut}}
	}
	const unsplittable = 64 << 10                                     // tokens
	if req.MaxTokens > 0 && (tokens-unsplittable)/2 > req.MaxTokens { // so that no limit overflows
		return badOutput("more text than the budget allows")
	}
	return nil
}

// maxMetaDepth bounds the nesting of meta values that leave.
const maxMetaDepth = 8

// escapeMeta escapes every string of a meta value and drops what is nested too deeply. The file's own strings are in there.
func escapeMeta(v any, depth int) any {
	switch v := v.(type) {
	case string:
		s, _ := readapi.Escape(v)
		return s
	case map[string]any:
		if depth == maxMetaDepth {
			return nil
		}
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[readapi.EscapeLine(k)] = escapeMeta(e, depth+1)
		}
		return out
	case []any:
		if depth == maxMetaDepth {
			return nil
		}
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = escapeMeta(e, depth+1)
		}
		return out
	}
	return v
}

func badOutput(detail string) error {
	return &readapi.Error{Code: readapi.CodeBadOutput, Detail: detail}
}
