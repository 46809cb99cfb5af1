package recall

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func one(length int, kind ledger.Type) *hit {
	return &hit{counts: [MaxTerms]int32{1}, length: length, kind: kind}
}

func TestScore(t *testing.T) {
	for _, c := range []struct {
		n    int
		hits []*hit
		want []float64
	}{
		{4, []*hit{one(9, ledger.User)}, []float64{1.204}},
		{10, []*hit{one(4, ledger.User), one(12, ledger.Assistant)}, []float64{1.8626, 1.23}},
		{10, []*hit{one(4, ledger.ToolResult), one(12, ledger.ToolCall)}, []float64{0.9313, 1.23}},
	} {
		rate(c.hits, c.n)
		for i, h := range c.hits {
			if h.score != c.want[i] {
				t.Errorf("n %d, hit %d: %v, want %v", c.n, i, h.score, c.want[i])
			}
		}
	}
}

// TestScoreEndToEnd has the same figures from a transcript: 10 messages, two of them with the term and 4 and 12 characters.
func TestScoreEndToEnd(t *testing.T) {
	for _, kind := range []string{"assistant", "tool_result"} {
		text := map[string]string{"assistant": "text", "tool_result": "result"}[kind]
		events := []string{
			fmt.Sprintf(`{"type":%q,"id":"short","turn":"t0",%q:"ÄBCD"}`, kind, text),
			assistant("long", "t1", "12345 äbcd 9"),
		}
		for i := range 8 {
			events = append(events, assistant(fmt.Sprint("m", i), "t2", "nothing"))
		}
		r, _ := setup(t, history{{"s", events}}, &fakeOffers{})
		answer, err := r.Recall(t.Context(), readapi.Scope{Principal: "local", Session: "s"}, words("äbcd"))
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, p := range answer.Passages {
			got[p.AnchorID] = p.Score
		}
		want := map[string]float64{"assistant": 1.8626, "tool_result": 0.9313}[kind]
		if got["short"] != want || got["long"] != 1.23 {
			t.Errorf("%s: %v", kind, got)
		}
	}
}

func TestChoose(t *testing.T) {
	type h = hit
	turns := map[string]*turn{}
	mk := func(session, turnName string, score float64, at int) *h {
		key := session + turnName
		if turns[key] == nil {
			turns[key] = &turn{name: turnName}
		}
		return &h{session: readapi.SessionID(session), id: fmt.Sprint(key, at), turn: turns[key], score: score, time: noon.Add(time.Duration(at) * time.Second)}
	}
	list := []*hit{mk("a", "1", 9, 0), mk("a", "1", 8, 1), mk("a", "2", 7, 2), mk("a", "3", 6, 3), mk("b", "1", 5, 4), mk("b", "2", 5, 5), mk("b", "3", 5, 5), mk("c", "1", 1, 6)}
	for _, c := range []struct {
		limit int
		want  []string
	}{
		{1, []string{"a10"}},
		{3, []string{"a10", "b25", "c16"}},                      // one of each session
		{4, []string{"a10", "a22", "b25", "c16"}},               // the place that is left goes to the best
		{6, []string{"a10", "a22", "b25", "b35", "c16", "a33"}}, // two of each, then the best; ordered below
		{25, []string{"a10", "a22", "a33", "b25", "b35", "b14", "c16"}},
	} {
		var got []string
		for _, h := range choose(slices.Clone(list), c.limit) {
			got = append(got, h.id)
		}
		if c.limit == 6 {
			slices.Sort(c.want)
			slices.Sort(got)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("limit %d: %q, want %q", c.limit, got, c.want)
		}
	}
}

func TestChooseProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, MaxLimit).Draw(t, "limit")
		turns := map[string]*turn{}
		var hits []*hit
		for i := range rapid.IntRange(0, 60).Draw(t, "hits") {
			session := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "session")
			key := session + rapid.StringMatching(`[0-9]`).Draw(t, "turn")
			if turns[key] == nil {
				turns[key] = &turn{}
			}
			hits = append(hits, &hit{session: readapi.SessionID(session), id: fmt.Sprint(i), turn: turns[key], score: float64(rapid.IntRange(0, 5).Draw(t, "score"))})
		}
		chosen := choose(slices.Clone(hits), limit)
		if want := min(limit, len(turns)); len(chosen) != want {
			t.Fatalf("%d chosen, want %d", len(chosen), want)
		}
		if !slices.IsSortedFunc(chosen, better) {
			t.Fatal("not in order")
		}
		seen := map[*turn]bool{}
		for _, h := range chosen {
			if seen[h.turn] {
				t.Fatal("a turn twice")
			}
			seen[h.turn] = true
			for _, other := range hits {
				if other.turn == h.turn && better(other, h) < 0 {
					t.Fatal("not the best of its turn")
				}
			}
		}
	})
}
