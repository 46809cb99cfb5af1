package plugins_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/plugins/hostiletest"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
)

// A module that lies about itself is not installed, and nothing that it says is in the reason.
func TestHostileDescriptions(t *testing.T) {
	says := func(change func(header)) []hostiletest.Frame {
		h := header{"abi": 1, "name": "good", "version": "1.2.3-rc.1+x", "media_types": []string{"text/x-good"}, "unit": "line"}
		change(h)
		return []hostiletest.Frame{{Kind: abi.KindDescribe, Payload: payload(h, "sample")}}
	}
	set := func(k string, v any) []hostiletest.Frame { return says(func(h header) { h[k] = v }) }
	for name, c := range map[string]struct {
		frames []hostiletest.Frame
		ok     bool
	}{
		"a good one":                   {says(func(header) {}), true},
		"silence":                      {nil, false},
		"two":                          {append(says(func(header) {}), says(func(header) {})...), false},
		"a failure":                    {[]hostiletest.Frame{{Kind: abi.KindError, Payload: payload(abi.Failure{Code: readapi.CodeMalformed, Detail: injection}, "")}}, false},
		"an answer":                    {[]hostiletest.Frame{{Kind: abi.KindEnd, Payload: payload(abi.End{}, "")}}, false},
		"a kind of a later version":    {[]hostiletest.Frame{{Kind: 99, Payload: []byte("x")}}, false},
		"no JSON":                      {[]hostiletest.Frame{{Kind: abi.KindDescribe, Payload: long("name=good")}}, false},
		"nested without end":           {[]hostiletest.Frame{{Kind: abi.KindDescribe, Payload: long(`{"abi":` + strings.Repeat("[", 200_000))}}, false},
		"another ABI":                  {set("abi", 2), false},
		"a name that is an order":      {set("name", injection), false},
		"a name with blanks":           {set("name", "good and trusted"), false},
		"no name":                      {set("name", ""), false},
		"a name without end":           {set("name", strings.Repeat("a", 65)), false},
		"a version that is an order":   {set("version", injection), false},
		"a unit that is an order":      {set("unit", "line. "+injection), false},
		"a unit that is a mark":        {set("unit", "---"), false},
		"any type":                     {set("media_types", []string{"*/*"}), false},
		"any image":                    {set("media_types", []string{"image/*"}), false},
		"a type that is not canonical": {set("media_types", []string{"Text/Plain; charset=utf-8"}), false},
		"a type that is an order":      {set("media_types", []string{injection}), false},
		"types without end":            {set("media_types", strings.Fields(strings.Repeat("text/x-good ", 257))), false},
		"no types":                     {set("media_types", []string{}), false},
		"a form that there is not":     {set("forms", []string{"audio"}), false},
		"samples beyond the frame":     {set("samples", []header{{"media_type": "text/x-good", "bytes": 1 << 30}}), false},
		"as many samples as may be":    {set("samples", slices.Repeat([]header{{"media_type": "text/x-good", "bytes": 0}}, 32)), true},
		"samples without end":          {set("samples", slices.Repeat([]header{{"media_type": "text/x-good", "bytes": 0}}, 33)), false},
		"samples below nothing":        {set("samples", []header{{"media_type": "text/x-good", "bytes": -1}}), false},
	} {
		d, err := plugins.FromModule(t.Context(), hostiletest.Describing(c.frames...), &plugins.ModuleOptions{
			Name: "installed", Helper: hostiletest.Helper(t), CacheDir: hostileCache(),
		})
		if c.ok {
			if err != nil || d.Name != "installed" || !d.Foreign {
				t.Errorf("%s: %+v, %v", name, d, err)
			}
			continue
		}
		if code := readapi.CodeOf(err); code != readapi.CodeBadOutput {
			t.Errorf("%s: %v, want bad_output", name, err)
			continue
		}
		if said := asJSON(t, err); strings.Contains(said, "IGNORE") || strings.Contains(said, "passwd") {
			t.Errorf("%s: its words are in the reason: %s", name, said)
		}
	}
}
