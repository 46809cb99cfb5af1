package transfer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// liveIn returns how many files of a session are live.
func liveIn(t *testing.T, s Store, scope readapi.Scope) (n int) {
	t.Helper()
	rows, _, err := s.Index.ListArtifacts(t.Context(), scope, -1, 0)
	check(t, err)
	for _, a := range rows {
		if a.Status == readapi.StatusLive {
			n++
		}
	}
	return n
}

// deletedBy deletes a session of a store.
func deletedBy(t *testing.T, s Store, scope readapi.Scope) {
	t.Helper()
	_, ok, err := s.Index.MarkSession(t.Context(), scope, store.DeleteSession, removedAt.AddDate(50, 0, 0))
	if check(t, err); !ok {
		t.Fatal("there is no such session")
	}
}

// A session that was deleted where the export was made is deleted here with all of its files, those too that the export does not know.
func TestImportDeletedSession(t *testing.T) {
	s := some(t)
	dst := inMemory(t)
	_, _ = importInto(t, dst, exported(t, s, ExportOptions{})) // the bytes are not there
	blob, _, err := dst.Blobs.Put(t.Context(), strings.NewReader("five"), store.PutOptions{Max: 4})
	check(t, err)
	check(t, dst.Index.LeaseBlobs(t.Context(), "h", []string{blob.SHA256}, leaseTTL))
	_, err = dst.Index.Append(t.Context(), scopeOf("a"), store.Batch{Holder: "h", Artifacts: []store.Artifact{{
		ID: "more", Blob: blob.SHA256, Bytes: blob.Size, Name: "more", Source: store.SourceUserUpload, Created: at(1)}}})
	check(t, err)
	deletedBy(t, s, scopeOf("a"))
	_, _ = importInto(t, dst, exported(t, s, ExportOptions{}))
	now, _, err := dst.Index.Session(t.Context(), scopeOf("a"))
	if check(t, err); now.Deleted.IsZero() {
		t.Fatal("the session is not deleted")
	}
	if n := liveIn(t, dst, scopeOf("a")); n > 0 {
		t.Errorf("%d files of a deleted session are live", n)
	}
}

// What says that it is a live file of a deleted session is a bad line.
func TestImportLiveOfDeleted(t *testing.T) {
	s := some(t)
	deletedBy(t, s, scopeOf("a"))
	text := strings.ReplaceAll(string(exported(t, s, ExportOptions{})), `"status":"deleted"`, `"status":"live"`)
	var lines []string
	for l := range strings.Lines(text) {
		if at := strings.Index(l, `,"deleted":"`); strings.HasPrefix(l, `{"artifact"`) && at > 0 {
			l = l[:at] + l[at+strings.IndexByte(l[at+len(`,"deleted":"`):], '"')+len(`,"deleted":"`)+1:]
		}
		lines = append(lines, l)
	}
	dst := inMemory(t)
	_, err := importInto(t, dst, []byte(strings.Join(lines, "")))
	if err == nil {
		t.Error("nobody was told")
	}
	if n := liveIn(t, dst, scopeOf("a")); n > 0 {
		t.Errorf("%d files of a deleted session are live", n)
	}
	if n := liveIn(t, dst, scopeOf("b")); n != 1 {
		t.Errorf("%d files of another session", n)
	}
}

// The same where a session is copied to a store that has more of it.
func TestMigrateDeletedSession(t *testing.T) {
	s, dst := some(t), inMemory(t)
	_, err := Migrate(t.Context(), s, dst, MigrateOptions{})
	check(t, err)
	blob, _, err := dst.Blobs.Put(t.Context(), strings.NewReader("five"), store.PutOptions{Max: 4})
	check(t, err)
	check(t, dst.Index.LeaseBlobs(t.Context(), "h", []string{blob.SHA256}, leaseTTL))
	_, err = dst.Index.Append(t.Context(), scopeOf("a"), store.Batch{Holder: "h", Artifacts: []store.Artifact{{
		ID: "more", Blob: blob.SHA256, Bytes: blob.Size, Name: "more", Source: store.SourceUserUpload, Created: at(1)}}})
	check(t, err)
	deletedBy(t, s, scopeOf("a"))
	_, _ = Migrate(t.Context(), s, dst, MigrateOptions{})
	if n := liveIn(t, dst, scopeOf("a")); n > 0 {
		t.Errorf("%d files of a deleted session are live", n)
	}
}

// Who does not know a session cannot delete it, nor add to what was said in it: an export must know its first event.
func TestImportForgedSession(t *testing.T) {
	const day = `"2026-01-01T00:00:00Z"`
	event := func(seq int) string {
		return fmt.Sprintf(`{"event":{"seq":%d,"id":"forged","type":"user","time":%s,"message":true,"payload":{"id":"forged"}}}`, seq, day)
	}
	for what, lines := range map[string][]string{
		"deletes it":                     {`"deleted":` + day + `,"last_event":-1`},
		"deletes it, and names an event": {`"deleted":` + day + `,"first_event":"other","last_event":9`},
		"adds to it":                     {`"last_event":9`, event(1)},
		"adds behind its end":            {`"last_event":-1`, event(1)},
	} {
		dst := inMemory(t)
		attach(t, dst, scopeOf("a"), "a", []byte("one"))
		was, _, err := dst.Index.Session(t.Context(), scopeOf("a"))
		check(t, err)
		text := `{"glovebox_export":1}` + "\n" +
			`{"session":{"principal":"local","session_id":"a","messages":0,"created":` + day + `,"updated":` + day + `,` + lines[0] + "}}\n" +
			strings.Join(lines[1:], "\n") + "\n" + fmt.Sprintf(`{"end":{"sessions":1,"artifacts":0,"uploads":0,"events":%d}}`, len(lines)-1) + "\n"
		if _, err = importInto(t, dst, []byte(text)); err == nil {
			t.Errorf("%s: nobody was told", what)
		}
		now, _, err := dst.Index.Session(t.Context(), scopeOf("a"))
		if check(t, err); now != was {
			t.Errorf("%s: the session is %+v, and was %+v", what, now, was)
		}
		if _, ok, err := dst.Index.Event(t.Context(), scopeOf("a"), "forged"); ok || err != nil || liveIn(t, dst, scopeOf("a")) != 1 {
			t.Errorf("%s: the event is there: %v, %v; or the file is not", what, ok, err)
		}
	}
}
