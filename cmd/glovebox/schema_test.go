package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/glovebox-wasm/glovebox/readapi"
)

const schemaDir = "../../docs/schema"

// loadSchema compiles a published schema, made strict: an object may have no key that the schema does not describe. To its readers the
// schema promises only that no key goes away; to us it is the list of all keys.
func loadSchema(name string) (*jsonschema.Schema, error) {
	files, err := filepath.Glob(filepath.Join(schemaDir, "*.json"))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.AssertContent()
	for _, path := range files {
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		closeObjects(doc)
		if err := c.AddResource(schemaID+filepath.Base(path), doc); err != nil {
			return nil, err
		}
	}
	return c.Compile(schemaID + name + ".json")
}

// schemaID is what the $id of every schema begins with; the name of its file follows.
const schemaID = "https://github.com/glovebox-wasm/glovebox/docs/schema/"

// closeObjects forbids further keys wherever a schema of an object lists some and does not say that others are welcome.
func closeObjects(v any) {
	switch x := v.(type) {
	case map[string]any:
		if _, said := x["additionalProperties"]; x["type"] == "object" && x["properties"] != nil && !said {
			x["additionalProperties"] = false
		}
		for _, child := range x {
			closeObjects(child)
		}
	case []any:
		for _, child := range x {
			closeObjects(child)
		}
	}
}

func validate(schema *jsonschema.Schema, line string) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
	if err != nil {
		return fmt.Errorf("not one JSON value: %w", err)
	}
	return schema.Validate(v)
}

// TestSchemaDocument holds the schema against what Document can print.
func TestSchemaDocument(t *testing.T) {
	schema, err := loadSchema("document")
	if err != nil {
		t.Fatal(err)
	}
	for name, doc := range map[string]readapi.Document{"full": fullDocument(), "empty": {MediaType: "text/plain", Kind: readapi.KindOther, Unit: readapi.UnitLine}} {
		b, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(schema, string(b)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, line := range map[string]string{
		"unknown key":       `"more":1,`,
		"wrong type":        `"truncated":"no",`,
		"part without text": `"parts":[{"type":"text","at":1}],`,
		"picture twice":     `"parts":[{"type":"image","at":1,"media_type":"image/png","width":1,"height":1,"data":"AA==","file":"x"}],`,
		"part at 0":         `"parts":[{"type":"text","at":0,"text":""}],`,
	} {
		b, err := json.Marshal(fullDocument())
		if err != nil {
			t.Fatal(err)
		}
		// encoding/json and the schema's parser take the last of two equal keys, so the change goes to the end.
		bad := strings.TrimSuffix(string(b), "}") + "," + strings.TrimSuffix(line, ",") + "}"
		if validate(schema, bad) == nil {
			t.Errorf("%s: the schema takes it", name)
		}
	}
}

func fullDocument() readapi.Document {
	digest := strings.Repeat("0a", 32)
	return readapi.Document{
		URI: "maka://runtime/attachments/a", Child: "2/1", Name: "a", MediaType: "text/plain", Kind: readapi.KindOther, Bytes: 1, SHA256: digest, Unit: readapi.UnitLine,
		Total: 3, AtLeast: true, Covers: readapi.Range{From: 1, To: 3}, Next: "x", Truncated: true, Meta: map[string]any{"charset": "utf-8"},
		Parts: []readapi.Part{
			{Type: readapi.PartText, Unit: readapi.UnitLine, At: 1, Offset: 2, Text: "a", EstTokens: 1, Truncated: true},
			{Type: readapi.PartImage, Unit: readapi.UnitLine, At: 2, Image: &readapi.Image{MediaType: "image/png", Width: 1, Height: 1, Bytes: []byte{1}}},
			{Type: readapi.PartImage, Unit: readapi.UnitLine, At: 2, Image: &readapi.Image{MediaType: "image/png", Width: 1, Height: 1, File: "a.png"}},
			{Type: readapi.PartData, Unit: readapi.UnitLine, At: 3, Data: json.RawMessage(`[1]`)},
		},
		Children: []readapi.Child{{N: 1, Name: "b", MediaType: "text/plain", Bytes: 2}},
		Warnings: []readapi.Warning{{Code: readapi.WarnPartial, Detail: "d", At: 1}},
		Decoder:  readapi.DecoderInfo{Name: "text", Version: "1", Digest: digest},
	}
}

// TestSchemaError holds the schema against what an error can print, and its list of codes against the closed list.
func TestSchemaError(t *testing.T) {
	schema, err := loadSchema("error")
	if err != nil {
		t.Fatal(err)
	}
	full := &readapi.Error{
		Op: "host.Read", Code: readapi.CodeBusy, Ref: "pdf", Detail: "d", Hint: "h", Limit: &readapi.LimitHit{Name: "x", Value: 1, Actual: 2}, RetryAfter: 1e9,
	}
	for _, code := range append(readapi.Codes(), "nonsense") {
		e := *full
		e.Code = code
		b, err := json.Marshal(errorDocument{&e})
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(schema, string(b)); (err == nil) != code.Known() {
			t.Errorf("%s: %v", code, err)
		}
	}
	raw, err := os.ReadFile(filepath.Join(schemaDir, "error.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Properties struct {
			Error struct {
				Properties struct {
					Code struct{ Enum []readapi.Code }
				}
			}
		}
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	got, want := doc.Properties.Error.Properties.Code.Enum, readapi.Codes()
	slices.Sort(got)
	slices.Sort(want)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the schema's codes are %v, want %v", got, want)
	}
}
