package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestIncidents: each is one line without anything that moves a cursor, and a standard error that nobody reads holds nobody up.
func TestIncidents(t *testing.T) {
	r, w := io.Pipe()
	a := newApp(strings.NewReader(""), io.Discard, w)
	report, end := a.incidents()
	for range 3 * mostIncidents { // nobody reads yet
		report(plugins.Incident{Kind: plugins.FileQuarantined, Decoder: readapi.DecoderInfo{Name: "pdf"}, SHA256: "ab", Detail: "It did\x1b[2J\nit."})
	}
	line := make([]byte, 4096)
	n, err := r.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	end()
	got := string(line[:n])
	if want := "glovebox: decoder pdf (file_quarantined): It did"; !strings.HasPrefix(got, want) || strings.Count(got, "\n") > 1 || bytes.ContainsRune(line[:n], '\x1b') || !strings.Contains(got, "sha256:ab") {
		t.Errorf("%q", got)
	}
	_ = r.Close() // whoever still writes is let go
}
