package readapi_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
	"pgregory.net/rapid"
)

func TestParseUnits(t *testing.T) {
	good := map[string][]readapi.Range{
		"3":           {{From: 3, To: 3}},
		"1-3":         {{From: 1, To: 3}},
		"7-":          {{From: 7}},
		"1-3,7,9-":    {{From: 1, To: 3}, {From: 7, To: 7}, {From: 9}},
		" 1 - 2 , 4 ": {{From: 1, To: 2}, {From: 4, To: 4}},
	}
	for s, want := range good {
		if got, err := readapi.ParseUnits(s); err != nil || !slices.Equal(got, want) {
			t.Errorf("ParseUnits(%q) = %v, %v, want %v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "0", "-3", "3-1", "1,1", "2,1", "1-,2", "1-3,3", "a", "1-b", "+1", "1--2", "1,,2", "99999999999999999999", "１"} {
		if got, err := readapi.ParseUnits(s); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
			t.Errorf("ParseUnits(%q) = %v, %v, want invalid_request", s, got, err)
		}
	}
}

func TestUnitsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ranges []readapi.Range
		at := int64(0)
		for range rapid.IntRange(1, 8).Draw(t, "n") {
			from := at + rapid.Int64Range(1, 100).Draw(t, "gap")
			to := from + rapid.Int64Range(0, 100).Draw(t, "len")
			ranges = append(ranges, readapi.Range{From: from, To: to})
			at = to
		}
		if rapid.Bool().Draw(t, "open") {
			ranges[len(ranges)-1].To = 0
		}
		got, err := readapi.ParseUnits(readapi.FormatUnits(ranges))
		if err != nil || !slices.Equal(got, ranges) {
			t.Fatalf("%v → %q → %v, %v", ranges, readapi.FormatUnits(ranges), got, err)
		}
		// Walking with NextSelected gives exactly the units that Selected says.
		var walked []int64
		for u, ok := readapi.NextSelected(ranges, 1); ok && u <= at+5; u, ok = readapi.NextSelected(ranges, u+1) {
			walked = append(walked, u)
		}
		var want []int64
		for u := int64(1); u <= at+5; u++ {
			if readapi.Selected(ranges, u) {
				want = append(want, u)
			}
		}
		if !slices.Equal(walked, want) {
			t.Fatalf("%v: walked %v, want %v", ranges, walked, want)
		}
	})
}

func TestParseChild(t *testing.T) {
	if got, err := readapi.ParseChild("2/1"); err != nil || !slices.Equal(got, []int{2, 1}) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, s := range []string{"", "0", "1/", "/1", "1/2/3/4/5/", "a", " 1", "1/-1", "99999999999"} {
		if got, err := readapi.ParseChild(s); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
			t.Errorf("ParseChild(%q) = %v, %v, want invalid_request", s, got, err)
		}
	}
	for _, s := range []string{"1/2/3/4/5", strings.Repeat("1/", 50) + "1"} {
		if got, err := readapi.ParseChild(s); readapi.CodeOf(err) != readapi.CodeLimitDepth {
			t.Errorf("ParseChild(%q) = %v, %v, want limit_depth", s, got, err)
		}
	}
	for _, s := range []string{"1", "2/1", "1/2/3/2147483647"} {
		if path, err := readapi.ParseChild(s); err != nil || readapi.FormatChild(path) != s {
			t.Errorf("%q became %v, %v", s, path, err)
		}
	}
	if err := readapi.CheckChild([]int{1, 0}); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
		t.Errorf("a child 0: %v", err)
	}
}
