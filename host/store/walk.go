package store

import (
	"context"
	"iter"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// This file walks what an index has, a page at a time. Each walk ends at its first error. What comes in beside it may be met or not, and
// what is being purged is among the rest.

// AllArtifacts yields the artifacts that a scan selects, behind q.After. q.Limit is of a page.
func (x *Index) AllArtifacts(ctx context.Context, q ArtifactScan) iter.Seq2[Artifact, error] {
	return walk(q.Limit, func(last *Artifact) ([]Artifact, error) {
		q := q
		if last != nil {
			q.After = last
		}
		return x.ScanArtifacts(ctx, q)
	})
}

// ArtifactsOf yields the artifacts of scope in the order of their Seq.
func (x *Index) ArtifactsOf(ctx context.Context, scope readapi.Scope) iter.Seq2[Artifact, error] {
	return walk(0, func(last *Artifact) ([]Artifact, error) {
		after := int64(-1)
		if last != nil {
			after = last.Seq
		}
		page, _, err := x.ListArtifacts(ctx, scope, after, 0)
		return page, err
	})
}

// AllSessions yields the sessions of all principals behind after, by principal and id; the zero Scope is the start.
func (x *Index) AllSessions(ctx context.Context, after readapi.Scope) iter.Seq2[Session, error] {
	return walk(0, func(last *Session) ([]Session, error) {
		after := after
		if last != nil {
			after = last.Scope()
		}
		return x.ScanSessions(ctx, after, 0)
	})
}

// SessionsOf yields the sessions of a principal that q selects, newest first, behind q.After. q.Limit is of a page.
func (x *Index) SessionsOf(ctx context.Context, principal readapi.PrincipalID, q SessionQuery) iter.Seq2[Session, error] {
	return walk(q.Limit, func(last *Session) ([]Session, error) {
		q := q
		if last != nil {
			q.After = last
		}
		return x.Sessions(ctx, principal, q)
	})
}

// walk yields what read returns behind the last of what it returned before, until that is less than a page.
func walk[T any](limit int, read func(last *T) ([]T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		full, err := pageSize(limit)
		if err != nil {
			yield(none, err)
			return
		}
		for last := (*T)(nil); ; {
			page, err := read(last)
			if err != nil {
				yield(none, err)
				return
			}
			for _, row := range page {
				if !yield(row, nil) {
					return
				}
			}
			if len(page) < full {
				return
			}
			last = &page[len(page)-1]
		}
	}
}
