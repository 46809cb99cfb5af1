package recall

import (
	"cmp"
	"context"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// find searches the principal's sessions and loads what surrounds the best hits.
func (s *search) find(ctx context.Context, answer *Answer) ([]*passage, error) {
	hits, messages, err := s.scan(ctx, &answer.Searched)
	if err != nil {
		return nil, err
	}
	for i, t := range s.terms {
		found := false
		for _, h := range hits {
			found = found || h.counts[i] > 0
		}
		if !found {
			answer.UnmatchedTerms = append(answer.UnmatchedTerms, t.text)
		}
	}
	rate(hits, messages)
	var out []*passage
	for _, h := range choose(hits, s.req.Limit) {
		p, err := s.load(ctx, h, neighbours, neighbours)
		if err != nil {
			return nil, err
		}
		if p != nil {
			out = append(out, p)
		}
	}
	return out, nil
}

// scan goes through the newest sessions and keeps what is found, and how many messages there are.
func (s *search) scan(ctx context.Context, searched *Searched) (hits []*hit, messages int, err error) {
	for session, err := range s.ledger.Sessions(ctx, s.scope.Principal, true) {
		if err != nil {
			return nil, 0, err
		}
		if searched.Sessions == MaxSessions {
			searched.Capped = true
			break
		}
		searched.Sessions++
		searched.Oldest = session.Updated
		found, n, err := s.scanSession(ctx, session)
		if err != nil {
			return nil, 0, err
		}
		hits, messages = append(hits, found...), messages+n
	}
	return hits, messages, nil
}

// events is ledger.Events that looks at ctx before each event: to redact a large one may take seconds, and the ledger looks once a page.
func (s *search) events(ctx context.Context, scope readapi.Scope, after int64) iter.Seq2[ledger.Event, error] {
	return func(yield func(ledger.Event, error) bool) {
		for e, err := range s.ledger.Events(ctx, scope, after) {
			if !yield(e, cmp.Or(err, ctx.Err())) {
				return
			}
		}
	}
}

func (s *search) scanSession(ctx context.Context, session store.Session) (hits []*hit, messages int, err error) {
	turns := map[string]*turn{}
	for e, err := range s.events(ctx, readapi.Scope{Principal: s.scope.Principal, Session: session.ID}, -1) {
		if err != nil {
			return nil, 0, err
		}
		messages++
		t := turns[e.Turn]
		if t == nil {
			t = &turn{name: e.Turn, first: e.Seq}
			turns[e.Turn] = t
		}
		t.last = e.Seq
		if s.inFlight(session.ID, e.Turn) || !s.req.Since.IsZero() && e.Time.Before(s.req.Since) || !s.req.Until.IsZero() && e.Time.After(s.req.Until) {
			continue
		}
		if h := s.match(e); h != nil {
			h.session, h.turn = session.ID, t
			hits = append(hits, h)
		}
	}
	return hits, messages, nil
}

// inFlight reports whether a turn is one that the asking session has not finished.
func (s *search) inFlight(session readapi.SessionID, turn string) bool {
	return session == s.scope.Session && s.exclude[turn]
}

// match returns a hit if one of the terms stands in a segment of e as it is stored and as it may be shown: in the one alone it could be a
// credential, in the other the mark that hides one.
func (s *search) match(e ledger.Event) *hit {
	segments := s.segments(e)
	var h *hit
	shown := make([]string, len(segments))
	for i, seg := range segments {
		stored := s.fold.text(seg.stored)
		for k, t := range s.terms {
			n := strings.Count(stored, t.folded)
			if n == 0 {
				continue
			}
			if shown[i] == "" {
				shown[i] = s.fold.text(seg.hidden())
			}
			if n = min(n, strings.Count(shown[i], t.folded)); n == 0 {
				continue
			}
			if h == nil {
				h = &hit{id: e.ID, seq: e.Seq, time: e.Time, kind: e.Type}
			}
			h.counts[k] += int32(n)
		}
	}
	if h == nil || s.off.textless && segments[0].stored == "" {
		return nil
	}
	for i, seg := range segments {
		if shown[i] == "" {
			shown[i] = s.fold.text(seg.hidden())
		}
		h.length += utf8.RuneCountInString(shown[i])
	}
	return h
}
