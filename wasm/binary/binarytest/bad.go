package binarytest

import "github.com/glovebox-wasm/glovebox/wasm/binary"

// Bad is a module that binary.Rewrite refuses.
type Bad struct {
	Name string
	Rule string        // that it breaks
	Wasm func() []byte // made anew at each call; up to 33 MiB

	Opts   *binary.RewriteOptions // under which it is refused; nil means the defaults
	Raised *binary.RewriteOptions // where the rule is about a number: under which it is admitted
}

// badCase is a row of the tables: what it adds to a shell that is admitted.
type badCase struct {
	name, rule string
	build      func(m *Module)
}

// shell is a module with a memory, an exported i32 and a scratch i64.
func shell() *Module {
	m := New()
	m.Memory(1, 4)
	m.ExportMemory("memory")
	m.Global(I32, true, I32Const(7))
	m.Global(I64, true, I64Const(-1))
	m.ExportGlobal("g", 0)
	return m
}

// Shell is the module that most of BadModules start from; it is admitted.
func Shell() []byte { return shell().Bytes() }

func int32s(n int) Types { return Types(Repeat(n, Code{I32})) }

// body is a module whose only function, of type (i32) -> (), is made of raw bytes behind the local declarations.
func body(code ...Code) func(m *Module) {
	return func(m *Module) { m.RawFunc(m.Type(int32s(1), nil), Cat(U32(0), Cat(code...), End)) }
}

// section replaces a section of the shell.
func section(id int, content ...Code) func(m *Module) {
	return func(m *Module) { m.Section(id, Cat(content...)) }
}

// oneBody is a code section of one body, which begins with its size, for a function of type () -> ().
func oneBody(code ...Code) func(m *Module) {
	return func(m *Module) {
		m.Type(nil, nil)
		m.Section(SecFunction, Vec(U32(0)))
		m.Section(SecCode, Cat(U32(1), Cat(code...)))
	}
}

// BadModules are modules that break one rule each, with at least one for every rule about a module, and for every number of
// binary.Limits. Each is made by a few lines of code, so that it can be read what is wrong with it.
func BadModules() []Bad {
	var out []Bad
	for _, table := range [][]badCase{bombs(), badStructure, badIndices, badForms, badFeatures, badIntegers()} {
		for _, c := range table {
			out = append(out, Bad{Name: c.name, Rule: c.rule, Wasm: func() []byte {
				m := shell()
				c.build(m)
				return m.Bytes()
			}})
		}
	}
	out = append(out, badFraming()...)
	out = append(out, badABI()...)
	return append(out, badNumbers()...)
}

// counts are numbers of things that no module holds: what took an engine gigabytes, the largest signed and the largest unsigned.
var counts = []struct {
	name string
	n    uint32
}{{"100 million", 100_000_000}, {"2^31", 1 << 31}, {"2^32-1", 1<<32 - 1}}

// bombs declare a count and bring nothing: one for each section, and for each list within one.
func bombs() (out []badCase) {
	function := func(code ...Code) func(m *Module) {
		return func(m *Module) { m.RawFunc(m.Type(int32s(1), nil), Cat(code...)) }
	}
	for _, c := range counts {
		n := U32(c.n)
		add := func(what, rule string, build func(m *Module)) {
			out = append(out, badCase{c.name + " " + what, rule, build})
		}
		for id, what := range []string{SecType: "types", SecImport: "imports", SecFunction: "functions", SecTable: "tables", SecMemory: "memories",
			SecGlobal: "globals", SecExport: "exports", SecElement: "element segments", SecCode: "bodies", SecData: "data segments"} {
			if what != "" {
				add(what, binary.RuleSectionCount, section(id, n))
			}
		}
		add("data segments announced", binary.RuleDataCount, section(SecDataCount, n))
		add("parameters", binary.RuleSectionCount, section(SecType, U32(1), Code{0x60}, n, U32(0)))
		add("results", binary.RuleSectionCount, section(SecType, U32(1), Code{0x60}, U32(0), n))
		add("elements", binary.RuleSectionCount, func(m *Module) { m.RawElem(Cat(U32(1), Code{0}, n)) })
		add("elements of an active segment", binary.RuleSectionCount, func(m *Module) { m.RawElem(Cat(U32(0), I32Const(0), End, n)) })
		add("element expressions", binary.RuleSectionCount, func(m *Module) { m.RawElem(Cat(U32(5), Code{FuncRef}, n)) })
		add("bytes of data", binary.RuleSectionCount, func(m *Module) { m.RawData(Cat(U32(1), n)) })
		add("bytes of active data", binary.RuleSectionCount, func(m *Module) { m.RawData(Cat(U32(0), I32Const(0), End, n)) })
		add("branch targets", binary.RuleSectionCount, body(Get(0), Code{0x0e}, n))
		add("types of a select", binary.RuleSectionCount, body(Code{0x1c}, n))
		add("runs of locals", binary.RuleSectionCount, function(n, Code{0x01, I32}, End))
		add("locals in one run", binary.RuleLocals, function(U32(1), n, Code{I32}, End))
		add("locals in two runs", binary.RuleLocals, function(U32(2), n, Code{I32}, n, Code{V128}, End))
		add("bytes of a body", binary.RuleSectionSize, oneBody(n))
		add("bytes of a module's name", binary.RuleName, section(SecImport, U32(1), n, Repeat(8, Code{'a'})))
		add("bytes of an import's name", binary.RuleName, section(SecImport, U32(1), Name("glovebox"), n, Repeat(8, Code{'a'})))
		add("bytes of an export's name", binary.RuleName, section(SecExport, U32(1), n, Repeat(8, Code{'a'})))
		add("table entries", binary.RuleTableMin, section(SecTable, Vec(Cat(Code{FuncRef, 0}, n))))
		add("pages of memory", binary.RuleMemory, section(SecMemory, Vec(Cat(Code{0}, n))))
		add("pages of memory at most", binary.RuleMemory, section(SecMemory, Vec(Cat(Code{1, 1}, n))))
	}
	return out
}
