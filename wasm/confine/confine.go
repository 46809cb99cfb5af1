// Package confine takes rights away from the process that calls it: resource limits, no new privileges, Landlock and seccomp, where the
// kernel has them. What is gone does not come back, and threads and children do not have it either.
//
//	report, err := confine.Apply(confine.Policy{MaxMemoryBytes: 2 << 30, WriteDir: dir})
//	for _, m := range confine.Probe() { … } // what this kernel offers, without applying anything
//
// What Linux offers is used; other systems have limits of resources at most, and say so.
package confine

import (
	"errors"
	"slices"
	"time"
)

// Names of the measures.
const (
	Rlimits    = "rlimits"      // memory, files, core dumps
	Orphan     = "orphan"       // the process dies with its parent
	NoNewPrivs = "no_new_privs" // executing a file never gives rights
	Landlock   = "landlock"     // files, and network and signals where the kernel's version knows them
	Dumpable   = "not_dumpable" // other processes of the user may not look inside
	Seccomp    = "seccomp"      // only the system calls that the work needs
)

// Measure is one thing that keeps a process in.
type Measure struct {
	Name   string `json:"name"`   // see the constants
	Active bool   `json:"active"` // it works here; of Apply: it was applied
	Detail string `json:"detail"` // its version or what is missing; one short phrase
}

// Policy says what a process keeps. The zero value keeps as little as a Go program can live with: the files that are open, threads, memory.
type Policy struct {
	MaxMemoryBytes int64         // writable memory beyond what the process has already; 0: no limit
	MaxCPU         time.Duration // processor time of the whole process; 0: no limit
	MaxFileBytes   int64         // of a file that is written; 0: no limit with a WriteDir, else nothing may be written

	ReadDir  string // a folder that may be read; "": none
	WriteDir string // a folder that may be read and written; "": none

	// More says that the process calls Apply a second time, with a policy that keeps less. Only then are the calls for that left to it.
	More bool

	Without []string // measures that are left out; for tests of the others
	Require []string // measures without which Apply fails
}

// ErrMissing says that a required measure is not to be had. Apply wraps it.
var ErrMissing = errors.New("confine: a required measure is missing")

func (p *Policy) takes(measure string) bool { return !slices.Contains(p.Without, measure) }

// files reports whether the process opens files.
func (p *Policy) files() bool { return p.ReadDir != "" || p.WriteDir != "" || p.More }

// Active returns the names of the active measures, in their order.
func Active(measures []Measure) []string {
	var names []string
	for _, m := range measures {
		if m.Active {
			names = append(names, m.Name)
		}
	}
	return names
}

// finish checks a report against the policy.
func (p *Policy) finish(report []Measure) ([]Measure, error) {
	active := Active(report)
	for _, name := range p.Require {
		if !slices.Contains(active, name) {
			return report, errors.Join(ErrMissing, errors.New(name))
		}
	}
	return report, nil
}
