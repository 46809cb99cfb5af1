package recall

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// The parameters of BM25 (Robertson and Zaragoza 2009), and what a tool's result counts beside what somebody wrote.
const (
	bm25K1          = 1.2
	bm25B           = 0.75
	toolResultScore = 0.5
)

// hit is a message that was found. It holds nothing of the message itself: there may be many.
type hit struct {
	session readapi.SessionID
	id      string
	seq     int64
	turn    *turn
	time    time.Time
	kind    ledger.Type
	counts  [MaxTerms]int32 // how often each term occurs in what may be shown
	length  int             // characters of that, folded
	score   float64
}

// turn is where in a session's transcript a turn lies.
type turn struct {
	name        string
	first, last int64
}

// rate gives the hits among n messages their scores: Okapi BM25 with idf = ln((n-df+0.5)/(df+0.5)+1), to four decimals.
func rate(hits []*hit, n int) {
	var df [MaxTerms]float64
	total := 0.0
	for _, h := range hits {
		total += float64(h.length)
		for i, c := range h.counts {
			if c > 0 {
				df[i]++
			}
		}
	}
	average := total / float64(len(hits))
	for _, h := range hits {
		norm := bm25K1 * (1 - bm25B + bm25B*float64(h.length)/average)
		for i, c := range h.counts {
			idf := math.Log((float64(max(n, len(hits)))-df[i]+0.5)/(df[i]+0.5) + 1)
			h.score += idf * float64(c) * (bm25K1 + 1) / (float64(c) + norm)
		}
		if h.kind == ledger.ToolResult {
			h.score *= toolResultScore
		}
		h.score = math.Round(h.score*1e4) / 1e4
	}
}

// better orders hits: by score, then the newer one, then by id.
func better(a, b *hit) int {
	return cmp.Or(cmp.Compare(b.score, a.score), b.time.Compare(a.time), strings.Compare(a.id, b.id),
		strings.Compare(string(a.session), string(b.session)), cmp.Compare(a.seq, b.seq))
}

// choose returns the limit best hits, best first: one of each turn; of each session at most a third of them while others have some.
func choose(hits []*hit, limit int) []*hit {
	slices.SortFunc(hits, better)
	quota := max(1, limit/3)
	turns := map[*turn]bool{}
	sessions := map[readapi.SessionID]int{}
	var chosen, rest []*hit
	for _, h := range hits {
		switch {
		case turns[h.turn]:
		case sessions[h.session] >= quota:
			turns[h.turn] = true
			rest = append(rest, h)
		case len(chosen) < limit:
			turns[h.turn] = true
			sessions[h.session]++
			chosen = append(chosen, h)
		}
	}
	chosen = append(chosen, rest[:min(len(rest), limit-len(chosen))]...)
	slices.SortFunc(chosen, better)
	return chosen
}
