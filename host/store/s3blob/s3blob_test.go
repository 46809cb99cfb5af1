package s3blob

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/host/store/s3blob/s3test"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
)

func TestMain(m *testing.M) {
	minio.DefaultRetryUnit = time.Millisecond
	os.Exit(m.Run())
}

func testOptions(t storetest.T) *Options {
	return &Options{AccessKey: s3test.AccessKey, SecretKey: s3test.SecretKey, SpoolDir: t.TempDir(), PartBytes: minPartBytes}
}

func openAt(t storetest.T, s *httptest.Server, transport http.RoundTripper) *Driver {
	o := testOptions(t)
	o.Transport = transport
	d, err := Open(t.Context(), s3test.Address(s), o)
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
			s := s3test.Start(t)
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
