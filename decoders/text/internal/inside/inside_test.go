package inside

import (
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
)

func TestNames(t *testing.T) {
	for in, want := range map[string]string{`C:\a\b.txt`: "b.txt", "../../etc/passwd": "passwd", "": "", "  ": "", "a/": "a", "a\u202eb": "ab", "/": ""} {
		if got := Name(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

func TestTypes(t *testing.T) {
	for _, c := range []struct {
		said, name string
		want       readapi.MediaType
	}{
		{"text/plain", "a.pdf", "text/plain"}, {"application/octet-stream", "a.PDF", "application/pdf"}, {"", "a.png", "image/png"},
		{"nonsense", "a", readapi.OctetStream}, {"application/x-download", "x.ics", "text/calendar"}, {"Image/PNG; a=b", "", "image/png"},
	} {
		if got := Type(c.said, c.name); got != c.want {
			t.Errorf("%s, %s: %s, want %s", c.said, c.name, got, c.want)
		}
	}
	if Extension("image/jpeg") != ".jpg" || Extension("x/y") != "" {
		t.Error("extensions")
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1.0 kB", 12_345: "12.3 kB", 999_949: "999.9 kB", 999_950: "1.0 MB", 1_049_999: "1.0 MB", 123_456_789: "123.5 MB"} {
		if got := Size(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
