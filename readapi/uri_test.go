package readapi_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
	"pgregory.net/rapid"
)

func TestParseURI(t *testing.T) {
	long := strings.Repeat("a", 128)
	for _, id := range []string{"A_-9", "x", long, "-", "_"} {
		got, err := readapi.ParseURI(readapi.URIPrefix + id)
		if err != nil || string(got) != id || got.URI() != readapi.URIPrefix+id {
			t.Errorf("ParseURI(…%s) = %q, %v", id, got, err)
		}
	}
	for _, s := range []string{
		"", "a", "maka://runtime/attachments/", "maka://runtime/attachments/a/", "maka://runtime/attachments/a/b",
		"maka://runtime/attachments/a?", "maka://runtime/attachments/a?session=other", "maka://runtime/attachments/a#f",
		"maka://Runtime/attachments/a", "MAKA://runtime/attachments/a", "maka://runtime:80/attachments/a", "maka://u@runtime/attachments/a",
		"maka:/runtime/attachments/a", "maka://runtime/attachments/a.b", "maka://runtime/attachments/é", "maka://runtime//attachments/a",
		"maka://runtime/attachments/a\n", " maka://runtime/attachments/a", "maka://runtime/attachments/../x", "maka://runtime/attachments/%61",
		"maka://runtime/attachments/art%5F1", "maka://runtime./attachments/a", "mаka://runtime/attachments/a", "maka://runtime／attachments/a",
		"maka://runtime/attachments/a\x00", "file:///etc/passwd", readapi.URIPrefix + long + "a",
	} {
		if got, err := readapi.ParseURI(s); !errors.Is(err, readapi.CodeInvalidURI) || got != "" {
			t.Errorf("ParseURI(%q) = %q, %v, want invalid_uri", s, got, err)
		}
	}
}

func TestParseURIPrefix(t *testing.T) {
	if id, err := readapi.ParseURIPrefix("acme://files/", "acme://files/a1"); err != nil || id != "a1" {
		t.Errorf("got %q, %v", id, err)
	}
	if _, err := readapi.ParseURIPrefix("acme://files/", readapi.URIPrefix+"a1"); readapi.CodeOf(err) != readapi.CodeInvalidURI {
		t.Errorf("got %v, want invalid_uri", err)
	}
}

// Whatever is accepted prints as exactly what was parsed: there is one spelling.
func TestURIOneSpelling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringMatching(`maka://runtime/attachments/[A-Za-z0-9_\-.%/]{0,140}`)).Draw(t, "s")
		id, err := readapi.ParseURI(s)
		if err == nil && id.URI() != s {
			t.Fatalf("%q parsed as %q", s, id)
		}
		if err == nil != (strings.HasPrefix(s, readapi.URIPrefix) && readapi.ArtifactID(strings.TrimPrefix(s, readapi.URIPrefix)).Valid()) {
			t.Fatalf("%q: %v", s, err)
		}
	})
}

func FuzzParseURI(f *testing.F) {
	for _, s := range []string{readapi.URIPrefix + "a", readapi.URIPrefix, readapi.URIPrefix + "a/b", "maka://runtime/attachments/%61", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := readapi.ParseURI(s)
		if err == nil && (id.URI() != s || !id.Valid()) {
			t.Fatalf("%q parsed as %q", s, id)
		}
		if err != nil && readapi.CodeOf(err) != readapi.CodeInvalidURI {
			t.Fatalf("%q: %v", s, err)
		}
	})
}

func TestValidURIPrefix(t *testing.T) {
	long := "a://" + strings.Repeat("x", 252)
	for prefix, want := range map[string]bool{
		readapi.URIPrefix: true, "a://": true, "x-y.z+1://Host:80/a_b~c/": true, long: true,
		"": false, "a": false, "://": false, "://a": false, "1a://": false, "A://": false, "a b://": false, long + "x": false, "a://b c/": false, "a://\n": false,
		"a://{": false, "a://}": false, "a://%20/": false, "a://é/": false, "a://?": false, "a://#": false, "a://\"": false, "a://\x00": false,
	} {
		if got := readapi.ValidURIPrefix(prefix); got != want {
			t.Errorf("%q: %v, want %v", prefix, got, want)
		}
	}
}
