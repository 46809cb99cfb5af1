// Package pgtest starts a PostgreSQL for tests, from the programs that Debian's package postgresql installs.
//
//	driver, err := pgindex.Open(t.Context(), pgtest.URL(t), nil)
//
// All tests of a process share one server, and each has a database of its own. The server ends with the process, however that ends.
package pgtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// T is what this package needs of a *testing.T or *testing.B.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
	Context() context.Context
	Cleanup(func())
}

// Options of a Server; nil means all defaults.
type Options struct {
	Durable  bool     // commits wait for the disk, as they do in earnest
	Settings []string // of the server, as in postgresql.conf: "max_connections=5"
}

// Server is a running PostgreSQL.
type Server struct {
	folder string
	opts   Options
	ender  *os.File // the server ends when this is closed
	cmd    *exec.Cmd
}

// install is what to do about a server that is missing.
const install = "install Debian's package postgresql (apt-get install postgresql), version 15 or newer"

// shared is the server of the process. What starts it keeps it: nothing but the end of the process closes it.
var shared = sync.OnceValues(func() (*Server, error) { return start(Options{}) })

// URL makes an empty database on the server that the process shares, and returns its address. It is dropped when the test ends.
func URL(t T) string {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatalf("%v", err)
	}
	return s.URL(t)
}

// Start starts a server for one test, which stops it when it ends.
func Start(t T, opts *Options) *Server {
	t.Helper()
	var o Options
	if opts != nil {
		o = *opts
	}
	s, err := start(o)
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(s.stop)
	return s
}

// URL makes an empty database and returns its address. It is dropped when the test ends, if the server is there then.
func (s *Server) URL(t T) string {
	t.Helper()
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	name := "t" + hex.EncodeToString(b[:])
	if err := s.Exec(t.Context(), "CREATE DATABASE "+name+" STRATEGY file_copy"); err != nil {
		t.Fatalf("a database for the test: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = s.Exec(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)") // it goes with the server, too
	})
	return s.url(name)
}

// Address is the address of a database for another user than the one whom the server trusts: one who needs a password.
func (s *Server) Address(user, password, database string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword(user, password), Host: "", Path: "/" + database, RawQuery: url.Values{"host": {s.folder}}.Encode()}
	return u.String()
}

func (s *Server) url(database string) string {
	return (&url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/" + database, RawQuery: url.Values{"host": {s.folder}}.Encode()}).String()
}

// superuser is trusted without a password; everybody else needs one.
const superuser = "tester"

// Exec runs statements as the superuser, in the database postgres.
func (s *Server) Exec(ctx context.Context, statements ...string) error {
	c, err := pgx.Connect(ctx, s.url("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	for _, statement := range statements {
		if _, err := c.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// bin is the folder of the newest server's programs; "" when there is none.
func bin() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres") // the pattern is well formed
	newest, best := "", 0
	for _, name := range found {
		folder := filepath.Dir(name)
		if v, err := strconv.Atoi(filepath.Base(filepath.Dir(folder))); err == nil && v > best {
			newest, best = folder, v
		}
	}
	return newest
}

// watch runs a server until its own standard input ends, which it does when the test's process is gone, too. Then the folder goes.
const watch = `"$0/postgres" -D "$1/data" -k "$1" "${@:2}" & server=$!
while read -r _; do :; done
kill -QUIT $server 2>/dev/null; wait $server
rm -rf "$1"`

func start(o Options) (_ *Server, err error) {
	programs := bin()
	if programs == "" {
		return nil, fmt.Errorf("there is no PostgreSQL on this machine: %s", install)
	}
	// Not in TMPDIR, which may be too long for the address of a socket.
	folder, err := os.MkdirTemp("/tmp", "glovebox-pg-")
	if err != nil {
		return nil, err
	}
	s := &Server{folder: folder, opts: o}
	defer func() {
		if err != nil {
			s.stop()
			_ = os.RemoveAll(folder)
		}
	}()
	if err := handOver(folder); err != nil {
		return nil, err
	}
	// The order of another language than C, so that a query which relies on the default order is found out.
	initdb := exec.Command(filepath.Join(programs, "initdb"), "-D", filepath.Join(folder, "data"), "-U", superuser, "--no-sync", "--encoding=UTF8",
		"--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US")
	become(initdb)
	initdb.Dir = folder
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	rights := "local all " + superuser + " trust\nlocal all all scram-sha-256\n"
	if err := os.WriteFile(filepath.Join(folder, "data", "pg_hba.conf"), []byte(rights), 0o600); err != nil {
		return nil, err
	}
	return s, s.Start()
}

// Start starts a server again that was stopped by Kill, and waits until it answers.
func (s *Server) Start() error {
	settings := []string{
		"listen_addresses=", "unix_socket_permissions=0777", "max_connections=200", "shared_buffers=64MB", "autovacuum_naptime=5s",
		"log_statement_sample_rate=0", "fsync=off", "full_page_writes=off", "synchronous_commit=on",
	}
	if s.opts.Durable {
		settings = append(settings, "fsync=on", "full_page_writes=on")
	}
	args := []string{"-c", watch, bin(), s.folder}
	for _, setting := range append(settings, s.opts.Settings...) {
		args = append(args, "-c", setting)
	}
	end, ender, err := os.Pipe()
	if err != nil {
		return err
	}
	defer end.Close()
	log, err := os.OpenFile(filepath.Join(s.folder, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	s.cmd = exec.Command("bash", args...)
	s.cmd.Dir, s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = s.folder, end, log, log
	become(s.cmd)
	if err := s.cmd.Start(); err != nil {
		_ = ender.Close()
		return err
	}
	s.ender = ender
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		err := s.Exec(ctx)
		cancel()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			text, _ := os.ReadFile(filepath.Join(s.folder, "log")) // without it there is less to say
			return fmt.Errorf("PostgreSQL does not answer: %w\n%s", err, text)
		}
	}
}

// stop ends the server and removes its folder.
func (s *Server) stop() {
	if s.ender == nil {
		return
	}
	_ = s.ender.Close()
	s.ender = nil
	_ = s.cmd.Wait()
}

// Kill ends the server as the loss of power would, and keeps its folder, for Start.
func (s *Server) Kill() error {
	text, err := os.ReadFile(filepath.Join(s.folder, "data", "postmaster.pid"))
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		return err
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	if err := s.cmd.Process.Kill(); err != nil { // the watcher, which would remove the folder
		return err
	}
	_ = s.cmd.Wait() // it was killed
	_ = s.ender.Close()
	s.ender = nil
	if err := p.Kill(); err != nil {
		return err
	}
	// Its children notice; a new one cannot start before they have gone.
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if p.Signal(alive) != nil {
			return os.Remove(filepath.Join(s.folder, "data", "postmaster.pid"))
		}
	}
	return fmt.Errorf("the server did not end")
}
