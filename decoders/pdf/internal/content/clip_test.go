package content

import (
	"math/rand/v2"
	"testing"
)

// Masks that are joined by words hold the cells that masks joined cell by cell would.
func TestMaskAdd(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const columns, rows = 300, 3
	whole := func() *mask { return &mask{w: 320, h: rows, bits: make([]uint64, 320*rows/64)} }
	for range 500 {
		within, m, want := whole(), &mask{col: 64, w: 256, h: rows, bits: make([]uint64, 256*rows/64)}, map[[2]int]bool{}
		if rng.IntN(3) == 0 {
			within = nil
		} else {
			for i := range within.bits {
				within.bits[i] = rng.Uint64()
			}
		}
		for range 4 {
			row, from := rng.IntN(rows), 64+rng.IntN(columns-64)
			to := from + 1 + rng.IntN(columns-from)
			m.add(row, from, to, within)
			for col := from; col < to; col++ {
				want[[2]int{col, row}] = within == nil || within.has(col, row)
			}
		}
		for row := range rows {
			for col := range columns {
				if got := m.has(col, row); got != want[[2]int{col, row}] {
					t.Fatalf("cell %d of row %d: %v", col, row, got)
				}
			}
		}
	}
}
