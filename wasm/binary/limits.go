package binary

// Limits are the numbers of ring 1: what a module may hold at most. A zero field means its default, a negative one is refused
// with the rule "options".
//
// The defaults are calibrated on the decoders that ship with this project (Go 1.26, wasip1, up to 4 MB of code) with at least
// twice the room that these need, and on the modules that took a compiler seconds or gigabytes: a 60 KB body of nested blocks,
// a body with millions of locals, a table of a hundred million entries.
type Limits struct {
	MaxModuleBytes   int // default 32 MiB
	MaxTypes         int // default 10,000
	MaxParams        int // parameters of one function type, and results; default 128
	MaxImports       int // default 256
	MaxFuncs         int // functions of the module itself; default 100,000
	MaxTables        int // default 16
	MaxTableMin      int // entries of all tables at the start; default 1 Mi
	MaxMemoryMin     int // pages of memory at the start, 64 KiB each; default 16,384; Rewrite's default is its MaxMemoryPages
	MaxGlobals       int // default 10,000
	MaxExports       int // default 10,000
	MaxElemSegments  int // default 10,000
	MaxElems         int // entries of all element segments; default 256 Ki
	MaxDataSegments  int // default 100,000, which is also what Go's linker stops at
	MaxDataBytes     int // bytes of all data segments; default 16 MiB
	MaxCodeBytes     int // the code section; default 16 MiB
	MaxCustom        int // custom sections; default 1,000
	MaxFuncNames     int // entries of the name section; default 200,000
	MaxFuncNameBytes int // bytes of them all; default 8 MiB
	MaxNameBytes     int // length of an import's or export's name; default 1,024
	MaxBodyBytes     int // code of one function; default 64 KiB
	MaxLocals        int // locals of one function, without parameters; default 4,096
	MaxNesting       int // blocks open at once; default 1,500: Go makes one for each part of a function
	MaxBlocks        int // block, loop and if of one function; default 8,000
	MaxLoops         int // loops among them, of which the rewriter makes four blocks each; default 1,000
	MaxAllLoops      int // loops of all functions, which are what a module swells by when it is rewritten; default 200,000
	MaxBranchTargets int // targets of br, br_if and br_table of one function; default 8,000
}

// defaultLimits is what a zero field stands for.
var defaultLimits = Limits{
	MaxModuleBytes:   32 << 20,
	MaxTypes:         10_000,
	MaxParams:        128,
	MaxImports:       256,
	MaxFuncs:         100_000,
	MaxTables:        16,
	MaxTableMin:      1 << 20,
	MaxMemoryMin:     16384,
	MaxGlobals:       10_000,
	MaxExports:       10_000,
	MaxElemSegments:  10_000,
	MaxElems:         256 << 10,
	MaxDataSegments:  100_000,
	MaxDataBytes:     16 << 20,
	MaxCodeBytes:     16 << 20,
	MaxCustom:        1000,
	MaxFuncNames:     200_000,
	MaxFuncNameBytes: 8 << 20,
	MaxNameBytes:     1024,
	MaxBodyBytes:     64 << 10,
	MaxLocals:        4096,
	MaxNesting:       1500,
	MaxBlocks:        8000,
	MaxLoops:         1000,
	MaxAllLoops:      200_000,
	MaxBranchTargets: 8000,
}

// withDefaults fills zero fields and refuses negative ones. The receiver may be nil and is not changed.
func (l *Limits) withDefaults() (Limits, error) {
	out := defaultLimits
	if l == nil {
		return out, nil
	}
	for _, f := range []struct {
		name string
		in   int
		out  *int
	}{
		{"MaxModuleBytes", l.MaxModuleBytes, &out.MaxModuleBytes},
		{"MaxTypes", l.MaxTypes, &out.MaxTypes},
		{"MaxParams", l.MaxParams, &out.MaxParams},
		{"MaxImports", l.MaxImports, &out.MaxImports},
		{"MaxFuncs", l.MaxFuncs, &out.MaxFuncs},
		{"MaxTables", l.MaxTables, &out.MaxTables},
		{"MaxTableMin", l.MaxTableMin, &out.MaxTableMin},
		{"MaxMemoryMin", l.MaxMemoryMin, &out.MaxMemoryMin},
		{"MaxGlobals", l.MaxGlobals, &out.MaxGlobals},
		{"MaxExports", l.MaxExports, &out.MaxExports},
		{"MaxElemSegments", l.MaxElemSegments, &out.MaxElemSegments},
		{"MaxElems", l.MaxElems, &out.MaxElems},
		{"MaxDataSegments", l.MaxDataSegments, &out.MaxDataSegments},
		{"MaxDataBytes", l.MaxDataBytes, &out.MaxDataBytes},
		{"MaxCodeBytes", l.MaxCodeBytes, &out.MaxCodeBytes},
		{"MaxCustom", l.MaxCustom, &out.MaxCustom},
		{"MaxFuncNames", l.MaxFuncNames, &out.MaxFuncNames},
		{"MaxFuncNameBytes", l.MaxFuncNameBytes, &out.MaxFuncNameBytes},
		{"MaxNameBytes", l.MaxNameBytes, &out.MaxNameBytes},
		{"MaxBodyBytes", l.MaxBodyBytes, &out.MaxBodyBytes},
		{"MaxLocals", l.MaxLocals, &out.MaxLocals},
		{"MaxNesting", l.MaxNesting, &out.MaxNesting},
		{"MaxBlocks", l.MaxBlocks, &out.MaxBlocks},
		{"MaxLoops", l.MaxLoops, &out.MaxLoops},
		{"MaxAllLoops", l.MaxAllLoops, &out.MaxAllLoops},
		{"MaxBranchTargets", l.MaxBranchTargets, &out.MaxBranchTargets},
	} {
		switch {
		case f.in < 0:
			return out, &RuleError{Rule: RuleOptions, Detail: "Limits." + f.name + " is negative", Offset: -1}
		case f.in > 0:
			*f.out = f.in
		}
	}
	return out, nil
}
