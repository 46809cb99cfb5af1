package s3blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/s3blob/s3test"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// faulty fails requests in one way, from the one with the number first (from 1) on, as many as count.
type faulty struct {
	how func(next http.RoundTripper, req *http.Request) (*http.Response, error)

	mu           sync.Mutex
	first, count int
	seen         int
}

func (f *faulty) arm(first, count int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.first, f.count, f.seen = first, count, 0
}

// hit reports whether a request was failed since arm.
func (f *faulty) hit() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.first > 0 && f.seen >= f.first
}

func (f *faulty) RoundTrip(req *http.Request) (*http.Response, error) {
	f.mu.Lock()
	f.seen++
	fails := f.first > 0 && f.seen >= f.first && f.seen < f.first+f.count
	f.mu.Unlock()
	if fails {
		return f.how(http.DefaultTransport, req)
	}
	return http.DefaultTransport.RoundTrip(req)
}

func answer(req *http.Request, status int, code string) (*http.Response, error) {
	if req.Body != nil {
		_, _ = io.Copy(io.Discard, req.Body)
		_ = req.Body.Close()
	}
	body := "<Error><Code>" + code + "</Code><Message>secret-key-of-the-test</Message></Error>"
	return &http.Response{StatusCode: status, Status: fmt.Sprint(status), Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
}

// cutBody ends early, as a connection does that breaks.
type cutBody struct {
	io.ReadCloser
	left int
}

func (c *cutBody) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := c.ReadCloser.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

var faults = map[string]struct {
	how  func(next http.RoundTripper, req *http.Request) (*http.Response, error)
	want readapi.Code
}{
	"refused": {func(http.RoundTripper, *http.Request) (*http.Response, error) { return nil, syscall.ECONNREFUSED }, readapi.CodeBusy},
	"timeout": {func(http.RoundTripper, *http.Request) (*http.Response, error) { return nil, context.DeadlineExceeded }, readapi.CodeBusy},
	"500": {func(_ http.RoundTripper, req *http.Request) (*http.Response, error) {
		return answer(req, 500, "InternalError")
	}, readapi.CodeBusy},
	"403": {func(_ http.RoundTripper, req *http.Request) (*http.Response, error) {
		return answer(req, 403, "AccessDenied")
	}, readapi.CodeCapabilityUnavailable},
	"cut body": {func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(req)
		if err == nil {
			resp.Body = &cutBody{resp.Body, 10}
		}
		return resp, err
	}, readapi.CodeBusy},
	"lost answer": {func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		return nil, errors.Join(syscall.ECONNRESET, err)
	}, readapi.CodeBusy},
}

// What the bucket answers has one meaning, and its words go no further.
func TestAnswers(t *testing.T) {
	s := s3test.Start(t)
	for _, c := range []struct {
		status int
		code   string
		want   readapi.Code
	}{
		{401, "InvalidToken", readapi.CodeCapabilityUnavailable}, {403, "AccessDenied", readapi.CodeCapabilityUnavailable},
		{403, "RequestTimeTooSkewed", readapi.CodeCapabilityUnavailable}, {400, "AuthorizationHeaderMalformed", readapi.CodeCapabilityUnavailable},
		{404, "NoSuchBucket", readapi.CodeCapabilityUnavailable}, {301, "PermanentRedirect", readapi.CodeCapabilityUnavailable},
		{503, "SlowDown", readapi.CodeBusy}, {503, "ServiceUnavailable", readapi.CodeBusy}, {500, "InternalError", readapi.CodeBusy},
		{502, "BadGateway", readapi.CodeBusy}, {429, "TooManyRequests", readapi.CodeBusy}, {400, "RequestTimeout", readapi.CodeBusy},
		{400, "BadDigest", readapi.CodeBusy}, {400, "XAmzContentSHA256Mismatch", readapi.CodeBusy},
		{507, "XMinioStorageFull", readapi.CodeQuotaExceeded}, {400, "InvalidRequest", readapi.CodeCapabilityUnavailable},
	} {
		f := &faulty{how: func(_ http.RoundTripper, req *http.Request) (*http.Response, error) {
			return answer(req, c.status, c.code)
		}}
		d, _ := openFaulty(t, s, f, 2)
		b, err := store.NewBlobs(d, nil)
		if err != nil {
			t.Fatal(err)
		}
		blob, err := blobOf(t, []byte("x"))
		if err != nil {
			t.Fatal(err)
		}
		f.arm(1, 100)
		for _, op := range []string{"put", "read", "remove", "list"} {
			err := operations([]byte("x"))[op](t.Context(), b, blob)
			e, ok := errors.AsType[*readapi.Error](err)
			if !ok || e.Code != c.want || strings.Contains(e.Message(), "secret") || e.Detail == "" || c.want == readapi.CodeBusy && e.RetryAfter == 0 {
				t.Errorf("%d %s, %s: %v, want %s", c.status, c.code, op, err, c.want)
			}
		}
	}
}

// operations are what a host does with blobs. content is what is there before read, remove and list.
func operations(content []byte) map[string]func(ctx context.Context, b *store.Blobs, blob store.Blob) error {
	return map[string]func(ctx context.Context, b *store.Blobs, blob store.Blob) error{
		"put": func(ctx context.Context, b *store.Blobs, blob store.Blob) error {
			_, _, err := b.Put(ctx, bytes.NewReader(content), store.PutOptions{Max: 1 << 30})
			return err
		},
		"read": func(ctx context.Context, b *store.Blobs, blob store.Blob) error {
			o, err := b.Open(ctx, blob)
			if err != nil {
				return err
			}
			defer o.Close()
			if err := o.Verify(ctx); err != nil {
				return err
			}
			got, err := io.ReadAll(io.NewSectionReader(o, 0, o.Size()))
			if err == nil && !bytes.Equal(got, content) {
				return errors.New("other bytes")
			}
			return err
		},
		"stat": func(ctx context.Context, b *store.Blobs, blob store.Blob) error {
			_, err := b.Stat(ctx, blob.SHA256)
			return err
		},
		"remove": func(ctx context.Context, b *store.Blobs, blob store.Blob) error { return b.Remove(ctx, blob.SHA256) },
		"list": func(ctx context.Context, b *store.Blobs, blob store.Blob) error {
			n := 0
			for _, err := range b.List(ctx) {
				if err != nil {
					return err
				}
				n++
			}
			if n != 3 {
				return fmt.Errorf("%d blobs are listed", n)
			}
			return nil
		},
	}
}

// Whichever request fails, and however: the caller is told by a code, or it was done after all; what is under the name is whole; what is
// beside it stays; the same call works as soon as the bucket does; and nothing of a write that failed stays behind a sweep.
func TestEveryRequestFails(t *testing.T) {
	const most = 20 // more requests than any operation has
	for size, content := range map[string][]byte{"small": bytes.Repeat([]byte("small "), 100), "large": bytes.Repeat([]byte("a large one "), 200_000)} {
		for op, run := range operations(content) {
			for name, f := range faults {
				for _, count := range []int{1, most} {
					if count == 1 && f.want != readapi.CodeBusy {
						continue // it is not tried again, so that once is as good as always
					}
					k := 1
					for ; k <= most; k++ {
						if !failAt(t, fmt.Sprintf("%s, %s, %s at %d, %d times", size, op, name, k, count), op, content, run, f.how, f.want, k, count) {
							break
						}
					}
					if k == 1 || k > most {
						t.Errorf("%s, %s, %s: request %d was never sent, or was not the last", size, op, name, k)
					}
				}
			}
		}
	}
}

// failAt reports whether the operation sent the request number k.
func failAt(t *testing.T, name, op string, content []byte, run func(context.Context, *store.Blobs, store.Blob) error,
	how func(http.RoundTripper, *http.Request) (*http.Response, error), want readapi.Code, k, count int,
) bool {
	s := s3test.Start(t)
	defer s.Close()
	f := &faulty{how: how}
	d, spool := openFaulty(t, s, f, 2)
	b, err := store.NewBlobs(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if _, _, err := b.Put(t.Context(), strings.NewReader(fmt.Sprint("beside ", i)), store.PutOptions{Max: 100}); err != nil {
			t.Fatal(err)
		}
	}
	blob, err := blobOf(t, content)
	if op != "put" {
		_, _, err = b.Put(t.Context(), bytes.NewReader(content), store.PutOptions{Max: 1 << 30})
	}
	if err != nil {
		t.Fatal(err)
	}
	f.arm(k, count)
	err = run(t.Context(), b, blob)
	hit := f.hit()
	f.arm(0, 0)
	if err != nil && count == 1 && !strings.Contains(name, "cut body") {
		t.Errorf("%s: one request fails, and the next is not tried: %v", name, err)
	}
	if err != nil && (!hit || readapi.CodeOf(err) != want) {
		t.Errorf("%s: %v, want %s", name, err, want)
	}
	if e, ok := errors.AsType[*readapi.Error](err); ok && (strings.Contains(e.Message(), "secret") || strings.Contains(e.Message(), "http") || e.Detail == "" || e.Op == "") {
		t.Errorf("%s: the message is %q", name, e.Message())
	}
	whole := operations(content)["read"](t.Context(), b, blob)
	if op == "put" && err == nil || op == "read" || op == "list" || op == "stat" {
		if whole != nil {
			t.Errorf("%s: afterwards: %v", name, whole)
		}
	} else if whole != nil && readapi.CodeOf(whole) != readapi.CodeCorrupt {
		t.Errorf("%s: what is there afterwards: %v", name, whole)
	}
	again(t, name, d, b, blob, content, spool)
	return hit
}

// again checks that all is well once nothing fails any more.
func again(t *testing.T, name string, d *Driver, b *store.Blobs, blob store.Blob, content []byte, spool string) {
	t.Helper()
	if _, err := d.Sweep(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Errorf("%s: sweep: %v", name, err)
	}
	if n, err := d.Sweep(t.Context(), time.Now().Add(time.Hour)); n != 0 || err != nil {
		t.Errorf("%s: %d uploads are left behind a sweep: %v", name, n, err)
	}
	if left, err := os.ReadDir(spool); len(left) != 0 || err != nil {
		t.Errorf("%s: %d files are left in the spool: %v", name, len(left), err)
	}
	for _, op := range []string{"put", "read", "list"} {
		if err := operations(content)[op](t.Context(), b, blob); err != nil {
			t.Errorf("%s: %s again: %v", name, op, err)
		}
	}
}

// openFaulty opens the bucket of s through f; the driver sends parts of 1 MiB and pages of two.
func openFaulty(t *testing.T, s *httptest.Server, f http.RoundTripper, attempts int) (*Driver, string) {
	t.Helper()
	o := testOptions(t)
	o.Transport, o.Attempts = f, attempts
	d, err := Open(t.Context(), s3test.Address(s), o)
	if err != nil {
		t.Fatal(err)
	}
	d.partBytes, d.pageSize = 1<<20, 2
	return d, o.SpoolDir
}
