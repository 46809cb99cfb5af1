package pgtest_test

import (
	"bufio"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/glovebox-wasm/glovebox/host/store/pgindex/pgtest"
)

// TestChild is what the tests below run in a process of its own: it starts a server, says where, and waits to be ended.
func TestChild(t *testing.T) {
	if os.Getenv("PGTEST_CHILD") == "" {
		return
	}
	u, err := url.Parse(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%s\n", u.Query().Get("host"))
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	os.Exit(3) // without the test's own end
}

// The server and its folder go with the process: when it ends by itself, and when it is killed.
func TestServerGoes(t *testing.T) {
	for name, end := range map[string]func(*exec.Cmd) error{
		"killed": func(c *exec.Cmd) error { return c.Process.Kill() },
		"ended":  func(*exec.Cmd) error { return nil }, // its input is at its end
	} {
		t.Run(name, func(t *testing.T) {
			c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$")
			c.Env = append(os.Environ(), "PGTEST_CHILD=1")
			in, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			folder, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			folder = folder[:len(folder)-1]
			if _, err := os.Stat(folder); err != nil {
				t.Fatal(err)
			}
			if err := end(c); err != nil {
				t.Fatal(err)
			}
			_ = in.Close()
			_ = c.Wait() // it says how it ended
			for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
				if _, err := os.Stat(folder); os.IsNotExist(err) {
					return
				}
				if time.Now().After(deadline) {
					t.Fatalf("the server's folder is still there")
				}
			}
		})
	}
}

// Each URL is an empty database of its own, on one server.
func TestURL(t *testing.T) {
	a, b := pgtest.URL(t), pgtest.URL(t)
	for _, u := range []string{a, b} {
		c, err := pgx.Connect(t.Context(), u)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Exec(t.Context(), "CREATE TABLE mine (x int)"); err != nil {
			t.Errorf("it is not empty: %v", err)
		}
		// Without saying so, texts are not in the order of their bytes: a driver must not rely on it.
		var first string
		if err := c.QueryRow(t.Context(), "SELECT min(v) FROM (VALUES ('a'), ('B')) AS t (v)").Scan(&first); err != nil || first != "a" {
			t.Errorf("the first of a and B is %q: %v", first, err)
		}
		_ = c.Close(t.Context())
	}
}
