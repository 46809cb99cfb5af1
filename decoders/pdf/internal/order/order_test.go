package order_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/order"
)

// It sorts as package slices does, stably, whatever the order that it finds.
func TestBy(t *testing.T) {
	type pair struct{ key, was int }
	rnd := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		for kind := range 5 {
			s := make([]pair, n)
			for i := range s {
				s[i] = pair{[]int{rnd.IntN(1 + n), rnd.IntN(3), i, -i, i / 5}[kind], i}
			}
			if kind == 4 && n > 0 { // in order but for one
				s[rnd.IntN(n)].key = rnd.IntN(n)
			}
			compare := func(a, b pair) int { return cmp.Compare(a.key, b.key) }
			want := slices.Clone(s)
			slices.SortStableFunc(want, compare)
			if order.By(s, compare); !slices.Equal(s, want) {
				t.Fatalf("%d elements of kind %d: %v, want %v", n, kind, s, want)
			}
		}
	}
	words := []string{"b", "a", "c", ""}
	if order.Up(words); !slices.IsSorted(words) {
		t.Errorf("got %q", words)
	}
}

// Comparisons grow with n log n, for any order.
func TestCost(t *testing.T) {
	for _, n := range []int{1000, 100_000} {
		for kind := range 3 {
			s := make([]int, n)
			for i := range s {
				s[i] = []int{n - i, i * 7919 % n, i % 2}[kind]
			}
			count := 0
			order.By(s, func(a, b int) int { count++; return cmp.Compare(a, b) })
			if limit := n * 18; count > limit {
				t.Errorf("%d elements of kind %d took %d comparisons, over %d", n, kind, count, limit)
			}
		}
	}
}

func BenchmarkBy(b *testing.B) {
	type piece struct{ x, y, w, h float64 }
	rnd := rand.New(rand.NewPCG(1, 2))
	all := make([]piece, 2000)
	for i := range all {
		all[i] = piece{y: float64(rnd.IntN(500))}
	}
	compare := func(a, b piece) int { return cmp.Compare(a.y, b.y) }
	s := make([]piece, len(all))
	b.Run("order", func(b *testing.B) {
		for b.Loop() {
			copy(s, all)
			order.By(s, compare)
		}
	})
	b.Run("slices", func(b *testing.B) {
		for b.Loop() {
			copy(s, all)
			slices.SortStableFunc(s, compare)
		}
	})
}
