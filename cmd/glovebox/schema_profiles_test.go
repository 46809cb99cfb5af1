package main

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/host/profile"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestSchemaProfiles: the schema takes the built-in file, what is printed, and all that a profile can say; and where it refuses, so does the
// reader of such files.
func TestSchemaProfiles(t *testing.T) {
	schema, err := loadSchema("profiles")
	if err != nil {
		t.Fatal(err)
	}
	builtin, err := os.ReadFile("../../host/profile/profiles.json")
	if err != nil {
		t.Fatal(err)
	}
	set, err := profile.NewSet(nil)
	if err != nil {
		t.Fatal(err)
	}
	full := readapi.Profile{
		Name: "mine.v2", AsOf: "2026-12-01", Source: "us", MaxEdge: 1, MaxSide: 2, MaxPixels: 3, MaxBytes: 4, MediaTypes: []readapi.MediaType{"image/png"}, Cost: "patch:1",
		ManyPictures: &readapi.ManyPictures{Over: 5, MaxSide: 6}, MaxPictures: 7, RequestBytes: 8, PDF: &readapi.DocumentLimits{Pages: 9, Bytes: 10},
	}
	for name, doc := range map[string]profilesDocument{"printed": {1, set.List()}, "full": {1, []readapi.Profile{full}}, "none": {1, []readapi.Profile{}}} {
		b, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(schema, string(b)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := glovebox.ParseProfiles(b); err != nil {
			t.Errorf("%s cannot be read again: %v", name, err)
		}
	}
	if err := validate(schema, string(builtin)); err != nil {
		t.Errorf("the built-in profiles: %v", err)
	}
	const head = `{"version":1,"profiles":[{"name":"a","as_of":"2026-12-01","source":"s"`
	for name, line := range map[string]string{
		"unknown key":   head + `,"max_egde":3}]}`,
		"other version": `{"version":2,"profiles":[]}`,
		"no date":       `{"version":1,"profiles":[{"name":"a","source":"s"}]}`,
		"a wrong date":  `{"version":1,"profiles":[{"name":"a","as_of":"2026-13-01","source":"s"}]}`,
		"a wrong name":  `{"version":1,"profiles":[{"name":"A","as_of":"2026-12-01","source":"s"}]}`,
		"a negative":    head + `,"max_edge":-3}]}`,
		"a fraction":    head + `,"max_edge":3.5}]}`,
		"no formula":    head + `,"cost":"area:750"}]}`,
		"no picture":    head + `,"media_types":["text/plain"]}]}`,
		"half of many":  head + `,"many_pictures":{"over":3}}]}`,
		"more in pdf":   head + `,"pdf":{"page":3}}]}`,
	} {
		if validate(schema, line) == nil {
			t.Errorf("%s: the schema takes it", name)
		}
		if _, err := glovebox.ParseProfiles([]byte(line)); err == nil {
			t.Errorf("%s: it is read", name)
		}
	}
}
