// Package order sorts slices with little code. The functions of package slices are compiled anew for every type, some ten kilobytes each time in
// a guest; here only comparing and moving are, and the sort itself is one for all.
package order

import "cmp"

// Up sorts s in rising order.
func Up[T cmp.Ordered](s []T) { By(s, cmp.Compare[T]) }

// few is up to how many elements are sorted in place, by insertion.
const few = 12

// By sorts s as compare says, which is as for slices.SortFunc. It is stable: what is equal stays in its order.
func By[T any](s []T, compare func(a, b T) int) {
	if len(s) > few {
		at := merge(len(s), func(a, b int) bool { return compare(s[a], s[b]) <= 0 })
		if at == nil {
			return
		}
		out := make([]T, len(s))
		for i, k := range at {
			out[i] = s[k]
		}
		copy(s, out)
		return
	}
	for i := 1; i < len(s); i++ {
		x, k := s[i], i
		for ; k > 0 && compare(s[k-1], x) > 0; k-- {
			s[k] = s[k-1]
		}
		s[k] = x
	}
}

// merge sorts the numbers below n by merging; before reports whether a may stand before b. nil: they are in order as they are.
func merge(n int, before func(a, b int) bool) []int32 {
	sorted := 1
	for sorted < n && before(sorted-1, sorted) {
		sorted++
	}
	if sorted == n {
		return nil
	}
	from, to := make([]int32, n), make([]int32, n)
	for i := range from {
		from[i] = int32(i)
	}
	for size := 1; size < n; size *= 2 {
		for start := 0; start < n; start += 2 * size {
			i, mid, end := start, min(start+size, n), min(start+2*size, n)
			k := mid
			for at := start; at < end; at++ {
				if i < mid && (k == end || before(int(from[i]), int(from[k]))) {
					to[at] = from[i]
					i++
				} else {
					to[at] = from[k]
					k++
				}
			}
		}
		from, to = to, from
	}
	return from
}
