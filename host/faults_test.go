package host_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/host/store/storefault"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// The k-th call of a store fails, for every k of a session's whole life, in each of these ways. Whoever called is told why, or it succeeds;
// doing it again brings it to its end; and then nothing is missing, doubled or left.

var bars = os.Getenv("GLOVEBOX_BARS") != ""

// faultKind is a way in which a call fails.
type faultKind struct {
	name    string
	fault   storefault.Fault
	code    readapi.Code // that the caller is told
	cancels bool         // what the caller's context is part of ends at the call
}

func faultKinds() (out []faultKind) {
	for _, behind := range []bool{false, true} {
		for _, k := range []faultKind{
			{"an error of the disk", storefault.Fault{Err: syscall.EIO}, readapi.CodeCapabilityUnavailable, false},
			{"a full disk", storefault.Fault{Err: syscall.ENOSPC}, readapi.CodeQuotaExceeded, false},
			{"too many files", storefault.Fault{Err: syscall.EMFILE}, readapi.CodeBusy, false},
			{"busy", storefault.Fault{Err: &readapi.Error{Code: readapi.CodeBusy, Detail: "another writer holds the index"}}, readapi.CodeBusy, false},
			{"canceled", storefault.Fault{Err: context.Canceled}, readapi.CodeCanceled, true},
		} {
			if k.fault.Behind = behind; behind {
				k.name += " behind its work"
			}
			out = append(out, k)
		}
	}
	short := storefault.Fault{Err: syscall.EIO, Short: true}
	return append(out, faultKind{"a short write", short, readapi.CodeCapabilityUnavailable, false})
}

// told is the code that a caller is told when a call of this name fails so. Bytes that the place does not give are damaged for who reads.
func (k faultKind) told(call string) readapi.Code {
	if _, raw := errors.AsType[syscall.Errno](k.fault.Err); raw && call == "ReadAt" {
		return readapi.CodeCorrupt
	}
	return k.code
}

func TestFaults(t *testing.T) {
	engines := map[string]func(t *testing.T) (p *place, later func()){
		"memory": func(*testing.T) (*place, func()) {
			var ahead atomic.Int64
			now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
			return &place{blobs: memblob.New(), driver: memindex.NewAt(now)}, func() { ahead.Store(int64(2 * time.Hour)) }
		},
		"files": func(t *testing.T) (*place, func()) { return filesIn(t, t.TempDir()), nil },
	}
	failed, told := 0, 0
	for name, open := range engines {
		for _, kind := range faultKinds() {
			stride := 1
			if !bars { // the kinds differ in codes, and the calls are the same
				stride = map[string]int{"memory": 11, "files": 150}[name]
				if name == "memory" && kind.fault.Err == syscall.EIO {
					stride = 1
				}
			}
			t.Run(name+"/"+kind.name, func(t *testing.T) {
				f, n := everyCallFails(t, kind, stride, open)
				failed, told = failed+f, told+n
			})
		}
	}
	t.Logf("bars: %d calls failed, %d callers were told, 0 silent corruptions", failed, told)
}

func everyCallFails(t *testing.T, kind faultKind, stride int, open func(t *testing.T) (*place, func())) (failed, told int) {
	all := []string{}
	for k := 1; ; k += stride {
		p, later := open(t)
		for kind.fault.Short && k <= len(all) && all[k-1] != "Write" {
			k++ // only a write can be short
		}
		n, calls := oneCallFails(t, kind, k, p)
		told, all = told+n, calls
		what := fmt.Sprintf("call %d, %s", k, kind.name)
		afterFaults(t, p, what, later)
		p.close(t)
		if k > len(calls) {
			t.Logf("%d calls failed, %d callers were told", failed, told)
			if len(calls) < 150 || told < failed/2 && !kind.fault.Short {
				t.Errorf("of %d calls that failed %d were told, of %d: this proves little", failed, told, len(calls))
			}
			return failed, told
		}
		if failed++; t.Failed() {
			t.Fatalf("%s (%s) of %d", what, calls[k-1], len(calls))
		}
	}
}

// oneCallFails is the life in which call k fails. It returns how often a caller was told, and the calls.
func oneCallFails(t *testing.T, kind faultKind, k int, p *place) (told int, calls []string) {
	plan := &storefault.Plan{}
	h := p.under(plan).open(t, newQuick(), &host.Options{Alone: true, CacheBytes: -1})
	to := newPlace()
	l := &lived{t: t, h: h, s: h.Session(scope("s")), moved: to.under(plan), done: func(promised) {}}
	ended := false
	var cancel context.CancelFunc
	l.again = func(what string, step func(context.Context) error) {
		t.Helper()
		ended = ended || what == "purge"
		for range 4 {
			var ctx context.Context
			ctx, cancel = context.WithCancel(t.Context())
			err := step(ctx)
			cancel()
			if err == nil {
				return
			}
			l.told++
			if want := kind.told(plan.Failed()); readapi.CodeOf(err) != want && !errors.Is(err, errUnreadable) {
				t.Fatalf("%s at call %d (%s), %s: %v, want %s", what, k, plan.Failed(), kind.name, err, want)
			}
			wholeStore(t, p, fmt.Sprintf("call %d, %s, told of %s", k, kind.name, what), ended)
			wholeStore(t, to, "the other place", true)
		}
		t.Fatalf("%s does not come to its end, call %d, %s", what, k, kind.name)
	}
	f := kind.fault
	if f.At = k; kind.cancels {
		f.Hook = func() { cancel() }
	}
	plan.Arm(f)
	l.life()
	calls = plan.Disarm()
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	return l.told, calls
}

// afterFaults checks what is left in a store: once leases are over, a collection leaves nothing that no row names; and nothing is missing
// or doubled.
func afterFaults(t *testing.T, p *place, what string, later func()) {
	t.Helper()
	wholeStore(t, p, what, true)
	if later != nil {
		later()
		namedOnly(t, p, what)
	}
	rows, err := p.driver.ScanArtifacts(t.Context(), store.ArtifactScan{Limit: store.MaxPage})
	if err != nil || len(rows) != 6 { // four in the copy, one that was opened, and one beside it
		t.Errorf("%s: %d artifacts, %v", what, len(rows), err)
	}
	events, err := p.driver.Events(t.Context(), scope("t"), -1, 100)
	if err != nil || len(events) != 2 {
		t.Errorf("%s: %d events in the copy, %v", what, len(events), err)
	}
	if _, ok, err := p.driver.Session(t.Context(), scope("s")); ok || err != nil {
		t.Errorf("%s: the purged session is there: %v", what, err)
	}
	if slices.ContainsFunc(rows, func(a store.Artifact) bool { return a.Purging }) {
		t.Errorf("%s: a purge has not ended", what)
	}
	for _, sc := range []readapi.Scope{scope("t"), scope("u")} {
		if _, ok, err := p.driver.Upload(t.Context(), sc, "up"); ok || err != nil {
			t.Errorf("%s: an upload was copied, %v", what, err)
		}
	}
}

// What the sweep checks finds a row without its bytes, bytes that are cut, and a message without its files.
func TestFaultsFind(t *testing.T) {
	for name, c := range map[string]struct {
		harm     func(p *place, row store.Artifact) error
		dangling int
	}{
		"no bytes": {func(p *place, row store.Artifact) error { return p.blobs.Remove(t.Context(), row.Blob) }, 1},
		"cut": {func(p *place, row store.Artifact) error {
			w, err := p.blobs.Create(t.Context())
			if err != nil {
				return err
			}
			_, err = w.Write([]byte("con"))
			return errors.Join(err, w.Commit(row.Blob))
		}, 1},
		"no row": {func(p *place, row store.Artifact) error {
			_, _, err := p.driver.PurgeArtifact(t.Context(), row.Scope, row.ID, aTime)
			return errors.Join(err, p.driver.DropArtifact(t.Context(), row.Scope, row.ID))
		}, 0},
	} {
		p := newPlace()
		a := attach(t, p.open(t, newQuick(), &host.Options{Alone: true}).Session(scope("s")), "a.txt", "content")
		if wrong, _ := wrongIn(t, p, false); len(wrong) > 0 {
			t.Errorf("%s, before: %v", name, wrong)
		}
		rows, err := p.driver.FindArtifacts(t.Context(), a.ID)
		if err == nil {
			err = c.harm(p, rows[0])
		}
		if wrong, n := wrongIn(t, p, false); err != nil || len(wrong) == 0 || n != c.dangling {
			t.Errorf("%s: %v, %d dangling, %v", name, wrong, n, err)
		}
	}
}
