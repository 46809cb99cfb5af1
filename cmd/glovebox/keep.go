package main

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/spf13/pflag"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/recall"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// keeper is what the commands need of *glovebox.Host.
type keeper interface {
	session(id readapi.SessionID) session
	Sessions(ctx context.Context, archived bool) iter.Seq2[store.Session, error]
	Decoders(ctx context.Context) ([]glovebox.DecoderStatus, error)
	EnableDecoder(ctx context.Context, name string, on bool) error
	Close() error
}

// session is what the commands need of *glovebox.Session.
type session interface {
	Append(ctx context.Context, m host.Message) (*glovebox.Appended, error)
	Record(ctx context.Context, events ...ledger.Event) ([]string, error)
	Events(ctx context.Context) iter.Seq2[ledger.Event, error]
	Offer(ctx context.Context, refs ...readapi.AttachmentRef) ([]readapi.Offer, error)
	Attachments(ctx context.Context) iter.Seq2[readapi.Attachment, error]
	Read(ctx context.Context, uri string, opts *glovebox.ReadOptions) (*glovebox.Document, error)
	OpenBytes(ctx context.Context, uri string) (*host.Bytes, error)
	OpenFrom(ctx context.Context, source readapi.SessionID, id readapi.ArtifactID) (readapi.Attachment, error)
	Delete(ctx context.Context, uri string) error
	Purge(ctx context.Context, uri string) error
	SetArchived(ctx context.Context, on bool) error
	DeleteSession(ctx context.Context) error
	PurgeSession(ctx context.Context) error
	CopyTo(ctx context.Context, dst readapi.SessionID) (*host.Copied, error)
	Import(ctx context.Context, r io.Reader, opts ledger.ImportOptions) (ledger.Report, error)
	Search(ctx context.Context, req recall.Request) (*recall.Answer, error)
}

// frontDoor is a *glovebox.Host as a keeper.
type frontDoor struct{ *glovebox.Host }

func (d frontDoor) session(id readapi.SessionID) session { return d.Host.Session(id) }

func openFrontDoor(ctx context.Context, dir string, o *glovebox.Options) (keeper, error) {
	h, err := glovebox.Open(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	return frontDoor{h}, nil
}

// elsewhere is a keeper of which not all is in the data directory: end closes the rest behind it.
type elsewhere struct {
	keeper
	end func() error
}

// Close implements keeper.
func (e elsewhere) Close() error { return errors.Join(e.keeper.Close(), e.end()) }

// keep opens the data directory for f, with the options that are the command's own, and closes it behind f.
func (a *app) keep(ctx context.Context, p *progress, o *glovebox.Options, f func(keeper) error) error {
	k, err := a.keeper(ctx, p, o)
	if err != nil {
		return err
	}
	// Behind a panic nothing is closed: a call that it ended would be waited for, for ever.
	err = f(k)
	if a.broken {
		return storeFailure(err)
	}
	if closeErr := k.Close(); err == nil {
		err = closeErr
	}
	return storeFailure(err)
}

// keeper opens the data directory. What it may be asked to read follows from the standing limits, which are the same for each command, so
// that an address that one command names opens with another.
func (a *app) keeper(ctx context.Context, p *progress, o *glovebox.Options) (keeper, error) {
	principal, err := a.principal()
	if err != nil {
		return nil, err
	}
	o.Principal, o.CacheDir, o.Alone = principal, a.global.cacheDir(), !a.serving
	if err := a.global.wall(o); err != nil {
		return nil, err
	}
	if o.Quota, err = a.quota(); err != nil {
		return nil, err
	}
	if o.Limits == (readapi.Limits{}) {
		limits, err := a.standingLimits()
		if err != nil {
			return nil, err
		}
		o.Limits = limits
	}
	var k keeper
	a.watchCompiling(p, o, func() []glovebox.DecoderStatus {
		if k == nil { // while it is being opened
			return nil
		}
		decoders, err := k.Decoders(context.WithoutCancel(ctx))
		if err != nil {
			return nil
		}
		return decoders
	})
	at := a.store()
	end, err := at.open(ctx, o)
	if err != nil {
		return nil, openFailure(at, err)
	}
	dir := at.data
	if at.remote() {
		dir = ""
	}
	if k, err = a.openKeeper(ctx, dir, o); err != nil {
		return nil, openFailure(at, errors.Join(err, end()))
	}
	return elsewhere{k, end}, nil
}

// principal is whom the sessions belong to.
func (a *app) principal() (readapi.PrincipalID, error) {
	id := readapi.PrincipalID(a.global.principal)
	if !id.Valid() {
		return "", usage("--principal is 1 to 128 characters of A-Z a-z 0-9 _ -", "")
	}
	return id, nil
}

// standingLimits are the limits that the environment and the configuration set, whichever flags the command has.
func (a *app) standingLimits() (readapi.Limits, error) {
	var l limitFlags
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	l.register(all)
	if err := configure(all, a.getenv, a.config.flags); err != nil {
		return readapi.Limits{}, err
	}
	return l.limits()
}

// storeFailure gives what the store returned its exit code: a data directory that cannot be used is the environment's fault, and so is
// a full disk, which is a quota that nobody set. Everything else stays as it is.
func storeFailure(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*failure](err); ok {
		return err
	}
	f := asFailure("", err)
	if f.err.Code == readapi.CodeCapabilityUnavailable || f.err.Code == readapi.CodeQuotaExceeded && f.err.Limit == nil {
		f.exit, f.plain = exitEnvironment, f.err.Detail // the code's own sentence is about services
		return f
	}
	return err
}

// sessionFlag is --session, which has no default but the environment's: a session that nobody named would be read by mistake.
type sessionFlag string

func (s *sessionFlag) register(f *pflag.FlagSet, what string) {
	f.StringVar((*string)(s), "session", "", what+" (default: GLOVEBOX_SESSION)")
}

// id is the session, or the failure of a command line that names none.
func (s sessionFlag) id(command string) (readapi.SessionID, error) {
	if s == "" {
		return "", usage(command+" needs a session", "Give --session S, or set GLOVEBOX_SESSION.")
	}
	return sessionID(string(s))
}

// sessionID is s as the id of a session, or the failure of a command line where it has not the form of one.
func sessionID(s string) (readapi.SessionID, error) {
	id := readapi.SessionID(s)
	if !id.Valid() {
		return "", usage("this is not the id of a session", "A session id is 1 to 128 characters of A-Z a-z 0-9 _ -.")
	}
	return id, nil
}
