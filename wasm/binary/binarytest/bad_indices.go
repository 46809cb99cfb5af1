package binarytest

import "github.com/glovebox-wasm/glovebox/wasm/binary"

// badIndices is whatever points beyond what there is, or is not what it must be.
var badIndices = []badCase{
	{"label", binary.RuleLabel, body(Br(1))},
	{"label of br_if", binary.RuleLabel, body(Block(Void, Get(0), BrIf(2)))},
	{"label of br_table", binary.RuleLabel, body(Get(0), BrTable(0, 0, 1))},
	{"default of br_table", binary.RuleLabel, body(Get(0), BrTable(1, 0, 0))},
	{"function", binary.RuleIndex, body(Call(1))},
	{"function of ref.func", binary.RuleIndex, body(RefFunc(1), Drop)},
	{"type of call_indirect", binary.RuleIndex, func(m *Module) { m.Table(FuncRef, 1, 1); body(Get(0), CallIndirect(1, 0))(m) }},
	{"table of call_indirect", binary.RuleIndex, body(Get(0), CallIndirect(0, 0))},
	{"type of a block", binary.RuleIndex, body(BlockOf(0x02, 1))},
	{"local", binary.RuleIndex, body(Get(1), Drop)},
	{"global.get", binary.RuleIndex, body(GlobalGet(2), Drop)},
	{"global.set", binary.RuleIndex, body(I64Const(1<<62), GlobalSet(2))},
	{"table.get", binary.RuleIndex, body(Get(0), TableGet(0), Drop)},
	{"table.copy", binary.RuleIndex, func(m *Module) { m.Table(FuncRef, 1, 1); body(Get(0), Get(0), Get(0), TableCopy(0, 1))(m) }},
	{"table.init segment", binary.RuleIndex, func(m *Module) { m.Table(FuncRef, 1, 1); body(Get(0), Get(0), Get(0), TableInit(0, 0))(m) }},
	{"table.init table", binary.RuleIndex, func(m *Module) { m.PassiveElem(); body(Get(0), Get(0), Get(0), TableInit(0, 0))(m) }},
	{"elem.drop", binary.RuleIndex, body(ElemDrop(0))},
	{"memory.init", binary.RuleIndex, func(m *Module) { m.PassiveData(nil); body(Get(0), Get(0), Get(0), MemoryInit(1))(m) }},
	{"data.drop", binary.RuleIndex, func(m *Module) { m.PassiveData(nil); body(DataDrop(1))(m) }},
	{"data.drop without data count", binary.RuleDataCount, func(m *Module) { m.PassiveData(nil); m.NoDataCount(); body(DataDrop(0))(m) }},
	{"data count and data differ", binary.RuleDataCount, func(m *Module) { m.PassiveData(nil); m.Section(SecDataCount, U32(2)) }},
	{"data count without data", binary.RuleDataCount, section(SecDataCount, U32(1))},
	{"type of a function", binary.RuleIndex, section(SecFunction, Vec(U32(0)))},
	{"type of an import", binary.RuleIndex, func(m *Module) { m.RawImport(Cat(Name("glovebox"), Name("log"), Code{0}, U32(9))) }},
	{"exported function", binary.RuleIndex, func(m *Module) { m.ExportFunc("x", 0) }},
	{"exported global", binary.RuleIndex, func(m *Module) { m.ExportGlobal("x", 2) }},
	{"exported table", binary.RuleIndex, func(m *Module) { m.Export("x", 1, 0) }},
	{"exported memory", binary.RuleIndex, func(m *Module) { m.Export("x", 2, 1) }},
	{"exported tag", binary.RuleFeature, func(m *Module) { m.Export("x", 4, 0) }},
	{"export of no kind", binary.RuleType, func(m *Module) { m.Export("x", 5, 0) }},
	{"start function", binary.RuleIndex, func(m *Module) { m.Start(0) }},
	{"start with parameters", binary.RuleStart, func(m *Module) { m.Start(m.Func(int32s(1), nil, nil)) }},
	{"start with results", binary.RuleStart, func(m *Module) { m.Start(m.Func(nil, int32s(1), nil, I32Const(1))) }},
	{"function of an element", binary.RuleIndex, func(m *Module) { m.PassiveElem(0) }},
	{"function of an element expression", binary.RuleIndex, func(m *Module) { m.RawElem(Cat(U32(5), Code{FuncRef}, Vec(Cat(RefFunc(0), End)))) }},
	{"table of elements", binary.RuleIndex, func(m *Module) { m.Elem(0, 0) }},
	{"type of elements", binary.RuleElemType, func(m *Module) {
		m.Table(ExternRef, 1, 1)
		m.Elem(0, 0)
	}},
	{"elements out of bounds", binary.RuleElemBounds, func(m *Module) {
		m.Table(FuncRef, 1, 9)
		f := m.Func(nil, nil, nil)
		m.Elem(0, 1, f)
	}},
	{"element segment of no form", binary.RuleType, func(m *Module) { m.RawElem(Cat(U32(8), Code{0})) }},
	{"element kind", binary.RuleType, func(m *Module) { m.RawElem(Cat(U32(1), Code{1}, U32(0))) }},
	{"data out of bounds", binary.RuleDataBounds, func(m *Module) { m.Data(65535, []byte("ab")) }},
	{"data at a negative offset", binary.RuleDataBounds, func(m *Module) { m.RawData(Cat(U32(0), I32Const(-1), End, U32(1), Code{0})) }},
	{"data segment of no form", binary.RuleType, func(m *Module) { m.RawData(Cat(U32(3), U32(0))) }},
	{"data of memory 1", binary.RuleFeature, func(m *Module) { m.RawData(Cat(U32(2), U32(1), I32Const(0), End, U32(0))) }},
}

// badForms is initializers, immediates and types.
var badForms = []badCase{
	{"initializer by a global", binary.RuleConstExpr, func(m *Module) { m.Global(I32, false, GlobalGet(0)) }},
	{"initializer that computes", binary.RuleConstExpr, func(m *Module) { m.Global(I32, false, Cat(I32Const(1), I32Const(2), I32Add)) }},
	{"initializer of another type", binary.RuleConstExpr, func(m *Module) { m.Global(I64, false, I32Const(1)) }},
	{"empty initializer", binary.RuleConstExpr, func(m *Module) { m.Global(I64, false, nil) }},
	{"initializer by a function", binary.RuleIndex, func(m *Module) { m.Global(FuncRef, false, RefFunc(0)) }},
	{"mutability", binary.RuleType, section(SecGlobal, Vec(Cat(Code{I32, 2}, I32Const(0), End)))},
	{"data offset of another type", binary.RuleConstExpr, func(m *Module) { m.RawData(Cat(U32(0), I64Const(0), End, U32(0))) }},

	{"alignment", binary.RuleAlign, body(Get(0), Mem(0x28, 3, 0), Drop)},
	{"alignment of a vector", binary.RuleAlign, body(Get(0), Vector(0x00, 5, 0), Drop)},
	{"memory index in an access", binary.RuleFeature, body(Get(0), Mem(0x28, 0x42, 0), Drop)},
	{"memory index of memory.size", binary.RuleFeature, body(Code{0x3f, 1}, Drop)},
	{"memory index of memory.copy", binary.RuleFeature, body(Get(0), Get(0), Get(0), Code{0xfc, 0x0a, 0, 1})},
	{"lane", binary.RuleLane, body(V128Const(0, 0), Vector(0x15, 16), Drop)},
	{"lane of a shuffle", binary.RuleLane, body(V128Const(0, 0), V128Const(0, 0), Vector(0x0d, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32), Drop)},
	{"lane of a load", binary.RuleLane, body(Get(0), V128Const(0, 0), Vector(0x57, 0, 0, 2), Drop)},
	{"block of no type", binary.RuleType, body(Block(0x41))},
	{"select of two types", binary.RuleType, body(Code{0x1c, 2, I32, I32})},
	{"select of no type", binary.RuleType, body(Code{0x1c, 0})},
	{"ref.null of a number", binary.RuleType, body(RefNull(I32), Drop)},
	{"type form", binary.RuleType, section(SecType, Vec(Code{0x61, 0, 0}))},
	{"struct type", binary.RuleFeature, section(SecType, Vec(Code{0x5f, 0, 0}))},
	{"exception reference", binary.RuleFeature, func(m *Module) { m.Type(Types{0x69}, nil) }},
}
