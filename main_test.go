package glovebox_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/wasm/helper"
)

// TestMain lets this binary be the helper that compiles foreign decoders, when its first argument is "helper". Else it gives the example, which has all defaults, the cache that all tests share, and fills it: with the race detector compiling may
// take longer than a read may.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "helper" {
		os.Exit(helper.Main(os.Stdin, os.Stdout))
	}
	if dir := os.Getenv("GLOVEBOX_TEST_CACHE"); dir != "" {
		os.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "user"))
	}
	r, err := glovebox.NewReader(&glovebox.Options{OneShot: true})
	if err == nil {
		err = r.Warm(context.Background())
		r.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
