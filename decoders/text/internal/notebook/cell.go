package notebook

import (
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/inside"
	"github.com/glovebox-wasm/glovebox/decoders/text/internal/json"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// cell is a cell that was read: its outputs come before its source in the file, so all of it is kept.
type cell struct {
	number   int // from 1
	kind     string
	source   string
	language string // nbformat 3
	level    int    // of a heading, nbformat 3
	outputs  []output
	attached []datum
}

// output is what a cell gave.
type output struct {
	kind  string // stream, error, display_data, execute_result
	text  string // of a stream or an error
	data  []datum
	name  string // of an error
	value string
}

// datum is one form of an output, or an attachment.
type datum struct {
	name string // of an attachment
	mime string
	text string
	ok   bool // it is text, or base64; not an object
}

// maxOutputs bounds the outputs of a cell, and the forms of one.
const maxOutputs = 10_000

func (r *reader) readCell() error {
	r.cell = cell{number: r.cell.number, outputs: r.cell.outputs[:0], attached: r.cell.attached[:0]}
	c := &r.cell
	return r.object(func(key string) (err error) {
		switch key {
		case "cell_type":
			c.kind, _, err = r.text()
		case "source", "input":
			c.source, _, err = r.text()
		case "language":
			c.language, _, err = r.text()
		case "level":
			level := ""
			err = r.number(&level)
			if len(level) == 1 && level[0] >= '1' && level[0] <= '6' {
				c.level = int(level[0] - '0')
			}
		case "outputs":
			err = r.each(func() error {
				if len(c.outputs) == maxOutputs {
					return r.json.Skip()
				}
				c.outputs = append(c.outputs, output{})
				return r.readOutput(&c.outputs[len(c.outputs)-1])
			})
		case "attachments":
			err = r.value(func(name string) error {
				return r.bundle(&c.attached, name)
			})
		default:
			err = r.json.Skip()
		}
		return err
	})
}

func (r *reader) readOutput(o *output) error {
	return r.object(func(key string) (err error) {
		switch key {
		case "output_type":
			o.kind, _, err = r.text()
		case "ename":
			o.name, _, err = r.text()
		case "evalue":
			o.value, _, err = r.text()
		case "traceback":
			o.text, err = r.traceback()
		case "data":
			err = r.bundle(&o.data, "")
		case "text":
			o.text, _, err = r.text()
		default:
			mime := oldForm(key)
			if mime == "" {
				return r.json.Skip()
			}
			err = r.datum(&o.data, "", mime)
		}
		return err
	})
}

// oldForm is the media type of an output's form in nbformat 3, where the forms are keys of the output.
func oldForm(key string) string {
	switch key {
	case "html", "latex":
		return "text/" + key
	case "png", "jpeg":
		return "image/" + key
	case "svg":
		return "image/svg+xml"
	case "json", "javascript", "pdf":
		return "application/" + key
	}
	return ""
}

// traceback reads the lines of an error, which do not end in LF.
func (r *reader) traceback() (string, error) {
	t, err := r.json.Next()
	if err != nil {
		return "", err
	}
	if t.Kind != json.ArrayBegin {
		return "", r.json.Skip()
	}
	var b strings.Builder
	for {
		t, err := r.json.Next()
		switch {
		case err != nil:
			return "", err
		case t.Kind == json.ArrayEnd:
			return b.String(), nil
		case t.Kind == json.String:
			b.WriteString(t.Text())
			b.WriteByte('\n')
		default:
			if err := r.json.Skip(); err != nil {
				return "", err
			}
		}
	}
}

// bundle reads the forms of one thing by media type.
func (r *reader) bundle(to *[]datum, name string) error {
	return r.value(func(mime string) error { return r.datum(to, name, mime) })
}

func (r *reader) datum(to *[]datum, name, mime string) error {
	d := datum{name: name, mime: strings.ToLower(mime)}
	var err error
	if d.text, d.ok, err = r.text(); err == nil && len(*to) < maxOutputs {
		*to = append(*to, d)
	}
	return err
}

// isFile reports whether a form of an output is a file rather than text of the notebook.
func (d *datum) isFile() bool {
	return d.ok && (strings.HasPrefix(d.mime, "image/") || strings.HasPrefix(d.mime, "audio/") || strings.HasPrefix(d.mime, "video/") || d.mime == "application/pdf")
}

// file makes a file of a datum.
func (d *datum) file(name string) *File {
	mt, ok := readapi.ParseMediaType(d.mime)
	if !ok {
		mt = readapi.OctetStream
	}
	f := &File{Name: inside.Name(name), MediaType: mt, text: d.text, binary: mt != "image/svg+xml"}
	if d.name == "" {
		f.Name += inside.Extension(mt)
	}
	f.Bytes = f.size()
	return f
}
