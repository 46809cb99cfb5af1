package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Numbers that overflow where they are summed are bad lines: the counts that quotas are held against stay what the rows say.
func TestImportLargeNumbers(t *testing.T) {
	const huge = "9223372036854775807"
	for _, dst := range []Store{inMemory(t), onDisk(t, t.TempDir())} {
		attach(t, dst, scopeOf("mine"), "m", []byte("12345"))
		own, all, err := dst.Index.Usage(t.Context(), readapi.LocalPrincipal)
		check(t, err)
		var b strings.Builder
		b.WriteString(`{"glovebox_export":1,"created":"2026-01-01T00:00:00Z"}` + "\n")
		b.WriteString(`{"session":{"principal":"local","session_id":"s","messages":0,"created":"2026-01-01T00:00:00Z","updated":"2026-01-01T00:00:00Z","last_event":-1}}` + "\n")
		artifact := `{"artifact":{"id":"a%d","seq":%s,"version":%s,"sha256":"%s","bytes":%s,"name":"a","kind":"doc","source":"user_upload","status":"live",` +
			`"media_type":"text/plain","created":"2026-01-01T00:00:00Z"}}` + "\n"
		for i, c := range [][3]string{{"0", "1", huge}, {"1", "2", huge}, {"2", "3", huge}, {huge, "1", "0"}, {"4", huge, "0"}} {
			fmt.Fprintf(&b, artifact, i, c[0], c[1], strings.Repeat(fmt.Sprint(i), 64), c[2])
		}
		b.WriteString(`{"event":{"seq":` + huge + `,"id":"e","type":"user","time":"2026-01-01T00:00:00Z","payload":{"id":"e"}}}` + "\n")
		b.WriteString(`{"end":{"sessions":1,"artifacts":5,"uploads":0,"events":1}}` + "\n")
		report, err := Import(t.Context(), nil, dst.Index, strings.NewReader(b.String()), ImportOptions{})
		wantCode(t, err, readapi.CodeMalformed)
		if report.Failed != 6 {
			t.Errorf("%d bad lines: %+v", report.Failed, report.Problems)
		}
		now, total, err := dst.Index.Usage(t.Context(), readapi.LocalPrincipal)
		if check(t, err); now != own || total != all {
			t.Errorf("the counts are %+v of %+v, and were %+v of %+v", now, total, own, all)
		}
		attach(t, dst, scopeOf("s"), "s", []byte("more"))
	}
}

// What waits to be put into the index is bounded by its bytes, whatever they are of.
func TestImportLargeLines(t *testing.T) {
	const lines = 40
	var b strings.Builder
	b.WriteString(`{"glovebox_export":1}` + "\n")
	b.WriteString(`{"session":{"principal":"local","session_id":"s","messages":0,"created":"2026-01-01T00:00:00Z","updated":"2026-01-01T00:00:00Z","last_event":-1}}` + "\n")
	for i := range lines {
		fmt.Fprintf(&b, `{"artifact":{"id":"a%d","seq":%d,"version":1,"sha256":"%064d","bytes":1,"name":"%s","kind":"doc","source":"user_upload","status":"live",`+
			`"media_type":"text/plain","created":"2026-01-01T00:00:00Z"}}`+"\n", i, i, i, strings.Repeat("x", 1<<20))
	}
	fmt.Fprintf(&b, `{"end":{"sessions":1,"artifacts":%d,"uploads":0,"events":0}}`+"\n", lines)
	driver := &weighing{IndexDriver: memindex.New()}
	index, err := store.NewIndex(driver)
	check(t, err)
	report, err := Import(t.Context(), nil, index, strings.NewReader(b.String()), ImportOptions{})
	if check(t, err); report.Artifacts != lines {
		t.Errorf("%d artifacts", report.Artifacts)
	}
	if driver.most > 2*pendingBytes {
		t.Errorf("%d MiB of names were put in one step", driver.most>>20)
	}
}

// weighing knows how many bytes of names there were in one Load at most.
type weighing struct {
	store.IndexDriver
	most int
}

func (d *weighing) Load(ctx context.Context, s store.Session, artifacts []store.Artifact, events []store.Event, uploads []store.Upload) error {
	n := 0
	for _, a := range artifacts {
		n += len(a.Name)
	}
	d.most = max(d.most, n)
	return d.IndexDriver.Load(ctx, s, artifacts, events, uploads)
}

// A name is a file's name here, whatever an export says: no path, no line's end, nothing that turns text around. What is one already stays.
func TestImportNames(t *testing.T) {
	for _, name := range []string{"../../etc/passwd", "a\nb.txt", "C:\\x.txt", "\u202egpj.exe", "", "q3 report.pdf", "名前.txt"} {
		said, err := json.Marshal(name)
		check(t, err)
		text := `{"glovebox_export":1}` + "\n" +
			`{"session":{"principal":"local","session_id":"s","messages":0,"created":"2026-01-01T00:00:00Z","updated":"2026-01-01T00:00:00Z","last_event":-1}}` + "\n" +
			`{"artifact":{"id":"a","seq":0,"version":1,"sha256":"` + strings.Repeat("0", 64) + `","bytes":1,"name":` + string(said) +
			`,"kind":"doc","source":"user_upload","status":"live","media_type":"text/plain","created":"2026-01-01T00:00:00Z"}}` + "\n" +
			`{"end":{"sessions":1,"artifacts":1,"uploads":0,"events":0}}` + "\n"
		dst := inMemory(t)
		_, err = Import(t.Context(), nil, dst.Index, strings.NewReader(text), ImportOptions{})
		check(t, err)
		rows, _, err := dst.Index.ListArtifacts(t.Context(), scopeOf("s"), -1, 0)
		if check(t, err); len(rows) != 1 || rows[0].Name != readapi.FileName(name) {
			t.Errorf("%q: %+v", name, rows)
		}
	}
}
