package binary

import "errors"

// Report says what a module is made of: for a person who asks why it is refused, or what it wants. Of a refused module it holds
// what was read before the refusal; what was not reached is zero. Slices are the caller's.
type Report struct {
	Imports []ImportReport
	Exports []ExportReport
	Tables  []Table
	Memory  *Memory // nil if there is none
	Customs []Custom
	Start   bool // it has a start function

	Bytes        int // of the module
	Types        int
	Funcs        int // bodies, imports not counted
	Globals      int
	CodeBytes    int // the code section
	LargestBody  int // bytes
	MostLocals   int // of one function, without parameters
	MostInstrs   int // of one function
	DataSegments int
	DataBytes    int // in all segments
	ElemSegments int
	Elems        int // entries in all segments
	FuncNames    int // of the name section
}

// ImportReport is an import with the type that the module wants.
type ImportReport struct {
	Module, Name string
	Type         FuncType
}

// ExportReport is an export. Kind is "func", "table", "memory" or "global"; Type is in the manner of the text format, "" if it is
// not known.
type ExportReport struct {
	Name, Kind, Type string
}

// Custom is a custom section; Bytes is the size of its content.
type Custom struct {
	Name  string
	Bytes int
}

// Inspect admits b as Admit does and reports what it is made of. The report is there with an error too, unless that is about the
// options; the error is the refusal, a *RuleError.
func Inspect(b []byte, opts *AdmitOptions) (*Report, error) {
	if opts == nil {
		opts = &AdmitOptions{}
	}
	p, err := parse(b, opts.Limits)
	if p == nil {
		return nil, err
	}
	if err == nil {
		if re := p.m.check(opts); re != nil {
			err = re
		}
	}
	return p.report(), err
}

func (p *parser) report() *Report {
	m := p.m
	r := &Report{
		Tables: m.Tables, Customs: p.customs, Start: m.Start >= 0, Bytes: len(p.b), Types: len(m.Types), Funcs: len(m.Funcs),
		Globals: len(m.Globals), CodeBytes: p.codeBytes, DataSegments: len(m.Data), DataBytes: int(p.dataBytes),
		ElemSegments: len(m.Elems), Elems: m.elemTotal, FuncNames: len(m.FuncNames),
	}
	if len(m.Memories) > 0 {
		r.Memory = &m.Memories[0]
	}
	for _, im := range m.Imports {
		r.Imports = append(r.Imports, ImportReport{im.Module, im.Name, m.Types[im.Type]})
	}
	for _, e := range m.Exports {
		r.Exports = append(r.Exports, p.exportReport(e))
	}
	for _, f := range m.Funcs {
		r.LargestBody = max(r.LargestBody, f.End-f.locals)
		r.MostLocals = max(r.MostLocals, f.Locals)
		r.MostInstrs = max(r.MostInstrs, f.Instrs)
	}
	return r
}

// exportReport does not rely on bodies: the function section gives the types of functions, and it comes before exports.
func (p *parser) exportReport(e Export) ExportReport {
	m, out := p.m, ExportReport{Name: e.Name}
	switch e.Kind {
	case ExportFunc:
		out.Kind = "func"
		if n := len(m.Imports); int(e.Index) < n {
			out.Type = m.Types[m.Imports[e.Index].Type].String()
		} else {
			out.Type = m.Types[p.types[int(e.Index)-n]].String()
		}
	case ExportTable:
		out.Kind, out.Type = "table", m.Tables[e.Index].Type.String()
	case ExportMemory:
		out.Kind = "memory"
	case ExportGlobal:
		out.Kind, out.Type = "global", m.Globals[e.Index].Type.String()
		if m.Globals[e.Index].Mutable {
			out.Type = "mut " + out.Type
		}
	}
	return out
}

// RuleOf gives the rule that an error of this package names, or "".
func RuleOf(err error) string {
	if re, ok := errors.AsType[*RuleError](err); ok {
		return re.Rule
	}
	return ""
}
