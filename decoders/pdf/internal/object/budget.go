package object

import (
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Budgets. The host bounds time and memory of a sealed read; these keep a native one finite too, make the answer say which limit was
// hit, and let one absurd object cost only itself. Each is far above what real files were seen to need.
const (
	maxObjects     = 8_388_607 // object numbers (ISO 32000-1, annex C)
	maxEntries     = 2 << 20   // object numbers that a table is kept for
	maxObjectBytes = 1 << 20   // one object without its stream data; parsed it takes some 40 times that
	maxKeptBytes   = 16 << 20  // parsed objects that are kept for another look
	maxStreamBytes = 48 << 20  // one decoded stream
)

// MaxReadWork is the units of work of one read, see File.Work. It is a variable for tests.
var MaxReadWork int64 = 64_000_000

// Stop is a panic that ends the read with its error: budgets are spent deep inside walks that have no errors to return.
type Stop struct{ Err error }

// Work counts the work of one read in units of about one operator of a content stream; everything that a file can ask for often is
// weighed against that. It panics with a Stop when the read has done all that it may.
func (f *File) Work(units int) {
	if f.units += int64(units); f.units > MaxReadWork {
		panic(Stop{pdk.OverLimit(readapi.CodeLimitFuel, "work", MaxReadWork, f.units)})
	}
}

func (f *File) decoded(bytes int)  { f.Work(bytes / 32) } // decompression
func (f *File) searched(bytes int) { f.Work(bytes / 64) } // search for a word

// Parsed counts the work of parsing bytes of objects, CMaps and the like.
func (f *File) Parsed(bytes int) { f.Work(8 + bytes/8) }
