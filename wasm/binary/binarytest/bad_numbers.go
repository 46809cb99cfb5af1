package binarytest

import (
	"strconv"

	"github.com/glovebox-wasm/glovebox/wasm/binary"
)

// badNumber is a module that is one too much for a limit.
type badNumber struct {
	name, rule string
	raise      binary.Limits // under which it is admitted: the one field that it is about, with the least value that does
	build      func(m *Module)
}

// numbers has a row for every field of binary.Limits, at its default.
var numbers = []badNumber{
	{"types", binary.RuleSectionCount, binary.Limits{MaxTypes: 10_001}, section(SecType, U32(10_001), Repeat(10_001, Code{0x60, 0, 0}))},
	{"parameters", binary.RuleTypeArity, binary.Limits{MaxParams: 129}, func(m *Module) { m.Type(int32s(129), nil) }},
	{"results", binary.RuleTypeArity, binary.Limits{MaxParams: 129}, func(m *Module) { m.Type(nil, int32s(129)) }},
	{"imports", binary.RuleSectionCount, binary.Limits{MaxImports: 257}, func(m *Module) {
		for range 257 {
			m.Import("glovebox", "log", int32s(3), nil)
		}
	}},
	{"functions", binary.RuleSectionCount, binary.Limits{MaxFuncs: 100_001}, func(m *Module) {
		m.Type(nil, nil)
		m.Section(SecFunction, Cat(U32(100_001), Repeat(100_001, U32(0))))
		m.Section(SecCode, Cat(U32(100_001), Repeat(100_001, Code{2, 0, 0x0b})))
	}},
	{"tables", binary.RuleSectionCount, binary.Limits{MaxTables: 17}, section(SecTable, U32(17), Repeat(17, Cat(Code{FuncRef}, Limits(1, 1))))},
	{"entries of a table", binary.RuleTableMin, binary.Limits{MaxTableMin: 1<<20 + 1}, func(m *Module) { m.Table(FuncRef, 1<<20+1, -1) }},
	{"entries of several tables", binary.RuleTableMin, binary.Limits{MaxTableMin: 1<<20 + 1}, func(m *Module) {
		m.Table(FuncRef, 1<<19, -1)
		m.Table(ExternRef, 1<<19+1, -1)
	}},
	{"pages of memory", binary.RuleMemoryMin, binary.Limits{MaxMemoryMin: 16385}, section(SecMemory, Vec(Limits(16385, -1)))},
	{"globals", binary.RuleSectionCount, binary.Limits{MaxGlobals: 10_001}, section(SecGlobal, U32(10_001), Repeat(10_001, Cat(Code{I32, 0}, I32Const(0), End)))},
	{"exports", binary.RuleSectionCount, binary.Limits{MaxExports: 10_001}, func(m *Module) {
		for i := range 9_999 { // and the two of the shell
			m.ExportGlobal(strconv.Itoa(i), 0)
		}
	}},
	{"element segments", binary.RuleSectionCount, binary.Limits{MaxElemSegments: 10_001}, section(SecElement, U32(10_001), Repeat(10_001, Code{1, 0, 0}))},
	{"elements of a segment", binary.RuleSectionCount, binary.Limits{MaxElems: 256<<10 + 1}, func(m *Module) {
		m.RawElem(Cat(Code{1, 0}, U32(256<<10+1), Repeat(256<<10+1, U32(m.Func(nil, nil, nil)))))
	}},
	{"elements of two segments", binary.RuleSectionCount, binary.Limits{MaxElems: 256<<10 + 2}, func(m *Module) {
		f := m.Func(nil, nil, nil)
		for range 2 {
			m.RawElem(Cat(Code{1, 0}, U32(128<<10+1), Repeat(128<<10+1, U32(f))))
		}
	}},
	{"data segments", binary.RuleSectionCount, binary.Limits{MaxDataSegments: 100_001}, func(m *Module) {
		m.Section(SecDataCount, U32(100_001))
		m.Section(SecData, Cat(U32(100_001), Repeat(100_001, Code{1, 0})))
	}},
	{"bytes of data", binary.RuleDataSize, binary.Limits{MaxDataBytes: 16<<20 + 1}, func(m *Module) { m.PassiveData(make([]byte, 16<<20+1)) }},
	{"bytes of data in two segments", binary.RuleDataSize, binary.Limits{MaxDataBytes: 16<<20 + 2}, func(m *Module) {
		m.PassiveData(make([]byte, 8<<20+1))
		m.PassiveData(make([]byte, 8<<20+1))
	}},
	{"bytes of code", binary.RuleCodeSize, binary.Limits{MaxCodeBytes: 16_802_102}, func(m *Module) {
		m.Type(nil, nil)
		long := Cat(U32(0), Repeat(4000, Cat(F64Const(1), Drop)), End)
		m.Section(SecFunction, Cat(U32(420), Repeat(420, U32(0))))
		m.Section(SecCode, Cat(U32(420), Repeat(420, Cat(U32(uint32(len(long))), long))))
	}},
	{"custom sections", binary.RuleCustom, binary.Limits{MaxCustom: 1001}, func(m *Module) {
		for range 1001 {
			m.Custom("", nil)
		}
	}},
	{"function names", binary.RuleFuncNames, binary.Limits{MaxFuncNames: 200_001}, func(m *Module) {
		m.Custom("name", Cat(Code{1}, Name(string(Cat(U32(200_001), Repeat(200_001, Code{0, 0}))))))
	}},
	{"function names in two sections", binary.RuleFuncNames, binary.Limits{MaxFuncNames: 200_002}, func(m *Module) {
		for range 2 {
			m.Custom("name", Cat(Code{1}, Name(string(Cat(U32(100_001), Repeat(100_001, Code{0, 0}))))))
		}
	}},
	{"bytes of function names", binary.RuleFuncNames, binary.Limits{MaxFuncNameBytes: 130 * 65536}, func(m *Module) {
		m.Custom("name", Cat(Code{1}, Name(string(Cat(U32(130), Repeat(130, Cat(U32(0), Name(string(make([]byte, 65536))))))))))
	}},
	{"bytes of a name", binary.RuleName, binary.Limits{MaxNameBytes: 1025}, func(m *Module) { m.ExportGlobal(string(Repeat(1025, Code("x"))), 0) }},
	{"bytes of a body", binary.RuleBodySize, binary.Limits{MaxBodyBytes: 65538}, body(Repeat(65536, Nop))},
	{"locals", binary.RuleLocals, binary.Limits{MaxLocals: 4097}, func(m *Module) {
		m.RawFunc(m.Type(nil, nil), Cat(U32(1), U32(4097), Code{I32}, End))
	}},
	{"locals of many runs", binary.RuleLocals, binary.Limits{MaxLocals: 4097}, func(m *Module) {
		m.RawFunc(m.Type(nil, nil), Cat(U32(4097), Repeat(4097, Code{1, I32}), End))
	}},
	{"blocks in each other", binary.RuleNesting, binary.Limits{MaxNesting: 1501}, body(Repeat(1500, Code{0x02, Void}), Repeat(1500, End))},
	{"loops in each other", binary.RuleBlocks, binary.Limits{MaxLoops: 1400}, body(Repeat(1400, Code{0x03, Void}), Repeat(1400, End))},
	{"blocks", binary.RuleBlocks, binary.Limits{MaxBlocks: 8001}, body(Repeat(8001, Block(Void)))},
	{"loops", binary.RuleBlocks, binary.Limits{MaxLoops: 1001}, body(Repeat(1001, Loop(Void)))},
	{"loops of all functions", binary.RuleBlocks, binary.Limits{MaxAllLoops: 200_001}, func(m *Module) {
		f := m.Type(nil, nil)
		for range 200 {
			m.RawFunc(f, Cat(U32(0), Repeat(1000, Loop(Void)), End))
		}
		m.RawFunc(f, Cat(U32(0), Loop(Void), End))
	}},
	{"branches", binary.RuleBranches, binary.Limits{MaxBranchTargets: 8001}, body(Block(Void, Repeat(8001, Br(0))))},
	{"branches of tables", binary.RuleBranches, binary.Limits{MaxBranchTargets: 9009}, body(Repeat(9, Block(Void, Get(0), Code{0x0e}, U32(1000), Repeat(1001, Code{0}))))},
	{"bytes of the module", binary.RuleModuleSize, binary.Limits{MaxModuleBytes: 32<<20 + 49}, func(m *Module) { m.Custom("", make([]byte, 32<<20)) }},
}

// badNumbers is numbers, and the two caps of the rewriter.
func badNumbers() (out []Bad) {
	for _, c := range numbers {
		raised := &binary.RewriteOptions{Admit: &binary.AdmitOptions{Limits: &c.raise}}
		raised.MaxMemoryPages = uint32(c.raise.MaxMemoryMin) // the rewriter's own cap of the same thing
		out = append(out, Bad{Name: "one more than the limit of " + c.name, Rule: c.rule, Raised: raised, Wasm: func() []byte {
			m := shell()
			c.build(m)
			return m.Bytes()
		}})
	}
	module := func(build func(m *Module)) func() []byte {
		return func() []byte {
			m := shell()
			build(m)
			return m.Bytes()
		}
	}
	return append(out,
		Bad{Name: "memory beyond the rewriter's cap", Rule: binary.RuleMemoryMin, Wasm: module(section(SecMemory, Vec(Limits(11, -1)))),
			Opts: &binary.RewriteOptions{MaxMemoryPages: 10}, Raised: &binary.RewriteOptions{MaxMemoryPages: 11}},
		Bad{Name: "code that swells when it is rewritten", Rule: binary.RuleOutputSize, Wasm: module(func(m *Module) {
			for range 20 {
				m.Func(nil, nil, nil, Repeat(1000, Loop(Void)))
			}
		}), Opts: &binary.RewriteOptions{MaxOutputBytes: 80_000}, Raised: &binary.RewriteOptions{MaxOutputBytes: 2_000_000}})
}
