package readapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
)

func TestDataText(t *testing.T) {
	many := strings.Repeat(`"o",`, 21) + `"o"`
	for _, c := range []struct{ data, want string }{
		{`{"links":[{"text":"see","file":"other.pdf"},{"page":3},{"uri":"https://example.org"}]}`, "[link: see -> file other.pdf]\n[link: page 3]\n[link: https://example.org]\n"},
		{`{"fields":[{"name":"c","label":"Colour","type":"choice","value":"red","options":["red","green\n"]}]}`, "[field Colour: red; options: red | green\\u{A}]\n"},
		{`{"fields":[{"name":"c","type":"list","options":[` + many + `]}]}`, "[field c: ; options: o" + strings.Repeat(" | o", 19) + " | and 2 more]\n"},
		{`{"fields":[{"name":"s","type":"signature","signed":false}]}`, "[field s: not signed]\n"},
		{`{"fields":[{"name":"s","type":"signature","signed":true,"signer":"Ann","date":"2026-01-02T03:04:05Z"}]}`, "[field s: signed, by Ann, 2026-01-02T03:04:05Z, not checked]\n"},
		{`{"fields":[{"name":"s","type":"signature","signed":true}]}`, "[field s: signed, not checked]\n"},
		{`{"fields":[{"name":"p","type":"text","password":true}]}`, "[field p: a password, not shown]\n"},
		{`{"fields":[{"name":"go","type":"button","uri":"https://example.org/send"}]}`, "[field go:  -> https://example.org/send]\n"},
		{`{"fields":[{"name":"l","type":"list","value":["a","b"]}]}`, "[field l: [\"a\",\"b\"]]\n"},
	} {
		if got := readapi.DataText(json.RawMessage(c.data), true); got != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.data, got, c.want)
		}
	}
}
