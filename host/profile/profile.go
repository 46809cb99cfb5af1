// Package profile has what model providers take of pictures, as data with a date.
//
//	set, err := profile.NewSet(nil)            // those that come with the program
//	p, err := set.Find("claude")               // p.MaxEdge, p.MaxBytes, p.Cost, …
//
// A user's own come from a file of the same form (Parse) and take the place of built-in ones by name, key by key. What a profile makes of a
// picture's size is readapi.Fit; package host turns it into what a decoder is asked.
package profile

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
)

//go:embed profiles.json
var builtin []byte

// Safe is the name of the profile that fits every provider. A profile of a user's own begins as a copy of it.
const Safe = "safe"

// parsed are the built-in profiles. The tests read them, so the program does not start with one that is wrong.
var parsed = sync.OnceValues(func() ([]readapi.Profile, error) { return Parse(builtin) })

// Set is the profiles that there are, by name. It is not changed once it is made.
type Set struct {
	list []readapi.Profile
}

// NewSet returns the built-in profiles with more on top: one of a name that is there already changes what it says and leaves the rest, one of
// a new name begins as a copy of Safe. A zero in a field says nothing.
//
// Errors: invalid_request for a profile that cannot be.
func NewSet(more []readapi.Profile) (*Set, error) {
	list, err := parsed()
	if err != nil {
		return nil, err
	}
	s := &Set{slices.Clone(list)}
	for _, p := range more {
		if err := checkEntry(p); err != nil {
			return nil, err
		}
		i := s.index(p.Name)
		if i < 0 {
			i = len(s.list)
			s.list = append(s.list, s.list[s.index(Safe)])
		}
		s.list[i] = over(s.list[i], p)
	}
	for _, p := range s.list {
		if err := checkWhole(p); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// over is base with what p says in place of it.
func over(base, p readapi.Profile) readapi.Profile {
	base.Name, base.AsOf, base.Source = p.Name, p.AsOf, p.Source
	for _, n := range []struct{ to, from *int64 }{
		{&base.MaxEdge, &p.MaxEdge}, {&base.MaxSide, &p.MaxSide}, {&base.MaxPixels, &p.MaxPixels}, {&base.MaxBytes, &p.MaxBytes},
		{&base.MaxPictures, &p.MaxPictures}, {&base.RequestBytes, &p.RequestBytes},
	} {
		if *n.from != 0 {
			*n.to = *n.from
		}
	}
	if len(p.MediaTypes) > 0 {
		base.MediaTypes = p.MediaTypes
	}
	if p.Cost != "" {
		base.Cost = p.Cost
	}
	if p.ManyPictures != nil {
		base.ManyPictures = p.ManyPictures
	}
	if p.PDF != nil {
		base.PDF = p.PDF
	}
	return clone(base)
}

// clone shares nothing with p.
func clone(p readapi.Profile) readapi.Profile {
	p.MediaTypes = slices.Clone(p.MediaTypes)
	if p.ManyPictures != nil {
		many := *p.ManyPictures
		p.ManyPictures = &many
	}
	if p.PDF != nil {
		pdf := *p.PDF
		p.PDF = &pdf
	}
	return p
}

// List returns the profiles, the built-in ones first. The caller owns the list.
func (s *Set) List() []readapi.Profile {
	out := make([]readapi.Profile, 0, len(s.list))
	for _, p := range s.list {
		out = append(out, clone(p))
	}
	return out
}

// Names returns the names of the profiles in the order of List.
func (s *Set) Names() []string {
	var out []string
	for _, p := range s.list {
		out = append(out, p.Name)
	}
	return out
}

// Find returns the profile called name; another name is invalid_request, and the hint lists those that there are.
func (s *Set) Find(name string) (readapi.Profile, error) {
	i := s.index(name)
	if i < 0 {
		return readapi.Profile{}, invalid("there is no profile of this name", "Profiles are "+strings.Join(s.Names(), ", ")+".")
	}
	return clone(s.list[i]), nil
}

func (s *Set) index(name string) int {
	return slices.IndexFunc(s.list, func(p readapi.Profile) bool { return p.Name == name })
}

// OutputTypes are the media types of p in which a decoder may give pictures.
func OutputTypes(p readapi.Profile) (out []readapi.MediaType) {
	for _, m := range readapi.ImageTypes() {
		if slices.Contains(p.MediaTypes, m) {
			out = append(out, m)
		}
	}
	return out
}

const (
	maxName   = 32      // bytes of a name
	maxSource = 2 << 10 // bytes of the words that say where the numbers are from
	maxNumber = 1 << 40 // of pixels and bytes; what is more is a mistake
)

// checkEntry says what is wrong with what an entry says; what it leaves out is not looked at.
func checkEntry(p readapi.Profile) error {
	if !validName(p.Name) {
		return invalid("a profile has no name, or not of its form", "A name is 1 to 32 characters of a-z 0-9 . _ -, a letter or digit first.")
	}
	if _, err := time.Parse(time.DateOnly, p.AsOf); err != nil {
		return wrong(p.Name, "as_of is no date", `Say on which day its numbers were looked at, as in "2026-12-01".`)
	}
	if p.Source == "" || len(p.Source) > maxSource {
		return wrong(p.Name, "source is missing or too long", "Say in words where its numbers are from.")
	}
	for _, n := range numbers(p) {
		if n.value < 0 || n.value > maxNumber {
			return wrong(p.Name, n.name+" is out of range", "Numbers are whole and positive; leave out what has no bound.")
		}
	}
	for _, m := range p.MediaTypes {
		if parsed, ok := readapi.ParseMediaType(string(m)); !ok || parsed != m || m.Type() != "image" {
			return wrong(p.Name, "media_types has one that is none of a picture", `Media types are like "image/png", in lower case.`)
		}
	}
	if p.Cost != "" {
		if _, err := readapi.ParseImageCost(p.Cost); err != nil {
			return wrong(p.Name, "cost is no formula", `A formula is like "patch:28", "patch:32:1536" or "tile:512:85:170:2048:768".`)
		}
	}
	if m := p.ManyPictures; m != nil && (m.Over == 0 || m.MaxSide == 0) {
		return wrong(p.Name, "many_pictures lacks over or max_side", "Give both.")
	}
	return nil
}

// checkWhole says what is wrong with a profile to which nothing is added any more.
func checkWhole(p readapi.Profile) error {
	switch {
	case len(OutputTypes(p)) == 0:
		return wrong(p.Name, "media_types has neither PNG nor JPEG", "Pictures leave as one of the two.")
	case p.Cost == "":
		return wrong(p.Name, "cost is missing", `A formula is like "patch:28".`)
	case p.MaxSide > 0 && p.MaxEdge > p.MaxSide:
		return wrong(p.Name, "max_edge is more than max_side", "What is best cannot be more than what is taken.")
	}
	return nil
}

// numbers are the numbers of p by their keys.
func numbers(p readapi.Profile) []struct {
	name  string
	value int64
} {
	type number = struct {
		name  string
		value int64
	}
	out := []number{
		{"max_edge", p.MaxEdge}, {"max_side", p.MaxSide}, {"max_pixels", p.MaxPixels}, {"max_bytes", p.MaxBytes}, {"max_pictures", p.MaxPictures},
		{"request_bytes", p.RequestBytes},
	}
	if m := p.ManyPictures; m != nil {
		out = append(out, number{"many_pictures.over", m.Over}, number{"many_pictures.max_side", m.MaxSide})
	}
	if d := p.PDF; d != nil {
		out = append(out, number{"pdf.pages", d.Pages}, number{"pdf.bytes", d.Bytes})
	}
	return out
}

func validName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
		if !letter && (i == 0 || c != '.' && c != '_' && c != '-') {
			return false
		}
	}
	return s != "" && len(s) <= maxName
}

func wrong(name, detail, hint string) error { return invalid("profile "+name+": "+detail, hint) }

func invalid(detail, hint string) error {
	return &readapi.Error{Op: "profile", Code: readapi.CodeInvalidRequest, Detail: detail, Hint: hint}
}
