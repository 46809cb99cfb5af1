package pdf

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// varied is n pages of between 5 and 60 lines of words that are not alike, with an outline of an entry for each tenth page. Contents are
// compressed where packed is set.
func varied(rnd *rand.Rand, n int, packed bool) []byte {
	w := &pdftest.Writer{}
	f := w.Add(pdftest.Helvetica)
	tree := 1 + 2*n + 1
	var kids strings.Builder
	var items []pdftest.OutlineItem
	for i := range n {
		var lines []string
		for range 5 + rnd.IntN(56) {
			var l strings.Builder
			for range 4 + rnd.IntN(9) {
				for range 2 + rnd.IntN(9) {
					l.WriteByte(byte('a' + rnd.IntN(26)))
				}
				l.WriteByte(' ')
			}
			lines = append(lines, l.String())
		}
		content := strings.ReplaceAll(pdftest.Lines(lines...), "14 TL 72 700", "11 TL 20 770")
		c := 0
		if packed {
			c = w.Flate("", content)
		} else {
			c = w.Stream("", []byte(content))
		}
		page := w.Add("<</Type/Page/Parent %d 0 R/MediaBox[0 0 912 792]/Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>>>>>", tree, c, f)
		kids.WriteString(pdftest.Ref(page) + " ")
		if i%10 == 0 {
			items = append(items, item(fmt.Sprintf("chapter %d", i/10+1), 1, fmt.Sprintf("/Dest[%d 0 R/Fit]", page)))
		}
	}
	w.Add("<</Type/Pages/Count %d/Kids[%s]>>", n, kids.String())
	w.Catalog(tree, "/Outlines %d 0 R", w.Outline(items...))
	return w.Table()
}

type mapped struct {
	from, to int
	tokens   float64
}

func mapOf(t *testing.T, res readapi.Result) (out []mapped) {
	t.Helper()
	list, _ := res.Meta["map"].([]any)
	for _, v := range list {
		m := v.(map[string]any)
		out = append(out, mapped{int(m["from"].(float64)), int(m["to"].(float64)), m["est_tokens"].(float64)})
	}
	return out
}

// The map names every page once, is exact for what was read, and is within a factor of two for the rest.
func TestMapIsNear(t *testing.T) {
	for seed, c := range []struct {
		pages  int
		packed bool
	}{{3, true}, {30, true}, {30, false}, {100, true}, {250, true}, {250, false}} {
		doc := varied(rand.New(rand.NewPCG(uint64(seed), 9)), c.pages, c.packed)
		whole := decodeBytes(t, doc, readapi.Request{})
		if whole.Meta["map"] != nil {
			t.Error("an answer that has everything has a map")
		}
		exact := make([]float64, c.pages+1)
		for _, p := range whole.Parts {
			exact[p.At] += float64(readapi.EstimateTokens(p.Text))
		}
		res := decodeBytes(t, doc, readapi.Request{MaxTokens: 400})
		if res.Next == nil {
			t.Fatalf("%d pages fit the budget", c.pages)
		}
		ranges := mapOf(t, res)
		next, total, all := 1, 0.0, 0.0
		for _, r := range ranges {
			if r.from != next || r.to < r.from {
				t.Fatalf("range %+v begins behind page %d", r, next-1)
			}
			next = r.to + 1
			real := 0.0
			for at := r.from; at <= r.to; at++ {
				real += exact[at]
			}
			total += r.tokens
			all += real
			if int64(r.to) < res.Covers.To && r.tokens != real {
				t.Errorf("pages %d-%d were read: %v tokens, the map says %v", r.from, r.to, real, r.tokens)
			}
			if c.pages <= maxMapPages && (r.tokens > 2*real || r.tokens < real/2) {
				t.Errorf("%+v: page %d has %v tokens, the map says %v", c, r.from, real, r.tokens)
			}
		}
		if next != c.pages+1 || len(ranges) > maxMapRanges {
			t.Errorf("the map of %d pages ends at %d in %d ranges", c.pages, next-1, len(ranges))
		}
		if total > 2*all || total < all/2 {
			t.Errorf("%+v: %v tokens, the map says %v", c, all, total)
		}
		t.Logf("%+v: %v tokens, the map says %v", c, all, total)
	}
}

// Entries of the outline have the tokens of their pages, which add up.
func TestOutlineHasTokens(t *testing.T) {
	doc := varied(rand.New(rand.NewPCG(5, 5)), 40, true)
	res := decodeBytes(t, doc, readapi.Request{MaxTokens: 1500})
	sum := 0.0
	for _, e := range res.Meta["outline"].([]any) {
		sum += e.(map[string]any)["est_tokens"].(float64)
	}
	all := 0.0
	for _, r := range mapOf(t, res) {
		all += r.tokens
	}
	if sum != all || sum == 0 {
		t.Errorf("the chapters have %v tokens, the pages %v", sum, all)
	}
}

// A large document costs the map no more than a few looks, and a selection that is given whole has none.
func TestMapIsCheap(t *testing.T) {
	w := large(1000, 10)
	data := w.Table()
	one := decodeBytes(t, data, readapi.Request{Units: []readapi.Range{{From: 500, To: 500}}})
	if one.Meta["map"] != nil {
		t.Error("a selection that is given whole has a map")
	}
	read := func(req readapi.Request) int64 {
		in := &counter{Reader: bytes.NewReader(data)}
		req.Form = readapi.FormText
		if _, err := pdk.Run(&Decoder, in, req); err != nil {
			t.Fatal(err)
		}
		return in.bytes
	}
	few := read(readapi.Request{Units: []readapi.Range{{From: 1, To: 3}}})
	mapped := read(readapi.Request{MaxTokens: 15})
	if mapped > few+600<<10 {
		t.Errorf("the map reads %d bytes, three pages without it %d", mapped, few)
	}
	t.Logf("three pages read %d bytes, with a map of 1,000 pages %d", few, mapped)
}

// When the read ends because it has done all it may, the map is there too.
func TestMapAfterAllWork(t *testing.T) {
	doc := varied(rand.New(rand.NewPCG(1, 1)), 30, true)
	old := object.MaxReadWork
	defer func() { object.MaxReadWork = old }()
	for object.MaxReadWork = 1000; object.MaxReadWork < old; object.MaxReadWork *= 2 {
		res, err := run(doc, readapi.Request{})
		if err == nil && res.Next != nil {
			if len(mapOf(t, res)) != 30 {
				t.Errorf("%d ranges after page %d", len(mapOf(t, res)), res.Covers.To)
			}
			return
		}
	}
	t.Error("no answer ended in between")
}
