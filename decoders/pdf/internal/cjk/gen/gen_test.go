package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/cjk"
)

const archive = "../source/cmaps.zip"

// TestGenerated holds that tables.bin is what gen makes.
func TestGenerated(t *testing.T) {
	want, err := Tables(archive)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../tables.bin")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("tables.bin is stale: %d bytes, gen makes %d; run go generate ./decoders/pdf/internal/cjk", len(got), len(want))
	}
	if len(got) > 350<<10 {
		t.Errorf("%d bytes of tables in the module", len(got))
	}
}

// TestTables asks the packed tables for every code and every identifier of the resources, and for those between.
func TestTables(t *testing.T) {
	all, err := read(archive)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Fatalf("%d resources", len(all))
	}
	for _, c := range all {
		if len(c.texts) > 0 {
			checkTexts(t, c)
			continue
		}
		m := cjk.Load(c.name)
		if m == nil || m.Collection != c.collection || m.Vertical != c.vertical || len(m.Spaces) != len(c.spaces) {
			t.Errorf("%s: %+v", c.name, m)
			continue
		}
		check := func(v uint32) {
			want, known := c.cids[v]
			if got, ok := m.CID(v); got != want || ok != known {
				t.Fatalf("%s: %x is %d %v, want %d %v", c.name, v, got, ok, want, known)
			}
		}
		for v := range c.cids {
			check(v)
			check(v + 1)
		}
		for v := range uint32(0x10000) {
			check(v)
		}
	}
}

func checkTexts(t *testing.T, c *resource) {
	chars := cjk.LoadCharacters(c.collection)
	if chars == nil {
		t.Fatalf("no characters of %s", c.collection)
	}
	for cid := range uint32(30000) {
		want := string(c.texts[cid])
		if strings.ContainsFunc(want, func(r rune) bool { return unicode.Is(unicode.Variation_Selector, r) }) {
			t.Errorf("%s: %d is %q, with a selector", c.collection, cid, want)
		}
		if want == "\ufffd" || want == "\x00" {
			want = ""
		}
		if want == "" && c.texts[cid] == nil { // only the Unicode CMap may know it
			continue
		}
		if got, _ := chars.Append(nil, cid); string(got) != want {
			t.Fatalf("%s: %d is %q, want %q", c.collection, cid, got, want)
		}
	}
}
