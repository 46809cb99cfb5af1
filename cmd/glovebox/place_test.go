package main

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestShownURL: a secret is not shown, wherever a URL has it, and the place is.
func TestShownURL(t *testing.T) {
	for in, want := range map[string]string{
		"postgres://u:secret@db.example:5432/x?sslmode=require":    "postgres://u@db.example:5432/x",
		"postgresql://db/x?user=u&password=secret":                 "postgresql://db/x",
		"postgres://u:sec%zzret@db/x":                              "postgres://...",
		"postgres://u:secret@h1:1,h2:2/x":                          "postgres://u@h1:1,h2:2/x",
		"postgres://u:12?secret@db/x":                              "postgres://...",
		"postgres://u:12/secret@db/x":                              "postgres://...", // a password that is not escaped
		"s3://bucket/a/b?endpoint=http://127.0.0.1:9000&region=eu": "s3://bucket/a/b",
		"s3://key:secret@bucket":                                   "s3://bucket",
	} {
		if got := shownURL(in); got != want {
			t.Errorf("%s is shown as %s, want %s", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		secret := "SECRET" + rapid.StringN(0, 20, -1).Draw(t, "secret")
		u := url.URL{
			Scheme: rapid.SampledFrom([]string{"postgres", "postgresql", "s3"}).Draw(t, "scheme"), Host: rapid.StringMatching(`[a-z.:,0-9]{0,12}`).Draw(t, "host"),
			Path: "/db", User: url.UserPassword(rapid.StringMatching(`[a-z]{0,5}`).Draw(t, "user"), secret), RawQuery: url.Values{"password": {secret}}.Encode(),
		}
		if got := (storePlace{index: u.String(), blobs: u.String()}).String(); strings.Contains(got, "SECRET") {
			t.Errorf("%s is shown as %s", &u, got)
		}
	})
}

// TestMigratePlace: what --to, --to-index and --to-blobs mean together.
func TestMigratePlace(t *testing.T) {
	const rows, files = "postgres://db/x", "s3://bucket"
	for _, c := range []struct {
		to, index, blobs string
		want             storePlace
		fails            string
	}{
		{to: "dir", want: storePlace{data: "dir"}},
		{to: "dir", index: rows, want: storePlace{data: "dir", index: rows}},
		{to: "dir", blobs: files, want: storePlace{data: "dir", blobs: files}},
		{index: rows, blobs: files, want: storePlace{index: rows, blobs: files}},
		{to: rows, blobs: files, want: storePlace{index: rows, blobs: files}},
		{fails: "needs a place"},
		{to: rows, fails: "where the files go"},
		{index: rows, fails: "where the files go"},
		{blobs: files, fails: "where the rows go"},
		{to: files, blobs: files, fails: "PostgreSQL"},
		{to: rows, index: rows, blobs: files, fails: "two places"},
		{to: "dir", index: "mysql://x", fails: "PostgreSQL"},
		{to: "dir", blobs: "gs://x", fails: "S3"},
	} {
		f := migrateFlags{to: c.to, toIndex: c.index, toBlobs: c.blobs}
		got, err := f.place()
		switch {
		case c.fails == "" && (err != nil || got != c.want):
			t.Errorf("%+v: %+v, %v", c, got, err)
		case c.fails != "" && (err == nil || asFailure("", err).exit != exitUsage || !strings.Contains(asFailure("", err).text(), c.fails)):
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestSamePlace: a store is not copied onto itself, nor onto one of its halves.
func TestSamePlace(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	t.Chdir(dir)
	here := storePlace{data: dir}
	for _, c := range []struct {
		p, q storePlace
		want bool
	}{
		{here, storePlace{data: "."}, true},
		{here, storePlace{data: other}, false},
		{here, storePlace{data: dir, index: "postgres://db/x"}, true}, // the files
		{here, storePlace{data: other, blobs: "s3://b"}, false},
		{storePlace{index: "postgres://db/x", blobs: "s3://b"}, storePlace{index: "postgres://db/x", data: other}, true},
		{storePlace{index: "postgres://db/x", blobs: "s3://b"}, storePlace{index: "postgres://db/y", blobs: "s3://c"}, false},
	} {
		if c.p.same(c.q) != c.want || c.q.same(c.p) != c.want {
			t.Errorf("%+v and %+v: want %v", c.p, c.q, c.want)
		}
	}
}

// TestTypedData: a data directory that was typed holds all; else the environment and the configuration say where rows and files are.
func TestTypedData(t *testing.T) {
	env := map[string]string{"GLOVEBOX_INDEX": "postgres://env/x", "GLOVEBOX_DATA": "env-dir"}
	config := map[string]string{"blobs": "s3://config", "index": "postgres://config/x", "data": "config-dir"}
	for _, c := range []struct {
		args []string
		want storePlace
	}{
		{nil, storePlace{"env-dir", "postgres://env/x", "s3://config"}},
		{[]string{"--data", "typed"}, storePlace{"typed", "", ""}},
		{[]string{"--data", "typed", "--blobs", "s3://typed"}, storePlace{"typed", "", "s3://typed"}},
		{[]string{"--index", "postgres://typed/x"}, storePlace{"env-dir", "postgres://typed/x", "s3://config"}},
		{[]string{"--index", ""}, storePlace{"env-dir", "", "s3://config"}},
	} {
		a := newApp(nil, nil, nil)
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		a.global.register(flags)
		if err := flags.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		if err := configure(flags, func(name string) string { return env[name] }, config); err != nil {
			t.Fatal(err)
		}
		if got := a.store(); got != c.want {
			t.Errorf("%v: %s", c.args, cmp.Diff(c.want, got, cmp.AllowUnexported(storePlace{})))
		}
	}
}

// TestParseRef: the ways to name a file of another session, and nothing else.
func TestParseRef(t *testing.T) {
	for in, ok := range map[string]bool{
		"chat-1/abc":                                         true,
		"chat-1/maka://runtime/attachments/abc":              true,
		`{"source_session_id":"chat-1","material_id":"abc"}`: true,
		`{"source_session_id":"chat-1","material_id":"maka://runtime/attachments/abc","x":1}`: true,
		"":                                false,
		"chat-1":                          false,
		"chat-1/":                         false,
		"/abc":                            false,
		"chat-1/a b":                      false,
		"chat-1/a/b":                      false,
		"../abc":                          false,
		"chat-1/maka://runtime/other/abc": false,
		"maka://runtime/attachments/abc":  false,
		`{"source_session_id":"chat-1"}`:  false,
		`{"source_session_id":"chat-1","material_id":null}`:  false,
		`{"source_session_id":"chat 1","material_id":"abc"}`: false,
		`{`: false,
	} {
		session, id, err := parseRef(in)
		if (err == nil) != ok || ok && (session != "chat-1" || id != "abc") {
			t.Errorf("%q: %q, %q, %v", in, session, id, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.String().Draw(t, "ref")
		session, id, err := parseRef(in)
		if err == nil && (!session.Valid() || !id.Valid()) {
			t.Errorf("%q gives %q and %q", in, session, id)
		}
		if err != nil && readapi.CodeOf(err) != readapi.CodeInvalidRequest && readapi.CodeOf(err) != readapi.CodeInvalidURI {
			t.Errorf("%q: %v", in, err)
		}
	})
}
