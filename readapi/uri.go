package readapi

import "strings"

// URIPrefix is what every attachment address begins with; the rest is an ArtifactID. A host may use another prefix (see ParseURIPrefix),
// never another grammar.
const URIPrefix = "maka://runtime/attachments/"

// maxID is the most characters that a session or artifact id may have.
const maxID = 128

// SessionID names a session: 1 to 128 characters of [A-Za-z0-9_-]. It travels beside an address, never inside one.
type SessionID string

// ArtifactID names one session's own record of an attachment: 1 to 128 characters of [A-Za-z0-9_-]. It is opaque: it says nothing
// about the content.
type ArtifactID string

// Valid reports whether id has the form of a session id.
func (id SessionID) Valid() bool { return validID(string(id)) }

// Valid reports whether id has the form of an artifact id.
func (id ArtifactID) Valid() bool { return validID(string(id)) }

// URI returns the address of id under URIPrefix. It is the inverse of ParseURI for every valid id.
func (id ArtifactID) URI() string { return URIPrefix + string(id) }

// ParseURI returns the artifact that the address s names.
//
// The grammar is byte-exact: URIPrefix, then 1 to 128 of [A-Za-z0-9_-]. There is one spelling of an address, so no URL parser is
// involved: percent-encoding, upper-case schemes, queries, fragments, ports, dots and trailing slashes are all invalid_uri.
func ParseURI(s string) (ArtifactID, error) { return ParseURIPrefix(URIPrefix, s) }

// ParseURIPrefix is ParseURI for a host that gives its addresses another prefix.
func ParseURIPrefix(prefix, s string) (ArtifactID, error) {
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok || !validID(rest) {
		return "", &Error{Op: "readapi.ParseURI", Code: CodeInvalidURI, Hint: "An address is " + prefix + " and 1 to 128 characters of A-Z a-z 0-9 _ -."}
	}
	return ArtifactID(rest), nil
}

// maxURIPrefix bounds the prefix of addresses, so that an address always fits a line and a tool's argument.
const maxURIPrefix = 256

// ValidURIPrefix reports whether addresses may begin with prefix: a scheme of lower-case letters, digits, + - . and ://, then at most 256
// characters in all of A-Z a-z 0-9 - . _ ~ / : and no others, so that an address can stand in a line, a URI template and a JSON schema.
func ValidURIPrefix(prefix string) bool {
	scheme, rest, ok := strings.Cut(prefix, "://")
	if !ok || scheme == "" || scheme[0] < 'a' || scheme[0] > 'z' || len(prefix) > maxURIPrefix {
		return false
	}
	const lower, more = "abcdefghijklmnopqrstuvwxyz0123456789-.", "ABCDEFGHIJKLMNOPQRSTUVWXYZ_~/:"
	return strings.Trim(scheme, lower+"+") == "" && strings.Trim(rest, lower+more) == ""
}

// IsURI reports whether s is meant as a URI rather than as a file name: it contains "://".
func IsURI(s string) bool { return strings.Contains(s, "://") }

func validID(s string) bool {
	if len(s) == 0 || len(s) > maxID {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
