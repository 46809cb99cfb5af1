package sqliteindex_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

var faultTime = time.UnixMilli(1_700_000_000_000).UTC()

// indexStep is one change, or one look, of an index.
type indexStep struct {
	name string
	do   func(ctx context.Context, x *store.Index) error
}

// indexLife is something of everything that an index does.
func indexLife() []indexStep {
	digest := func(i int) string { return fmt.Sprintf("%064x", i) }
	row := func(i int) store.Artifact {
		a := artifact(i)
		a.Blob, a.Created = digest(i), faultTime
		return a
	}
	event := func(i int) store.Event {
		return store.Event{ID: fmt.Sprint("e", i), Type: "user", Time: faultTime, Message: true, Payload: []byte(`{"n":1}`)}
	}
	other := readapi.Scope{Principal: "local", Session: "other"}
	lease := func(i int) indexStep {
		return indexStep{"lease", func(ctx context.Context, x *store.Index) error {
			return x.LeaseBlobs(ctx, "h", []string{digest(i), digest(i + 1)}, time.Hour)
		}}
	}
	add := func(s readapi.Scope, i int) indexStep {
		return indexStep{"append", func(ctx context.Context, x *store.Index) error {
			b := store.Batch{Holder: "h", Artifacts: []store.Artifact{row(i), row(i + 1)}, Events: []store.Event{event(i)}, Quota: store.Quota{TotalBytes: 1 << 20}}
			b.Uploads = []store.Upload{{ID: fmt.Sprint("u", i), Begin: "b", Artifact: row(i).ID}}
			_, err := x.Append(ctx, s, b)
			return err
		}}
	}
	return []indexStep{
		lease(1), add(scope, 1), lease(3), add(scope, 3), lease(5), add(other, 5),
		{"artifacts", func(ctx context.Context, x *store.Index) error {
			rows, _, err := x.Artifacts(ctx, scope, []readapi.ArtifactID{row(1).ID, row(3).ID})
			return errors.Join(err, wantRows(err, len(rows), 2))
		}},
		{"list", func(ctx context.Context, x *store.Index) error {
			rows, _, err := x.ListArtifacts(ctx, scope, -1, 0)
			return errors.Join(err, wantRows(err, len(rows), 4))
		}},
		{"delete", func(ctx context.Context, x *store.Index) error {
			_, _, err := x.DeleteArtifact(ctx, scope, row(1).ID, faultTime)
			return err
		}},
		{"purge", func(ctx context.Context, x *store.Index) error {
			_, _, err := x.PurgeArtifact(ctx, scope, row(2).ID, faultTime)
			return err
		}},
		{"claim", func(ctx context.Context, x *store.Index) error {
			_, err := x.ClaimBlob(ctx, digest(2), time.Hour)
			return err
		}},
		{"end the claim", func(ctx context.Context, x *store.Index) error { return x.EndClaim(ctx, digest(2)) }},
		{"drop", func(ctx context.Context, x *store.Index) error { return x.DropArtifact(ctx, scope, row(2).ID) }},
		{"load", func(ctx context.Context, x *store.Index) error {
			s := store.Session{Principal: "local", ID: "loaded", Created: faultTime, Updated: faultTime}
			a, e := row(9), event(9)
			a.Version, a.Status = 1, readapi.StatusLive
			return x.Load(ctx, s, []store.Artifact{a}, []store.Event{e}, []store.Upload{{ID: "u9", Begin: "b", Artifact: a.ID}})
		}},
		{"decoders", func(ctx context.Context, x *store.Index) error {
			_, err := x.SetDecoders(ctx, 0, []store.DecoderEntry{{Name: "a", Digest: digest(1), Enabled: true}})
			return err
		}},
		{"archive", func(ctx context.Context, x *store.Index) error {
			_, _, err := x.MarkSession(ctx, other, store.ArchiveSession, faultTime)
			return err
		}},
		{"mark", func(ctx context.Context, x *store.Index) error {
			_, _, err := x.MarkSession(ctx, scope, store.PurgeSession, faultTime)
			return err
		}},
		{"drop the session", func(ctx context.Context, x *store.Index) error { return x.DropSession(ctx, scope) }},
	}
}

func wantRows(err error, got, want int) error {
	if err == nil && got != want {
		return fmt.Errorf("%d rows, want %d, and no error", got, want)
	}
	return nil
}

// stateOf is all that an index holds, but for times of leases.
func stateOf(t *testing.T, x *store.Index) string {
	t.Helper()
	ctx := context.Background()
	rows, err := x.ScanArtifacts(ctx, store.ArtifactScan{})
	sessions, err2 := x.ScanSessions(ctx, readapi.Scope{}, 0)
	own, total, err3 := x.Usage(ctx, "local")
	purges, err4 := x.Purges(ctx, 100)
	set, err5 := x.Decoders(ctx)
	state := []any{rows, sessions, own, total, purges, set.Generation, set.Decoders}
	if err := errors.Join(err, err2, err3, err4, err5); err != nil {
		t.Fatal(err)
	}
	for _, s := range sessions {
		events, err := x.Events(ctx, s.Scope(), -1, 0)
		uploads, err2 := x.ScanUploads(ctx, s.Scope(), "", 0)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		state = append(state, events, uploads)
	}
	for i := range 10 {
		d := fmt.Sprintf("%064x", i)
		uses, err := x.BlobUses(ctx, []string{d})
		if err != nil {
			t.Fatal(err)
		}
		u := uses[d]
		state = append(state, u.Rows, u.Lease.IsZero(), u.Claim.IsZero())
	}
	out, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(out), "null", "[]")
}

// Whichever call of the database fails: the caller is told, with a code, and the change was made as a whole or not at all; if not, it can be
// made again. What a memory index makes of the same steps is the measure.
func TestEveryCallFails(t *testing.T) {
	f := throughFaulty(t)
	stride := 11
	if os.Getenv("GLOVEBOX_BARS") != "" {
		stride = 1
	}
	total, told := 0, 0
	for _, behind := range []bool{false, true} {
		for k := 1; ; k += stride {
			calls, n := oneCallFails(t, f, k, behind)
			told += n
			if k > calls {
				break
			}
			total++
		}
	}
	t.Logf("bars: %d calls of the database failed, %d callers were told, 0 half-made changes", total, told)
	if told < total/2 {
		t.Error("this proves little")
	}
}

func oneCallFails(t *testing.T, f *faultySQL, k int, behind bool) (calls, told int) {
	t.Helper()
	d, err := sqliteindex.Open(t.Context(), filepath.Join(t.TempDir(), "index.db"), &sqliteindex.Options{Readers: 1})
	if err != nil {
		t.Fatal(err)
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
	was := stateOf(t, model)
	f.arm(k, behind, fmt.Errorf("disk: %w", syscall.EIO))
	defer f.disarm()
	for _, step := range indexLife() {
		what := fmt.Sprintf("%s, call %d, behind its work %v", step.name, k, behind)
		err := step.do(t.Context(), x)
		if merr := step.do(t.Context(), model); merr != nil {
			t.Fatalf("%s: the model: %v", what, merr)
		}
		now, calls := stateOf(t, model), f.disarm()
		got := stateOf(t, x)
		switch {
		case err == nil && got != now:
			t.Fatalf("%s (%s): it says that it was done:\n%s\nwant\n%s", what, f.failed, got, now)
		case err != nil && readapi.CodeOf(err) != readapi.CodeCapabilityUnavailable:
			t.Fatalf("%s (%s): %v", what, f.failed, err)
		case err != nil && got != now && got != was:
			t.Fatalf("%s (%s): half of it was made:\n%s\nbefore\n%s\nbehind\n%s", what, f.failed, got, was, now)
		case err != nil && got != now:
			if err := step.do(t.Context(), x); err != nil || stateOf(t, x) != now {
				t.Fatalf("%s (%s): again: %v", what, f.failed, err)
			}
		}
		if err != nil {
			told++
		}
		f.resume(calls)
		was = now
	}
	return f.disarm(), told
}

// resume counts on from n.
func (f *faultySQL) resume(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.on, f.n = true, n
}
