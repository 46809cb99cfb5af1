package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/glovebox-wasm/glovebox/testdata/samples"
)

// codeBlocks are the fenced blocks of a Markdown file in the language lang.
func codeBlocks(t *testing.T, path, lang string) []string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile("(?ms)^```"+lang+"\n(.*?)^```$").FindAllSubmatch(raw, -1) {
		out = append(out, string(m[1]))
	}
	if len(out) == 0 {
		t.Fatalf("%s has no block of %s", path, lang)
	}
	return out
}

// readmeFiles are files that the README names beside those of the demo.
var readmeFiles = map[string]string{
	"page.html":  "<title>Boats</title><table border><tr><th>Boat<th>Price<tr><td>Skiff<td>100</table><p><a href=/list>All</a>",
	"prices.csv": "boat,price\nSkiff,100\nYawl,900\n",
	"mail.eml": "From: a@example.org\nSubject: Boats\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nsee there\n" +
		"--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=list.txt\n\nSkiff\n--b--\n",
}

// TestReadmeCommands runs every command of the README on the files of the demo.
func TestReadmeCommands(t *testing.T) {
	files, err := samples.Demo()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Bytes, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range readmeFiles {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	address := "" // what attach printed; the README cannot know it
	for _, block := range codeBlocks(t, "../../README.md", "sh") {
		for line := range strings.Lines(block) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
			args, ok := strings.CutPrefix(strings.TrimPrefix(strings.TrimSpace(line), "build/"), "glovebox ")
			if !ok {
				continue
			}
			ran++
			args = strings.ReplaceAll(args, "maka://runtime/attachments/ID", address)
			cmd := exec.Command(self, strings.Fields(args)...)
			cmd.Args[0] = "glovebox" // as which the test binary is the program
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GLOVEBOX_CACHE="+testCache(t), "XDG_CONFIG_HOME="+dir, "XDG_CONFIG_DIRS="+dir, "XDG_DATA_HOME="+dir)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil || len(out) == 0 {
				t.Errorf("%s: %v, %d bytes, %s", line, err, len(out), &stderr)
			}
			if found := regexp.MustCompile(`maka://\S+`).Find(out); strings.HasPrefix(args, "attach ") {
				address = string(found)
			}
		}
	}
	if ran < 11 {
		t.Errorf("only %d commands found in the README", ran)
	}
}

// TestReadmeTargets: the make targets that the documents name exist, and bare make lists every target.
func TestReadmeTargets(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	var targets []string
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+):.*## `).FindAllSubmatch(makefile, -1) {
		targets = append(targets, string(m[1]))
	}
	for _, doc := range []string{"../../README.md", "../../CONTRIBUTING.md", "../../bench/README.md"} {
		for _, block := range codeBlocks(t, doc, "sh") {
			for _, m := range regexp.MustCompile(`(?m)^make ([a-z-]+)`).FindAllStringSubmatch(block, -1) {
				if !slices.Contains(targets, m[1]) {
					t.Errorf("%s names make %s, which is not there", doc, m[1])
				}
			}
		}
	}
	phony := regexp.MustCompile(`(?m)^\.PHONY: (.*)$`).FindSubmatch(makefile)
	if phony == nil || !slices.Equal(sorted(strings.Fields(string(phony[1]))), sorted(targets)) {
		t.Errorf("targets with a description are %v, .PHONY has %s", targets, phony)
	}
}

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }

// TestReadmeExamples: the Go code of the README and of docs/wall.md is that of the compiled examples, line by line, and short.
func TestReadmeExamples(t *testing.T) {
	var compiled []string
	for _, name := range []string{"../../example_host_test.go", "../../example_test.go", "../../example_foreign_test.go"} {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		compiled = append(compiled, trimmedLines(string(source))...)
	}
	blocks := codeBlocks(t, "../../README.md", "go")
	if len(blocks) < 2 {
		t.Fatalf("only %d pieces of Go in the README", len(blocks))
	}
	blocks = append(blocks, codeBlocks(t, "../../docs/wall.md", "go")...)
	for _, block := range blocks {
		got := trimmedLines(block)
		if len(got) > 20 {
			t.Errorf("%d lines are no short example", len(got))
		}
		found := false
		for i := range compiled {
			found = found || i+len(got) <= len(compiled) && slices.Equal(compiled[i:i+len(got)], got)
		}
		if !found {
			t.Errorf("this is in no example:\n%s", block)
		}
	}
}

func trimmedLines(s string) (out []string) {
	for line := range strings.Lines(s) {
		out = append(out, strings.TrimSpace(line))
	}
	return out
}

// TestCLIDoc: docs/cli.md names every command, every key of the configuration, every limit's flag, and every schema.
func TestCLIDoc(t *testing.T) {
	raw, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	described := func(what, text string) {
		if !bytes.Contains(raw, []byte(text)) {
			t.Errorf("%s %s is not described", what, text)
		}
	}
	var names func(prefix string, c *cobra.Command)
	names = func(prefix string, c *cobra.Command) {
		for _, sub := range c.Commands() {
			if sub.Name() == "help" || c.Name() == "completion" {
				continue
			}
			row := regexp.MustCompile("(?m)^\\| `" + prefix + ".*`(" + prefix + ")?" + sub.Name() + "[ `]|^\\|.*`" + prefix + sub.Name() + "[ `]")
			if !sub.HasSubCommands() && !row.Match(raw) {
				t.Errorf("the command %s is in no row", sub.CommandPath())
			}
			names(prefix+sub.Name()+" ", sub)
		}
	}
	names("", newApp(nil, io.Discard, nil).root())
	for table, keys := range tables {
		for _, key := range keys {
			described("the key", "`"+strings.ReplaceAll(strings.TrimPrefix(key, table+"-"), "-", "_")+"`")
		}
	}
	schemas, err := filepath.Glob(filepath.Join(schemaDir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range schemas {
		if name := filepath.Base(path); !slices.Contains([]string{"attachment.json", "request.json", "export.json"}, name) { // parts of others
			described("the schema", "(schema/"+name+")")
		}
	}
	for _, name := range configurable {
		if key := "`" + strings.ReplaceAll(name, "-", "_") + "`"; !bytes.Contains(raw, []byte(key)) {
			t.Errorf("the key %s is not described", key)
		}
		if strings.HasPrefix(name, "max-") && !bytes.Contains(raw, []byte("`--"+name+"`")) {
			t.Errorf("the limit --%s is not described", name)
		}
	}
}
