package text

import (
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/decodertest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func TestTitled(t *testing.T) {
	calendar := "BEGIN:VCALENDAR\r\nX-WR-CALNAME;X=1:Pump\r\nBEGIN:VEVENT\r\nSUMMARY:a\r\n BEGIN:VEVENT\r\nEND:VEVENT\r\nbegin:vevent\r\nBEGIN:VTODO\r\nEND:VCALENDAR\r\n"
	card := "BEGIN:VCARD\nVERSION:4.0\nFN:Ada 流\nEND:VCARD\n"
	for _, c := range []struct {
		mt       readapi.MediaType
		in, want string
	}{
		{"text/markdown", "---\ntitle: Résumé # not this\ndate: x\n---\n\n# A\n", "title=Résumé"},
		{"text/markdown", "---\r\nlayout: x\r\ntitle: \"say \\\"hi\\\"\"\r\n---\r\ntext\r\n", `title=say "hi"`},
		{"text/markdown", "---\ntitle: 'it''s'\n---\n", "title=it's"},
		{"text/markdown", "+++\ntitle = \"T\"\n+++\n", "title=T"},
		{"text/markdown", "---\nlayout: x\n---\n\n# Heading #\ntext\n", "title=Heading"},
		{"text/markdown", "\n# The pump\n", "title=The pump"},
		{"text/markdown", "---\ntitle: >\n  folded\n---\n", ""},
		{"text/markdown", "---\ntitle: never closed\n", ""},
		{"text/markdown", "text\n# later\n", ""},
		{"text/markdown", "", ""},
		{"text/calendar", calendar, "title=Pump events=2 tasks=1"},
		{"text/calendar", "prose\n", "events=0"},
		{"text/vcard", card, "title=Ada 流 cards=1"},
		{"text/vcard", card + card, "cards=2"},
		{"text/vcard", strings.Repeat("x", 3*chunkBytes) + "\n" + card, "title=Ada 流 cards=1"},
	} {
		res := read(t, c.in, func(r *readapi.Request) { r.MediaType = c.mt })
		if got := factsOf(res, "title events tasks cards"); got != c.want || len(c.in) < 2000 && textOf(res) != c.in {
			t.Errorf("%.80q gives %q, want %q", c.in, got, c.want)
		}
	}
	for _, in := range []string{calendar, card + card, "---\ntitle: a\n---\n# b\nc\n"} {
		for _, mt := range []readapi.MediaType{"text/markdown", "text/calendar", "text/vcard"} {
			decodertest.Invariants(t, []byte(in), "text", decodeAs(mt))
		}
	}
}
