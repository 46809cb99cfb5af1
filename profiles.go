package glovebox

import (
	"github.com/glovebox-wasm/glovebox/host/profile"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Profile names for whom pictures are made: what size, how many bytes, in which types, and what they cost. The names are those of
// Reader.Profiles; "" is none, for which pictures are scaled to readapi.DefaultLimits.
type Profile string

// The built-in profiles. ProfileSafe fits all providers.
const (
	ProfileClaude      Profile = "claude"
	ProfileOpenAI      Profile = "openai"
	ProfileOpenAITiles Profile = "openai-tiles"
	ProfileGemini      Profile = "gemini"
	ProfileSafe        Profile = profile.Safe
)

// ParseProfiles reads a file of profiles, for Options.Profiles; docs/schema/profiles.json says what it is. Errors: invalid_request, which says
// what is wrong where, and too_large.
func ParseProfiles(b []byte) ([]readapi.Profile, error) {
	list, err := profile.Parse(b)
	return list, readapi.AsError("glovebox.ParseProfiles", err)
}

// Profiles are the profiles that a read may name, the built-in ones first, with what Options.Profiles make of them. The caller owns the list.
func (r *Reader) Profiles() []readapi.Profile { return r.profiles.List() }
