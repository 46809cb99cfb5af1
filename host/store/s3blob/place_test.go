package s3blob

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/s3blob/s3test"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// An address says where the bucket is and nothing else, and no error repeats a part of it.
func TestAddress(t *testing.T) {
	for address, want := range map[string]place{
		"s3://bucket": {"bucket", "", "s3.amazonaws.com", "us-east-1", true, false},
		"s3://bucket/a/b/?endpoint=http://localhost:9000&region=eu-1": {"bucket", "a/b", "localhost:9000", "eu-1", false, true},
		"s3://my.bucket/?endpoint=https://s3.example.com/":            {"my.bucket", "", "s3.example.com", "us-east-1", true, true},
	} {
		if got, err := parse(address); err != nil || got != want {
			t.Errorf("%s: %+v, %v", address, got, err)
		}
	}
	for _, address := range []string{
		"", "bucket", "http://bucket", "s3:bucket", "s3://", "s3://UPPER", "s3://b", "s3://bucket:80/x", "s3://bucket/a//b", "s3://bucket/../b",
		"s3://SECRET:SECRET@bucket", "s3://SECRET@bucket", "s3://bucket?endpoint=http://SECRET:SECRET@localhost", "s3://bucket?endpoint=localhost:9000",
		"s3://bucket?endpoint=ftp://localhost", "s3://bucket?endpoint=http://localhost/path", "s3://bucket?region=", "s3://bucket?secret=SECRET",
		"s3://bucket#SECRET", "s3://bucket?region=a&region=b", "s3://bucket?%zz", "://SECRET",
	} {
		_, err := Open(t.Context(), address, testOptions(t))
		if readapi.CodeOf(err) != readapi.CodeInvalidRequest || strings.Contains(fmt.Sprint(err), "SECRET") {
			t.Errorf("%s: %v, want invalid_request without a word of it", address, err)
		}
	}
}

func TestOptions(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	s := s3test.Start(t)
	for name, c := range map[string]struct {
		opts *Options
		want readapi.Code
	}{
		"no keys":         {nil, readapi.CodeCapabilityUnavailable},
		"one key":         {&Options{AccessKey: "a"}, readapi.CodeInvalidRequest},
		"a negative time": {&Options{AccessKey: "a", SecretKey: "b", Timeout: -1}, readapi.CodeInvalidRequest},
		"small parts":     {&Options{AccessKey: "a", SecretKey: "b", PartBytes: 1 << 20}, readapi.CodeInvalidRequest},
		"keys":            {&Options{AccessKey: "a", SecretKey: "b"}, ""},
	} {
		d, err := Open(t.Context(), s3test.Address(s), c.opts)
		if readapi.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if err == nil {
			_ = d.Close()
		}
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "a")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	d, err := Open(t.Context(), s3test.Address(s), nil)
	if err != nil {
		t.Fatalf("keys of the environment: %v", err)
	}
	_ = d.Close()
	_, err = Open(t.Context(), strings.Replace(s3test.Address(s), s3test.Bucket, "another-bucket", 1), nil)
	if e, ok := errors.AsType[*readapi.Error](err); !ok || e.Code != readapi.CodeCapabilityUnavailable || e.Hint == "" {
		t.Errorf("no such bucket: %v", err)
	}
}

// A server that falls silent, in the middle of an answer too, is busy after the time that the options say, and ends with the caller's
// context before that.
func TestSilentServer(t *testing.T) {
	s := s3test.Start(t)
	content := bytes.Repeat([]byte("0123456789"), 1000)
	blob, err := blobOf(t, content)
	if err != nil {
		t.Fatal(err)
	}
	for name, how := range map[string]func(http.RoundTripper, *http.Request) (*http.Response, error){
		"no answer": func(_ http.RoundTripper, req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		},
		"half an answer": func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(req)
			if err == nil {
				resp.Body = &stuckBody{resp.Body, req.Context()}
			}
			return resp, err
		},
	} {
		for _, timeout := range []time.Duration{50 * time.Millisecond, time.Hour} {
			d, _ := openFaulty(t, s, http.DefaultTransport, 2)
			b, err := store.NewBlobs(d, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := operations(content)["put"](t.Context(), b, blob); err != nil {
				t.Fatal(err)
			}
			f := &faulty{how: how, first: 1, count: 1000}
			o := testOptions(t)
			o.Transport, o.Attempts, o.Timeout = http.DefaultTransport, 2, timeout
			if d, err = Open(t.Context(), s3test.Address(s), o); err != nil {
				t.Fatal(err)
			}
			client, err := minio.New(s.Listener.Addr().String(), &minio.Options{Region: "eu-test-1", MaxRetries: 2, Transport: timed{f, timeout}})
			if err != nil {
				t.Fatal(err)
			}
			d.core.Client = client
			ctx, cancel := context.WithCancel(t.Context())
			want := readapi.CodeBusy
			if timeout == time.Hour {
				want = readapi.CodeCanceled
				time.AfterFunc(50*time.Millisecond, cancel)
			}
			r, err := d.Open(ctx, blob.SHA256)
			if readapi.CodeOf(err) != want {
				t.Errorf("%s, %v: %v, want %s", name, timeout, err, want)
			}
			if err == nil {
				_ = r.Close()
			}
			cancel()
		}
	}
}

// stuckBody gives a few bytes and then waits for the end of the request.
type stuckBody struct {
	io.ReadCloser
	ctx context.Context
}

func (b *stuckBody) Read(p []byte) (int, error) {
	<-b.ctx.Done()
	return 0, b.ctx.Err()
}

// What is damaged is mended by storing the bytes again, also where its size is right; what is whole is not sent again.
func TestMend(t *testing.T) {
	s := s3test.Start(t)
	for size, content := range map[string][]byte{"small": []byte("0123456789"), "large": bytes.Repeat([]byte("0123456789"), 300_000)} {
		f := &faulty{}
		d, _ := openFaulty(t, s, f, 2)
		b, err := store.NewBlobs(d, nil)
		if err != nil {
			t.Fatal(err)
		}
		blob, err := blobOf(t, content)
		if err != nil {
			t.Fatal(err)
		}
		for name, there := range map[string][]byte{"nothing": nil, "other bytes": bytes.ToUpper(append([]byte("a"), content[1:]...)), "half of it": content[:len(content)/2]} {
			if there != nil {
				if _, err := d.core.Client.PutObject(t.Context(), d.bucket, d.key(blob.SHA256), bytes.NewReader(there), int64(len(there)), minio.PutObjectOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			for _, op := range []string{"put", "read"} {
				if err := operations(content)[op](t.Context(), b, blob); err != nil {
					t.Errorf("%s, %s: %s: %v", size, name, op, err)
				}
			}
		}
		f.arm(0, 0)
		if err := operations(content)["put"](t.Context(), b, blob); err != nil || f.seen > 2 {
			t.Errorf("%s: storing what is there takes %d requests: %v", size, f.seen, err)
		}
	}
}

// Every request with bytes has their digests, for the server to compare, and the one that gives them their name has the condition.
func TestWhatIsSent(t *testing.T) {
	s := s3test.Start(t)
	c := &checking{t: t}
	d, _ := openFaulty(t, s, c, 2)
	b, err := store.NewBlobs(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []int{0, 10, 3 << 20} {
		content := bytes.Repeat([]byte("x"), c)
		blob, err := blobOf(t, content)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range []string{"put", "put", "read"} {
			if err := operations(content)[op](t.Context(), b, blob); err != nil {
				t.Errorf("%d bytes: %s: %v", len(content), op, err)
			}
		}
	}
	if c.names < 3 || c.parts != 3 {
		t.Errorf("%d requests gave a name, %d were parts", c.names, c.parts)
	}
}

type checking struct {
	t            *testing.T
	names, parts int
}

func (c *checking) RoundTrip(req *http.Request) (*http.Response, error) {
	query, body := req.URL.Query(), []byte(nil)
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	part, completes := query.Has("partNumber"), req.Method == http.MethodPost && query.Has("uploadId")
	if req.Method == http.MethodPut {
		sum, md := sha256.Sum256(body), md5.Sum(body)
		if req.Header.Get("X-Amz-Content-Sha256") != hex.EncodeToString(sum[:]) || req.Header.Get("Content-Md5") != base64.StdEncoding.EncodeToString(md[:]) {
			c.t.Errorf("%d bytes are sent with other digests", len(body))
		}
	}
	switch {
	case part:
		c.parts++
	case req.Method == http.MethodPut || completes:
		c.names++
		if req.Header.Get("If-None-Match") != "*" {
			c.t.Errorf("%s without a condition", req.Method)
		}
	}
	return http.DefaultTransport.RoundTrip(req)
}

// A bucket that knows no conditions is written to without.
func TestNoConditions(t *testing.T) {
	s := s3test.Start(t)
	d, _ := openFaulty(t, s, conditionless{}, 2)
	b, err := store.NewBlobs(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range [][]byte{[]byte("x"), bytes.Repeat([]byte("x"), 3<<20)} {
		blob, err := blobOf(t, content)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range []string{"put", "read"} {
			if err := operations(content)[op](t.Context(), b, blob); err != nil {
				t.Errorf("%d bytes: %s: %v", len(content), op, err)
			}
		}
	}
}

type conditionless struct{}

func (conditionless) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Header.Get("If-None-Match") != "" {
		return answer(req, 501, "NotImplemented")
	}
	return http.DefaultTransport.RoundTrip(req)
}

// Reads anywhere give what is there, with few requests where they go on from each other, and hold no more than a few pieces.
func TestReadAnywhere(t *testing.T) {
	s := s3test.Start(t)
	f := &faulty{}
	d, _ := openFaulty(t, s, f, 2)
	rnd := rand.New(rand.NewPCG(1, 2))
	content := make([]byte, 9<<20+12345)
	for i := range content {
		content[i] = byte(rnd.Uint32())
	}
	b, err := store.NewBlobs(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	blob, err := blobOf(t, content)
	if err != nil {
		t.Fatal(err)
	}
	if err := operations(content)["put"](t.Context(), b, blob); err != nil {
		t.Fatal(err)
	}
	r, err := d.Open(t.Context(), blob.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	f.arm(0, 0)
	got, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
	if err != nil || !bytes.Equal(got, content) || f.seen > 4 {
		t.Errorf("from start to end: %d bytes with %d requests: %v", len(got), f.seen, err)
	}
	for range 200 {
		off, n := rnd.IntN(len(content)), rnd.IntN(3<<20)
		p := make([]byte, n)
		k, err := r.ReadAt(p, int64(off))
		want := content[off:min(off+n, len(content))]
		if !bytes.Equal(p[:k], want) || (err == io.EOF) != (k < n) || err != nil && err != io.EOF {
			t.Fatalf("%d bytes at %d: %d, %v", n, off, k, err)
		}
	}
	held := 0
	for _, w := range r.(*reader).windows {
		held += cap(w.p)
	}
	if held > windowsKept*maxWindowBytes {
		t.Errorf("%d bytes are held", held)
	}
	_ = r.Close()
	if _, err := r.ReadAt(make([]byte, 4<<20), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("after Close: %v", err)
	}
}

// A sweep ends only what was begun before its time, and nothing of another prefix.
func TestSweep(t *testing.T) {
	s := s3test.Start(t)
	d, _ := openFaulty(t, s, http.DefaultTransport, 2)
	name := strings.Repeat("0", 64)
	for _, key := range []string{d.key(name), d.key(strings.Repeat("1", 64)), d.key(strings.Repeat("2", 64)), "other/00/" + name, d.prefix + "strange"} {
		if _, err := d.core.NewMultipartUpload(t.Context(), d.bucket, key, minio.PutObjectOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range []struct {
		before time.Time
		want   int
	}{{time.Now().Add(-time.Hour), 0}, {time.Now().Add(time.Hour), 3}, {time.Now().Add(time.Hour), 0}} {
		if n, err := d.Sweep(t.Context(), c.before); n != c.want || err != nil {
			t.Errorf("sweep %d: %d, %v, want %d", i, n, err, c.want)
		}
	}
}

// What is being written is on disk where nobody else can open it, and where nothing stays of it when the process dies.
func TestSpool(t *testing.T) {
	s := s3test.Start(t)
	d, spool := openFaulty(t, s, http.DefaultTransport, 2)
	for _, size := range []int{memoryBytes, memoryBytes + 1} {
		w, err := d.Create(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		if onDisk := w.(*writer).spool.file != nil; onDisk != (size > memoryBytes) {
			t.Errorf("%d bytes are on disk: %v", size, onDisk)
		}
		err = filepath.WalkDir(spool, func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				t.Errorf("%s has a name", name)
			}
			return err
		})
		if err := errors.Join(err, w.Abort()); err != nil {
			t.Error(err)
		}
	}
	d.opts.SpoolDir = filepath.Join(spool, "nothing", "here")
	b, err := store.NewBlobs(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Put(t.Context(), bytes.NewReader(make([]byte, 2<<20)), store.PutOptions{Max: 1 << 30}); readapi.CodeOf(err) != readapi.CodeCapabilityUnavailable {
		t.Errorf("no folder for the spool: %v", err)
	}
}

// Many blobs at once are kept in memory only up to a sum, and leave it when they end.
func TestSpoolTogether(t *testing.T) {
	s := s3test.Start(t)
	d, _ := openFaulty(t, s, http.DefaultTransport, 2)
	var writers []store.BlobWriter
	var digests []string
	files := 0
	for i := range 40 {
		w, err := d.Create(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		content := bytes.Repeat([]byte{byte(i)}, memoryBytes)
		blob, err := blobOf(t, content)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
		if w.(*writer).spool.file != nil {
			files++
		}
		writers, digests = append(writers, w), append(digests, blob.SHA256)
	}
	if held := d.held.Load(); held != heldBytes || files != 40-heldBytes/memoryBytes {
		t.Errorf("%d bytes are in memory, %d blobs on disk", held, files)
	}
	if err := d.CommitAll(writers[:20], digests[:20]); err != nil {
		t.Fatal(err)
	}
	for _, w := range writers {
		if err := w.Abort(); err != nil {
			t.Error(err)
		}
	}
	if held := d.held.Load(); held != 0 {
		t.Errorf("%d bytes stay in memory", held)
	}
	n := 0
	for info, err := range d.List(t.Context()) {
		if err != nil || info.Size != memoryBytes {
			t.Errorf("%+v, %v", info, err)
		}
		n++
	}
	if n != 20 {
		t.Errorf("%d blobs are there", n)
	}
}

// A bucket that is unreachable at the start is told at the start.
func TestUnreachable(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	o := testOptions(t)
	o.Attempts = 2
	_, err := Open(t.Context(), s3test.Address(s), o)
	if e, ok := errors.AsType[*readapi.Error](err); !ok || e.Code != readapi.CodeBusy || strings.Contains(e.Message(), "127.0.0.1") {
		t.Errorf("%v, want busy", err)
	}
}

// A bucket takes 10,000 parts, and is not asked to take one more.
func TestParts(t *testing.T) {
	d, _ := openFaulty(t, s3test.Start(t), http.DefaultTransport, 2)
	d.partBytes = 1
	w, err := d.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(make([]byte, maxParts)); err != nil {
		t.Errorf("as many parts as may be: %v", err)
	}
	if n, err := w.Write([]byte("x")); n != 0 || readapi.CodeOf(err) != readapi.CodeCapabilityUnavailable {
		t.Errorf("one part more: %d, %v", n, err)
	}
	if err := w.Abort(); err != nil {
		t.Error(err)
	}
}
