package main

import (
	"context"
	"net/http/httptest"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/glovebox-wasm/glovebox/host/store/pgindex/pgtest"
)

// inScript is a script as a test.
type inScript struct{ *testscript.TestScript }

func (inScript) Helper() {}

func (inScript) Context() context.Context { return context.Background() }

func (s inScript) Cleanup(f func()) { s.Defer(f) }

// cmdPostgres makes an empty database.
func cmdPostgres(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: postgres VAR")
	}
	ts.Setenv(args[0], pgtest.URL(inScript{ts}))
}

// cmdBucket starts an S3 server with one empty bucket.
func cmdBucket(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: bucket VAR")
	}
	backend := s3mem.New()
	ts.Check(backend.CreateBucket("files"))
	s := httptest.NewServer(gofakes3.New(backend).Server())
	ts.Defer(s.Close)
	ts.Setenv("AWS_ACCESS_KEY_ID", "access-key-of-the-test")
	ts.Setenv("AWS_SECRET_ACCESS_KEY", "secret-key-of-the-test")
	ts.Setenv(args[0], "s3://files/glovebox?region=eu-test-1&endpoint="+s.URL)
}
