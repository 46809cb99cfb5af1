// Package s3test starts an S3 server for tests, in their own process, with one empty bucket in memory.
//
//	driver, err := s3blob.Open(t.Context(), s3test.URL(t), &s3blob.Options{AccessKey: s3test.AccessKey, SecretKey: s3test.SecretKey})
package s3test

import (
	"io"
	"log"
	"net/http/httptest"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// T is what this package needs of a *testing.T or *testing.B.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Keys for the server, which takes any: no message may repeat them.
const (
	AccessKey = "access-key-of-the-test"
	SecretKey = "secret-key-of-the-test"
)

// Bucket is the name of the bucket.
const Bucket = "attachments"

// Start starts a server, which ends with the test.
func Start(t T) *httptest.Server {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket(Bucket); err != nil {
		t.Fatalf("a bucket for the test: %v", err)
	}
	s := httptest.NewUnstartedServer(gofakes3.New(backend).Server())
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // it answers a body that breaks off twice
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// Address is the address of a place in the bucket of s, as s3blob.Open takes it.
func Address(s *httptest.Server) string {
	return "s3://" + Bucket + "/some/where?region=eu-test-1&endpoint=" + s.URL
}

// URL starts a server and returns the address of its bucket.
func URL(t T) string {
	t.Helper()
	return Address(Start(t))
}
