package host

import (
	"slices"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
)

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

// Beat is what a host does of its own accord every third of its HostTTL.
func Beat(t testing.TB, h *Host) {
	t.Helper()
	if err := h.register(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := h.announce(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// MemberID is what the store calls h.
func MemberID(h *Host) string { return h.member.id }

// Seal and Unseal write and read an answer of a shared cache.
var Seal, Unseal = seal, unseal

// SharedDone waits until what has been read is in the shared cache.
func SharedDone(h *Host) { h.shared.running.Wait() }

// Patient has h wait for its shared cache however slow the machine is, and returns it.
func Patient(h *Host) *Host {
	h.shared.wait = time.Minute
	return h
}

// CopyID is the id of an artifact's copy.
var CopyID = copyID

// BlobsOf and IndexOf are the store of h.
func BlobsOf(h *Host) *store.Blobs { return h.blobs }

// IndexOf is said at BlobsOf.
func IndexOf(h *Host) *store.Index { return h.index }

// HostOf is the host of s.
func HostOf(s *Session) *Host { return s.host }
