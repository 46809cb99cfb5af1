package retain_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// files is a place on a disk that a test damages.
type files struct {
	*place
	rows []store.Artifact
}

func newFiles(t *testing.T) *files {
	t.Helper()
	b, x, dir := engines["files"](t)
	f := &files{place: newPlace(t, b, x, dir)}
	for i := range 3 {
		f.rows = append(f.rows, f.attach(scope("s"), fmt.Sprint("content ", i)))
	}
	return f
}

func (f *files) path(a store.Artifact) string {
	return filepath.Join(f.dir, "files", "blobs", a.Blob[:2], a.Blob)
}

// sql changes the database behind the driver's back.
func (f *files) sql(query string, args ...any) {
	f.t.Helper()
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: filepath.Join(f.dir, "index.db"), RawQuery: "_busy_timeout=5000"}).String())
	must(f.t, err)
	defer db.Close()
	r, err := db.Exec(query, args...)
	must(f.t, err)
	if n, err := r.RowsAffected(); err != nil || n == 0 {
		f.t.Fatal("the query changed nothing", err)
	}
}

func (f *files) fsck(o retain.FsckOptions) *retain.FsckReport {
	f.t.Helper()
	r, err := f.keeper(nil).Fsck(f.t.Context(), o)
	must(f.t, err)
	text, err := json.Marshal(r)
	must(f.t, err)
	if strings.Contains(string(text), f.dir) || strings.Contains(string(text), "index.db") {
		f.t.Fatalf("a report names a path: %s", text)
	}
	return r
}

func event(id string, refs ...store.Artifact) store.Event {
	var attachments []string
	for _, a := range refs {
		attachments = append(attachments, fmt.Sprintf(`{"kind":"doc","name":"a.txt","mimeType":"text/plain","bytes":%d,"ref":{"kind":"session_file","sessionId":%q,"relativePath":%q}}`,
			a.Bytes, a.Scope.Session, a.ID))
	}
	payload := fmt.Sprintf(`{"id":%q,"type":"user","time":"2026-01-01T00:00:00.000Z","text":"hello","attachments":[%s]}`, id, strings.Join(attachments, ","))
	return store.Event{ID: id, Type: "user", Time: time.Now(), Message: true, Payload: json.RawMessage(payload)}
}

// Every problem is found, told with what it is about, and mended where it can be. A repair removes no row and nothing that a row names.
func TestFsckFinds(t *testing.T) {
	for name, c := range map[string]struct {
		damage   func(f *files)
		problem  retain.Problem
		data     bool // it is only found where the data is read
		harmless bool
		repaired bool
		artifact bool // it is about the first artifact
	}{
		"missing":  {damage: func(f *files) { must(f.t, os.Remove(f.path(f.rows[0]))) }, problem: retain.BlobMissing, artifact: true},
		"size":     {damage: func(f *files) { must(f.t, os.Truncate(f.path(f.rows[0]), 3)) }, problem: retain.BlobSize, artifact: true},
		"bit rot":  {damage: func(f *files) { f.flip(0) }, problem: retain.BlobDamaged, data: true, artifact: true},
		"link":     {damage: func(f *files) { f.link(os.Symlink) }, problem: retain.BlobNotRegular, artifact: true},
		"hardlink": {damage: func(f *files) { f.link(os.Link) }, problem: retain.BlobNotRegular, artifact: true},
		"folder": {damage: func(f *files) {
			must(f.t, os.Remove(f.path(f.rows[0])))
			must(f.t, os.Mkdir(f.path(f.rows[0]), 0o700))
		}, problem: retain.BlobNotRegular, artifact: true},
		"link of nobody": {damage: func(f *files) {
			name := filepath.Join(filepath.Dir(f.path(f.rows[0])), f.rows[0].Blob[:2]+strings.Repeat("0", 62))
			must(f.t, os.Symlink("/etc/passwd", name))
		}, problem: retain.BlobNotRegular},
		"mode of a blob":     {damage: func(f *files) { must(f.t, os.Chmod(f.path(f.rows[0]), 0o644)) }, problem: retain.ModeWrong, repaired: true},
		"mode of a folder":   {damage: func(f *files) { must(f.t, os.Chmod(filepath.Dir(f.path(f.rows[0])), 0o755)) }, problem: retain.ModeWrong, repaired: true},
		"mode of the rows":   {damage: func(f *files) { must(f.t, os.Chmod(filepath.Join(f.dir, "index.db"), 0o644)) }, problem: retain.ModeWrong, repaired: true},
		"a foreign file":     {damage: func(f *files) { must(f.t, os.WriteFile(f.path(f.rows[0])+"x", nil, 0o600)) }, problem: retain.FileForeign, harmless: true},
		"orphan":             {damage: func(f *files) { f.age(f.put("orphan").SHA256) }, problem: retain.BlobOrphan, repaired: true},
		"young orphan":       {damage: func(f *files) { f.put("orphan") }, problem: retain.BlobYoung, harmless: true},
		"counter of session": {damage: func(f *files) { f.sql(`UPDATE sessions SET files = files + 1`) }, problem: retain.CountSession, repaired: true},
		"bytes of session":   {damage: func(f *files) { f.sql(`UPDATE sessions SET bytes = bytes - 1`) }, problem: retain.CountSession, repaired: true},
		"counter of principal": {damage: func(f *files) { f.sql(`UPDATE usage SET bytes = bytes + 1 WHERE principal = 'local'`) }, problem: retain.CountUsage,
			repaired: true},
		"counter of all":     {damage: func(f *files) { f.sql(`UPDATE usage SET files = 0 WHERE principal = ''`) }, problem: retain.CountUsage, repaired: true},
		"purge":              {damage: func(f *files) { f.markPurge(f.rows[0]) }, problem: retain.PurgeBegun, repaired: true, artifact: true},
		"damaged event":      {damage: func(f *files) { f.append(event("e")); f.sql(`UPDATE events SET payload = '{"type":7}'`) }, problem: retain.EventDamaged},
		"dangling event":     {damage: func(f *files) { f.dangle() }, problem: retain.EventDangling, harmless: true},
		"the decoders":       {damage: func(f *files) { f.sql(`UPDATE decoder_set SET decoders = '{'`) }, problem: retain.DecodersWrong},
		"damage of the rows": {damage: func(f *files) { f.scribble() }, problem: retain.IndexDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFiles(t)
			before := f.fsck(retain.FsckOptions{ReadData: true})
			if !before.Clean || len(before.Findings) > 0 || before.Artifacts != 3 || before.Sessions != 1 || before.Blobs.Files != 3 || before.ReadBytes != 27 {
				t.Fatalf("a new store: %+v", before)
			}
			c.damage(f)
			if c.data {
				if r := f.fsck(retain.FsckOptions{}); !r.Clean {
					t.Fatalf("without the data: %+v", r)
				}
			}
			r := f.fsck(retain.FsckOptions{ReadData: c.data})
			found := about(r, c.problem)
			if r.Clean != c.harmless || r.Found[c.problem] != 1 || found.Text == "" {
				t.Fatalf("found %+v", r)
			}
			if c.artifact && (found.Artifact != f.rows[0].ID || found.Session != "s") {
				t.Fatalf("about %+v", found)
			}
			mended := f.fsck(retain.FsckOptions{ReadData: c.data, Repair: true})
			if about(mended, c.problem).Repaired != c.repaired || mended.Clean != (c.repaired || c.harmless) {
				t.Fatalf("repaired %+v", mended)
			}
			after := f.fsck(retain.FsckOptions{ReadData: c.data})
			if c.repaired && (!after.Clean || len(after.Findings) > 0) || !c.repaired && !reflect.DeepEqual(after.Found, r.Found) {
				t.Fatalf("after the repair: %+v", after)
			}
			if c.problem != retain.PurgeBegun && c.problem != retain.IndexDamaged {
				f.untouched(c.problem)
			}
		})
	}
}

func (f *files) flip(bit int) {
	f.t.Helper()
	b, err := os.ReadFile(f.path(f.rows[0]))
	must(f.t, err)
	b[bit/8%len(b)] ^= 1 << (bit % 8)
	must(f.t, os.WriteFile(f.path(f.rows[0]), b, 0o600))
}

// link puts another name of a file elsewhere in the place of the first blob.
func (f *files) link(link func(old, new string) error) {
	f.t.Helper()
	outside := filepath.Join(f.dir, "outside")
	must(f.t, os.Rename(f.path(f.rows[0]), outside))
	must(f.t, link(outside, f.path(f.rows[0])))
}

func (f *files) age(sha256 string) {
	f.t.Helper()
	old := time.Now().Add(-2 * time.Hour)
	must(f.t, os.Chtimes(filepath.Join(f.dir, "files", "blobs", sha256[:2], sha256), old, old))
}

func (f *files) append(e store.Event) {
	f.t.Helper()
	_, err := f.index.Append(f.t.Context(), scope("s"), store.Batch{Events: []store.Event{e}})
	must(f.t, err)
}

// dangle purges an artifact that a message names, beside one that is there.
func (f *files) dangle() {
	f.t.Helper()
	a := f.attach(scope("s"), "named by a message")
	f.append(event("e", a, f.rows[0]))
	must(f.t, f.keeper(nil).Purge(f.t.Context(), f.markPurge(a)))
}

// scribble damages the database where only a check of the whole finds it: its header says that it has free pages (SQLite file format, 1.3.9).
func (f *files) scribble() {
	f.t.Helper()
	must(f.t, f.index.Close())
	path := filepath.Join(f.dir, "index.db")
	b, err := os.ReadFile(path)
	must(f.t, err)
	b[39] = 5
	must(f.t, os.WriteFile(path, b, 0o600))
	blobs, index := openFiles(f.t, f.dir)
	f.place = newPlace(f.t, blobs, index, f.dir)
}

// about returns the first finding of a problem.
func about(r *retain.FsckReport, p retain.Problem) retain.Finding {
	for _, f := range r.Findings {
		if f.Problem == p {
			return f
		}
	}
	return retain.Finding{}
}

// untouched checks that every row is there, and every blob that was.
func (f *files) untouched(p retain.Problem) {
	f.t.Helper()
	for i, a := range f.rows {
		row, ok := f.find(a)
		if !ok || row.Status != readapi.StatusLive {
			f.t.Fatal("a row is gone")
		}
		if _, err := os.Lstat(f.path(a)); err != nil && !(i == 0 && p == retain.BlobMissing) {
			f.t.Fatal("bytes are gone", err)
		}
	}
}

// Every one of 64 bits that rots is found, and attaching the same file again mends it.
func TestBitRot(t *testing.T) {
	f := newFiles(t)
	for bit := range 64 {
		f.flip(bit)
		if r := f.fsck(retain.FsckOptions{ReadData: true, Repair: true}); r.Clean || r.Found[retain.BlobDamaged] == 0 {
			t.Fatalf("bit %d: %+v", bit, r)
		}
		if bit%16 == 0 {
			f.attach(scope("again"), "content 0")
			f.clean(retain.FsckOptions{ReadData: true})
		} else {
			f.flip(bit)
		}
	}
}

// A check beside hosts that write and purge finds nothing wrong.
func TestFsckBesideWriters(t *testing.T) {
	onEngines(t, func(t *testing.T, p *place) {
		r := &race{place: p, until: time.Now().Add(time.Second)}
		done := make(chan []known)
		go func() { done <- r.workers("w", 4, 1) }()
		checks := 0
		for time.Now().Before(r.until) {
			report, err := p.keeper(nil).Fsck(t.Context(), retain.FsckOptions{ReadData: true})
			if err != nil && !errors.Is(err, readapi.CodeBusy) {
				t.Fatal(err)
			}
			for _, f := range report.Findings {
				if !f.Harmless && f.Problem != retain.PurgeBegun {
					t.Errorf("%+v", f)
				}
			}
			checks++
		}
		r.end(<-done)
		t.Logf("%d checks beside %v", checks, r.counts())
	})
}

func TestFsckRefuses(t *testing.T) {
	p := newPlace(t, first(engines["memory"](t)), second(engines["memory"](t)), "")
	for _, o := range []retain.FsckOptions{{Grace: -1}, {Jobs: -1}, {MaxFindings: -1}} {
		if _, err := p.keeper(nil).Fsck(t.Context(), o); !errors.Is(err, readapi.CodeInvalidRequest) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
