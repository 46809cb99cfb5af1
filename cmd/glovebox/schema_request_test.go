package main

import (
	"encoding/json"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestSchemaRequest holds the schema of what a decoder is asked against all that a Request can say.
func TestSchemaRequest(t *testing.T) {
	schema, err := loadSchema("request")
	if err != nil {
		t.Fatal(err)
	}
	full := readapi.Request{
		Version: 1, MediaType: "text/vcard", Name: "a.vcf", Form: readapi.FormAuto, Units: []readapi.Range{{From: 1, To: 3}, {From: 7}},
		Start: readapi.Position{At: 2, Part: 1, Offset: 9}, Child: []int{2}, MaxTokens: 1, MaxBytes: 2, Unescaped: true, Words: true, Password: "p", MaxFileBytes: 8,
		MaxPixels: 3, MaxSide: 4, MaxFrames: 5, MaxTotalPixels: 6, MaxEdge: 7,
		FitPixels: 8, MaxImageBytes: 9, ImageTypes: readapi.ImageTypes(), ImageCost: "patch:32:1536", Original: true,
	}
	for name, c := range map[string]struct {
		req any
		ok  bool
	}{
		"full":          {full, true},
		"least":         {readapi.Request{Version: 1, MediaType: "text/plain", Form: readapi.FormText}, true},
		"without form":  {map[string]any{"v": 1, "media_type": "text/plain"}, false},
		"other version": {map[string]any{"v": 2, "media_type": "text/plain", "form": "auto"}, false},
		"unknown key":   {map[string]any{"v": 1, "media_type": "text/plain", "form": "auto", "max_word": 1}, false},
	} {
		b, err := json.Marshal(c.req)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(schema, string(b)); (err == nil) != c.ok {
			t.Errorf("%s: %s: %v", name, b, err)
		}
	}
}
