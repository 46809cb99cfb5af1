package server

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzLines: whatever comes in, the server goes on to answer what follows, and only messages go out, one a line.
func FuzzLines(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) < 6 {
		f.Fatalf("%d files: %v", len(paths), err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, section := range archive.Files {
			var in bytes.Buffer
			for line := range strings.Lines(string(section.Data)) {
				if sent, ok := strings.CutPrefix(line, "> "); ok {
					in.WriteString(sent)
				}
			}
			f.Add(in.Bytes())
		}
	}
	session := newFake()
	delete(session.files, "huge")
	session.slow = nil
	f.Fuzz(func(t *testing.T, in []byte) {
		const last = "the last line of this test"
		in = append(bytes.Clone(in), "\n"+`{"jsonrpc":"2.0","id":"`+last+`","method":"ping"}`...)
		var out bytes.Buffer
		if err := ServeStdio(t.Context(), session, bytes.NewReader(in), &out, nil); err != nil {
			t.Fatalf("the server ended with %v", err)
		}
		answered := false
		for line := range strings.Lines(out.String()) {
			var m struct {
				Version       string `json:"jsonrpc"`
				ID            any
				Result, Error any
			}
			if err := json.Unmarshal([]byte(line), &m); err != nil || m.Version != "2.0" || (m.Result == nil) == (m.Error == nil) {
				t.Fatalf("%v: %q", err, line)
			}
			answered = answered || m.ID == last && m.Result != nil
		}
		if !answered {
			t.Fatalf("no answer to the last line in %q", out.String())
		}
	})
}
