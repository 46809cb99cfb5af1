package transfer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// some is a store of three sessions, two of them local.
func some(t *testing.T) Store {
	s := inMemory(t)
	attach(t, s, scopeOf("a"), "a", []byte("one"), []byte("two"))
	attach(t, s, scopeOf("b"), "b", []byte("three"))
	attach(t, s, readapi.Scope{Principal: "zoe", Session: "a"}, "z", []byte("four"))
	_, err := s.Index.SetDecoders(t.Context(), 0, []store.DecoderEntry{{Name: "text", Digest: "d", Enabled: true}})
	check(t, err)
	return s
}

func importInto(t *testing.T, dst Store, text []byte) (*Report, error) {
	t.Helper()
	return Import(t.Context(), dst.Blobs, dst.Index, bytes.NewReader(text), ImportOptions{})
}

// kinds says of each line of an export what it is.
func kinds(text []byte) (list []string) {
	for l := range strings.Lines(string(text)) {
		kind := strings.SplitN(l, `"`, 3)[1]
		list = append(list, kind)
	}
	return list
}

func TestExportSelects(t *testing.T) {
	s := some(t)
	for _, c := range []struct {
		o    ExportOptions
		want string
	}{
		{ExportOptions{}, "glovebox_export decoders session artifact artifact upload upload event session artifact upload event session artifact upload event end"},
		{ExportOptions{Principal: "zoe"}, "glovebox_export session artifact upload event end"},
		{ExportOptions{Sessions: []readapi.SessionID{"b"}}, "glovebox_export session artifact upload event end"},
		{ExportOptions{Principal: "nobody"}, "glovebox_export end"},
	} {
		if got := strings.Join(kinds(exported(t, s, c.o)), " "); got != c.want {
			t.Errorf("%+v:\n got %s\nwant %s", c.o, got, c.want)
		}
	}
	_, err := Export(t.Context(), nil, s.Index, io.Discard, ExportOptions{Sessions: []readapi.SessionID{"absent"}})
	wantCode(t, err, readapi.CodeNotFound)
	_, err = Export(t.Context(), nil, s.Index, iotest.TruncateWriter(refusing{}, 0), ExportOptions{})
	check(t, err)
	if _, err = Export(t.Context(), nil, s.Index, refusing{}, ExportOptions{}); !errors.Is(err, errDied) {
		t.Errorf("an export that nobody took: %v", err)
	}
}

type refusing struct{}

func (refusing) Write([]byte) (int, error) { return 0, errDied }

// Every line is one that docs/schema/export.json describes.
func TestExportSchema(t *testing.T) {
	f, err := os.Open("../../docs/schema/export.json")
	check(t, err)
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	check(t, err)
	closed(doc)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	check(t, c.AddResource("export.json", doc))
	schema, err := c.Compile("export.json")
	check(t, err)
	seen := map[string]bool{}
	for seed := range uint64(3) {
		src := inMemory(t)
		fill(t, src, seed, 60)
		text := exported(t, src, ExportOptions{})
		for l := range strings.Lines(string(text)) {
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(l))
			check(t, err)
			if err := schema.Validate(v); err != nil {
				t.Fatalf("%s: %v", l, err)
			}
		}
		for _, kind := range kinds(text) {
			seen[kind] = true
		}
	}
	if len(seen) != 7 {
		t.Errorf("only lines of %v were seen", seen)
	}
	for _, l := range []string{`{}`, `{"glovebox_export":1,"end":{"sessions":0,"artifacts":0,"uploads":0,"events":0}}`, `{"glovebox_export":1,"later":1}`} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(l))
		check(t, err)
		if schema.Validate(v) == nil {
			t.Errorf("the schema takes %s", l)
		}
	}
}

// closed makes a schema refuse the keys that it does not describe, which a reader must not.
func closed(schema any) {
	switch v := schema.(type) {
	case []any:
		for _, s := range v {
			closed(s)
		}
	case map[string]any:
		for _, s := range v {
			closed(s)
		}
		if _, ok := v["properties"].(map[string]any); ok {
			v["additionalProperties"] = false
		}
	}
}

// An export tells which bytes are missing, and is whole all the same.
func TestExportMissing(t *testing.T) {
	s := some(t)
	var b bytes.Buffer
	r, err := Export(t.Context(), inMemory(t).Blobs, s.Index, &b, ExportOptions{Principal: "local"})
	wantCode(t, err, readapi.CodeCorrupt)
	if r.Failed != 3 || r.Problems[0].Artifact != "a-0" || r.Problems[0].Session != "a" {
		t.Errorf("%+v", r)
	}
	dst := s
	dst.Index = inMemory(t).Index
	if r, err := importInto(t, dst, b.Bytes()); err != nil || r.Artifacts != 3 {
		t.Errorf("%v, %+v", err, r)
	}
	r, err = importInto(t, inMemory(t), b.Bytes())
	wantCode(t, err, readapi.CodeCorrupt)
	if r.Failed != 3 || r.Problems[0].Line != 3 || r.Artifacts != 3 {
		t.Errorf("%+v", r)
	}
}

// Bad lines are reported by number, and all others are in.
func TestImportBadLines(t *testing.T) {
	src := some(t)
	lines := slices.Collect(strings.Lines(string(exported(t, src, ExportOptions{}))))
	long := `{"event":{"seq":9,"id":"long","type":"user","time":"2026-01-01T00:00:00Z","payload":"` + strings.Repeat("x", 1<<17) + `"}}` + "\n"
	for _, c := range []struct {
		bad string
		at  int // behind how many lines
	}{
		{"no JSON\n", 4}, {"{}\n", 4}, {"[1]\n", 4}, {`{"later":{}}` + "\n", 4}, {`{"session":7}` + "\n", 8}, {"\x00\n", 4}, {"\xff\xfe\n", 3},
		{`{"artifact":{"id":"x/y","seq":7,"version":1,"name":"n","source":"user_upload","status":"live","sha256":"zz","created":"2026-01-01T00:00:00Z"}}` + "\n", 3},
		{`{"event":{"seq":-1,"id":"e","type":"user","time":"2026-01-01T00:00:00Z","payload":{}}}` + "\n", 3},
		{`{"event":{"seq":1,"id":"e","type":"user","time":"2026-01-01T00:00:00Z"}}` + "\n", 3},
		{`{"event":{"seq":1,"id":"e","type":"user","time":"0001-01-01T00:00:00Z","payload":{}}}` + "\n", 8},
		{`{"event":{"seq":1,"id":"e","type":"user","time":"2026-01-01T00:00:00Z","payload_text":"{"}}` + "\n", 8},
		{`{"upload":{"id":"?","begin":"b","artifact":"a-0"}}` + "\n", 5}, {`{"upload":{"id":"u9","begin":"b","artifact":"absent"}}` + "\n", 5},
		{`{"session":{"principal":"","session_id":"x"}}` + "\n", 16}, {`{"artifact":{"id":"a"}}` + "\n", 2}, {`{"decoders":[{"name":""}]}` + "\n", 1}, {long, 4},
		{`{"session":{"principal":"p","session_id":"x","created":"2026-01-01T00:00:00Z"}}` + "\n", 16},
	} {
		text := strings.Join(slices.Insert(slices.Clone(lines), c.at, c.bad), "")
		dst := Store{src.Blobs, inMemory(t).Index}
		r, err := Import(t.Context(), dst.Blobs, dst.Index, strings.NewReader(text), ImportOptions{MaxLine: 1 << 16})
		if readapi.CodeOf(err) != readapi.CodeMalformed || r.Failed != 1 || r.Problems[0].Line != int64(c.at)+1 || r.Complete {
			t.Errorf("%.80q: %v, %+v; want line %d", c.bad, err, r, c.at+1)
			continue
		}
		if !strings.Contains(c.bad, "decoders") {
			same(t, c.bad, dst, src)
		}
	}
}

// What is no export, or not the whole of one, is not taken for one.
func TestImportNotWhole(t *testing.T) {
	src := some(t)
	text := exported(t, src, ExportOptions{})
	lines := slices.Collect(strings.Lines(string(text)))
	for what, in := range map[string]string{
		"nothing": "", "a blank line": "\n", "another file": "hello\n", "an event first": lines[7], "no first line": strings.Join(lines[1:], ""),
		"cut off": strings.Join(lines[:9], ""), "cut within a line": string(text[:len(text)-5]), "a line less": strings.Join(append(slices.Clone(lines[:7]), lines[8:]...), ""),
		"a line more": string(text) + lines[7],
	} {
		if _, err := importInto(t, Store{src.Blobs, inMemory(t).Index}, []byte(in)); readapi.CodeOf(err) != readapi.CodeMalformed {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := importInto(t, inMemory(t), []byte(`{"glovebox_export":2}`+"\n"))
	wantCode(t, err, readapi.CodeCapabilityUnavailable)
	if _, err := Import(t.Context(), nil, src.Index, iotest.ErrReader(errDied), ImportOptions{}); !errors.Is(err, errDied) {
		t.Errorf("a reader that fails: %v", err)
	}
	dst := Store{src.Blobs, inMemory(t).Index}
	in := "\ufeff" + strings.ReplaceAll(string(text), "\n", "\r\n\r\n")
	r, err := Import(t.Context(), dst.Blobs, dst.Index, iotest.OneByteReader(strings.NewReader(in)), ImportOptions{})
	if err != nil || !r.Complete {
		t.Fatalf("blank lines and CRLF: %v, %+v", err, r)
	}
	same(t, "blank lines and CRLF", dst, src)
}

// An import that ends anywhere goes on with the next run.
func TestImportDiesAnywhere(t *testing.T) {
	t.Parallel()
	src := inMemory(t)
	fill(t, src, 9, 25)
	text := exported(t, src, ExportOptions{})
	for k := 1; ; k++ {
		index := memindex.New()
		die, _ := dying(k)
		_, err := Import(t.Context(), src.Blobs, over(t, memblob.New(), tappedIndex{index, die}).Index, bytes.NewReader(text), ImportOptions{})
		dst := over(t, memblob.New(), index)
		dst.Blobs = src.Blobs
		if err != nil {
			if _, err := importInto(t, dst, text); err != nil {
				t.Fatalf("died at call %d, then %v", k, err)
			}
		}
		same(t, fmt.Sprint("died at call ", k), dst, src)
		whole(t, dst)
		if err == nil {
			if k < 30 {
				t.Fatalf("a run makes %d calls: this test tests nothing", k)
			}
			return
		}
	}
}

// An old export takes nothing back of what an index has since.
func TestImportOld(t *testing.T) {
	for _, disk := range []bool{false, true} {
		src := some(t)
		text := exported(t, src, ExportOptions{})
		ctx, now := t.Context(), Store{src.Blobs, inMemory(t).Index}
		if disk {
			now.Index = onDisk(t, t.TempDir()).Index
		}
		_, err := importInto(t, now, text)
		check(t, err)
		attach(t, now, scopeOf("a"), "later", []byte("five"))
		_, _, err = now.Index.DeleteArtifact(ctx, scopeOf("a"), "a-1", at(3))
		check(t, err)
		_, _, err = now.Index.MarkSession(ctx, readapi.Scope{Principal: "zoe", Session: "a"}, store.ArchiveSession, at(3))
		check(t, err)
		_, err = now.Index.SetDecoders(ctx, 1, []store.DecoderEntry{{Name: "other"}})
		check(t, err)
		before := dumpOf(t, now.Index)
		r, err := importInto(t, now, text)
		if err != nil || r.Present != 4 {
			t.Fatalf("%v, %+v", err, r)
		}
		if after := dumpOf(t, now.Index); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("an old export changed the index:\n%v\n%v", before, after)
		}
		_, _, err = now.Index.MarkSession(ctx, scopeOf("b"), store.DeleteSession, at(3))
		check(t, err)
		r, err = importInto(t, now, text)
		if wantCode(t, err, readapi.CodeConflict); r.Failed != 1 || r.Problems[0].Session != "b" {
			t.Errorf("%+v", r)
		}
		if s, _, _ := now.Index.Session(ctx, scopeOf("b")); s.Deleted.IsZero() {
			t.Error("an import brought a deleted session back")
		}
	}
}

// A newer export brings the deletions with it.
func TestImportNewer(t *testing.T) {
	src := some(t)
	dst := Store{src.Blobs, inMemory(t).Index}
	_, err := importInto(t, dst, exported(t, src, ExportOptions{}))
	check(t, err)
	attach(t, src, scopeOf("a"), "later", []byte("five"))
	_, _, err = src.Index.DeleteArtifact(t.Context(), scopeOf("a"), "a-1", at(3))
	check(t, err)
	_, _, err = src.Index.MarkSession(t.Context(), scopeOf("b"), store.DeleteSession, at(3))
	check(t, err)
	_, err = importInto(t, dst, exported(t, src, ExportOptions{}))
	check(t, err)
	same(t, "a newer export", dst, src)
}

// Another session under the same id stays as it is.
func TestImportOther(t *testing.T) {
	src, dst := some(t), inMemory(t)
	dst.Blobs = src.Blobs
	attach(t, dst, scopeOf("a"), "theirs", []byte("one"))
	before := dumpOf(t, dst.Index)
	r, err := importInto(t, dst, exported(t, src, ExportOptions{Sessions: []readapi.SessionID{"a"}}))
	if wantCode(t, err, readapi.CodeConflict); r.Failed != 1 || r.Problems[0].Line != 2 {
		t.Errorf("%+v", r)
	}
	if after := dumpOf(t, dst.Index); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Error("an import changed another session")
	}

	// One that began as the same and went on otherwise: what is taken is told by line, the rest of the file is in.
	dst = Store{src.Blobs, inMemory(t).Index}
	_, err = importInto(t, dst, exported(t, src, ExportOptions{}))
	check(t, err)
	attach(t, src, scopeOf("a"), "mine", []byte("one"))
	attach(t, dst, scopeOf("a"), "theirs", []byte("one"))
	r, err = importInto(t, dst, exported(t, src, ExportOptions{}))
	if wantCode(t, err, readapi.CodeConflict); r.Failed != 2 || r.Problems[0].Line != 6 || r.Problems[1].Line != 11 {
		t.Errorf("%+v", r)
	}
	whole(t, dst)
}
