package store

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// What every index must be able to keep: text is UTF-8 without NUL, because PostgreSQL keeps no other; times are whole milliseconds of the
// years 1 to 9999, UTC, which RFC 3339 can write.

// What an export says of a session is a stranger's word. These bounds keep sums of what a batch has, and the numbers behind those that it
// gives, from overflowing: a sum below zero would be a quota without end.
const (
	maxBytes  = 1 << 46 // of one blob: more than any place keeps as one
	maxNumber = 1 << 53 // of a row, or a count of rows: what JSON keeps exactly
)

func invalid(detail string) error {
	return &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: detail}
}

// plain reports whether an index can keep s exactly.
func plain(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

func milliseconds(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

func validTime(t time.Time) bool { return !t.IsZero() && t.Year() >= 1 && t.Year() <= 9999 }

// checkBatch returns b as it is stored.
func checkBatch(scope readapi.Scope, b Batch) (Batch, error) {
	as, es := make([]Artifact, len(b.Artifacts)), make([]Event, len(b.Events))
	for i, a := range b.Artifacts {
		var err error
		if as[i], err = checkArtifact(scope, a); err != nil {
			return b, err
		}
	}
	for i, e := range b.Events {
		var err error
		if es[i], err = checkEvent(e); err != nil {
			return b, err
		}
	}
	b.Artifacts, b.Events = as, es
	for _, u := range b.Uploads {
		if err := checkUpload(u); err != nil {
			return b, err
		}
		if !slices.ContainsFunc(as, func(a Artifact) bool { return a.ID == u.Artifact }) {
			return b, invalid("an upload became an artifact that is not among those")
		}
	}
	if b.Holder != "" && !readapi.ArtifactID(b.Holder).Valid() {
		return b, invalid("the batch is of a holder who can have no lease")
	}
	if !b.Quota.Valid() {
		return b, invalid("a quota is negative")
	}
	return b, nil
}

// checkLoad returns a session and its rows as they are stored.
func checkLoad(s Session, artifacts []Artifact, events []Event, uploads []Upload) (Session, []Artifact, []Event, error) {
	as, es := make([]Artifact, len(artifacts)), make([]Event, len(events))
	s.Created, s.Updated = milliseconds(s.Created), milliseconds(s.Updated)
	if !s.Deleted.IsZero() {
		s.Deleted = milliseconds(s.Deleted)
	}
	switch {
	case !validTime(s.Created) || !validTime(s.Updated) || !s.Deleted.IsZero() && !validTime(s.Deleted):
		return s, nil, nil, invalid("a session has no time that can be stored")
	case s.Messages < 0 || s.Messages > maxNumber:
		return s, nil, nil, invalid("a session has fewer than no messages, or more than there can be")
	case s.Purging && s.Deleted.IsZero():
		return s, nil, nil, invalid("a session is being removed and is not deleted")
	}
	for i, a := range artifacts {
		var err error
		if as[i], err = checkLoaded(s.Scope(), a); err != nil {
			return s, nil, nil, err
		}
		if !s.Deleted.IsZero() && a.Status == readapi.StatusLive {
			return s, nil, nil, invalid("a file of a deleted session is live")
		}
	}
	for i, e := range events {
		var err error
		if es[i], err = checkEvent(e); err != nil {
			return s, nil, nil, err
		}
		if es[i].Seq = e.Seq; e.Seq < 0 || e.Seq > maxNumber {
			return s, nil, nil, invalid("an event has no number, or a higher one than there can be")
		}
	}
	for _, u := range uploads {
		if err := checkUpload(u); err != nil {
			return s, nil, nil, err
		}
	}
	return s, as, es, nil
}

// checkLoaded returns an artifact that was one before as it is stored.
func checkLoaded(scope readapi.Scope, a Artifact) (Artifact, error) {
	fresh := a
	fresh.Status, fresh.Deleted, fresh.Purging = "", time.Time{}, false
	out, err := checkArtifact(scope, fresh)
	if err != nil {
		return a, err
	}
	out.Seq, out.Version, out.Status, out.Purging = a.Seq, a.Version, a.Status, a.Purging
	if !a.Deleted.IsZero() {
		out.Deleted = milliseconds(a.Deleted)
	}
	switch {
	case a.Seq < 0 || a.Version < 1 || max(a.Seq, a.Version) > maxNumber:
		return a, invalid("an artifact has no number or no version, or a higher one than there can be")
	case a.Status != readapi.StatusLive && a.Status != readapi.StatusDeleted:
		return a, invalid("an artifact's status is none of those that there are")
	case (a.Status == readapi.StatusLive) != a.Deleted.IsZero() || !a.Deleted.IsZero() && !validTime(out.Deleted):
		return a, invalid("an artifact has no time of its deletion that can be stored, or has one and is live")
	case a.Purging && a.Status == readapi.StatusLive:
		return a, invalid("an artifact is being removed and is live")
	}
	return out, nil
}

func checkUpload(u Upload) error {
	if !readapi.ArtifactID(u.ID).Valid() || !u.Artifact.Valid() || !plain(u.Begin) {
		return invalid("an upload's id has not the form of one")
	}
	return nil
}

func checkDigests(digests []string) error {
	if len(digests) > MaxPage {
		return invalid("more blobs than one call may name")
	}
	for _, d := range digests {
		if !ValidDigest(d) {
			return invalid("this names no blob")
		}
	}
	return nil
}

// checkLease checks who wants to have something, or what, and for how long.
func checkLease(holder string, ttl time.Duration) error {
	if !readapi.ArtifactID(holder).Valid() {
		return invalid("a name of a host, a holder or a lease is not 1 to 128 characters of A-Z a-z 0-9 _ -")
	}
	if ttl < time.Millisecond {
		return invalid("a lease is shorter than a millisecond")
	}
	return nil
}

// checkArtifact returns a as it is stored.
func checkArtifact(scope readapi.Scope, a Artifact) (Artifact, error) {
	if a.Scope == (readapi.Scope{}) {
		a.Scope = scope
	}
	if a.Status == "" {
		a.Status = readapi.StatusLive
	}
	a.Created, a.Seq, a.Version = milliseconds(a.Created), 0, 0
	if !a.Deleted.IsZero() {
		a.Deleted = milliseconds(a.Deleted)
	}
	switch {
	case a.Scope != scope:
		return a, invalid("an artifact is of another session")
	case !a.ID.Valid():
		return a, invalid("an artifact's id has not the form of one")
	case !a.Source.Valid():
		return a, invalid("an artifact's source is none of those that there are")
	case a.Source.Readable() && !ValidDigest(a.Blob) || !a.Source.Readable() && a.Blob != "":
		return a, invalid("an artifact names no blob, or one where it can have none")
	case a.Bytes < 0 || a.Bytes > maxBytes:
		return a, invalid("an artifact's size is negative, or larger than any can be")
	case a.Purging || !a.Status.Valid() || (a.Status == readapi.StatusLive) != a.Deleted.IsZero() || !a.Deleted.IsZero() && !validTime(a.Deleted):
		return a, invalid("a new artifact is live, or was deleted at a time")
	case !validTime(a.Created):
		return a, invalid("an artifact has no time that can be stored")
	case !plain(a.Name) || !plain(string(a.Kind)) || !plain(string(a.MediaType)) || !plain(string(a.Declared)):
		return a, invalid("an artifact's text is not UTF-8 without NUL")
	}
	for _, m := range a.Candidates {
		if !plain(string(m)) {
			return a, invalid("an artifact's text is not UTF-8 without NUL")
		}
	}
	return a, nil
}

// checkEvent returns e as it is stored.
func checkEvent(e Event) (Event, error) {
	e.Time, e.Seq = milliseconds(e.Time), 0
	switch {
	case e.ID == "" || e.Type == "":
		return e, invalid("an event has no id or no type")
	case !plain(e.ID) || !plain(e.Type) || !plain(e.Turn) || !plain(string(e.Payload)):
		return e, invalid("an event's text is not UTF-8 without NUL")
	case !json.Valid(e.Payload):
		return e, invalid("an event's payload is not JSON")
	case !validTime(e.Time):
		return e, invalid("an event has no time that can be stored")
	}
	return e, nil
}

func checkDecoders(entries []DecoderEntry) error {
	seen := map[string]bool{}
	for _, d := range entries {
		switch {
		case d.Name == "" || !plain(d.Name) || !plain(d.Digest) || !plain(d.Takes):
			return invalid("a decoder has no name that can be stored")
		case seen[d.Name]:
			return invalid("a decoder is named twice")
		}
		seen[d.Name] = true
	}
	return nil
}

// pageSize is how many rows a call asks a driver for: 0 is as many as there may be.
func pageSize(limit int) (int, error) {
	if limit < 0 {
		return 0, invalid("the limit is negative")
	}
	if limit == 0 {
		return MaxPage, nil
	}
	return min(limit, MaxPage), nil
}
