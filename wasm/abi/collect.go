//go:build !wasip1

package abi

import (
	"fmt"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// Collector turns the frames of one decode into a Result, host side. It copies what it keeps: a payload may be guest memory.
// The zero value has no byte cap. It is for one goroutine.
type Collector struct {
	MaxBytes     int64 // of payloads together, headers included, without the bytes of files; 0: no cap
	MaxFileBytes int64 // of files inside the file together; 0: none are taken
	Child        bool  // the request names a file inside the file: the answer is that one and nothing else

	res     readapi.Result
	bytes   int64
	files   int64 // bytes of files
	lastAt  int64
	more    bool // the last file goes on
	failure *Failure
	end     *End
	err     error
}

// Add takes one frame. stop means that the collector has enough: the answer is over or beyond repair, and Result says which.
func (c *Collector) Add(kind Kind, payload []byte) (stop bool) {
	if c.err != nil || c.end != nil || c.failure != nil {
		if c.err == nil {
			c.err = badOutput("a frame after the end", nil)
		}
		return true
	}
	f, err := ParseFrame(kind, payload)
	c.bytes += int64(len(payload))
	if _, ok := f.Value.(*File); ok && err == nil {
		c.bytes -= int64(len(f.Body)) // which have a cap of their own
	}
	if c.MaxBytes > 0 && c.bytes > c.MaxBytes {
		c.err = &readapi.Error{Code: readapi.CodeLimitOutput, Limit: &readapi.LimitHit{Name: "max_output_bytes", Value: c.MaxBytes, Actual: c.bytes}}
		return true
	}
	if err != nil {
		c.err = badOutput("a frame that breaks the protocol", err)
		return true
	}
	if err := c.take(f); err != nil {
		c.err = err
	}
	return c.err != nil
}

func (c *Collector) take(f Frame) error {
	if _, ok := f.Value.(*File); c.more && !ok && f.Value != nil && f.Kind != KindError {
		return badOutput("a file that something interrupts", nil)
	}
	switch v := f.Value.(type) {
	case map[string]any:
		if c.res.Meta == nil {
			c.res.Meta = map[string]any{}
		}
		for k, val := range v {
			c.res.Meta[k] = val
		}
		if len(c.res.Meta) > maxMetaKeys {
			return badOutput("too many meta keys", nil)
		}
	case *Part:
		return c.part(f, v)
	case *readapi.Warning:
		if len(c.res.Warnings) == MaxWarnings {
			return badOutput("too many warnings", nil)
		}
		v.Detail = limit(v.Detail)
		c.res.Warnings = append(c.res.Warnings, *v)
	case *readapi.Child:
		if len(c.res.Children) == maxChildren {
			return badOutput("too many children", nil)
		}
		c.res.Children = append(c.res.Children, *v)
	case *File:
		return c.file(f, v)
	case *Failure:
		c.failure = v
	case *End:
		c.end = v
	case *Description:
		return badOutput("a describe frame in a decode", nil)
	}
	return nil
}

func (c *Collector) part(f Frame, h *Part) error {
	if c.Child {
		return badOutput("a part in place of the file inside the file", nil)
	}
	if len(c.res.Parts) == MaxParts {
		return badOutput("too many parts", nil)
	}
	if h.At < c.lastAt {
		return badOutput("parts out of order", nil)
	}
	to := max(h.At, h.To)
	c.lastAt = to
	p := readapi.Part{At: h.At, Offset: h.Offset, Truncated: h.Truncated}
	switch f.Kind {
	case KindText:
		p.Type, p.Text = readapi.PartText, string(f.Body)
	case KindImage:
		p.Type = readapi.PartImage
		p.Image = &readapi.Image{MediaType: h.MediaType, Width: h.Width, Height: h.Height, Bytes: append([]byte(nil), f.Body...)}
	case KindData:
		p.Type, p.Data = readapi.PartData, append([]byte(nil), f.Body...)
	}
	if c.res.Covers.From == 0 {
		c.res.Covers.From = h.At
	}
	c.res.Covers.To = to
	c.res.Parts = append(c.res.Parts, p)
	return nil
}

// file takes bytes of a file inside the file.
func (c *Collector) file(f Frame, h *File) error {
	if c.MaxFileBytes <= 0 || c.Child != (h.At == 0) {
		return badOutput("a file that nobody asked for", nil)
	}
	if c.files += int64(len(f.Body)); c.files > c.MaxFileBytes {
		return &readapi.Error{Code: readapi.CodeLimitOutput, Limit: &readapi.LimitHit{Name: "max_file_bytes", Value: c.MaxFileBytes, Actual: c.files}}
	}
	if !c.more {
		switch {
		case len(c.res.Files) == maxFiles || c.Child && len(c.res.Files) > 0:
			return badOutput("too many files", nil)
		case h.At < c.lastAt:
			return badOutput("files out of order", nil)
		}
		c.lastAt = h.At
		c.res.Files = append(c.res.Files, readapi.File{At: h.At, Before: len(c.res.Parts), Child: h.Child})
	}
	last := &c.res.Files[len(c.res.Files)-1]
	if last.At != h.At || last.Child != h.Child {
		return badOutput("a file that something interrupts", nil)
	}
	last.Bytes = append(last.Bytes, f.Body...)
	c.more = h.More
	return nil
}

// Result returns what was collected once the guest has returned. A guest's own failure is an *readapi.Error with its code; a broken
// protocol, silence included, is bad_output. Unit, Usage and Decoder are for the caller to fill in.
func (c *Collector) Result() (readapi.Result, error) {
	switch {
	case c.err != nil:
		return readapi.Result{}, c.err
	case c.failure != nil:
		return readapi.Result{}, &readapi.Error{Code: c.failure.Code, Detail: readapi.EscapeLine(limit(c.failure.Detail)), Limit: c.failure.Limit}
	case c.end == nil:
		return readapi.Result{}, badOutput("no end frame", nil)
	case c.more:
		return readapi.Result{}, badOutput("a file without its end", nil)
	case c.Child && len(c.res.Files) == 0:
		return readapi.Result{}, badOutput("no file, though one was asked for", nil)
	case c.end.Total > 0 && c.lastAt > c.end.Total:
		return readapi.Result{}, badOutput("more units than there are", nil)
	}
	c.res.Total, c.res.AtLeast, c.res.Next = c.end.Total, c.end.AtLeast, c.end.Next
	return c.res, nil
}

// limit caps a guest's detail text, of a failure or a warning.
func limit(s string) string {
	const most = 200
	if len(s) > most {
		return fmt.Sprintf("%.200s…", s)
	}
	return s
}

func badOutput(detail string, cause error) *readapi.Error {
	return &readapi.Error{Code: readapi.CodeBadOutput, Detail: detail, Err: cause}
}
