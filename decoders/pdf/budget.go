package pdf

import (
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Budgets. The host bounds time and memory of a sealed read; these keep a native one finite too, make the answer say which limit was
// hit, and let one absurd page cost only itself. Each is far above what real files were seen to need.
const (
	maxObjects     = 8_388_607  // object numbers (ISO 32000-1, annex C)
	maxObjectBytes = 8 << 20    // one object without its stream data
	maxStreamBytes = 48 << 20   // one decoded stream
	maxReadDecoded = 1 << 30    // decoded stream bytes of one read
	maxReadLoads   = 2_000_000  // objects looked up in one read
	maxReadOps     = 60_000_000 // operators and glyphs of one read
	maxReadScanned = 1 << 30    // bytes read while searching for lost objects and stream ends

	maxPageOps    = 4_000_000 // operators of one page
	maxPageGlyphs = 1_000_000
	maxPageBytes  = 32 << 20 // decoded content of one page
	maxPageForms  = 5_000    // form XObjects drawn on one page
	maxFormDepth  = 16
	maxStateDepth = 512 // q inside q
	maxTreeDepth  = 64  // page tree
	maxPages      = 1_000_000
)

// budget counts the work of one read.
type budget struct {
	decoded, loads, ops, scanned int64
}

// stop is a panic that ends the read with its error: budgets are spent deep inside the object layer, which has no errors to return.
type stop struct{ err error }

func spend(what *int64, n, most int64, name string) {
	if *what += n; *what > most {
		panic(stop{pdk.OverLimit(readapi.CodeLimitFuel, name, most, *what)})
	}
}

func (b *budget) decode(n int) { spend(&b.decoded, int64(n), maxReadDecoded, "decoded_bytes") }
func (b *budget) load()        { spend(&b.loads, 1, maxReadLoads, "objects") }
func (b *budget) work(n int)   { spend(&b.ops, int64(n), maxReadOps, "operators") }
func (b *budget) scan(n int)   { spend(&b.scanned, int64(n), maxReadScanned, "scanned_bytes") }
