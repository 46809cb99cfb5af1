//go:build unix

package layout

import (
	"math"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
)

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

// TestScale lays out pages of 100,000 spans, and eight times pages of an eighth of that: the same work, where it is in proportion; where it is
// quadratic, the large page takes eight times as long. Time is that of the processor, and the best of some attempts counts, for other work
// on the machine only makes it longer.
func TestScale(t *testing.T) {
	const parts, large, most, attempts = 8, 50_000, 4.5, 6
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			var few, many sheet
			shape(&few, large/parts)
			shape(&many, large)
			a, b := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
			for range attempts {
				a, b = min(a, took(&few, parts)), min(b, took(&many, 1))
				if float64(b) <= most*float64(max(a, time.Millisecond)) {
					return
				}
			}
			t.Errorf("eight small pages take %v, a large one %v", a, b)
		})
	}
}

// took lays out a page some times and returns the time of the processor that it took.
func took(s *sheet, times int) time.Duration {
	runtime.GC()
	before := processor()
	for range times {
		Lay(&s.page)
	}
	return processor() - before
}

// processor is the time that the processor spent on this program, not on the system's work for it.
func processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano())
}
