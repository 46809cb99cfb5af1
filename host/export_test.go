package host

import "slices"

// Conditions names what accept asks for, in order.
func Conditions() (out []string) {
	p := newPredicate()
	for _, c := range slices.Concat(p.bytes, p.decoding) {
		out = append(out, c.name)
	}
	return out
}

// LeaveOut makes h accept without the named condition.
func LeaveOut(h *Host, name string) {
	is := func(c condition) bool { return c.name == name }
	h.accepts.bytes, h.accepts.decoding = slices.DeleteFunc(h.accepts.bytes, is), slices.DeleteFunc(h.accepts.decoding, is)
}

// CacheBytes is what the decode cache of h holds, by its own estimate.
func CacheBytes(h *Host) uint64 { return h.answers.cache.WeightedSize() }
