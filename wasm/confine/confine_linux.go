package confine

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// Probe says what this kernel offers.
func Probe() []Measure {
	abi, err := ll.LandlockGetABIVersion()
	return []Measure{
		{Rlimits, true, "memory, files, core dumps"},
		{Orphan, true, ""},
		{NoNewPrivs, true, ""},
		{Landlock, err == nil && abi > 0, landlockDetail(abi, err)},
		{Dumpable, true, ""},
		{Seccomp, seccompMissing() == "", seccompMissing()},
	}
}

func landlockDetail(abi int, err error) string {
	switch {
	case err != nil || abi <= 0:
		return "this kernel does not have it"
	case abi < 4:
		return fmt.Sprintf("version %d: files", abi)
	case abi < 6:
		return fmt.Sprintf("version %d: files, network", abi)
	}
	return fmt.Sprintf("version %d: files, network, signals", abi)
}

// seccompMissing says why there is no seccomp filter, "" if there is one.
func seccompMissing() string {
	info, err := arch.GetInfo("")
	switch {
	case err != nil || len(info.SyscallNames) == 0:
		return "it is not known for this processor"
	case !seccomp.Supported():
		return "this kernel does not have it"
	}
	return ""
}

// Apply takes everything from the calling process, all of its threads, that p does not keep, and says what is active now. A measure that
// this kernel does not have is not an error unless p requires it; one that it has and that fails is. After an error the process may have
// lost some rights and should end.
//
// Call it before anything that is not trusted is read. RLIMIT_NPROC is not used: it counts all processes of the user, so it would fail
// for reasons of others, and seccomp keeps the process from starting any.
func Apply(p Policy) ([]Measure, error) {
	var report []Measure
	for _, step := range []struct {
		name string
		run  func(*Policy) (Measure, error)
	}{ // Landlock needs to open its folders, and reads /proc in a binary with cgo; seccomp ends the making of filters
		{Rlimits, applyLimits}, {Orphan, applyOrphan}, {NoNewPrivs, applyNoNewPrivs}, {Landlock, applyLandlock}, {Dumpable, applyDumpable},
		{Seccomp, applySeccomp},
	} {
		m := Measure{Name: step.name, Detail: "left out"}
		if p.takes(step.name) {
			var err error
			if m, err = step.run(&p); err != nil {
				return report, fmt.Errorf("confine: %s: %w", step.name, err)
			}
			m.Name = step.name
		}
		report = append(report, m)
	}
	return p.finish(report)
}

const maxFiles = 64 // descriptors: pipes, the poller's, and a few of a compile cache

// addressSlack is what a Go program and wazero reserve of addresses beyond the memory that they write to: arenas, and regions that guests grow
// into, and with cgo the stacks and arenas of C's threads.
const addressSlack = 2 << 30

func applyLimits(p *Policy) (Measure, error) {
	limits := []struct {
		resource int
		value    int64 // negative: not set
	}{
		{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_NOFILE, maxFiles}, {unix.RLIMIT_MEMLOCK, 0}, {unix.RLIMIT_MSGQUEUE, 0},
		{unix.RLIMIT_CPU, -1}, {unix.RLIMIT_FSIZE, -1}, {unix.RLIMIT_DATA, -1}, {unix.RLIMIT_AS, -1},
	}
	set := func(resource int, value int64) {
		for i := range limits {
			if limits[i].resource == resource {
				limits[i].value = value
			}
		}
	}
	if p.MaxCPU > 0 {
		set(unix.RLIMIT_CPU, int64(p.MaxCPU.Seconds())+1)
	}
	if p.MaxFileBytes > 0 || p.WriteDir == "" {
		set(unix.RLIMIT_FSIZE, p.MaxFileBytes)
	}
	detail := "files, core dumps"
	if p.MaxMemoryBytes > 0 {
		data, addresses, err := memoryNow()
		if err != nil {
			return Measure{}, err
		}
		// Written memory is what counts. A program that writes and then makes the pages executable is not counted any more: the addresses
		// bound that.
		set(unix.RLIMIT_DATA, data+p.MaxMemoryBytes)
		set(unix.RLIMIT_AS, addresses+2*p.MaxMemoryBytes+addressSlack)
		detail = "memory, files, core dumps"
	}
	for _, l := range limits {
		if l.value < 0 {
			continue
		}
		var old unix.Rlimit
		if err := unix.Prlimit(0, l.resource, nil, &old); err != nil {
			return Measure{}, err
		}
		v := min(uint64(l.value), old.Max)
		if err := unix.Prlimit(0, l.resource, &unix.Rlimit{Cur: v, Max: v}, nil); err != nil {
			return Measure{}, err
		}
	}
	return Measure{Active: true, Detail: detail}, nil
}

// memoryNow is how much writable private memory, and how many addresses, the process has. With the race detector that is many terabytes.
func memoryNow() (data, addresses int64, err error) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		name, value, _ := strings.Cut(s.Text(), ":")
		kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch {
		case err != nil:
		case name == "VmData":
			data = kib << 10
		case name == "VmSize":
			addresses = kib << 10
		}
	}
	if data == 0 || addresses == 0 {
		return 0, 0, errors.New("the system does not say how much memory the process has")
	}
	return data, addresses, nil
}

func applyOrphan(*Policy) (Measure, error) {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return Measure{}, err
	}
	return Measure{Active: true}, nil
}

func applyNoNewPrivs(*Policy) (Measure, error) {
	if err := ll.AllThreadsPrctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return Measure{}, err
	}
	return Measure{Active: true}, nil
}

const (
	readRights  = ll.AccessFSReadFile | ll.AccessFSReadDir
	writeRights = readRights | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSMakeReg | ll.AccessFSMakeDir | ll.AccessFSRemoveFile | ll.AccessFSRemoveDir
)

func applyLandlock(p *Policy) (Measure, error) {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil || abi <= 0 {
		return Measure{Detail: landlockDetail(abi, err)}, nil
	}
	var rules []landlock.Rule
	if p.ReadDir != "" {
		rules = append(rules, landlock.PathAccess(readRights, p.ReadDir))
	}
	if p.WriteDir != "" {
		rules = append(rules, landlock.PathAccess(writeRights, p.WriteDir))
	}
	if err := landlock.V11.BestEffort().Restrict(rules...); err != nil {
		return Measure{}, err
	}
	return Measure{Active: true, Detail: landlockDetail(abi, nil)}, nil
}

func applyDumpable(*Policy) (Measure, error) {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return Measure{}, err
	}
	return Measure{Active: true}, nil
}
