//go:build !wasip1

package readapi

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// MaxAttachments is how many files one message may carry, and how many materials recall shows of one.
const MaxAttachments = 8

// maxSafeInteger is the largest integer that every JSON reader keeps exactly (2^53 - 1).
const maxSafeInteger = 1<<53 - 1

// PrincipalID names whom a session belongs to: 1 to 128 characters of [A-Za-z0-9_-].
type PrincipalID string

// LocalPrincipal owns the sessions of a host that does not tell its users apart.
const LocalPrincipal PrincipalID = "local"

// Valid reports whether id has the form of a principal id.
func (id PrincipalID) Valid() bool { return validID(string(id)) }

// Scope is who asks: a session of a principal. The same session id under two principals is two sessions.
type Scope struct {
	Principal PrincipalID
	Session   SessionID
}

// Valid reports whether both ids have their form.
func (s Scope) Valid() bool { return s.Principal.Valid() && s.Session.Valid() }

// RefKind says where a StorageRef points.
type RefKind string

// The ref kinds. Only session_file can have an address; the others are recorded and never opened.
const (
	RefSessionFile    RefKind = "session_file"
	RefWorkspaceFile  RefKind = "workspace_file"
	RefExternalFile   RefKind = "external_file"
	RefSessionContext RefKind = "session_context"
)

// StorageRef is where an attachment's bytes are said to be. Which fields are set follows from Kind: SessionID and RelativePath for
// session_file, RelativePath for workspace_file, AbsolutePath for external_file.
type StorageRef struct {
	Kind         RefKind   `json:"kind"`
	SessionID    SessionID `json:"sessionId,omitempty"`
	RelativePath string    `json:"relativePath,omitempty"`
	AbsolutePath string    `json:"absolutePath,omitempty"`
}

// AttachmentRef is how a message names a file that it carries. Its JSON is exact: no key more, none less. It holds no bytes.
type AttachmentRef struct {
	Kind     Kind       `json:"kind"`
	Name     string     `json:"name"`
	MimeType string     `json:"mimeType"`
	Bytes    int64      `json:"bytes"`
	Ref      StorageRef `json:"ref"`
}

// ParseAttachmentRef reads one attachment of a message. ok is false unless the JSON has exactly the shape of an AttachmentRef: every key
// present, no other, a known kind, bytes an integer from 0 to 2^53-1. Shape says nothing about where the ref points; see Canonical and
// Address.
func ParseAttachmentRef(raw json.RawMessage) (ref AttachmentRef, ok bool) {
	var w struct {
		Kind     *Kind           `json:"kind"`
		Name     *string         `json:"name"`
		MimeType *string         `json:"mimeType"`
		Bytes    json.RawMessage `json:"bytes"`
		Ref      json.RawMessage `json:"ref"`
	}
	if !exactKeys(raw, "kind", "name", "mimeType", "bytes", "ref") || json.Unmarshal(raw, &w) != nil || w.Kind == nil || w.Name == nil || w.MimeType == nil {
		return AttachmentRef{}, false
	}
	n, ok := safeInteger(w.Bytes)
	if !ok || !w.Kind.Valid() {
		return AttachmentRef{}, false
	}
	storage, ok := parseStorageRef(w.Ref)
	if !ok {
		return AttachmentRef{}, false
	}
	return AttachmentRef{Kind: *w.Kind, Name: *w.Name, MimeType: *w.MimeType, Bytes: n, Ref: storage}, true
}

func parseStorageRef(raw json.RawMessage) (StorageRef, bool) {
	var w struct {
		Kind         RefKind    `json:"kind"`
		SessionID    *SessionID `json:"sessionId"`
		RelativePath *string    `json:"relativePath"`
		AbsolutePath *string    `json:"absolutePath"`
	}
	if json.Unmarshal(raw, &w) != nil {
		return StorageRef{}, false
	}
	ref := StorageRef{Kind: w.Kind}
	switch {
	case w.Kind == RefSessionFile && exactKeys(raw, "kind", "sessionId", "relativePath") && w.SessionID != nil && w.RelativePath != nil:
		ref.SessionID, ref.RelativePath = *w.SessionID, *w.RelativePath
	case w.Kind == RefWorkspaceFile && exactKeys(raw, "kind", "relativePath") && w.RelativePath != nil:
		ref.RelativePath = *w.RelativePath
	case w.Kind == RefExternalFile && exactKeys(raw, "kind", "absolutePath") && w.AbsolutePath != nil:
		ref.AbsolutePath = *w.AbsolutePath
	default:
		return StorageRef{}, false
	}
	return ref, true
}

// exactKeys reports whether raw is a JSON object with exactly these keys, each once and spelt exactly so.
func exactKeys(raw json.RawMessage, keys ...string) bool {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		key, isKey := t.(string)
		var skip json.RawMessage
		if err != nil || !isKey || seen[key] || d.Decode(&skip) != nil {
			return false
		}
		seen[key] = true
	}
	for _, k := range keys {
		if !seen[k] {
			return false
		}
	}
	return len(seen) == len(keys)
}

// safeInteger reads a JSON number that is an integer from 0 to 2^53-1. 1e3 and 2.0 are integers, as they are to every JSON reader.
func safeInteger(raw json.RawMessage) (int64, bool) {
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, n >= 0 && n <= maxSafeInteger
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f < 0 || f > maxSafeInteger || f != float64(int64(f)) {
		return 0, false
	}
	return int64(f), true
}

// Valid reports whether k is one of the five kinds.
func (k Kind) Valid() bool {
	switch k {
	case KindImage, KindPDF, KindDoc, KindCode, KindOther:
		return true
	}
	return false
}

// Canonical reports whether a has a name and a media type and points somewhere in the one spelling of that place: no empty, "." or ".."
// segment, no backslash, no drive letter, no NUL.
func (a AttachmentRef) Canonical() bool { return a.Name != "" && a.MimeType != "" && a.Ref.Canonical() }

// Canonical reports whether r is the one spelling of a place.
func (r StorageRef) Canonical() bool {
	switch r.Kind {
	case RefSessionFile:
		return r.SessionID.Valid() && canonicalPath(r.RelativePath)
	case RefWorkspaceFile:
		return canonicalPath(r.RelativePath)
	case RefExternalFile:
		p := r.AbsolutePath
		return strings.HasPrefix(p, "/") || strings.HasPrefix(p, `\\`) || len(p) > 2 && driveLetter(p) && (p[2] == '/' || p[2] == '\\')
	}
	return false
}

func driveLetter(p string) bool {
	return len(p) >= 2 && p[1] == ':' && ('a' <= p[0]|0x20 && p[0]|0x20 <= 'z')
}

func canonicalPath(p string) bool {
	if p == "" || strings.ContainsAny(p, "\x00\\") || driveLetter(p) {
		return false
	}
	for seg := range strings.SplitSeq(p, "/") {
		if seg == "" || seg == "." || seg == ".." {
			return false
		}
	}
	return true
}

// Address returns which artifact of which session a names; ok is false unless a is canonical, a session_file, and its path is an artifact
// id and nothing more. It says what could be asked for, not that asking will work: that is the host's to say.
func (a AttachmentRef) Address() (session SessionID, id ArtifactID, ok bool) {
	id = ArtifactID(a.Ref.RelativePath)
	if a.Ref.Kind != RefSessionFile || !a.Canonical() || !id.Valid() {
		return "", "", false
	}
	return a.Ref.SessionID, id, true
}

// Status says whether an attachment's bytes can still be had.
type Status string

// The statuses.
const (
	StatusLive    Status = "live"
	StatusDeleted Status = "deleted"
)

// Valid reports whether s is one of the statuses.
func (s Status) Valid() bool { return s == StatusLive || s == StatusDeleted }

// Attachment is a session's own record of a file, as its owner sees it. Resource is its address, present exactly when a read would work
// now; otherwise Unavailable says why it would not.
type Attachment struct {
	ID          ArtifactID `json:"id"`
	Name        string     `json:"name"`
	MediaType   MediaType  `json:"media_type"`
	Kind        Kind       `json:"kind"`
	Bytes       int64      `json:"bytes"`
	Status      Status     `json:"status"`
	Version     int64      `json:"version"` // 1 for the session's first file of this name, 2 for the next
	Created     time.Time  `json:"created,omitzero"`
	Resource    string     `json:"resource,omitempty"`
	Unavailable Code       `json:"unavailable,omitempty"`
}

// Ref returns how a message of session names a.
func (a Attachment) Ref(session SessionID) AttachmentRef {
	return AttachmentRef{
		Kind: a.Kind, Name: a.Name, MimeType: string(a.MediaType), Bytes: a.Bytes,
		Ref: StorageRef{Kind: RefSessionFile, SessionID: session, RelativePath: string(a.ID)},
	}
}

// Offer is the answer to whether an attachment can be read: an address or a reason, never both and never neither.
type Offer struct {
	URI         string `json:"resource,omitempty"`
	Unavailable Code   `json:"unavailable,omitempty"`
}
