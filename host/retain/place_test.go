package retain_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/fileblob"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex/pgtest"
	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// place is a store that a test works on.
type place struct {
	t     testing.TB
	dir   string // "" in memory
	blobs *store.Blobs
	index *store.Index
	ids   atomic.Int64
}

// engines are the stores that every test runs on.
var engines = map[string]func(t testing.TB) (store.BlobDriver, store.IndexDriver, string){
	"memory": func(testing.TB) (store.BlobDriver, store.IndexDriver, string) {
		return memblob.New(), memindex.New(), ""
	},
	"files": func(t testing.TB) (store.BlobDriver, store.IndexDriver, string) {
		dir := t.TempDir()
		b, x := openFiles(t, dir)
		return b, x, dir
	},
	"postgres": func(t testing.TB) (store.BlobDriver, store.IndexDriver, string) {
		dir := t.TempDir()
		b, x := openPostgres(t, pgtest.URL(t), dir)
		return b, x, dir
	},
}

// openPostgres opens a database of its own, and blobs as files.
func openPostgres(t testing.TB, url, dir string) (store.BlobDriver, store.IndexDriver) {
	t.Helper()
	b, err := fileblob.Open(filepath.Join(dir, "files"), nil)
	must(t, err)
	x, err := pgindex.Open(context.Background(), url, nil)
	must(t, err)
	return b, x
}

func openFiles(t testing.TB, dir string) (store.BlobDriver, store.IndexDriver) {
	t.Helper()
	b, err := fileblob.Open(filepath.Join(dir, "files"), nil)
	must(t, err)
	x, err := sqliteindex.Open(context.Background(), filepath.Join(dir, "index.db"), nil)
	must(t, err)
	return b, x
}

// onDrivers runs a test on every engine.
func onDrivers(t *testing.T, f func(t *testing.T, b store.BlobDriver, x store.IndexDriver, dir string)) {
	t.Helper()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			b, x, dir := open(t)
			f(t, b, x, dir)
		})
	}
}

// onEngines runs a test on a place of every engine.
func onEngines(t *testing.T, f func(t *testing.T, p *place)) {
	t.Helper()
	onDrivers(t, func(t *testing.T, b store.BlobDriver, x store.IndexDriver, dir string) { f(t, newPlace(t, b, x, dir)) })
}

func newPlace(t testing.TB, b store.BlobDriver, x store.IndexDriver, dir string) *place {
	t.Helper()
	blobs, err := store.NewBlobs(b, nil)
	must(t, err)
	index, err := store.NewIndex(x)
	must(t, err)
	t.Cleanup(func() { _, _ = index.Close(), blobs.Close() })
	return &place{t: t, dir: dir, blobs: blobs, index: index}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func scope(session string) readapi.Scope {
	return readapi.Scope{Principal: readapi.LocalPrincipal, Session: readapi.SessionID(session)}
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// put stores bytes that no row names.
func (p *place) put(content string) store.Blob {
	p.t.Helper()
	blob, _, err := p.blobs.Put(context.Background(), bytes.NewReader([]byte(content)), store.PutOptions{Max: 1 << 30})
	must(p.t, err)
	return blob
}

// attach stores bytes and a row, as a host does.
func (p *place) attach(s readapi.Scope, content string, change ...func(*store.Artifact)) store.Artifact {
	p.t.Helper()
	a, err := p.tryAttach(context.Background(), s, content, change...)
	must(p.t, err)
	return a
}

func (p *place) tryAttach(ctx context.Context, s readapi.Scope, content string, change ...func(*store.Artifact)) (store.Artifact, error) {
	holder := fmt.Sprintf("h-%d-%d", p.ids.Add(1), rand.Uint64())
	blob, _, err := p.blobs.Put(ctx, bytes.NewReader([]byte(content)), store.PutOptions{Max: 1 << 30, Named: func(ctx context.Context, b store.Blob) error {
		return p.index.LeaseBlobs(ctx, holder, []string{b.SHA256}, time.Minute)
	}})
	if err != nil {
		return store.Artifact{}, errors.Join(err, p.index.EndLeases(ctx, holder))
	}
	a, err := p.row(ctx, s, blob, holder, change...)
	if err != nil {
		err = errors.Join(err, p.index.EndLeases(ctx, holder))
	}
	return a, err
}

// row appends the row of a blob that holder has leased.
func (p *place) row(ctx context.Context, s readapi.Scope, blob store.Blob, holder string, change ...func(*store.Artifact)) (store.Artifact, error) {
	a := store.Artifact{
		Scope: s, ID: readapi.ArtifactID(fmt.Sprintf("a-%d-%x", p.ids.Add(1), rand.Uint64())), Blob: blob.SHA256, Bytes: blob.Size, Name: "a.txt",
		Kind: readapi.KindDoc, Source: store.SourceUserUpload, MediaType: "text/plain", Created: time.Now(),
	}
	for _, f := range change {
		f(&a)
	}
	_, err := p.index.Append(ctx, s, store.Batch{Artifacts: []store.Artifact{a}, Holder: holder})
	return a, err
}

// has reports whether the bytes are there.
func (p *place) has(sha256 string) bool {
	p.t.Helper()
	_, err := p.blobs.Stat(context.Background(), sha256)
	if err != nil && readapi.CodeOf(err) != readapi.CodeNotFound {
		p.t.Fatal(err)
	}
	return err == nil
}

// find returns the row of an artifact.
func (p *place) find(a store.Artifact) (store.Artifact, bool) {
	p.t.Helper()
	rows, _, err := p.index.Artifacts(context.Background(), a.Scope, []readapi.ArtifactID{a.ID})
	must(p.t, err)
	row, ok := rows[a.ID]
	return row, ok
}

func (p *place) keeper(opts *retain.Options) *retain.Keeper {
	return retain.New(p.blobs, p.index, opts)
}

// clean fails the test unless Fsck finds the store in order.
func (p *place) clean(o retain.FsckOptions) *retain.FsckReport {
	p.t.Helper()
	r, err := p.keeper(nil).Fsck(context.Background(), o)
	must(p.t, err)
	if !r.Clean {
		p.t.Fatalf("the store is not clean: %+v", r.Findings)
	}
	return r
}

const nothing = time.Nanosecond // a grace time that is over at once
