package glovebox_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/plugins/boxtest"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/testdata/samples"
)

const ownProfiles = `{"version": 1, "profiles": [
	{"name": "tiny", "as_of": "2026-12-01", "source": "us", "max_edge": 120, "max_bytes": 2500, "cost": "patch:10:50", "media_types": ["image/jpeg"]}
]}`

// A profile reaches the decoder of pictures through the wall: of a file, of the pictures of a file's units, by address, and in every answer
// of a walk.
func TestProfileThroughTheWall(t *testing.T) {
	photo, err := samples.Photo(1200, 900)
	if err != nil {
		t.Fatal(err)
	}
	own, err := glovebox.ParseProfiles([]byte(ownProfiles))
	if err != nil {
		t.Fatal(err)
	}
	opts := glovebox.Options{Profiles: own, Profile: "tiny", Decoders: []plugins.Decoder{boxDecoder(t)}}
	check := func(what string, parts []readapi.Part, n int) {
		t.Helper()
		if len(parts) != n {
			t.Errorf("%s: %d pictures, want %d", what, len(parts), n)
		}
		for _, p := range parts {
			m := p.Image
			if m == nil || max(m.Width, m.Height) != 120 || m.MediaType != "image/jpeg" || len(m.Bytes) > 2500 || p.EstTokens != 50 {
				t.Errorf("%s: %+v", what, p)
			}
		}
	}
	r := newReader(t, opts)
	doc, err := readBytes(t, r, photo, "photo.jpg", nil)
	if err != nil {
		t.Fatal(err)
	}
	check("a file", doc.Document.Parts, 1)
	if doc.Usage.EstTokens != 50 || doc.Meta["est_tokens"] != 50.0 {
		t.Errorf("usage says %d tokens, meta %v", doc.Usage.EstTokens, doc.Meta["est_tokens"])
	}

	album := boxtest.Zip("", boxtest.Entry{Name: "a.jpg", Data: photo}, boxtest.Entry{Name: "b.jpg", Data: photo}, boxtest.Entry{Name: "c.jpg", Data: photo})
	doc, err = readBytes(t, r, album, "album.zip", &glovebox.ReadOptions{Form: readapi.FormImage, All: true, MaxTokens: 60})
	if err != nil {
		t.Fatal(err)
	}
	var parts []readapi.Part
	answers := 0
	for d, err := range doc.Answers() {
		if err != nil {
			t.Fatal(err)
		}
		answers++
		parts = append(parts, d.Parts...)
	}
	check("pictures of units", parts, 3)
	if answers != 3 {
		t.Errorf("%d answers of one picture each, want 3", answers)
	}

	doc, err = readBytes(t, r, photo, "photo.jpg", &glovebox.ReadOptions{Profile: glovebox.ProfileOpenAITiles})
	if err != nil || doc.Document.Parts[0].Image.Height != 1200 || doc.Document.Parts[0].EstTokens != 85+170*4 {
		t.Errorf("for another profile: %+v, %v", doc, err)
	}
	_, err = readBytes(t, r, photo, "photo.jpg", &glovebox.ReadOptions{Profile: "gpt"})
	if e, ok := errors.AsType[*readapi.Error](err); !ok || e.Code != readapi.CodeInvalidRequest || !strings.Contains(e.Hint, "tiny") {
		t.Errorf("for one that is not there: %v", err)
	}
	if list := r.Profiles(); list[len(list)-1].Name != "tiny" || list[0].Name != string(glovebox.ProfileClaude) {
		t.Errorf("profiles are %v", list)
	}

	opts.CacheDir = testCache(t)
	g, err := glovebox.Open(t.Context(), t.TempDir(), &opts)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	s := g.Session("chat-1")
	msg, err := s.Append(t.Context(), glovebox.User("", glovebox.File("photo.jpg", bytes.NewReader(photo))))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []glovebox.Profile{"", "safe", ""} { // the answer for one is not kept for another
		doc, err := s.Read(t.Context(), msg.Files[0].Resource, &glovebox.ReadOptions{Profile: p})
		if err != nil {
			t.Fatal(err)
		}
		if p == "" {
			check("by address", doc.Document.Parts, 1)
		} else if doc.Document.Parts[0].Image.Height != 1200 {
			t.Errorf("for %s: %d high", p, doc.Document.Parts[0].Image.Height)
		}
	}
}

func TestProfilesThatCannotBe(t *testing.T) {
	for name, o := range map[string]glovebox.Options{
		"not there":    {Profile: "gpt"},
		"without date": {Profiles: []readapi.Profile{{Name: "mine", Source: "us"}}},
	} {
		if _, err := glovebox.NewReader(&o); !errors.Is(err, readapi.CodeInvalidRequest) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := glovebox.Open(t.Context(), t.TempDir(), &o); !errors.Is(err, readapi.CodeInvalidRequest) {
			t.Errorf("%s, of a host: %v", name, err)
		}
	}
	if _, err := glovebox.ParseProfiles([]byte(`{"version": 1, "profile": []}`)); !errors.Is(err, readapi.CodeInvalidRequest) {
		t.Errorf("a file with a wrong key: %v", err)
	}
}
