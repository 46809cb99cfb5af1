package readapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// shot is a well-formed attachment; the rows below change one thing about it.
const shot = `{"kind":"image","name":"a.png","mimeType":"image/png","bytes":2048,` +
	`"ref":{"kind":"session_file","sessionId":"s-shot","relativePath":"art_01HQ8Z3K4M5N6P7Q8R9S0T1V2W"}}`

// The three levels differ: what has the shape need not be canonical, and what is canonical need not have an address.
func TestAttachmentRefLevels(t *testing.T) {
	with := func(old, new string) string { return strings.Replace(shot, old, new, 1) }
	ref := func(ref string) string {
		return `{"kind":"image","name":"a.png","mimeType":"image/png","bytes":2048,"ref":` + ref + `}`
	}
	const shape, canonical, address = 1, 2, 3
	for name, c := range map[string]struct {
		raw   string
		level int
	}{
		"as it should be":        {shot, address},
		"no bytes":               {with("2048", "0"), address},
		"integer as exponent":    {with("2048", "2e3"), address},
		"most bytes":             {with("2048", "9007199254740991"), address},
		"unknown kind":           {with(`"image"`, `"video"`), 0},
		"fractional bytes":       {with("2048", "1.5"), 0},
		"negative bytes":         {with("2048", "-1"), 0},
		"bytes 2^53":             {with("2048", "9007199254740992"), 0},
		"bytes as a string":      {with("2048", `"2048"`), 0},
		"bytes NaN":              {with("2048", "NaN"), 0},
		"bytes null":             {with("2048", "null"), 0},
		"extra field":            {with("{", `{"x":1,`), 0},
		"key twice":              {with("{", `{"name":"b",`), 0},
		"key in another case":    {with(`"name"`, `"Name"`), 0},
		"key missing":            {with(`"name":"a.png",`, ""), 0},
		"name null":              {with(`"a.png"`, "null"), 0},
		"name a number":          {with(`"a.png"`, "1"), 0},
		"media type null":        {with(`"image/png"`, "null"), 0},
		"ref null":               {ref("null"), 0},
		"ref missing":            {`{"kind":"image","name":"a.png","mimeType":"image/png","bytes":2048}`, 0},
		"ref with extra field":   {ref(`{"kind":"session_file","sessionId":"s","relativePath":"a","x":1}`), 0},
		"ref of no kind":         {ref(`{"sessionId":"s","relativePath":"a"}`), 0},
		"ref of unknown kind":    {ref(`{"kind":"web","relativePath":"a"}`), 0},
		"session_context":        {ref(`{"kind":"session_context","relativePath":"a"}`), 0},
		"session file, no id":    {ref(`{"kind":"session_file","relativePath":"a"}`), 0},
		"workspace file with id": {ref(`{"kind":"workspace_file","sessionId":"s","relativePath":"a"}`), 0},
		"not an object":          {`["image"]`, 0},
		"null":                   {`null`, 0},
		"nothing":                {``, 0},
		"cut":                    {shot[:40], 0},
		"two values":             {shot + shot, 0},

		"empty name":              {with(`"a.png"`, `""`), shape},
		"empty media type":        {with(`"image/png"`, `""`), shape},
		"relative path climbs":    {ref(`{"kind":"workspace_file","relativePath":"a/../b"}`), shape},
		"path is a dot":           {ref(`{"kind":"workspace_file","relativePath":"./b"}`), shape},
		"path is empty":           {ref(`{"kind":"workspace_file","relativePath":""}`), shape},
		"path has an empty part":  {ref(`{"kind":"workspace_file","relativePath":"a//b"}`), shape},
		"path ends in a slash":    {ref(`{"kind":"workspace_file","relativePath":"a/"}`), shape},
		"path begins with one":    {ref(`{"kind":"workspace_file","relativePath":"/a"}`), shape},
		"path with a backslash":   {ref(`{"kind":"workspace_file","relativePath":"a\\b"}`), shape},
		"path with a NUL":         {ref(`{"kind":"workspace_file","relativePath":"a\u0000b"}`), shape},
		"drive letter":            {ref(`{"kind":"workspace_file","relativePath":"C:x"}`), shape},
		"external is relative":    {ref(`{"kind":"external_file","absolutePath":"tmp/a"}`), shape},
		"external is a drive":     {ref(`{"kind":"external_file","absolutePath":"C:"}`), shape},
		"session id with a slash": {ref(`{"kind":"session_file","sessionId":"a/b","relativePath":"art_1"}`), shape},
		"session id is empty":     {ref(`{"kind":"session_file","sessionId":"","relativePath":"art_1"}`), shape},
		"session file climbs":     {ref(`{"kind":"session_file","sessionId":"session-1","relativePath":"../secret"}`), shape},

		"in a folder":          {ref(`{"kind":"session_file","sessionId":"s1","relativePath":"dir/x.png"}`), canonical},
		"with a dot":           {ref(`{"kind":"session_file","sessionId":"s1","relativePath":"x.png"}`), canonical},
		"id too long":          {ref(`{"kind":"session_file","sessionId":"s1","relativePath":"` + strings.Repeat("a", 129) + `"}`), canonical},
		"workspace file":       {ref(`{"kind":"workspace_file","relativePath":"notes"}`), canonical},
		"external file":        {ref(`{"kind":"external_file","absolutePath":"/srv/files/notes.md"}`), canonical},
		"external drive":       {ref(`{"kind":"external_file","absolutePath":"C:\\a"}`), canonical},
		"external drive slash": {ref(`{"kind":"external_file","absolutePath":"c:/a"}`), canonical},
		"external share":       {ref(`{"kind":"external_file","absolutePath":"\\\\host\\a"}`), canonical},

		"longest id": {ref(`{"kind":"session_file","sessionId":"s1","relativePath":"` + strings.Repeat("a", 128) + `"}`), address},
	} {
		a, ok := readapi.ParseAttachmentRef(json.RawMessage(c.raw))
		level := 0
		if ok {
			level = shape
			if a.Canonical() {
				level = canonical
			}
			if _, _, is := a.Address(); is {
				level = address
			}
		}
		if level != c.level {
			t.Errorf("%s: level %d, want %d (0 nothing, 1 shape, 2 canonical, 3 address): %s", name, level, c.level, c.raw)
		}
	}
}

func TestAttachmentRefAddress(t *testing.T) {
	a, ok := readapi.ParseAttachmentRef(json.RawMessage(shot))
	if !ok {
		t.Fatal("not an attachment")
	}
	session, id, ok := a.Address()
	if !ok || session != "s-shot" || id.URI() != "maka://runtime/attachments/art_01HQ8Z3K4M5N6P7Q8R9S0T1V2W" {
		t.Errorf("got %s, %s, %v", session, id, ok)
	}
	if strings.Contains(id.URI(), "s-shot") {
		t.Errorf("the address %s names its session", id.URI())
	}
}

// What an owner is shown as a file is what a message may carry.
func TestAttachmentRefOfAttachment(t *testing.T) {
	a := readapi.Attachment{ID: "a1", Name: "q3 <b> & c.pdf", MediaType: "application/pdf", Kind: readapi.KindPDF, Bytes: 7}
	b, err := json.Marshal(a.Ref("s1"))
	if err != nil {
		t.Fatal(err)
	}
	back, ok := readapi.ParseAttachmentRef(b)
	session, id, addressed := back.Address()
	if !ok || back != a.Ref("s1") || !addressed || session != "s1" || id != "a1" {
		t.Errorf("%s is %+v, %v", b, back, ok)
	}
}

// Whatever is accepted is written as exactly the same attachment again, and a higher level implies the lower ones.
func FuzzParseAttachmentRef(f *testing.F) {
	for _, s := range []string{
		shot, `null`, `{"kind":"doc","name":"","mimeType":"","bytes":1e2,"ref":{"kind":"external_file","absolutePath":"/a"}}`,
		`{"kind":"doc","name":"n","mimeType":"m","bytes":0,"ref":{"kind":"workspace_file","relativePath":"a/b"}}`, `{"bytes":1.5}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, ok := readapi.ParseAttachmentRef(raw)
		if !ok {
			if a != (readapi.AttachmentRef{}) {
				t.Fatalf("refused, and yet %+v", a)
			}
			return
		}
		if a.Bytes < 0 || a.Bytes >= 1<<53 || !a.Kind.Valid() {
			t.Fatalf("%+v", a)
		}
		b, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if again, ok := readapi.ParseAttachmentRef(b); a.Canonical() && (!ok || again != a) {
			t.Fatalf("%s became %s: %+v, %v", raw, b, again, ok)
		}
		session, id, ok := a.Address()
		if ok && (!a.Canonical() || !session.Valid() || !id.Valid()) || !ok && (session != "" || id != "") {
			t.Fatalf("%+v has the address %s, %s", a, session, id)
		}
	})
}
