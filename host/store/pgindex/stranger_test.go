package pgindex

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store/pgindex/pgtest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// auc is the chance that a value of x is above one of y, ties counted half: 0.5 where nothing tells them apart.
func auc(x, y []time.Duration) float64 {
	type value struct {
		took time.Duration
		ofX  bool
	}
	var all []value
	for _, v := range x {
		all = append(all, value{v, true})
	}
	for _, v := range y {
		all = append(all, value{v, false})
	}
	slices.SortFunc(all, func(a, b value) int { return int(a.took - b.took) })
	var ranks float64
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].took == all[i].took {
			j++
		}
		for _, v := range all[i:j] {
			if v.ofX {
				ranks += float64(i+j+1) / 2
			}
		}
		i = j
	}
	n, m := float64(len(x)), float64(len(y))
	return (ranks - n*(n+1)/2) / (n * m)
}

// A stranger cannot tell by time whether an artifact is somebody else's, was deleted there, or never was.
func TestStranger(t *testing.T) {
	url := pgtest.URL(t)
	d, err := Open(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	c := fillTo(t, url, *rows)
	if _, err := c.Exec(t.Context(), "UPDATE glovebox.artifacts SET status = 'deleted', deleted = 0 WHERE seq % 2 = 1"); err != nil {
		t.Fatal(err)
	}
	scope, own := someRefs(t, c, 3)
	var foreign []readapi.ArtifactID
	for s := 10; s < 30; s++ {
		_, ids := someRefs(t, c, s)
		foreign = append(foreign, ids...)
	}
	ask := func(found int, ids ...readapi.ArtifactID) time.Duration {
		start := time.Now()
		list, _, err := d.Artifacts(t.Context(), scope, ids)
		took := time.Since(start)
		if err != nil || len(list) != found {
			t.Fatalf("%d rows: %v", len(list), err)
		}
		return took
	}
	n := 2000
	if os.Getenv("GLOVEBOX_BARS") != "" {
		n = 10_000
	}
	times := map[string][]time.Duration{}
	for i := range n + 500 {
		kinds := []string{"own", "live", "deleted", "absent"}
		rand.Shuffle(len(kinds), func(a, b int) { kinds[a], kinds[b] = kinds[b], kinds[a] })
		for _, kind := range kinds {
			n := rand.IntN(len(foreign) / 2)
			var took time.Duration
			switch kind {
			case "own":
				took = ask(20, own[n%80:n%80+20]...)
			case "live":
				took = ask(0, foreign[2*n])
			case "deleted":
				took = ask(0, foreign[2*n+1])
			case "absent":
				took = ask(0, readapi.ArtifactID(fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64())))
			}
			if i >= 500 {
				times[kind] = append(times[kind], took)
			}
		}
	}
	for _, kind := range []string{"live", "deleted"} {
		got := auc(times[kind], times["absent"])
		t.Logf("a foreign one (%s) and one that never was: AUC %.3f", kind, got)
		if got < 0.45 || got > 0.55 {
			t.Errorf("a foreign one (%s) and one that never was are told apart: AUC %.3f", kind, got)
		}
	}
	// The ablation: rows that are found take longer, and the same figures show it.
	if got := auc(times["own"], times["absent"]); got < 0.55 {
		t.Errorf("what is found and what is not cannot be told apart: AUC %.3f: this measures nothing", got)
	}
}
