package plugins

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/binary"
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
	Names      []readapi.MediaType // of files that it only says the facts of
	Bytes      int64               // size of the module
	Samples    []Sample            // what the snapshot's warm-up reads

	// Foreign says that the module is none of ours: it is compiled by Options.Helper, never in this process.
	Foreign bool

	// Load returns the module: rewritten by wasm/binary, with this digest. It is called once, when the decoder is first needed.
	Load func() ([]byte, error)
}

// Sample is a small valid input.
type Sample struct {
	MediaType readapi.MediaType
	Data      []byte
}

// Info names the decoder, as its answers do.
func (d *Decoder) Info() readapi.DecoderInfo {
	return readapi.DecoderInfo{Name: d.Name, Version: d.Version, Digest: d.Digest}
}

func (d *Decoder) check() error {
	if d.Name == "" || d.Digest == "" || len(d.MediaTypes) == 0 || d.Unit == "" || d.Load == nil {
		return &readapi.Error{Code: readapi.CodeInvalidRequest, Ref: d.Name, Detail: "a decoder needs a name, a digest, media types, a unit and a module"}
	}
	for _, m := range slices.Concat(d.MediaTypes, d.Names) {
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
	return sandbox.Module{Name: d.Name, Wasm: b, Digest: d.Digest, Foreign: d.Foreign}, nil
}

// ModuleOptions of FromModule; nil means all defaults.
type ModuleOptions struct {
	Name string // what the decoder is called; "": the module's own word

	// Helper is the command line of a program that runs helper.Main. A module that is not trusted is compiled there, within CompileLimits.
	Helper []string

	// Trusted says that the module is the caller's own: it is compiled in this process, and needs no helper.
	Trusted bool

	CacheDir      string                 // where a registry will look for the compiled foreign module; "": it is compiled again then
	Rewrite       *binary.RewriteOptions // what is admitted, and how it is rewritten; nil: the defaults
	CompileLimits sandbox.CompileLimits  // of the helper
}

// FromModule makes a decoder of a wasm module as a toolchain built it: the module is admitted and rewritten, compiled by the helper, and asked to
// describe itself behind the wall. A trusted module is lowered for the interpreter in this process instead, which takes less time than compiling.
//
// Errors: module_refused with the rule that it breaks, with the limit that compiling it hits, and where there is neither a helper nor trust;
// capability_unavailable where the helper cannot be started or is of another version; bad_output and the other codes of a decoder that does not
// describe itself.
func FromModule(ctx context.Context, wasm []byte, opts *ModuleOptions) (Decoder, error) {
	const op = "plugins.FromModule"
	if opts == nil {
		opts = &ModuleOptions{}
	}
	name := opts.Name
	rewritten, err := binary.Rewrite(wasm, opts.Rewrite)
	if err != nil {
		return Decoder{}, &readapi.Error{Op: op, Code: readapi.CodeModuleRefused, Ref: name, Detail: refusal(err), Err: err}
	}
	sum := sha256.Sum256(rewritten)
	digest := hex.EncodeToString(sum[:])
	desc, samples, err := describe(ctx, sandbox.Module{Name: name, Wasm: rewritten, Digest: digest, Foreign: !opts.Trusted}, opts)
	if err != nil {
		return Decoder{}, readapi.AsError(op, err)
	}
	d := described(desc, samples)
	d.Name, d.Digest, d.Bytes = cmp.Or(name, d.Name), digest, int64(len(rewritten))
	d.Foreign = !opts.Trusted
	d.Load = func() ([]byte, error) { return rewritten, nil }
	return d, nil
}

// describe asks a module what it is, in this process: the wall is the one that every read relies on. A foreign one runs on the engine that reads
// will use, so that installing it fills the cache, and what it cannot be compiled for is known then.
func describe(ctx context.Context, m sandbox.Module, opts *ModuleOptions) (abi.Description, [][]byte, error) {
	o := sandbox.Options{Engine: sandbox.Interpreter}
	if m.Foreign {
		o.Helper, o.CacheDir, o.CompileLimits = opts.Helper, opts.CacheDir, opts.CompileLimits
		if sandbox.CompilerSupported() {
			o.Engine = sandbox.Compiler
		}
	}
	rt, err := sandbox.New(&o)
	if err != nil {
		return abi.Description{}, nil, err
	}
	defer rt.Close(context.WithoutCancel(ctx))
	return rt.Describe(ctx, m)
}

// refusal is the rule that a module breaks, in words that may leave.
func refusal(err error) string {
	if e, ok := errors.AsType[*binary.RuleError](err); ok {
		return "it breaks the rule " + e.Rule
	}
	return "it cannot be admitted"
}

// described is what a module says of itself, as a decoder without its module.
func described(desc abi.Description, samples [][]byte) Decoder {
	d := Decoder{
		Name: desc.Name, Version: desc.Version, MediaTypes: desc.MediaTypes, Unit: desc.Unit, Forms: desc.Forms, Children: desc.Children,
		Names: desc.Names,
	}
	for i, s := range desc.Samples {
		d.Samples = append(d.Samples, Sample{MediaType: s.MediaType, Data: samples[i]})
	}
	return d
}

// Builtin returns the decoders that are part of this module, the preferred one first.
func Builtin() []Decoder {
	var out []Decoder
	for _, m := range modules.All() {
		d := described(m.Description, m.Samples)
		d.Name, d.Digest, d.Bytes, d.Load = m.Name, m.Digest, m.Bytes, m.Wasm
		out = append(out, d)
	}
	return out
}
