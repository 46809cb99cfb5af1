package pdf

import (
	"strconv"
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// Of page labels (12.4.2).
const (
	maxLabelRanges = 100 // ranges that are given
	maxLabelBytes  = 60  // of a prefix
)

// labelRange is a run of pages that are numbered in one way.
type labelRange struct {
	from   int // first page, from 1
	style  string
	prefix string
	start  int
}

// labels returns the ranges of page labels in rising order; none where pages are labelled as they are counted.
func (d *document) labels() (out []labelRange) {
	eachName(d.root.Key("PageLabels"), "Nums", func(pairs object.Node, i int) bool {
		at, rule := pairs.Index(i), pairs.Index(i+1)
		from := at.Int() + 1
		if !at.Is(object.Number) || from < 1 || from > d.total || len(out) > 0 && from <= out[len(out)-1].from {
			return true
		}
		prefix := cutText(oneLine(rule.Key("P").Text()), maxLabelBytes)
		if prefix != "" && strings.HasSuffix(rule.Key("P").Raw(), " ") { // it stands before the number
			prefix += " "
		}
		out = append(out, labelRange{from, rule.Key("S").Name(), prefix, max(1, rule.Key("St").Int())})
		return len(out) < maxLabelRanges
	})
	if len(out) == 1 && out[0] == (labelRange{1, "D", "", 1}) {
		return nil
	}
	return out
}

// label is what stands on page at.
func (r *labelRange) label(at int) string {
	n := r.start + at - r.from
	switch r.style {
	case "D":
		return r.prefix + strconv.Itoa(n)
	case "R":
		return r.prefix + strings.ToUpper(roman(n))
	case "r":
		return r.prefix + roman(n)
	case "A":
		return r.prefix + strings.ToUpper(letters(n))
	case "a":
		return r.prefix + letters(n)
	}
	return r.prefix
}

// labelsValue is the ranges as they stand in meta, each with the labels of its first and its last page.
func (d *document) labelsValue(ranges []labelRange) []any {
	out := make([]any, 0, len(ranges))
	for i, r := range ranges {
		to := d.total
		if i+1 < len(ranges) {
			to = ranges[i+1].from - 1
		}
		out = append(out, map[string]any{"from": r.from, "to": to, "first": r.label(r.from), "last": r.label(to)})
	}
	return out
}

// mostRoman is the largest number that is written in Roman numerals: above, they are M after M.
const mostRoman = 4999

// roman returns n in lower-case Roman numerals, in digits where they would be absurd.
func roman(n int) string {
	if n > mostRoman {
		return strconv.Itoa(n)
	}
	var b strings.Builder
	for _, r := range [...]struct {
		value  int
		digits string
	}{{1000, "m"}, {900, "cm"}, {500, "d"}, {400, "cd"}, {100, "c"}, {90, "xc"}, {50, "l"}, {40, "xl"}, {10, "x"}, {9, "ix"}, {5, "v"}, {4, "iv"}, {1, "i"}} {
		for ; n >= r.value; n -= r.value {
			b.WriteString(r.digits)
		}
	}
	return b.String()
}

// mostLetters is how often a letter is repeated in a label at most.
const mostLetters = 20

// letters returns a to z, then aa to zz, and so on, as table 159 has it.
func letters(n int) string {
	times := (n-1)/26 + 1
	if times > mostLetters {
		return strconv.Itoa(n)
	}
	return strings.Repeat(string(rune('a'+(n-1)%26)), times)
}
