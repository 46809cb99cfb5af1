package store

import (
	"bytes"
	"slices"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// What an Append decides is the same on every driver, which asks its place for what the session has and stores what is decided.

// FreshArtifacts returns the artifacts of b that the session has not; had are those of its artifacts that have one of their ids. Errors:
// conflict.
func (b Batch) FreshArtifacts(had map[readapi.ArtifactID]Artifact) (fresh []Artifact, err error) {
	added := map[readapi.ArtifactID]bool{}
	for _, a := range b.Artifacts {
		was, ok := had[a.ID]
		switch {
		case !ok && !added[a.ID]:
			added[a.ID] = true
			fresh = append(fresh, a)
		case ok && b.Again && was.Blob == a.Blob && was.Name == a.Name && !was.Purging:
		default:
			return nil, &readapi.Error{Code: readapi.CodeConflict, Detail: "the session has an artifact with this id", Final: true, Ref: string(a.ID)}
		}
	}
	return fresh, nil
}

// FreshEvents returns the numbers of the batch's events, the first new one that of next, and the events that are new. had finds an event
// of the session by its id: its Seq and Payload. Errors: conflict; those of had.
func (b Batch) FreshEvents(next int64, had func(id string) (e Event, ok bool, err error)) (seqs []int64, fresh []Event, err error) {
	known := make(map[string]Event, len(b.Events))
	for _, e := range b.Events {
		was, ok := known[e.ID]
		if !ok {
			if was, ok, err = had(e.ID); err != nil {
				return nil, nil, err
			}
		}
		switch {
		case !ok:
			e.Seq = next + int64(len(fresh))
			fresh = append(fresh, e)
			was = e
		case !bytes.Equal(was.Payload, e.Payload):
			return nil, nil, &readapi.Error{Code: readapi.CodeConflict, Detail: "the session has another event with this id", Hint: "Give the event another id, or none.", Final: true}
		}
		known[e.ID] = was
		seqs = append(seqs, was.Seq)
	}
	return seqs, fresh, nil
}

// FreshUploads returns the uploads of b that the session has not; had finds one of the session by its id. Errors: conflict; those of had.
func (b Batch) FreshUploads(had func(id string) (u Upload, ok bool, err error)) (fresh []Upload, err error) {
	known := make(map[string]Upload, len(b.Uploads))
	for _, u := range b.Uploads {
		was, ok := known[u.ID]
		if !ok {
			if was, ok, err = had(u.ID); err != nil {
				return nil, err
			}
		}
		if ok && was != u {
			return nil, &readapi.Error{Code: readapi.CodeConflict, Detail: "the session has another upload with this id", Hint: "Give the upload another id.", Final: true}
		}
		if known[u.ID] = u; !ok {
			fresh = append(fresh, u)
		}
	}
	return fresh, nil
}

// Loaded returns artifacts as they are loaded into a session that is now as s says: in one that was deleted meanwhile, by whoever, none is
// live.
func (s Session) Loaded(artifacts []Artifact) []Artifact {
	if s.Deleted.IsZero() {
		return artifacts
	}
	out := slices.Clone(artifacts)
	for i := range out {
		a := &out[i]
		if a.Status == readapi.StatusLive {
			a.Status, a.Deleted = readapi.StatusDeleted, s.Deleted
		}
		a.Purging = a.Purging || s.Purging
	}
	return out
}

// UsageOf is what artifacts take: those that have bytes.
func UsageOf(artifacts []Artifact) (u Usage) {
	for _, a := range artifacts {
		if a.Blob != "" {
			u.Files, u.Bytes = u.Files+1, u.Bytes+a.Bytes
		}
	}
	return u
}

// Allows checks the quota: more is to come to what a session, its principal and all together have. What adds nothing is always allowed.
// Errors: quota_exceeded.
func (q Quota) Allows(more, session, principal, total Usage) error {
	if more.Files == 0 {
		return nil
	}
	for _, l := range []struct {
		name             string
		have, more, most int64
	}{
		{"session_files", session.Files, more.Files, q.SessionFiles}, {"session_bytes", session.Bytes, more.Bytes, q.SessionBytes},
		{"principal_files", principal.Files, more.Files, q.PrincipalFiles}, {"principal_bytes", principal.Bytes, more.Bytes, q.PrincipalBytes},
		{QuotaTotal, total.Bytes, more.Bytes, q.TotalBytes},
	} {
		if l.most > 0 && (l.have > l.most || l.more > l.most-l.have) { // a sum could go over 2^63
			return QuotaError(l.name, l.most, l.have+min(l.more, 1<<62))
		}
	}
	return nil
}

// SessionGone is what an Append to a deleted session returns.
func SessionGone() error {
	return &readapi.Error{Code: readapi.CodeGone, Detail: "the session was deleted", Hint: "Purge it to use its id again, or use another one."}
}
