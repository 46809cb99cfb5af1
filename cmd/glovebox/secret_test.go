package main

import (
	"bytes"
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/adrg/xdg"

	"github.com/glovebox-wasm/glovebox/host/store/pgindex/pgtest"
)

// TestPasswordOfDatabase: a password opens the database, from the URL and from where PostgreSQL's own programs take it, and is shown nowhere.
func TestPasswordOfDatabase(t *testing.T) {
	const password = "hidden-one"
	s := pgtest.Start(t, nil)
	if err := s.Exec(t.Context(), "CREATE ROLE keeper LOGIN PASSWORD '"+password+"'", "CREATE DATABASE kept OWNER keeper"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_DIRS", t.TempDir())
	xdg.Reload()
	right := s.Address("keeper", password, "kept")
	wrong := s.Address("keeper", password+"x", "kept")
	u, err := url.Parse(right)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User("keeper")
	none := u.String()
	data := t.TempDir()
	run := func(index string, args ...string) (int, string) {
		var out bytes.Buffer
		a := newApp(strings.NewReader(""), &out, &out)
		a.getenv = func(name string) string {
			return map[string]string{"GLOVEBOX_INDEX": index, "GLOVEBOX_DATA": data, "GLOVEBOX_CACHE": testCache(t)}[name]
		}
		code := a.run(context.WithoutCancel(t.Context()), args)
		return code, out.String()
	}
	for _, c := range []struct {
		index string
		env   string // PGPASSWORD
		want  int
	}{
		{right, "", exitOK}, {none, password, exitOK}, {wrong, "", exitEnvironment}, {none, password + "x", exitEnvironment}, {none, "", exitEnvironment},
	} {
		t.Setenv("PGPASSWORD", c.env)
		for _, line := range []string{"session list", "session list --deleted --json", "doctor", "doctor --json", "fsck", "gc --json"} {
			code, shown := run(c.index, strings.Fields(line)...)
			if code != c.want {
				t.Errorf("%s: exit code %d, want %d: %s", line, code, c.want, shown)
			}
			if strings.Contains(shown, password) {
				t.Errorf("%s shows the password: %s", line, shown)
			}
		}
	}
}
