package binary

// Weights: what one instruction costs in units of fuel.
//
// Ten units stand for about a nanosecond on a current server core, so that 300 G units are about half a minute. What counts
// is the worst that an instruction can do per unit, not its mean: an attacker chooses the mix. Sources: Agner Fog's
// instruction tables for the latencies of division and square root (up to 26 cycles for 32 bit and 42 to 95 for 64 bit
// division before Ice Lake, 20 for double square root), the code that wazero 1.12 emits (bounds check in front of each
// access, three dependent loads for an indirect call), and SliceFuel's comment for loads that miss every cache.
const (
	weightFree     = 2    // constants, locals, block, loop: registers or nothing at all
	weightSimple   = 4    // integer arithmetic, comparison, select
	weightBranch   = 4    // br, br_if, if, return
	weightGlobal   = 6    // a load or store that always hits
	weightLoad     = 32   // address, bounds check, load; the worst case is SliceFuel's matter
	weightStore    = 12   // the same, and the store buffer hides most misses
	weightMul      = 8    // three or four cycles
	weightFloat    = 8    // four cycles; min, max, nearest and copysign are several instructions
	weightConvert  = 16   // conversions check for NaN and range
	weightDiv32    = 64   // 26 cycles and two checks
	weightDiv64    = 160  // 42 to 95 cycles on older cores
	weightDivF     = 64   // 13 to 20 cycles
	weightTable    = 16   // br_table, table.get, table.set, ref.func, drops: bounds check and dependent loads
	weightCall     = 24   // arguments, frame, stack check
	weightIndirect = 48   // three dependent loads, a type check, a jump that mispredicts
	weightImport   = 1000 // leaving the compiled code and coming back is 50 to 150 ns
	weightBulk     = 60   // memory.copy and its kind, without the length: wazero calls out of the compiled code
	weightGrow     = 2000 // memory.grow and table.grow leave the compiled code
	weightVec      = 8    // SIMD on registers
	weightVecMul   = 12
	weightVecSlow  = 32 // emulated by several instructions
	weightShuffle  = 24
	weightVecDiv   = 128 // two or four divisions
)

// Bulk operations are charged by their length on top of weightBulk, before they run, in pieces of at most bulkPiece bytes.
const (
	bulkPiece     = 1 << 20        // bytes between two checks
	bulkEntries   = bulkPiece >> 3 // the same in table entries: eight bytes each
	unitsPerByte  = 1              // 10 GB/s; memory that is touched for the first time is about three times slower
	unitsPerEntry = 16             // table entries
	unitsPerPage  = 65536          // memory.grow: the page must be cleared
)

// Placement of points; see plan.go for what they mean. Spans are in weights, not in units.
const (
	weightsPerUnit = 16
	freeSpan       = 16_000 // on a way without a look while nothing was called
	returnSpan     = 512    // on a way without a look after a call came back
	leafSpan       = 400    // outside loops, up to which a function that calls nothing goes without a look at entry
	payWalks       = 3
)

// SliceFuel is the recommended amount of fuel between two calls of refuel.
//
// The worst work per unit that we know is a chain of dependent loads that miss the caches and the TLB: about 120 ns each in
// 256 MiB on a virtual machine, for twelve units. 400,000 units are then 4 ms at most, and 40 us of ordinary code, against
// about 0.2 us for the call.
const SliceFuel = 400_000

// Tune is temporary.
var Tune = struct {
	Pay                                            int64
	NoDepth, NoSub, Tee, NoEntry, NoLoop, NoThread bool
}{Pay: 400}
