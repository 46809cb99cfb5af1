//go:build unix && !linux

package confine

import "golang.org/x/sys/unix"

func limitsHere() Measure {
	return Measure{Rlimits, true, "files, processor time, core dumps; not memory"}
}

func applyLimits(p *Policy) error {
	set := map[int]int64{unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: 64}
	if p.MaxCPU > 0 {
		set[unix.RLIMIT_CPU] = int64(p.MaxCPU.Seconds()) + 1
	}
	if p.MaxFileBytes > 0 || p.WriteDir == "" {
		set[unix.RLIMIT_FSIZE] = p.MaxFileBytes
	}
	for resource, value := range set {
		var old unix.Rlimit
		if err := unix.Getrlimit(resource, &old); err != nil {
			return err
		}
		v := min(uint64(value), uint64(old.Max))
		limit := old
		limit.Cur, limit.Max = narrow(limit.Cur, v), narrow(limit.Max, v)
		if err := unix.Setrlimit(resource, &limit); err != nil {
			return err
		}
	}
	return nil
}

// narrow gives v the type that this system counts limits in.
func narrow[T int64 | uint64](_ T, v uint64) T { return T(v) }
