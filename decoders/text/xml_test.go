package text

import (
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/decodertest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func asXML(req *readapi.Request) { req.MediaType = "application/xml" }
func asSVG(req *readapi.Request) { req.MediaType = "image/svg+xml" }

func TestXML(t *testing.T) {
	const names = "root namespace doctype entities external title width height view_box description elements depth well_formed error"
	bomb := "<!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY lol2 \"" + strings.Repeat("&lol;", 100) + "\"><!ENTITY f SYSTEM \"file:///etc/passwd\">]>\n<lolz>&lol2;&f;</lolz>\n"
	for _, c := range []struct {
		in, want string
		svg      bool
	}{
		{in: "<a xmlns='urn:x'><title>T</title></a>\n", want: "root=a namespace=urn:x title=T elements=2 depth=2 well_formed=true"},
		{in: bomb, want: "root=lolz doctype=lolz entities=3 external=[file:///etc/passwd] elements=1 depth=1 well_formed=true"},
		{in: "<a>\n<b></a>\nmore\n", want: "root=a well_formed=false error=map[column:6 line:2 reason:the end tag is not that of the open element]"},
		{in: "no XML at all\n", want: "well_formed=false error=map[column:1 line:1 reason:there is text outside of the root]"},
		{in: `<svg width="10mm" height="20" viewBox="0 0 1 2"><title>A map</title><desc>of it</desc></svg>`, svg: true,
			want: "root=svg title=A map width=10mm height=20 view_box=0 0 1 2 description=of it elements=3 depth=2 well_formed=true"},
	} {
		change := asXML
		if c.svg {
			change = asSVG
		}
		res := read(t, c.in, change)
		if got := factsOf(res, names); got != c.want || textOf(res) != c.in {
			t.Errorf("%q gives\n%s, want\n%s", c.in, got, c.want)
		}
		decodertest.Invariants(t, []byte(c.in), "text", decodeAs("application/xml"))
	}
	large := "<a>" + strings.Repeat("<b>line</b>\n", scanBytes/8) + "</a>"
	head := func(r *readapi.Request) { asXML(r); r.Units = []readapi.Range{{From: 1, To: 2}} }
	if got := factsOf(read(t, large, head), names); got != "root=a" {
		t.Errorf("the head of a large text: %s", got)
	}
	if got := factsOf(read(t, large+"<", asXML), names); !strings.HasPrefix(got, "root=a well_formed=false error=") {
		t.Errorf("all of a large text: %s", got)
	}
}
