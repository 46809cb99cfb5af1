package sandbox_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/glovebox-wasm/glovebox/wasm/helper"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// TestMain lets this binary be other programs as well: a helper, one that counts its starts, helpers that do wrong, and a process that compiles.
// A helper has no environment, so the arguments tell.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "helper":
			os.Exit(helper.Main(os.Stdin, os.Stdout))
		case "counted":
			sandbox.Count(os.Args[2])
			os.Exit(helper.Main(os.Stdin, os.Stdout))
		case "bad":
			os.Exit(sandbox.BadHelper(os.Args[2]))
		case "many":
			os.Exit(sandbox.Many(os.Args[2], os.Args[3], os.Args[4]))
		}
	}
	goleak.VerifyTestMain(m)
}
