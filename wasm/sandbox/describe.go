package sandbox

import (
	"bytes"
	"context"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
)

// mostSamples is how many samples a decoder may bring. Each is read before the first file is, with a budget of its own: a frame has room for
// thirty thousand empty ones.
const mostSamples = 32

// Describe compiles m, lets it describe itself, and throws the program away: what a module says of itself, and the samples that it brings,
// in the order of Description.Samples. The caller owns both.
//
// Errors: those of Compile and of Instance.Describe; bad_output when it sends anything but one description.
func (r *Runtime) Describe(ctx context.Context, m Module) (abi.Description, [][]byte, error) {
	const op = "sandbox.Describe"
	prog, err := r.Compile(ctx, m)
	if err != nil {
		return abi.Description{}, nil, err
	}
	defer prog.Close(ctx)
	inst, err := prog.Instance(ctx)
	if err != nil {
		return abi.Description{}, nil, err
	}
	defer inst.Close()
	var desc *abi.Description
	var samples [][]byte
	var bad error
	err = inst.Describe(ctx, func(kind abi.Kind, payload []byte) (stop bool) {
		f, err := abi.ParseFrame(kind, payload)
		d, ok := f.Value.(*abi.Description)
		switch {
		case err != nil:
			bad = &readapi.Error{Code: readapi.CodeBadOutput, Detail: "its description breaks the rules of the ABI", Err: err}
			return true
		case !ok || desc != nil:
			bad = &readapi.Error{Code: readapi.CodeBadOutput, Detail: "it does not describe itself in one frame"}
			return true
		case len(d.Samples) > mostSamples:
			bad = &readapi.Error{Code: readapi.CodeBadOutput, Detail: "it brings more samples than a decoder may"}
			return true
		}
		desc = d
		for _, s := range d.SplitSamples(f.Body) {
			samples = append(samples, bytes.Clone(s))
		}
		return false
	})
	if err == nil && bad == nil && desc == nil {
		bad = &readapi.Error{Code: readapi.CodeBadOutput, Detail: "it does not describe itself"}
	}
	if bad != nil { // a guest that is told to stop may say that it failed: this is why
		err = edge(op, m.Name, bad)
	}
	if err != nil {
		return abi.Description{}, nil, err
	}
	return *desc, samples, nil
}
