package plugins

import (
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/modules"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// Decoder is a decoder as a Registry takes it: what it says of itself, and the module that runs.
type Decoder struct {
	Name       string
	Version    string
	Digest     string // sha256 of the module that runs, lower-case hex
	MediaTypes []readapi.MediaType
	Unit       readapi.Unit
	Forms      []readapi.Form // besides FormAuto
	Children   bool
	Bytes      int64    // size of the module
	Samples    []Sample // what the snapshot's warm-up reads

	// Load returns the module: rewritten by wasm/binary, with this digest. It is called once, when the decoder is first needed.
	Load func() ([]byte, error)
}

// Sample is a small valid input.
type Sample struct {
	MediaType readapi.MediaType
	Data      []byte
}

func (d *Decoder) info() readapi.DecoderInfo {
	return readapi.DecoderInfo{Name: d.Name, Version: d.Version, Digest: d.Digest}
}

func (d *Decoder) check() error {
	if d.Name == "" || d.Digest == "" || len(d.MediaTypes) == 0 || d.Unit == "" || d.Load == nil {
		return &readapi.Error{Code: readapi.CodeInvalidRequest, Ref: d.Name, Detail: "a decoder needs a name, a digest, media types, a unit and a module"}
	}
	for _, m := range d.MediaTypes {
		if c, ok := readapi.ParseMediaType(string(m)); !ok || c != m {
			return &readapi.Error{Code: readapi.CodeInvalidRequest, Ref: d.Name, Detail: "a media type is not canonical"}
		}
	}
	return nil
}

func (d *Decoder) module() (sandbox.Module, error) {
	b, err := d.Load()
	if err != nil {
		return sandbox.Module{}, &readapi.Error{Code: readapi.CodeCorrupt, Ref: d.Name, Detail: "the decoder's module is damaged", Err: err}
	}
	return sandbox.Module{Name: d.Name, Wasm: b, Digest: d.Digest}, nil
}

// Builtin returns the decoders that are part of this module, the preferred one first.
func Builtin() []Decoder {
	var out []Decoder
	for _, m := range modules.All() {
		d := Decoder{
			Name: m.Name, Version: m.Description.Version, Digest: m.Digest, MediaTypes: m.Description.MediaTypes, Unit: m.Description.Unit,
			Forms: m.Description.Forms, Children: m.Description.Children, Bytes: m.Bytes, Load: m.Wasm,
		}
		for i, s := range m.Description.Samples {
			d.Samples = append(d.Samples, Sample{MediaType: s.MediaType, Data: m.Samples[i]})
		}
		out = append(out, d)
	}
	return out
}
