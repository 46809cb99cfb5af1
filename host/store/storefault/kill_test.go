//go:build unix

package storefault_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/store/storefault"
)

const killVar = "GLOVEBOX_STOREFAULT_KILL" // in the child: how it ends

// TestKillChild is the child of TestKill.
func TestKillChild(t *testing.T) {
	defer fmt.Println("deferred")
	switch os.Getenv(killVar) {
	case "killed":
		fmt.Println("before")
		storefault.Kill()
	case "fails":
		t.Error("on purpose")
	}
}

// A child that is killed is told from one that passes, one that fails, and one whose parent has no time for it.
func TestKill(t *testing.T) {
	out, killed, err := storefault.RunChild(t.Context(), "TestKillChild", killVar+"=killed")
	if string(out) != "before\n" || !killed || err != nil {
		t.Errorf("%q, killed %v, %v", out, killed, err)
	}
	if out, killed, err := storefault.RunChild(t.Context(), "TestKillChild", killVar+"="); killed || err != nil || !strings.HasPrefix(string(out), "deferred\nPASS") {
		t.Errorf("%q, killed %v, %v", out, killed, err)
	}
	if _, killed, err := storefault.RunChild(t.Context(), "TestKillChild", killVar+"=fails"); killed || err == nil {
		t.Errorf("one that fails: killed %v, %v", killed, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, killed, err := storefault.RunChild(ended, "TestKillChild", killVar+"="); killed || err == nil {
		t.Errorf("without time: killed %v, %v", killed, err)
	}
}
