package readapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/readapi"
)

func TestMetaText(t *testing.T) {
	meta := map[string]any{
		"title": "Annual\nreport\u202e", "author": "Ann", "pages": 30,
		"outline": []any{
			map[string]any{"title": "One", "level": 1, "page": 1, "est_tokens": 900},
			map[string]any{"title": "More\u200b", "level": 2, "page": 3},
			map[string]any{"title": "Site", "level": 1, "uri": "https://example.org/"},
			map[string]any{"title": "Nowhere", "level": 1},
		},
		"map": []any{
			map[string]any{"from": 1, "to": 1, "est_tokens": 300},
			map[string]any{"from": 2, "to": 30, "est_tokens": 8000.0},
		},
	}
	outline := `title: Annual\u{A}report\u{202E}
author: Ann
outline: One (page 1, about 900 tokens)
outline:   More\u{200B} (page 3)
outline: Site (https://example.org/)
outline: Nowhere
`
	tokens := "estimated tokens by page: 1: 300, 2-30: 8000\n"
	for _, c := range []struct {
		name string
		cut  bool
		most int64
		want string
	}{
		{"whole", false, 1000, outline},
		{"cut", true, 1000, outline + tokens},
		{"no room for the second level", false, 30, strings.Replace(outline, "outline:   More\\u{200B} (page 3)\n", "", 1) + "outline: left out here: 1 entries\n"},
		{"no room", false, 0, "title: Annual\\u{A}report\\u{202E}\nauthor: Ann\noutline: left out here: 4 entries\n"},
	} {
		if diff := cmp.Diff(c.want, readapi.MetaText(meta, readapi.UnitPage, c.cut, c.most)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	for name, meta := range map[string]map[string]any{
		"nothing": nil, "of a picture": {"width": 3}, "other meanings": {"outline": 7, "title": "x"}, "not JSON": {"title": func() {}},
	} {
		if got := readapi.MetaText(meta, readapi.UnitPage, true, 1000); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestMetaTextBounds is a file that says as much about itself as it can.
func TestMetaTextBounds(t *testing.T) {
	var outline, runs []any
	for i := range 200 {
		outline = append(outline, map[string]any{"title": strings.Repeat("long ", 400), "level": 1 + i%8, "page": i + 1})
	}
	for i := range 100 {
		runs = append(runs, map[string]any{"from": i + 1, "to": i + 1, "est_tokens": 10})
	}
	meta := map[string]any{"title": strings.Repeat("t", 2000), "author": strings.Repeat("a", 2000), "outline": outline, "outline_cut": true, "map": runs}
	got := readapi.MetaText(meta, readapi.UnitPage, true, 1000)
	if n := readapi.EstimateTokens(got); n > 1500 {
		t.Errorf("%d tokens", n)
	}
	for _, want := range []string{"outline: it has more entries\n", "by page: 1-5: 50, 6-10: 50,", fmt.Sprintf(", %d-%d: 50\n", 96, 100)} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}
