package transfer

import (
	"errors"
	"slices"
	"sync"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Store is a whole store: the bytes and the rows that name them.
type Store struct {
	Blobs *store.Blobs
	Index *store.Index
}

// Counts says how much of a run is done.
type Counts struct {
	Sessions  int64 `json:"sessions"`
	Artifacts int64 `json:"artifacts"`
	Uploads   int64 `json:"uploads"`
	Events    int64 `json:"events"`
	Blobs     int64 `json:"blobs"`      // copied
	BlobBytes int64 `json:"blob_bytes"` // of those
	Present   int64 `json:"present"`    // blobs that were at the target before
	Verified  int64 `json:"verified"`   // blobs that were read at the target and compared with their digest
	Removed   int64 `json:"removed"`    // rows and blobs of the target that the source has not any more
}

// Problem is what a run could not do.
type Problem struct {
	Code      readapi.Code        `json:"code"`
	Detail    string              `json:"detail"`
	Line      int64               `json:"line,omitempty"` // of an export, from 1
	Principal readapi.PrincipalID `json:"principal,omitempty"`
	Session   readapi.SessionID   `json:"session_id,omitempty"`
	Artifact  readapi.ArtifactID  `json:"artifact,omitempty"`
	Blob      string              `json:"blob,omitempty"` // digest
}

// Report is what a run did.
type Report struct {
	Counts
	Complete bool      `json:"complete"`           // everything is at the target
	Problems []Problem `json:"problems,omitempty"` // the first MaxProblems of them
	Failed   int64     `json:"failed"`             // how many there are
}

// MaxProblems is how many problems a Report tells.
const MaxProblems = 1000

// reporter makes a Report, from several goroutines.
type reporter struct {
	mu       sync.Mutex
	report   Report
	progress func(Counts)
}

// count adds to the counts, and tells them.
func (r *reporter) count(add func(*Counts)) {
	r.mu.Lock()
	add(&r.report.Counts)
	now := r.report.Counts
	r.mu.Unlock()
	if r.progress != nil {
		r.progress(now)
	}
}

func (r *reporter) counts() Counts {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.report.Counts
}

func (r *reporter) problem(p Problem) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Failed++
	if len(r.report.Problems) < MaxProblems {
		r.report.Problems = append(r.report.Problems, p)
	}
}

// told reports whether there is a problem of an artifact. Behind MaxProblems nobody knows any more, and the run has failed anyway.
func (r *reporter) told(a store.Artifact) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.report.Failed > MaxProblems || slices.ContainsFunc(r.report.Problems, func(p Problem) bool {
		return p.Artifact == a.ID && p.Principal == a.Scope.Principal && p.Session == a.Scope.Session
	})
}

// result is what an exported function returns: the report, and the error of the run, else of its problems.
func (r *reporter) result(op string, err error) (*Report, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.report
	if err == nil && out.Failed > 0 {
		err = &readapi.Error{Code: worst(out.Problems), Detail: "not all of it could be done", Final: true, Hint: "The report names each of them."}
	}
	out.Complete = err == nil
	return &out, readapi.AsError(op, err)
}

// worst is the code of problems: corrupt where bytes are damaged, else that of the first.
func worst(problems []Problem) readapi.Code {
	for _, p := range problems {
		if p.Code == readapi.CodeCorrupt {
			return p.Code
		}
	}
	return problems[0].Code
}

// ofSession is a problem of a session, or of one of its artifacts.
func ofSession(scope readapi.Scope, a store.Artifact, code readapi.Code, detail string) Problem {
	return Problem{Code: code, Detail: detail, Principal: scope.Principal, Session: scope.Session, Artifact: a.ID, Blob: a.Blob}
}

// detail is what an error says to people.
func detail(err error) string {
	e, ok := errors.AsType[*readapi.Error](readapi.AsError("", err))
	if ok && e.Detail != "" {
		return e.Detail
	}
	return e.Message()
}
