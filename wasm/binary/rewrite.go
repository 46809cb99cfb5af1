package binary

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
)

// RewriterVersion changes whenever the same module comes out of Rewrite differently.
const RewriterVersion = 3

// The import that the rewriter adds: a function of type () -> () that a guest calls when its fuel is used up. The host sets the
// fuel to what may be spent next, or ends the guest by a panic.
const (
	WallModule = ReservedPrefix + "wall"
	WallRefuel = "refuel"
)

// Names of the exports that the rewriter adds; State carries them too.
const (
	exportFuel   = ReservedPrefix + "fuel"
	exportDepth  = ReservedPrefix + "depth"
	exportTaint  = ReservedPrefix + "taint"
	exportStart  = ReservedPrefix + "start"
	exportGlobal = ReservedPrefix + "g%d"
)

// RewriteOptions are the caps that the rewriter writes into a module. nil means all defaults; zero means the default.
type RewriteOptions struct {
	Admit          *AdmitOptions // what is admitted; nil means the defaults
	MaxMemoryPages uint32        // 64 KiB each, at most 65,535; the guest's memory cap. Default 16,384 (1 GiB)
	MaxTableElems  uint32        // what all tables together may grow to, those that declare less aside; default 1 Mi
	MaxDepth       int32         // calls open at once; default 1,500
	MaxOutputBytes int           // code of the output, which is larger than the module's; default 64 MiB
	PackData       bool          // compress the data that the host writes, for a module that ships
}

func (o *RewriteOptions) withDefaults() (RewriteOptions, error) {
	out := RewriteOptions{}
	if o != nil {
		out = *o
	}
	if out.MaxMemoryPages == 0 {
		out.MaxMemoryPages = 16384
	}
	if out.MaxTableElems == 0 {
		out.MaxTableElems = 1 << 20
	}
	if out.MaxDepth == 0 {
		out.MaxDepth = 1500
	}
	if out.MaxOutputBytes == 0 {
		out.MaxOutputBytes = 64 << 20
	}
	switch {
	case out.MaxMemoryPages >= maxPages:
		return out, refuse(RuleOptions, "MaxMemoryPages leaves no page for the host")
	case out.MaxTableElems > 1<<27:
		return out, refuse(RuleOptions, "MaxTableElems is above 2^27")
	case out.MaxDepth < 0:
		return out, refuse(RuleOptions, "MaxDepth is negative")
	case out.MaxOutputBytes < 0:
		return out, refuse(RuleOptions, "MaxOutputBytes is negative")
	}
	return out, nil
}

// admit is Admit with the cap of the memory as the limit of its minimum, unless the caller set another.
func (o *RewriteOptions) admit() *AdmitOptions {
	var a AdmitOptions
	if o.Admit != nil {
		a = *o.Admit
	}
	var l Limits
	if a.Limits != nil {
		l = *a.Limits
	}
	if l.MaxMemoryMin == 0 {
		l.MaxMemoryMin = int(o.MaxMemoryPages)
	}
	a.Limits = &l
	return &a
}

// rewriter is one rewriting.
type rewriter struct {
	m     *Module
	opts  RewriteOptions
	plans []*plan

	memoryMax uint32   // pages that the guest may have
	tableMax  []uint32 // by table

	refuel             uint32 // function index of the added import
	fuel, depth, taint uint32 // indices of the added globals

	types       []FuncType // added
	typeAt      map[string]uint32
	helpers     []helper
	helperIndex map[helperKey]uint32
}

// Rewrite is rings 1 and 2: it admits b and gives the module that runs in its place.
//
// The result computes what b computes, and besides: it takes fuel as it goes and calls WallRefuel when that is used up; it
// counts open calls and traps (unreachable) above MaxDepth; operations on memory and tables pay by length and look at the fuel
// at least once per MiB; every table has a maximum, the memory's is one page above the guest's cap; the start function is an
// export; active data is taken out for the host to write; what changes is exported. State, which travels in the module, says
// where all of it is. What b named keeps its name.
//
// Rewrite is pure: the same bytes and options give the same bytes. The caller owns the result; b is not changed or kept.
// Errors are *RuleError.
func Rewrite(b []byte, opts *RewriteOptions) ([]byte, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	m, err := Admit(b, o.admit())
	if err != nil {
		return nil, err
	}
	r := &rewriter{m: m, opts: o, helperIndex: map[helperKey]uint32{}, typeAt: map[string]uint32{}}
	if err := r.caps(); err != nil {
		return nil, err
	}
	r.refuel = uint32(len(m.Imports))
	r.fuel = uint32(len(m.Globals))
	r.depth, r.taint = r.fuel+1, r.fuel+2
	r.planAll()
	return r.module(sha256.Sum256(b))
}

// caps finds the maxima that are written into the module.
func (r *rewriter) caps() error {
	mem := r.m.Memories[0]
	r.memoryMax = r.opts.MaxMemoryPages
	if mem.Max >= 0 {
		r.memoryMax = min(r.memoryMax, uint32(mem.Max))
	}
	if mem.Min > r.memoryMax {
		return refuse(RuleMemoryMin, "%d pages at the start, cap %d", mem.Min, r.memoryMax)
	}
	// A table's entries are outside of the memory's cap, so the tables share one of their own: what is left above their minima is
	// divided evenly.
	spare := int64(r.opts.MaxTableElems)
	for _, t := range r.m.Tables {
		spare -= int64(t.Min)
	}
	for _, t := range r.m.Tables {
		most := int64(t.Min)
		if r.m.growsTabs {
			most += max(0, spare) / int64(len(r.m.Tables))
		}
		if t.Max >= 0 {
			most = min(most, t.Max)
		}
		r.tableMax = append(r.tableMax, uint32(most))
	}
	return nil
}

// planAll plans leaves first: whether they look decides what a call of them means.
func (r *rewriter) planAll() {
	r.plans = make([]*plan, len(r.m.Funcs))
	p := &planner{m: r.m, unseen: make([]bool, len(r.m.Funcs))}
	for _, calls := range []bool{false, true} {
		for i := range r.m.Funcs {
			if r.m.Funcs[i].calls == calls {
				r.plans[i] = p.function(i)
				p.unseen[i] = r.plans[i].unseen
			}
		}
	}
}

// fn is a function's index in the output: refuel stands behind the last import.
func (r *rewriter) fn(i uint32) uint32 {
	if i >= r.refuel {
		return i + 1
	}
	return i
}

// fnRef is the same for a reference to a function, which for an import is its helper.
func (r *rewriter) fnRef(i uint32) uint32 {
	if i < uint32(len(r.m.Imports)) {
		return r.helper(helperKey{op: callImport, a: i})
	}
	return i + 1
}

// typeIndex adds a type to the output, once.
func (r *rewriter) typeIndex(t FuncType) uint32 {
	key := t.String()
	i, ok := r.typeAt[key]
	if !ok {
		i = uint32(len(r.m.Types) + len(r.types))
		r.typeAt[key] = i
		r.types = append(r.types, t)
	}
	return i
}

// module writes the output. Sections that mention helpers or added types come first to be made, though not to be written:
// whatever asks for one adds to it.
func (r *rewriter) module(original [32]byte) ([]byte, error) {
	r.typeIndex(FuncType{})
	elems, exports := r.elements(), r.exports()
	globals := r.globals()
	code, err := r.code()
	if err != nil {
		return nil, err
	}
	state := r.state(original)

	out := &encoder{b: make([]byte, 0, len(r.m.raw)*5/4+4096)}
	out.raw(header...)
	out.section(sectionType, r.typeSection())
	out.section(sectionImport, r.imports())
	out.section(sectionFunction, r.functions())
	if len(r.m.Tables) > 0 {
		out.section(sectionTable, r.tables())
	}
	mem := &encoder{}
	mem.u32(1)
	mem.raw(1)
	mem.u32(r.m.Memories[0].Min)
	mem.u32(r.memoryMax + 1)
	out.section(sectionMemory, mem.b)
	out.section(sectionGlobal, globals)
	out.section(sectionExport, exports)
	if len(r.m.Elems) > 0 {
		out.section(sectionElement, elems)
	}
	// Without a data count section no code can name a segment (5.5.16), so the host's copy is all that is left of them.
	if n := len(r.m.Data); n > 0 && r.m.dataCount >= 0 {
		count, data := &encoder{}, &encoder{}
		count.u32(uint32(n))
		data.u32(uint32(n))
		r.data(data)
		out.section(sectionDataCount, count.b)
		out.section(sectionCode, code)
		out.section(sectionData, data.b)
	} else {
		out.section(sectionCode, code)
	}
	r.names(out)
	sec := &encoder{}
	sec.name(stateSection)
	sec.raw(state.encode(r.opts.PackData)...)
	out.section(sectionCustom, sec.b)
	return out.b, nil
}

func (r *rewriter) typeSection() []byte {
	e := &encoder{}
	e.u32(uint32(len(r.m.Types) + len(r.types)))
	for _, t := range r.m.Types {
		e.funcType(t)
	}
	for _, t := range r.types {
		e.funcType(t)
	}
	return e.b
}

func (r *rewriter) imports() []byte {
	e := &encoder{}
	e.u32(uint32(len(r.m.Imports) + 1))
	for _, im := range r.m.Imports {
		e.name(im.Module)
		e.name(im.Name)
		e.raw(0)
		e.u32(im.Type)
	}
	e.name(WallModule)
	e.name(WallRefuel)
	e.raw(0)
	e.u32(r.typeIndex(FuncType{}))
	return e.b
}

func (r *rewriter) functions() []byte {
	e := &encoder{}
	e.u32(uint32(len(r.m.Funcs) + len(r.helpers)))
	for _, f := range r.m.Funcs {
		e.u32(f.Type)
	}
	for _, h := range r.helpers {
		e.u32(h.typ)
	}
	return e.b
}

func (r *rewriter) tables() []byte {
	e := &encoder{}
	e.u32(uint32(len(r.m.Tables)))
	for i, t := range r.m.Tables {
		e.raw(byte(t.Type), 1)
		e.u32(t.Min)
		e.u32(r.tableMax[i])
	}
	return e.b
}

// initializer writes a constant expression with the function that it may refer to renumbered.
func (r *rewriter) initializer(e *encoder, x constExpr) {
	if x.op == opRefFunc {
		e.opU(opRefFunc, r.fnRef(x.fn))
		e.op(opEnd)
		return
	}
	e.raw(x.raw...)
}

// globals are the module's, then fuel, depth and taint, which begin at zero: the first point calls refuel.
func (r *rewriter) globals() []byte {
	e := &encoder{}
	e.u32(uint32(len(r.m.Globals) + 3))
	for _, g := range r.m.Globals {
		mut := byte(0)
		if g.Mutable {
			mut = 1
		}
		e.raw(byte(g.Type), mut)
		r.initializer(e, g.init)
	}
	e.raw(byte(I64), 1)
	e.konst64(0)
	e.op(opEnd)
	for range 2 {
		e.raw(byte(I32), 1)
		e.konst32(0)
		e.op(opEnd)
	}
	return e.b
}

// mutable lists the exported name and type of every numeric global that can change.
func (r *rewriter) mutable() []Global {
	var out []Global
	for i, g := range r.m.Globals {
		if g.Mutable && g.Type.Numeric() {
			out = append(out, Global{fmt.Sprintf(exportGlobal, i), g.Type})
		}
	}
	return append(out, Global{exportFuel, I64}, Global{exportDepth, I32}, Global{exportTaint, I32})
}

func (r *rewriter) exports() []byte {
	e := &encoder{}
	n := uint32(0)
	add := func(name string, kind byte, index uint32) {
		n++
		e.name(name)
		e.raw(kind)
		e.u32(index)
	}
	for _, x := range r.m.Exports {
		if x.Kind == ExportFunc {
			x.Index = r.fnRef(x.Index)
		}
		add(x.Name, x.Kind, x.Index)
	}
	for i, g := range r.m.Globals {
		if g.Mutable && g.Type.Numeric() {
			add(fmt.Sprintf(exportGlobal, i), ExportGlobal, uint32(i))
		}
	}
	add(exportFuel, ExportGlobal, r.fuel)
	add(exportDepth, ExportGlobal, r.depth)
	add(exportTaint, ExportGlobal, r.taint)
	if r.m.Start >= 0 {
		add(exportStart, ExportFunc, r.fnRef(uint32(r.m.Start)))
	}
	head := &encoder{}
	head.u32(n)
	return append(head.b, e.b...)
}

// elements writes each segment in the shortest form that can hold it.
func (r *rewriter) elements() []byte {
	e := &encoder{}
	e.u32(uint32(len(r.m.Elems)))
	for _, s := range r.m.Elems {
		exprs := s.Type != FuncRef || slices.Contains(s.items, nullElem)
		flag := map[segmentMode]uint32{segmentActive: 2, segmentPassive: 1, segmentDeclared: 3}[s.mode]
		if exprs {
			flag |= 4
		}
		e.u32(flag)
		if s.mode == segmentActive {
			e.u32(s.table)
			e.konst32(int32(s.offset))
			e.op(opEnd)
		}
		if exprs {
			e.raw(byte(s.Type))
		} else {
			e.raw(0)
		}
		e.u32(uint32(len(s.items)))
		for _, fn := range s.items {
			switch {
			case !exprs:
				e.u32(r.fnRef(fn))
			case fn == nullElem:
				e.op(opRefNull)
				e.raw(byte(s.Type))
				e.op(opEnd)
			default:
				e.opU(opRefFunc, r.fnRef(fn))
				e.op(opEnd)
			}
		}
	}
	return e.b
}

// code writes all bodies, then the helpers that they asked for. A loop of three bytes becomes one of sixty, so a module of nothing
// but loops grows twentyfold: what is written is bounded while it is written.
func (r *rewriter) code() ([]byte, error) {
	e := &encoder{b: make([]byte, 0, min(len(r.m.raw)*5/4, r.opts.MaxOutputBytes))}
	for i := range r.m.Funcs {
		body := r.body(i)
		if len(e.b)+len(body) > r.opts.MaxOutputBytes {
			return nil, refuse(RuleOutputSize, "more than %d bytes of code when rewritten", r.opts.MaxOutputBytes)
		}
		e.u32(uint32(len(body)))
		e.raw(body...)
	}
	for _, h := range r.helpers {
		e.u32(uint32(len(h.body)))
		e.raw(h.body...)
	}
	head := &encoder{}
	head.u32(uint32(len(r.m.Funcs) + len(r.helpers)))
	return append(head.b, e.b...), nil
}

// data keeps passive segments. An active one becomes an empty passive one of the same index: once it has been written to
// memory that is what is left of it (4.5.4), and the host writes it.
func (r *rewriter) data(e *encoder) {
	for _, d := range r.m.Data {
		e.raw(1)
		if d.Active {
			e.u32(0)
			continue
		}
		e.u32(uint32(len(d.Bytes)))
		e.raw(d.Bytes...)
	}
}

// names writes the function names of the original under their new indices, and names for what was added.
func (r *rewriter) names(out *encoder) {
	names := make(map[uint32]string, len(r.m.FuncNames)+len(r.helpers)+1)
	for fn, name := range r.m.FuncNames {
		if int64(fn) < int64(r.m.NumFuncs()) {
			names[r.fn(fn)] = name
		}
	}
	names[r.refuel] = WallModule + "." + WallRefuel
	for i, h := range r.helpers {
		names[uint32(r.m.NumFuncs()+1+i)] = ReservedPrefix + h.name
	}
	sub := &encoder{}
	sub.u32(uint32(len(names)))
	for _, fn := range slices.Sorted(maps.Keys(names)) {
		sub.u32(fn)
		sub.name(names[fn])
	}
	sec := &encoder{}
	sec.name("name")
	sec.section(1, sub.b)
	out.section(sectionCustom, sec.b)
}

func (r *rewriter) state(original [32]byte) *State {
	s := &State{
		Version: stateVersion, Rewriter: RewriterVersion, Original: original,
		MemoryMinPages: r.m.Memories[0].Min, MemoryMaxPages: r.memoryMax, MaxDepth: r.opts.MaxDepth,
		Globals: r.mutable(),
		Fuel:    exportFuel, Depth: exportDepth, Taint: exportTaint,
	}
	if r.m.Start >= 0 {
		s.Start = exportStart
	}
	for _, d := range r.m.Data {
		if d.Active && len(d.Bytes) > 0 {
			s.Data = append(s.Data, Segment{d.Offset, d.Bytes})
		}
	}
	return s
}
