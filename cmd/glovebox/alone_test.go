package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestAlone: a command is no host on which the others of a store count, however many addresses it reads; mcp is one.
func TestAlone(t *testing.T) {
	uri := readapi.ArtifactID("a1").URI()
	for line, want := range map[string]bool{
		"attach --session s -": true, "read --session s " + uri: true, "read --session s " + uri + " " + uri: true, "session list": true, "mcp --session s": false,
	} {
		k := &fakeKeeper{append: drain, sessions: noSessions, read: func(context.Context, string) (*glovebox.Document, error) { return textDocument("x"), nil }}
		a, stderr := keptApp(t, k, strings.NewReader(""), io.Discard)
		a.main(strings.Fields(line))
		if k.opened.Load() != 1 || k.opts.Alone != want {
			t.Errorf("%s: opened %d times, alone: %v, want %v: %s", line, k.opened.Load(), k.opts.Alone, want, stderr)
		}
	}
}

func noSessions(func(store.Session, error) bool) {}
