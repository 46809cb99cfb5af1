package readapi_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestFlow: where a part needs a marker of its unit, and what is said of its data.
func TestFlow(t *testing.T) {
	text := func(at int64, s string) readapi.Part { return readapi.Part{Type: readapi.PartText, At: at, Text: s} }
	data := func(at int64, s string) readapi.Part {
		return readapi.Part{Type: readapi.PartData, At: at, Data: json.RawMessage(s)}
	}
	const table, links = `{"table":{"rows":[["a","b"]]}}`, `{"links":[{"uri":"u"}]}`
	for name, c := range map[string]struct {
		unit  readapi.Unit
		total int64
		parts []readapi.Part
		want  string
	}{
		"lines with their table":         {"line", 4, []readapi.Part{text(1, "a\nb\n"), data(2, table), text(3, "c\n"), data(3, links), text(4, "d")}, "a\nb\nc\n[link: u]\nd"},
		"a table behind a line in part":  {"line", 2, []readapi.Part{text(1, "a\nb"), data(2, table)}, "a\nb"},
		"a gap":                          {"line", 9, []readapi.Part{text(1, "a\n"), text(5, "b\n"), data(5, links)}, "a\n<5>b\n[link: u]\n"},
		"lines that end in CR":           {"line", 9, []readapi.Part{text(1, "a\rb\r"), text(3, "c\r\n"), text(4, "d\n"), data(4, table)}, "a\rb\rc\r\nd\n"},
		"data of a line before":          {"line", 9, []readapi.Part{data(4, links), data(4, links), text(5, "e\n")}, "<4>[link: u]\n[link: u]\ne\n"},
		"a table of a line before":       {"line", 9, []readapi.Part{data(4, table), text(5, "e\n")}, "<4>" + table + "\ne\n"},
		"pages":                          {"page", 2, []readapi.Part{text(1, "a"), data(1, table), text(2, "b"), data(2, links)}, "<1>a[table: 1 rows, 2 columns]\n<2>b[link: u]\n"},
		"a page":                         {"page", 1, []readapi.Part{text(1, "a"), data(1, table)}, "a[table: 1 rows, 2 columns]\n"},
		"a page whose text came before":  {"page", 2, []readapi.Part{data(1, table)}, "<1>" + table + "\n"},
		"frames":                         {"frame", 2, []readapi.Part{{Type: readapi.PartImage, At: 1}, {Type: readapi.PartImage, At: 2}}, "<1><2>"},
		"links behind a line that stays": {"line", 3, []readapi.Part{text(1, "a\n"), data(1, links), data(1, links), text(2, "b\n")}, "a\n[link: u]\n[link: u]\nb\n"},
	} {
		flow := readapi.NewFlow(&readapi.Document{Unit: c.unit, Total: c.total})
		var b strings.Builder
		for i := range c.parts {
			if flow.Next(&c.parts[i]) {
				b.WriteString("<" + strconv.FormatInt(c.parts[i].At, 10) + ">")
			}
			b.WriteString(c.parts[i].Text)
			if c.parts[i].Type == readapi.PartData {
				b.WriteString(flow.Words(&c.parts[i]))
			}
		}
		if b.String() != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, b.String(), c.want)
		}
	}
}
