package layout

import (
	"math"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/font"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/order"
)

// flow is the text of a page that is written in one direction, in its own frame: x grows as one reads along a line, y from line to line.
// So a page that is turned, and vertical writing, whose lines go from right to left, are laid out as any other.
type flow struct {
	page  *content.Page
	skew  bool  // in no direction that lines can be found in: the order of the content is all there is
	bytes int   // of text
	first int32 // of its spans
	ux    float64
	uy    float64
	items []item
	buf   []byte  // text of the pieces
	slab  []piece // what the rows' pieces are cut from
	some  []item  // of one piece, while it is made
	rules rules

	blocks []block // what is read, in order
}

// item is a span in the frame of its flow.
type item struct {
	span      int32
	x0, x1, y float64
	size      float64
	style     font.Style
	rtl       bool
}

// sideways is the sine of the angle up to which a direction counts as one of the four.
const sideways = 0.2

// The middle of a vertical line is this part of the size away from where the base line of Latin text that is turned into it lies.
const middle = 0.35

// flowsOf sorts the spans that are seen by their directions: the direction of most text first, then by what comes first in the content.
func flowsOf(p *content.Page) []*flow {
	var by [5]*flow
	for i := range p.Spans {
		s := &p.Spans[i]
		if !p.Shows(s) || s.Start == s.End {
			continue
		}
		q := quarter(s)
		f := by[q]
		if f == nil {
			f = &flow{page: p, skew: q == 4, first: int32(i)}
			if by == [5]*flow{} { // mostly it takes all
				f.items = make([]item, 0, len(p.Spans)-i)
			}
			by[q] = f
		}
		f.bytes += int(s.End - s.Start)
		f.ux, f.uy = f.ux+s.UX, f.uy+s.UY
		f.items = append(f.items, item{span: int32(i), size: s.Size, style: s.Style, rtl: s.RTL})
	}
	var out []*flow
	for _, f := range by {
		if f != nil {
			f.buf = make([]byte, 0, f.bytes+2*len(f.items))
			f.place()
			out = append(out, f)
		}
	}
	order.By(out, func(a, b *flow) int { return int(a.first - b.first) })
	for i, f := range out {
		if f.bytes > out[0].bytes {
			out[0], out[i] = f, out[0]
		}
	}
	return out
}

// quarter returns which of the four directions a span is written in, 4 for none of them.
func quarter(s *content.Span) int {
	switch {
	case math.Abs(s.UY) <= sideways && s.UX > 0:
		return 0
	case math.Abs(s.UX) <= sideways && s.UY > 0:
		return 1
	case math.Abs(s.UY) <= sideways && s.UX < 0:
		return 2
	case math.Abs(s.UX) <= sideways && s.UY < 0:
		return 3
	}
	return 4
}

// place gives each item its place in the frame, whose direction is the mean of its spans': a scan lies a little askew.
func (f *flow) place() {
	n := math.Hypot(f.ux, f.uy)
	if n == 0 || math.IsNaN(n) || math.IsInf(n, 0) {
		f.skew = true
		return
	}
	f.ux, f.uy = f.ux/n, f.uy/n
	for i := range f.items {
		it := &f.items[i]
		s := &f.page.Spans[it.span]
		it.x0, it.y = f.at(s.X0, s.Y0)
		it.x1, _ = f.at(s.X1, s.Y1)
		if it.x1 < it.x0 {
			it.x0, it.x1 = it.x1, it.x0
		}
		if s.Vertical {
			it.y += middle * s.Size
		}
		if !(it.size > 0) { // a font without height: what it takes says how large it is
			it.size = max((it.x1-it.x0)/float64(max(1, s.End-s.Start)), 1e-3)
		}
		if !finite(it.x0, it.x1, it.y, it.size) {
			f.skew = true
		}
	}
}

// at returns where a point of the page is in the frame.
func (f *flow) at(x, y float64) (float64, float64) { return x*f.ux + y*f.uy, x*f.uy - y*f.ux }

func finite(all ...float64) bool {
	for _, v := range all {
		if math.IsNaN(v) || math.Abs(v) > 1e9 {
			return false
		}
	}
	return true
}

// lines finds the lines of the flow and puts them into the order in which they are read.
func (f *flow) lines() {
	f.rules = f.rulesOf()
	rows := f.rowsOf()
	rows = f.grids(rows)
	f.region(rows, 0)
}

// inContentOrder makes a line of the spans that follow each other without leaving it.
func (f *flow) inContentOrder() {
	for i := 0; i < len(f.items); {
		end := i + 1
		for end < len(f.items) && content.Between(f.span(end-1), f.span(end)) != content.GapLine {
			end++
		}
		p := f.piece(f.items[i:end])
		f.blocks = append(f.blocks, block{line: []piece{p}, apart: i == 0})
		i = end
	}
}

func (f *flow) span(i int) *content.Span { return &f.page.Spans[f.items[i].span] }
