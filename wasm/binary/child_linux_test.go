package binary_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/glovebox-wasm/glovebox/wasm/binary"
	. "github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
)

// childTask names what a child of these tests does.
const childTask = "GLOVEBOX_BINARY_CHILD"

// Bars of a refusal. The time is printed only: it is the machine's.
const (
	maxRefusalBytes = 32 << 20
	childRoom       = 512 << 20 // address space that a child may take on top of what it starts with: making the largest needs half
)

// TestMain lets the test binary be its own child.
func TestMain(m *testing.M) {
	switch task, arg, _ := strings.Cut(os.Getenv(childTask), " "); task {
	case "":
		os.Exit(m.Run())
	case "refuse":
		os.Exit(childRefuses())
	case "engine":
		os.Exit(childCompiles(arg))
	}
	os.Exit(3)
}

// child runs this binary with a task and an address space that is little larger than it needs, and gives its output.
func child(t *testing.T, task string) (string, error) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), childTask+"="+task)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// confine limits this process to what it has and room bytes more.
func confine(room uint64) error {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return err
	}
	pages, err := strconv.ParseUint(strings.Fields(string(b))[0], 10, 64)
	if err != nil {
		return err
	}
	limit := pages*uint64(os.Getpagesize()) + room + raceRoom
	return syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: limit, Max: limit})
}

// childRefuses refuses every bad module and prints "bytes nanoseconds name" for each.
func childRefuses() int {
	if err := confine(childRoom); err != nil {
		fmt.Println(err)
		return 2
	}
	for _, c := range BadModules() {
		wasm := c.Wasm()
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begin := time.Now()
		_, err := binary.Rewrite(wasm, c.Opts)
		took := time.Since(begin)
		runtime.ReadMemStats(&after)
		if binary.RuleOf(err) != c.Rule {
			fmt.Printf("%s: %v\n", c.Name, err)
			return 2
		}
		fmt.Printf("refused %d %d %s\n", after.TotalAlloc-before.TotalAlloc, took, c.Name)
	}
	return 0
}

// childCompiles hands one bad module to the engine without asking whether it is admitted.
func childCompiles(name string) int {
	if err := confine(childRoom); err != nil {
		fmt.Println(err)
		return 2
	}
	fmt.Println("confined")
	for _, c := range BadModules() {
		if c.Name == name {
			rt := wazero.NewRuntimeWithConfig(context.Background(), wazero.NewRuntimeConfigInterpreter())
			_, err := rt.CompileModule(context.Background(), c.Wasm())
			fmt.Println("the engine lived:", err)
			return 0
		}
	}
	return 2
}

// TestBadModulesInAChild refuses all of them in one process that may hardly take any memory: it must live, and none may cost more
// than the bar. The worst are printed.
func TestBadModulesInAChild(t *testing.T) {
	out, err := child(t, "refuse")
	if err != nil {
		t.Fatalf("the child died: %v\n%s", err, head(out))
	}
	type cost struct {
		bytes int64
		took  time.Duration
		name  string
	}
	var costs []cost
	for s := bufio.NewScanner(strings.NewReader(out)); s.Scan(); {
		var c cost
		if f := strings.SplitN(s.Text(), " ", 4); len(f) == 4 && f[0] == "refused" {
			c.bytes, _ = strconv.ParseInt(f[1], 10, 64)
			n, _ := strconv.ParseInt(f[2], 10, 64)
			c.took, c.name = time.Duration(n), f[3]
			costs = append(costs, c)
		}
	}
	if want := len(BadModules()); len(costs) != want || want < 200 {
		t.Fatalf("%d of %d refused", len(costs), want)
	}
	for _, c := range costs {
		if c.bytes > maxRefusalBytes {
			t.Errorf("%s: %d bytes to refuse it", c.name, c.bytes)
		}
	}
	slices.SortFunc(costs, func(a, b cost) int { return int(b.bytes - a.bytes) })
	t.Logf("bars: %d bad modules refused, most memory %d KiB (%s)", len(costs), costs[0].bytes>>10, costs[0].name)
	slices.SortFunc(costs, func(a, b cost) int { return int(b.took - a.took) })
	t.Logf("bars: longest %v (%s), then %v, median %v", costs[0].took, costs[0].name, costs[1].took, costs[len(costs)/2].took)
}

// TestTheEngineAloneDies is the ablation: the same modules, handed to the engine in a process of the same size, end the process.
func TestTheEngineAloneDies(t *testing.T) {
	for _, name := range []string{"fifteen bytes that killed a host", "2^32-1 imports", "2^32-1 globals", "2^32-1 bodies", "2^32-1 locals in one run"} {
		out, err := child(t, "engine "+name)
		if err == nil || !strings.Contains(out, "confined") || !strings.Contains(out, "fatal error") {
			t.Errorf("%s: %v\n%s", name, err, head(out))
		}
	}
}

// head is the beginning of a long output.
func head(s string) string { return s[:min(len(s), 600)] }
