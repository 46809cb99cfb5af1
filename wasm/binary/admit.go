package binary

import "strings"

// ReservedPrefix begins every name that the rewriter adds. No module that is admitted uses it, so no name can collide.
const ReservedPrefix = "glovebox:"

// AdmitOptions says what Admit lets through. nil means all defaults.
type AdmitOptions struct {
	// Limits are the numbers of ring 1; nil means the defaults.
	Limits *Limits
	// Imports are the functions that a module may import; nil means GloveboxFuncs and WASIFuncs.
	Imports []HostFunc
	// RequireABI asks for the exports of ABI version 1 too, with their types.
	RequireABI bool
}

// Admit is ring 1: it parses b and holds it against the rules of the wall, before any engine sees a byte of it.
//
// What is admitted uses WebAssembly 2.0 and nothing beyond it, has exactly one memory and owns it, imports functions only and
// only those of the list with their exact types, and uses no reserved name. The Module refers to b. Errors are *RuleError.
func Admit(b []byte, opts *AdmitOptions) (*Module, error) {
	if opts == nil {
		opts = &AdmitOptions{}
	}
	m, err := Parse(b, opts.Limits)
	if err != nil {
		return nil, err
	}
	if err := m.check(opts); err != nil {
		return nil, err
	}
	return m, nil
}

// check is what Admit asks beyond the structure; nil means that the module is admitted.
func (m *Module) check(opts *AdmitOptions) *RuleError {
	if len(m.Memories) != 1 {
		return refuse(RuleMemory, "a module must have a memory of its own")
	}
	if err := m.checkImports(opts.Imports); err != nil {
		return err
	}
	for _, e := range m.Exports {
		if strings.HasPrefix(e.Name, ReservedPrefix) {
			return refuse(RuleReservedName, "export %q", short(e.Name))
		}
	}
	if opts.RequireABI {
		return m.checkABI()
	}
	return nil
}

// refuse is a refusal that is about the module as a whole.
func refuse(rule, format string, args ...any) *RuleError {
	var c cursor
	c.fail(rule, -1, format, args...)
	return c.err
}

func (m *Module) checkImports(allowed []HostFunc) *RuleError {
	if allowed == nil {
		allowed = append(GloveboxFuncs(), WASIFuncs()...)
	}
	type key struct{ module, name string }
	types := make(map[key]FuncType, len(allowed))
	for _, f := range allowed {
		types[key{f.Module, f.Name}] = f.Type
	}
	for _, im := range m.Imports {
		if strings.HasPrefix(im.Module, ReservedPrefix) || strings.HasPrefix(im.Name, ReservedPrefix) {
			return refuse(RuleReservedName, "import %q of %q", short(im.Name), short(im.Module))
		}
		want, ok := types[key{im.Module, im.Name}]
		if !ok {
			return refuse(RuleImport, "the host has no %q in %q", short(im.Name), short(im.Module))
		}
		if got := m.Types[im.Type]; !got.Equal(want) {
			return refuse(RuleImport, "%q of %q has the type %s, not %s", im.Name, im.Module, want, got)
		}
	}
	return nil
}

func (m *Module) checkABI() *RuleError {
	exports := make(map[string]Export, len(m.Exports))
	for _, e := range m.Exports {
		exports[e.Name] = e
	}
	if e, ok := exports["memory"]; !ok || e.Kind != ExportMemory {
		return refuse(RuleExportABI, "no memory under the name %q", "memory")
	}
	for _, want := range guestExports {
		e, ok := exports[want.name]
		if !ok && want.optional {
			continue
		}
		if !ok || e.Kind != ExportFunc {
			return refuse(RuleExportABI, "no function %q", want.name)
		}
		if t := m.FuncType(e.Index); !t.Equal(want.typ) {
			return refuse(RuleExportABI, "%q has the type %s, not %s", want.name, t, want.typ)
		}
	}
	return nil
}
