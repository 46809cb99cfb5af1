package pgindex

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex/pgtest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const secret = "hunter2-geheim"

// open1 opens and closes, and sees that no error shows the password, however it is printed.
func open1(t *testing.T, url string, opts *Options) error {
	t.Helper()
	d, err := Open(t.Context(), url, opts)
	if err == nil {
		return d.Close()
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		if s := fmt.Sprintf("%v %+v %#v", e, e, e); strings.Contains(s, secret) {
			t.Errorf("the error shows the password: %s", s)
		}
	}
	e, ok := errors.AsType[*readapi.Error](err)
	if !ok || e.Detail == "" || e.Code == readapi.CodeInternal {
		t.Errorf("%#v, want an error with a sentence", err)
	}
	return err
}

// What is wrong with the place is said at opening, with a code and without the password.
func TestOpenErrors(t *testing.T) {
	s := pgtest.Start(t, &pgtest.Options{Settings: []string{"max_connections=6", "superuser_reserved_connections=3"}})
	err := s.Exec(t.Context(), "CREATE ROLE joe LOGIN PASSWORD '"+secret+"'", "CREATE DATABASE joes OWNER joe", "CREATE DATABASE others",
		"CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' OWNER joe")
	if err != nil {
		t.Fatal(err)
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := closed.Addr().String()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		url  string
		opts *Options
		want readapi.Code
	}{
		"right":             {s.Address("joe", secret, "joes"), nil, ""},
		"wrong password":    {s.Address("joe", secret+"x", "joes"), nil, readapi.CodeCapabilityUnavailable},
		"no such user":      {s.Address("jim", secret, "joes"), nil, readapi.CodeCapabilityUnavailable},
		"no such database":  {s.Address("joe", secret, "absent"), nil, readapi.CodeCapabilityUnavailable},
		"no rights":         {s.Address("joe", secret, "others"), nil, readapi.CodeCapabilityUnavailable},
		"not UTF-8":         {s.Address("joe", secret, "latin"), nil, readapi.CodeCapabilityUnavailable},
		"nobody there":      {"postgres://joe:" + secret + "@" + nobody + "/joes?sslmode=disable", nil, readapi.CodeCapabilityUnavailable},
		"no such host":      {"postgres://joe:" + secret + "@absent.invalid/joes", nil, readapi.CodeCapabilityUnavailable},
		"no URL":            {"postgres://joe:" + secret + "@[::1/joes", nil, readapi.CodeInvalidRequest},
		"no such port":      {"postgres://joe:" + secret + "@localhost:x/joes", nil, readapi.CodeInvalidRequest},
		"no URL by a space": {"password=" + secret + " host", nil, readapi.CodeInvalidRequest},
		"an option":         {s.Address("joe", secret, "joes"), &Options{BusyTimeout: -1}, readapi.CodeInvalidRequest},
	} {
		t.Run(name, func(t *testing.T) {
			if err := open1(t, c.url, c.opts); readapi.CodeOf(err) != c.want {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	t.Run("full", func(t *testing.T) {
		var held []*pgx.Conn
		for range 4 {
			c, err := pgx.Connect(t.Context(), s.Address("joe", secret, "joes"))
			if err != nil {
				break
			}
			held = append(held, c)
		}
		if err := open1(t, s.Address("joe", secret, "joes"), nil); readapi.CodeOf(err) != readapi.CodeBusy {
			t.Errorf("%v, want busy", err)
		}
		for _, c := range held {
			_ = c.Close(t.Context())
		}
	})
}

// A schema of a later version is left alone, and a database that only reads is told from one that is not there.
func TestOpenOthers(t *testing.T) {
	url := pgtest.URL(t)
	d, err := Open(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	x, err := Open(t.Context(), url+"&default_transaction_read_only=on", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.EndLeases(t.Context(), "holder"); readapi.CodeOf(err) != readapi.CodeCapabilityUnavailable {
		t.Errorf("a write where only reading is allowed: %v", err)
	}
	if _, err := d.pool.Exec(t.Context(), "INSERT INTO glovebox.schema_version (version_id, is_applied) VALUES ($1, true)", schemaVersion+1); err != nil {
		t.Fatal(err)
	}
	if err := open1(t, url, nil); readapi.CodeOf(err) != readapi.CodeCapabilityUnavailable {
		t.Errorf("a later schema: %v", err)
	}
}

// Who waits for another's lock is busy after a while, and after a canceled call the driver works.
func TestBusy(t *testing.T) {
	url := pgtest.URL(t)
	d, err := Open(t.Context(), url, &Options{BusyTimeout: 200 * time.Millisecond, Connections: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	scope := readapi.Scope{Principal: "local", Session: "s"}
	add := func(ctx context.Context, id string) error {
		_, err := d.Append(ctx, scope, store.Batch{Events: []store.Event{{ID: id, Type: "user", Time: time.UnixMilli(0), Payload: []byte("1")}}})
		return err
	}
	if err := add(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	other, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close(context.WithoutCancel(t.Context())) }()
	if _, err := other.Exec(t.Context(), "BEGIN; SELECT * FROM glovebox.sessions FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	err = add(t.Context(), "b")
	if e, ok := errors.AsType[*readapi.Error](err); !ok || e.Code != readapi.CodeBusy || e.RetryAfter == 0 {
		t.Errorf("a lock that another holds: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := add(ctx, "c"); readapi.CodeOf(err) != readapi.CodeLimitTime {
		t.Errorf("a deadline: %v", err)
	}
	for range 2 {
		c, err := d.pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Release()
	}
	if _, _, err := d.Session(t.Context(), scope); readapi.CodeOf(err) != readapi.CodeBusy {
		t.Errorf("no connection is free: %v", err)
	}
	if _, err := other.Exec(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	d2, err := Open(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := d2.Events(t.Context(), scope, -1, 10); err != nil || len(list) != 1 {
		t.Errorf("%d events, want the first alone: %v", len(list), err)
	}
	if err := errors.Join(d2.Close(), d2.Close()); err != nil {
		t.Error(err)
	}
	if _, err := d2.Events(t.Context(), scope, -1, 10); readapi.CodeOf(err) != readapi.CodeCapabilityUnavailable {
		t.Errorf("after Close: %v", err)
	}
}

func TestServerErrors(t *testing.T) {
	for code, want := range map[string]readapi.Code{
		"53100": readapi.CodeQuotaExceeded, "53200": readapi.CodeBusy, "53300": readapi.CodeBusy, "40001": readapi.CodeBusy, "40P01": readapi.CodeBusy,
		"55P03": readapi.CodeBusy, "57014": readapi.CodeBusy, "57P01": readapi.CodeBusy, "57P03": readapi.CodeBusy, "08006": readapi.CodeBusy,
		"25P03": readapi.CodeBusy, "28P01": readapi.CodeCapabilityUnavailable, "28000": readapi.CodeCapabilityUnavailable,
		"3D000": readapi.CodeCapabilityUnavailable, "42501": readapi.CodeCapabilityUnavailable, "25006": readapi.CodeCapabilityUnavailable,
		"58030": readapi.CodeCapabilityUnavailable, "XX001": readapi.CodeCorrupt, "XX002": readapi.CodeCorrupt, "42P01": readapi.CodeCorrupt,
		"23505": readapi.CodeCorrupt, "54000": readapi.CodeTooLarge, "XX000": readapi.CodeInternal, "": readapi.CodeInternal,
	} {
		err := driverError(t.Context(), fmt.Errorf("somewhere: %w", &pgconn.PgError{Code: code}))
		if got := readapi.CodeOf(err); got != want {
			t.Errorf("%q: %s, want %s", code, got, want)
		}
	}
	for _, err := range []error{io.ErrUnexpectedEOF, net.ErrClosed, &net.OpError{Op: "read", Err: errors.New("reset")}} {
		if got := readapi.CodeOf(driverError(t.Context(), err)); got != readapi.CodeBusy {
			t.Errorf("%v: %s, want busy", err, got)
		}
		if passing(err, false) || !passing(err, true) {
			t.Errorf("%v: a step that may not be done twice is tried again, or one that may is not", err)
		}
	}
}
