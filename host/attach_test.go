package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func TestAttach(t *testing.T) {
	p := newPlace()
	h := p.open(t, newQuick(), nil)
	s := h.Session(scope("s"))
	got, err := s.Attach(t.Context(), host.Message{Text: "see", Files: []host.NewFile{
		newFile("dir/notes.txt", "hello"), {Name: "a.jpg", MediaType: "image/jpeg", Content: strings.NewReader("\x89PNG\r\n\x1a\n0000")},
		newFile("x.zip", "PK\x03\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), {Name: "g.txt", Content: strings.NewReader("x"), Source: store.SourceGenerated},
		newFile("", ""), newFile("empty.md", ""),
	}})
	if err != nil || got.MessageID == "" {
		t.Fatal(got, err)
	}
	type fact struct {
		Name        string
		MediaType   readapi.MediaType
		Kind        readapi.Kind
		Bytes       int64
		Unavailable readapi.Code
	}
	want := []fact{
		{"dir-notes.txt", "text/plain", readapi.KindOther, 5, ""}, {"a.jpg", "image/png", readapi.KindImage, 12, ""},
		{"x.zip", "application/zip", readapi.KindOther, 18, readapi.CodeUnsupportedKind}, {"g.txt", "text/plain", readapi.KindOther, 1, ""},
		{"artifact", readapi.OctetStream, readapi.KindOther, 0, readapi.CodeUnsupportedKind}, {"empty.md", "text/markdown", readapi.KindOther, 0, ""},
	}
	var facts []fact
	for _, a := range got.Attachments {
		facts = append(facts, fact{a.Name, a.MediaType, a.Kind, a.Bytes, a.Unavailable})
		if (a.Resource == "") != (a.Unavailable != "") || a.Status != readapi.StatusLive || a.Created.IsZero() || len(a.ID) != 32 {
			t.Errorf("%+v", a)
		}
		if o := offerOf(t, s, a.Ref("s")); o.URI != a.Resource || o.Unavailable != a.Unavailable {
			t.Errorf("%+v is offered %+v", a, o)
		}
	}
	if d := cmp.Diff(want, facts); d != "" {
		t.Error(d)
	}
	doc, err := s.Read(t.Context(), got.Attachments[1].Resource, readapi.Selection{}, nil)
	if err != nil || len(doc.Warnings) != 1 || doc.Warnings[0].Code != readapi.WarnDeclaredType {
		t.Errorf("a picture that was declared as another: %+v, %v", doc, err)
	}
	doc, err = s.Read(t.Context(), got.Attachments[5].Resource, readapi.Selection{}, nil)
	if err != nil || len(doc.Parts) != 0 || doc.Bytes != 0 || doc.MediaType != "text/markdown" {
		t.Errorf("an empty text: %+v, %v", doc, err)
	}
	events, err := p.driver.Events(t.Context(), scope("s"), -1, 10)
	if err != nil || len(events) != 1 {
		t.Fatal(events, err)
	}
	var payload struct{ Attachments []json.RawMessage }
	if err := json.Unmarshal(events[0].Payload, &payload); err != nil || len(payload.Attachments) != len(want) {
		t.Fatal(string(events[0].Payload), err)
	}
	for i, raw := range payload.Attachments {
		if ref, ok := readapi.ParseAttachmentRef(raw); !ok || ref != got.Attachments[i].Ref("s") {
			t.Errorf("the message carries %s", raw)
		}
	}
}

// The same bytes twice are two artifacts on one blob, with ids that say nothing.
func TestAttachTwice(t *testing.T) {
	p := newPlace()
	h := p.open(t, newQuick(), nil)
	a, b := attach(t, h.Session(scope("s")), "a.txt", "hello"), attach(t, h.Session(scope("s")), "a.txt", "hello")
	if a.ID == b.ID {
		t.Error("one id for two artifacts")
	}
	n := 0
	for _, err := range p.blobs.List(t.Context()) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != 1 {
		t.Errorf("%d blobs", n)
	}
}

// A message that cannot be stored as a whole leaves nothing: no row, no event, no session.
func TestAttachRefused(t *testing.T) {
	errMine := &readapi.Error{Code: readapi.CodeUnauthorized, Detail: "not yours"}
	sized := func(content string, size int64) host.NewFile {
		return host.NewFile{Name: "a.txt", Content: strings.NewReader(content), Size: size, SizeKnown: true}
	}
	for name, c := range map[string]struct {
		files []host.NewFile
		want  readapi.Code
	}{
		"nine files":        {slices.Repeat([]host.NewFile{newFile("a.txt", "x")}, 9), readapi.CodeInvalidRequest},
		"grows":             {[]host.NewFile{newFile("b.txt", "x"), sized("hello", 4)}, readapi.CodeInvalidRequest},
		"grows from empty":  {[]host.NewFile{sized("hello", 0)}, readapi.CodeInvalidRequest},
		"shrinks":           {[]host.NewFile{sized("hello", 6)}, readapi.CodeInvalidRequest},
		"shrinks to empty":  {[]host.NewFile{sized("", 6)}, readapi.CodeInvalidRequest},
		"negative size":     {[]host.NewFile{sized("", -1)}, readapi.CodeInvalidRequest},
		"no content":        {[]host.NewFile{{Name: "a.txt"}}, readapi.CodeInvalidRequest},
		"a foreign URI":     {[]host.NewFile{{Name: "a.txt", Content: strings.NewReader("x"), Source: store.SourceMemoryAddURI}}, readapi.CodeInvalidRequest},
		"no such source":    {[]host.NewFile{{Name: "a.txt", Content: strings.NewReader("x"), Source: "web"}}, readapi.CodeInvalidRequest},
		"too large":         {[]host.NewFile{newFile("b.txt", "x"), newFile("a.txt", strings.Repeat("x", 101))}, readapi.CodeTooLarge},
		"said to be large":  {[]host.NewFile{sized("x", 101)}, readapi.CodeTooLarge},
		"cannot be read":    {[]host.NewFile{{Name: "a.txt", Content: iotest.ErrReader(errors.New("/a/path"))}}, readapi.CodeNotFound},
		"reader with code":  {[]host.NewFile{{Name: "a.txt", Content: iotest.ErrReader(errMine)}}, readapi.CodeUnauthorized},
		"reader is stopped": {[]host.NewFile{{Name: "a.txt", Content: iotest.ErrReader(context.Canceled)}}, readapi.CodeCanceled},
		"breaks off":        {[]host.NewFile{{Name: "a.txt", Content: io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(io.ErrUnexpectedEOF))}}, readapi.CodeNotFound},
	} {
		p := newPlace()
		h := p.open(t, newQuick(), &host.Options{MaxAttachmentBytes: 100})
		_, err := h.Session(scope("s")).Attach(t.Context(), host.Message{Text: "see", Files: c.files})
		wantCode(t, name, err, c.want)
		if e, ok := err.(*readapi.Error); ok && (strings.Contains(e.Message(), "path") || c.want == readapi.CodeInvalidRequest && (e.Hint == "" || e.Detail == "")) {
			t.Errorf("%s: %q, %q", name, e.Message(), e.Hint)
		}
		if _, ok, err := p.driver.Session(t.Context(), scope("s")); ok || err != nil {
			t.Errorf("%s: a session was made, %v", name, err)
		}
		if rows, _, err := p.driver.ListArtifacts(t.Context(), scope("s"), -1, 10); len(rows) > 0 || err != nil {
			t.Errorf("%s: %v, %v", name, rows, err)
		}
	}
}

// What is wrong with a message itself is found before its files are read: nothing of them is kept for nothing.
func TestAttachRefusedUnread(t *testing.T) {
	s := newPlace().open(t, newQuick(), nil).Session(scope("s"))
	for name, c := range map[string]struct {
		m    host.Message
		want readapi.Code
	}{
		"id":        {host.Message{ID: "a\x00b"}, readapi.CodeInvalidRequest},
		"turn":      {host.Message{Turn: strings.Repeat("x", 513)}, readapi.CodeInvalidRequest},
		"time":      {host.Message{Time: time.Unix(1<<40, 0)}, readapi.CodeInvalidRequest},
		"long text": {host.Message{Text: strings.Repeat("word ", 1<<18)}, readapi.CodeTooLarge},
		"a file":    {host.Message{Text: strings.Repeat("abcdefghijklmnop", 1<<10)}, readapi.CodeTooLarge},
	} {
		read := false
		c.m.Files = []host.NewFile{{Name: "a.txt", Content: readerFunc(func([]byte) (int, error) { read = true; return 0, io.EOF })}}
		_, err := s.Attach(t.Context(), c.m)
		wantCode(t, name, err, c.want)
		if read {
			t.Errorf("%s: the file was read", name)
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Exactly the limits is not too much.
func TestAttachLimits(t *testing.T) {
	h := newPlace().open(t, newQuick(), &host.Options{MaxAttachmentBytes: 100})
	s := h.Session(scope("s"))
	full := func() host.NewFile {
		return host.NewFile{Name: "a.txt", Content: iotest.OneByteReader(strings.NewReader(strings.Repeat("x", 100))), Size: 100, SizeKnown: true}
	}
	got, err := s.Attach(t.Context(), host.Message{Files: []host.NewFile{full(), full(), full(), full(), full(), full(), full(), full()}})
	if err != nil || len(got.Attachments) != 8 {
		t.Fatal(got, err)
	}
	if _, err := s.Attach(t.Context(), host.Message{Files: []host.NewFile{{Name: "e.txt", Content: strings.NewReader(""), SizeKnown: true}}}); err != nil {
		t.Errorf("an empty file that is said to be empty: %v", err)
	}
	if got, err := s.Attach(t.Context(), host.Message{Text: "no files"}); err != nil || len(got.Attachments) != 0 || got.MessageID == "" {
		t.Errorf("a message without files: %+v, %v", got, err)
	}
}

// failing is an index whose append fails.
type failingAppend struct {
	store.IndexDriver
	err error
}

func (f failingAppend) Append(context.Context, readapi.Scope, store.Batch) ([]int64, error) {
	return nil, f.err
}

func TestAttachStoreFails(t *testing.T) {
	p := newPlace()
	rows := p.driver
	p.driver = failingAppend{rows, &readapi.Error{Code: readapi.CodeBusy}}
	h := p.open(t, newQuick(), nil)
	_, err := h.Session(scope("s")).Attach(t.Context(), host.Message{Files: []host.NewFile{newFile("a.txt", "x")}})
	wantCode(t, "Attach", err, readapi.CodeBusy)
	p.driver = rows
	attach(t, p.open(t, newQuick(), nil).Session(scope("s")), "a.txt", "x") // the blob that was left is no hindrance
}

func TestOffer(t *testing.T) {
	p := newPlace()
	c := &counting{IndexDriver: p.driver}
	p.driver = c
	h := p.open(t, newQuick(), nil)
	s, other := h.Session(scope("s")), h.Session(scope("other"))
	mine, theirs := attach(t, s, "a.txt", "hello"), attach(t, other, "a.txt", "hello")
	gone := attach(t, s, "b.txt", "bye")
	if err := s.Delete(t.Context(), gone.Resource); err != nil {
		t.Fatal(err)
	}
	malformed := mine.Ref("s")
	malformed.Name = ""
	before := c.artifacts.Load()
	got, err := s.Offer(t.Context(), gone.Ref("s"), mine.Ref("s"), theirs.Ref("other"), theirs.Ref("s"), mine.Ref("s"), malformed, mine.Ref("other"))
	if err != nil {
		t.Fatal(err)
	}
	want := []readapi.Offer{
		{Unavailable: readapi.CodeGone}, {URI: mine.Resource}, {Unavailable: readapi.CodeNotFound}, {Unavailable: readapi.CodeNotFound}, {URI: mine.Resource},
		{Unavailable: readapi.CodeNotFound}, {Unavailable: readapi.CodeNotFound},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if n := c.artifacts.Load() - before; n != 1 {
		t.Errorf("%d queries, want one", n)
	}
	if got, err := s.Offer(t.Context(), theirs.Ref("other"), malformed); err != nil || len(got) != 2 || c.artifacts.Load()-before != 1 {
		t.Errorf("what cannot be the session's is asked for: %v, %v", got, err)
	}
	if got, err := s.Offer(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("of nothing: %v, %v", got, err)
	}
	before = c.artifacts.Load()
	if got, err := s.Offer(t.Context(), slices.Repeat([]readapi.AttachmentRef{mine.Ref("s")}, 2*store.MaxPage)...); err != nil || got[2*store.MaxPage-1].URI != mine.Resource || c.artifacts.Load()-before != 1 {
		t.Errorf("the same ref many times: %v, %d queries", err, c.artifacts.Load()-before)
	}
	var many []readapi.AttachmentRef
	for i := range store.MaxPage + 1 {
		ref := mine.Ref("s")
		if i > 0 {
			ref.Ref.RelativePath = strings.Repeat("x", i%100+1) + "-" + strings.Repeat("y", i/100)
		}
		many = append(many, ref)
	}
	before = c.artifacts.Load()
	got, err = s.Offer(t.Context(), many...)
	if err != nil || len(got) != len(many) || got[0].URI != mine.Resource || got[len(many)-1].Unavailable != readapi.CodeNotFound || c.artifacts.Load()-before != 2 {
		t.Errorf("more than a page: %d, %v, %d queries", len(got), err, c.artifacts.Load()-before)
	}
}

// A call whose context has ended does nothing.
func TestCanceledCalls(t *testing.T) {
	p := newPlace()
	h := p.open(t, newQuick(), nil)
	s := h.Session(scope("s"))
	a := attach(t, s, "a.txt", "hello")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range map[string]func() error{
		"Attach": func() error {
			_, err := s.Attach(ctx, host.Message{Files: []host.NewFile{newFile("b.txt", "x")}})
			return err
		},
		"Offer":     func() error { _, err := s.Offer(ctx, a.Ref("s")); return err },
		"Read":      func() error { _, err := s.Read(ctx, a.Resource, readapi.Selection{}, nil); return err },
		"OpenBytes": func() error { _, err := s.OpenBytes(ctx, a.Resource); return err },
		"Delete":    func() error { return s.Delete(ctx, a.Resource) },
		"List":      func() error { _, _, err := s.Attachments(ctx, "", 0); return err },
		"Enable":    func() error { return h.EnableDecoder(ctx, "text", false) },
	} {
		wantCode(t, name, call(), readapi.CodeCanceled)
	}
	if page, _, err := s.Attachments(t.Context(), "", 0); err != nil || len(page) != 1 || page[0].Resource == "" {
		t.Errorf("%+v, %v", page, err)
	}
}

// TestAttachAgain: a message that is sent again under its own id, by a caller who did not hear the answer, is there once.
func TestAttachAgain(t *testing.T) {
	h := newPlace().open(t, newQuick(), nil)
	s := h.Session(scope("s"))
	for range 2 {
		got, err := s.Attach(t.Context(), host.Message{ID: "m1", Text: "hello"})
		if err != nil || got.MessageID != "m1" {
			t.Fatal(got, err)
		}
	}
	n := 0
	for _, err := range s.Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 1 {
		t.Errorf("%d messages", n)
	}
}

// Somebody who removes the same bytes just now is waited for; one who does not end is busy.
func TestAttachWhileRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace()
		h := p.open(t, newQuick(), &host.Options{Alone: true})
		index := indexOf(t, p)
		if ok, err := index.ClaimBlob(t.Context(), digestOf("hello"), time.Hour); !ok || err != nil {
			t.Fatal(ok, err)
		}
		go func() {
			time.Sleep(time.Second)
			_ = index.EndClaim(t.Context(), digestOf("hello"))
		}()
		a := attach(t, h.Session(scope("s")), "a.txt", "hello")
		if ok, err := index.ClaimBlob(t.Context(), digestOf("other"), time.Hour); !ok || err != nil {
			t.Fatal(ok, err)
		}
		_, err := h.Session(scope("s")).Attach(t.Context(), host.Message{Text: "see", Files: []host.NewFile{newFile("a.txt", "other")}})
		wantCode(t, "bytes that somebody removes for an hour", err, readapi.CodeBusy)
		if got := blobsIn(t, p); len(got) != 1 || a.Resource == "" {
			t.Errorf("blobs %v", got)
		}
	})
}
