package retain_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex/pgtest"
	"github.com/glovebox-wasm/glovebox/host/store/s3blob"
	"github.com/glovebox-wasm/glovebox/host/store/s3blob/s3test"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// This file lets many workers store, read, copy, delete and purge while a collection without any grace time runs, and compares what is there
// with what each worker knows of its own sessions. All draw from the same few contents, so that every removal meets somebody who stores the
// same bytes.

const (
	raceContents = 30
	raceSessions = 3
)

// bars is set where the tests run as long as the bars ask.
var bars = os.Getenv("GLOVEBOX_BARS") == "1"

func raceTime() time.Duration {
	if bars {
		return time.Minute
	}
	return 3 * time.Second
}

// race is what the workers of one process share.
type race struct {
	*place
	until time.Time
	ops   sync.Map // name to *atomic.Int64

	mu     sync.Mutex
	others []store.Artifact // that some worker has stored; it may be gone by now
	errs   []string
}

func (r *race) count(op string) {
	n, _ := r.ops.LoadOrStore(op, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
}

func (r *race) differ(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errs = append(r.errs, fmt.Sprintf(format, args...))
}

// known is an artifact as its worker knows it.
type known struct {
	Scope  readapi.Scope
	ID     readapi.ArtifactID
	Blob   string
	Bytes  int64
	Status readapi.Status // "" when it was purged
}

// worker has sessions of its own, and knows what is in them.
type worker struct {
	*race
	name  string
	rand  *rand.Rand
	known []known
	past  []known // that were purged
}

// forget moves what was purged to the past.
func (w *worker) forget() {
	w.known = slices.DeleteFunc(w.known, func(a known) bool {
		if a.Status == "" {
			w.past = append(w.past, a)
		}
		return a.Status == ""
	})
}

func content(i int) string { return fmt.Sprint("content ", i, " ", i*i*i) }

// retry does f until it is not busy.
func (w *worker) retry(op string, f func() error) bool {
	for range 2000 {
		err := f()
		if err == nil {
			w.count(op)
			return true
		}
		if !errors.Is(err, readapi.CodeBusy) {
			w.differ("%s %s: %v", w.name, op, err)
			return false
		}
		w.count(op + "-busy")
		time.Sleep(time.Duration(1+w.rand.IntN(10)) * time.Millisecond)
	}
	w.differ("%s %s: busy for good", w.name, op)
	return false
}

func (w *worker) scope() readapi.Scope {
	return readapi.Scope{Principal: "p", Session: readapi.SessionID(fmt.Sprint(w.name, "-", w.rand.IntN(raceSessions)))}
}

func (w *worker) remember(a store.Artifact) {
	w.known = append(w.known, known{a.Scope, a.ID, a.Blob, a.Bytes, readapi.StatusLive})
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.others) < 64 {
		w.others = append(w.others, a)
	} else {
		w.others[w.rand.IntN(64)] = a
	}
}

// ingest stores one of the contents.
func (w *worker) ingest() {
	s, c := w.scope(), content(w.rand.IntN(raceContents))
	var a store.Artifact
	if w.retry("ingest", func() (err error) { a, err = w.tryAttach(context.Background(), s, c); return err }) {
		w.remember(a)
	}
}

// abandon stores bytes and never writes their row.
func (w *worker) abandon() {
	c, holder := content(w.rand.IntN(raceContents)), fmt.Sprintf("x-%x", rand.Uint64())
	w.retry("abandon", func() error {
		_, _, err := w.blobs.Put(context.Background(), strings.NewReader(c), store.PutOptions{Max: 1 << 20, Named: func(ctx context.Context, b store.Blob) error {
			return w.index.LeaseBlobs(ctx, holder, []string{b.SHA256}, time.Duration(1+w.rand.IntN(5))*time.Millisecond)
		}})
		if err == nil && w.rand.IntN(2) == 0 {
			err = w.index.EndLeases(context.Background(), holder)
		}
		return err
	})
}

// copy gives a session an artifact on the bytes of another, which may be purged meanwhile: the bytes are looked for behind the lease.
func (w *worker) copy() {
	w.mu.Lock()
	if len(w.others) == 0 {
		w.mu.Unlock()
		return
	}
	src := w.others[w.rand.IntN(len(w.others))]
	w.mu.Unlock()
	var a store.Artifact
	gone := false
	if w.retry("copy", func() (err error) { a, gone, err = w.tryCopy(src, w.scope()); return err }) && !gone {
		w.remember(a)
	}
}

func (r *race) tryCopy(src store.Artifact, to readapi.Scope) (a store.Artifact, gone bool, err error) {
	ctx, holder := context.Background(), fmt.Sprintf("c-%x", rand.Uint64())
	if err := r.index.LeaseBlobs(ctx, holder, []string{src.Blob}, time.Minute); err != nil {
		return a, false, err
	}
	if _, err := r.blobs.Stat(ctx, src.Blob); err != nil {
		err = errors.Join(err, r.index.EndLeases(ctx, holder))
		if errors.Is(err, readapi.CodeNotFound) {
			return a, true, nil
		}
		return a, false, err
	}
	a, err = r.row(ctx, to, store.Blob{SHA256: src.Blob, Size: src.Bytes}, holder)
	return a, false, err
}

// pick returns one of the worker's artifacts; nil when it has none.
func (w *worker) pick() *known {
	if len(w.known) == 0 {
		return nil
	}
	return &w.known[w.rand.IntN(len(w.known))]
}

func (w *worker) delete() {
	a := w.pick()
	if a == nil {
		return
	}
	if w.retry("delete", func() error {
		_, ok, err := w.index.DeleteArtifact(context.Background(), a.Scope, a.ID, time.Now())
		if err == nil && !ok {
			err = errors.New("there is no such artifact")
		}
		return err
	}) {
		a.Status = readapi.StatusDeleted
	}
}

func (w *worker) purge() {
	a := w.pick()
	if a == nil {
		return
	}
	k := w.keeper(nil)
	if w.retry("purge", func() error {
		if _, _, err := w.index.PurgeArtifact(context.Background(), a.Scope, a.ID, time.Now()); err != nil {
			return err
		}
		return k.Purge(context.Background(), store.Purge{Scope: a.Scope, Artifact: a.ID})
	}) {
		a.Status = ""
		w.forget()
	}
}

func (w *worker) purgeSession() {
	s, k := w.scope(), w.keeper(nil)
	if !w.retry("purge-session", func() error {
		if _, _, err := w.index.MarkSession(context.Background(), s, store.PurgeSession, time.Now()); err != nil {
			return err
		}
		return k.Purge(context.Background(), store.Purge{Scope: s})
	}) {
		return
	}
	for i := range w.known {
		if w.known[i].Scope == s {
			w.known[i].Status = ""
		}
	}
	w.forget()
}

// read compares one artifact with what the worker knows.
func (w *worker) read() {
	if a := w.pick(); a != nil {
		w.verify(*a)
		w.count("read")
	}
}

func (r *race) verify(a known) {
	rows, _, err := r.index.Artifacts(context.Background(), a.Scope, []readapi.ArtifactID{a.ID})
	row, ok := rows[a.ID]
	switch {
	case errors.Is(err, readapi.CodeBusy):
		return
	case err != nil:
		r.differ("%v", err)
		return
	case ok != (a.Status != "") || ok && row.Status != a.Status:
		r.differ("%s/%s is %q, want %q", a.Scope.Session, a.ID, row.Status, a.Status)
		return
	case !ok:
		return
	}
	b, err := r.blobs.Open(context.Background(), store.Blob{SHA256: a.Blob, Size: a.Bytes})
	if err != nil {
		r.differ("%s/%s (%s) lost its bytes: %v", a.Scope.Session, a.ID, a.Status, err)
		return
	}
	got, err := io.ReadAll(io.NewSectionReader(b, 0, b.Size()))
	if err != nil || digest(got) != a.Blob {
		r.differ("%s/%s has other bytes: %v", a.Scope.Session, a.ID, err)
	}
	_ = b.Close()
}

// run keeps a handful of artifacts alive, so that contents come and go.
func (w *worker) run() {
	for time.Now().Before(w.until) {
		few := len(w.known) < 4
		switch n := w.rand.IntN(100); {
		case n < 35 && few:
			w.ingest()
		case n < 35:
			w.purge()
		case n < 45:
			w.abandon()
		case n < 60:
			w.copy()
		case n < 70:
			w.delete()
		case n < 74:
			w.purgeSession()
		case n < 80 && len(w.past) > 0:
			w.verify(w.past[w.rand.IntN(len(w.past))])
		default:
			w.read()
		}
	}
}

// collect runs collections without a pause.
func (r *race) collect() {
	for time.Now().Before(r.until) {
		report, err := r.keeper(nil).GC(context.Background(), retain.GCOptions{Grace: nothing, Automatic: true})
		switch {
		case err != nil && !errors.Is(err, readapi.CodeBusy):
			r.differ("gc: %v", err)
		case report.Busy:
			r.count("gc-other")
			time.Sleep(time.Millisecond)
		default:
			r.count("gc")
			for range report.Orphans.Files {
				r.count("gc-removed")
			}
		}
	}
}

// workers runs n workers and a collection and returns what the workers know.
func (r *race) workers(name string, n int, seed uint64) (all []known) {
	var wg sync.WaitGroup
	ws := make([]*worker, n)
	for i := range ws {
		ws[i] = &worker{race: r, name: fmt.Sprint(name, i), rand: rand.New(rand.NewPCG(seed, uint64(i)))}
		wg.Go(ws[i].run)
	}
	wg.Go(r.collect)
	wg.Wait()
	for _, w := range ws {
		all = append(append(all, w.known...), w.past...)
	}
	return all
}

// end checks the store as a whole against what all workers know.
func (r *race) end(all []known) {
	r.t.Helper()
	for _, a := range all {
		r.verify(a)
	}
	time.Sleep(20 * time.Millisecond) // what was abandoned is not leased any more
	report, err := r.keeper(nil).GC(context.Background(), retain.GCOptions{Grace: nothing})
	must(r.t, err)
	if report.Failed > 0 {
		r.differ("%+v", report)
	}
	want := map[string]bool{}
	for _, a := range all {
		if a.Status != "" {
			want[a.Blob] = true
		}
		r.verify(a)
	}
	for info, err := range r.blobs.List(context.Background()) {
		must(r.t, err)
		if !want[info.SHA256] {
			r.differ("%s is there, and nothing names it", info.SHA256)
		}
		delete(want, info.SHA256)
	}
	if len(want) > 0 {
		r.differ("%v are not there", want)
	}
	r.clean(retain.FsckOptions{ReadData: true, Grace: nothing})
	for i, e := range r.errs {
		if r.t.Error(e); i > 10 {
			break
		}
	}
}

func (r *race) counts() map[string]int64 {
	out := map[string]int64{}
	r.ops.Range(func(k, v any) bool { out[k.(string)] = v.(*atomic.Int64).Load(); return true })
	return out
}

func TestRaceOneProcess(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, x, dir := open(t)
			oneProcess(t, b, x, dir)
		})
	}
	t.Run("bucket", func(t *testing.T) {
		t.Parallel()
		x, err := pgindex.Open(t.Context(), pgtest.URL(t), nil)
		must(t, err)
		oneProcess(t, openBucket(t), x, "")
	})
}

func openBucket(t *testing.T) store.BlobDriver {
	t.Helper()
	b, err := s3blob.Open(t.Context(), s3test.URL(t), &s3blob.Options{AccessKey: s3test.AccessKey, SecretKey: s3test.SecretKey, SpoolDir: t.TempDir()})
	must(t, err)
	return b
}

func oneProcess(t *testing.T, b store.BlobDriver, x store.IndexDriver, dir string) {
	seed := rand.Uint64()
	r := &race{place: newPlace(t, b, x, dir), until: time.Now().Add(raceTime())}
	all := r.workers("w", 7, seed)
	r.end(all)
	t.Logf("seed %d, %d artifacts, %d differences, %v", seed, len(all), len(r.errs), r.counts())
}

// childResult is what a child process tells of its workers.
type childResult struct {
	Known  []known
	Counts map[string]int64
	Errs   []string
}

const childVar = "GLOVEBOX_RETAIN_RACE" // the folder, in the child

func TestRaceTwoProcesses(t *testing.T) {
	t.Parallel()
	t.Run("files", func(t *testing.T) { t.Parallel(); twoProcesses(t, "") })
	t.Run("postgres", func(t *testing.T) { t.Parallel(); twoProcesses(t, pgtest.URL(t)) })
}

// openRace opens the place that two processes share: with a database at url, or with one of its own.
func openRace(t testing.TB, dir, url string) *race {
	t.Helper()
	if url == "" {
		b, x := openFiles(t, dir)
		return &race{place: newPlace(t, b, x, dir)}
	}
	b, x := openPostgres(t, url, dir)
	return &race{place: newPlace(t, b, x, dir)}
}

func twoProcesses(t *testing.T, url string) {
	dir, seed := t.TempDir(), rand.Uint64()
	r := openRace(t, dir, url)
	cmd := exec.Command(os.Args[0], "-test.run=^TestRaceChild$", "-test.timeout=100s")
	cmd.Env = append(os.Environ(), childVar+"="+dir, childVar+"_URL="+url, childVar+"_SEED="+strconv.FormatUint(seed, 10))
	ended := make(chan []byte)
	go func() {
		out, err := cmd.CombinedOutput()
		if err != nil {
			out = append(out, err.Error()...)
		}
		ended <- out
	}()
	r.until = time.Now().Add(raceTime())
	all := r.workers("parent", 7, seed)
	out := <-ended
	var child childResult
	raw, err := os.ReadFile(filepath.Join(dir, "child.json"))
	if err == nil {
		err = json.Unmarshal(raw, &child)
	}
	if err != nil {
		t.Fatalf("the child: %v\n%s", err, out)
	}
	r.errs = append(r.errs, child.Errs...)
	all = append(all, child.Known...)
	r.end(all)
	t.Logf("seed %d, %d artifacts, %d differences, parent %v, child %v", seed, len(all), len(r.errs), r.counts(), child.Counts)
}

// TestRaceChild is the other process of TestRaceTwoProcesses.
func TestRaceChild(t *testing.T) {
	dir := os.Getenv(childVar)
	if dir == "" {
		return
	}
	seed, err := strconv.ParseUint(os.Getenv(childVar+"_SEED"), 10, 64)
	must(t, err)
	r := openRace(t, dir, os.Getenv(childVar+"_URL"))
	r.until = time.Now().Add(raceTime())
	result := childResult{Known: r.workers("child", 7, seed+1)}
	result.Counts, result.Errs = r.counts(), r.errs
	raw, err := json.Marshal(result)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "child.json"), raw, 0o600))
}
