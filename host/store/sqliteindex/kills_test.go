//go:build unix

package sqliteindex_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/host/store/storefault"
)

const killVar = "GLOVEBOX_SQLITE_KILL" // in the child: database, call, whether it is killed behind its work

// TestKillsChild is the child of TestKills: it makes the steps, says which of them are done, and is killed at a call of the database.
func TestKillsChild(t *testing.T) {
	parts := strings.Split(os.Getenv(killVar), "|")
	if len(parts) != 3 {
		return
	}
	var at int
	if _, err := fmt.Sscan(parts[1], &at); err != nil {
		t.Fatal(err)
	}
	f := throughFaulty(t)
	f.kill = storefault.Kill
	x := newIndex(t, parts[0])
	f.arm(at, parts[2] == "true", nil)
	for _, step := range indexLife() {
		if err := step.do(t.Context(), x); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		fmt.Println("done")
	}
	fmt.Println("calls:", f.disarm())
}

// A process that is killed at any call of the database, within transactions too, leaves every step that it said was done, the one that it was
// at as a whole or not at all, and nothing else; and the next goes on. Every call and ten kills with GLOVEBOX_BARS=1, else some.
func TestKills(t *testing.T) {
	kills, stride := 1, 23
	if os.Getenv("GLOVEBOX_BARS") != "" {
		kills, stride = 10, 1
	}
	points, total := 0, 0
	for k := 1; ; k += stride {
		for i := range kills {
			if !killedAt(t, k, (i+k)%2 == 0) {
				if points < 8 {
					t.Errorf("%d failpoints: this proves little", points)
				}
				t.Logf("bars: %d failpoints of the database, %d kills, 0 lost, 0 half-made changes", points, total)
				return
			}
			total++
		}
		points++
	}
}

// killedAt kills a child and checks what it has left; false: it ended before.
func killedAt(t *testing.T, call int, behind bool) bool {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "index.db")
	out, killed, err := storefault.RunChild(t.Context(), "TestKillsChild", fmt.Sprintf("%s=%s|%d|%v", killVar, path, call, behind))
	if err != nil {
		t.Fatalf("call %d: %v", call, err)
	}
	if !killed {
		return false
	}
	d, err := sqliteindex.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatalf("call %d: %v", call, err)
	}
	x, err := store.NewIndex(d)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	model, err := store.NewIndex(memindex.New())
	if err != nil {
		t.Fatal(err)
	}
	life, done, got := indexLife(), strings.Count(string(out), "done\n"), stateOf(t, x)
	for _, step := range life[:done] {
		if err := step.do(t.Context(), model); err != nil {
			t.Fatal(err)
		}
	}
	was := stateOf(t, model)
	if err := life[done].do(t.Context(), model); err != nil {
		t.Fatal(err)
	}
	now := stateOf(t, model)
	if got != was && got != now {
		t.Fatalf("killed at call %d, behind its work %v, in %s:\n%s\nbefore\n%s\nbehind\n%s", call, behind, life[done].name, got, was, now)
	}
	if got == was && got != now {
		if err := life[done].do(t.Context(), x); err != nil || stateOf(t, x) != now {
			t.Fatalf("killed at call %d, behind its work %v: %s again: %v", call, behind, life[done].name, err)
		}
	}
	for odd, err := range x.Inspect(t.Context(), false) {
		t.Fatalf("killed at call %d: %+v, %v", call, odd, err)
	}
	return true
}
