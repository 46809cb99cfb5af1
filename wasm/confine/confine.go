// Package confine takes rights away from the process that calls it: resource limits, no new privileges, seccomp and Landlock, where the
// kernel has them.
//
//	report, err := confine.Apply(confine.Policy{MaxDataBytes: 2 << 30, …})
//	for _, m := range confine.Probe() { … } // what this kernel offers, without applying anything
package confine

// Measure is one thing that keeps a process in.
type Measure struct {
	Name   string `json:"name"`   // "rlimits", "no_new_privs", "seccomp", "landlock"
	Active bool   `json:"active"` // it works here
	Detail string `json:"detail"` // its version or what is missing; one short phrase
}

// Probe says what this machine offers.
func Probe() []Measure { return nil }
