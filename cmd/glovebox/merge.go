package main

import (
	"errors"
	"slices"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// whole puts the answers of doc, which --all has read one behind the other, into one Document: the parts joined where an answer ended
// inside a unit, the warnings of all, and the usage summed. An error behind the first answer is the error of the whole, because a
// document that says nothing of what is missing would be taken for all there is.
func whole(doc *glovebox.Document) (*readapi.Document, error) {
	var out *readapi.Document
	for next, err := range doc.Answers() {
		switch {
		case err != nil && out != nil:
			return nil, laterError(err)
		case err != nil:
			return nil, err
		case out == nil:
			first := *next
			out = &first
		default:
			appendAnswer(out, next)
		}
	}
	return out, nil
}

// laterError tells that what comes before the error can be had.
func laterError(err error) error {
	e, ok := errors.AsType[*readapi.Error](err)
	if !ok || e.Hint != "" {
		return err
	}
	c := *e
	c.Hint = "What comes before can be read without --all."
	return &c
}

// appendAnswer adds to doc the answer that continues it.
func appendAnswer(doc, next *readapi.Document) {
	parts := next.Parts
	if n := len(doc.Parts); n > 0 && len(parts) > 0 {
		last, first := &doc.Parts[n-1], parts[0]
		if last.Truncated && first.Offset > 0 && last.Type == readapi.PartText && first.Type == readapi.PartText {
			last.Text += first.Text
			last.Truncated = first.Truncated
			parts = parts[1:]
		}
	}
	doc.Parts = append(doc.Parts, parts...)
	doc.Warnings = appendNew(doc.Warnings, next.Warnings)
	if doc.Covers.From == 0 {
		doc.Covers.From = next.Covers.From
	}
	if next.Covers.To != 0 {
		doc.Covers.To = next.Covers.To
	}
	for k, v := range next.Meta {
		if _, ok := doc.Meta[k]; !ok && doc.Meta != nil {
			doc.Meta[k] = v
		}
	}
	doc.Total, doc.AtLeast, doc.Next = next.Total, next.AtLeast, next.Next
	doc.Truncated = slices.ContainsFunc(doc.Parts, func(p readapi.Part) bool { return p.Truncated })
	doc.Usage.Fuel += next.Usage.Fuel
	doc.Usage.WallMS += next.Usage.WallMS
	doc.Usage.EstTokens += next.Usage.EstTokens
	doc.Usage.MemoryBytes = max(doc.Usage.MemoryBytes, next.Usage.MemoryBytes)
	doc.Usage.Cached = doc.Usage.Cached && next.Usage.Cached
}

// appendNew adds the warnings that are not there yet: what is true of the whole file comes with every answer.
func appendNew(all, more []readapi.Warning) []readapi.Warning {
	seen := make(map[readapi.Warning]bool, len(all))
	for _, w := range all {
		seen[w] = true
	}
	for _, w := range more {
		if !seen[w] {
			seen[w] = true
			all = append(all, w)
		}
	}
	return all
}
