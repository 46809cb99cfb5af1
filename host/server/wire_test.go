package server

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the expected replies anew")

// TestWire runs testdata/*.txtar: every line of a section is sent to one server, and the reply, where there is one, must be the line
// below it. A line that begins with "> " is sent, one that begins with "< " is expected.
func TestWire(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) < 6 {
		t.Fatalf("%d files: %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for i := range archive.Files {
				f := &archive.Files[i]
				got := converse(t, f.Data)
				if *update {
					f.Data = got
				} else if diff := cmp.Diff(string(f.Data), string(got)); diff != "" {
					t.Errorf("%s: %s", f.Name, diff)
				}
			}
			if *update {
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// converse sends the lines of script and returns it with the replies that came.
func converse(t *testing.T, script []byte) []byte {
	root, err := os.OpenRoot("testdata/root")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	w := dial(t, newFake(), &MCPOptions{Root: root, Version: "1.0"})
	var out bytes.Buffer
	for line := range strings.Lines(string(script)) {
		if !strings.HasPrefix(line, "> ") {
			continue
		}
		out.WriteString(line)
		line = strings.TrimSuffix(strings.TrimPrefix(line, "> "), "\n")
		w.send(line)
		for range replies(line) {
			reply := w.receive()
			if strings.Contains(reply, `"public"`) || strings.Contains(reply, "/home/") {
				t.Errorf("in reply to %s: %s", line, reply)
			}
			out.WriteString("< " + reply + "\n")
		}
	}
	// The end of the input ends the server, and nothing else comes.
	if err := w.in.Close(); err != nil {
		t.Fatal(err)
	}
	if rest, _ := w.out.ReadString('\n'); rest != "" {
		t.Errorf("unasked: %s", rest)
	}
	if err := <-w.done; err != nil {
		t.Errorf("the server ended with %v", err)
	}
	return out.Bytes()
}

// replies is how many replies a line asks for: one for each message that is no notification, and one for what is no message.
func replies(line string) int {
	if strings.TrimSpace(line) == "" {
		return 0
	}
	messages := []json.RawMessage{json.RawMessage(line)}
	if strings.HasPrefix(line, "[") && json.Unmarshal([]byte(line), &messages) == nil && len(messages) == 0 {
		return 1
	}
	n := 0
	for _, raw := range messages {
		var m struct {
			ID      any
			Method  any
			Version string `json:"jsonrpc"`
		}
		if err := json.Unmarshal(raw, &m); err != nil || m.Method == nil || m.ID != nil || m.Version != "2.0" {
			n++
		}
	}
	return n
}
