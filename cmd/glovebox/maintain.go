package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/fileblob"
	"github.com/glovebox-wasm/glovebox/host/store/filecache"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex"
	"github.com/glovebox-wasm/glovebox/host/store/s3blob"
	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/host/transfer"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// openedStore is a store that is open, without decoders: for what keeps it in order and moves it.
type openedStore struct {
	transfer.Store
	place storePlace
	cache store.CacheDriver // decoded answers that hosts share, nil where there are none
	own   func() error      // closes cache where nothing else does
}

func (s *openedStore) Close() error {
	var errs []error
	if s.own != nil {
		errs = append(errs, s.own())
	}
	if s.Index != nil {
		errs = append(errs, s.Index.Close())
	}
	if s.Blobs != nil {
		errs = append(errs, s.Blobs.Close())
	}
	return errors.Join(errs...)
}

// sharesAnswers is a driver of rows that keeps decoded answers beside them, for all hosts.
type sharesAnswers interface{ Answers() store.CacheDriver }

// openIndex opens the rows of p.
func (p storePlace) openIndex(ctx context.Context) (store.IndexDriver, error) {
	if p.index != "" {
		if err := checkIndexURL(p.index); err != nil {
			return nil, err
		}
		return pgindex.Open(ctx, p.index, nil)
	}
	return sqliteindex.Open(ctx, filepath.Join(p.data, database), nil)
}

// openBlobs opens the files of p.
func (p storePlace) openBlobs(ctx context.Context) (store.BlobDriver, error) {
	if p.blobs != "" {
		if err := checkBlobsURL(p.blobs); err != nil {
			return nil, err
		}
		return s3blob.Open(ctx, p.blobs, nil)
	}
	return fileblob.Open(filepath.Join(p.data, "files"), nil)
}

// open puts what is not in the data directory into o, and returns what closes it, behind the host.
func (p storePlace) open(ctx context.Context, o *glovebox.Options) (end func() error, err error) {
	var closers []func() error
	end = func() (err error) {
		for _, c := range closers {
			err = errors.Join(err, c())
		}
		return err
	}
	if p.index != "" {
		rows, err := p.openIndex(ctx)
		if err != nil {
			return nil, err
		}
		closers = append(closers, rows.Close)
		o.Index = rows
		if shared, ok := rows.(sharesAnswers); ok {
			o.Cache = shared.Answers()
		}
	}
	if p.blobs != "" {
		if o.Blobs, err = p.openBlobs(ctx); err != nil {
			return nil, errors.Join(err, end())
		}
		closers = append(closers, o.Blobs.Close)
	}
	return end, nil
}

// openStore opens the store at p, and makes what is not there.
func openStore(ctx context.Context, p storePlace) (*openedStore, error) {
	s := &openedStore{place: p}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *openedStore) open(ctx context.Context) error {
	if !s.place.remote() {
		if err := os.MkdirAll(s.place.data, 0o700); err != nil {
			return store.PlaceError("glovebox", err)
		}
	}
	rows, err := s.place.openIndex(ctx)
	if err != nil {
		return err
	}
	if s.Index, err = store.NewIndex(rows); err != nil {
		return errors.Join(err, rows.Close())
	}
	blobs, err := s.place.openBlobs(ctx)
	if err != nil {
		return err
	}
	if s.Blobs, err = store.NewBlobs(blobs, nil); err != nil {
		return errors.Join(err, blobs.Close())
	}
	if shared, ok := rows.(sharesAnswers); ok {
		s.cache = shared.Answers()
		return nil
	}
	answers := filepath.Join(s.place.data, "answers") // where glovebox.Open keeps them
	if info, err := os.Stat(answers); err != nil || !info.IsDir() {
		return nil
	}
	if own, err := filecache.Open(answers); err == nil { // a cache that cannot be had is none
		s.cache, s.own = own, own.Close
	}
	return nil
}

// database is the file in a data directory without which it has not been used yet.
const database = "glovebox.db"

// into opens the store at p, which need not be there yet, for f.
func into(ctx context.Context, p storePlace, f func(*openedStore) error) error {
	s, err := openStore(ctx, p)
	if err != nil {
		return openFailure(p, err)
	}
	err = f(s)
	if closeErr := s.Close(); err == nil {
		err = closeErr
	}
	return storeFailure(err)
}

// maintain is into for the commands' own store. One that is not there is the environment's fault: what looks after one must not find a new one
// in good order because a name was mistyped.
func (a *app) maintain(ctx context.Context, f func(*openedStore) error) error {
	p := a.store()
	if !p.kept() {
		return nothingKept()
	}
	return into(ctx, p, f)
}

func nothingKept() *failure {
	f := environment("data directory", "nothing is kept there yet", nil)
	f.err.Hint = `"glovebox doctor" says where it is; --data, --index and --blobs name another place.`
	return f
}

// kept reports whether there is a store at p with something in it, as far as that can be told without asking a server. What only looks, and
// a completion, must not make one.
func (p storePlace) kept() bool {
	if p.index != "" {
		return true
	}
	info, err := os.Stat(filepath.Join(p.data, database))
	return err == nil && info.Mode().IsRegular()
}

// openFailure is what it means that the store at p cannot be opened.
func openFailure(p storePlace, err error) *failure {
	f := *asFailure("", storeFailure(err))
	elsewhere := p.index != "" || p.blobs != ""
	if f.subject == "" && !strings.Contains(f.plain, "data directory") && f.exit != exitUsage {
		f.subject = "data directory"
		if elsewhere {
			f.subject = "store"
		}
	}
	if f.err.Code == readapi.CodeBusy && elsewhere && f.err.Detail != "" { // a server that does not answer; the code's own sentence is about reads
		f.exit, f.plain = exitEnvironment, f.err.Detail
	}
	if f.err.Code == readapi.CodeInvalidRequest && elsewhere { // a URL that the driver cannot read
		f.exit = exitUsage
	}
	if f.err.Code == readapi.CodeCorrupt { // all of it, not one file
		f.exit = exitEnvironment
		if f.err.Detail != "" {
			f.plain = f.err.Detail
		}
		if f.err.Hint == "" {
			e := *f.err
			e.Hint = "Restore a backup into another place; without one, docs/store.md says how the index is made anew from an export and the files."
			f.err = &e
		}
	}
	return &f
}
