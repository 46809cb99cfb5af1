package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store"
)

// TestAge: lengths of time as people write them, and back.
func TestAge(t *testing.T) {
	for in, want := range map[string]time.Duration{"90m": 90 * time.Minute, "48h": 48 * time.Hour, "7d": 7 * 24 * time.Hour, "1ms": time.Millisecond, "100000d": 100_000 * 24 * time.Hour} {
		if got, ok := parseAge(in); !ok || got != want {
			t.Errorf("%q is %v, %v", in, got, ok)
		}
	}
	for _, in := range []string{"", "0", "0d", "-1h", "d", "1.5d", "100001d", "18446744073709551616d", "soon", "7 d", "5"} {
		if got, ok := parseAge(in); ok {
			t.Errorf("%q is %v", in, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		want := age(rapid.Int64Range(1, 100_000*24*int64(time.Hour)).Draw(t, "age"))
		var got age
		if err := got.Set(want.String()); err != nil || got != want {
			t.Errorf("%d is shown as %s, which is %d: %v", want, want.String(), got, err)
		}
	})
}

// TestConfigTables: what the tables of the configuration become.
func TestConfigTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	const text = `
jobs = 3
[quota]
session_bytes = "2MiB"
principal_files = 7
[[retention]]
session = "chat-1"
keep = true
[[retention]]
principal = "p"
session = "*"
source = "generated"
ttl = "30d"
[[retention]]
after_delete = "12h"
max_bytes = 1000
[gc]
grace = "2h"
max_bytes = "1GiB"
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := loadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	want := config{
		flags: map[string]string{"jobs": "3", "quota-session-bytes": "2MiB", "quota-principal-files": "7", "gc-grace": "2h", "gc-max-bytes": "1GiB"},
		retention: []retain.Rule{
			{Session: "chat-1", Keep: true},
			{Principal: "p", Source: store.SourceGenerated, TTL: 30 * 24 * time.Hour},
			{AfterDelete: 12 * time.Hour, SessionBytes: 1000},
		},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(config{})); diff != "" {
		t.Error(diff)
	}

	a := newApp(nil, nil, nil)
	a.config = got
	a.getenv = func(name string) string {
		return map[string]string{"GLOVEBOX_QUOTA_SESSION_BYTES": "5", "GLOVEBOX_GC_TTL": "3d"}[name]
	}
	quota, err := a.quota()
	if want := (store.Quota{SessionBytes: 5, PrincipalFiles: 7}); err != nil || quota != want {
		t.Errorf("%+v, %v", quota, err)
	}
	var flags sweepFlags
	typed := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.register(typed, "")
	if err := typed.Parse([]string{"--max-bytes", "9"}); err != nil {
		t.Fatal(err)
	}
	opts, err := a.collecting(typed, &flags)
	if err != nil || opts.MaxBytes != 9 || opts.Grace != 2*time.Hour || opts.CacheBytes != defaultMaxCache || len(opts.Policy) != 4 || opts.Policy[3] != (retain.Rule{TTL: 3 * 24 * time.Hour}) {
		t.Errorf("%+v, %v", opts, err)
	}
	if len(a.config.retention) != 3 {
		t.Error("the rule of the flags became one of the configuration")
	}
}

// TestConfigRefuses: what is no table of the configuration; what each says, the scripts show.
func TestConfigRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	for _, text := range []string{
		"quota = 3", "[quota]\nbytes = 3", "[quota]\nsession_bytes = -3", "[quota]\nsession_files = \"many\"", "[quota.deep]\nsession_bytes = 3", "quota_session_bytes = 3",
		"[gc]\nttl = 3", "[gc]\ndry_run = true", "[other]\nx = 1", "[retention]\nttl = \"3d\"", "retention = [1]", "[[retention]]", "[[retention]]\nttl = \"-3d\"",
		"[[retention]]\nkeep = \"maybe\"", "[[retention]]\nkeep = false", "[[retention]]\nmax_bytes = 0", "[[retention]]\nprincipal = \"a b\"\nttl = \"1h\"",
		"[[retention]]\nttl = [\"1h\"]", "index = \"mysql://x\"", "blobs = \"/tmp\"",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := loadConfig(path); err == nil || asFailure("", err).exit != exitEnvironment {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}
