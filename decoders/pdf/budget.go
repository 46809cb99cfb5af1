package pdf

import (
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Budgets. The host bounds time and memory of a sealed read; these keep a native one finite too, make the answer say which limit was
// hit, and let one absurd page cost only itself. Each is far above what real files were seen to need.
const (
	maxObjects     = 8_388_607 // object numbers (ISO 32000-1, annex C)
	maxEntries     = 2 << 20   // object numbers that a table is kept for
	maxObjectBytes = 1 << 20   // one object without its stream data; parsed it takes some 40 times that
	maxKeptBytes   = 16 << 20  // texts of objects, and fonts, that are kept for another look
	maxStreamBytes = 48 << 20  // one decoded stream

	maxPageOps    = 4_000_000 // operators of one page
	maxPageGlyphs = 1_000_000
	maxPageText   = 16 << 20 // UTF-8 of one page
	maxPageBytes  = 32 << 20 // decoded content of one page
	maxPageForms  = 5_000    // form XObjects drawn on one page
	maxFormDepth  = 16
	maxStateDepth = 512 // q inside q
	maxTreeDepth  = 64  // page tree
	maxPages      = 1_000_000
)

// maxReadWork is the units of one read, see budget. It is a variable for tests.
var maxReadWork int64 = 64_000_000

// budget counts the work of one read in units of about one operator of a content stream; everything that a file can ask for often is
// weighed against that.
type budget struct{ units int64 }

// stop is a panic that ends the read with its error: budgets are spent deep inside the object layer, which has no errors to return.
type stop struct{ err error }

func (b *budget) work(units int) {
	if b.units += int64(units); b.units > maxReadWork {
		panic(stop{pdk.OverLimit(readapi.CodeLimitFuel, "work", maxReadWork, b.units)})
	}
}

func (b *budget) decode(bytes int) { b.work(bytes / 32) }  // decompression
func (b *budget) scan(bytes int)   { b.work(bytes / 64) }  // search for a word
func (b *budget) parse(bytes int)  { b.work(8 + bytes/8) } // objects, by us or by the object layer
