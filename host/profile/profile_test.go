package profile_test

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/profile"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func set(t *testing.T, more ...readapi.Profile) *profile.Set {
	t.Helper()
	s, err := profile.NewSet(more)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func find(t *testing.T, s *profile.Set, name string) readapi.Profile {
	t.Helper()
	p, err := s.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestBuiltin holds the table to what the providers' pages say.
func TestBuiltin(t *testing.T) {
	s := set(t)
	if got, want := s.Names(), []string{"claude", "openai", "openai-tiles", "gemini", "safe"}; !slices.Equal(got, want) {
		t.Fatalf("profiles are %v, want %v", got, want)
	}
	claude, openai, gemini, safe := find(t, s, "claude"), find(t, s, "openai"), find(t, s, "gemini"), find(t, s, profile.Safe)
	switch {
	case claude.MaxEdge != 1568 || claude.MaxSide != 8000 || claude.MaxBytes != 3_750_000 || claude.RequestBytes != 32_000_000:
		t.Errorf("claude: %+v", claude)
	case claude.ManyPictures == nil || *claude.ManyPictures != readapi.ManyPictures{Over: 20, MaxSide: 2000}:
		t.Errorf("claude, many pictures: %+v", claude.ManyPictures)
	case openai.Cost != "patch:32:1536" || openai.MaxPixels != 1536*32*32:
		t.Errorf("openai: %+v", openai)
	case slices.Contains(gemini.MediaTypes, "image/gif"):
		t.Error("gemini takes GIF")
	}
	if got := profile.OutputTypes(gemini); !slices.Equal(got, readapi.ImageTypes()) {
		t.Errorf("pictures for gemini leave as %v", got)
	}
	for _, p := range s.List() {
		day, err := time.Parse(time.DateOnly, p.AsOf)
		if err != nil || day.Before(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) || p.Source == "" {
			t.Errorf("%s: as of %q, from %q", p.Name, p.AsOf, p.Source)
		}
		// What is safe fits them all.
		switch {
		case p.MaxSide > 0 && p.MaxSide < safe.MaxSide && p.Name != "safe", p.MaxBytes < safe.MaxBytes, p.RequestBytes < safe.RequestBytes, p.MaxPictures < safe.MaxPictures:
			t.Errorf("safe is not safe for %s", p.Name)
		case p.ManyPictures != nil && p.ManyPictures.Over < safe.MaxPictures && p.ManyPictures.MaxSide < safe.MaxEdge:
			t.Errorf("safe is not safe for %s with many pictures", p.Name)
		}
		for _, m := range safe.MediaTypes {
			if !slices.Contains(p.MediaTypes, m) {
				t.Errorf("%s does not take %s", p.Name, m)
			}
		}
	}
}

func TestFindTellsTheNames(t *testing.T) {
	_, err := set(t, own("mine")).Find("gpt")
	e, ok := errors.AsType[*readapi.Error](err)
	if !ok || e.Code != readapi.CodeInvalidRequest || !strings.Contains(e.Hint, "claude, openai, openai-tiles, gemini, safe, mine") {
		t.Errorf("got %v", err)
	}
}

func own(name string) readapi.Profile {
	return readapi.Profile{Name: name, AsOf: "2026-12-01", Source: "us"}
}

func TestMerge(t *testing.T) {
	changed := own("claude")
	changed.MaxEdge = 2000
	mine := own("mine")
	mine.MediaTypes, mine.Cost = []readapi.MediaType{"image/jpeg"}, "patch:16"
	s := set(t, changed, mine)
	base, got := find(t, set(t), "claude"), find(t, s, "claude")
	base.MaxEdge, base.AsOf, base.Source = 2000, "2026-12-01", "us"
	if !reflect.DeepEqual(got, base) {
		t.Errorf("got %+v, want %+v", got, base)
	}
	if got = find(t, s, "mine"); got.Cost != "patch:16" || got.MaxBytes != 3_750_000 || len(got.MediaTypes) != 1 || s.Names()[5] != "mine" {
		t.Errorf("a new one is %+v", got)
	}
	got.MediaTypes[0] = "image/gif"
	s.List()[0].ManyPictures.Over = 1
	if find(t, s, "mine").MediaTypes[0] != "image/jpeg" || find(t, s, "claude").ManyPictures.Over != 20 {
		t.Error("a caller changes the set")
	}
	if find(t, set(t), "claude").MaxEdge != 1568 {
		t.Error("one set changes another")
	}
}

func TestRefused(t *testing.T) {
	change := func(f func(*readapi.Profile)) readapi.Profile {
		p := own("mine")
		f(&p)
		return p
	}
	for name, p := range map[string]readapi.Profile{
		"no name":       change(func(p *readapi.Profile) { p.Name = "" }),
		"a bad name":    change(func(p *readapi.Profile) { p.Name = "My Profile" }),
		"no date":       change(func(p *readapi.Profile) { p.AsOf = "yesterday" }),
		"no source":     change(func(p *readapi.Profile) { p.Source = "" }),
		"negative":      change(func(p *readapi.Profile) { p.MaxBytes = -1 }),
		"huge":          change(func(p *readapi.Profile) { p.MaxEdge = 1 << 50 }),
		"no picture":    change(func(p *readapi.Profile) { p.MediaTypes = []readapi.MediaType{"text/plain"} }),
		"upper case":    change(func(p *readapi.Profile) { p.MediaTypes = []readapi.MediaType{"image/PNG"} }),
		"no output":     change(func(p *readapi.Profile) { p.MediaTypes = []readapi.MediaType{"image/webp"} }),
		"no formula":    change(func(p *readapi.Profile) { p.Cost = "a lot" }),
		"edge and side": change(func(p *readapi.Profile) { p.MaxEdge, p.MaxSide = 3000, 2000 }),
		"half of many":  change(func(p *readapi.Profile) { p.ManyPictures = &readapi.ManyPictures{Over: 2} }),
		"pdf":           change(func(p *readapi.Profile) { p.PDF = &readapi.DocumentLimits{Pages: -4} }),
	} {
		if _, err := profile.NewSet([]readapi.Profile{p}); !errors.Is(err, readapi.CodeInvalidRequest) {
			t.Errorf("%s: %v, want invalid_request", name, err)
		}
	}
}

func TestParse(t *testing.T) {
	const head = `{"version":1,"profiles":[`
	const one = `{"name":"a","as_of":"2026-12-01","source":"s"`
	list, err := profile.Parse([]byte(head + one + `,"max_edge":9,"pdf":{"pages":3}}]}`))
	if err != nil || len(list) != 1 || list[0].MaxEdge != 9 || list[0].PDF.Pages != 3 {
		t.Fatalf("got %+v, %v", list, err)
	}
	for name, c := range map[string]struct{ text, says string }{
		"nothing":         {``, "no JSON object"},
		"a list":          {`[]`, "no JSON object"},
		"null":            {`null`, "no JSON object"},
		"no version":      {`{"profiles":[]}`, "version"},
		"other version":   {`{"version":2,"profiles":[]}`, "version"},
		"no profiles":     {`{"version":1}`, "list"},
		"unknown key":     {`{"version":1,"profiles":[],"more":1}`, `"more"`},
		"unknown inside":  {head + one + `,"max_egde":9}]}`, `profile 1: there is no key "max_egde"`},
		"case":            {head + one + `,"Max_Edge":9}]}`, `"Max_Edge"`},
		"unknown in many": {head + one + `,"many_pictures":{"over":1,"max_side":2,"side":3}}]}`, "many_pictures"},
		"unknown in pdf":  {head + one + `,"pdf":{"page":3}}]}`, "pdf"},
		"a fraction":      {head + one + `,"max_edge":9.5}]}`, "max_edge"},
		"a string":        {head + one + `,"max_edge":"9"}]}`, "max_edge"},
		"twice":           {head + one + `},` + one + `}]}`, "twice"},
		"no date":         {head + `{"name":"a","source":"s"}]}`, "as_of"},
		"too many":        {head + strings.Repeat(`{},`, 300) + `{}]}`, "too many"},
	} {
		_, err := profile.Parse([]byte(c.text))
		if e, ok := errors.AsType[*readapi.Error](err); !ok || e.Code != readapi.CodeInvalidRequest || !strings.Contains(e.Detail, c.says) || e.Hint == "" {
			t.Errorf("%s: %v, want invalid_request that says %s", name, err, c.says)
		}
	}
	if _, err := profile.Parse(make([]byte, 2<<20)); !errors.Is(err, readapi.CodeTooLarge) {
		t.Errorf("a file of 2 MiB: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	b, err := os.ReadFile("profiles.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"version":1,"profiles":[{"name":"a","as_of":"2026-12-01","source":"s","cost":"tile:1:1:1:1:1"}]}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		list, err := profile.Parse(in)
		if err != nil {
			if c := readapi.CodeOf(err); c != readapi.CodeInvalidRequest && c != readapi.CodeTooLarge {
				t.Fatal(err)
			}
			return
		}
		if s, err := profile.NewSet(list); err == nil {
			for _, p := range s.List() {
				if _, err := readapi.ParseImageCost(p.Cost); err != nil || len(profile.OutputTypes(p)) == 0 {
					t.Fatalf("%+v got in: %v", p, err)
				}
			}
		}
	})
}
