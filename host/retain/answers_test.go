package retain_test

import (
	"slices"
	"syscall"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store/storefault"
)

// The lease to collect was given, and the answer was lost; or giving it back failed once. The next collection need not wait until it is over.
func TestCollectsAgain(t *testing.T) {
	for _, f := range []*steps{{at: 1}, {at: 1, before: true}} {
		b, x, _ := engines["memory"](t)
		faulty := newPlace(t, faultyBlobs{b, f}, faultyIndex{x, f}, "")
		if _, err := faulty.keeper(nil).GC(t.Context(), retain.GCOptions{}); err == nil || f.names[0] != "Acquire" {
			t.Fatalf("%v, %v", f.names, err)
		}
		_, err := faulty.keeper(nil).GC(t.Context(), retain.GCOptions{})
		must(t, err)

		f.mu.Lock()
		f.n, f.at, f.names = 0, 0, nil
		f.mu.Unlock()
		_, err = faulty.keeper(nil).GC(t.Context(), retain.GCOptions{})
		must(t, err)
		f.mu.Lock()
		f.n, f.at, f.before, f.names = 0, slices.Index(f.names, "Resign")+1, true, nil
		f.mu.Unlock()
		for range 2 {
			_, err = faulty.keeper(nil).GC(t.Context(), retain.GCOptions{})
			must(t, err)
		}
	}
}

// Bytes that the disk does not give are unreadable, and not said to be others than were stored.
func TestFsckUnreadable(t *testing.T) {
	b, x, _ := engines["memory"](t)
	newPlace(t, b, x, "").attach(scope("s"), "content")
	plan := &storefault.Plan{}
	k := newPlace(t, storefault.Blobs(b, plan), storefault.Index(x, plan), "").keeper(nil)
	at := 0
	for _, err := range []error{nil, syscall.EIO} {
		plan.Arm(storefault.Fault{At: at, Err: err})
		r, ferr := k.Fsck(t.Context(), retain.FsckOptions{ReadData: true})
		must(t, ferr)
		if at > 0 && (r.Clean || r.Found[retain.BlobUnreadable] != 1 || r.Found[retain.BlobDamaged] != 0) || at == 0 && !r.Clean {
			t.Errorf("a fault at %d: %+v", at, r)
		}
		at = slices.Index(plan.Disarm(), "ReadAt") + 1
	}
	if at == 0 {
		t.Error("nothing was read")
	}
}
