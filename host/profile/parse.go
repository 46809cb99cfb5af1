package profile

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// What a file of profiles may be.
const (
	maxFile     = 1 << 20 // bytes
	maxProfiles = 256
	version     = 1 // of the form of the file
)

// The keys of a file, of a profile, and of the objects in it, as docs/schema/profiles.json has them.
var (
	fileKeys    = []string{"version", "profiles"}
	profileKeys = []string{
		"name", "as_of", "source", "max_edge", "max_side", "max_pixels", "max_bytes", "media_types", "cost", "many_pictures", "max_pictures", "request_bytes", "pdf",
	}
	manyKeys = []string{"over", "max_side"}
	pdfKeys  = []string{"pages", "bytes"}
)

// Parse reads a file of profiles. Each has a name, a date and a source; of the rest it says what it wants to. A key that nobody knows is an
// error, and so is a name that is there twice.
//
// Errors: invalid_request, which says where; too_large.
func Parse(b []byte) ([]readapi.Profile, error) {
	if len(b) > maxFile {
		return nil, &readapi.Error{
			Op: "profile.Parse", Code: readapi.CodeTooLarge, Detail: "the file of profiles is too large",
			Limit: &readapi.LimitHit{Name: "max_profiles_bytes", Value: maxFile, Actual: int64(len(b))},
		}
	}
	file, err := object(b, "the file", fileKeys)
	if err != nil {
		return nil, err
	}
	var v int
	if json.Unmarshal(file["version"], &v) != nil || v != version {
		return nil, invalid("the file of profiles is of another version", `It begins with "version": 1.`)
	}
	var raw []json.RawMessage
	if json.Unmarshal(file["profiles"], &raw) != nil {
		return nil, invalid("the file has no list of profiles", `They stand in a list under the key "profiles".`)
	}
	if len(raw) > maxProfiles {
		return nil, invalid("the file has too many profiles", "It may have "+strconv.Itoa(maxProfiles)+".")
	}
	var out []readapi.Profile
	for i, r := range raw {
		p, err := entry(r, "profile "+strconv.Itoa(i+1))
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(q readapi.Profile) bool { return q.Name == p.Name }) {
			return nil, wrong(p.Name, "the file has it twice", "Give each name once.")
		}
		out = append(out, p)
	}
	return out, nil
}

// entry reads one profile.
func entry(raw json.RawMessage, where string) (p readapi.Profile, err error) {
	keys, err := object(raw, where, profileKeys)
	if err != nil {
		return p, err
	}
	for _, inner := range []struct {
		key  string
		keys []string
	}{{"many_pictures", manyKeys}, {"pdf", pdfKeys}} {
		if r, ok := keys[inner.key]; ok {
			if _, err := object(r, where+", "+inner.key, inner.keys); err != nil {
				return p, err
			}
		}
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		detail := where + ": a value does not fit its key"
		if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && t.Field != "" {
			detail = where + ": the value of " + t.Field + " does not fit"
		}
		return p, invalid(detail, "Names are strings, bounds are whole numbers.")
	}
	return p, checkEntry(p)
}

// object reads a JSON object that has none but these keys.
func object(raw []byte, where string, known []string) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil || m == nil {
		return nil, invalid(where+" is no JSON object", "docs/schema/profiles.json says what a file of profiles is.")
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(known, key) {
			return nil, invalid(where+": there is no key "+shown(key), "Keys are "+strings.Join(known, ", ")+".")
		}
	}
	return m, nil
}

// shown is a key as far as it may stand in a sentence of ours.
func shown(key string) string {
	const most = 64
	if key = readapi.EscapeLine(key); len(key) > most {
		key = strings.ToValidUTF8(key[:most], "") + "…"
	}
	return strconv.Quote(key)
}
