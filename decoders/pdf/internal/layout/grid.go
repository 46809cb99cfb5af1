package layout

import (
	"cmp"
	"slices"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/order"
)

// box is lines of the page that touch each other.
type box struct {
	x0, y0, x1, y1 float64
	xs, ys         []float64 // where lines are drawn across and along
	along, across  []segment
}

// maxBoxes bounds the boxes of a page.
const maxBoxes = 256

// boxes finds the groups of lines that touch, from top to bottom.
func (r *rules) boxes() []box {
	n := len(r.along)
	group := make([]int, n+len(r.across))
	for i := range group {
		group[i] = i
	}
	find := func(i int) int {
		for group[i] != i {
			group[i] = group[group[i]]
			i = group[i]
		}
		return i
	}
	for i, a := range r.along {
		k, _ := slices.BinarySearchFunc(r.across, a.from-joined, func(s segment, x float64) int { return cmp.Compare(s.at, x) })
		for ; k < len(r.across) && r.across[k].at <= a.to+joined; k++ {
			if c := r.across[k]; c.from <= a.at+joined && a.at-joined <= c.to {
				group[find(i)] = find(n + k)
			}
		}
	}
	index := map[int]int{}
	var out []box
	for i := range group {
		root := find(i)
		at, ok := index[root]
		if !ok {
			at = len(out)
			index[root] = at
			out = append(out, box{})
		}
		if i < n {
			out[at].along = append(out[at].along, r.along[i])
		} else {
			out[at].across = append(out[at].across, r.across[i-n])
		}
	}
	kept := out[:0]
	for _, b := range out {
		if len(b.along) >= 2 && len(b.across) >= 2 && len(kept) < maxBoxes {
			b.measure()
			kept = append(kept, b)
		}
	}
	order.By(kept, func(a, b box) int { return cmp.Compare(a.y0, b.y0) })
	return kept
}

// measure finds how far the box goes and where its rows and columns are: also where the ends of lines say so and none is drawn.
func (b *box) measure() {
	b.x0, b.x1, b.xs = levels(b.across, b.along)
	b.y0, b.y1, b.ys = levels(b.along, b.across)
}

// levels returns the places of lines, and with them the ends of the lines that cross them.
func levels(lines, crossing []segment) (from, to float64, at []float64) {
	from, to = lines[0].at, lines[len(lines)-1].at
	for _, s := range lines {
		if n := len(at); n == 0 || s.at-at[n-1] > joined {
			at = append(at, s.at)
		}
	}
	for _, c := range crossing {
		from, to = min(from, c.from), max(to, c.to)
	}
	if at[0]-from > minRule {
		at = slices.Insert(at, 0, from)
	}
	if to-at[len(at)-1] > minRule {
		at = append(at, to)
	}
	return from, to, at
}

// maxCells bounds the cells of one table.
const maxCells = 20_000

// grids takes the text inside of boxes that are tables out of rows, and puts the tables in its place.
func (f *flow) grids(rows []row) []row {
	if len(f.rules.along) < 2 || len(f.rules.across) < 2 {
		return rows
	}
	var tables []row
	for _, b := range f.rules.boxes() {
		if len(b.xs) < 3 || len(b.ys) < 2 || (len(b.xs)-1)*(len(b.ys)-1) > maxCells {
			continue
		}
		if t := f.grid(rows, &b); t != nil {
			p := piece{x0: b.x0, x1: b.x1, y: b.y0, size: t.size, at: t.at, grid: t}
			tables = append(tables, row{y: b.y0, size: t.size, pieces: []piece{p}})
		}
	}
	if len(tables) == 0 {
		return rows
	}
	rows = append(slices.DeleteFunc(rows, func(r row) bool { return len(r.pieces) == 0 }), tables...)
	sortRows(rows)
	return rows
}

// grid makes a table of what stands in a box, if it is one, and takes it out of rows.
func (f *flow) grid(rows []row, b *box) *table {
	from, _ := slices.BinarySearchFunc(rows, b.y0, func(r row, y float64) int { return cmp.Compare(r.y, y) })
	to := from
	var inside []piece
	for ; to < len(rows) && rows[to].y-0.3*rows[to].size < b.y1; to++ {
		for i := range rows[to].pieces {
			if p := &rows[to].pieces[i]; b.holds(p) {
				inside = append(inside, *p)
			}
		}
	}
	t := b.table(inside)
	if t == nil {
		return nil
	}
	t.header = t.named(&f.rules)
	t.size, t.at = inside[0].size, inside[0].at
	for i := from; i < to; i++ {
		r := &rows[i]
		r.pieces = slices.DeleteFunc(r.pieces, func(p piece) bool { return b.holds(&p) })
		if len(r.pieces) > 0 {
			r.size = r.pieces[0].size
		}
	}
	return t
}

// holds reports whether the middle of p lies in the box.
func (b *box) holds(p *piece) bool {
	x, y := (p.x0+p.x1)/2, p.y-0.3*p.size
	return p.grid == nil && x > b.x0 && x < b.x1 && y > b.y0 && y < b.y1
}

// index returns between which two of the places v lies.
func index(at []float64, v float64) int {
	i, _ := slices.BinarySearch(at, v)
	return min(max(i-1, 0), len(at)-2)
}

// table puts pieces into the cells of the box; nil if that makes no table.
func (b *box) table(inside []piece) *table {
	if len(inside) == 0 {
		return nil
	}
	cols, n := len(b.xs)-1, len(b.ys)-1
	first := b.spanned(n, cols)
	b.apart(inside, first)
	t := &table{x0: b.x0, y0: b.y0, x1: b.x1, y1: b.y1, cols: cols, rows: make([]tableRow, n)}
	for r := range t.rows {
		t.rows[r] = tableRow{cells: make([]cell, cols), y0: b.ys[r], y1: b.ys[r+1]}
	}
	for _, p := range inside {
		at := first[index(b.ys, p.y-0.3*p.size)*cols+index(b.xs, (p.x0+p.x1)/2)]
		c := &t.rows[at/cols].cells[at%cols]
		c.add(p)
		c.spans = at%cols+1 < cols && first[at+1] == at
	}
	if n <= fewBands {
		t.byLines()
	}
	t.tidy()
	if !t.sound() {
		return nil
	}
	return t
}

// fewBands is up to how many rows lines may part that hold more than one row of the table each: head, body and foot.
const fewBands = 3

// spanned returns for each cell the first of those that it is one with, because no line parts them.
func (b *box) spanned(n, cols int) []int {
	right, below := make([]bool, n*cols), make([]bool, n*cols) // a line is drawn on that side of the cell
	for _, s := range b.across {
		c := nearest(b.xs, s.at) - 1
		for r := 0; r < n && c >= 0 && c < cols; r++ {
			if mid := (b.ys[r] + b.ys[r+1]) / 2; s.from <= mid && mid <= s.to {
				right[r*cols+c] = true
			}
		}
	}
	for _, s := range b.along {
		r := nearest(b.ys, s.at) - 1
		for c := 0; r >= 0 && r < n && c < cols; c++ {
			if mid := (b.xs[c] + b.xs[c+1]) / 2; s.from <= mid && mid <= s.to {
				below[r*cols+c] = true
			}
		}
	}
	first := make([]int, n*cols)
	for i := range first {
		first[i] = i
		if c := i % cols; c > 0 && !right[i-1] {
			first[i] = first[i-1]
		} else if i >= cols && !below[i-cols] {
			first[i] = first[i-cols]
		}
	}
	return first
}

// apart undoes the spans in which text stands beside text, or below it and on the base lines of the cells beside: there lines are missing,
// and not cells.
func (b *box) apart(inside []piece, first []int) {
	cols := len(b.xs) - 1
	type seen struct {
		band, bands int  // the last one with text, and how many
		alone       bool // some of the text has nothing beside it
	}
	spans := map[int]*seen{}
	parted := map[int]bool{}
	for i := 0; i < len(inside); {
		end := i + 1
		for end < len(inside) && inside[end].y-inside[i].y < sameCellLine*inside[i].size {
			end++
		}
		at, col := make([]int, end-i), -1
		for k, p := range inside[i:end] {
			band, c := index(b.ys, p.y-0.3*p.size), index(b.xs, (p.x0+p.x1)/2)
			at[k] = first[band*cols+c]
			if s := spans[at[k]]; s == nil {
				spans[at[k]] = &seen{band: band, bands: 1}
			} else if s.band != band {
				s.band, s.bands = band, s.bands+1
			}
			if k > 0 && at[k] == at[k-1] && c != col {
				parted[at[k]] = true
			}
			col = c
		}
		for k := range at {
			spans[at[k]].alone = spans[at[k]].alone || at[0] == at[len(at)-1]
		}
		i = end
	}
	bands := map[int]int{}
	for i := range first {
		if i == first[i] || first[i-1] != first[i] || i%cols == 0 {
			bands[first[i]]++
		}
	}
	for i := range first {
		if s := spans[first[i]]; s != nil && s.bands > 1 && s.bands == bands[first[i]] && !s.alone || parted[first[i]] {
			first[i] = i
		}
	}
}

// nearest returns the index of the place nearest to v.
func nearest(at []float64, v float64) int {
	i, _ := slices.BinarySearch(at, v)
	if i == len(at) || i > 0 && v-at[i-1] < at[i]-v {
		i--
	}
	return i
}
