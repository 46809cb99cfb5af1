package glovebox

import (
	"cmp"
	"context"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/fileblob"
	"github.com/glovebox-wasm/glovebox/host/store/filecache"
	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Host keeps the files of sessions in a data directory, or where Options say, and reads them by address. It is safe for concurrent use; Close
// it when done.
type Host struct {
	reader    *Reader
	core      *host.Host
	principal readapi.PrincipalID
	closers   []func() error // of what was opened, the first to be closed last
	close     func() error   // once
}

// Open opens the data directory dir, and makes it if it is not there. Several processes may use it at the same time. What is in it is
// for glovebox alone: a database, the files by their digests, and decoded answers, which may be removed at any time. Where Options name an
// Index and Blobs, there needs to be no directory.
//
// Errors: invalid_request; capability_unavailable where the directory cannot be used or was made by a newer version; quota_exceeded on a
// full disk; busy; corrupt.
func Open(ctx context.Context, dir string, opts *Options) (*Host, error) {
	const op = "glovebox.Open"
	if opts == nil {
		opts = &Options{}
	}
	principal := cmp.Or(opts.Principal, readapi.LocalPrincipal)
	switch {
	case !principal.Valid():
		return nil, &readapi.Error{Op: op, Code: readapi.CodeInvalidRequest, Detail: "the principal is no id", Hint: "A principal is 1 to 128 characters of A-Z a-z 0-9 _ -."}
	case dir == "" && (opts.Index == nil || opts.Blobs == nil):
		return nil, &readapi.Error{Op: op, Code: readapi.CodeInvalidRequest, Detail: "there is no data directory", Hint: "Name the directory where attachments are to be kept."}
	case opts.SharedCacheBytes < -1:
		return nil, &readapi.Error{Op: op, Code: readapi.CodeInvalidRequest, Detail: "an option is negative", Hint: "Leave SharedCacheBytes at 0 for its default."}
	}
	h := &Host{principal: principal}
	h.close = sync.OnceValue(h.closeAll)
	if err := h.open(ctx, dir, opts); err != nil {
		_ = h.Close() // what was opened; the first error is the one that counts
		return nil, readapi.AsError(op, err)
	}
	return h, nil
}

// open opens the parts of h, the lowest first.
func (h *Host) open(ctx context.Context, dir string, opts *Options) (err error) {
	if h.reader, err = NewReader(opts); err != nil {
		return err
	}
	h.closers = append(h.closers, h.reader.Close)
	blobs, index, cache, err := h.openStore(ctx, dir, opts)
	if err != nil {
		return err
	}
	h.core, err = host.New(ctx, blobs, index, h.reader.registry, &host.Options{
		Limits: opts.Limits, MaxAttachmentBytes: opts.MaxAttachmentBytes, MaxAttachments: opts.MaxAttachments, CacheBytes: opts.CacheBytes,
		URIPrefix: opts.URIPrefix, Audit: opts.Audit, Profiles: opts.Profiles, Profile: string(opts.Profile), Quota: opts.Quota,
		MaxUploads: opts.MaxUploads, MaxUploadBytes: opts.MaxUploadBytes, UploadTTL: opts.UploadTTL,
		Cache: cache, SharedCacheBytes: max(0, opts.SharedCacheBytes), Alone: opts.Alone, HostTTL: opts.HostTTL,
	})
	if err != nil {
		return err
	}
	h.closers = append(h.closers, h.core.Close)
	if len(opts.Order) > 0 {
		return h.core.OrderDecoders(ctx, opts.Order...)
	}
	return nil
}

// openStore opens what opts do not bring, in dir.
func (h *Host) openStore(ctx context.Context, dir string, opts *Options) (*store.Blobs, *store.Index, store.CacheDriver, error) {
	if dir != "" {
		if err := makeDirectory(dir); err != nil {
			return nil, nil, nil, err
		}
	}
	files := opts.Blobs
	if files == nil {
		own, err := fileblob.Open(filepath.Join(dir, "files"), nil)
		if err != nil {
			return nil, nil, nil, err
		}
		h.closers = append(h.closers, own.Close)
		files = own
	}
	rows := opts.Index
	if rows == nil {
		own, err := sqliteindex.Open(ctx, filepath.Join(dir, "glovebox.db"), nil)
		if err != nil {
			return nil, nil, nil, err
		}
		h.closers = append(h.closers, own.Close)
		rows = own
	}
	blobs, err := store.NewBlobs(files, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	index, err := store.NewIndex(rows)
	if err != nil {
		return nil, nil, nil, err
	}
	return blobs, index, h.openCache(dir, opts), nil
}

// openCache opens the cache of decoded answers; nil is none. A folder that cannot be used is none either: everything works without it.
func (h *Host) openCache(dir string, opts *Options) store.CacheDriver {
	switch {
	case opts.SharedCacheBytes < 0:
		return nil
	case opts.Cache != nil || dir == "" || opts.CacheBytes < 0: // who wants none in memory does not expect them on the disk
		return opts.Cache
	}
	own, err := filecache.Open(filepath.Join(dir, "answers"))
	if err != nil {
		return nil
	}
	h.closers = append(h.closers, own.Close)
	return own
}

// makeDirectory makes the data directory.
func makeDirectory(dir string) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return &readapi.Error{Code: readapi.CodeCapabilityUnavailable, Detail: "the data directory is no directory", Hint: "Name another place for it."}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return store.PlaceError("", err)
	}
	return nil
}

// Close waits for the calls that run, stops the decoders and closes what Open has opened of the store. It is idempotent; what is called
// afterwards is canceled.
func (h *Host) Close() error { return h.close() }

func (h *Host) closeAll() (first error) {
	for _, closer := range slices.Backward(h.closers) {
		first = cmp.Or(first, closer())
	}
	return readapi.AsError("glovebox.Close", first)
}

// Session returns the host as the session called id sees it; it needs not exist yet. An id that has not the form of a session id makes
// every call invalid_request.
func (h *Host) Session(id readapi.SessionID) *Session {
	return &Session{s: h.core.Session(readapi.Scope{Principal: h.principal, Session: id}), host: h}
}

// Sessions yields the principal's sessions, newest first; with archived, those too.
func (h *Host) Sessions(ctx context.Context, archived bool) iter.Seq2[store.Session, error] {
	return h.core.Sessions(ctx, h.principal, archived)
}

// Reader reads files that belong to no session, with the decoders of this process; what the store disables does not concern it. It lives
// as long as the host.
func (h *Host) Reader() *Reader { return h.reader }

// Keeper keeps the store in order, for its operator: garbage collection, integrity, purges that were begun. It asks nobody who they are.
func (h *Host) Keeper() *retain.Keeper { return h.core.Keeper() }

// Ready reports whether reads should be sent to this host, as a balancer in front of several asks. Errors: busy while the other hosts do not
// count on it, capability_unavailable with the name of a decoder that the store has and it has not.
func (h *Host) Ready(ctx context.Context) error { return h.core.Ready(ctx) }

// Decoders says which decoders the store has, in the order in which they are asked. One that this process has not is not enabled.
func (h *Host) Decoders(ctx context.Context) ([]DecoderStatus, error) {
	set, err := h.core.DecoderSet(ctx)
	if err != nil {
		return nil, err
	}
	loaded := map[string]DecoderStatus{}
	for _, d := range h.reader.Decoders() {
		loaded[d.Name] = d
	}
	var out []DecoderStatus
	for _, e := range set.Decoders {
		d, ok := loaded[e.Name]
		if !ok {
			d = DecoderStatus{DecoderInfo: readapi.DecoderInfo{Name: e.Name, Digest: e.Digest}}
		}
		d.Enabled = ok && e.Enabled
		out = append(out, d)
	}
	return out, nil
}

// EnableDecoder switches a decoder on or off, for every host of the store, at once and for good; addresses come and go with it. Switching one
// on also ends its quarantine, and that of the files that failed with it, in this process. A name that no decoder has is not_found.
func (h *Host) EnableDecoder(ctx context.Context, name string, on bool) error {
	if err := h.core.EnableDecoder(ctx, name, on); err != nil || !on {
		return err
	}
	// What the store names and this process does not have needs no release.
	if err := h.reader.EnableDecoder(name, true); readapi.CodeOf(err) != readapi.CodeNotFound {
		return err
	}
	return nil
}

// OrderDecoders has the named decoders asked first, in this order, by every host of the store, at once and for good; the others keep their
// order behind them. A name that no decoder has is not_found; one that is there twice is invalid_request.
func (h *Host) OrderDecoders(ctx context.Context, names ...string) error {
	return h.core.OrderDecoders(ctx, names...)
}
