// Package pdk is what the author of a decoder in Go imports: one pure function is tested natively (Run) and runs behind the wall (Serve).
//
//	var Decoder = pdk.Decoder{
//		Name: "vcard", Version: "1.0.0", MediaTypes: []readapi.MediaType{"text/vcard"}, Unit: "card",
//		Decode: func(in readapi.Input, req *readapi.Request, w *pdk.Writer) error {
//			cards, err := parse(in)
//			if err != nil {
//				return pdk.Malformed("no card begins here")
//			}
//			for at := range w.Units(int64(len(cards))) {
//				if err := w.Text(at, cards[at-1].String()); err != nil {
//					return err
//				}
//			}
//			return nil
//		},
//	}
//
// The guest is a main package with two lines, built with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o vcard.wasm:
//
//	func init() { pdk.Serve(&vcard.Decoder) }
//	func main() {} // the toolchain wants it; it is not called
//
// Decode must be a pure function of the input and the request. It need not watch the clock or recover: the host bounds time, work and
// memory, and an instance that panics is thrown away. What it emits travels as frames of package wasm/abi.
package pdk

import (
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
)

// Decoder is one decoder: what it says of itself and its function.
type Decoder struct {
	Name       string              // short, lower case: "pdf"
	Version    string              // of the decoder, semantic
	MediaTypes []readapi.MediaType // exact, in lower case; docs/abi.md says which ones the host knows
	Unit       readapi.Unit        // a single word in lower case
	Forms      []readapi.Form      // without FormAuto, which every decoder has
	Children   bool                // it lists files inside the file

	// Names are media types of files that Decode does not read, but of which it can say what they are: it returns Unsupported with the facts
	// of the file's header, and whoever asked for a file that nobody reads is told them.
	Names []readapi.MediaType

	// Samples are small valid inputs. The host reads each once before it takes the snapshot that every later read starts from, so what
	// they touch (tables, caches, the heap's first growth) costs nothing afterwards.
	Samples []Sample

	// Decode reads what req selects of in and emits it through w. It returns nil, an error of Writer (passed on as it is) or an
	// *Error made by Malformed, Unsupported and the like; any other error is malformed_input.
	Decode func(in readapi.Input, req *readapi.Request, w *Writer) error
}

// Sample is a small valid input of one of the decoder's media types.
type Sample struct {
	MediaType readapi.MediaType
	Data      []byte
}

// describe returns the payload of the describe frame.
func (d *Decoder) describe() ([]byte, error) {
	desc := abi.Description{
		ABI: abi.Version, Name: d.Name, Version: d.Version, MediaTypes: d.MediaTypes, Unit: d.Unit, Forms: d.Forms, Children: d.Children, Names: d.Names,
	}
	var body []byte
	for _, s := range d.Samples {
		desc.Samples = append(desc.Samples, abi.Sample{MediaType: s.MediaType, Bytes: len(s.Data)})
		body = append(body, s.Data...)
	}
	return abi.AppendFrame(nil, desc, body)
}

// HasForm reports whether the decoder answers form; every decoder answers FormAuto.
func (d *Decoder) HasForm(form readapi.Form) bool {
	if form == readapi.FormAuto {
		return true
	}
	for _, f := range d.Forms {
		if f == form {
			return true
		}
	}
	return false
}

// run calls the decoder and closes its answer with an end or an error frame.
func run(d *Decoder, in readapi.Input, req *readapi.Request, sink func(abi.Kind, []byte) bool) {
	w := &Writer{req: req, fit: req.Fit(), sink: sink}
	var err error
	switch {
	case !d.HasForm(req.Form):
		err = Invalid("this decoder does not have the form " + string(req.Form))
	case len(req.Child) > 0 && !d.Children:
		err = Invalid("this decoder lists no files inside a file")
	default:
		err = d.Decode(in, req, w)
	}
	w.finish(err)
}
