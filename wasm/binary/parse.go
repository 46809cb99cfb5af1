package binary

import "bytes"

// header is the magic number and version 1 (5.5.16).
var header = []byte{0, 'a', 's', 'm', 1, 0, 0, 0}

// The sections, by id (5.5.2).
const (
	sectionCustom    = 0
	sectionType      = 1
	sectionImport    = 2
	sectionFunction  = 3
	sectionTable     = 4
	sectionMemory    = 5
	sectionGlobal    = 6
	sectionExport    = 7
	sectionStart     = 8
	sectionElement   = 9
	sectionCode      = 10
	sectionData      = 11
	sectionDataCount = 12
	sectionTag       = 13 // of the exceptions proposal
)

// sectionRank is the order that sections must have: data count stands between element and code.
var sectionRank = [13]int{
	sectionType: 1, sectionImport: 2, sectionFunction: 3, sectionTable: 4, sectionMemory: 5, sectionGlobal: 6, sectionExport: 7,
	sectionStart: 8, sectionElement: 9, sectionDataCount: 10, sectionCode: 11, sectionData: 12,
}

// parser is a cursor with what it has read so far.
type parser struct {
	cursor
	lim   Limits
	m     *Module
	types []uint32 // of the function section, until the code section pairs them with bodies

	tableMin         int64 // of all tables
	dataBytes        int64 // of all segments
	codeBytes        int   // the code section
	allLoops         int   // of all functions
	customs          []Custom
	names, nameBytes int // of all name sections
}

// Parse reads the structure of a WebAssembly 2.0 module without importing anything of an engine's trust: every count is held
// against the bytes that are left before anything is allocated for it, every index against what it points into, and every
// instruction is decoded. Types of operands are not checked; the engine does that.
//
// The Module refers to b, which must not change. nil limits mean the defaults. Errors are *RuleError.
func Parse(b []byte, lim *Limits) (*Module, error) {
	p, err := parse(b, lim)
	if err != nil {
		return nil, err
	}
	return p.m, nil
}

// parse leaves what was read in the parser, also when it fails; the parser is nil only where the options are at fault.
func parse(b []byte, lim *Limits) (*parser, error) {
	l, err := lim.withDefaults()
	if err != nil {
		return nil, err
	}
	p := &parser{cursor: cursor{b: b, end: len(b)}, lim: l, m: &Module{Start: -1, raw: b, dataCount: -1}}
	if len(b) > l.MaxModuleBytes {
		return p, refuse(RuleModuleSize, "%d bytes, limit %d", len(b), l.MaxModuleBytes)
	}
	p.module()
	if p.err != nil {
		return p, p.err
	}
	return p, nil
}

func (p *parser) module() {
	if !bytes.Equal(p.bytes(len(header)), header) {
		p.err = nil
		p.fail(RuleHeader, 0, "not a WebAssembly module of version 1")
		return
	}
	rank := 0
	for p.err == nil && p.pos < len(p.b) {
		at := p.pos
		id := p.u8()
		size := p.u32()
		if p.err != nil {
			return
		}
		if int64(size) > int64(p.left()) {
			p.fail(RuleSectionSize, at, "section %d of %d bytes, %d left", id, size, p.left())
			return
		}
		if id == sectionTag {
			p.fail(RuleFeature, at, "exceptions (tag section)")
		} else if id > sectionTag {
			p.fail(RuleSectionID, at, "no section %d", id)
		} else if id != sectionCustom {
			if sectionRank[id] <= rank {
				p.fail(RuleSectionOrder, at, "section %d is out of order or there twice", id)
			}
			rank = sectionRank[id]
		}
		p.section(id, p.pos+int(size))
	}
	if p.err == nil {
		p.consistent()
	}
}

// section reads one section that ends at end and puts the cursor's own end back.
func (p *parser) section(id byte, end int) {
	if p.err != nil {
		return
	}
	at := p.pos
	p.end = end
	switch id {
	case sectionCustom:
		p.customSection()
	case sectionType:
		p.typeSection()
	case sectionImport:
		p.importSection()
	case sectionFunction:
		p.functionSection()
	case sectionTable:
		p.tableSection()
	case sectionMemory:
		p.memorySection()
	case sectionGlobal:
		p.globalSection()
	case sectionExport:
		p.exportSection()
	case sectionStart:
		p.m.Start = int64(p.funcIndex())
	case sectionElement:
		p.elementSection()
	case sectionDataCount:
		p.m.dataCount = int64(p.u32())
	case sectionCode:
		p.codeSection()
	case sectionData:
		p.dataSection()
	}
	if p.err == nil && p.pos != p.end {
		p.fail(RuleSectionSize, at, "section %d has %d bytes too many", id, p.end-p.pos)
	}
	p.end = len(p.b)
}

// consistent holds sections against each other once all are read.
func (p *parser) consistent() {
	m := p.m
	if len(p.types) != len(m.Funcs) {
		p.fail(RuleFuncCount, -1, "%d functions, %d bodies", len(p.types), len(m.Funcs))
	}
	if m.dataCount >= 0 && m.dataCount != int64(len(m.Data)) {
		p.fail(RuleDataCount, -1, "%d data segments announced, %d there", m.dataCount, len(m.Data))
	}
	if p.err == nil && m.Start >= 0 {
		if t := m.FuncType(uint32(m.Start)); len(t.Params)+len(t.Results) != 0 {
			p.fail(RuleStart, -1, "the start function has the type %s", t)
		}
	}
}

// customSection keeps function names and skips everything else.
func (p *parser) customSection() {
	start := p.pos
	name := p.name(p.lim.MaxNameBytes)
	body := p.pos
	p.bytes(p.left())
	if p.err != nil {
		return
	}
	if p.customs = append(p.customs, Custom{name, p.end - body}); len(p.customs) > p.lim.MaxCustom {
		p.fail(RuleCustom, start, "more than %d custom sections", p.lim.MaxCustom)
		return
	}
	if name == "name" {
		p.funcNames(body, p.end)
	}
}

func (p *parser) typeSection() {
	for range p.count("types", 3, p.lim.MaxTypes) {
		at := p.pos
		switch form := p.u8(); {
		case p.err != nil:
		case form == 0x4d || form == 0x4e || form == 0x4f || form == 0x50 || form == 0x5e || form == 0x5f:
			p.fail(RuleFeature, at, "garbage collection (type form %#x)", form)
		case form != 0x60:
			p.fail(RuleType, at, "no type form %#x", form)
		}
		t := FuncType{Params: p.valTypes(), Results: p.valTypes()}
		if p.err != nil {
			return
		}
		p.m.Types = append(p.m.Types, t)
	}
}

func (p *parser) valTypes() []ValType {
	at := p.pos
	n := p.count("value types", 1, 1<<30)
	if n > p.lim.MaxParams {
		p.fail(RuleTypeArity, at, "%d parameters or results, limit %d", n, p.lim.MaxParams)
		return nil
	}
	var out []ValType
	for range n {
		out = append(out, p.valType())
	}
	return out
}

func (p *parser) importSection() {
	for range p.count("imports", 4, p.lim.MaxImports) {
		at := p.pos
		im := Import{Module: p.name(p.lim.MaxNameBytes), Name: p.name(p.lim.MaxNameBytes)}
		kind := p.u8()
		if p.err != nil {
			return
		}
		if kind != 0 {
			p.fail(RuleImport, at, "only functions can be imported (kind %d)", kind)
			return
		}
		if im.Type = p.typeIndex(); p.err != nil {
			return
		}
		p.m.Imports = append(p.m.Imports, im)
	}
}

func (p *parser) functionSection() {
	for range p.count("functions", 1, p.lim.MaxFuncs) {
		p.types = append(p.types, p.typeIndex())
		if p.err != nil {
			return
		}
	}
}

func (p *parser) tableSection() {
	for range p.count("tables", 3, p.lim.MaxTables) {
		at := p.pos
		if p.pos < p.end && p.b[p.pos] == 0x40 {
			p.fail(RuleFeature, at, "typed function references (table with initializer)")
		}
		t := Table{Type: p.refType()}
		t.Min, t.Max = p.limits()
		if p.err != nil {
			return
		}
		if p.tableMin += int64(t.Min); p.tableMin > int64(p.lim.MaxTableMin) {
			p.fail(RuleTableMin, at, "%d entries in all tables, limit %d", p.tableMin, p.lim.MaxTableMin)
		}
		if t.Max >= 0 && t.Max < int64(t.Min) {
			p.fail(RuleTable, at, "maximum %d below minimum %d", t.Max, t.Min)
		}
		p.m.Tables = append(p.m.Tables, t)
	}
}

// limits reads minimum and maximum of a table or memory; max is -1 if there is none.
func (p *parser) limits() (min uint32, max int64) {
	at := p.pos
	flag := p.u8()
	switch {
	case flag >= 4 && flag <= 7:
		p.fail(RuleFeature, at, "memory64")
	case flag == 2 || flag == 3:
		p.fail(RuleFeature, at, "threads (shared memory)")
	case flag > 1:
		p.fail(RuleType, at, "no limits of form %#x", flag)
	}
	min, max = p.u32(), -1
	if flag == 1 {
		max = int64(p.u32())
	}
	return min, max
}

func (p *parser) memorySection() {
	at := p.pos
	n := p.count("memories", 2, 1<<30)
	if n > 1 {
		p.fail(RuleFeature, at, "multi-memory")
	}
	for range n {
		at := p.pos
		m := Memory{}
		m.Min, m.Max = p.limits()
		if p.err != nil {
			return
		}
		if m.Min > maxPages || m.Max > maxPages || (m.Max >= 0 && m.Max < int64(m.Min)) {
			p.fail(RuleMemory, at, "minimum %d, maximum %d pages", m.Min, m.Max)
		}
		if int64(m.Min) > int64(p.lim.MaxMemoryMin) {
			p.fail(RuleMemoryMin, at, "%d pages at the start, limit %d", m.Min, p.lim.MaxMemoryMin)
		}
		p.m.Memories = append(p.m.Memories, m)
	}
}

// maxPages is all that 32 bits can address, in pages of 64 KiB.
const maxPages = 65536

func (p *parser) globalSection() {
	for range p.count("globals", 4, p.lim.MaxGlobals) {
		g := GlobalDecl{Type: p.valType()}
		at := p.pos
		mut := p.u8()
		if mut > 1 {
			p.fail(RuleType, at, "no mutability %#x", mut)
		}
		g.Mutable = mut == 1
		g.init = p.constExpr(g.Type)
		if p.err != nil {
			return
		}
		p.m.Globals = append(p.m.Globals, g)
	}
}

func (p *parser) exportSection() {
	seen := map[string]bool{}
	for range p.count("exports", 3, p.lim.MaxExports) {
		at := p.pos
		e := Export{Name: p.name(p.lim.MaxNameBytes), Kind: p.u8(), Index: p.u32()}
		if p.err != nil {
			return
		}
		var n int
		switch e.Kind {
		case ExportFunc:
			n = len(p.m.Imports) + len(p.types)
		case ExportTable:
			n = len(p.m.Tables)
		case ExportMemory:
			n = len(p.m.Memories)
		case ExportGlobal:
			n = len(p.m.Globals)
		case 4:
			p.fail(RuleFeature, at, "exceptions (exported tag)")
		default:
			p.fail(RuleType, at, "no export kind %#x", e.Kind)
		}
		if p.err == nil && int64(e.Index) >= int64(n) {
			p.fail(RuleIndex, at, "export of %d, there are %d", e.Index, n)
		}
		if p.err == nil && seen[e.Name] {
			p.fail(RuleExportName, at, "%q twice", short(e.Name))
		}
		if p.err != nil {
			return
		}
		seen[e.Name] = true
		p.m.Exports = append(p.m.Exports, e)
	}
}

// short cuts a name for a message.
func short(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}

func (p *parser) typeIndex() uint32 {
	at := p.pos
	i := p.u32()
	if p.err == nil && int64(i) >= int64(len(p.m.Types)) {
		p.fail(RuleIndex, at, "type %d, there are %d", i, len(p.m.Types))
		return 0
	}
	return i
}

func (p *parser) funcIndex() uint32 {
	at := p.pos
	i := p.u32()
	if n := len(p.m.Imports) + len(p.types); p.err == nil && int64(i) >= int64(n) {
		p.fail(RuleIndex, at, "function %d, there are %d", i, n)
		return 0
	}
	return i
}
