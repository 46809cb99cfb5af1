package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write the expected output of the scripts anew")

// TestMain makes the program a command of the scripts. They run it as a process of its own, built from these sources.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"glovebox": main})
}

// testCache is where the scripts keep compiled decoders: one folder for all of them, so that each decoder is compiled once.
func testCache(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("GLOVEBOX_TEST_CACHE"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "glovebox-test")
}

// TestScript runs testdata/script/*.txtar. Besides the usual commands the scripts have
//
//	exits N CMD ARG...          run a command that must exit with N
//	sample KIND NAME [ARG]      make a file: pdf, photo, png, gif, lines, gb18030, fifo, raw (ARG in Go syntax)
//	field FILE [-N] PATH WANT   the JSON of FILE (its Nth line) has WANT at PATH, such as parts.0.text; WANT is a string or JSON
//	setfrom VAR FILE PATH       set an environment variable to what is at PATH in the JSON of FILE
//	schema NAME FILE            every line of FILE is JSON that docs/schema/NAME.json describes, and has no key that it does not describe
//	terminal CMD ARG...         run a command with its output on a terminal; what it shows is the stdout of later commands
//	asked ANSWER CMD ARG...     the same with ANSWER typed there; it may fail
//	postgres VAR, bucket VAR    set an environment variable to the URL of an empty database or bucket
func TestScript(t *testing.T) {
	cache := testCache(t)
	if err := os.MkdirAll(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GLOVEBOX_CACHE", cache)
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			for _, dir := range []string{"XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_CACHE_HOME", "XDG_DATA_HOME"} {
				env.Setenv(dir, filepath.Join(env.WorkDir, "home", dir))
			}
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("no condition %q", name)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": cmdExits, "sample": cmdSample, "field": cmdField, "schema": cmdSchema, "terminal": cmdTerminal,
			"setfrom": cmdSetFrom, "asked": cmdAsked, "postgres": cmdPostgres, "bucket": cmdBucket,
		},
	})
}

func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N CMD ARG...")
	}
	if got := exitCode(ts, ts.Exec(args[1], args[2:]...)); fmt.Sprint(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

func exitCode(ts *testscript.TestScript, err error) int {
	if err == nil {
		return 0
	}
	exit, ok := err.(*exec.ExitError)
	if !ok {
		ts.Fatalf("%v", err)
	}
	return exit.ExitCode()
}

// TestScriptsExist fails when the scripts are not found, where TestScript would pass with nothing to do.
func TestScriptsExist(t *testing.T) {
	found, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(found) < 10 {
		t.Fatalf("%d scripts: %v", len(found), err)
	}
	if runtime.GOOS == "windows" {
		t.Log("FIFO and terminal commands are not there on windows")
	}
}
