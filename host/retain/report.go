package retain

import (
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// Reason says why something was removed or kept. Programs act on it; a code is added, never renamed.
type Reason string

// Why something is removed.
const (
	ReasonTTL          Reason = "ttl"           // an artifact is older than its rule allows
	ReasonSessionBytes Reason = "session_bytes" // a session has more live bytes than the rule allows, and this was there the longest
	ReasonTotalBytes   Reason = "total_bytes"   // the store has more live bytes than it may, and this is the oldest
	ReasonAfterDelete  Reason = "after_delete"  // what was deleted has been kept for as long as its rule says
	ReasonPurge        Reason = "purge"         // somebody has begun to purge it
	ReasonOrphan       Reason = "orphan"        // bytes that nothing names
)

// Why something is kept.
const (
	ReasonKeep   Reason = "keep"   // its rule keeps it
	ReasonFuture Reason = "future" // its time is in the future: a clock was set back
	ReasonYoung  Reason = "young"  // bytes that nothing names yet, within the grace time
	ReasonRow    Reason = "row"    // an artifact names it
	ReasonLease  Reason = "lease"  // somebody is storing the same bytes
	ReasonClaim  Reason = "claim"  // somebody else is removing it
	ReasonHeld   Reason = "held"   // a Holder keeps it
	ReasonFiles  Reason = "files"  // a session still has files that a rule keeps
	ReasonFailed Reason = "failed" // it was to be removed and could not be
)

// Candidate is something that GC looked at, and what became of it: in a dry run, what would.
type Candidate struct {
	Principal readapi.PrincipalID `json:"principal,omitempty"`
	Session   readapi.SessionID   `json:"session_id,omitempty"`
	Artifact  readapi.ArtifactID  `json:"id,omitempty"`
	SHA256    string              `json:"sha256,omitempty"` // of bytes that nothing names
	Bytes     int64               `json:"bytes"`
	Age       time.Duration       `json:"age_ns"`         // since it came, was deleted or was stored; 0 where that says nothing
	Rule      int                 `json:"rule,omitempty"` // of the policy, from 1
	Action    Action              `json:"action"`
	Reason    Reason              `json:"reason"`
	Text      string              `json:"text"`           // one sentence
	Code      readapi.Code        `json:"code,omitempty"` // with ReasonFailed
}

// Action is what becomes of a Candidate.
type Action string

// The actions. Deleting an artifact leaves its row and its bytes until they are purged.
const (
	ActionKeep   Action = "keep"
	ActionDelete Action = "delete"
	ActionPurge  Action = "purge"  // rows and bytes
	ActionRemove Action = "remove" // bytes that nothing names
)

// Amount is how much of something.
type Amount struct {
	Files int64 `json:"files"`
	Bytes int64 `json:"bytes"`
}

func (a *Amount) add(bytes int64) { a.Files, a.Bytes = a.Files+1, a.Bytes+bytes }

// GCReport says what GC did: in a dry run, what it would do.
type GCReport struct {
	DryRun bool `json:"dry_run"`
	Busy   bool `json:"busy"` // another host was collecting; nothing was done

	Deleted Amount `json:"deleted"` // artifacts that retention deleted
	Purged  Amount `json:"purged"`  // artifacts that were purged by themselves
	Ended   int    `json:"ended"`   // purges that were begun before
	Gone    int    `json:"gone"`    // sessions that were purged
	Orphans Amount `json:"orphans"` // blobs that nothing named and that were removed
	Kept    int    `json:"kept"`    // candidates that were kept
	Failed  int    `json:"failed"`  // candidates that could not be removed
	Swept   int    `json:"swept"`   // what hosts that are gone left behind: staged bytes, leases, claims
	Cache   Amount `json:"cache"`   // what is left in the cache

	Candidates []Candidate   `json:"candidates"` // the first of them
	Omitted    int           `json:"omitted"`    // candidates that are not among Candidates
	Took       time.Duration `json:"took_ns"`
}
