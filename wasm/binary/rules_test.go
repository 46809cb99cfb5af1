package binary_test

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/glovebox-wasm/glovebox/wasm/binary"
	. "github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
)

// huge is a count that nothing can hold: 4,294,967,295.
var huge = Code{0xff, 0xff, 0xff, 0xff, 0x0f}

// body is a module whose only function, of type (i32) -> (), is made of raw bytes behind the local declarations.
func body(code ...Code) func(m *Module) {
	return func(m *Module) { m.RawFunc(m.Type(i32s(1), nil), Cat(U32(0), Cat(code...), End)) }
}

// section replaces a section of the shell.
func section(id int, content ...Code) func(m *Module) {
	return func(m *Module) { m.Section(id, Cat(content...)) }
}

// badModules break one rule each. They start from a shell that is admitted.
var badModules = []struct {
	name, rule string
	build      func(m *Module)
}{
	{"type count", binary.RuleSectionCount, section(SecType, huge)},
	{"import count", binary.RuleSectionCount, section(SecImport, huge)},
	{"function count", binary.RuleSectionCount, section(SecFunction, huge)},
	{"table count", binary.RuleSectionCount, section(SecTable, huge)},
	{"memory count", binary.RuleSectionCount, section(SecMemory, huge)},
	{"global count", binary.RuleSectionCount, section(SecGlobal, huge)},
	{"export count", binary.RuleSectionCount, section(SecExport, huge)},
	{"element count", binary.RuleSectionCount, section(SecElement, huge)},
	{"code count", binary.RuleSectionCount, section(SecCode, huge)},
	{"data count", binary.RuleSectionCount, section(SecData, huge)},
	{"elements of a segment", binary.RuleSectionCount, func(m *Module) { m.RawElem(Cat(U32(1), Code{0}, huge)) }},
	{"bytes of a segment", binary.RuleSectionCount, func(m *Module) { m.RawData(Cat(U32(1), huge)) }},
	{"parameter count", binary.RuleSectionCount, section(SecType, U32(1), Code{0x60}, huge, U32(0))},
	{"branch table count", binary.RuleSectionCount, body(Get(0), Code{0x0e}, huge)},
	{"more types than the limit", binary.RuleSectionCount, section(SecType, U32(10_001), Repeat(10_001, Code{0x60, 0, 0}))},
	{"more parameters than the limit", binary.RuleTypeArity, func(m *Module) { m.Type(i32s(129), nil) }},
	{"more results than the limit", binary.RuleTypeArity, func(m *Module) { m.Type(nil, i32s(129)) }},

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
	{"import of another module", binary.RuleImport, func(m *Module) { m.Import("env", "log", i32s(3), nil) }},
	{"import of another name", binary.RuleImport, func(m *Module) { m.Import("glovebox", "system", i32s(3), nil) }},
	{"import of another type", binary.RuleImport, func(m *Module) { m.Import("glovebox", "log", i32s(2), nil) }},
	{"WASI name that is not offered", binary.RuleImport, func(m *Module) { m.Import("wasi_snapshot_preview1", "sock_send", i32s(5), i32s(1)) }},
	{"import of the wall", binary.RuleReservedName, func(m *Module) { m.Import("glovebox:wall", "refuel", nil, nil) }},
	{"import of a reserved name", binary.RuleReservedName, func(m *Module) { m.Import("glovebox", "glovebox:x", nil, nil) }},
	{"export of a reserved name", binary.RuleReservedName, func(m *Module) { m.ExportGlobal("glovebox:fuel", 0) }},
	{"export of the prefix", binary.RuleReservedName, func(m *Module) { m.ExportGlobal("glovebox:", 0) }},
	{"export twice", binary.RuleExportName, func(m *Module) { m.ExportGlobal("g", 1) }},
	{"name not UTF-8", binary.RuleName, func(m *Module) { m.ExportGlobal("\xff", 0) }},
	{"name too long", binary.RuleName, func(m *Module) { m.ExportGlobal(string(Repeat(1025, Code("x"))), 0) }},

	{"table minimum", binary.RuleTableMin, func(m *Module) { m.Table(FuncRef, 1<<20+1, -1) }},
	{"table maximum below minimum", binary.RuleTable, func(m *Module) { m.Table(FuncRef, 2, 1) }},
	{"table of numbers", binary.RuleType, func(m *Module) { m.Table(I32, 2, 2) }},
	{"table with initializer", binary.RuleFeature, section(SecTable, Vec(Cat(Code{0x40, 0, FuncRef}, Limits(1, 1), RefNull(FuncRef), End)))},
	{"tables", binary.RuleSectionCount, section(SecTable, U32(17), Repeat(17, Cat(Code{FuncRef}, Limits(1, 1))))},

	{"locals", binary.RuleLocals, func(m *Module) { m.RawFunc(m.Type(nil, nil), Cat(U32(1), U32(4097), Code{I32}, End)) }},
	{"locals by overflow", binary.RuleLocals, func(m *Module) {
		m.RawFunc(m.Type(nil, nil), Cat(U32(2), huge, Code{I32}, huge, Code{I32}, End))
	}},
	{"local of no type", binary.RuleType, func(m *Module) { m.RawFunc(m.Type(nil, nil), Cat(U32(1), U32(1), Code{0x40}, End)) }},
	{"body size", binary.RuleBodySize, body(Repeat(65536, Nop))},
	{"nesting", binary.RuleNesting, body(Repeat(1500, Code{0x02, Void}), Repeat(1500, End))},
	{"blocks", binary.RuleBlocks, body(Repeat(8001, Block(Void)))},
	{"loops", binary.RuleBlocks, body(Repeat(1001, Loop(Void)))},
	{"branch targets", binary.RuleBranches, body(Block(Void, Repeat(8001, Br(0))))},
	{"branch targets of tables", binary.RuleBranches, body(Repeat(9, Block(Void, Get(0), Code{0x0e}, U32(1000), Repeat(1001, Code{0}))))},
	{"body without end", binary.RuleTruncated, func(m *Module) { m.RawFunc(m.Type(nil, nil), Cat(U32(0), Nop)) }},
	{"block without end", binary.RuleTruncated, body(Code{0x02, Void})},
	{"code behind the end", binary.RuleControl, body(End, Nop)},
	{"else without if", binary.RuleControl, body(Block(Void, Else))},
	{"else twice", binary.RuleControl, body(Get(0), If(Void, Else, Else))},
	{"else of the function", binary.RuleControl, body(Else)},

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
	{"start with parameters", binary.RuleStart, func(m *Module) { m.Start(m.Func(i32s(1), nil, nil)) }},
	{"start with results", binary.RuleStart, func(m *Module) { m.Start(m.Func(nil, i32s(1), nil, I32Const(1))) }},
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
}

func TestRules(t *testing.T) {
	if _, err := binary.Admit(shell().Bytes(), nil); err != nil {
		t.Fatalf("the shell itself: %v", err)
	}
	for _, c := range badModules {
		t.Run(c.name, func(t *testing.T) {
			m := shell()
			c.build(m)
			if _, err := binary.Admit(m.Bytes(), nil); ruleOf(err) != c.rule {
				t.Errorf("Admit: %v, want rule %q", err, c.rule)
			}
			if _, err := binary.Rewrite(m.Bytes(), nil); ruleOf(err) != c.rule {
				t.Errorf("Rewrite: %v, want rule %q", err, c.rule)
			}
		})
	}
}

// TestFraming is what no assembler writes: headers, sections and their order.
func TestFraming(t *testing.T) {
	s := shell().Sections()
	mem, typ := Section(SecMemory, s[SecMemory]), Section(SecType, Vec(Code{0x60, 0, 0}))
	for _, c := range []struct {
		name, rule string
		wasm       []byte
	}{
		{"empty", binary.RuleHeader, nil},
		{"magic only", binary.RuleHeader, []byte("\x00asm")},
		{"component", binary.RuleHeader, []byte("\x00asm\x0d\x00\x01\x00")},
		{"no section", binary.RuleMemory, Encode()},
		{"section twice", binary.RuleSectionOrder, Encode(mem, mem)},
		{"sections out of order", binary.RuleSectionOrder, Encode(mem, typ)},
		{"data count behind code", binary.RuleSectionOrder, Encode(mem, Section(SecCode, U32(0)), Section(SecDataCount, U32(0)))},
		{"tag section", binary.RuleFeature, Encode(typ, Section(13, U32(0)))},
		{"unknown section", binary.RuleSectionID, Encode(mem, Section(14, U32(0)))},
		{"section beyond the end", binary.RuleSectionSize, Encode(mem, Code{SecGlobal, 9, 0})},
		{"size of a section overlong", binary.RuleLEB, Encode(Code{SecType, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00})},
		{"custom section without name", binary.RuleTruncated, Encode(mem, Section(SecCustom, nil))},
		{"fifteen bytes that killed a host", binary.RuleSectionCount, fromHex(t, "0061736d010000000305ffffffff0f")},
	} {
		if _, err := binary.Admit(c.wasm, nil); ruleOf(err) != c.rule {
			t.Errorf("%s: %v, want rule %q", c.name, err, c.rule)
		}
	}
}

func fromHex(t *testing.T, s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPaddedIntegers: padding up to the type's own length is allowed, and linkers use it.
func TestPaddedIntegers(t *testing.T) {
	m := shell()
	m.ExportFunc("f", m.RawFunc(m.Type(i32s(1), i32s(1)), Cat(U32(0), Code{0x20, 0x80, 0x80, 0x80, 0x80, 0x00},
		Code{0x41, 0xff, 0xff, 0xff, 0xff, 0x7f}, Code{0x6a}, Code{0x42, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f}, Drop, End)))
	differential(t, m.Bytes(), nil, calls01)
}

// TestABIExports: what a guest of ABI version 1 must export.
func TestABIExports(t *testing.T) {
	good := func() *Module {
		m := New()
		m.Memory(1, 1)
		m.ExportMemory("memory")
		f := m.Func(nil, i32s(1), nil, I32Const(1))
		for _, name := range []string{"glovebox_abi", "glovebox_describe", "glovebox_decode"} {
			m.ExportFunc(name, f)
		}
		return m
	}
	opts := &binary.AdmitOptions{RequireABI: true}
	if _, err := binary.Admit(good().Bytes(), opts); err != nil {
		t.Fatal(err)
	}
	bad := map[string]*Module{"nothing": shell(), "an _initialize with results": good()}
	bad["an _initialize with results"].ExportFunc("_initialize", 0)
	other := New()
	other.Memory(1, 1)
	other.ExportMemory("memory")
	other.ExportFunc("glovebox_abi", other.Func(nil, Types{I64}, nil, I64Const(1)))
	bad["another type"] = other
	for name, m := range bad {
		if _, err := binary.Admit(m.Bytes(), opts); ruleOf(err) != binary.RuleExportABI {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOptionsRefused: a caller's own contradictions.
func TestOptionsRefused(t *testing.T) {
	wasm := shell().Bytes()
	for name, o := range map[string]*binary.RewriteOptions{
		"no page for the host": {MaxMemoryPages: 65536},
		"negative depth":       {MaxDepth: -1},
		"table":                {MaxTableElems: 1<<27 + 1},
		"negative limit":       {Admit: &binary.AdmitOptions{Limits: &binary.Limits{MaxFuncs: -1}}},
	} {
		if _, err := binary.Rewrite(wasm, o); ruleOf(err) != binary.RuleOptions {
			t.Errorf("%s: %v", name, err)
		}
	}
	m := New()
	m.Memory(11, -1)
	if _, err := binary.Rewrite(m.Bytes(), &binary.RewriteOptions{MaxMemoryPages: 10}); ruleOf(err) != binary.RuleMemoryMin {
		t.Errorf("minimum above the cap: %v", err)
	}
	if _, err := binary.Parse(wasm, &binary.Limits{MaxModuleBytes: len(wasm) - 1}); ruleOf(err) != binary.RuleModuleSize {
		t.Errorf("module size: %v", err)
	}
	if _, err := binary.Parse(wasm, &binary.Limits{MaxModuleBytes: len(wasm)}); err != nil {
		t.Errorf("exactly the module size: %v", err)
	}
}

// everything is a module with every section and every kind of content.
func everything() []byte {
	m := allForms()
	m.Custom("name", Cat(Code{1}, Name(string(Vec(Cat(U32(0), Name("f")))))))
	m.Custom("producers", []byte("whoever"))
	return m.Bytes()
}

func allForms() *Module {
	m := New()
	log := m.Import("glovebox", "log", i32s(3), nil)
	m.Memory(1, 3)
	m.ExportMemory("memory")
	m.Global(I32, true, I32Const(-7))
	m.Global(F64, false, F64Const(1))
	m.ExportGlobal("g", 0)
	m.Table(FuncRef, 4, 9)
	m.Table(ExternRef, 4, -1)
	f := m.Func(i32s(1), i32s(1), Types{I64, V128}, Get(0), If(I32, I32Const(1), Else, I32Const(2)), I32Const(4), I32Add, Call(log+2))
	g := m.Func(nil, nil, nil, Block(Void, I32Const(1), BrTable(1, 0, 0)), I32Const(1), I32Const(0), I32Const(0), MemoryInit(0), DataDrop(1))
	m.Elem(0, 0, f, log)
	m.PassiveElem(g)
	m.RawElem(Cat(U32(3), Code{0}, Vec(U32(f))))
	m.RawElem(Cat(U32(4), I32Const(1), End, Vec(Cat(RefNull(FuncRef), End), Cat(RefFunc(g), End))))
	m.RawElem(Cat(U32(6), U32(1), I32Const(1), End, Code{ExternRef}, Vec(Cat(RefNull(ExternRef), End))))
	m.RawElem(Cat(U32(7), Code{FuncRef}, Vec(Cat(RefFunc(f), End))))
	m.RawElem(Cat(U32(0), I32Const(0), End, Vec(U32(g))))
	m.Data(5, []byte("data"))
	m.PassiveData([]byte("passive"))
	m.RawData(Cat(U32(2), U32(0), I32Const(9), End, U32(1), Code("x")))
	m.Start(g)
	m.ExportFunc("f", f)
	return m
}

// TestCutAndChanged: a module cut at any byte, or with any byte replaced, is refused or admitted, and never more than that.
func TestCutAndChanged(t *testing.T) {
	wasm := everything()
	if _, err := binary.Rewrite(wasm, nil); err != nil {
		t.Fatal(err)
	}
	check := func(what string, at int, b []byte) {
		out, err := binary.Rewrite(b, nil)
		if err != nil {
			if ruleOf(err) == "" {
				t.Fatalf("%s %d: %v", what, at, err)
			}
			return
		}
		if _, err := binary.Parse(out, nil); err != nil {
			t.Fatalf("%s %d: the output: %v", what, at, err)
		}
		if _, err := binary.ReadState(out); err != nil {
			t.Fatalf("%s %d: its state: %v", what, at, err)
		}
	}
	for i := range wasm {
		check("cut", i, wasm[:i])
		for _, x := range []byte{0, 1, 0x0b, 0x40, 0x7f, 0x80, 0xff, wasm[i] + 1, wasm[i] ^ 0x80} {
			b := bytes.Clone(wasm)
			b[i] = x
			check("changed", i, b)
		}
	}
}

// TestEveryElementForm: the rewritten module holds the same tables.
func TestEveryElementForm(t *testing.T) {
	differential(t, everything(), nil, []invocation{inv("f", 0)})
}
