package retain_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// hours gives times of whole hours.
func hours(max int) *rapid.Generator[time.Duration] {
	return rapid.Map(rapid.IntRange(0, max), func(n int) time.Duration { return time.Duration(n) * time.Hour })
}

func drawPolicy(t *rapid.T) []retain.Rule {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) retain.Rule {
		r := retain.Rule{
			Session: readapi.SessionID(rapid.SampledFrom([]string{"", "", "s0", "s1"}).Draw(t, "session")),
			Source:  rapid.SampledFrom([]store.Source{"", "", store.SourceGenerated}).Draw(t, "source"),
			Keep:    rapid.IntRange(0, 4).Draw(t, "keep") == 0,
		}
		if !r.Keep {
			// Ages are of whole 3 minutes: a minute beside them no run is too slow for the model.
			if h := hours(20).Draw(t, "ttl"); h > 0 {
				r.TTL = h + 31*time.Minute
			}
			if h := hours(20).Draw(t, "after"); h > 0 {
				r.AfterDelete = h + 31*time.Minute
			}
			r.SessionBytes = int64(rapid.IntRange(0, 30).Draw(t, "bytes"))
		}
		return r
	}), 0, 4).Draw(t, "policy")
}

// modelled is an artifact of the model.
type modelled struct {
	store.Artifact
	reason retain.Reason // why it is removed; "" while it is not
	purged bool
}

// policyModel says what a collection does, straight from what the options mean and with all in memory.
type policyModel struct {
	now   time.Time
	rows  []*modelled // in the order in which they came
	rules []retain.Rule
}

func (m *policyModel) rule(a *modelled) retain.Rule {
	for _, r := range m.rules {
		if (r.Session == "" || r.Session == a.Scope.Session) && (r.Source == "" || r.Source == a.Source) {
			return r
		}
	}
	return retain.Rule{}
}

func (m *policyModel) run(maxBytes int64) {
	live := func(a *modelled) bool { return a.Deleted.IsZero() && a.reason == "" }
	for _, a := range m.rows {
		r := m.rule(a)
		switch {
		case a.Deleted.IsZero() && r.TTL > 0 && m.now.Sub(a.Created) > r.TTL:
			a.reason = retain.ReasonTTL
		case !a.Deleted.IsZero() && r.AfterDelete > 0 && m.now.Sub(a.Deleted) > r.AfterDelete:
			a.reason, a.purged = retain.ReasonAfterDelete, true
		}
	}
	for i, r := range m.rules {
		if r.SessionBytes == 0 {
			continue
		}
		sums := map[readapi.SessionID]int64{}
		mine := func(a *modelled) bool { return live(a) && &m.rules[i] == m.ruleOf(a) }
		for _, a := range m.rows {
			if mine(a) {
				sums[a.Scope.Session] += a.Bytes
			}
		}
		for _, a := range m.rows {
			if mine(a) && a.Bytes > 0 && sums[a.Scope.Session] > r.SessionBytes {
				sums[a.Scope.Session] -= a.Bytes
				a.reason = retain.ReasonSessionBytes
			}
		}
	}
	if maxBytes == 0 {
		return
	}
	var total int64
	old := slices.Clone(m.rows)
	slices.SortFunc(old, func(a, b *modelled) int { return a.Created.Compare(b.Created) })
	for _, a := range old {
		if live(a) {
			total += a.Bytes
		}
	}
	for _, a := range old {
		if total > maxBytes && live(a) && a.Bytes > 0 && !m.rule(a).Keep {
			total -= a.Bytes
			a.reason = retain.ReasonTotalBytes
		}
	}
}

func (m *policyModel) ruleOf(a *modelled) *retain.Rule {
	for i, r := range m.rules {
		if (r.Session == "" || r.Session == a.Scope.Session) && (r.Source == "" || r.Source == a.Source) {
			return &m.rules[i]
		}
	}
	return nil
}

// A collection does what its options say, and a dry run says before what it will do.
func TestPolicyModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := newPlace(t, memblob.New(), memindex.New(), "")
		m := &policyModel{now: time.Now(), rules: drawPolicy(rt)}
		ages := map[time.Duration]bool{}
		for i := range rapid.IntRange(0, 25).Draw(rt, "artifacts") {
			// No two came in the same hour: which goes first of those is the index's to say.
			age := rapid.IntRange(0, 500).Filter(func(n int) bool { return !ages[time.Duration(n)] }).Draw(rt, "age")
			ages[time.Duration(age)] = true
			source := rapid.SampledFrom([]store.Source{store.SourceUserUpload, store.SourceGenerated}).Draw(rt, "source")
			body := fmt.Sprintf("%0*d", rapid.IntRange(2, 12).Draw(rt, "bytes"), i)
			s := scope(rapid.SampledFrom([]string{"s0", "s1", "s2"}).Draw(rt, "session"))
			a := p.attach(s, body, func(a *store.Artifact) { a.Created, a.Source = m.now.Add(-time.Duration(age)*time.Hour/20), source })
			if rapid.IntRange(0, 2).Draw(rt, "deleted") == 0 {
				a.Deleted = m.now.Add(-time.Duration(rapid.IntRange(0, age).Draw(rt, "since")) * time.Hour / 20)
				p.delete(a, m.now.Sub(a.Deleted))
			}
			m.rows = append(m.rows, &modelled{Artifact: a})
		}
		o := retain.GCOptions{Policy: m.rules, MaxBytes: int64(rapid.IntRange(0, 60).Draw(rt, "max"))}
		m.run(o.MaxBytes)
		want := map[readapi.ArtifactID]retain.Reason{}
		for _, a := range m.rows {
			if a.reason != "" {
				want[a.ID] = a.reason
			}
		}
		for _, dry := range []bool{true, false} {
			o.DryRun = dry
			got := map[readapi.ArtifactID]retain.Reason{}
			for _, c := range p.gc(o).Candidates {
				if c.SHA256 == "" && got[c.Artifact] != "" {
					rt.Fatalf("dry %v: %s is named twice", dry, c.Artifact)
				}
				if c.Action != retain.ActionKeep {
					got[c.Artifact] = c.Reason
				}
			}
			if !maps.Equal(got, want) {
				rt.Fatalf("dry %v: %v\nwant %v", dry, sorted(got), sorted(want))
			}
		}
		for _, a := range m.rows {
			status := "live"
			switch {
			case a.purged:
				status = "gone"
			case a.reason != "" || !a.Deleted.IsZero():
				status = "deleted"
			}
			if got := p.status(a.Artifact); got != status {
				rt.Fatalf("%s is %s, want %s", a.ID, got, status)
			}
		}
		p.clean(retain.FsckOptions{ReadData: true})
	})
}

func sorted(m map[readapi.ArtifactID]retain.Reason) (out []string) {
	for id, why := range m {
		out = append(out, fmt.Sprint(id, " ", why))
	}
	slices.SortFunc(out, cmp.Compare[string])
	return out
}
