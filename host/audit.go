package host

import (
	"context"
	"sync"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// AuditEvent is one access or refusal, for the operator. It names no path, no file and no text of a user.
type AuditEvent struct {
	Time      time.Time           `json:"time"`
	Op        string              `json:"op"` // what was done: see AuditOps
	Principal readapi.PrincipalID `json:"principal"`
	Session   readapi.SessionID   `json:"session"`
	Ref       readapi.ArtifactID  `json:"ref,omitempty"`
	Code      readapi.Code        `json:"code,omitempty"`  // what the caller was told; "" for success
	Cause     string              `json:"cause,omitempty"` // what was really the matter: see the Cause constants; else the code
}

// AuditOps lists what an AuditEvent's Op may be. Of a message's files, each one is an attach; of the parts of an upload, only those that
// are refused are told. A purge of what is not there has no code, and a cause that says so.
func AuditOps() []string {
	return []string{
		"read", "open", "attach", "offer", "delete", "recall", "append", "list", "show", "upload", "copy", "open_from", "import", "purge",
		"archive", "unarchive", "delete_session", "purge_session",
	}
}

// The causes of refusals. Some share one outward code, so that a stranger learns nothing.
const (
	CauseAbsent          = "not_found"
	CauseForeign         = "session_mismatch"
	CauseDeleted         = "deleted"
	CauseSource          = "not_allowed"
	CauseUnsupportedRef  = "unsupported_ref_kind"
	CauseUnsupportedKind = "unsupported_mime"
	CauseTooLarge        = "too_large"
	CauseInvalidURI      = "invalid_uri"
	CauseOwner           = "owner_mismatch" // an upload that another connection has begun
)

// auditQueue is how many events may wait for the hook before callers wait too.
const auditQueue = 1024

// auditor tells the hook, behind the calls. What a stranger could measure must not depend on whether an artifact is absent or foreign, so
// a call only leaves a note that somebody should look, which costs the same in both cases; looking is done here.
type auditor struct {
	hook  func(AuditEvent)
	index *store.Index
	queue chan note
	done  chan struct{}
	once  sync.Once
}

// note is an event whose cause may still have to be found.
type note struct {
	ctx   context.Context // never done: for the search alone
	event AuditEvent
	find  bool // the scope has no such artifact: find out who has
}

// newAuditor returns nil when there is no hook; a nil auditor takes notes and forgets them.
func newAuditor(hook func(AuditEvent), index *store.Index) *auditor {
	if hook == nil {
		return nil
	}
	a := &auditor{hook: hook, index: index, queue: make(chan note, auditQueue), done: make(chan struct{})}
	go a.run()
	return a
}

// tell queues an event. A hook that is slow makes callers wait rather than lose events.
func (a *auditor) tell(ctx context.Context, e AuditEvent, find bool) {
	if a != nil {
		a.queue <- note{context.WithoutCancel(ctx), e, find}
	}
}

// close waits until the hook knows everything. No tell may follow.
func (a *auditor) close() {
	if a == nil {
		return
	}
	a.once.Do(func() { close(a.queue) })
	<-a.done
}

func (a *auditor) run() {
	ended := false
	defer func() {
		if ended {
			close(a.done)
			return
		}
		go a.run() // the hook has ended this goroutine, as FailNow of a test does
	}()
	for n := range a.queue {
		if n.find {
			n.event.Cause = a.cause(n)
		}
		a.call(n.event)
	}
	ended = true
}

// cause says whether an artifact that a scope does not have is somebody else's.
func (a *auditor) cause(n note) string {
	rows, err := a.index.FindArtifacts(n.ctx, n.event.Ref)
	if err != nil {
		return n.event.Cause
	}
	asked := readapi.Scope{Principal: n.event.Principal, Session: n.event.Session}
	for _, row := range rows {
		if row.Scope != asked {
			return CauseForeign
		}
	}
	return CauseAbsent
}

// call keeps a hook that panics from ending the process; the events behind it are still told.
func (a *auditor) call(e AuditEvent) {
	defer func() { _ = recover() }()
	a.hook(e)
}
