package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adrg/xdg"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/plugins/boxtest"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/testdata/samples"
)

// insideApp runs the program, whose decoders are the built-in ones and that of archives.
func insideApp(t *testing.T) func(stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	wasm, err := boxtest.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	box, err := plugins.FromModule(t.Context(), wasm, &plugins.ModuleOptions{Trusted: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_DIRS", t.TempDir())
	xdg.Reload()
	return func(stdin string, args ...string) (int, string, string) {
		var out, told bytes.Buffer
		a := newApp(strings.NewReader(stdin), &out, &told)
		a.getenv = func(string) string { return "" }
		a.open = func(o *glovebox.Options) (reader, error) {
			o.Decoders = []plugins.Decoder{box}
			o.CacheDir = os.Getenv("GLOVEBOX_TEST_CACHE")
			return openReader(o)
		}
		code := a.run(context.WithoutCancel(t.Context()), args)
		return code, out.String(), told.String()
	}
}

// TestViewAbout shows what a PDF says of itself where more of it follows, and only there.
func TestViewAbout(t *testing.T) {
	doc := textDocument("first\n")
	doc.Unit = readapi.UnitPage
	doc.Document.Meta = map[string]any{
		"outline": []any{map[string]any{"title": "One", "level": 1, "page": 2, "est_tokens": 5}},
		"map":     []any{map[string]any{"from": 1, "to": 9, "est_tokens": 1100}},
	}
	const about = "outline: One (page 2, about 5 tokens)\nestimated tokens by page: 1-9: 1100\n"
	for _, c := range []struct {
		next   string
		goesOn bool
		want   int
	}{{"", false, 0}, {"CURSOR", false, 1}, {"CURSOR", true, 0}} {
		doc.Document.Next = c.next
		var out bytes.Buffer
		v := view{out: &out, err: &out, shown: "a.pdf", goesOn: c.goesOn}
		v.print(&doc.Document, true)
		if got := strings.Count(out.String(), about); got != c.want {
			t.Errorf("%+v: it stands there %d times:\n%s", c, got, out.String())
		}
	}
}

// TestReadInside reads files inside files, with and without a password, as a person and as a program do.
func TestReadInside(t *testing.T) {
	run := insideApp(t)
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	picture, err := samples.PNG(30, 20)
	if err != nil {
		t.Fatal(err)
	}
	const secret = "one two  ü"
	inner := boxtest.Zip("", boxtest.Entry{Name: "deep.txt", Data: []byte("deep down\n")}, boxtest.Entry{Name: "p.png", Data: picture})
	file := put("box.zip", boxtest.Zip(secret, boxtest.Entry{Name: "a.txt", Data: []byte("words\n")}, boxtest.Entry{Name: "inner.zip", Data: inner}))
	key, windows, empty, latin := put("key", []byte(secret+"\nmore\n")), put("key.txt", []byte("\ufeff"+secret+"\r\n")), put("empty", nil), put("latin", []byte("\xfc\n"))
	pictures := filepath.Join(dir, "pictures")

	for name, c := range map[string]struct {
		stdin string
		args  []string
		code  int
		want  []string // in what is printed
	}{
		"locked":             {"", []string{"read", file}, 1, []string{"(encrypted)", "Give the password that opens it. --password-file FILE takes it"}},
		"another password":   {"wrong\n", []string{"read", "--password-file", "-", file}, 1, []string{"does not open it"}},
		"by a file":          {"", []string{"read", "--password-file", key, file}, 0, []string{"words\n", "file inside: 2. inner.zip (", "--child 1 reads the first of them\n"}},
		"by standard input":  {secret, []string{"read", "--password-file", "-", file}, 0, []string{"words\n"}},
		"of Windows":         {"", []string{"read", "--password-file", windows, "--child", "2", file}, 0, []string{"file 2 inside it, inner.zip, application/zip", "--child 2/1 reads"}},
		"deep":               {"", []string{"read", "--password-file", key, "--child", "2/1", file}, 0, []string{"file 2/1 inside it, deep.txt, text/plain", "deep down\n"}},
		"a picture":          {"", []string{"read", "--password-file", key, "--child", "2/2", "--out", pictures, file}, 0, []string{"box.zip-file2.2-frame1.png"}},
		"pictures of units":  {"", []string{"read", "--password-file", key, "--child", "2", "--form", "image", "--out", pictures, file}, 0, []string{"box.zip-file2-entry2.png"}},
		"no such child":      {"", []string{"read", "--password-file", key, "--child", "9", file}, 1, []string{"(invalid_request)"}},
		"five deep":          {"", []string{"read", "--child", "1/1/1/1/1", file}, 1, []string{"(limit_depth)"}},
		"no path":            {"", []string{"read", "--child", "a", file}, 2, []string{"--child: not a child path"}},
		"an empty path":      {"", []string{"read", "--child", "", file}, 2, []string{"--child: not a child path"}},
		"with a cursor":      {"", []string{"read", "--child", "1", "--cursor", "x", file}, 2, []string{"exclude each other"}},
		"no password file":   {"", []string{"read", "--password-file", filepath.Join(dir, "none"), file}, 3, []string{"password file: cannot be read"}},
		"a folder":           {"", []string{"read", "--password-file", dir, file}, 3, []string{"password file: cannot be read"}},
		"an empty file":      {"", []string{"read", "--password-file", empty, file}, 3, []string{"nothing in its first line"}},
		"not UTF-8":          {"", []string{"read", "--password-file", latin, file}, 3, []string{"is not UTF-8"}},
		"standard input two": {"", []string{"read", "--password-file", "-", "-"}, 2, []string{"can be read once"}},
	} {
		code, out, told := run(c.stdin, c.args...)
		if code != c.code {
			t.Errorf("%s: exit code %d, want %d\n%s%s", name, code, c.code, out, told)
		}
		for _, want := range c.want {
			if !strings.Contains(out+told, want) {
				t.Errorf("%s: %q is not in\n%s%s", name, want, out, told)
			}
		}
		if strings.Contains(out+told, "one two") || strings.Contains(told, dir+"/key") {
			t.Errorf("%s: the password is in\n%s%s", name, out, told)
		}
	}
	for _, args := range [][]string{{"--child", "2/1"}, {"--child", "2", "--form", "image"}, {}} {
		code, out, _ := run("", append([]string{"read", "--json", "--password-file", key, file}, args...)...)
		schema, err := loadSchema("document")
		if err != nil {
			t.Fatal(err)
		}
		var doc readapi.Document
		if err := validate(schema, out); code != 0 || err != nil || json.Unmarshal([]byte(out), &doc) != nil {
			t.Errorf("%v: exit code %d, %v\n%s", args, code, err, out)
		}
		var sum int64
		for _, p := range doc.Parts {
			sum += p.EstTokens
		}
		if sum != doc.Usage.EstTokens || sum == 0 {
			t.Errorf("%v: parts of %d tokens, all of %d", args, sum, doc.Usage.EstTokens)
		}
	}
}

// TestViewData prints what a decoder found out beside the text in few words, and the cells of a table once.
func TestViewData(t *testing.T) {
	part := func(s string) readapi.Part {
		return readapi.Part{Type: readapi.PartData, At: 1, Data: json.RawMessage(s)}
	}
	doc := textDocument("a   b\n1   2\n")
	doc.Unit = readapi.UnitPage
	doc.Document.Parts = append(doc.Document.Parts, part(`{"table":{"rows":[["a","b"],["1","2"]],"header":true}}`), part(`{"links":[{"text":"here\nthere","uri":"https://example.org"},{"page":3}]}`),
		part(`{"fields":[{"name":"n","label":"Name","type":"text","value":"Ada"},{"name":"ok","type":"button","value":true}]}`),
		part(`{"annotations":[{"type":"Highlight","author":"Bo","quote":"q","contents":"see"}]}`), part(`{"other":"\u202e"}`))
	var out bytes.Buffer
	v := view{out: &out, err: &out, shown: "a.pdf"}
	v.print(&doc.Document, true)
	want := "a   b\n1   2\n[table: 2 rows, 2 columns]\n[link: here\\u{A}there -> https://example.org]\n[link: page 3]\n[field Name: Ada]\n[field ok: true]\n" +
		"[note, Highlight, by Bo, on \"q\": see]\n{\"other\":\"\\u202e\"}\n"
	if _, got, _ := strings.Cut(out.String(), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := readapi.DataText(json.RawMessage(`{"table":{"rows":[["a"]]}}`), false); !strings.Contains(got, `"a"`) {
		t.Errorf("a table without a text beside it: %s", got)
	}
}
