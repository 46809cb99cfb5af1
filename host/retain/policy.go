package retain

import (
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Rule says how long some of the artifacts are kept. The first rule of a policy that matches an artifact is the artifact's rule; without
// one it is kept until the store is over GCOptions.MaxBytes.
type Rule struct {
	Principal readapi.PrincipalID // "": any
	Session   readapi.SessionID   // "": any
	Source    store.Source        // "": any. A rule with a source says nothing of whole sessions

	Keep bool // nothing that the rule matches is ever removed by GC

	TTL          time.Duration // a live artifact is deleted when it is older; 0: never
	AfterDelete  time.Duration // what was deleted is purged when it has been for longer; 0: never
	SessionBytes int64         // live bytes that the rule allows in one session: what came first is deleted until it holds; 0: any
}

func (r *Rule) check() string {
	switch {
	case r.TTL < 0 || r.AfterDelete < 0 || r.SessionBytes < 0:
		return "a time or a size of a retention rule is negative"
	case r.Keep && (r.TTL > 0 || r.AfterDelete > 0 || r.SessionBytes > 0):
		return "a retention rule keeps what it also removes"
	case r.Principal != "" && !r.Principal.Valid() || r.Session != "" && !r.Session.Valid():
		return "a retention rule names a session or a principal whose id has not the form of one"
	case r.Source != "" && !r.Source.Valid():
		return "a retention rule names no source that there is"
	}
	return ""
}

func (r *Rule) of(scope readapi.Scope) bool {
	return (r.Principal == "" || r.Principal == scope.Principal) && (r.Session == "" || r.Session == scope.Session)
}

// policy is a list of rules; they are numbered from 1.
type policy []Rule

func (p policy) check() error {
	for i := range p {
		if detail := p[i].check(); detail != "" {
			return &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: detail}
		}
	}
	return nil
}

// artifact returns the rule of an artifact and its number; an empty rule and 0 where none matches.
func (p policy) artifact(a store.Artifact) (*Rule, int) {
	for i := range p {
		if p[i].of(a.Scope) && (p[i].Source == "" || p[i].Source == a.Source) {
			return &p[i], i + 1
		}
	}
	return &Rule{}, 0
}

// session returns the rule of a session as a whole.
func (p policy) session(scope readapi.Scope) (*Rule, int) {
	for i := range p {
		if p[i].of(scope) && p[i].Source == "" {
			return &p[i], i + 1
		}
	}
	return &Rule{}, 0
}

// removes reports whether any rule removes anything.
func (p policy) removes() bool {
	for _, r := range p {
		if r.TTL > 0 || r.AfterDelete > 0 || r.SessionBytes > 0 {
			return true
		}
	}
	return false
}
