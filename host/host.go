package host

import (
	"cmp"
	"context"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/recall"
	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Options of a Host; nil means all defaults.
type Options struct {
	Limits             readapi.Limits // of every read
	MaxAttachmentBytes int64          // of one file; default 50 MiB
	MaxAttachments     int            // of one message; default, and most, readapi.MaxAttachments
	Quota              store.Quota    // of what is kept; default none
	MaxUploads         int            // that a principal may have under way; default 16
	MaxUploadBytes     int64          // of those, as announced; default 128 MiB, or one file of MaxAttachmentBytes where that is more
	UploadTTL          time.Duration  // how long an upload waits for its next part; default 5 minutes
	CacheBytes         int64          // of decoded answers in memory, together; default 64 MiB; -1: none are kept there
	URIPrefix          string         // of addresses; default readapi.URIPrefix; see readapi.ValidURIPrefix

	Profiles []readapi.Profile // on top of the built-in ones; see profile.NewSet
	Profile  string            // of a read that names none; "": none

	// Audit is called for every access and every refusal, with its real cause, one at a time, in order. It may lag behind the call that
	// it is about; when it lags far behind, calls wait for it. Close waits for it. It must not call the host. nil: nobody is told.
	Audit func(AuditEvent)

	// Cache keeps decoded answers for other hosts too, and over restarts; nil: nothing does. An answer that a password opened is not among them.
	// It stays the caller's to close, after the host. A cache that is slow or fails costs a read at most some fifty milliseconds.
	Cache            store.CacheDriver
	SharedCacheBytes int64 // of all answers in Cache, together; default 256 MiB

	Now func() time.Time // default time.Now

	// HostTTL is how long the other hosts of the store count on this one when they do not hear from it; default 30 s. An address is offered
	// only for what every host can open, so a host that ends without Close holds back for so long what it could not read.
	HostTTL time.Duration

	// Alone is for a process that soon ends, a command: it is none of the hosts on which the others count, and its decoders hold nothing back.
	Alone bool
}

func (o *Options) withDefaults() (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	var err error
	if out.Limits, err = out.Limits.WithDefaults(); err != nil {
		return out, err
	}
	out.MaxAttachmentBytes = cmp.Or(out.MaxAttachmentBytes, 50<<20)
	out.MaxAttachments = cmp.Or(out.MaxAttachments, readapi.MaxAttachments)
	out.MaxUploads = cmp.Or(out.MaxUploads, 16)
	out.MaxUploadBytes = cmp.Or(out.MaxUploadBytes, max(128<<20, out.MaxAttachmentBytes))
	out.UploadTTL = cmp.Or(out.UploadTTL, 5*time.Minute)
	out.CacheBytes = cmp.Or(out.CacheBytes, 64<<20)
	out.SharedCacheBytes = cmp.Or(out.SharedCacheBytes, 256<<20)
	out.URIPrefix = cmp.Or(out.URIPrefix, readapi.URIPrefix)
	out.HostTTL = cmp.Or(out.HostTTL, defaultHostTTL)
	if out.Now == nil {
		out.Now = time.Now
	}
	switch {
	case out.MaxAttachmentBytes < 0, out.MaxAttachments < 0, out.MaxUploads < 0, out.MaxUploadBytes < 0, out.UploadTTL < 0, out.CacheBytes < -1,
		out.SharedCacheBytes < 0, out.HostTTL < 0, !out.Quota.Valid():
		return out, invalid("an option is negative", "Leave an option at 0 for its default.")
	case out.MaxAttachments > readapi.MaxAttachments:
		return out, invalid("a message cannot carry that many files", "Leave MaxAttachments at 0 for the most.")
	case out.HostTTL < 3*time.Millisecond:
		return out, invalid("the host could not renew its place in that time", "Leave HostTTL at 0 for the default.")
	case !readapi.ValidURIPrefix(out.URIPrefix):
		return out, invalid("the prefix of addresses is not that of a URI", "It has a scheme and ://, as in "+readapi.URIPrefix+".")
	}
	return out, nil
}

// Host keeps attachments, and reads them by address. It is safe for concurrent use.
type Host struct {
	opts     Options
	blobs    *store.Blobs
	index    *store.Index
	ledger   *ledger.Ledger
	recall   *recall.Recall
	decoders Decoders
	reader   *Reader
	accepts  predicate
	view     atomic.Pointer[view] // the decoder set, as it was when it was last looked at
	member   *membership          // nil: it is on no list of hosts
	answers  *answers             // nil: no cache
	shared   *shared              // nil: no cache that others use
	audit    *auditor             // nil: nobody is told
	uploads  *uploads
	keeper   *retain.Keeper
	recovery func() // ends it

	mu      sync.RWMutex
	closed  bool
	running sync.WaitGroup
}

// New returns a host, and brings the decoders that are loaded into the store's set. The store stays the caller's to close, after the host.
//
// Errors: invalid_request for an option, and those of the store.
func New(ctx context.Context, blobs *store.Blobs, index *store.Index, decoders Decoders, opts *Options) (*Host, error) {
	const op = "host.New"
	o, err := opts.withDefaults()
	if err != nil {
		return nil, readapi.AsError(op, err)
	}
	if blobs == nil || index == nil || decoders == nil {
		return nil, readapi.AsError(op, invalid("blobs, index or decoders are missing", "Give all three."))
	}
	known, err := newProfiles(o.Profiles, o.Profile)
	if err != nil {
		return nil, readapi.AsError(op, err)
	}
	h := &Host{
		opts: o, blobs: blobs, index: index, ledger: ledger.New(index), decoders: decoders,
		reader: &Reader{decoders, o.Limits, known, newPredicate()}, accepts: newPredicate(), member: newMembership(o),
		shared: newShared(o.Cache, o.SharedCacheBytes),
	}
	h.uploads, h.keeper = newUploads(h), retain.New(blobs, index, &retain.Options{Cache: o.Cache})
	h.recall = recall.New(h.ledger, offers{h})
	if h.answers, err = newAnswers(o.CacheBytes); err != nil {
		return nil, readapi.AsError(op, err)
	}
	if err := h.join(ctx); err != nil {
		return nil, readapi.AsError(op, err)
	}
	h.audit = newAuditor(o.Audit, index)
	h.recovery = func() {}
	if !o.Alone {
		h.recovery = h.startRecovery()
	}
	return h, nil
}

// Session returns the host as a session of a principal sees it. Ids that have not their form make every call invalid_request.
func (h *Host) Session(scope readapi.Scope) *Session { return &Session{h, scope} }

// Ledger returns the record of all sessions, for an operator: it asks nobody who they are, and Close does not wait for it.
func (h *Host) Ledger() *ledger.Ledger { return h.ledger }

// Keeper keeps the store in order, for an operator: it asks nobody who they are, and Close does not wait for it.
func (h *Host) Keeper() *retain.Keeper { return h.keeper }

// Sessions yields the sessions of a principal, newest first; see ledger.Sessions.
func (h *Host) Sessions(ctx context.Context, principal readapi.PrincipalID, archived bool) iter.Seq2[store.Session, error] {
	return steps(h, "host.Sessions", h.ledger.Sessions(ctx, principal, archived))
}

// steps yields what seq yields. Each step is a call of its own: Close waits for the one that runs, but not for the loop, in which the
// caller may close the host, and the next one is canceled.
func steps[T any](h *Host, op string, seq iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		next, stop := iter.Pull2(seq)
		defer stop()
		for {
			leave, err := h.enter(op)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			v, err, ok := next()
			leave()
			if !ok || !yield(v, err) {
				return
			}
		}
	}
}

// Close waits for the calls that run, has the other hosts of the store count on this one no more, and waits until the audit hook knows everything. Later calls are canceled. It is idempotent.
func (h *Host) Close() error {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.running.Wait()
	h.recovery()
	h.uploads.close()
	h.member.leave()
	h.shared.close()
	h.audit.close()
	return nil
}

// enter begins a call, which Close waits for until leave; it is canceled on a closed host.
func (h *Host) enter(op string) (leave func(), err error) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if h.closed {
		return nil, &readapi.Error{Op: op, Code: readapi.CodeCanceled, Detail: "the host is closed", Final: true}
	}
	h.running.Add(1)
	return h.running.Done, nil
}

// uri is the address of an artifact of this host.
func (h *Host) uri(id readapi.ArtifactID) string { return h.opts.URIPrefix + string(id) }

// now is the time as the store keeps it.
func (h *Host) now() time.Time { return h.opts.Now().UTC().Truncate(time.Millisecond) }
