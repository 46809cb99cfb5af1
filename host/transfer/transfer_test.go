package transfer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/fileblob"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// over makes a store of two drivers.
func over(t testing.TB, blobs store.BlobDriver, index store.IndexDriver) Store {
	t.Helper()
	b, err := store.NewBlobs(blobs, nil)
	check(t, err)
	x, err := store.NewIndex(index)
	check(t, err)
	return Store{b, x}
}

func inMemory(t testing.TB) Store { return over(t, memblob.New(), memindex.New()) }

// onDisk opens a data directory.
func onDisk(t testing.TB, dir string) Store {
	t.Helper()
	files, err := fileblob.Open(filepath.Join(dir, filesDir), nil)
	check(t, err)
	t.Cleanup(func() { _ = files.Close() })
	rows, err := sqliteindex.Open(t.Context(), filepath.Join(dir, rowsFile), nil)
	check(t, err)
	t.Cleanup(func() { _ = rows.Close() })
	return over(t, files, rows)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t testing.TB, err error, code readapi.Code) {
	t.Helper()
	if readapi.CodeOf(err) != code {
		t.Fatalf("the error is %v; want code %q", err, code)
	}
}

func at(ms int64) time.Time { return time.UnixMilli(1_700_000_000_000 + ms).UTC() }

// filler fills a store at random.
type filler struct {
	t testing.TB
	s Store
	r *rand.Rand
	n int
}

func fill(t testing.TB, s Store, seed uint64, steps int) {
	f := &filler{t: t, s: s, r: rand.New(rand.NewPCG(seed, 1))}
	for range steps {
		f.step()
	}
	_, err := s.Index.SetDecoders(t.Context(), 0, []store.DecoderEntry{{Name: "text", Digest: "d1", Enabled: true}, {Name: "pdf", Digest: "d2"}})
	check(t, err)
}

func (f *filler) scope() readapi.Scope {
	return readapi.Scope{Principal: readapi.PrincipalID(fmt.Sprint("p", f.r.IntN(3))), Session: readapi.SessionID([]string{"a", "B", "b", "c-1", "_"}[f.r.IntN(5)])}
}

func content(n int) []byte { return bytes.Repeat([]byte(fmt.Sprintf("content %d\n", n)), 1+n*37%400) }

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func (f *filler) artifact() store.Artifact {
	f.n++
	b := content(f.r.IntN(40))
	blob, _, err := f.s.Blobs.Put(f.t.Context(), bytes.NewReader(b), store.PutOptions{Max: 1 << 20})
	check(f.t, err)
	return store.Artifact{ID: readapi.ArtifactID(fmt.Sprintf("a%d", f.n)), Blob: blob.SHA256, Bytes: blob.Size,
		Name: readapi.FileName([]string{"a.txt", "報告 \u202e.pdf", "x<y>&.md"}[f.r.IntN(3)]), Kind: "text", Source: store.SourceUserUpload, MediaType: "text/plain",
		Candidates: []readapi.MediaType{"text/plain", "text/markdown"}[:f.r.IntN(3)], Declared: "text/x", Mismatch: f.r.IntN(2) == 0, Created: at(f.r.Int64N(5000))}
}

var payloads = []string{`{"a":1}`, `{"a" : 1}`, "{\n \"a\":\"<&>\u2028\"}", `null`, `"\u0041"`, `[1,2.0,1e3]`, `{"k":"\ud800"}`, `{"a":1,"a":2}`, ` 7 `, "{\"h\":\"<&>\u2028\"}"}

func (f *filler) step() {
	ctx, t, scope := f.t.Context(), f.t, f.scope()
	var b store.Batch
	switch f.r.IntN(12) {
	default:
		for range f.r.IntN(4) {
			a := f.artifact()
			if f.r.IntN(6) == 0 {
				a.Source, a.Blob, a.Bytes = store.SourceMemoryAddURI, "", 0
			}
			b.Artifacts = append(b.Artifacts, a)
			if f.r.IntN(3) == 0 {
				b.Uploads = append(b.Uploads, store.Upload{ID: fmt.Sprint("u", f.n), Begin: "begun", Artifact: a.ID})
			}
		}
		for range f.r.IntN(5) {
			f.n++
			b.Events = append(b.Events, store.Event{ID: fmt.Sprint("e", f.n, "<é>"), Type: "user", Turn: fmt.Sprint(f.n / 3), Time: at(f.r.Int64N(9000)),
				Message: f.r.IntN(2) == 0, Payload: json.RawMessage(payloads[f.r.IntN(len(payloads))])})
		}
		_, err := f.s.Index.Append(ctx, scope, storetest.Leased(t, f.s.Index, b))
		if readapi.CodeOf(err) != readapi.CodeGone {
			check(t, err)
		}
	case 0, 1:
		if a, ok := f.any(scope); ok {
			_, _, err := f.s.Index.DeleteArtifact(ctx, scope, a, at(9999))
			check(t, err)
		}
	case 2:
		if a, ok := f.any(scope); ok { // one that is being purged, which nobody copies
			_, _, err := f.s.Index.PurgeArtifact(ctx, scope, a, at(9999))
			check(t, err)
		}
	case 3:
		if f.r.IntN(3) == 0 {
			change := []store.SessionChange{store.ArchiveSession, store.DeleteSession, store.PurgeSession}[f.r.IntN(3)]
			_, _, err := f.s.Index.MarkSession(ctx, scope, change, at(9999))
			check(t, err)
		}
	}
}

func (f *filler) any(scope readapi.Scope) (readapi.ArtifactID, bool) {
	rows, _, err := f.s.Index.ListArtifacts(f.t.Context(), scope, -1, 100)
	check(f.t, err)
	if len(rows) == 0 {
		return "", false
	}
	return rows[f.r.IntN(len(rows))].ID, true
}

// dump is all that is kept of a store: what is being purged is left out.
type dump struct {
	Sessions  []store.Session
	Artifacts []store.Artifact
	Events    map[readapi.Scope][]store.Event
	Uploads   map[readapi.Scope][]store.Upload
	Decoders  []store.DecoderEntry
}

func dumpOf(t testing.TB, x *store.Index) (d dump) {
	t.Helper()
	ctx := t.Context()
	d.Events, d.Uploads = map[readapi.Scope][]store.Event{}, map[readapi.Scope][]store.Upload{}
	check(t, eachSession(ctx, x, "", func(scope readapi.Scope) error {
		s, _, err := x.Session(ctx, scope)
		check(t, err)
		s.Files, s.Bytes = 0, 0 // what is being purged counts
		d.Sessions = append(d.Sessions, s)
		known := map[readapi.ArtifactID]bool{}
		check(t, eachArtifacts(ctx, x, scope, func(rows []store.Artifact) error {
			for _, a := range rows {
				known[a.ID] = true
			}
			d.Artifacts = append(d.Artifacts, rows...)
			return nil
		}))
		check(t, eachUploads(ctx, x, scope, func(list []store.Upload) error {
			for _, u := range list {
				if known[u.Artifact] {
					d.Uploads[scope] = append(d.Uploads[scope], u)
				}
			}
			return nil
		}))
		return eachEvents(ctx, x, scope, -1, 1<<40, func(list []store.Event) error {
			d.Events[scope] = append(d.Events[scope], list...)
			return nil
		})
	}))
	set, err := x.Decoders(ctx)
	check(t, err)
	d.Decoders = set.Decoders
	return d
}

func same(t testing.TB, what string, got, want Store) {
	t.Helper()
	if diff := cmp.Diff(dumpOf(t, want.Index), dumpOf(t, got.Index), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// whole fails unless every row of a store opens, by its digest, and its counters are those of its rows.
func whole(t testing.TB, s Store) {
	t.Helper()
	for _, p := range problemsOf(t, s) {
		t.Errorf("the store is not whole: %s", p)
	}
}

func problemsOf(t testing.TB, s Store) (problems []string) {
	t.Helper()
	ctx := t.Context()
	var total store.Usage
	check(t, eachSession(ctx, s.Index, "", func(scope readapi.Scope) error {
		var files, size int64
		check(t, eachArtifacts(ctx, s.Index, scope, func(rows []store.Artifact) error {
			for _, a := range rows {
				if a.Blob == "" {
					continue
				}
				files, size = files+1, size+a.Bytes
				if err := read(ctx, s.Blobs, store.Blob{SHA256: a.Blob, Size: a.Bytes}); err != nil {
					problems = append(problems, fmt.Sprintf("%v %s: %v", scope, a.ID, err))
				}
			}
			return nil
		}))
		check(t, eachUploads(ctx, s.Index, scope, func(list []store.Upload) error {
			for _, u := range list {
				if rows, _, err := s.Index.Artifacts(ctx, scope, []readapi.ArtifactID{u.Artifact}); err != nil || len(rows) == 0 {
					problems = append(problems, fmt.Sprintf("%v: upload %s became %s, which is not there", scope, u.ID, u.Artifact))
				}
			}
			return nil
		}))
		info, _, err := s.Index.Session(ctx, scope)
		check(t, err)
		if info.Files != files || info.Bytes != size {
			problems = append(problems, fmt.Sprintf("%v: %d files and %d bytes, by its rows %d and %d", scope, info.Files, info.Bytes, files, size))
		}
		total.Files, total.Bytes = total.Files+files, total.Bytes+size
		var last, messages int64 = -1, 0
		check(t, eachEvents(ctx, s.Index, scope, -1, 1<<40, func(list []store.Event) error {
			for _, e := range list {
				if e.Seq != last+1 {
					problems = append(problems, fmt.Sprintf("%v: event %d follows %d", scope, e.Seq, last))
				}
				if last = e.Seq; e.Message {
					messages++
				}
				for _, id := range named(e) {
					if rows, _, err := s.Index.Artifacts(ctx, scope, []readapi.ArtifactID{id}); err != nil || len(rows) == 0 {
						problems = append(problems, fmt.Sprintf("%v: event %d names %s, which is not there", scope, e.Seq, id))
					}
				}
			}
			return nil
		}))
		if messages != info.Messages {
			problems = append(problems, fmt.Sprintf("%v: %d messages, by its events %d", scope, info.Messages, messages))
		}
		return nil
	}))
	if _, all, err := s.Index.Usage(ctx, "local"); err != nil || all != total {
		problems = append(problems, fmt.Sprintf("usage is %v, by the rows %v", all, total))
	}
	return problems
}

// named are the artifacts that an event of these tests names: {"files":["id"]}.
func named(e store.Event) []readapi.ArtifactID {
	var p struct {
		Files []readapi.ArtifactID `json:"files"`
	}
	if !strings.Contains(string(e.Payload), `"files"`) || json.Unmarshal(e.Payload, &p) != nil {
		return nil
	}
	return slices.Clone(p.Files)
}

func exported(t testing.TB, s Store, o ExportOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	_, err := Export(t.Context(), s.Blobs, s.Index, &b, o)
	check(t, err)
	return b.Bytes()
}

// Whatever is in a store comes out of an export as it was, on both indexes, and again into the same.
func TestExportImport(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		src := inMemory(t)
		if seed%3 == 0 {
			src = onDisk(t, t.TempDir())
		}
		fill(t, src, seed, 40)
		text := exported(t, src, ExportOptions{})
		for i, dst := range []Store{over(t, memblob.New(), memindex.New()), onDisk(t, t.TempDir())} {
			dst.Blobs = src.Blobs
			for range 2 {
				r, err := Import(t.Context(), dst.Blobs, dst.Index, bytes.NewReader(text), ImportOptions{})
				if err != nil || !r.Complete {
					t.Fatalf("seed %d: %v, %+v", seed, err, r)
				}
				same(t, fmt.Sprint("seed ", seed, " index ", i), dst, src)
				whole(t, dst)
			}
		}
	}
}

// A run from one kind of store to the other, and back.
func TestMigrateBothWays(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		src, mid, back := inMemory(t), onDisk(t, t.TempDir()), inMemory(t)
		fill(t, src, seed, 40)
		for range 2 {
			r, err := Migrate(t.Context(), src, mid, MigrateOptions{})
			if err != nil || !r.Complete {
				t.Fatalf("seed %d: %v, %+v", seed, err, r)
			}
			same(t, fmt.Sprint("there, seed ", seed), mid, src)
		}
		r, err := Migrate(t.Context(), mid, back, MigrateOptions{})
		if err != nil || !r.Complete {
			t.Fatalf("seed %d: %v, %+v", seed, err, r)
		}
		same(t, fmt.Sprint("and back, seed ", seed), back, src)
		whole(t, mid)
		whole(t, back)
	}
}

// A backup is a data directory, and a restore of it is the store again.
func TestBackupRestore(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		src, dst, dir := inMemory(t), inMemory(t), filepath.Join(t.TempDir(), "backups", "b")
		fill(t, src, seed, 40)
		if r, err := Backup(t.Context(), src, dir, BackupOptions{}); err != nil || !r.Complete {
			t.Fatalf("seed %d: %v, %+v", seed, err, r)
		}
		if r, err := Restore(t.Context(), dir, dst, RestoreOptions{}); err != nil || !r.Complete {
			t.Fatalf("seed %d: %v, %+v", seed, err, r)
		}
		same(t, fmt.Sprint("restored, seed ", seed), dst, src)
		whole(t, dst)
		b := onDisk(t, dir)
		same(t, fmt.Sprint("the backup, seed ", seed), b, src)
		whole(t, b)
	}
}
