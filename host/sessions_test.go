package host_test

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/fileblob"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex"
	"github.com/glovebox-wasm/glovebox/host/store/s3blob"
	"github.com/glovebox-wasm/glovebox/host/store/s3blob/s3test"
	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
	"github.com/glovebox-wasm/glovebox/plugins/boxtest"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// This file holds what the tests of hosts and sessions share.

// quick are decoders that answer at once: what a file is called by its bytes and how large it is, in one line. A file whose bytes say
// "refuse CODE" behind the first four is refused with that code. Each file has another one inside; a decoder called box is that of boxtest.
type quick struct {
	decoders []quickDecoder
	decoded  atomic.Int64 // calls of Decode
	hook     func(in readapi.Input)
}

type quickDecoder struct {
	name  string
	types []readapi.MediaType
}

func (d quickDecoder) info() readapi.DecoderInfo {
	return readapi.DecoderInfo{Name: d.name, Version: "1", Digest: (d.name + strings.Repeat("0", 64))[:64]}
}

// newQuick returns the decoders text, pdf and image.
func newQuick() *quick {
	return &quick{decoders: []quickDecoder{
		{"pdf", []readapi.MediaType{"application/pdf"}}, {"image", []readapi.MediaType{"image/png"}},
		{"text", []readapi.MediaType{"text/plain", "text/markdown"}},
	}}
}

func (q *quick) All() (out []readapi.DecoderInfo) {
	for _, d := range q.decoders {
		out = append(out, d.info())
	}
	return out
}

func (q *quick) Accepts(m readapi.MediaType) (out []readapi.DecoderInfo) {
	for _, d := range q.decoders {
		if slices.Contains(d.types, m) {
			out = append(out, d.info())
		}
	}
	return out
}

func (q *quick) Decode(_ context.Context, info readapi.DecoderInfo, d readapi.Decoding) (readapi.Result, error) {
	in, req := d.Input, d.Request
	q.decoded.Add(1)
	if q.hook != nil {
		q.hook(in)
	}
	if info.Name == "box" {
		res, err := pdk.Run(&boxtest.Decoder, in, req)
		res.Decoder = info
		return res, err
	}
	b, err := io.ReadAll(io.NewSectionReader(in, 0, in.Size()))
	if err != nil {
		return readapi.Result{}, err
	}
	if len(req.Child) > 0 {
		return readapi.Result{Decoder: info, Files: []readapi.File{{Child: readapi.Child{N: 1, Name: "inner.txt"}, Bytes: []byte("inner")}}}, nil
	}
	if _, code, ok := strings.Cut(string(b[:min(len(b), 60)]), "refuse "); ok {
		code, _, _ = strings.Cut(code, "\n")
		return readapi.Result{}, &readapi.Error{Code: readapi.Code(code)}
	}
	return readapi.Result{
		Unit: readapi.UnitLine, Total: 1, Covers: readapi.Range{From: 1, To: 1}, Decoder: info,
		Parts: []readapi.Part{{Type: readapi.PartText, At: 1, Text: info.Name + " read " + strconv.Itoa(len(b)) + " bytes of " + string(req.MediaType)}},
		Meta:  map[string]any{"list": []any{"a", map[string]any{"k": "v"}}},
	}, nil
}

// place is a store, which several hosts may share.
type place struct {
	blobs  store.BlobDriver
	driver store.IndexDriver
	dir    string // "" for one that is not in files
	url    string // "" for one that is not in PostgreSQL and a bucket
	bucket string
}

func newPlace() *place { return &place{blobs: memblob.New(), driver: memindex.New()} }

// filesIn opens a store in a folder, which close closes.
func filesIn(t testing.TB, dir string) *place {
	t.Helper()
	blobs, err := fileblob.Open(filepath.Join(dir, "blobs"), nil)
	if err != nil {
		t.Fatal(err)
	}
	driver, err := sqliteindex.Open(t.Context(), filepath.Join(dir, "index.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return &place{blobs: blobs, driver: driver, dir: dir}
}

// remoteAt opens a store in a database and a bucket, which close closes.
func remoteAt(t testing.TB, url, bucket string) *place {
	t.Helper()
	blobs, err := s3blob.Open(t.Context(), bucket, &s3blob.Options{AccessKey: s3test.AccessKey, SecretKey: s3test.SecretKey, SpoolDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	driver, err := pgindex.Open(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &place{blobs: blobs, driver: driver, url: url, bucket: bucket}
}

// again opens the same place once more, as another process would; a place in memory is itself.
func (p *place) again(t testing.TB) *place {
	switch {
	case p.dir != "":
		return filesIn(t, p.dir)
	case p.url != "":
		return remoteAt(t, p.url, p.bucket)
	}
	return p
}

// close closes what filesIn has opened.
func (p *place) close(t testing.TB) {
	if p.dir == "" && p.url == "" {
		return
	}
	if err := errors.Join(p.blobs.Close(), p.driver.Close()); err != nil {
		t.Error(err)
	}
}

func blobsOf(t testing.TB, p *place) *store.Blobs {
	t.Helper()
	blobs, err := store.NewBlobs(p.blobs, nil)
	if err != nil {
		t.Fatal(err)
	}
	return blobs
}

func indexOf(t testing.TB, p *place) *store.Index {
	t.Helper()
	index, err := store.NewIndex(p.driver)
	if err != nil {
		t.Fatal(err)
	}
	return index
}

// open returns a host of the place, which the test closes.
func (p *place) open(t testing.TB, d host.Decoders, opts *host.Options) *host.Host {
	t.Helper()
	h, err := host.New(t.Context(), blobsOf(t, p), indexOf(t, p), d, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return h
}

// put commits rows as they are, past the host, with bytes for those that have any.
func (p *place) put(t testing.TB, scope readapi.Scope, content string, row store.Artifact) {
	t.Helper()
	if row.Source.Readable() {
		blob, _, err := blobsOf(t, p).Put(t.Context(), strings.NewReader(content), store.PutOptions{Max: 1 << 30, Prefix: 0})
		if err != nil {
			t.Fatal(err)
		}
		row.Blob, row.Bytes = blob.SHA256, blob.Size
	}
	row.Created = aTime
	if _, err := indexOf(t, p).Append(t.Context(), scope, storetest.Leased(t, indexOf(t, p), store.Batch{Artifacts: []store.Artifact{row}})); err != nil {
		t.Fatal(err)
	}
}

func scope(session string) readapi.Scope {
	return readapi.Scope{Principal: readapi.LocalPrincipal, Session: readapi.SessionID(session)}
}

func newFile(name, content string) host.NewFile {
	return host.NewFile{Name: name, Content: strings.NewReader(content)}
}

// attach attaches one file and returns it.
func attach(t testing.TB, s *host.Session, name, content string) readapi.Attachment {
	t.Helper()
	got, err := s.Attach(t.Context(), host.Message{Text: "see attached", Files: []host.NewFile{newFile(name, content)}})
	if err != nil || len(got.Attachments) != 1 {
		t.Fatalf("attach %s: %+v, %v", name, got, err)
	}
	return got.Attachments[0]
}

func wantCode(t testing.TB, what string, err error, want readapi.Code) {
	t.Helper()
	if got := readapi.CodeOf(err); got != want {
		t.Errorf("%s: %v, want %q", what, err, want)
	}
}

func uri(id readapi.ArtifactID) string { return id.URI() }

// offerOf is what a session is offered for one ref.
func offerOf(t testing.TB, s *host.Session, ref readapi.AttachmentRef) readapi.Offer {
	t.Helper()
	got, err := s.Offer(t.Context(), ref)
	if err != nil || len(got) != 1 {
		t.Fatalf("offer: %+v, %v", got, err)
	}
	return got[0]
}

// log collects what the audit is told.
type log struct {
	mu     sync.Mutex
	events []host.AuditEvent
}

func (l *log) tell(e host.AuditEvent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
}

// causes are the causes of the events of one op so far, after the host was closed.
func (l *log) causes(op string) (out []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.events {
		if e.Op == op {
			out = append(out, e.Cause)
		}
	}
	return out
}

// counting is an index that counts what it is asked.
type counting struct {
	store.IndexDriver
	artifacts, decoders, finds, others atomic.Int64
}

func (c *counting) Artifacts(ctx context.Context, scope readapi.Scope, ids []readapi.ArtifactID) ([]store.Artifact, int64, error) {
	c.artifacts.Add(1)
	return c.IndexDriver.Artifacts(ctx, scope, ids)
}

func (c *counting) Decoders(ctx context.Context) (store.DecoderSet, error) {
	c.decoders.Add(1)
	return c.IndexDriver.Decoders(ctx)
}

func (c *counting) FindArtifacts(ctx context.Context, id readapi.ArtifactID) ([]store.Artifact, error) {
	c.finds.Add(1)
	return c.IndexDriver.FindArtifacts(ctx, id)
}

func (c *counting) Events(ctx context.Context, scope readapi.Scope, after int64, limit int) ([]store.Event, error) {
	c.others.Add(1)
	return c.IndexDriver.Events(ctx, scope, after, limit)
}
