// Package binarytest is an assembler for tests: it writes WebAssembly modules, the good ones and the bad ones.
//
//	m := binarytest.New()
//	f := m.Func(Types{I32}, Types{I32}, nil, Get(0), I32Const(1), I32Add)
//	m.Memory(1, 1)
//	m.ExportFunc("inc", f)
//	wasm := m.Bytes()
//
// Nothing is checked: indices, types and even the order of sections are the caller's. Section replaces a section's content,
// Encode writes sections in any order. Standard library only.
package binarytest

import "maps"

// Value types, in the binary format's code.
const (
	I32       = 0x7f
	I64       = 0x7e
	F32       = 0x7d
	F64       = 0x7c
	V128      = 0x7b
	FuncRef   = 0x70
	ExternRef = 0x6f
	Void      = 0x40 // as a block type
)

// Section ids.
const (
	SecCustom = iota
	SecType
	SecImport
	SecFunction
	SecTable
	SecMemory
	SecGlobal
	SecExport
	SecStart
	SecElement
	SecCode
	SecData
	SecDataCount
)

// Code is a sequence of instructions, or any part of a module.
type Code []byte

// Types is a list of value types.
type Types []byte

// Module is a module in the making. The zero value is an empty module; New is the same.
type Module struct {
	types    []Code
	imports  []Code
	funcs    []Code
	tables   []Code
	memories []Code
	globals  []Code
	exports  []Code
	elems    []Code
	bodies   []Code
	data     []Code
	start    Code
	noCount  bool
	replaced map[int]Code
	customs  []Code
}

// New begins a module.
func New() *Module { return &Module{} }

// Type adds a function type and gives its index; the same type twice is one type.
func (m *Module) Type(params, results Types) uint32 {
	t := Cat(Code{0x60}, U32(uint32(len(params))), Code(params), U32(uint32(len(results))), Code(results))
	for i, u := range m.types {
		if string(u) == string(t) {
			return uint32(i)
		}
	}
	m.types = append(m.types, t)
	return uint32(len(m.types) - 1)
}

// Import adds an imported function; imports come before Func.
func (m *Module) Import(module, name string, params, results Types) uint32 {
	return m.RawImport(Cat(Name(module), Name(name), Code{0}, U32(m.Type(params, results))))
}

// RawImport adds an import of any kind.
func (m *Module) RawImport(c Code) uint32 {
	m.imports = append(m.imports, c)
	return uint32(len(m.imports) - 1)
}

// Func adds a function and gives its index. The end of the body is added.
func (m *Module) Func(params, results, locals Types, body ...Code) uint32 {
	decl := U32(uint32(len(locals)))
	for _, t := range locals {
		decl = Cat(decl, U32(1), Code{t})
	}
	return m.RawFunc(m.Type(params, results), Cat(decl, Cat(body...), End))
}

// RawFunc adds a function by its type index and the whole content of its body.
func (m *Module) RawFunc(typ uint32, body Code) uint32 {
	m.funcs = append(m.funcs, U32(typ))
	m.bodies = append(m.bodies, Cat(U32(uint32(len(body))), body))
	return uint32(len(m.imports) + len(m.funcs) - 1)
}

// NextFunc is the index that the next Func will have, for bodies that call themselves or each other.
func (m *Module) NextFunc() uint32 { return uint32(len(m.imports) + len(m.funcs)) }

// Limits are those of a table or a memory; a negative maximum is none.
func Limits(min uint32, max int64) Code {
	if max < 0 {
		return Cat(Code{0}, U32(min))
	}
	return Cat(Code{1}, U32(min), U32(uint32(max)))
}

// Memory adds a memory.
func (m *Module) Memory(min uint32, max int64) { m.memories = append(m.memories, Limits(min, max)) }

// Table adds a table.
func (m *Module) Table(typ byte, min uint32, max int64) uint32 {
	m.tables = append(m.tables, Cat(Code{typ}, Limits(min, max)))
	return uint32(len(m.tables) - 1)
}

// Global adds a global; init is the constant without its end.
func (m *Module) Global(typ byte, mutable bool, init Code) uint32 {
	mut := byte(0)
	if mutable {
		mut = 1
	}
	m.globals = append(m.globals, Cat(Code{typ, mut}, init, End))
	return uint32(len(m.globals) - 1)
}

// Export adds an export of any kind.
func (m *Module) Export(name string, kind byte, index uint32) {
	m.exports = append(m.exports, Cat(Name(name), Code{kind}, U32(index)))
}

// ExportFunc exports a function.
func (m *Module) ExportFunc(name string, fn uint32) { m.Export(name, 0, fn) }

// ExportMemory exports memory 0.
func (m *Module) ExportMemory(name string) { m.Export(name, 2, 0) }

// ExportGlobal exports a global.
func (m *Module) ExportGlobal(name string, g uint32) { m.Export(name, 3, g) }

// Start names the start function.
func (m *Module) Start(fn uint32) { m.start = U32(fn) }

// Elem adds an active element segment of functions.
func (m *Module) Elem(table, offset uint32, fns ...uint32) uint32 {
	return m.RawElem(Cat(U32(2), U32(table), I32Const(int32(offset)), End, Code{0}, indices(fns)))
}

// PassiveElem adds a passive element segment of functions.
func (m *Module) PassiveElem(fns ...uint32) uint32 {
	return m.RawElem(Cat(U32(1), Code{0}, indices(fns)))
}

// indices is a vector of indices.
func indices(list []uint32) Code {
	out := U32(uint32(len(list)))
	for _, i := range list {
		out = append(out, U32(i)...)
	}
	return out
}

// RawElem adds an element segment of any form.
func (m *Module) RawElem(c Code) uint32 {
	m.elems = append(m.elems, c)
	return uint32(len(m.elems) - 1)
}

// Data adds an active data segment.
func (m *Module) Data(offset uint32, b []byte) uint32 {
	return m.RawData(Cat(U32(0), I32Const(int32(offset)), End, U32(uint32(len(b))), b))
}

// PassiveData adds a passive data segment.
func (m *Module) PassiveData(b []byte) uint32 {
	return m.RawData(Cat(U32(1), U32(uint32(len(b))), b))
}

// RawData adds a data segment of any form.
func (m *Module) RawData(c Code) uint32 {
	m.data = append(m.data, c)
	return uint32(len(m.data) - 1)
}

// NoDataCount leaves the data count section out.
func (m *Module) NoDataCount() { m.noCount = true }

// Custom adds a custom section at the end.
func (m *Module) Custom(name string, content []byte) {
	m.customs = append(m.customs, Cat(Name(name), content))
}

// Section replaces the content of a section, whatever was added to it; nil leaves the section out.
func (m *Module) Section(id int, content Code) {
	if m.replaced == nil {
		m.replaced = map[int]Code{}
	}
	m.replaced[id] = content
}

// order is that of the sections in a module.
var order = []int{SecType, SecImport, SecFunction, SecTable, SecMemory, SecGlobal, SecExport, SecStart, SecElement,
	SecDataCount, SecCode, SecData}

// Sections gives the content of all sections that are there, by id.
func (m *Module) Sections() map[int]Code {
	out := map[int]Code{}
	for id, items := range map[int][]Code{
		SecType: m.types, SecImport: m.imports, SecFunction: m.funcs, SecTable: m.tables, SecMemory: m.memories,
		SecGlobal: m.globals, SecExport: m.exports, SecElement: m.elems, SecCode: m.bodies, SecData: m.data,
	} {
		if len(items) > 0 {
			out[id] = Vec(items...)
		}
	}
	if m.start != nil {
		out[SecStart] = m.start
	}
	if len(m.data) > 0 && !m.noCount {
		out[SecDataCount] = U32(uint32(len(m.data)))
	}
	maps.Copy(out, m.replaced)
	maps.DeleteFunc(out, func(_ int, c Code) bool { return c == nil })
	return out
}

// Bytes is the module, sections in their order, custom sections last.
func (m *Module) Bytes() []byte {
	sections := m.Sections()
	var out []Code
	for _, id := range order {
		if c, ok := sections[id]; ok {
			out = append(out, Section(id, c))
		}
	}
	for _, c := range m.customs {
		out = append(out, Section(SecCustom, c))
	}
	return Encode(out...)
}

// Section writes one section with its size.
func Section(id int, content Code) Code {
	return Cat(Code{byte(id)}, U32(uint32(len(content))), content)
}

// Encode puts the header in front of sections.
func Encode(sections ...Code) []byte {
	return Cat(Code("\x00asm\x01\x00\x00\x00"), Cat(sections...))
}

// Vec is a count, then the items.
func Vec(items ...Code) Code { return Cat(U32(uint32(len(items))), Cat(items...)) }

// Name is a length, then the bytes.
func Name(s string) Code { return Cat(U32(uint32(len(s))), Code(s)) }

// Cat joins pieces.
func Cat(parts ...Code) Code {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	out := make(Code, 0, n)
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// Repeat gives n copies.
func Repeat(n int, c Code) Code {
	out := make(Code, 0, n*len(c))
	for range n {
		out = append(out, c...)
	}
	return out
}
