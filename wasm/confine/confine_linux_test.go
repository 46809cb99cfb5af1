package confine_test

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/wasm/confine"
	"golang.org/x/sys/unix"
)

// TestMain makes this binary the process that is confined as well.
func TestMain(m *testing.M) {
	role := ""
	if len(os.Args) > 1 {
		role = os.Args[1]
	}
	switch role {
	case "confined":
		confined()
	case "parent":
		parent()
	case "orphan":
		orphan()
	default:
		os.Exit(m.Run())
	}
}

// task is what a confined process is told: policies to apply one after the other, then attacks.
type task struct {
	Policies []confine.Policy
	Attacks  []string
	Dir      string // with the file "secret" in it
}

type outcome struct {
	Reports [][]confine.Measure
	Failed  string            // what Apply said
	Errors  map[string]string // of the attacks; "" means that it worked
}

const hugeBytes = 1 << 30 // what the memory attacks want; nothing of it is touched

// attacks are what a process that somebody has taken over would try. They run in a thread that was there before Apply.
var attacks = map[string]func(task) error{
	"read":    func(t task) error { _, err := os.ReadFile(filepath.Join(t.Dir, "secret")); return err },
	"list":    func(t task) error { _, err := os.ReadDir(t.Dir); return err },
	"write":   func(t task) error { return os.WriteFile(filepath.Join(t.Dir, "new"), []byte("x"), 0o600) },
	"append":  func(t task) error { return appendTo(filepath.Join(t.Dir, "secret")) },
	"remove":  func(t task) error { return os.Remove(filepath.Join(t.Dir, "secret")) },
	"parent":  func(t task) error { _, err := os.ReadDir(filepath.Dir(t.Dir)); return err },
	"other":   func(t task) error { return os.WriteFile(filepath.Join(filepath.Dir(t.Dir), "outside"), nil, 0o600) },
	"tcp":     func(task) error { return closeIt(net.Dial("tcp", "127.0.0.1:9")) },
	"socket":  func(task) error { return socket(unix.AF_INET, unix.SOCK_DGRAM) },
	"unix":    func(task) error { return socket(unix.AF_UNIX, unix.SOCK_STREAM) },
	"exec":    func(task) error { return exec.Command("/bin/true").Run() },
	"fork":    func(task) error { return fork() },
	"ptrace":  func(task) error { return ptrace(os.Getppid()) },
	"signal":  func(task) error { return syscall.Kill(os.Getppid(), 0) },
	"by pipe": func(task) error { return signalByPipe() },
	"memory":  func(task) error { return mmap(unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE) },
	"shared":  func(task) error { return mmap(unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED) },
	"later": func(task) error { // reserved first, made writable afterwards
		b, err := unix.Mmap(-1, 0, hugeBytes, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
		if err != nil {
			return err
		}
		return errors.Join(unix.Mprotect(b, unix.PROT_READ|unix.PROT_WRITE), unix.Munmap(b))
	},
	"descriptors": func(task) error {
		for range 100 {
			r, w, err := pipe()
			if err != nil {
				return err
			}
			defer unix.Close(r)
			defer unix.Close(w)
		}
		return nil
	},
	"file size": func(t task) error { return os.WriteFile(filepath.Join(t.Dir, "large"), make([]byte, 1<<20), 0o600) },
	"core":      func(task) error { return limitIs(unix.RLIMIT_CORE, 0) },
	"raise":     func(task) error { return unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: 1 << 50, Max: 1 << 50}) },
	"look in":   func(task) error { return stateIs(unix.PR_GET_DUMPABLE, 0) },
	"filter":    func(task) error { return unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) },
	"gain":      func(task) error { return stateIs(unix.PR_GET_NO_NEW_PRIVS, 1) },
	"open proc": func(task) error { _, err := os.ReadFile("/proc/self/maps"); return err },
}

// stateIs fails when the thread's state is v: the attack wants it to be another.
func stateIs(get, v int) error {
	if now, err := unix.PrctlRetInt(get, 0, 0, 0, 0); err != nil || now == v {
		return unix.EPERM
	}
	return nil
}

func appendTo(name string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write([]byte("x"))
	return err
}

// closeIt is nil for a connection that was made or that nobody wanted at the other end: the network was there.
func closeIt(c net.Conn, err error) error {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil
	}
	if err == nil {
		c.Close()
	}
	return err
}

func socket(domain, kind int) error {
	fd, err := unix.Socket(domain, kind, 0)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

// fork asks for a child with flags that the kernel refuses after seccomp has looked, so that there is no second Go program in the test.
func fork() error {
	_, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, unix.CLONE_SIGHAND|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno == unix.EINVAL {
		return nil
	}
	return errno
}

func ptrace(pid int) error {
	_, _, errno := syscall.Syscall6(unix.SYS_PTRACE, uintptr(unix.PTRACE_ATTACH), uintptr(pid), 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	_, _ = unix.Wait4(pid, nil, unix.WUNTRACED, nil)
	_, _, _ = syscall.Syscall6(unix.SYS_PTRACE, uintptr(unix.PTRACE_DETACH), uintptr(pid), 0, 0, 0, 0)
	return nil
}

// parentPID is asked for before Apply: afterwards nobody says it.
var parentPID = os.Getppid()

// signalByPipe makes the parent the owner of a pipe, who is told by a signal of our choice that there is something to read.
func signalByPipe() error {
	r, w, err := pipe()
	if err != nil {
		return err
	}
	defer unix.Close(r)
	defer unix.Close(w)
	_, err = unix.FcntlInt(uintptr(r), unix.F_SETOWN, parentPID)
	if err == nil {
		_, err = unix.FcntlInt(uintptr(r), unix.F_SETSIG, int(unix.SIGKILL))
	}
	return err
}

func mmap(prot, flags int) error {
	b, err := unix.Mmap(-1, 0, hugeBytes, prot, flags|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err == nil {
		err = unix.Munmap(b)
	}
	return err
}

func pipe() (r, w int, err error) {
	var p [2]int
	err = unix.Pipe2(p[:], unix.O_CLOEXEC)
	return p[0], p[1], err
}

// limitIs fails when the limit is v: the attack is to dump core.
func limitIs(resource int, v uint64) error {
	var l unix.Rlimit
	if err := unix.Getrlimit(resource, &l); err == nil && l.Max != v {
		return nil
	}
	return unix.EPERM
}

// confined runs one task. The attacks run on a thread of before, and on one of after.
func confined() {
	var t task
	if err := json.NewDecoder(os.Stdin).Decode(&t); err != nil {
		panic(err)
	}
	out := outcome{Errors: map[string]string{}}
	ready, ask, answers := make(chan bool), make(chan string), make(chan error)
	go func() {
		runtime.LockOSThread()
		ready <- true
		for name := range ask {
			answers <- attacks[name](t)
		}
	}()
	<-ready
	for _, p := range t.Policies {
		report, err := confine.Apply(p)
		out.Reports = append(out.Reports, report)
		if err != nil {
			out.Failed = err.Error()
		}
	}
	for _, name := range t.Attacks {
		ask <- name
		text := ""
		if err := <-answers; err != nil {
			text = err.Error()
		}
		out.Errors[name] = text
	}
	// A Go program still works: memory, goroutines, threads, collector, timers.
	done := make(chan int)
	for i := range 20 {
		go func() {
			runtime.LockOSThread()
			b := make([]byte, 1<<20)
			time.Sleep(time.Millisecond)
			done <- len(b) + i
		}()
	}
	for range 20 {
		<-done
	}
	runtime.GC()
	_ = json.NewEncoder(os.Stdout).Encode(out)
}

// run runs t in a process of its own.
func run(t *testing.T, job task) outcome {
	t.Helper()
	in, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "confined")
	cmd.Env = []string{"GORACE=atexit_sleep_ms=0"} // the race detector waits a second at each end otherwise
	cmd.Stdin = strings.NewReader(string(in))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	b, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%.4000s", err, stderr.String())
	}
	var out outcome
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func folder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "inside")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func all() []string {
	var names []string
	for name := range attacks {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

const memory = 256 << 20

func kinds(dir string) map[string]confine.Policy {
	return map[string]confine.Policy{
		"run":     {MaxMemoryBytes: memory},
		"load":    {MaxMemoryBytes: memory, ReadDir: dir, More: true},
		"compile": {MaxMemoryBytes: memory, WriteDir: dir, MaxFileBytes: 1 << 10},
	}
}

// What each policy leaves a process that was taken over.
var left = map[string][]string{
	"run":     nil,
	"load":    {"read", "list", "filter"}, // it may take more from itself still
	"compile": {"read", "list", "write", "append", "remove"},
}

func TestDenied(t *testing.T) {
	for kind := range left {
		t.Run(kind, func(t *testing.T) {
			dir := folder(t)
			policy := kinds(dir)[kind]
			out := run(t, task{Policies: []confine.Policy{policy}, Attacks: all(), Dir: dir})
			if out.Failed != "" {
				t.Fatal(out.Failed)
			}
			active := confine.Active(out.Reports[0])
			if want := confine.Active(confine.Probe()); !slices.Equal(active, want) {
				t.Errorf("active: %v, but this kernel offers %v", active, want)
			}
			if kernelLacks(t) {
				return
			}
			for _, name := range all() {
				if worked := out.Errors[name] == ""; worked != slices.Contains(left[kind], name) {
					t.Errorf("%s: %q", name, out.Errors[name])
				}
			}
		})
	}
}

// kernelLacks reports whether a measure is missing here, and checks that Probe says so in words.
func kernelLacks(t *testing.T) bool {
	t.Helper()
	lacks := false
	for _, m := range confine.Probe() {
		if !m.Active {
			lacks = true
			if m.Detail == "" {
				t.Errorf("%s is missing, and nothing says why", m.Name)
			}
		}
	}
	return lacks
}

// Each measure alone denies what it is for, and without it and those that deny the same, the attack works.
func TestMeasures(t *testing.T) {
	everything := []string{confine.Rlimits, confine.Orphan, confine.NoNewPrivs, confine.Landlock, confine.Dumpable, confine.Seccomp}
	for measure, denies := range map[string][]string{
		confine.Rlimits:    {"memory", "later", "descriptors", "core", "file size"},
		confine.Dumpable:   {"look in"},
		confine.NoNewPrivs: {"gain"},
		confine.Landlock:   {"read", "list", "write", "append", "remove", "parent", "other", "tcp", "signal", "file size", "open proc"},
		confine.Seccomp: {
			"by pipe", "read", "list", "write", "append", "remove", "parent", "other", "tcp", "socket", "unix", "exec", "fork", "ptrace", "signal", "shared",
			"raise", "file size", "open proc", "look in", "gain", "filter", "core", // getrlimit is denied, which reads as a limit that cannot be seen
		},
	} {
		t.Run(measure, func(t *testing.T) {
			if !slices.Contains(confine.Active(confine.Probe()), measure) {
				kernelLacks(t)
				return
			}
			with := run(t, task{Policies: []confine.Policy{{MaxMemoryBytes: memory, Without: without(everything, measure)}}, Attacks: all(), Dir: folder(t)})
			if got := confine.Active(with.Reports[0]); !slices.Equal(got, []string{measure}) {
				t.Fatalf("active: %v", got)
			}
			none := run(t, task{Policies: []confine.Policy{{MaxMemoryBytes: memory, Without: everything}}, Attacks: all(), Dir: folder(t)})
			if got := confine.Active(none.Reports[0]); len(got) > 0 {
				t.Fatalf("active without any: %v", got)
			}
			for _, name := range denies {
				if with.Errors[name] == "" {
					t.Errorf("%s works in spite of %s", name, measure)
				}
				if none.Errors[name] != "" && !(name == "ptrace" && os.Getuid() != 0) && name != "raise" {
					t.Errorf("%s does not work without %s either (%s), so this test shows nothing", name, measure, none.Errors[name])
				}
			}
		})
	}
}

func without(all []string, one string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == one })
}

// A process that loads first and runs then: the second policy takes the files and the way to a third.
func TestTwice(t *testing.T) {
	dir := folder(t)
	out := run(t, task{
		Policies: []confine.Policy{{MaxMemoryBytes: memory, ReadDir: dir, More: true}, {}},
		Attacks:  []string{"read", "list", "open proc", "memory", "gain", "filter"}, Dir: dir,
	})
	if len(confine.Active(confine.Probe())) < 6 {
		kernelLacks(t)
		return
	}
	for name, err := range out.Errors {
		if err == "" {
			t.Errorf("%s works after the second policy", name)
		}
	}
	if len(confine.Active(out.Reports[1])) != 6 || out.Failed != "" {
		t.Errorf("second: %v, %s", out.Reports[1], out.Failed)
	}
}

func TestRequire(t *testing.T) {
	p := confine.Policy{Without: []string{confine.Landlock}, Require: []string{confine.Landlock}}
	if out := run(t, task{Policies: []confine.Policy{p}}); !strings.Contains(out.Failed, confine.ErrMissing.Error()) {
		t.Errorf("without what is required: %q", out.Failed)
	}
	p.Without, p.Require = nil, confine.Active(confine.Probe())
	if out := run(t, task{Policies: []confine.Policy{p}}); out.Failed != "" {
		t.Errorf("with what is there: %s", out.Failed)
	}
}

// A process whose parent was killed is killed with it; without the measure it goes on.
func TestOrphan(t *testing.T) {
	for _, p := range []confine.Policy{{}, {Without: []string{confine.Orphan}}} {
		ask, toAsk := pipeFiles(t)
		fromAnswer, answer := pipeFiles(t)
		cmd := exec.CommandContext(t.Context(), os.Args[0], "parent", strings.Join(p.Without, ""))
		cmd.ExtraFiles = []*os.File{ask, answer}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ask.Close()
		answer.Close()
		b := make([]byte, 1)
		if n, err := fromAnswer.Read(b); n != 1 {
			t.Fatalf("the grandchild did not start: %v", err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if len(p.Without) == 0 {
			if n, _ := fromAnswer.Read(b); n != 0 {
				t.Error("the orphan says something")
			}
			continue
		}
		if _, err := toAsk.Write(b); err != nil {
			t.Fatal(err)
		}
		if n, err := fromAnswer.Read(b); n != 1 {
			t.Errorf("without the measure the orphan is gone as well (%v), so this test shows nothing", err)
		}
	}
}

func pipeFiles(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// parent starts an orphan-to-be and waits to be killed.
func parent() {
	cmd := exec.Command(os.Args[0], "orphan", os.Args[2])
	cmd.ExtraFiles = []*os.File{os.NewFile(3, "ask"), os.NewFile(4, "answer")}
	if err := cmd.Run(); err != nil {
		panic(err)
	}
}

// orphan says that it is there, and again when it is asked.
func orphan() {
	ask, answer := os.NewFile(3, "ask"), os.NewFile(4, "answer")
	if _, err := confine.Apply(confine.Policy{Without: os.Args[2:]}); err != nil {
		panic(err)
	}
	b := []byte{1}
	for {
		if _, err := answer.Write(b); err != nil {
			return
		}
		if n, _ := ask.Read(b); n == 0 {
			<-time.After(time.Hour) // the pipe's end is not what ends it
		}
	}
}
