package binarytest

import (
	"fmt"

	"github.com/glovebox-wasm/glovebox/wasm/binary"
)

// badFraming is what no assembler writes: headers, sections and their order.
func badFraming() (out []Bad) {
	s := shell().Sections()
	mem, typ := Section(SecMemory, s[SecMemory]), Section(SecType, Vec(Code{0x60, 0, 0}))
	add := func(name, rule string, wasm []byte) {
		out = append(out, Bad{Name: name, Rule: rule, Wasm: func() []byte { return wasm }})
	}
	add("empty", binary.RuleHeader, nil)
	add("magic only", binary.RuleHeader, []byte("\x00asm"))
	add("component", binary.RuleHeader, []byte("\x00asm\x0d\x00\x01\x00"))
	add("version 2", binary.RuleHeader, []byte("\x00asm\x02\x00\x00\x00"))
	add("text format", binary.RuleHeader, []byte("(module (memory 1))"))
	add("another file", binary.RuleHeader, []byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00"))
	add("no section", binary.RuleMemory, Encode())
	add("sections out of order", binary.RuleSectionOrder, Encode(mem, typ))
	add("data count behind code", binary.RuleSectionOrder, Encode(mem, Section(SecCode, U32(0)), Section(SecDataCount, U32(0))))
	add("data count before elements", binary.RuleSectionOrder, Encode(mem, Section(SecDataCount, U32(0)), Section(SecElement, U32(0))))
	add("tag section", binary.RuleFeature, Encode(typ, Section(13, U32(0))))
	add("unknown section", binary.RuleSectionID, Encode(mem, Section(14, U32(0))))
	add("unknown section, the last", binary.RuleSectionID, Encode(mem, Section(0xff, U32(0))))
	add("section beyond the end", binary.RuleSectionSize, Encode(mem, Code{SecGlobal, 9, 0}))
	add("section of 4 GiB", binary.RuleSectionSize, Encode(mem, Code{SecGlobal}, U32(1<<32-1)))
	add("custom section of 4 GiB", binary.RuleSectionSize, Encode(mem, Code{SecCustom}, U32(1<<32-1)))
	add("section of no size", binary.RuleTruncated, Encode(mem, Code{SecGlobal}))
	add("section of no content", binary.RuleTruncated, Encode(mem, Section(SecGlobal, nil)))
	add("start section of two functions", binary.RuleIndex, Encode(mem, Section(SecStart, Code{0, 0})))
	add("custom section without name", binary.RuleTruncated, Encode(mem, Section(SecCustom, nil)))
	add("custom section shorter than its name", binary.RuleTruncated, Encode(mem, Section(SecCustom, Code{5, 'a'})))
	add("fifteen bytes that killed a host", binary.RuleSectionCount, Encode(Code{SecFunction, 5, 0xff, 0xff, 0xff, 0xff, 0x0f}))
	for _, id := range order {
		content := map[int]Code{SecStart: U32(0), SecDataCount: U32(0)}[id]
		if content == nil {
			content = U32(0)
		}
		if id == SecStart { // it names a function, which must be there
			fn := Cat(typ, Section(SecFunction, Vec(U32(0))), Section(SecMemory, s[SecMemory]))
			add(fmt.Sprintf("section %d twice", id), binary.RuleSectionOrder, Encode(fn, Section(id, content), Section(id, content)))
			continue
		}
		add(fmt.Sprintf("section %d twice", id), binary.RuleSectionOrder, Encode(Section(id, content), Section(id, content)))
	}
	return out
}

// badIntegers is integers that are longer than their type allows, or out of its range, wherever one may stand.
func badIntegers() (out []badCase) {
	long32 := Code{0x80, 0x80, 0x80, 0x80, 0x80, 0x00} // zero in six bytes
	wide32 := Code{0xff, 0xff, 0xff, 0xff, 0x1f}       // 2^33-1
	long64 := Cat(Repeat(10, Code{0x80}), Code{0})
	add := func(name string, build func(m *Module)) { out = append(out, badCase{name, binary.RuleLEB, build}) }
	for _, v := range []struct {
		name string
		leb  Code
	}{{"in six bytes", long32}, {"of 33 bits", wide32}} {
		for id, what := range []string{SecType: "types", SecImport: "imports", SecFunction: "functions", SecTable: "tables", SecMemory: "memories",
			SecGlobal: "globals", SecExport: "exports", SecStart: "start function", SecElement: "elements", SecCode: "bodies", SecData: "data",
			SecDataCount: "data count"} {
			if what != "" {
				add("count of "+what+" "+v.name, section(id, v.leb))
			}
		}
		add("local "+v.name, body(Code{0x20}, v.leb, Drop))
		add("label "+v.name, body(Code{0x0c}, v.leb))
		add("function "+v.name, body(Code{0x10}, v.leb))
		add("alignment "+v.name, body(Get(0), Code{0x28}, v.leb, Code{0}, Drop))
		add("offset "+v.name, body(Get(0), Code{0x28, 2}, v.leb, Drop))
		add("offset of a vector "+v.name, body(Get(0), Code{0xfd, 0, 4}, v.leb, Drop))
		add("opcode behind 0xfc "+v.name, body(Code{0xfc}, v.leb))
		add("opcode behind 0xfd "+v.name, body(Code{0xfd}, v.leb))
		add("memory minimum "+v.name, section(SecMemory, U32(1), Code{0}, v.leb))
		add("table maximum "+v.name, section(SecTable, U32(1), Code{FuncRef, 1, 0}, v.leb))
		add("size of a body "+v.name, oneBody(v.leb))
		add("i32 "+v.name, body(Code{0x41}, v.leb, Drop))
		add("length of a name "+v.name, section(SecExport, U32(1), v.leb))
	}
	add("offset of 64 bits", body(Get(0), Code{0x28, 2, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, Drop))
	add("i64 in eleven bytes", body(Code{0x42}, long64, Drop))
	add("i64 out of range below", body(Code{0x42}, Repeat(9, Code{0x80}), Code{0x7e}, Drop))
	add("block type in six bytes", body(Code{0x02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, End))
	add("block type of 34 bits", body(Code{0x02, 0x80, 0x80, 0x80, 0x80, 0x20}, End))
	out = append(out, badCase{"a negative block type", binary.RuleType, body(Code{0x02, 0xff, 0x7f}, End)})
	return out
}

// badABI is modules that are admitted, but are no guests of ABI version 1.
func badABI() (out []Bad) {
	guest := func(names ...string) *Module {
		m := New()
		m.Memory(1, 1)
		f := m.Func(nil, Types{I32}, nil, I32Const(1))
		for _, name := range names {
			if name == "memory" {
				m.ExportMemory(name)
			} else {
				m.ExportFunc(name, f)
			}
		}
		return m
	}
	opts := &binary.RewriteOptions{Admit: &binary.AdmitOptions{RequireABI: true}}
	add := func(name string, m *Module) {
		out = append(out, Bad{Name: name, Rule: binary.RuleExportABI, Wasm: m.Bytes, Opts: opts, Raised: &binary.RewriteOptions{}})
	}
	add("no memory exported", guest("glovebox_abi", "glovebox_describe", "glovebox_decode"))
	add("no version", guest("memory", "glovebox_describe", "glovebox_decode"))
	add("no describe", guest("memory", "glovebox_abi", "glovebox_decode"))
	add("no decode", guest("memory", "glovebox_abi", "glovebox_describe"))
	add("an _initialize with results", guest("memory", "glovebox_abi", "glovebox_describe", "glovebox_decode", "_initialize"))
	m := guest("memory", "glovebox_abi", "glovebox_describe")
	m.ExportFunc("glovebox_decode", m.Func(nil, Types{I64}, nil, I64Const(0)))
	add("decode of another type", m)
	m = guest("memory", "glovebox_abi", "glovebox_describe")
	m.Global(I32, false, I32Const(0))
	m.ExportGlobal("glovebox_decode", 0)
	add("decode is a global", m)
	m = guest("glovebox_abi", "glovebox_describe", "glovebox_decode")
	m.ExportFunc("memory", 0)
	add("memory is a function", m)
	return out
}
