package transfer

import (
	"context"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	artifactPage = 500
	eventPage    = 64 // an event takes up to 1 MiB
	tries        = 50 // for what others keep changing
)

// header is a session as of one moment.
type header struct {
	store.Session
	First string // id of its first event; "": it has none. A session that was purged and began anew has another one.
	Last  int64  // number of its last event; -1: it has none
}

// readHeader returns a session as of one moment: it is read around its events until nothing changed meanwhile. ok is false where there is
// none, or it is being purged.
func readHeader(ctx context.Context, x *store.Index, scope readapi.Scope) (h header, ok bool, err error) {
	for try := range tries {
		was, ok, err := x.Session(ctx, scope)
		if err != nil || !ok || was.Purging {
			return header{}, false, err
		}
		h = header{Session: was, Last: -1}
		first, err := x.Events(ctx, scope, -1, 1)
		if err != nil {
			return header{}, false, err
		}
		last, ok, err := x.LastEvent(ctx, scope)
		if err != nil {
			return header{}, false, err
		}
		if ok {
			h.Last = last.Seq
		}
		if len(first) > 0 {
			h.First = first[0].ID
		}
		now, ok, err := x.Session(ctx, scope)
		if err != nil || !ok || now.Purging {
			return header{}, false, err
		}
		if sameState(was, now) {
			return h, true, nil
		}
		if err := wait(ctx, try); err != nil {
			return header{}, false, err
		}
	}
	return header{}, false, &readapi.Error{Code: readapi.CodeBusy, Detail: "a session changes all the time", RetryAfter: time.Second}
}

// sameState compares what a session is besides its files. An event that changes none of it changes nothing that a header says, either.
func sameState(a, b store.Session) bool {
	return a.Messages == b.Messages && a.Created.Equal(b.Created) && a.Updated.Equal(b.Updated) && a.Archived == b.Archived && a.Deleted.Equal(b.Deleted)
}

// wait lets others go on, longer at each try.
func wait(ctx context.Context, try int) error {
	t := time.NewTimer(time.Duration(try+1) * 5 * time.Millisecond)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// eachSession calls f with every session of an index that is not being purged; of one principal unless principal is "".
func eachSession(ctx context.Context, x *store.Index, principal readapi.PrincipalID, f func(readapi.Scope) error) error {
	for s, err := range x.AllSessions(ctx, readapi.Scope{Principal: principal}) {
		if err != nil || principal != "" && s.Principal != principal {
			return err
		}
		if s.Purging {
			continue
		}
		if err := f(s.Scope()); err != nil {
			return err
		}
	}
	return nil
}

// eachArtifacts calls f with pages of a session's artifacts, without those that are being purged.
func eachArtifacts(ctx context.Context, x *store.Index, scope readapi.Scope, f func([]store.Artifact) error) error {
	for after := int64(-1); ; {
		rows, _, err := x.ListArtifacts(ctx, scope, after, artifactPage)
		if err != nil || len(rows) == 0 {
			return err
		}
		after = rows[len(rows)-1].Seq
		full := len(rows) == artifactPage
		if rows = notPurging(rows); len(rows) > 0 {
			if err := f(rows); err != nil {
				return err
			}
		}
		if !full {
			return nil
		}
	}
}

func notPurging(rows []store.Artifact) (out []store.Artifact) {
	for _, a := range rows {
		if !a.Purging {
			out = append(out, a)
		}
	}
	return out
}

// eachUploads calls f with pages of a session's finished uploads.
func eachUploads(ctx context.Context, x *store.Index, scope readapi.Scope, f func([]store.Upload) error) error {
	for after := ""; ; {
		list, err := x.ScanUploads(ctx, scope, after, artifactPage)
		if err != nil || len(list) == 0 {
			return err
		}
		after = list[len(list)-1].ID
		if err := f(list); err != nil {
			return err
		}
		if len(list) < artifactPage {
			return nil
		}
	}
}

// eachEvents calls f with pages of a session's events behind the number after, up to the number last.
func eachEvents(ctx context.Context, x *store.Index, scope readapi.Scope, after, last int64, f func([]store.Event) error) error {
	for after < last {
		list, err := x.Events(ctx, scope, after, int(min(eventPage, last-after)))
		if err != nil || len(list) == 0 {
			return err
		}
		after = list[len(list)-1].Seq
		if err := f(list); err != nil {
			return err
		}
	}
	return nil
}

// rowsOf returns the rows of a session among ids that are not being purged, however many they are.
func rowsOf(ctx context.Context, x *store.Index, scope readapi.Scope, ids []readapi.ArtifactID) (map[readapi.ArtifactID]store.Artifact, error) {
	out := map[readapi.ArtifactID]store.Artifact{}
	for len(ids) > 0 {
		n := min(len(ids), store.MaxPage)
		rows, _, err := x.Artifacts(ctx, scope, ids[:n])
		if err != nil {
			return nil, err
		}
		for id, a := range rows {
			if !a.Purging {
				out[id] = a
			}
		}
		ids = ids[n:]
	}
	return out, nil
}

func idsOf(rows []store.Artifact) []readapi.ArtifactID {
	ids := make([]readapi.ArtifactID, len(rows))
	for i, a := range rows {
		ids[i] = a.ID
	}
	return ids
}

// keep leases the bytes of rows and returns those rows that are there behind it, as they are then: their bytes stay until the leases end.
func keep(ctx context.Context, l *leases, scope readapi.Scope, rows []store.Artifact) (kept []store.Artifact, err error) {
	for try := range tries {
		leased := l.add(ctx, digestsOf(rows))
		if leased != nil && readapi.CodeOf(leased) != readapi.CodeBusy {
			return nil, leased
		}
		now, err := rowsOf(ctx, l.index, scope, idsOf(rows))
		if err != nil {
			return nil, err
		}
		kept = kept[:0]
		for _, a := range rows {
			if b, ok := now[a.ID]; ok && b.Blob == a.Blob {
				kept = append(kept, b)
			}
		}
		if leased == nil {
			return kept, nil
		}
		rows = append([]store.Artifact(nil), kept...)
		if err := wait(ctx, try); err != nil {
			return nil, err
		}
	}
	return nil, &readapi.Error{Code: readapi.CodeBusy, Detail: "bytes that are to be copied are being removed all the time", RetryAfter: time.Second}
}
