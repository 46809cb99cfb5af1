// Package notebook reads Jupyter notebooks (nbformat 3 and 4): their cells as text, and the pictures and other data in them as files.
//
//	info, err := notebook.Scan(next)             // what the cells need to know and what is behind them in the file
//	err = notebook.Read(again, info, sink)        // next from the beginning once more
//
// A notebook is read cell by cell; memory is bounded by the largest.
package notebook

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/inside"
	"github.com/glovebox-wasm/glovebox/decoders/text/internal/json"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Next gives the notebook's text piece by piece, and io.EOF at its end.
type Next func() ([]byte, error)

// Info is what is known of a notebook as a whole.
type Info struct {
	Title    string // its first heading
	Language string
	Kernel   string // as people know it
	Format   string // "4.5"
	Cells    int64
	Code     int64 // cells
	Outputs  int64
	Cut      bool // a string is too long to be kept whole
}

// File is a picture or other data of a notebook. Read gives it to Sink.File.
type File struct {
	Name      string
	MediaType readapi.MediaType
	Bytes     int64

	text   string // what stands in the notebook
	binary bool   // it is base64
}

// Sink takes what a notebook says. All of its functions may be nil.
type Sink struct {
	Text func([]byte) error                   // valid UTF-8; lines end in LF
	File func(n int, f *File) (string, error) // the nth, from 1; what it returns stands in the text
	HTML func(page []byte) (text []byte, hidden int64)
}

// ErrNotNotebook is returned for JSON that is no notebook, or text that is no JSON.
var ErrNotNotebook = errors.New("notebook: not a notebook")

// What a notebook may have.
const (
	maxFiles  = 9999
	maxString = 64 << 20 // bytes of one string: a picture
	maxTitle  = 300
)

// reader walks over a notebook.
type reader struct {
	json  *json.Reader
	sink  Sink
	info  *Info
	scan  bool // only info is wanted
	cell  cell
	files int
	wrote bool
	major string
	minor string
}

func newReader(next Next, info *Info, sink Sink) *reader {
	r := &reader{json: json.NewReader(next), sink: sink, info: info}
	r.json.MaxToken = maxString
	return r
}

// Scan reads a notebook to its end for what is true of the whole.
func Scan(next Next) (*Info, error) {
	r := newReader(next, &Info{}, Sink{})
	r.scan = true
	found, err := r.top()
	if _, broken := errors.AsType[*json.SyntaxError](err); broken || err == nil && !found {
		return nil, ErrNotNotebook
	}
	if err != nil {
		return nil, err
	}
	if r.info.Format = r.major; r.major != "" && r.minor != "" {
		r.info.Format += "." + r.minor
	}
	return r.info, nil
}

// Read reads the cells.
func Read(next Next, info *Info, sink Sink) error {
	r := newReader(next, info, sink)
	_, err := r.top()
	return err
}

// top reads the notebook's object; found means that it has cells.
func (r *reader) top() (found bool, err error) {
	t, err := r.json.Next()
	if err == io.EOF || err == nil && t.Kind != json.ObjectBegin {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = r.object(func(key string) error {
		switch key {
		case "cells":
			found = true
			return r.cells()
		case "worksheets": // nbformat 3
			return r.each(func() error {
				return r.object(func(key string) error {
					if key != "cells" {
						return r.json.Skip()
					}
					found = true
					return r.cells()
				})
			})
		case "metadata":
			return r.metadata()
		case "nbformat":
			return r.number(&r.major)
		case "nbformat_minor":
			return r.number(&r.minor)
		}
		return r.json.Skip()
	})
	if err != nil {
		return found, err
	}
	if _, err = r.json.Next(); err == io.EOF {
		err = nil
	}
	return found, err
}

// object calls each for every key of the object that has begun; each reads the value.
func (r *reader) object(each func(key string) error) error {
	for {
		t, err := r.json.Next()
		if err != nil {
			return err
		}
		if t.Kind == json.ObjectEnd {
			return nil
		}
		if err := each(t.Text()); err != nil {
			return err
		}
	}
}

// value reads the value behind a key if it begins an object, and each of its keys.
func (r *reader) value(each func(key string) error) error {
	t, err := r.json.Next()
	switch {
	case err != nil:
		return err
	case t.Kind == json.ObjectBegin:
		return r.object(each)
	}
	return r.json.Skip()
}

// each calls object for every object of the list behind a key.
func (r *reader) each(object func() error) error {
	t, err := r.json.Next()
	if err != nil {
		return err
	}
	if t.Kind != json.ArrayBegin {
		return r.json.Skip()
	}
	for {
		t, err := r.json.Next()
		switch {
		case err != nil:
			return err
		case t.Kind == json.ArrayEnd:
			return nil
		case t.Kind == json.ObjectBegin:
			err = object()
		default:
			err = r.json.Skip()
		}
		if err != nil {
			return err
		}
	}
}

// number reads a number as it stands.
func (r *reader) number(to *string) error {
	t, err := r.json.Next()
	if err == nil && t.Kind == json.Number && len(t.Text()) < 10 {
		*to = t.Text()
		return nil
	}
	if err != nil {
		return err
	}
	return r.json.Skip()
}

// text reads a text: a string, or a list of its lines. ok is false for anything else.
func (r *reader) text() (s string, ok bool, err error) {
	t, err := r.json.Next()
	switch {
	case err != nil:
		return "", false, err
	case t.Kind == json.String:
		r.info.Cut = r.info.Cut || t.Cut
		return t.Text(), true, nil
	case t.Kind != json.ArrayBegin:
		return "", false, r.json.Skip()
	}
	var b strings.Builder
	for {
		t, err := r.json.Next()
		switch {
		case err != nil:
			return "", false, err
		case t.Kind == json.ArrayEnd:
			return b.String(), true, nil
		case t.Kind == json.String:
			b.WriteString(t.Text())
		default:
			if err := r.json.Skip(); err != nil {
				return "", false, err
			}
		}
	}
}

// metadata reads the language and the kernel.
func (r *reader) metadata() error {
	return r.value(func(key string) error {
		if key != "kernelspec" && key != "language_info" {
			return r.json.Skip()
		}
		spec := key == "kernelspec"
		return r.value(func(key string) (err error) {
			s, _, err := r.text()
			switch {
			case spec && key == "display_name", spec && key == "name" && r.info.Kernel == "":
				r.info.Kernel = line(s)
			case spec && key == "language" && r.info.Language == "", !spec && key == "name":
				r.info.Language = line(s)
			}
			return err
		})
	})
}

// line is a text on one line, cut where it is long.
func line(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxTitle {
		s = strings.ToValidUTF8(s[:maxTitle], "")
	}
	return s
}

// cells reads a list of cells.
func (r *reader) cells() error {
	return r.each(func() error {
		if err := r.readCell(); err != nil {
			return err
		}
		r.count()
		if r.scan {
			return nil
		}
		return r.show()
	})
}

// count notes what the cell is for the whole.
func (r *reader) count() {
	c := &r.cell
	c.number++
	if !r.scan {
		return
	}
	r.info.Cells++
	r.info.Outputs += int64(len(c.outputs))
	switch c.kind {
	case "code":
		r.info.Code++
	case "markdown", "heading":
		if r.info.Title == "" {
			r.info.Title = heading(c)
		}
	}
	if c.language != "" && r.info.Language == "" {
		r.info.Language = line(c.language)
	}
}

// heading is the first heading of a cell, "" without one.
func heading(c *cell) string {
	if c.kind == "heading" { // nbformat 3
		return line(c.source)
	}
	for s := range strings.Lines(c.source) {
		rest := strings.TrimLeft(s, "#")
		if n := len(s) - len(rest); n > 0 && n <= 6 && strings.HasPrefix(rest, " ") {
			return line(strings.TrimRight(strings.TrimSpace(rest), "#"))
		}
	}
	return ""
}

// Data returns the file's bytes.
func (f *File) Data() []byte {
	if !f.binary {
		return []byte(f.text)
	}
	out := make([]byte, 0, f.Bytes)
	acc, have := uint32(0), 0
	for i := range len(f.text) {
		v := inside.Digit64(f.text[i])
		if v < 0 {
			continue
		}
		acc = acc<<6 | uint32(v)
		if have += 6; have >= 8 {
			have -= 8
			out = append(out, byte(acc>>have))
		}
	}
	return out
}

// size is how many bytes a file has.
func (f *File) size() int64 {
	if !f.binary {
		return int64(len(f.text))
	}
	digits := int64(0)
	for i := range len(f.text) {
		if inside.Digit64(f.text[i]) >= 0 {
			digits++
		}
	}
	return digits * 6 / 8
}

func itoa(n int) string { return strconv.Itoa(n) }
