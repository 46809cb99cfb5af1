package layout

import (
	"math"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
)

// sheet builds pages by hand.
type sheet struct{ page content.Page }

// put adds a span of upright text whose characters are half as wide as high.
func (s *sheet) put(x, y, size float64, text string) *content.Span {
	return s.turned(x, y, 1, 0, size, text)
}

// turned adds a span that is written in a direction.
func (s *sheet) turned(x, y, ux, uy, size float64, text string) *content.Span {
	p := &s.page
	start := int32(len(p.Buf))
	p.Buf = append(p.Buf, text...)
	w := 0.5 * size * float64(len([]rune(text)))
	p.Spans = append(p.Spans, content.Span{
		Start: start, End: int32(len(p.Buf)), X0: x, Y0: y, X1: x + w*ux, Y1: y + w*uy, UX: ux, UY: uy, Size: size,
	})
	return &p.Spans[len(p.Spans)-1]
}

// shapes are pages of n spans that are as bad as can be for some part of the layout.
var shapes = map[string]func(s *sheet, n int){
	"one row": func(s *sheet, n int) {
		for i := range n {
			s.put(float64(i)*30, 700, 10, "ab")
		}
	},
	"one place": func(s *sheet, n int) {
		for range n {
			s.put(100, 700, 10, "ab")
		}
	},
	"one column": func(s *sheet, n int) {
		for i := range n {
			s.put(100, -float64(i)*12, 10, "words of a line")
		}
	},
	"scattered": func(s *sheet, n int) {
		v := uint32(1)
		for range n {
			v = v*1664525 + 1013904223
			s.put(float64(v>>8%6000)/10, float64(v>>20)/5, 8, "word")
		}
	},
	"two columns, backwards": func(s *sheet, n int) {
		for i := range n {
			s.put(100+300*float64(i%2), float64(i/2)*12, 10, "words of a line that is full")
		}
	},
	"a wide table": func(s *sheet, n int) {
		for i := range n {
			s.put(float64(i%100)*50, -float64(i/100)*14, 10, "12.5")
		}
	},
	"stairs": func(s *sheet, n int) {
		for i := range n {
			s.put(float64(i%50)*40+float64(i/50), -float64(i/50)*13, 10, "ab")
		}
	},
	"small over large": func(s *sheet, n int) {
		for i := range n {
			s.put(float64(i%60)*12, -float64(i/60)*4, 4+6*float64(i%2), "a")
		}
	},
	"list": func(s *sheet, n int) {
		for i := range n {
			s.put(100+float64(i%7)*9, -float64(i)*12, 10, "• split-")
		}
	},
	"columns in bands": func(s *sheet, n int) {
		for i := range n {
			if i%9 == 0 {
				s.put(100, -float64(i)*12, 10, "a line that goes across all of what stands below it and above it, as headings do")
				continue
			}
			s.put(100+300*float64(i%2), -float64(i-i%2)*12, 10, "words of a line that is full")
		}
	},
	"boxes": func(s *sheet, n int) {
		for i := range n {
			x, y := float64(i%40)*50, -float64(i/40)*20
			s.put(x+5, y+5, 10, "12")
			if i < 20_000 {
				s.page.Rules = append(s.page.Rules, content.Rule{X0: x, Y0: y, X1: x + 50, Y1: y}, content.Rule{X0: x, Y0: y, X1: x, Y1: y + 20})
			}
		}
	},
}

// TestScale lays out pages of up to 100,000 spans: eight times as many may take 40 times as long, where 64 would be quadratic: memory that is
// fresh costs too. Other work on the machine only makes a measurement longer, so the best of some attempts counts.
func TestScale(t *testing.T) {
	const small, large, most, attempts = 12_500, 100_000, 40.0, 4
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			var few, many sheet
			shape(&few, small)
			shape(&many, large)
			a, b := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
			ratio := 0.0
			for range attempts {
				a, b = min(a, took(&few)), min(b, took(&many))
				if ratio = float64(b) / float64(max(a, time.Millisecond)); ratio <= most {
					return
				}
			}
			t.Errorf("%v, %v: %.1f times as long for eight times as many", a, b, ratio)
		})
	}
}

// took lays out a page and returns how long that took.
func took(s *sheet) time.Duration {
	start := time.Now()
	Lay(&s.page)
	return time.Since(start)
}
