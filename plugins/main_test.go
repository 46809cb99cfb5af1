package plugins_test

import (
	"os"
	"testing"

	"github.com/glovebox-wasm/glovebox/wasm/helper"
)

// TestMain lets this binary be a helper as well: "helper", or "counted FILE", which adds a byte to the file each time it starts. A helper has
// no environment, so the arguments tell.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "helper" || os.Args[1] == "counted") {
		if len(os.Args) > 2 {
			count(os.Args[2])
		}
		os.Exit(helper.Main(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

func count(file string) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.Write([]byte{1})
	}
	if err != nil {
		panic(err)
	}
	f.Close()
}

// helperCommand is the command line of this binary as a helper, and how often it was started.
func helperCommand(t testing.TB) (command []string, starts func() int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/starts"
	return []string{exe, "counted", file}, func() int {
		b, err := os.ReadFile(file)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return len(b)
	}
}
