package main

import (
	"context"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/glovebox-wasm/glovebox/host/store/pgindex/pgtest"
	"github.com/glovebox-wasm/glovebox/host/store/s3blob/s3test"
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
	ts.Setenv("AWS_ACCESS_KEY_ID", s3test.AccessKey)
	ts.Setenv("AWS_SECRET_ACCESS_KEY", s3test.SecretKey)
	ts.Setenv(args[0], s3test.URL(inScript{ts}))
}
