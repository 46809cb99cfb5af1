package binary

// Weights: what one instruction costs, in sixteenths of a unit of fuel.
//
// Measured on the project's decoders, with what points charge too much, a unit is about a tenth of a nanosecond on a current
// server core; 300 G units are about half a minute. The proportions come from the latencies of division and square root (Agner
// Fog's instruction tables: 32 bit division up to 26 cycles, 64 bit 42 to 95 before Ice Lake, double square root 20), from the
// code that wazero 1.12 emits (a bounds check in front of each access, three dependent loads for an indirect call), and, for
// loads, from what they cost when they miss every cache: see SliceFuel.
const (
	weightFree     = 2      // constants, locals, block, loop: registers or nothing at all
	weightSimple   = 4      // integer arithmetic, comparison, select
	weightBranch   = 4      // br, br_if, if, return
	weightGlobal   = 6      // a load or store that always hits
	weightLoad     = 32     // address, bounds check, load; the worst case is SliceFuel's matter
	weightStore    = 12     // the same, and the store buffer hides most misses
	weightMul      = 8      // three or four cycles
	weightFloat    = 8      // four cycles; min, max, nearest and copysign are several instructions
	weightConvert  = 24     // conversions check for NaN and range
	weightDiv32    = 160    // 26 cycles and two checks
	weightDiv64    = 480    // 42 to 95 cycles on older cores
	weightDivF     = 120    // 13 to 20 cycles
	weightTable    = 24     // br_table, table.get, table.set, ref.func, drops: bounds check and dependent loads
	weightCall     = 160    // arguments, frame, stack check, the callee's own point and depth
	weightIndirect = 320    // three dependent loads and a type check more, a jump that mispredicts
	weightImport   = 16_000 // leaving the compiled code and coming back is 50 to 150 ns
	weightBulk     = 1_000  // memory.copy and its kind, without the length: wazero calls out of the compiled code
	weightGrow     = 16_000 // memory.grow and table.grow leave the compiled code
	weightVec      = 8      // SIMD on registers
	weightVecMul   = 12
	weightVecSlow  = 32 // emulated by several instructions
	weightShuffle  = 24
	weightVecDiv   = 320 // two or four divisions
)

// Bulk operations are charged by their length on top of weightBulk, before they run, in pieces of at most bulkPiece bytes.
const (
	bulkPiece     = 1 << 20        // bytes between two checks
	bulkEntries   = bulkPiece >> 3 // the same in table entries: eight bytes each
	unitsPerByte  = 1              // 10 GB/s; memory that is touched for the first time is about three times slower
	unitsPerEntry = 16             // table entries
	unitsPerPage  = 65536          // memory.grow: the page must be cleared
)

// Placement of points; see plan.go for what they mean. Spans are sums of weights, not units.
const (
	weightsPerUnit = 16
	paySpan        = 1000   // what a way may be charged too much at a branch before the other side gets its own point
	payWalks       = 3      // see payAll
	freeSpan       = 64_000 // on a way without a look while nothing was called
	returnSpan     = 2_000  // on a way without a look after a call came back
	leafSpan       = 2_000  // outside loops, up to which a function that calls nothing goes without a look at entry
	nearLabel      = 2      // jumps to labels nearer than this stay as they are; see thread.go
)

// SliceFuel is the recommended amount of fuel between two calls of refuel.
//
// The worst work per unit that we know is a chain of dependent loads that miss the caches and the TLB: about 110 ns each where
// memory is near, for two units. 90,000 units are then 5 ms at most, and about 10 us of ordinary code, against 0.2 us for the
// call. BenchmarkWorstSlice measures it; on virtual machines whose misses take 300 ns the worst slice is 13 ms.
// What a guest charges does not depend on the slice.
const SliceFuel = 90_000
