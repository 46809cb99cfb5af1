package retain_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Rows that name few of the bytes may be those of another store: whoever is careful changes nothing, and who is not removes all of them.
func TestCareful(t *testing.T) {
	for _, c := range []struct {
		named, unnamed int
		refuses        bool
	}{{0, 3, false}, {0, 4, true}, {4, 4, false}, {4, 5, true}} {
		t.Run(fmt.Sprint(c.named, c.unnamed), func(t *testing.T) {
			onEngines(t, func(t *testing.T, p *place) {
				for i := range c.named {
					p.attach(scope("s"), fmt.Sprint("named ", i))
				}
				for i := range c.unnamed {
					p.put(fmt.Sprint("unnamed ", i))
				}
				there := func(want int) {
					t.Helper()
					r, err := p.keeper(nil).Fsck(t.Context(), retain.FsckOptions{})
					must(t, err)
					if r.Blobs.Files != int64(want) {
						t.Fatalf("%d blobs are there, not %d", r.Blobs.Files, want)
					}
				}
				said := func(err error) {
					t.Helper()
					if c.refuses != errors.Is(err, retain.ErrMostUnnamed) || c.refuses != (readapi.CodeOf(err) == readapi.CodeCapabilityUnavailable) {
						t.Fatalf("refuses %v: %v", c.refuses, err)
					}
				}
				r, err := p.keeper(nil).GC(t.Context(), retain.GCOptions{Grace: nothing, Careful: true, DryRun: true})
				said(err)
				if r.Orphans.Files != int64(c.unnamed) {
					t.Fatalf("a dry run tells of %d", r.Orphans.Files)
				}
				there(c.named + c.unnamed)
				if c.refuses {
					_, err = p.keeper(nil).Fsck(t.Context(), retain.FsckOptions{Grace: nothing, Careful: true, Repair: true})
					said(err)
					_, err = p.keeper(nil).Fsck(t.Context(), retain.FsckOptions{Grace: nothing, Careful: true})
					must(t, err) // it only looks
					_, err = p.keeper(nil).GC(t.Context(), retain.GCOptions{Careful: true})
					must(t, err) // all of them are young
				}
				_, err = p.keeper(nil).GC(t.Context(), retain.GCOptions{Grace: nothing, Careful: true})
				said(err)
				if c.refuses {
					there(c.named + c.unnamed)
					p.gc(retain.GCOptions{Grace: nothing})
				}
				there(c.named)
			})
		})
	}
}
