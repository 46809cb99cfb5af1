package host_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// What is absent, what is another session's, and what another session has deleted cannot be told
// apart, on any index: not by what a call answers, and not by how long it takes. The clock is judged with the bars only.
func TestStrangers(t *testing.T) {
	rounds := 100
	if os.Getenv("GLOVEBOX_BARS") != "" {
		rounds = 10_000
	}
	for name, open := range places() {
		t.Run(name, func(t *testing.T) {
			p := open(t)
			h := p.open(t, newQuick(), nil)
			strangers(t, h, rounds)
			_ = h.Close()
			p.close(t)
		})
	}
}

func strangers(t *testing.T, h *host.Host, rounds int) {
	owner, stranger := h.Session(scope("owner")), h.Session(scope("stranger"))
	attach(t, stranger, "own.txt", "the stranger has files too")
	files := map[string][]readapi.ArtifactID{} // several of each, for where one lies in a table is chance
	for range 40 {
		gone := attach(t, owner, "a.txt", "text").ID
		files["absent"] = append(files["absent"], readapi.ArtifactID(fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64())))
		files["foreign"] = append(files["foreign"], attach(t, owner, "a.txt", "text").ID)
		files["foreign, deleted"] = append(files["foreign, deleted"], gone)
		if err := owner.Delete(t.Context(), uri(gone)); err != nil {
			t.Fatal(err)
		}
	}
	names := []string{"absent", "foreign", "foreign, deleted"}
	calls := map[string]func(id readapi.ArtifactID) error{
		"read": func(id readapi.ArtifactID) error {
			_, err := stranger.Read(t.Context(), uri(id), readapi.Selection{}, nil)
			return err
		},
		"open": func(id readapi.ArtifactID) error {
			_, err := stranger.OpenBytes(t.Context(), uri(id))
			return err
		},
		"offer": func(id readapi.ArtifactID) error {
			offers, err := stranger.Offer(t.Context(), readapi.Attachment{ID: id, Name: "a.txt", MediaType: "text/plain", Kind: readapi.KindOther}.Ref("stranger"))
			if err != nil || offers[0].URI != "" {
				t.Fatal(offers, err)
			}
			return &readapi.Error{Code: offers[0].Unavailable}
		},
	}
	for what, call := range calls {
		times, answers := map[string][]time.Duration{}, map[string]string{}
		for range rounds {
			rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
			for _, name := range names {
				id := files[name][rand.IntN(len(files[name]))]
				start := time.Now()
				err := call(id)
				times[name] = append(times[name], time.Since(start))
				answers[name] = strings.ReplaceAll(err.Error(), string(id), "ID")
			}
		}
		for _, name := range []string{"foreign", "foreign, deleted"} {
			if !strings.Contains(answers["absent"], "not_found") || answers[name] != answers["absent"] {
				t.Errorf("%s, %s: %q, absent: %q", what, name, answers[name], answers["absent"])
			}
			auc := rankAUC(times["absent"], times[name])
			t.Logf("%s, %s against absent, %d of each: rank AUC %.3f", what, name, rounds, auc)
			if os.Getenv("GLOVEBOX_BARS") != "" && (auc < 0.45 || auc > 0.55) {
				t.Errorf("%s: %s can be told from absent by its time: rank AUC %.3f, want 0.45 to 0.55", what, name, auc)
			}
		}
	}
}

// rankAUC is the chance that a random one of b took longer than a random one of a; a tie counts half.
func rankAUC(a, b []time.Duration) float64 {
	a = slices.Sorted(slices.Values(a))
	var wins float64
	for _, v := range b {
		lo, _ := slices.BinarySearch(a, v)
		hi, _ := slices.BinarySearch(a, v+1)
		wins += float64(lo) + float64(hi-lo)/2
	}
	return wins / float64(len(a)) / float64(len(b))
}

// The measure itself: a call that takes one in a hundred longer is found out, and one that does not is not.
func TestRankAUC(t *testing.T) {
	same, late := make([]time.Duration, 10_000), make([]time.Duration, 10_000)
	for i := range same {
		same[i] = time.Duration(rand.NormFloat64()*1000) + 100_000
		late[i] = time.Duration(rand.NormFloat64()*1000) + 101_000
	}
	if auc := rankAUC(same, late); auc < 0.7 {
		t.Errorf("rank AUC %.3f of what is later", auc)
	}
	if auc := rankAUC(same, slices.Clone(same)); auc < 0.49 || auc > 0.51 {
		t.Errorf("rank AUC %.3f of the same", auc)
	}
}
