package layout

import (
	"cmp"
	"math"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/order"
)

// Where no strip parts the columns of a page, because pictures, quotations or their own shapes reach into it, the order of the content is
// the better guide, as long as it looks like one: it goes down the page and seldom up.

const (
	acrossRows = 3   // lines of running text that others stand beside, and that the content gives elsewhere
	jumpUp     = 1.5 // of the size: a step up
	fewJumps   = 8   // steps up, or one in so many pieces
)

// visit is a piece in the order of the content, and its row.
type visit struct {
	p   *piece
	row int
}

// visits returns the pieces of rows in the order of the content.
func visits(rows []row) []visit {
	n := 0
	for i := range rows {
		n += len(rows[i].pieces)
	}
	out := make([]visit, 0, n)
	for i := range rows {
		for k := range rows[i].pieces {
			out = append(out, visit{&rows[i].pieces[k], i})
		}
	}
	order.By(out, func(a, b visit) int { return cmp.Or(cmp.Compare(a.p.at, b.p.at), cmp.Compare(a.p.x0, b.p.x0)) })
	return out
}

// jumps counts the steps up.
func jumps(all []visit) (n int) {
	for i := 1; i < len(all); i++ {
		if a, b := all[i-1].p, all[i].p; b.y < a.y-jumpUp*max(a.size, b.size) {
			n++
		}
	}
	return n
}

// mixed reports whether reading rows as they stand would mix running texts that the content keeps apart.
func mixed(rows []row, all []visit) bool {
	last := make([]int, len(rows)) // place in the content of the last prose piece of the row, from 1
	apart := 0
	for i, v := range all {
		if v.p.words < int(proseWords) || !dense(rows, v.row) {
			continue
		}
		if before := last[v.row]; before > 0 && i+1-before > len(rows[v.row].pieces) {
			apart++
		}
		last[v.row] = i + 1
	}
	return apart >= acrossRows
}

// dense reports whether the next row is as near as the next line of a paragraph.
func dense(rows []row, i int) bool {
	return i+1 < len(rows) && rows[i+1].y-rows[i].y <= closeLines*rows[i].size
}

// interlaced reports whether the content comes to what stands below columns before it is done with them, and gives none of them line by
// line.
func interlaced(rows []row, bands []gutter) bool {
	found := false
	last := int32(-1)
	for i := range bands {
		g := &bands[i]
		if inTurn(rows, g) > 1 {
			return false
		}
		first, end := int32(math.MaxInt32), int32(-1)
		for k := g.from; k <= g.to; k++ {
			for _, p := range rows[k].pieces {
				first, end = min(first, p.at), max(end, p.at)
			}
		}
		found = found || first < last
		last = max(last, end)
		next, between := len(rows), 0
		if i+1 < len(bands) {
			next = bands[i+1].from
		}
		for k := g.to + 1; k < next; k++ {
			for _, p := range rows[k].pieces {
				if p.at > first && p.at < end && p.words >= int(proseWords) && (dense(rows, k) || dense(rows, k-1)) {
					between++
				}
			}
		}
		found = found || between >= acrossRows
	}
	return found
}

// asGiven reads rows in the order of the content if that is the better guide: without columns where rows mix texts; with them where they
// are cut into bands that the content goes through from top to bottom, column by column.
func (f *flow) asGiven(rows []row, columns []gutter) bool {
	all := visits(rows)
	switch n := jumps(all); {
	case len(columns) == 0 && (n > max(fewJumps, len(all)/fewJumps) || !mixed(rows, all)):
		return false
	case len(columns) > 0 && (n > len(columns) || !interlaced(rows, columns)):
		return false
	}
	from := 0
	for i := 1; i <= len(all); i++ {
		if i < len(all) && follows(all[i-1].p, all[i].p) {
			continue
		}
		line := make([]piece, 0, i-from)
		for _, v := range all[from:i] {
			line = append(line, *v.p)
		}
		f.blocks = append(f.blocks, block{line: line, grid: line[0].grid, apart: from == 0 || line[0].y < all[from-1].p.y})
		from = i
	}
	return true
}

// follows reports whether b goes on with the line of a.
func follows(a, b *piece) bool {
	return a.grid == nil && b.grid == nil && math.Abs(a.y-b.y) <= sameLine*min(a.size, b.size) && b.x0 >= a.x1 && b.x0-a.x1 < 4*a.size
}
