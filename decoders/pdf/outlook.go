package pdf

import (
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/order"
)

// Of the map that comes with an answer that does not cover everything.
const (
	maxMapRanges   = 100
	maxMapPages    = 64        // pages that are looked at without being read
	maxMapStreams  = 8         // content streams of one page whose length is looked at
	usualRatio     = 0.25      // tokens for a byte of compressed content
	usualWeight    = 500       // bytes that the usual ratio counts as, beside those of the pages that were read
	plainPerPacked = 3         // bytes of content for one of it compressed
	mapWork        = 1_000_000 // units of work that the map may take
)

// seenPage is a page that this answer has read.
type seenPage struct {
	at            int
	width, height int // in points, as shown
	text          bool
	tokens        int64
	bytes         int // of its content, compressed
}

// sight notes a page that was read.
func (d *document) sight(at int, p *page, out *pageText) {
	b, unit := d.content.Box, max(1, p.dict.Key("UserUnit").Num())
	s := seenPage{at: at, width: int((b.X1-b.X0)*unit + 0.5), height: int((b.Y1-b.Y0)*unit + 0.5), text: out.hasText(), tokens: out.tokens, bytes: contentBytes(p)}
	if d.content.Rotate%180 != 0 {
		s.width, s.height = s.height, s.width
	}
	d.seen = append(d.seen, s)
}

// contentBytes is how long a page's content is, as its streams declare: compressed, or what it would be compressed.
func contentBytes(p *page) (n int) {
	c := p.dict.Key("Contents")
	one := func(s object.Node) {
		length := max(0, s.Key("Length").Int())
		if s.Key("Filter").Null() {
			length /= plainPerPacked
		}
		n = min(n+length, maxContentBytes)
	}
	if c.Is(object.Stream) {
		one(c)
	}
	for i := range min(c.Len(), maxMapStreams) {
		one(c.Index(i))
	}
	return n
}

// maxContentBytes is what a declared length counts as at most.
const maxContentBytes = 16 << 20

// outlook estimates the tokens of every page: known for the pages that were read, from the length of their content for others, of which
// a large document has some looked at; those between them are taken to be like them.
func (d *document) outlook() (tokens []int64) {
	sumTokens, sumBytes := usualRatio*usualWeight, float64(usualWeight)
	known := map[int]int64{}
	for _, s := range d.seen {
		known[s.at] = s.tokens
		sumTokens += float64(s.tokens)
		sumBytes += float64(s.bytes)
	}
	step := max(1, (d.total+maxMapPages-1)/maxMapPages)
	for at := 1; at <= d.total; at += step {
		if _, ok := known[at]; !ok {
			p := d.page(at)
			known[at] = int64(float64(contentBytes(&p)) * sumTokens / sumBytes)
		}
	}
	places := make([]int, 0, len(known))
	for at := range known {
		places = append(places, at)
	}
	order.Up(places)
	tokens = make([]int64, d.total)
	for i, at := range places {
		tokens[at-1] = known[at]
		next := d.total + 1
		after := known[at]
		if i+1 < len(places) {
			next, after = places[i+1], known[places[i+1]]
		}
		for k := at + 1; k < next; k++ {
			tokens[k-1] = known[at] + (after-known[at])*int64(k-at)/int64(next-at)
		}
	}
	return tokens
}

// mapValue is the map as it stands in meta: tokens of runs of pages.
func mapValue(tokens []int64) (out []any) {
	step := (len(tokens) + maxMapRanges - 1) / maxMapRanges
	for from := 0; from < len(tokens); from += step {
		to := min(from+step, len(tokens))
		out = append(out, map[string]any{"from": from + 1, "to": to, "est_tokens": sum(tokens[from:to])})
	}
	return out
}

func sum(list []int64) (n int64) {
	for _, v := range list {
		n += v
	}
	return n
}

// weigh puts the tokens of their pages into the entries of an outline: from an entry's page up to the page where the next one of its
// level or above begins, its own page at least.
func weigh(entries []outlineEntry, tokens []int64) {
	before := make([]int64, len(tokens)+1)
	for i, n := range tokens {
		before[i+1] = before[i] + n
	}
	for i := range entries {
		e := &entries[i]
		if e.page == 0 {
			continue
		}
		end := len(tokens)
		for _, next := range entries[i+1:] {
			if next.level <= e.level && next.page > 0 {
				end = max(e.page, next.page-1)
				break
			}
		}
		e.tokens = before[end] - before[e.page-1]
	}
}

// outcome is what meta says of the pages that were read; mapped adds the map.
func (d *document) outcome(mapped bool) (m map[string]any) {
	m = map[string]any{}
	defer func() {
		recover() // a damaged page that was only looked at, or no work left: then there is no map
	}()
	if len(d.seen) > 0 {
		m["page_sizes"] = d.sizes()
	}
	if d.hidden > 0 {
		m["hidden_characters"] = d.hidden
	}
	if d.scriptSeen {
		m["javascript"] = true
	}
	if mapped {
		d.file.Leave(mapWork)
		tokens := d.outlook()
		m["map"] = mapValue(tokens)
		if len(d.contents) > 0 {
			weigh(d.contents, tokens)
			m["outline"] = outlineValue(d.contents)
		}
	}
	return m
}

// maxSizes bounds how many runs of pages of one size are given.
const maxSizes = 100

// sizes are the sizes in points of the pages that were read, and whether they have text: pages that follow each other and are alike are
// one entry.
func (d *document) sizes() (out []any) {
	for i := 0; i < len(d.seen) && len(out) < maxSizes; {
		first := d.seen[i]
		last := first.at
		for i++; i < len(d.seen); i++ {
			s := d.seen[i]
			if s.at != last+1 || s.width != first.width || s.height != first.height || s.text != first.text {
				break
			}
			last = s.at
		}
		out = append(out, map[string]any{"from": first.at, "to": last, "width": first.width, "height": first.height, "text": first.text})
	}
	return out
}
