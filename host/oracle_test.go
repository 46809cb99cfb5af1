package host_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestTimingOracle measures whether a stranger can tell by the clock an artifact that is another's, or was, from one that never was. It
// is a measurement, so it runs with the bars only.
func TestTimingOracle(t *testing.T) {
	if os.Getenv("GLOVEBOX_BARS") == "" {
		t.Skip("a measurement; set GLOVEBOX_BARS")
	}
	for _, audited := range []bool{false, true} {
		p := filesIn(t, t.TempDir())
		o := &host.Options{}
		if audited {
			o.Audit = func(host.AuditEvent) {}
		}
		h := p.open(t, newQuick(), o)
		ids := oracleIDs(t, h)
		stranger := h.Session(scope("stranger"))
		const pairs = 10_000
		times := map[string][]float64{}
		kinds := []string{"absent", "foreign", "deleted"}
		for i := range pairs + 500 {
			rand.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
			for _, kind := range kinds {
				u := uri(ids[kind][i%len(ids[kind])])
				start := time.Now()
				_, err := stranger.Read(t.Context(), u, readapi.Selection{}, nil)
				took := time.Since(start)
				if readapi.CodeOf(err) != readapi.CodeNotFound {
					t.Fatal(kind, err)
				}
				if i >= 500 { // the first ones warm the database up
					times[kind] = append(times[kind], float64(took))
				}
			}
		}
		for _, kind := range []string{"foreign", "deleted"} {
			auc := rankAUC(times[kind], times["absent"])
			t.Logf("audited %v: %s against absent: AUC %.4f over %d pairs; medians %v and %v", audited, kind, auc, pairs, median(times[kind]), median(times["absent"]))
			if auc < 0.45 || auc > 0.55 {
				t.Errorf("audited %v: a stranger can tell what is %s from what is absent: AUC %.4f", audited, kind, auc)
			}
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		p.close(t)
	}
}

// oracleIDs are artifacts of every kind: live ones and deleted ones of an owner, and ids that nobody has.
func oracleIDs(t *testing.T, h *host.Host) map[string][]readapi.ArtifactID {
	t.Helper()
	owner := h.Session(scope("owner"))
	ids := map[string][]readapi.ArtifactID{}
	for i := range 200 {
		ids["foreign"] = append(ids["foreign"], attach(t, owner, "a.txt", fmt.Sprint("file ", i)).ID)
		gone := attach(t, owner, "b.txt", fmt.Sprint("gone ", i))
		if err := owner.Delete(t.Context(), gone.Resource); err != nil {
			t.Fatal(err)
		}
		ids["deleted"] = append(ids["deleted"], gone.ID)
		ids["absent"] = append(ids["absent"], readapi.ArtifactID(fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64())))
	}
	return ids
}

// rankAUC is the probability that one of a is above one of b, ties counting half: 0.5 means that they cannot be told apart.
func rankAUC(a, b []float64) float64 {
	b = slices.Sorted(slices.Values(b))
	var sum float64
	for _, v := range a {
		below, _ := slices.BinarySearch(b, v)
		upto, _ := slices.BinarySearchFunc(b, v, func(x, v float64) int {
			if x <= v {
				return -1
			}
			return 1
		})
		sum += float64(below) + float64(upto-below)/2
	}
	return sum / float64(len(a)) / float64(len(b))
}

func TestRankAUC(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2}, []float64{3, 4}, 0}, {[]float64{3, 4}, []float64{1, 2}, 1}, {[]float64{1, 2}, []float64{1, 2}, 0.5}, {[]float64{2}, []float64{1, 2, 3, 4}, 0.375},
	} {
		if got := rankAUC(c.a, c.b); got != c.want {
			t.Errorf("rankAUC(%v, %v) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func median(v []float64) time.Duration {
	s := slices.Sorted(slices.Values(v))
	return time.Duration(s[len(s)/2])
}
