//go:build !linux

package confine

// Probe says what this system offers.
func Probe() []Measure {
	const none = "only Linux has it"
	return []Measure{
		limitsHere(), {Orphan, false, none}, {NoNewPrivs, false, none}, {Landlock, false, none}, {Dumpable, false, none}, {Seccomp, false, none},
	}
}

// Apply takes from the calling process what p does not keep, as far as this system can, and says what is active now.
func Apply(p Policy) ([]Measure, error) {
	report := Probe()
	if report[0].Active = report[0].Active && p.takes(Rlimits); report[0].Active {
		if err := applyLimits(&p); err != nil {
			return nil, err
		}
	}
	return p.finish(report)
}
