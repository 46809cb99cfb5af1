package binary

import (
	"slices"
	"strings"
)

// ValType is a value type by its code in the binary format.
type ValType byte

// The value types of WebAssembly 2.0 (5.3.1 to 5.3.4).
const (
	I32       ValType = 0x7f
	I64       ValType = 0x7e
	F32       ValType = 0x7d
	F64       ValType = 0x7c
	V128      ValType = 0x7b
	FuncRef   ValType = 0x70
	ExternRef ValType = 0x6f
)

// String gives the type's name in the text format.
func (t ValType) String() string {
	switch t {
	case I32:
		return "i32"
	case I64:
		return "i64"
	case F32:
		return "f32"
	case F64:
		return "f64"
	case V128:
		return "v128"
	case FuncRef:
		return "funcref"
	case ExternRef:
		return "externref"
	}
	return "invalid"
}

// Numeric reports whether a host can read and write a global of this type as 64 bits.
func (t ValType) Numeric() bool { return t == I32 || t == I64 || t == F32 || t == F64 }

func (t ValType) ref() bool   { return t == FuncRef || t == ExternRef }
func (t ValType) valid() bool { return t.Numeric() || t == V128 || t.ref() }

// FuncType is the type of a function. Both lists are in order and must not be changed.
type FuncType struct {
	Params, Results []ValType
}

// Equal reports whether two types are the same.
func (t FuncType) Equal(u FuncType) bool {
	return slices.Equal(t.Params, u.Params) && slices.Equal(t.Results, u.Results)
}

// String gives the type as "(i32, i64) -> (i32)".
func (t FuncType) String() string {
	var sb strings.Builder
	list := func(ts []ValType) {
		sb.WriteByte('(')
		for i, v := range ts {
			if i > 0 {
				sb.WriteString(", ")
			}
			sb.WriteString(v.String())
		}
		sb.WriteByte(')')
	}
	list(t.Params)
	sb.WriteString(" -> ")
	list(t.Results)
	return sb.String()
}

// Module is what Parse found. Lists are in the order of the module; function indices count imports first. Slices of bytes are
// parts of the parsed module, which must not change while the Module is in use.
type Module struct {
	Types    []FuncType
	Imports  []Import
	Funcs    []Func
	Tables   []Table
	Memories []Memory // at most one
	Globals  []GlobalDecl
	Exports  []Export
	Start    int64 // function index, or -1
	Elems    []ElemDecl
	Data     []DataDecl

	// FuncNames are the function names of the name section by function index; a damaged name section gives none.
	FuncNames map[uint32]string

	raw       []byte
	dataCount int64 // of the data count section, or -1
	elemTotal int
	growsTabs bool // some function holds table.grow
}

// Import is an imported function, the only kind that is taken.
type Import struct {
	Module, Name string
	Type         uint32 // index into Module.Types
}

// Func is a function of the module itself.
type Func struct {
	Type   uint32 // index into Module.Types
	Locals int    // without parameters
	Start  int    // offset of the body's first instruction
	End    int    // offset behind the body's last end
	Instrs int    // number of instructions

	locals     int  // offset of the local declarations
	localBytes int  // size of locals in bytes of a stack frame, parameters included
	calls      bool // holds call or call_indirect
}

// Table is a table of the module; Max is -1 if it declares none.
type Table struct {
	Type ValType
	Min  uint32
	Max  int64
}

// Memory is the module's memory, in pages of 64 KiB; Max is -1 if it declares none.
type Memory struct {
	Min uint32
	Max int64
}

// GlobalDecl is a global of the module.
type GlobalDecl struct {
	Type    ValType
	Mutable bool
	init    constExpr
}

// The kinds of an export.
const (
	ExportFunc   byte = 0
	ExportTable  byte = 1
	ExportMemory byte = 2
	ExportGlobal byte = 3
)

// Export is an export of the module.
type Export struct {
	Name  string
	Kind  byte
	Index uint32
}

type segmentMode byte

const (
	segmentActive segmentMode = iota
	segmentPassive
	segmentDeclared
)

// nullElem stands for ref.null in ElemDecl.items.
const nullElem = ^uint32(0)

// ElemDecl is an element segment.
type ElemDecl struct {
	Type   ValType
	mode   segmentMode
	table  uint32
	offset uint32
	items  []uint32 // function indices or nullElem
}

// DataDecl is a data segment; Offset counts for active ones only.
type DataDecl struct {
	Active bool
	Offset uint32
	Bytes  []byte
}

// constExpr is a constant initializer: one instruction.
type constExpr struct {
	op   opcode
	raw  []byte // as it stands, with its end
	num  uint64 // i32.const and i64.const
	fn   uint32 // ref.func
	kind ValType
}

// NumFuncs counts all functions, imports included.
func (m *Module) NumFuncs() int { return len(m.Imports) + len(m.Funcs) }

// FuncType gives the type of function fn; fn must be below NumFuncs.
func (m *Module) FuncType(fn uint32) FuncType { return m.Types[m.typeIndex(fn)] }

func (m *Module) typeIndex(fn uint32) uint32 {
	if n := uint32(len(m.Imports)); fn >= n {
		return m.Funcs[fn-n].Type
	}
	return m.Imports[fn].Type
}
