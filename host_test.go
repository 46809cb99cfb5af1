package glovebox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/testdata/samples"
)

func openHost(t testing.TB, dir string, opts glovebox.Options) *glovebox.Host {
	t.Helper()
	if opts.CacheDir == "" {
		opts.CacheDir = testCache(t)
	}
	g, err := glovebox.Open(t.Context(), dir, &opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// attach appends a message with one file and returns the file.
func attach(t testing.TB, s *glovebox.Session, name string, content []byte) readapi.Attachment {
	t.Helper()
	msg, err := s.Append(t.Context(), glovebox.User("see attached", glovebox.File(name, bytes.NewReader(content))))
	if err != nil {
		t.Fatal(err)
	}
	return msg.Files[0]
}

func collect[T any](t testing.TB, seq func(func(T, error) bool)) (out []T) {
	t.Helper()
	for v, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// TestHostKeeps: what was appended is there for the next process, under the same addresses, and for no other session or principal.
func TestHostKeeps(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	g := openHost(t, dir, glovebox.Options{})
	file := attach(t, g.Session("chat-42"), "q3.pdf", samples.PDF(samples.Report()[:2]))
	if file.Resource == "" || file.Unavailable != "" || file.Kind != readapi.KindPDF {
		t.Fatalf("attached: %+v", file)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}

	g = openHost(t, dir, glovebox.Options{})
	s := g.Session("chat-42")
	doc, err := s.Read(t.Context(), file.Resource, &glovebox.ReadOptions{Units: "2"})
	if err != nil || doc.Total != 2 || len(doc.Document.Parts) != 1 || doc.URI != file.Resource || doc.Name != "q3.pdf" {
		t.Fatalf("read after a restart: %+v, %v", doc, err)
	}
	answer, err := s.Recall(t.Context(), "q3")
	if err != nil || len(answer.Passages) != 1 || answer.Passages[0].Messages[0].Materials[0].Resource != file.Resource {
		t.Fatalf("recall after a restart: %+v, %v", answer, err)
	}
	if events := collect(t, s.Events(t.Context())); len(events) != 1 || events[0].Text != "see attached" || len(events[0].Refs()) != 1 {
		t.Errorf("events: %+v", events)
	}
	if got := collect(t, g.Sessions(t.Context(), false)); len(got) != 1 || got[0].ID != "chat-42" || got[0].Messages != 1 {
		t.Errorf("sessions: %+v", got)
	}

	other := openHost(t, dir, glovebox.Options{Principal: "somebody-else"})
	for what, stranger := range map[string]*glovebox.Session{"another session": g.Session("chat-43"), "another principal": other.Session("chat-42")} {
		if _, err := stranger.Read(t.Context(), file.Resource, nil); readapi.CodeOf(err) != readapi.CodeNotFound {
			t.Errorf("%s reads: %v, want not_found", what, err)
		}
		if files := collect(t, stranger.Attachments(t.Context())); len(files) != 0 {
			t.Errorf("%s lists: %+v", what, files)
		}
	}
	if answer, err := other.Session("chat-42").Recall(t.Context(), "q3"); err != nil || len(answer.Passages) != 0 {
		t.Errorf("another principal recalls: %+v, %v", answer, err)
	}
}

// TestHostAddresses: an address goes when its decoder is disabled, in whatever process, and comes back when it is enabled; it goes for
// good when the file is deleted.
func TestHostAddresses(t *testing.T) {
	dir := t.TempDir()
	g, beside := openHost(t, dir, glovebox.Options{}), openHost(t, dir, glovebox.Options{})
	s := g.Session("chat-42")
	file := attach(t, s, "notes.txt", []byte("some notes\n"))
	expect := func(when string, want readapi.Code) {
		t.Helper()
		offers, err := s.Offer(t.Context(), file.Ref(s.ID()))
		if err != nil || len(offers) != 1 || offers[0].Unavailable != want || (offers[0].URI == "") != (want != "") {
			t.Errorf("%s: offered %+v, %v, want %q", when, offers, err, want)
		}
		if _, err := s.Read(t.Context(), file.Resource, nil); readapi.CodeOf(err) != want {
			t.Errorf("%s: read: %v, want %q", when, err, want)
		}
	}
	expect("at first", "")
	for _, by := range []*glovebox.Host{g, beside} {
		if err := by.EnableDecoder(t.Context(), "text", false); err != nil {
			t.Fatal(err)
		}
		expect("disabled", readapi.CodeUnsupportedKind)
		if got := collectDecoders(t, g); !slices.Contains(got, "text off") || len(got) != 3 {
			t.Errorf("decoders: %v", got)
		}
		if err := by.EnableDecoder(t.Context(), "text", true); err != nil {
			t.Fatal(err)
		}
		expect("enabled", "")
	}
	if err := g.EnableDecoder(t.Context(), "nothing", true); readapi.CodeOf(err) != readapi.CodeNotFound {
		t.Errorf("enabling what is not there: %v", err)
	}
	if err := s.Delete(t.Context(), file.Resource); err != nil {
		t.Fatal(err)
	}
	expect("deleted", readapi.CodeGone)
}

func collectDecoders(t testing.TB, g *glovebox.Host) (out []string) {
	t.Helper()
	all, err := g.Decoders(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		out = append(out, d.Name+map[bool]string{true: " on", false: " off"}[d.Enabled])
	}
	return out
}

// TestHostBytes: the original bytes come back, of files that nobody reads too.
func TestHostBytes(t *testing.T) {
	s := openHost(t, t.TempDir(), glovebox.Options{}).Session("chat-42")
	content := make([]byte, 2_100_000)
	rand.NewChaCha8([32]byte{}).Read(content)
	copy(content, "PK\x03\x04")
	file := attach(t, s, "archive.zip", content)
	if file.Resource != "" || file.Unavailable != readapi.CodeUnsupportedKind {
		t.Fatalf("an archive is offered: %+v", file)
	}
	b, err := s.OpenBytes(t.Context(), file.ID.URI())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if got, err := io.ReadAll(b); err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes, %v, want %d", len(got), err, len(content))
	}
	if _, err := b.Seek(4, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(b); err != nil || !bytes.Equal(got, content[4:]) {
		t.Errorf("from 4: %d bytes, %v", len(got), err)
	}
}

// TestHostWalk: walking the answers of a long file by address gives it whole, each line once.
func TestHostWalk(t *testing.T) {
	s := openHost(t, t.TempDir(), glovebox.Options{}).Session("chat-42")
	text := string(samples.Lines(5000))
	file := attach(t, s, "long.txt", []byte(text))
	doc, err := s.Read(t.Context(), file.Resource, &glovebox.ReadOptions{Form: readapi.FormSource, MaxTokens: 700, All: true})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	answers := 0
	for answer, err := range doc.Answers() {
		if err != nil {
			t.Fatal(err)
		}
		answers++
		for _, p := range answer.Parts {
			got.WriteString(p.Text)
		}
	}
	if got.String() != text || answers < 10 {
		t.Errorf("%d answers with %d bytes, want the %d of the file", answers, got.Len(), len(text))
	}
}

// TestHostRefuses: what cannot be appended leaves nothing behind.
func TestHostRefuses(t *testing.T) {
	g := openHost(t, t.TempDir(), glovebox.Options{MaxAttachmentBytes: 1000})
	s := g.Session("chat-42")
	broken := errors.New("the disk of the sender is broken")
	nine := make([]host.NewFile, readapi.MaxAttachments+1)
	for i := range nine {
		nine[i] = glovebox.File(fmt.Sprintf("%d.txt", i), strings.NewReader("text"))
	}
	ok := func() host.NewFile { return glovebox.File("a.txt", strings.NewReader("a text")) }
	for what, c := range map[string]struct {
		message host.Message
		code    readapi.Code
	}{
		"nothing":           {glovebox.User(""), readapi.CodeInvalidRequest},
		"nine files":        {glovebox.User("many", nine...), readapi.CodeInvalidRequest},
		"a large file":      {glovebox.User("large", ok(), glovebox.File("large.txt", bytes.NewReader(make([]byte, 1001)))), readapi.CodeTooLarge},
		"a broken sender":   {glovebox.User("broken", ok(), glovebox.File("b.txt", io.MultiReader(strings.NewReader("half"), &failing{broken}))), readapi.CodeNotFound},
		"a file that grows": {glovebox.User("grown", ok(), host.NewFile{Name: "c.txt", Size: 3, SizeKnown: true, Content: strings.NewReader("four")}), readapi.CodeInvalidRequest},
		"no content":        {glovebox.User("none", ok(), host.NewFile{Name: "d.txt"}), readapi.CodeInvalidRequest},
		"a source":          {glovebox.User("source", host.NewFile{Name: "e.txt", Content: strings.NewReader("e"), Source: "elsewhere"}), readapi.CodeInvalidRequest},
	} {
		if _, err := s.Append(t.Context(), c.message); readapi.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %s", what, err, c.code)
		}
	}
	if n := len(collect(t, s.Attachments(t.Context()))) + len(collect(t, s.Events(t.Context()))); n != 0 {
		t.Errorf("%d rows were left behind", n)
	}
	if _, err := s.Append(t.Context(), glovebox.User("whole", glovebox.File("f.txt", bytes.NewReader(make([]byte, 1000))))); err != nil {
		t.Errorf("a file of exactly the limit: %v", err)
	}
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }

// TestOpenMisuse: what an embedder or the machine can get wrong about the directory has a code.
func TestOpenMisuse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		dir  string
		opts glovebox.Options
		code readapi.Code
	}{
		"no directory":      {"", glovebox.Options{}, readapi.CodeInvalidRequest},
		"a principal":       {t.TempDir(), glovebox.Options{Principal: "a b"}, readapi.CodeInvalidRequest},
		"a negative limit":  {t.TempDir(), glovebox.Options{MaxAttachmentBytes: -1}, readapi.CodeInvalidRequest},
		"a file as a place": {file, glovebox.Options{}, readapi.CodeCapabilityUnavailable},
	} {
		c.opts.CacheDir = testCache(t)
		if g, err := glovebox.Open(t.Context(), c.dir, &c.opts); readapi.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %s", what, err, c.code)
			if err == nil {
				g.Close()
			}
		}
	}
	g := openHost(t, t.TempDir(), glovebox.Options{})
	if _, err := g.Session("a/b").Append(t.Context(), glovebox.User("hello")); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
		t.Errorf("a session id with a slash: %v, want invalid_request", err)
	}
	for range 2 {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := g.Session("a").Append(t.Context(), glovebox.User("hello")); readapi.CodeOf(err) != readapi.CodeCanceled {
		t.Errorf("a closed host: %v, want canceled", err)
	}
}

// TestDataDirectory: nobody else may look into it, and a message is one row set over files by digest.
func TestDataDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := openHost(t, dir, glovebox.Options{}).Session("chat-42")
	for range 3 {
		attach(t, s, "same.txt", []byte("the same content"))
	}
	files := 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", name, info.Mode())
		}
		if b := filepath.Base(name); len(b) == 64 {
			files++
		}
		return nil
	})
	if err != nil || files != 1 {
		t.Errorf("%d files of one content, %v", files, err)
	}
	if n := len(collect(t, s.Attachments(t.Context()))); n != 3 {
		t.Errorf("%d attachments, want 3", n)
	}
}

// TestAudit: the operator hears the real cause of what a stranger was refused.
func TestAudit(t *testing.T) {
	var heard []host.AuditEvent
	dir := t.TempDir()
	g, err := glovebox.Open(t.Context(), dir, &glovebox.Options{CacheDir: testCache(t), Audit: func(e host.AuditEvent) { heard = append(heard, e) }})
	if err != nil {
		t.Fatal(err)
	}
	file := attach(t, g.Session("mine"), "a.txt", []byte("text"))
	for _, uri := range []string{file.Resource, readapi.ArtifactID("nothing").URI()} {
		if _, err := g.Session("yours").Read(context.WithoutCancel(t.Context()), uri, nil); readapi.CodeOf(err) != readapi.CodeNotFound {
			t.Error(err)
		}
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	var causes []string
	for _, e := range heard {
		if e.Op == "read" && e.Code == readapi.CodeNotFound && e.Session == "yours" {
			causes = append(causes, e.Cause)
		}
	}
	if !slices.Equal(causes, []string{host.CauseForeign, host.CauseAbsent}) {
		t.Errorf("causes %v of %+v", causes, heard)
	}
}
