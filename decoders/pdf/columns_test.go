package pdf

import (
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
)

// inOrder returns the length of the longest common subsequence.
func inOrder(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j], above)
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// The bars of the order of words: of each page, and of all.
const (
	leastInOrder = 0.9
	meanInOrder  = 0.98
)

func TestColumns(t *testing.T) {
	sum := 0.0
	pages := pdftest.ColumnPages()
	for _, p := range pages {
		text := laid(t, pdftest.Sheets(p.Sheet)).Text
		var got []string
		for _, w := range strings.Fields(text) {
			if strings.Trim(w, "#-.123456789") != "" {
				got = append(got, w)
			}
		}
		part := float64(inOrder(p.Words, got)) / float64(max(len(p.Words), len(got)))
		sum += part
		if part < 0.999 {
			t.Logf("%s: %.3f", p.Name, part)
		}
		if part < leastInOrder {
			t.Errorf("%s: %.3f of %d words in order, want %.2f\n%s", p.Name, part, len(p.Words), leastInOrder, text)
		}
	}
	mean := sum / float64(len(pages))
	t.Logf("%d pages: %.3f of the words in order", len(pages), mean)
	if mean < meanInOrder {
		t.Errorf("%.3f of the words in order, want %.2f", mean, meanInOrder)
	}
}
