package recall

import (
	"context"
	"slices"
	"time"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// neighbours is how many messages of the same turn a passage has on each side of the one that was found.
const neighbours = 4

// maxRefs is about how many files Offers is asked in one query: as many as a store answers for at once.
const maxRefs = 1000

// passage is a message with its neighbours on the way to being shown.
type passage struct {
	session readapi.SessionID
	score   float64
	anchor  *message
	before  []*message // nearest first
	after   []*message // nearest first

	moreBefore, moreAfter bool
}

// message is a message that may be shown.
type message struct {
	id    string
	role  ledger.Type
	time  time.Time
	text  string // as it is shown, not cut
	refs  []readapi.AttachmentRef
	names []string // of refs, as they are shown, not cut
}

// shows reports whether there is something of e to show: a text, which redaction never empties, or a file.
func (s *search) shows(e ledger.Event) bool {
	return prose(e).stored != "" || !s.off.textless && len(s.refs(e)) > 0
}

// message returns e as it may be shown, with what is hidden in it made visible.
func (s *search) message(e ledger.Event) *message {
	m := &message{id: e.ID, role: e.Type, time: e.Time, refs: s.refs(e)}
	m.text, _ = readapi.Escape(prose(e).hidden())
	for _, ref := range m.refs {
		m.names = append(m.names, readapi.EscapeLine(s.name(ref.Name).hidden()))
	}
	return m
}

// load reads the surroundings of a hit; nil when there is nothing of it to show.
func (s *search) load(ctx context.Context, h *hit, before, after int) (*passage, error) {
	p := &passage{session: h.session, score: h.score}
	var near []ledger.Event // before the hit, the nearest last
	for e, err := range s.events(ctx, readapi.Scope{Principal: s.scope.Principal, Session: h.session}, h.turn.first-1) {
		if err != nil {
			return nil, err
		}
		if h.turn.last >= 0 && e.Seq > h.turn.last || p.moreAfter {
			break
		}
		if e.Turn != h.turn.name || e.Type == ledger.ToolResult && e.Seq != h.seq || !s.shows(e) {
			continue
		}
		switch {
		case e.Seq < h.seq:
			if near = append(near, e); len(near) > before {
				near, p.moreBefore = near[1:], true
			}
		case e.Seq == h.seq:
			p.anchor = s.message(e)
		case len(p.after) == after:
			p.moreAfter = true
		default:
			p.after = append(p.after, s.message(e))
		}
	}
	for _, e := range slices.Backward(near) {
		p.before = append(p.before, s.message(e))
	}
	if p.anchor == nil {
		return nil, nil
	}
	return p, nil
}

func absentAnchor() error {
	return &readapi.Error{Code: readapi.CodeNotFound, Detail: "there is no message of this id to expand"}
}

// expand shows more of what surrounds a message.
func (s *search) expand(ctx context.Context, x Expand, searched *Searched) ([]*passage, error) {
	if x.Session == "" {
		x.Session = s.scope.Session
	}
	if x.Before < 0 {
		x.Before = MaxExpand
	}
	if x.After < 0 {
		x.After = MaxExpand
	}
	scope := readapi.Scope{Principal: s.scope.Principal, Session: x.Session}
	session, err := s.ledger.Session(ctx, scope)
	if readapi.CodeOf(err) == readapi.CodeNotFound || err == nil && !session.Deleted.IsZero() {
		return nil, absentAnchor()
	}
	if err != nil {
		return nil, err
	}
	e, err := s.ledger.Event(ctx, scope, x.Anchor)
	if readapi.CodeOf(err) == readapi.CodeNotFound || err == nil && s.inFlight(x.Session, e.Turn) {
		return nil, absentAnchor()
	}
	if err != nil {
		return nil, err
	}
	p, err := s.load(ctx, &hit{session: x.Session, seq: e.Seq, turn: &turn{name: e.Turn, first: 0, last: -1}}, x.Before, x.After)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, absentAnchor()
	}
	searched.Sessions, searched.Oldest = 1, session.Updated
	return []*passage{p}, nil
}

// own reports whether ref is a file of the asking session, whoever's message carries it.
func (s *search) own(ref readapi.AttachmentRef) bool {
	return ref.Ref.Kind == readapi.RefSessionFile && ref.Ref.SessionID == s.scope.Session
}

// offers asks once which files of the passages can be opened. Only the asking session's own are in the result. Neighbours whose files would
// make the question too long are left out, the farthest first.
func (s *search) offers(ctx context.Context, passages []*passage) (map[readapi.AttachmentRef]readapi.Offer, error) {
	out := map[readapi.AttachmentRef]readapi.Offer{}
	var ask []readapi.AttachmentRef
	take := func(m *message) bool {
		var fresh []readapi.AttachmentRef
		for _, ref := range m.refs {
			if _, known := out[ref]; !known && s.own(ref) {
				fresh = append(fresh, ref)
			}
		}
		if len(ask)+len(fresh) > maxRefs {
			return false
		}
		for _, ref := range fresh {
			if _, known := out[ref]; !known {
				out[ref] = readapi.Offer{}
				ask = append(ask, ref)
			}
		}
		return true
	}
	for _, p := range passages {
		take(p.anchor)
	}
	for i := range MaxExpand {
		for _, p := range passages {
			if i < len(p.before) && !take(p.before[i]) {
				p.before, p.moreBefore = p.before[:i], true
			}
			if i < len(p.after) && !take(p.after[i]) {
				p.after, p.moreAfter = p.after[:i], true
			}
		}
	}
	if s.off.withhold {
		s.giveAddresses(passages, out)
	}
	if len(ask) == 0 {
		return out, nil
	}
	offers, err := s.Recall.offers.Offer(ctx, s.scope, ask)
	if err != nil {
		return nil, err
	}
	if len(offers) != len(ask) {
		return nil, &readapi.Error{Code: readapi.CodeInternal, Detail: "an offer is missing"}
	}
	for i, ref := range ask {
		out[ref] = offers[i]
	}
	return out, nil
}

// giveAddresses is the ablation: every file has an address.
func (s *search) giveAddresses(passages []*passage, out map[readapi.AttachmentRef]readapi.Offer) {
	for _, p := range passages {
		for _, m := range append(append([]*message{p.anchor}, p.before...), p.after...) {
			for _, ref := range m.refs {
				if _, id, ok := ref.Address(); ok && !s.own(ref) {
					out[ref] = readapi.Offer{URI: id.URI()}
				}
			}
		}
	}
}
