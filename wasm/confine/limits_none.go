//go:build !unix

package confine

func limitsHere() Measure { return Measure{Rlimits, false, "this system does not have them"} }

func applyLimits(*Policy) error { return nil }
