package confine

import (
	"os"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// always are the system calls that a Go program needs to compute, to speak through open descriptors and to end; some are of C's start of a
// thread. Names that a processor does not have are passed over.
var always = []string{
	"read", "write", "readv", "writev", "close", "fstat", "poll", "ppoll", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "eventfd2", "pipe2",
	"munmap", "mprotect", "madvise", "mremap", "brk",
	"futex", "nanosleep", "clock_nanosleep", "clock_gettime", "clock_getres", "gettimeofday", "time", "sched_yield", "sched_getaffinity", "restart_syscall",
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "gettid", "getpid", "set_robust_list", "rseq", "set_tid_address", "getrandom",
	"exit", "exit_group",
}

// forFiles are those of a compile cache; Landlock says which files.
var forFiles = []string{
	"openat", "newfstatat", "fstatat", "statx", "lseek", "getdents64", "mkdirat", "unlinkat", "renameat", "renameat2", "fsync", "ftruncate",
	"fchmod", "fchmodat", "pread64", "pwrite64", "flock", "readlinkat", "faccessat", "faccessat2", "getuid", "geteuid", "getgid", "getegid",
}

// forMore are those of another Apply, which with cgo finds its threads by signal.
var forMore = []string{"prctl", "prlimit64", "seccomp", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "tkill"}

const refuseUnknown = seccomp.Action(unix.SECCOMP_RET_ERRNO) | seccomp.Action(unix.ENOSYS)

// applySeccomp lets only those calls through that the policy needs. Everything else fails with EPERM: the Go runtime and C libraries try
// things that newer kernels have and can do without them, so a call that fails is safer for us than an end, and no weaker.
func applySeccomp(p *Policy) (Measure, error) {
	if missing := seccompMissing(); missing != "" {
		return Measure{Detail: missing}, nil
	}
	info, err := arch.GetInfo("")
	if err != nil {
		return Measure{}, err
	}
	names := known(info, always)
	if p.files() {
		names = append(names, known(info, forFiles)...)
	}
	if p.More {
		names = append(names, known(info, forMore)...)
	}
	when := func(name string, conditions ...seccomp.Condition) seccomp.NameWithConditions {
		return seccomp.NameWithConditions{Name: name, Conditions: conditions}
	}
	filter := seccomp.Filter{
		NoNewPrivs: true, Flag: seccomp.FilterFlagTSync,
		Policy: seccomp.Policy{DefaultAction: seccomp.ActionErrno, Syscalls: []seccomp.SyscallGroup{
			{Action: seccomp.ActionAllow, Names: names, NamesWithCondtions: []seccomp.NameWithConditions{
				// Threads, not processes.
				when("clone", seccomp.Condition{Argument: 0, Operation: seccomp.BitsSet, Value: unix.CLONE_THREAD}),
				// Memory that counts: what is shared or grows down is not in RLIMIT_DATA.
				when("mmap", seccomp.Condition{Argument: 3, Operation: seccomp.BitsNotSet, Value: unix.MAP_SHARED | unix.MAP_GROWSDOWN}),
				// Signals to the process's own threads, as Go's scheduler sends them.
				when("tgkill", seccomp.Condition{Argument: 0, Operation: seccomp.Equal, Value: uint64(os.Getpid())}),
				// Flags of descriptors. F_SETOWN and F_SETSIG would have the kernel send any signal to any process of the user.
				when("fcntl", seccomp.Condition{Argument: 1, Operation: seccomp.Equal, Value: unix.F_GETFD}),
				when("fcntl", seccomp.Condition{Argument: 1, Operation: seccomp.Equal, Value: unix.F_SETFD}),
				when("fcntl", seccomp.Condition{Argument: 1, Operation: seccomp.Equal, Value: unix.F_GETFL}),
				when("fcntl", seccomp.Condition{Argument: 1, Operation: seccomp.Equal, Value: unix.F_SETFL}),
			}},
			{Action: refuseUnknown, Names: known(info, []string{"clone3"})}, // its flags are out of sight: C falls back to clone
		}},
	}
	if err := seccomp.LoadFilter(filter); err != nil {
		return Measure{}, err
	}
	return Measure{Active: true}, nil
}

func known(info *arch.Info, names []string) []string {
	var out []string
	for _, n := range names {
		if _, ok := info.SyscallNames[n]; ok {
			out = append(out, n)
		}
	}
	return out
}
