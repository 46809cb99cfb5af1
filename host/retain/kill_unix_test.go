//go:build unix

package retain_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store/storefault"
)

const killVar = "GLOVEBOX_RETAIN_KILL" // in the child: folder, run, step, whether the step is left out

// A process that is killed at any step of what it removes leaves nothing that the next does not end: 10 times at each where the bars ask for
// it, else once at some.
func TestKilled(t *testing.T) {
	kills, every := 1, 9
	if bars {
		kills, every = 10, 1
	}
	total := 0
	for name, run := range runs {
		n := stepsOf(t, run)
		for k := 1; k <= n; k += every {
			for i := range kills {
				before := i%2 == k%2
				t.Run(fmt.Sprintf("%s/%d/before=%v", name, k, before), func(t *testing.T) { killed(t, name, k, before) })
				total++
			}
		}
	}
	t.Logf("%d kills: nothing lost, every next collection ended clean", total)
}

// stepsOf counts the steps of a run.
func stepsOf(t *testing.T, run func(*retain.Keeper) error) int {
	t.Helper()
	b, x, _ := engines["memory"](t)
	newScene(t, b, x)
	f := &steps{}
	must(t, run(newPlace(t, faultyBlobs{b, f}, faultyIndex{x, f}, "").keeper(nil)))
	return f.n
}

// killed runs a child that is killed at a step, and ends what it began.
func killed(t *testing.T, name string, step int, before bool) {
	t.Helper()
	dir := t.TempDir()
	b, x := openFiles(t, dir)
	s := newScene(t, b, x)
	what := fmt.Sprintf("%s, killed at step %d, before %v", name, step, before)
	_, killed, err := storefault.RunChild(t.Context(), "TestKilledChild", fmt.Sprintf("%s=%s|%s|%d|%v", killVar, dir, name, step, before))
	if !killed {
		t.Fatalf("%s: the child was not killed: %v", what, err)
	}
	s.whole(what)
	s.ends(what)
}

// TestKilledChild is the child of TestKilled.
func TestKilledChild(t *testing.T) {
	parts := strings.Split(os.Getenv(killVar), "|")
	if len(parts) < 4 {
		return
	}
	f := &steps{lease: 10 * time.Millisecond, before: parts[3] == "true", kill: storefault.Kill}
	if _, err := fmt.Sscan(parts[2], &f.at); err != nil || !slices.Contains([]string{"true", "false"}, parts[3]) {
		t.Fatal(parts, err)
	}
	b, x := openFiles(t, parts[0])
	_ = runs[parts[1]](newPlace(t, faultyBlobs{b, f}, faultyIndex{x, f}, "").keeper(nil))
	t.Fatalf("the run ended at step %d", f.n)
}
