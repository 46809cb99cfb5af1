package s3blob

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/minio/minio-go/v7"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
)

func TestMain(m *testing.M) {
	minio.DefaultRetryUnit = time.Millisecond
	os.Exit(m.Run())
}

const testBucket = "attachments"

// server is an S3 server with one empty bucket.
func server(t storetest.T) *httptest.Server {
	backend := s3mem.New()
	if err := backend.CreateBucket(testBucket); err != nil {
		t.Fatalf("%v", err)
	}
	s := httptest.NewUnstartedServer(gofakes3.New(backend).Server())
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // it answers a body that breaks off twice
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func address(s *httptest.Server) string {
	return "s3://" + testBucket + "/some/where?region=eu-test-1&endpoint=" + s.URL
}

func testOptions(t storetest.T) *Options {
	return &Options{AccessKey: "access-key-of-the-test", SecretKey: "secret-key-of-the-test", SpoolDir: t.TempDir(), PartBytes: minPartBytes}
}

func openAt(t storetest.T, s *httptest.Server, transport http.RoundTripper) *Driver {
	o := testOptions(t)
	o.Transport = transport
	d, err := Open(t.Context(), address(s), o)
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func TestConformance(t *testing.T) {
	servers := map[store.BlobDriver]*httptest.Server{}
	storetest.RunBlobs(t, storetest.BlobHarness{
		New: func(t storetest.T) store.BlobDriver {
			s := server(t)
			d := openAt(t, s, nil)
			servers[d] = s
			return d
		},
		Reopen: func(t storetest.T, d store.BlobDriver) store.BlobDriver {
			if err := d.Close(); err != nil {
				t.Errorf("%v", err)
			}
			return openAt(t, servers[d], nil)
		},
		Removed: true,
	})
}

func blobOf(t *testing.T, content []byte) (store.Blob, error) {
	t.Helper()
	b, err := store.NewBlobs(memblob.New(), nil)
	if err != nil {
		return store.Blob{}, err
	}
	blob, _, err := b.Put(t.Context(), bytes.NewReader(content), store.PutOptions{Max: 1 << 30})
	return blob, err
}
