package ring

import (
	"context"
	"log/slog"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// Options of a Ring. Zero in a field means its default; a negative number is an error.
type Options struct {
	Helper   []string // command line of a program that runs helper.Main; it must not be empty
	Engine   sandbox.Engine
	CacheDir string       // compiled modules; see sandbox.Options
	Log      *slog.Logger // nil: nowhere
}

// Ring starts helper processes and talks with them. It is safe for concurrent use.
type Ring struct{ opts Options }

// Program is a module that helper processes can run.
type Program struct{}

// Instance is a helper process with one instance of a program. It is for one goroutine at a time.
type Instance struct{}

// New returns a Ring. The caller closes it.
func New(opts *Options) (*Ring, error) {
	if opts == nil || len(opts.Helper) == 0 {
		return nil, &readapi.Error{Op: "ring.New", Code: readapi.CodeInvalidRequest, Detail: "no helper program is named", Hint: "Name one, or run decoders in process."}
	}
	return &Ring{*opts}, nil
}

var errNone = &readapi.Error{Op: "ring", Code: readapi.CodeCapabilityUnavailable, Detail: "there is no process ring yet"}

// Cached is sandbox.Runtime.Cached.
func (r *Ring) Cached(m sandbox.Module) bool { return false }

// Pressed is sandbox.Runtime.Pressed.
func (r *Ring) Pressed() bool { return false }

// Compile is sandbox.Runtime.Compile, in a helper.
func (r *Ring) Compile(ctx context.Context, m sandbox.Module) (*Program, error) { return nil, errNone }

// Close ends all helpers. It is idempotent.
func (r *Ring) Close(ctx context.Context) error { return nil }

// Snapshot is sandbox.Program.Snapshot: every helper of the program takes it when it starts.
func (p *Program) Snapshot(ctx context.Context, calls []sandbox.Call) error { return errNone }

// Instance starts a helper.
func (p *Program) Instance(ctx context.Context) (*Instance, error) { return nil, errNone }

// Close ends the program's helpers. It is idempotent.
func (p *Program) Close(ctx context.Context) error { return nil }

// Decode is sandbox.Instance.Decode.
func (i *Instance) Decode(ctx context.Context, c *sandbox.Call) (sandbox.Usage, error) {
	return sandbox.Usage{}, errNone
}

// Reset is sandbox.Instance.Reset.
func (i *Instance) Reset() error { return errNone }

// Close ends the helper. It is idempotent.
func (i *Instance) Close() error { return nil }
