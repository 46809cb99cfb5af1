package binarytest

import "github.com/glovebox-wasm/glovebox/wasm/binary"

// badStructure is sections, imports, names, memories, tables and control.
var badStructure = []badCase{
	{"trailing bytes in a section", binary.RuleSectionSize, section(SecMemory, U32(1), Limits(1, 1), Code{0})},
	{"function without body", binary.RuleFuncCount, func(m *Module) { m.Type(nil, nil); m.Section(SecFunction, Vec(U32(0))) }},
	{"body without function", binary.RuleFuncCount, func(m *Module) { m.Section(SecCode, Vec(Cat(U32(2), U32(0), End))) }},
	{"overlong index", binary.RuleLEB, body(Code{0x20, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, Drop)},
	{"index out of 32 bits", binary.RuleLEB, body(Code{0x20, 0x80, 0x80, 0x80, 0x80, 0x10}, Drop)},
	{"overlong i32", binary.RuleLEB, body(Code{0x41, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, Drop)},
	{"i32 out of range", binary.RuleLEB, body(Code{0x41, 0xff, 0xff, 0xff, 0xff, 0x0f}, Drop)},
	{"i32 below range", binary.RuleLEB, body(Code{0x41, 0x80, 0x80, 0x80, 0x80, 0x70}, Drop)},
	{"i64 out of range", binary.RuleLEB, body(Code{0x42, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, Drop)},
	{"overlong i64", binary.RuleLEB, body(Code{0x42, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, Drop)},

	{"two memories", binary.RuleFeature, func(m *Module) { m.Memory(1, 1) }},
	{"memory above 4 GiB", binary.RuleMemory, section(SecMemory, Vec(Limits(65537, -1)))},
	{"memory maximum below minimum", binary.RuleMemory, section(SecMemory, Vec(Limits(2, 1)))},
	{"shared memory", binary.RuleFeature, section(SecMemory, Vec(Code{3, 1, 1}))},
	{"memory64", binary.RuleFeature, section(SecMemory, Vec(Code{5, 1, 1}))},
	{"limits of no form", binary.RuleType, section(SecMemory, Vec(Code{9, 1, 1}))},
	{"imported memory", binary.RuleImport, func(m *Module) { m.RawImport(Cat(Name("glovebox"), Name("memory"), Code{2}, Limits(1, 1))) }},
	{"imported global", binary.RuleImport, func(m *Module) { m.RawImport(Cat(Name("glovebox"), Name("g"), Code{3, I32, 0})) }},
	{"imported table", binary.RuleImport, func(m *Module) { m.RawImport(Cat(Name("glovebox"), Name("t"), Code{1, FuncRef}, Limits(1, 1))) }},
	{"import of another module", binary.RuleImport, func(m *Module) { m.Import("env", "log", int32s(3), nil) }},
	{"import of another name", binary.RuleImport, func(m *Module) { m.Import("glovebox", "system", int32s(3), nil) }},
	{"import of another type", binary.RuleImport, func(m *Module) { m.Import("glovebox", "log", int32s(2), nil) }},
	{"WASI name that is not offered", binary.RuleImport, func(m *Module) { m.Import("wasi_snapshot_preview1", "sock_send", int32s(5), int32s(1)) }},
	{"import of the wall", binary.RuleReservedName, func(m *Module) { m.Import("glovebox:wall", "refuel", nil, nil) }},
	{"import of a reserved name", binary.RuleReservedName, func(m *Module) { m.Import("glovebox", "glovebox:x", nil, nil) }},
	{"export of a reserved name", binary.RuleReservedName, func(m *Module) { m.ExportGlobal("glovebox:fuel", 0) }},
	{"export of the prefix", binary.RuleReservedName, func(m *Module) { m.ExportGlobal("glovebox:", 0) }},
	{"export twice", binary.RuleExportName, func(m *Module) { m.ExportGlobal("g", 1) }},
	{"name not UTF-8", binary.RuleName, func(m *Module) { m.ExportGlobal("\xff", 0) }},

	{"table maximum below minimum", binary.RuleTable, func(m *Module) { m.Table(FuncRef, 2, 1) }},
	{"table of numbers", binary.RuleType, func(m *Module) { m.Table(I32, 2, 2) }},
	{"table with initializer", binary.RuleFeature, section(SecTable, Vec(Cat(Code{0x40, 0, FuncRef}, Limits(1, 1), RefNull(FuncRef), End)))},

	{"local of no type", binary.RuleType, func(m *Module) { m.RawFunc(m.Type(nil, nil), Cat(U32(1), U32(1), Code{0x40}, End)) }},
	{"branch targets of tables", binary.RuleBranches, body(Repeat(9, Block(Void, Get(0), Code{0x0e}, U32(1000), Repeat(1001, Code{0}))))},
	{"body without end", binary.RuleTruncated, func(m *Module) { m.RawFunc(m.Type(nil, nil), Cat(U32(0), Nop)) }},
	{"block without end", binary.RuleTruncated, body(Code{0x02, Void})},
	{"code behind the end", binary.RuleControl, body(End, Nop)},
	{"else without if", binary.RuleControl, body(Block(Void, Else))},
	{"else twice", binary.RuleControl, body(Get(0), If(Void, Else, Else))},
	{"else of the function", binary.RuleControl, body(Else)},
	{"no memory", binary.RuleMemory, func(m *Module) { m.Section(SecMemory, nil); m.Section(SecExport, nil) }},
	{"an empty memory section", binary.RuleMemory, func(m *Module) { m.Section(SecMemory, U32(0)); m.Section(SecExport, nil) }},
	{"exports twice of several kinds", binary.RuleExportName, func(m *Module) {
		m.ExportFunc("memory", m.Func(nil, nil, nil))
	}},
	{"export twice after ten thousand", binary.RuleExportName, func(m *Module) {
		for i := range 9000 {
			m.ExportGlobal("x"+string(rune('0'+i/1000))+string(rune('0'+i/100%10))+string(rune('0'+i/10%10))+string(rune('0'+i%10)), 0)
		}
		m.ExportGlobal("x8999", 1)
	}},
	{"import name not UTF-8", binary.RuleName, func(m *Module) { m.Import("glovebox", "\xc0\x80", nil, nil) }},
	{"module name not UTF-8", binary.RuleName, func(m *Module) { m.Import("\xed\xa0\x80", "log", nil, nil) }},
	{"custom section's name not UTF-8", binary.RuleName, func(m *Module) { m.Custom("\xff", nil) }},
	{"Extism's kernel", binary.RuleImport, func(m *Module) { m.Import("extism:host/env", "http_request", Types{I64, I64}, Types{I64}) }},
	{"a socket", binary.RuleImport, func(m *Module) { m.Import("wasi_snapshot_preview1", "sock_recv", int32s(6), int32s(1)) }},
	{"a signal", binary.RuleImport, func(m *Module) { m.Import("wasi_snapshot_preview1", "proc_raise", int32s(1), int32s(1)) }},
	{"another WASI", binary.RuleImport, func(m *Module) { m.Import("wasi_unstable", "fd_write", int32s(4), int32s(1)) }},
	{"imported tag", binary.RuleImport, func(m *Module) { m.RawImport(Cat(Name("glovebox"), Name("t"), Code{4, 0, 0})) }},
	{"import of no kind", binary.RuleImport, func(m *Module) { m.RawImport(Cat(Name("glovebox"), Name("t"), Code{9, 0})) }},
	{"fault in the last of two thousand bodies", binary.RuleOpcode, func(m *Module) {
		for range 2000 {
			m.Func(nil, nil, nil, Repeat(500, Nop))
		}
		m.Func(nil, nil, nil, Code{0x27})
	}},
	{"body cut by its own size", binary.RuleTruncated, oneBody(U32(3), U32(0), Code{0x41, 0x80})},
	{"body of nothing", binary.RuleTruncated, func(m *Module) { m.RawFunc(m.Type(nil, nil), nil) }},
	{"if without end", binary.RuleTruncated, body(Get(0), Code{0x04, Void}, Else)},
	{"code behind an early end", binary.RuleControl, body(Block(Void), End, Unreachable)},
}

// badFeatures is what lies beyond WebAssembly 2.0.
var badFeatures = []badCase{
	{"no such opcode", binary.RuleOpcode, body(Code{0x27})},
	{"no such opcode behind 0xfc", binary.RuleOpcode, body(Code{0xfc, 0x12})},
	{"no such opcode behind 0xfd", binary.RuleOpcode, body(Code{0xfd, 0x9a, 0x01})},
	{"opcode number too large", binary.RuleOpcode, body(Code{0xfd, 0x80, 0x80, 0x01})},
	{"relaxed SIMD", binary.RuleFeature, body(Code{0xfd, 0x80, 0x02})},
	{"tail call", binary.RuleFeature, body(Code{0x12, 0})},
	{"indirect tail call", binary.RuleFeature, body(Code{0x13, 0, 0})},
	{"try", binary.RuleFeature, body(Code{0x06, Void})},
	{"try_table", binary.RuleFeature, body(Code{0x1f, Void, 0})},
	{"throw", binary.RuleFeature, body(Code{0x08, 0})},
	{"atomics", binary.RuleFeature, body(Code{0xfe, 0x03, 0})},
	{"struct.new", binary.RuleFeature, body(Code{0xfb, 0, 0})},
	{"call_ref", binary.RuleFeature, body(Code{0x14, 0})},
	{"memory.discard", binary.RuleOpcode, body(Get(0), Get(0), Code{0xfc, 0x12})},
	{"wide arithmetic", binary.RuleOpcode, body(Code{0xfc, 0x13})},
	{"half floats", binary.RuleFeature, body(Code{0xfd, 0xa0, 0x02})},
	{"relaxed SIMD, the last", binary.RuleFeature, body(Code{0xfd, 0x93, 0x02})},
	{"catch", binary.RuleFeature, body(Code{0x07, 0})},
	{"rethrow", binary.RuleFeature, body(Code{0x09, 0})},
	{"throw_ref", binary.RuleFeature, body(Code{0x0a})},
	{"delegate", binary.RuleFeature, body(Code{0x18, 0})},
	{"catch_all", binary.RuleFeature, body(Code{0x19})},
	{"return_call_ref", binary.RuleFeature, body(Code{0x15, 0})},
	{"ref.eq", binary.RuleFeature, body(Code{0xd3})},
	{"ref.as_non_null", binary.RuleFeature, body(Code{0xd4})},
	{"br_on_null", binary.RuleFeature, body(Code{0xd5, 0})},
	{"br_on_non_null", binary.RuleFeature, body(Code{0xd6, 0})},
	{"array.new", binary.RuleFeature, body(Code{0xfb, 6, 0})},
	{"memory.atomic.wait32", binary.RuleFeature, body(Code{0xfe, 0x01, 2, 0})},
	{"atomic.fence", binary.RuleFeature, body(Code{0xfe, 0x03, 0})},
	{"i32.atomic.rmw.cmpxchg", binary.RuleFeature, body(Code{0xfe, 0x48, 2, 0})},
	{"shared memory without maximum", binary.RuleFeature, section(SecMemory, Vec(Code{2, 1}))},
	{"shared memory of 64 bits", binary.RuleFeature, section(SecMemory, Vec(Code{7, 1, 1}))},
	{"memory of 64 bits without maximum", binary.RuleFeature, section(SecMemory, Vec(Code{4, 1}))},
	{"pages of another size", binary.RuleType, section(SecMemory, Vec(Code{8, 1, 0}))},
	{"table of 64 bits", binary.RuleFeature, section(SecTable, Vec(Code{FuncRef, 4, 1}))},
	{"three memories", binary.RuleFeature, func(m *Module) { m.Memory(0, 0); m.Memory(0, 0) }},
	{"memory.copy from memory 1", binary.RuleFeature, body(Get(0), Get(0), Get(0), Code{0xfc, 0x0a, 1, 0})},
	{"memory.fill of memory 1", binary.RuleFeature, body(Get(0), Get(0), Get(0), Code{0xfc, 0x0b, 1})},
	{"memory.grow of memory 1", binary.RuleFeature, body(Get(0), Code{0x40, 1}, Drop)},
	{"array type", binary.RuleFeature, section(SecType, Vec(Code{0x5e, I32, 0}))},
	{"recursive types", binary.RuleFeature, section(SecType, Vec(Code{0x4e, 1, 0x60, 0, 0}))},
	{"subtype", binary.RuleFeature, section(SecType, Vec(Code{0x50, 0, 0x60, 0, 0}))},
	{"a typed reference", binary.RuleFeature, func(m *Module) { m.Type(Types{0x64}, nil) }},
	{"i31", binary.RuleFeature, func(m *Module) { m.Type(nil, Types{0x6c}) }},
	{"a local of anyref", binary.RuleFeature, func(m *Module) { m.RawFunc(m.Type(nil, nil), Cat(U32(1), U32(1), Code{0x6e}, End)) }},
	{"a global of eqref", binary.RuleFeature, section(SecGlobal, Vec(Cat(Code{0x6d, 0}, I32Const(0), End)))},
	{"a packed type as a parameter", binary.RuleType, func(m *Module) { m.Type(Types{0x78}, nil) }},
	{"extended constant of i64", binary.RuleConstExpr, func(m *Module) { m.Global(I64, false, Cat(I64Const(1), I64Const(2), I64Add)) }},
	{"extended constant as a data offset", binary.RuleConstExpr, func(m *Module) {
		m.RawData(Cat(U32(0), I32Const(1), I32Const(2), I32Add, End, U32(0)))
	}},
	{"extended constant as an element offset", binary.RuleConstExpr, func(m *Module) {
		m.Table(FuncRef, 9, 9)
		m.RawElem(Cat(U32(0), I32Const(1), I32Const(2), I32Sub, End, U32(0)))
	}},
	{"struct.new in an initializer", binary.RuleFeature, func(m *Module) { m.Global(FuncRef, false, Code{0xfb, 0, 0}) }},
}
