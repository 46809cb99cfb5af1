package host_test

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

var aTime = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// The rows of the read cases: who gets what of which artifact, and what the operator is told.
func TestReadCases(t *testing.T) {
	text := store.Artifact{ID: "notes-1", Name: "notes.txt", MediaType: "text/plain", Candidates: []readapi.MediaType{"text/plain"}, Kind: readapi.KindOther, Source: store.SourceUserUpload}
	with := func(change func(*store.Artifact)) store.Artifact {
		row := text
		change(&row)
		return row
	}
	for name, c := range map[string]struct {
		row     store.Artifact
		content string
		deleted bool
		by      string
		without string // a decoder that is off
		want    readapi.Code
		cause   string
	}{
		"the owner's":         {row: text, by: "session-1"},
		"another session":     {row: text, by: "session-2", want: readapi.CodeNotFound, cause: host.CauseForeign},
		"deleted":             {row: text, deleted: true, by: "session-1", want: readapi.CodeGone, cause: host.CauseDeleted},
		"deleted, of another": {row: text, deleted: true, by: "session-2", want: readapi.CodeNotFound, cause: host.CauseForeign},
		"only recorded": {
			row: with(func(a *store.Artifact) { a.Source = store.SourceMemoryAddURI }), by: "session-1",
			want: readapi.CodeNotFound, cause: host.CauseSource,
		},
		"only recorded, and deleted": {
			row: with(func(a *store.Artifact) { a.Source = store.SourceMemoryAddURI }), deleted: true, by: "session-1",
			want: readapi.CodeNotFound, cause: host.CauseSource,
		},
		"a PDF without a decoder": {
			row: with(func(a *store.Artifact) {
				a.Name, a.Kind, a.MediaType, a.Candidates = "p.pdf", readapi.KindPDF, "application/pdf", []readapi.MediaType{"application/pdf"}
			}), by: "session-1", without: "pdf", want: readapi.CodeUnsupportedKind, cause: host.CauseUnsupportedKind,
		},
		"a long text":   {row: text, content: strings.Repeat("x", 10<<20+1), by: "session-1"},
		"generated":     {row: with(func(a *store.Artifact) { a.Source = store.SourceGenerated }), by: "session-1"},
		"a copy":        {row: with(func(a *store.Artifact) { a.Source = store.SourceCopy }), by: "session-1"},
		"from a memory": {row: with(func(a *store.Artifact) { a.Source = store.SourceMemoryAddBase64 }), by: "session-1"},
		"a resource":    {row: with(func(a *store.Artifact) { a.Source = store.SourceResourceUpload }), by: "session-1"},
	} {
		t.Run(name, func(t *testing.T) {
			p, audit := newPlace(), &log{}
			h := p.open(t, newQuick(), &host.Options{Audit: audit.tell})
			if c.without != "" {
				if err := h.EnableDecoder(t.Context(), c.without, false); err != nil {
					t.Fatal(err)
				}
			}
			if c.content == "" {
				c.content = "attachment marker"
			}
			p.put(t, scope("session-1"), c.content, c.row)
			if c.deleted {
				if _, _, err := p.driver.DeleteArtifact(t.Context(), scope("session-1"), c.row.ID, aTime); err != nil {
					t.Fatal(err)
				}
			}
			s := h.Session(scope(c.by))
			doc, err := s.Read(t.Context(), uri(c.row.ID), readapi.Selection{}, nil)
			wantCode(t, "Read", err, c.want)
			if c.want == "" && (len(doc.Parts) != 1 || doc.URI != uri(c.row.ID) || doc.Name != c.row.Name || doc.Bytes != int64(len(c.content))) {
				t.Errorf("got %+v", doc)
			}
			ref := readapi.Attachment{ID: c.row.ID, Name: "n", MediaType: "m/m", Kind: readapi.KindOther}.Ref(s.Scope().Session)
			if got := offerOf(t, s, ref); got.Unavailable != c.want || (got.URI == "") != (c.want != "") {
				t.Errorf("offered %+v, want %q", got, c.want)
			}
			if err := h.Close(); err != nil {
				t.Fatal(err)
			}
			if got := audit.causes("read"); !slices.Equal(got, []string{c.cause}) {
				t.Errorf("causes of the read: %q, want %q", got, c.cause)
			}
			if got := audit.causes("offer"); c.want != "" && !slices.Equal(got, []string{c.cause}) || c.want == "" && len(got) > 0 {
				t.Errorf("causes of the offer: %q, want %q", got, c.cause)
			}
		})
	}
}

// The rows of the byte-reader cases: their reasons are causes in the audit.
func TestByteReaderCases(t *testing.T) {
	p, audit := newPlace(), &log{}
	h := p.open(t, newQuick(), &host.Options{Audit: audit.tell})
	p.put(t, scope("session-1"), "x", store.Artifact{ID: "image-1", Name: "i.png", MediaType: "image/png", Kind: readapi.KindImage, Source: store.SourceUserUpload})
	p.put(t, scope("session-1"), "\x00\x01\x02\x03", store.Artifact{ID: "b", Name: "b", MediaType: readapi.OctetStream, Kind: readapi.KindOther, Source: store.SourceUserUpload})
	if err := h.Session(scope("session-1")).Delete(t.Context(), uri("image-1")); err != nil {
		t.Fatal(err)
	}
	at := func(session, id string) readapi.AttachmentRef {
		return readapi.Attachment{ID: readapi.ArtifactID(id), Name: "n", MediaType: "m/m", Kind: readapi.KindOther}.Ref(readapi.SessionID(session))
	}
	workspace := at("session-1", "x")
	workspace.Ref = readapi.StorageRef{Kind: readapi.RefWorkspaceFile, RelativePath: "image.png"}
	s := h.Session(scope("session-1"))
	got, err := s.Offer(t.Context(), at("session-1", "image-1"), at("other-session", "image-1"), workspace, at("session-1", "missing"), at("session-1", "b"))
	if err != nil {
		t.Fatal(err)
	}
	want := []readapi.Offer{{Unavailable: "gone"}, {Unavailable: "not_found"}, {Unavailable: "not_found"}, {Unavailable: "not_found"}, {Unavailable: "unsupported_kind"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if _, err := h.Session(scope("other-session")).OpenBytes(t.Context(), uri("image-1")); readapi.CodeOf(err) != readapi.CodeNotFound {
		t.Errorf("foreign bytes: %v", err)
	}
	if b, err := s.OpenBytes(t.Context(), uri("b")); err != nil {
		t.Errorf("bytes that nobody decodes: %v", err)
	} else {
		_ = b.Close()
	}
	_ = h.Close()
	causes := []string{host.CauseDeleted, host.CauseForeign, host.CauseUnsupportedRef, host.CauseAbsent, host.CauseUnsupportedKind}
	if d := cmp.Diff(causes, audit.causes("offer")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{host.CauseForeign, ""}, audit.causes("open")); d != "" {
		t.Error(d)
	}
}

// Every spelling of an address but the one is refused before anything is asked.
func TestAddressSpelling(t *testing.T) {
	p := newPlace()
	c := &counting{IndexDriver: p.driver}
	p.driver = c
	h := p.open(t, newQuick(), nil)
	s := h.Session(scope("s"))
	a := attach(t, s, "a.txt", "hello")
	before := c.artifacts.Load()
	for _, bad := range []string{"", string(a.ID), a.Resource + "/", a.Resource + "?", " " + a.Resource, strings.ToUpper(a.Resource[:4]) + a.Resource[4:], "file:///etc/passwd"} {
		_, err := s.Read(t.Context(), bad, readapi.Selection{}, nil)
		wantCode(t, "Read "+bad, err, readapi.CodeInvalidURI)
		_, err = s.OpenBytes(t.Context(), bad)
		wantCode(t, "OpenBytes "+bad, err, readapi.CodeInvalidURI)
		wantCode(t, "Delete "+bad, s.Delete(t.Context(), bad), readapi.CodeInvalidURI)
	}
	if c.artifacts.Load() != before {
		t.Error("an invalid address is looked up")
	}
	h2 := p.open(t, newQuick(), &host.Options{URIPrefix: "acme://files/"})
	doc, err := h2.Session(scope("s")).Read(t.Context(), "acme://files/"+string(a.ID), readapi.Selection{}, nil)
	if err != nil || doc.URI != "acme://files/"+string(a.ID) {
		t.Errorf("another prefix: %+v, %v", doc, err)
	}
	_, err = h2.Session(scope("s")).Read(t.Context(), a.Resource, readapi.Selection{}, nil)
	wantCode(t, "the default prefix elsewhere", err, readapi.CodeInvalidURI)
}

// Ids that have not their form make every call invalid_request.
func TestInvalidScope(t *testing.T) {
	h := newPlace().open(t, newQuick(), nil)
	for _, sc := range []readapi.Scope{{}, {Principal: "local"}, {Session: "s"}, {Principal: "local", Session: "a/b"}, {Principal: "a b", Session: "s"}} {
		s := h.Session(sc)
		for name, call := range everyCall(s) {
			wantCode(t, name, call(t.Context()), readapi.CodeInvalidRequest)
		}
	}
}

// everyCall names the calls of a session that need no recall.
func everyCall(s *host.Session) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"Attach": func(ctx context.Context) error { _, err := s.Attach(ctx, host.Message{Text: "hi"}); return err },
		"Offer":  func(ctx context.Context) error { _, err := s.Offer(ctx); return err },
		"Read":   func(ctx context.Context) error { _, err := s.Read(ctx, uri("a"), readapi.Selection{}, nil); return err },
		"Open":   func(ctx context.Context) error { _, err := s.OpenBytes(ctx, uri("a")); return err },
		"Delete": func(ctx context.Context) error { return s.Delete(ctx, uri("a")) },
		"List":   func(ctx context.Context) error { _, _, err := s.Attachments(ctx, "", 0); return err },
		"Append": func(ctx context.Context) error { _, err := s.Append(ctx); return err },
	}
}

// What is absent and what is another's cannot be told apart: not by the code, not by the text, not by the JSON, not by what is asked of
// the store.
func TestStrangerLearnsNothing(t *testing.T) {
	p := newPlace()
	c := &counting{IndexDriver: p.driver}
	p.driver = c
	h := p.open(t, newQuick(), nil) // no audit: whatever is asked is asked by the call
	owner, stranger := h.Session(scope("owner")), h.Session(scope("stranger"))
	foreign := attach(t, owner, "a.txt", "secret")
	deleted := attach(t, owner, "b.txt", "secret too")
	if err := owner.Delete(t.Context(), deleted.Resource); err != nil {
		t.Fatal(err)
	}
	p.put(t, scope("stranger"), "", store.Artifact{ID: "recorded", Name: "r", MediaType: "text/plain", Source: store.SourceMemoryAddURI})
	other := h.Session(readapi.Scope{Principal: "other", Session: "owner"})
	for name, call := range map[string]func(s *host.Session, u string) error{
		"Read": func(s *host.Session, u string) error {
			_, err := s.Read(t.Context(), u, readapi.Selection{}, nil)
			return err
		},
		"OpenBytes": func(s *host.Session, u string) error { _, err := s.OpenBytes(t.Context(), u); return err },
		"Delete":    func(s *host.Session, u string) error { return s.Delete(t.Context(), u) },
	} {
		absent, queries := refusalOf(t, c, call, stranger, "00000000000000000000000000000000")
		for what, id := range map[string]readapi.ArtifactID{"foreign": foreign.ID, "foreign and deleted": deleted.ID, "recorded only": "recorded"} {
			if name == "Delete" && what == "recorded only" {
				continue // the session's own row, which its owner may well delete
			}
			got, n := refusalOf(t, c, call, stranger, id)
			if d := cmp.Diff(absent, got); d != "" || n != queries {
				t.Errorf("%s of what is %s: %d queries, not %d\n%s", name, what, n, queries, d)
			}
		}
		if got, _ := refusalOf(t, c, call, other, foreign.ID); cmp.Diff(absent, got) != "" {
			t.Errorf("%s by another principal: %s", name, cmp.Diff(absent, got))
		}
	}
	if c.finds.Load() != 0 {
		t.Error("a call looked into other sessions")
	}
	if _, err := owner.Read(t.Context(), foreign.Resource, readapi.Selection{}, nil); err != nil {
		t.Errorf("the owner, afterwards: %v", err)
	}
}

// refusalOf is everything that a caller sees of the refusal of id, with the id itself left out, and how many rows were asked for.
func refusalOf(t *testing.T, c *counting, call func(*host.Session, string) error, s *host.Session, id readapi.ArtifactID) (string, int64) {
	t.Helper()
	before := c.artifacts.Load()
	err := call(s, uri(id))
	e, ok := err.(*readapi.Error)
	if !ok || e.Code != readapi.CodeNotFound || e.Ref != string(id) || e.Err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	b, jsonErr := json.Marshal(e)
	if jsonErr != nil {
		t.Fatal(jsonErr)
	}
	return strings.ReplaceAll(string(b)+e.Error(), string(id), "ID"), c.artifacts.Load() - before
}

func TestOpenBytes(t *testing.T) {
	p := newPlace()
	h := p.open(t, newQuick(), nil)
	s := h.Session(scope("s"))
	for name, content := range map[string]string{"small.txt": "hello", "large.bin": strings.Repeat("\x00\xff\x01", 700_000), "empty.txt": "", "empty": ""} {
		a := attach(t, s, name, content)
		b, err := s.OpenBytes(t.Context(), uri(a.ID))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := io.ReadAll(b)
		if err != nil || string(got) != content || b.Attachment.Name != name || len(b.SHA256) != 64 {
			t.Errorf("%s: %d bytes, %+v, %v", name, len(got), b.Attachment, err)
		}
		if at, err := b.Seek(-int64(len(content)), io.SeekEnd); err != nil || at != 0 {
			t.Errorf("%s: Seek: %d, %v", name, at, err)
		}
		if len(content) > 3 {
			three := make([]byte, 3)
			if n, err := b.ReadAt(three, 1); n != 3 || err != nil || string(three) != content[1:4] {
				t.Errorf("%s: ReadAt: %q, %v", name, three, err)
			}
		}
		if err := b.Close(); err != nil {
			t.Errorf("%s: Close: %v", name, err)
		}
		if err := s.Delete(t.Context(), uri(a.ID)); err != nil {
			t.Fatal(err)
		}
		_, err = s.OpenBytes(t.Context(), uri(a.ID))
		wantCode(t, name+", deleted", err, readapi.CodeGone)
		if err := s.Delete(t.Context(), uri(a.ID)); err != nil {
			t.Errorf("deleted again: %v", err)
		}
	}
}

func TestAttachmentsPages(t *testing.T) {
	p := newPlace()
	h := p.open(t, newQuick(), nil)
	s := h.Session(scope("s"))
	var want []readapi.ArtifactID
	for range 7 {
		want = append(want, attach(t, s, "a.txt", "hello").ID)
	}
	if err := s.Delete(t.Context(), uri(want[3])); err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int{0, 1, 2, 3, 6, 7, 8, 5000} {
		var got []readapi.ArtifactID
		cursor := ""
		for pages := 0; ; pages++ {
			page, next, err := s.Attachments(t.Context(), cursor, limit)
			if err != nil || pages > 7 {
				t.Fatal(limit, pages, err)
			}
			if limit > 0 && len(page) > limit {
				t.Errorf("limit %d: a page of %d", limit, len(page))
			}
			for _, a := range page {
				got = append(got, a.ID)
				if deleted := a.ID == want[3]; deleted != (a.Status == readapi.StatusDeleted) || deleted != (a.Unavailable == readapi.CodeGone) || deleted != (a.Resource == "") {
					t.Errorf("%+v", a)
				}
			}
			if cursor = next; cursor == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("limit %d: %v, want %v", limit, got, want)
		}
	}
	_, next, err := s.Attachments(t.Context(), "", 2)
	if err != nil || next == "" {
		t.Fatal(next, err)
	}
	for name, cursor := range map[string]string{"no cursor": "x", "cut": next[1:], "longer": next + "AA", "long": strings.Repeat("A", 100), "zero": "AAAAAAAA"} {
		_, _, err := s.Attachments(t.Context(), cursor, 2)
		wantCode(t, name, err, readapi.CodeInvalidRequest)
	}
	_, _, err = h.Session(scope("other")).Attachments(t.Context(), next, 2)
	wantCode(t, "a cursor of another session", err, readapi.CodeInvalidRequest)
	_, _, err = s.Attachments(t.Context(), "", -1)
	wantCode(t, "a negative limit", err, readapi.CodeInvalidRequest)
	if page, next, err := h.Session(scope("unknown")).Attachments(t.Context(), "", 0); err != nil || len(page) > 0 || next != "" {
		t.Errorf("an unknown session: %v, %q, %v", page, next, err)
	}
}
