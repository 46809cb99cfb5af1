package glovebox_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// givenIndex and givenBlobs are drivers of an embedder, who counts how often they are closed.
type givenIndex struct {
	store.IndexDriver
	closed atomic.Int64
}

func (g *givenIndex) Close() error { g.closed.Add(1); return nil }

type givenBlobs struct {
	store.BlobDriver
	closed atomic.Int64
}

func (g *givenBlobs) Close() error { g.closed.Add(1); return nil }

// patience is how many hosts are asked for an answer of the cache: on a machine that is very busy, one may not wait for it.
const patience = 5

// givenCache is a cache in memory.
type givenCache struct {
	kept   sync.Map
	closed atomic.Int64
}

func (c *givenCache) Get(_ context.Context, key string) ([]byte, bool, error) {
	b, ok := c.kept.Load(key)
	if !ok {
		return nil, false, nil
	}
	return b.([]byte), true, nil
}

func (c *givenCache) Put(_ context.Context, key string, value []byte) error {
	c.kept.Store(key, bytes.Clone(value))
	return nil
}

func (c *givenCache) Trim(context.Context, int64) (store.Usage, error) { return store.Usage{}, nil }

func (c *givenCache) Close() error { c.closed.Add(1); return nil }

// TestGivenStore: two hosts on drivers that the embedder brings see each other's files at once, answer from one cache, and leave the
// drivers open.
func TestGivenStore(t *testing.T) {
	index, blobs, cache := &givenIndex{IndexDriver: memindex.New()}, &givenBlobs{BlobDriver: memblob.New()}, &givenCache{}
	given := glovebox.Options{Index: index, Blobs: blobs, Cache: cache, Quota: store.Quota{SessionFiles: 2}}
	a, b := openHost(t, "", given), openHost(t, "", given)
	file := attach(t, a.Session("s"), "a.txt", []byte("the words\n"))
	if doc, err := a.Session("s").Read(t.Context(), file.Resource, nil); err != nil || doc.Usage.Cached {
		t.Fatal(doc, err)
	}
	if err := a.Close(); err != nil { // which waits for what it puts into the cache
		t.Fatal(err)
	}
	doc, err := b.Session("s").Read(t.Context(), file.Resource, nil)
	for range patience {
		if err != nil || doc.Usage.Cached {
			break
		}
		again := openHost(t, "", given)
		doc, err = again.Session("s").Read(t.Context(), file.Resource, nil)
		_ = again.Close()
	}
	if err != nil || !doc.Usage.Cached || doc.Document.Parts[0].Text != "the words\n" {
		t.Errorf("the other host reads %+v, %v", doc, err)
	}
	attach(t, b.Session("s"), "b.txt", []byte("more"))
	_, err = b.Session("s").Append(t.Context(), glovebox.User("", glovebox.File("c.txt", bytes.NewReader([]byte("too many")))))
	if readapi.CodeOf(err) != readapi.CodeQuotaExceeded {
		t.Errorf("a third file: %v", err)
	}
	if set, err := index.Decoders(t.Context()); err != nil || len(set.Hosts) != 1 {
		t.Errorf("hosts %+v, %v", set.Hosts, err)
	}
	if err := b.Ready(t.Context()); err != nil {
		t.Errorf("not ready: %v", err)
	}
	given.Alone = true
	alone := openHost(t, "", given)
	if _, err := alone.Session("s").Read(t.Context(), file.Resource, nil); err != nil {
		t.Error(err)
	}
	if set, err := index.Decoders(t.Context()); err != nil || len(set.Hosts) != 1 {
		t.Errorf("hosts beside a command %+v, %v", set.Hosts, err)
	}
	given.SharedCacheBytes = -1
	without := openHost(t, "", given)
	if doc, err := without.Session("s").Read(t.Context(), file.Resource, nil); err != nil || doc.Usage.Cached {
		t.Errorf("without a cache: %+v, %v", doc, err)
	}
	for _, h := range []*glovebox.Host{b, alone, without} {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := index.closed.Load() + blobs.closed.Load() + cache.closed.Load(); n != 0 {
		t.Errorf("%d of the embedder's drivers were closed", n)
	}
}

// TestGivenHalf: what is not given is in the directory, which must then be there.
func TestGivenHalf(t *testing.T) {
	for what, o := range map[string]glovebox.Options{
		"rows": {Index: memindex.New()}, "files": {Blobs: memblob.New()},
	} {
		h := openHost(t, t.TempDir(), o)
		file := attach(t, h.Session("s"), "a.txt", []byte("text\n"))
		if _, err := h.Session("s").Read(t.Context(), file.Resource, nil); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		o.CacheDir = testCache(t)
		if h, err := glovebox.Open(t.Context(), "", &o); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
			t.Errorf("%s, and no directory: %v, %v", what, h, err)
		}
	}
	for what, o := range map[string]glovebox.Options{"cache": {SharedCacheBytes: -2}, "time": {HostTTL: -1}} {
		o.CacheDir = testCache(t)
		if h, err := glovebox.Open(t.Context(), t.TempDir(), &o); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
			t.Errorf("%s: %v, %v", what, h, err)
		}
	}
}

// TestAnswersOnDisk: the next process answers with what this one has decoded, unless it is told not to keep it; without the folder, or with
// one that cannot be used, everything is as it was without.
func TestAnswersOnDisk(t *testing.T) {
	dir := t.TempDir()
	var uri string
	reads := func(what string, want bool, o glovebox.Options) {
		t.Helper()
		var doc *glovebox.Document
		var err error
		for n := 0; n == 0 || want && n < patience && err == nil && !doc.Usage.Cached; n++ {
			h := openHost(t, dir, o)
			if uri == "" {
				uri = attach(t, h.Session("s"), "a.txt", []byte("the words\n")).Resource
			}
			doc, err = h.Session("s").Read(t.Context(), uri, nil)
			_ = h.Close()
		}
		if err != nil || doc.Usage.Cached != want || doc.Document.Parts[0].Text != "the words\n" {
			t.Errorf("%s: %+v, %v", what, doc, err)
		}
	}
	answers := filepath.Join(dir, "answers")
	reads("not kept", false, glovebox.Options{SharedCacheBytes: -1})
	if _, err := os.Lstat(answers); err == nil {
		t.Error("a folder for what is not kept")
	}
	reads("the first", false, glovebox.Options{})
	reads("none in memory either", false, glovebox.Options{CacheBytes: -1})
	reads("the second", true, glovebox.Options{OneShot: true, Alone: true})
	reads("not asked for", false, glovebox.Options{SharedCacheBytes: -1})
	if err := os.RemoveAll(answers); err != nil {
		t.Fatal(err)
	}
	reads("removed", false, glovebox.Options{})
	reads("made again", true, glovebox.Options{})
	if err := os.RemoveAll(answers); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(answers, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	reads("a file in its place", false, glovebox.Options{})
}
