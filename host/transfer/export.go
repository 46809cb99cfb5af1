package transfer

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// ExportOptions of Export.
type ExportOptions struct {
	Principal readapi.PrincipalID // only this one's sessions; "": everybody's
	Sessions  []readapi.SessionID // only these sessions of Principal, local if that is ""; none: all
	Progress  func(Counts)        // called now and then
}

// Export writes the rows of a store to w as JSON lines, which docs/store.md describes: the sessions with their states, their files by
// digest, their finished uploads and events, and, unless it is of one principal, the decoder set. The bytes of the files are not in it.
// With blobs it is also looked whether they are there; blobs may be nil.
//
// Errors: not_found for a session that is not there; corrupt where bytes are missing, which are named, and the export is whole all the
// same; what w returns; those of the store.
func Export(ctx context.Context, blobs *store.Blobs, index *store.Index, w io.Writer, o ExportOptions) (*Report, error) {
	const op = "transfer.Export"
	if index == nil || w == nil {
		return nil, &readapi.Error{Op: op, Code: readapi.CodeInvalidRequest, Detail: "there is no index, or nothing to write to"}
	}
	b := bufio.NewWriterSize(w, 64<<10)
	e := &exporter{blobs: blobs, index: index, lines: json.NewEncoder(b), out: &reporter{progress: o.Progress}}
	e.lines.SetEscapeHTML(false)
	err := e.export(ctx, o)
	if ferr := b.Flush(); err == nil {
		err = ferr
	}
	return e.out.result(op, err)
}

type exporter struct {
	blobs *store.Blobs // may be nil
	index *store.Index
	lines *json.Encoder
	out   *reporter
}

func (e *exporter) export(ctx context.Context, o ExportOptions) error {
	if err := e.there(ctx, o); err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	if err := e.lines.Encode(line{Export: exportVersion, Created: &now}); err != nil {
		return err
	}
	if o.Principal == "" && len(o.Sessions) == 0 {
		set, err := e.index.Decoders(ctx)
		if err != nil {
			return err
		}
		if len(set.Decoders) > 0 {
			if err := e.lines.Encode(line{Decoders: set.Decoders}); err != nil {
				return err
			}
		}
	}
	if err := e.sessions(ctx, o); err != nil {
		return err
	}
	return e.lines.Encode(line{End: toEnd(e.out.counts())})
}

// there looks for the sessions that are named before anything is written: one that is not there is a slip, and half an export is of no use.
func (e *exporter) there(ctx context.Context, o ExportOptions) error {
	for _, id := range o.Sessions {
		_, ok, err := readHeader(ctx, e.index, readapi.Scope{Principal: cmp.Or(o.Principal, readapi.LocalPrincipal), Session: id})
		if err == nil && !ok {
			err = noSession(id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func noSession(id readapi.SessionID) error {
	return &readapi.Error{Code: readapi.CodeNotFound, Ref: string(id), Detail: "there is no such session"}
}

func (e *exporter) sessions(ctx context.Context, o ExportOptions) error {
	if len(o.Sessions) == 0 {
		return eachSession(ctx, e.index, o.Principal, func(scope readapi.Scope) error {
			_, err := e.session(ctx, scope)
			return err
		})
	}
	if o.Principal == "" {
		o.Principal = readapi.LocalPrincipal
	}
	for _, id := range o.Sessions {
		ok, err := e.session(ctx, readapi.Scope{Principal: o.Principal, Session: id})
		if err == nil && !ok {
			err = noSession(id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// session writes one session; ok is false where there is none. Its events end where they ended at the beginning, and its files are read
// behind that: no event names a file that came later.
func (e *exporter) session(ctx context.Context, scope readapi.Scope) (ok bool, err error) {
	h, ok, err := readHeader(ctx, e.index, scope)
	if err != nil || !ok {
		return false, err
	}
	if err := e.lines.Encode(line{Session: toSession(h)}); err != nil {
		return true, err
	}
	last := int64(-1)
	err = eachArtifacts(ctx, e.index, scope, func(rows []store.Artifact) error {
		last = rows[len(rows)-1].Seq
		return e.artifacts(ctx, scope, rows)
	})
	if err != nil {
		return true, err
	}
	if err := eachUploads(ctx, e.index, scope, func(list []store.Upload) error { return e.uploads(ctx, scope, list, last) }); err != nil {
		return true, err
	}
	err = eachEvents(ctx, e.index, scope, -1, h.Last, func(list []store.Event) error {
		for _, v := range list {
			if err := e.lines.Encode(line{Event: toEvent(v)}); err != nil {
				return err
			}
		}
		e.out.count(func(n *Counts) { n.Events += int64(len(list)) })
		return nil
	})
	e.out.count(func(n *Counts) { n.Sessions++ })
	return true, err
}

func (e *exporter) artifacts(ctx context.Context, scope readapi.Scope, rows []store.Artifact) error {
	for _, a := range rows {
		if err := e.lines.Encode(line{Artifact: toArtifact(a)}); err != nil {
			return err
		}
	}
	e.out.count(func(n *Counts) { n.Artifacts += int64(len(rows)) })
	if e.blobs == nil {
		return nil
	}
	missing, err := missingOf(ctx, e.blobs, rows)
	if err != nil || len(missing) == 0 {
		return err
	}
	now, err := rowsOf(ctx, e.index, scope, idsOf(missing)) // what was purged meanwhile is not missing
	if err != nil {
		return err
	}
	for _, a := range missing {
		if _, ok := now[a.ID]; ok {
			e.out.problem(ofSession(scope, a, readapi.CodeCorrupt, "its bytes are missing, or have another size"))
		}
	}
	return nil
}

// missingOf returns the rows whose bytes are not there, by their size.
func missingOf(ctx context.Context, blobs *store.Blobs, rows []store.Artifact) (missing []store.Artifact, err error) {
	for _, a := range rows {
		if a.Blob == "" {
			continue
		}
		info, err := blobs.Stat(ctx, a.Blob)
		switch readapi.CodeOf(err) {
		case "":
			if info.Size != a.Bytes {
				missing = append(missing, a)
			}
		case readapi.CodeNotFound, readapi.CodeCorrupt:
			missing = append(missing, a)
		default:
			return nil, err
		}
	}
	return missing, nil
}

// uploads writes those whose artifact was written: none that came later, and none that was purged.
func (e *exporter) uploads(ctx context.Context, scope readapi.Scope, list []store.Upload, last int64) error {
	ids := make([]readapi.ArtifactID, len(list))
	for i, u := range list {
		ids[i] = u.Artifact
	}
	have, err := rowsOf(ctx, e.index, scope, ids)
	if err != nil {
		return err
	}
	for _, u := range list {
		if a, ok := have[u.Artifact]; !ok || a.Seq > last {
			continue
		}
		if err := e.lines.Encode(line{Upload: &uploadLine{u.ID, u.Begin, u.Artifact}}); err != nil {
			return err
		}
		e.out.count(func(n *Counts) { n.Uploads++ })
	}
	return nil
}
