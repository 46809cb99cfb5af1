package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// drain is an append that reads the content of each file, as the host does.
func drain(ctx context.Context, m host.Message) (*glovebox.Appended, error) {
	out := &glovebox.Appended{ID: "m1"}
	for _, f := range m.Files {
		n, err := io.Copy(io.Discard, f.Content)
		if err != nil {
			return nil, readapi.AsError("host.Attach", err)
		}
		out.Files = append(out.Files, readapi.Attachment{
			ID: "a1", Name: readapi.FileName(f.Name), MediaType: "text/plain", Kind: readapi.KindOther, Bytes: n, Status: readapi.StatusLive,
			Resource: readapi.ArtifactID("a1").URI(),
		})
	}
	return out, ctx.Err()
}

// TestAttachInterrupt: a signal ends an attach that waits for its input, at once, before anything is stored, and closes the store.
func TestAttachInterrupt(t *testing.T) {
	stdin, _ := io.Pipe() // nobody ever writes
	var out bytes.Buffer
	k := &fakeKeeper{}
	k.append = func(ctx context.Context, m host.Message) (*glovebox.Appended, error) {
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			t.Error(err)
		}
		return drain(ctx, m)
	}
	a, stderr := keptApp(t, k, stdin, &out)
	if code := a.main([]string{"attach", "--session", "s", "-"}); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	if out.Len()+stderr.Len() > 0 {
		t.Errorf("printed %q and %q", &out, stderr)
	}
	if k.closed.Load() != 1 {
		t.Error("the store was not closed")
	}
}

// TestAttachChanges: a file that does not stay as it is while it is attached is refused, whatever became of it.
func TestAttachChanges(t *testing.T) {
	content := []byte("0123456789")
	for name, c := range map[string]struct {
		before, during func(path string) error
		want           readapi.Code
	}{
		"stays":                          {nil, nil, ""},
		"grows":                          {nil, func(path string) error { return appendTo(path, "x") }, readapi.CodeConflict},
		"grows before it is opened":      {func(path string) error { return appendTo(path, "x") }, nil, readapi.CodeConflict},
		"shrinks":                        {nil, func(path string) error { return os.Truncate(path, 3) }, readapi.CodeConflict},
		"is emptied before it is opened": {func(path string) error { return os.Truncate(path, 0) }, nil, readapi.CodeConflict},
		"is written over": {nil, func(path string) error {
			return errors.Join(os.WriteFile(path, []byte("abcdefghij"), 0o600), os.Chtimes(path, time.Time{}, time.Unix(1, 0)))
		}, readapi.CodeConflict},
		"vanishes before it is opened": {os.Remove, nil, readapi.CodeNotFound},
		"vanishes":                     {nil, os.Remove, ""}, // an open file stays readable
		"becomes a pipe":               {func(path string) error { return errors.Join(os.Remove(path), mkfifo(path)) }, nil, readapi.CodeInvalidRequest},
		"becomes a folder":             {func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) }, nil, readapi.CodeInvalidRequest},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "secret-folder.txt")
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			k := &fakeKeeper{append: func(ctx context.Context, m host.Message) (*glovebox.Appended, error) {
				f := m.Files[0].Content
				if c.before != nil {
					if err := c.before(path); err != nil {
						t.Fatal(err)
					}
				}
				head := make([]byte, 4)
				if _, err := io.ReadFull(f, head); err != nil {
					return nil, err
				}
				if c.during != nil {
					if err := c.during(path); err != nil {
						t.Fatal(err)
					}
				}
				if n, _ := io.ReadFull(f, make([]byte, 7)); n > 6 { // the host stops behind what it was told, and knows no more than that
					return nil, &readapi.Error{Code: readapi.CodeInvalidRequest}
				}
				return drain(ctx, m)
			}}
			var out bytes.Buffer
			a, stderr := keptApp(t, k, nil, &out)
			code := a.main([]string{"attach", "--session", "s", path})
			if want := map[bool]int{true: exitOK, false: exitFailed}[c.want == ""]; code != want {
				t.Errorf("exit code %d: %s", code, stderr)
			}
			if c.want != "" && (!strings.HasPrefix(stderr.String(), "glovebox: "+path+": ") || !strings.Contains(stderr.String(), "("+string(c.want)+")")) {
				t.Errorf("told %q, want %s", stderr, c.want)
			}
		})
	}
}

func appendTo(path, s string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(s)
	return errors.Join(err, f.Close())
}

// TestAttachNames: of several files JSON says which one failed, and people are told the same.
func TestAttachNames(t *testing.T) {
	dir := t.TempDir()
	good, large := filepath.Join(dir, "good"), filepath.Join(dir, "large")
	if err := errors.Join(os.WriteFile(good, []byte("x"), 0o600), os.WriteFile(large, make([]byte, 100), 0o600)); err != nil {
		t.Fatal(err)
	}
	k := &fakeKeeper{append: func(context.Context, host.Message) (*glovebox.Appended, error) {
		return nil, &readapi.Error{Op: "host.Attach", Code: readapi.CodeTooLarge, Limit: &readapi.LimitHit{Name: "max_attachment_bytes", Value: 50, Actual: 100}}
	}}
	var out bytes.Buffer
	a, _ := keptApp(t, k, nil, &out)
	code := a.main([]string{"attach", "--json", "--session", "s", "--max-attachment", "50", good, large})
	if got := out.String(); code != exitFailed || !strings.HasPrefix(got, `{"file":"`+large+`","error":{"code":"too_large"`) || !strings.Contains(got, "--max-attachment raises this limit.") {
		t.Errorf("exit code %d, %s", code, got)
	}
	if k.opts.MaxAttachmentBytes != 50 {
		t.Errorf("the limit is %d", k.opts.MaxAttachmentBytes)
	}
	out.Reset()
	a, stderr := keptApp(t, k, nil, &out)
	if code := a.main([]string{"attach", "--session", "s", good, large}); code != exitFailed || !strings.HasPrefix(stderr.String(), "glovebox: "+large+": ") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// TestReadMixed: files and addresses may stand beside each other; a file alone does not open the data directory, and an address alone does
// not open the reader of files.
func TestReadMixed(t *testing.T) {
	k := &fakeKeeper{read: func(_ context.Context, uri string) (*glovebox.Document, error) {
		d := textDocument("of an address")
		d.URI, d.Name = uri, "a.txt"
		return d, nil
	}}
	var out bytes.Buffer
	a, stderr := keptApp(t, k, strings.NewReader("x"), &out)
	if code := a.main([]string{"read", "--session", "s", "-"}); code != exitOK || k.opened.Load() != 0 {
		t.Errorf("exit code %d, opened %d times: %s", code, k.opened.Load(), stderr)
	}
	uri := readapi.ArtifactID("a1").URI()
	out.Reset()
	a, stderr = keptApp(t, k, strings.NewReader("x"), &out)
	if code := a.main([]string{"read", "--json", "--session", "s", "--max-input", "7MiB", uri, "-"}); code != exitOK {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], `{"file":"`+uri+`","uri":"`+uri+`"`) || !strings.Contains(lines[1], "of a file") {
		t.Errorf("%q", lines)
	}
	if k.opts.Limits.MaxInputBytes != 7<<20 || k.ids[0] != "s" {
		t.Errorf("opened with %+v for %v", k.opts.Limits, k.ids)
	}
	out.Reset()
	a, stderr = keptApp(t, k, nil, &out)
	a.open = func(*glovebox.Options) (reader, error) { return nil, readapi.CodeInternal }
	if code := a.main([]string{"read", "--session", "s", uri}); code != exitOK || !strings.HasPrefix(out.String(), uri+": a.txt, text/plain, ") {
		t.Errorf("exit code %d, %q: %s", code, &out, stderr)
	}
}

// TestPanicByAddress: behind a bug the data directory is not closed, which would wait for the call that never ended.
func TestPanicByAddress(t *testing.T) {
	for _, args := range [][]string{{"read", readapi.ArtifactID("a1").URI()}, {"attach", "-"}} {
		k := &fakeKeeper{stuck: true}
		k.read = func(context.Context, string) (*glovebox.Document, error) { panic("secret /path") }
		k.append = func(context.Context, host.Message) (*glovebox.Appended, error) { panic("secret /path") }
		a, stderr := keptApp(t, k, strings.NewReader("x"), io.Discard)
		if code := a.main(append(args, "--session", "s")); code != exitFailed || !strings.Contains(stderr.String(), "(internal)") || strings.Contains(stderr.String(), "secret") {
			t.Errorf("%v: exit code %d: %s", args, code, stderr)
		}
		if k.closed.Load() != 0 {
			t.Errorf("%v: the data directory was closed", args)
		}
	}
}

// TestDoctorCounts: the number of sessions does not decide how long doctor takes.
func TestDoctorCounts(t *testing.T) {
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, database), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	seen := 0
	k := &fakeKeeper{sessions: func(yield func(store.Session, error) bool) {
		for yield(store.Session{ID: "s"}, nil) {
			seen++
		}
	}}
	var out bytes.Buffer
	a, _ := keptApp(t, k, nil, &out)
	a.open = func(*glovebox.Options) (reader, error) { return nil, readapi.CodeInternal }
	_ = a.main([]string{"doctor", "--data", data})
	if !strings.Contains(out.String(), "1000 sessions or more, 0 files or more of principal local") || seen != mostCounted {
		t.Errorf("%d seen\n%s", seen, &out)
	}
}

// TestStandingLimits: what the environment says of limits holds for each command, so that what one offers another reads.
func TestStandingLimits(t *testing.T) {
	k := &fakeKeeper{append: drain}
	a, stderr := keptApp(t, k, strings.NewReader("x"), io.Discard)
	a.getenv = func(name string) string {
		return map[string]string{"GLOVEBOX_MAX_INPUT": "3MiB", "GLOVEBOX_SESSION": "from-env", "GLOVEBOX_PRINCIPAL": "p", "GLOVEBOX_DATA": "d", "GLOVEBOX_MAX_ATTACHMENT": "9"}[name]
	}
	if code := a.main([]string{"attach", "-"}); code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if k.opts.Limits.MaxInputBytes != 3<<20 || k.ids[0] != "from-env" || k.opts.Principal != "p" || k.dir != "d" || k.opts.MaxAttachmentBytes != 9 {
		t.Errorf("%+v, %v, %q", k.opts, k.ids, k.dir)
	}
}

// TestStoreFailure: a data directory that cannot be used is the environment's fault, whenever that shows; everything else is not.
func TestStoreFailure(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int // but for a corrupt data directory, which cannot be opened at all
	}{
		{&readapi.Error{Code: readapi.CodeCorrupt}, exitFailed},
		{&readapi.Error{Code: readapi.CodeCapabilityUnavailable, Detail: "the data directory cannot be written"}, exitEnvironment},
		{&readapi.Error{Code: readapi.CodeQuotaExceeded, Detail: "the disk is full"}, exitEnvironment},
		{&readapi.Error{Code: readapi.CodeQuotaExceeded, Limit: &readapi.LimitHit{Name: "session_bytes", Value: 1}}, exitFailed},
		{&readapi.Error{Code: readapi.CodeBusy}, exitFailed},
		{&readapi.Error{Code: readapi.CodeNotFound}, exitFailed},
		{errors.New("secret /path"), exitFailed},
	} {
		for _, when := range []string{"open", "append", "close"} {
			k := &fakeKeeper{append: drain}
			a, stderr := keptApp(t, k, strings.NewReader("x"), io.Discard)
			switch when {
			case "open":
				a.openKeeper = func(context.Context, string, *glovebox.Options) (keeper, error) { return nil, c.err }
			case "append":
				k.append = func(context.Context, host.Message) (*glovebox.Appended, error) { return nil, c.err }
			case "close":
				k.closeErr = c.err
			}
			want := c.want
			if when == "open" && errors.Is(c.err, readapi.CodeCorrupt) {
				want = exitEnvironment
			}
			if code := a.main([]string{"attach", "--session", "s", "-"}); code != want {
				t.Errorf("%s, %v: exit code %d", when, c.err, code)
			}
			if strings.Contains(stderr.String(), "secret") || when == "open" && strings.Count(stderr.String(), "data directory") != 1 {
				t.Errorf("%s, %v: told %q", when, c.err, stderr)
			}
		}
	}
}

// TestPump: what comes through is what was there, and a read that waits ends with its context.
func TestPump(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Byte(), 0, 300_000).Draw(t, "content")
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		got, err := io.ReadAll(interruptible(ctx, bytes.NewReader(want)))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes of %d: %v", len(got), len(want), err)
		}
	})
	r, _ := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	p := interruptible(ctx, r)
	cancel()
	if _, err := p.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestMoment(t *testing.T) {
	zone := time.FixedZone("x", 2*60*60)
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, zone)
	for s, want := range map[string]time.Time{
		"0": time.UnixMilli(0), "1767225600000": time.UnixMilli(1767225600000), "2026-03-01T12:00:00Z": time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		"2026-03-01T12:00:00.5+02:00": time.Date(2026, 3, 1, 12, 0, 0, 5e8, zone), "2026-03-01": time.Date(2026, 3, 1, 0, 0, 0, 0, zone),
		"48h": time.Date(2026, 3, 8, 12, 0, 0, 0, zone), "7d": time.Date(2026, 3, 3, 12, 0, 0, 0, zone), "90m": now.Add(-90 * time.Minute), "": {},
	} {
		if got, _, err := moment("since", s, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v, want %v", s, got, err, want)
		}
	}
	for _, s := range []string{"soon", "-1", "-48h", "2026-02-30", "2026-3-1", "1.5d", "d", "-7d", "2026-03-01T12:00:00", " 1", "99999999999999999999"} {
		if got, _, err := moment("since", s, now); err == nil {
			t.Errorf("%q: %v", s, got)
		}
	}
	f := recallFlags{limit: 1, until: "2026-03-01"}
	req, err := f.request([]string{"x"}, now)
	if want := time.Date(2026, 3, 1, 23, 59, 59, 999e6, zone); err != nil || !req.Until.Equal(want) {
		t.Errorf("%v, %v, want %v", req.Until, err, want)
	}
}

// TestHarmless: a terminal gets nothing that it would obey.
func TestHarmless(t *testing.T) {
	for s, want := range map[string]bool{
		"": true, "plain\ttext\n": true, "流水线 😀\n": true, "\x1b[2J": false, "a\rb": false, "\xff": false, "a\u202eb": false, "\x00": false, "\u009b1m": false,
		strings.Repeat("x", maxShown): true, strings.Repeat("x", maxShown+1): false,
	} {
		if harmless([]byte(s)) != want {
			t.Errorf("%.20q: %v", s, !want)
		}
	}
}

// TestWriteNew: a file is written whole or not at all, and never over another.
func TestWriteNew(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new")
	if err := writeNew(path, strings.NewReader("content")); err != nil {
		t.Fatal(err)
	}
	err := writeNew(path, strings.NewReader("other"))
	if got, readErr := os.ReadFile(path); readapi.CodeOf(err) != readapi.CodeInvalidRequest || readErr != nil || string(got) != "content" {
		t.Errorf("%v, %q, %v", err, got, readErr)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := writeNew(filepath.Join(dir, "link"), strings.NewReader("x")); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
		t.Errorf("over a link: %v", err)
	}
	bad := io.MultiReader(strings.NewReader("half"), failingReader{&readapi.Error{Code: readapi.CodeCorrupt}})
	if err := writeNew(filepath.Join(dir, "bad"), bad); readapi.CodeOf(err) != readapi.CodeCorrupt {
		t.Errorf("%v", err)
	}
	if err := writeNew(filepath.Join(dir, "no", "folder"), strings.NewReader("x")); asFailure("", err).exit != exitEnvironment {
		t.Errorf("%v", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := os.WriteFile(filepath.Join(dir, "tmp"), []byte("y"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := claim(root, "tmp", "new"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("claimed a name that is taken: %v", err)
	}
	if err := claim(root, "tmp", "claimed"); err != nil {
		t.Error(err)
	}
	var names []string
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if diff := cmp.Diff([]string{"claimed", "link", "new"}, names); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

func TestAddress(t *testing.T) {
	for in, want := range map[string]string{
		"abc": "maka://runtime/attachments/abc", "maka://runtime/attachments/abc": "maka://runtime/attachments/abc", "a/b": "a/b", "": "",
		"MAKA://runtime/attachments/abc": "MAKA://runtime/attachments/abc",
	} {
		if got := address(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}
