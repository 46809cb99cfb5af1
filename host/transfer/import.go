package transfer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// ImportOptions of Import.
type ImportOptions struct {
	Progress func(Counts) // called now and then
	MaxLine  int          // bytes that a line may have; default 16 MiB
}

// Import puts the rows of an export where they are not yet, exactly as they were. blobs are the bytes of the files, as a store has kept
// them: what is missing there is reported by file, and its row is put all the same, so that the bytes can follow. blobs may be nil, then
// nobody looks.
//
// A line that cannot be used is reported by its number, and so is a session that the index has as another one, or deleted; the import
// goes on with the next. It may be run again and does nothing twice. A session of the index that is further on than the export keeps what
// it is. The Counts are what the export has, and Present is how many of its artifacts were there before.
//
// Errors: malformed_input where the export is none, was cut off, or has lines that cannot be used; conflict for sessions that were left;
// corrupt for missing bytes; capability_unavailable for an export of a newer version; what r returns; those of the store.
func Import(ctx context.Context, blobs *store.Blobs, index *store.Index, r io.Reader, o ImportOptions) (*Report, error) {
	const op = "transfer.Import"
	if index == nil || r == nil || o.MaxLine < 0 {
		return nil, &readapi.Error{Op: op, Code: readapi.CodeInvalidRequest, Detail: "there is no index or nothing to read, or MaxLine is negative"}
	}
	if o.MaxLine == 0 {
		o.MaxLine = 16 << 20
	}
	m := &importer{blobs: blobs, index: index, out: &reporter{progress: o.Progress}}
	return m.out.result(op, m.run(ctx, r, o.MaxLine))
}

type importer struct {
	blobs *store.Blobs // may be nil
	index *store.Index
	out   *reporter
	held  *leases

	number int64 // of the line
	end    bool  // the last line was there
	lost   int64 // lines that could not be used

	open  bool   // there is a session that lines belong to
	skip  bool   // what follows belongs to a session that is left as it is
	in    header // of that session
	state store.Session
	there bool // the index had it before
	ahead bool // and is as far as the export, or further on: its state stays
	batch pending
	lines map[string]int64 // of the rows of batch
}

func (m *importer) run(ctx context.Context, r io.Reader, maxLine int) error {
	m.held = hold(ctx, m.index)
	defer m.held.end(ctx)
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		text, err := readLine(in, maxLine)
		if err == io.EOF {
			break
		}
		m.number++
		switch {
		case err != nil && !errors.Is(err, errLong):
			return err
		case m.number == 1:
			err = begins(text)
		case err != nil:
			m.bad("the line is longer than a line may be")
			continue
		default:
			err = m.line(ctx, text)
		}
		if err != nil {
			return err
		}
	}
	if err := m.ended(ctx); err != nil {
		return err
	}
	if m.number == 0 || !m.end {
		return &readapi.Error{Code: readapi.CodeMalformed, Detail: "the export ends before its last line"}
	}
	return nil
}

var errLong = errors.New("transfer: the line is too long")

// readLine returns the next line without its end; one that is too long is read over and is errLong.
func readLine(in *bufio.Reader, most int) (text []byte, err error) {
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(text)+len(part) > most; !long {
			text = append(text, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && (len(text) > 0 || long), err == nil:
			if long {
				return nil, errLong
			}
			return bytes.TrimSpace(text), nil
		}
		return nil, err
	}
}

// begins checks the first line.
func begins(text []byte) error {
	var l line
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &l); err != nil || l.Export < 1 {
		return &readapi.Error{Code: readapi.CodeMalformed, Detail: "this is no export of glovebox", Err: err}
	}
	if l.Export > exportVersion {
		return &readapi.Error{Code: readapi.CodeCapabilityUnavailable, Detail: "the export was made by a newer version of glovebox",
			Hint: "Use that version of glovebox."}
	}
	return nil
}

// bad reports the line as one that cannot be used.
func (m *importer) bad(detail string) {
	m.lost++
	m.out.problem(Problem{Code: readapi.CodeMalformed, Detail: detail, Line: m.number, Principal: m.in.Principal, Session: m.in.ID})
}

// line takes one line.
func (m *importer) line(ctx context.Context, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		m.bad("the line is not JSON, or a value in it has another type")
		return nil
	}
	switch {
	case m.end:
		m.bad("there is something behind the last line")
		return nil
	case l.Session != nil:
		return m.session(ctx, l.Session.header())
	case l.Artifact != nil, l.Upload != nil, l.Event != nil:
		return m.row(ctx, l, len(text))
	case len(l.Decoders) > 0:
		return m.decoders(ctx, l.Decoders)
	case l.End != nil:
		return m.last(ctx, *l.End)
	}
	m.bad("the line says nothing that this version of glovebox knows")
	return nil
}

// last compares the export's own counts with the lines that were there.
func (m *importer) last(ctx context.Context, said endLine) error {
	m.end = true
	if err := m.ended(ctx); err != nil {
		return err
	}
	if m.lost == 0 && said != *toEnd(m.out.counts()) {
		m.bad("the export says that it has another number of lines")
	}
	return nil
}

// session begins one.
func (m *importer) session(ctx context.Context, h header) error {
	if err := m.ended(ctx); err != nil {
		return err
	}
	m.open, m.skip, m.there, m.ahead, m.in, m.state = true, true, false, false, h, h.Session
	if !h.Scope().Valid() || h.Created.IsZero() || h.Updated.IsZero() {
		m.bad("a session has no id, or no time")
		return nil
	}
	m.out.count(func(n *Counts) { n.Sessions++ })
	was, there, err := m.index.Session(ctx, h.Scope())
	if err != nil {
		return err
	}
	m.there = there
	if there {
		conflict, err := m.existing(ctx, was)
		if err != nil {
			return err
		}
		if conflict != "" {
			m.out.problem(Problem{Code: readapi.CodeConflict, Detail: conflict, Line: m.number, Principal: h.Principal, Session: h.ID})
			return nil
		}
	}
	m.skip = false
	err = m.index.Load(ctx, m.state, nil, nil, nil)
	if readapi.CodeOf(err) == readapi.CodeInvalidRequest {
		m.skip = true
		m.bad("an index cannot keep this session")
		return nil
	}
	return err
}

// ended puts what is left of a session into the index.
func (m *importer) ended(ctx context.Context) error {
	if err := m.flush(ctx); err != nil || !m.open || m.skip || !m.there {
		return err
	}
	return deleteRest(ctx, m.index, m.in.Session)
}

// existing says why a session that the index has is left as it is, if it is; else state becomes what it is to be.
func (m *importer) existing(ctx context.Context, was store.Session) (conflict string, err error) {
	switch {
	case was.Purging:
		return "the session is being purged", nil
	case !was.Deleted.IsZero() && m.in.Deleted.IsZero():
		return "the session was deleted here", nil
	}
	first, err := m.index.Events(ctx, m.in.Scope(), -1, 1)
	if err != nil {
		return "", err
	}
	before := m.in.First == "" && m.in.Last < 0 && m.in.Deleted.IsZero() // the session had no event yet
	if len(first) > 0 && first[0].ID != m.in.First && !before {
		return "there is another session of this id", nil
	}
	last, ok, err := m.index.LastEvent(ctx, m.in.Scope())
	if err != nil {
		return "", err
	}
	if (ok && last.Seq >= m.in.Last || !ok && m.in.Last < 0) && m.in.Deleted.IsZero() {
		m.state, m.ahead = was, true
	}
	return "", nil
}

// row takes a line of the session that is open, which has size bytes.
func (m *importer) row(ctx context.Context, l line, size int) error {
	if !m.open {
		m.bad("the line belongs to no session")
		return nil
	}
	if m.lines == nil {
		m.lines = map[string]int64{}
	}
	switch {
	case l.Artifact != nil:
		m.out.count(func(n *Counts) { n.Artifacts++ })
		m.batch.artifacts = append(m.batch.artifacts, l.Artifact.artifact(m.in.Scope()))
		m.lines["a"+string(l.Artifact.ID)] = m.number
	case l.Upload != nil:
		m.out.count(func(n *Counts) { n.Uploads++ })
		m.batch.uploads = append(m.batch.uploads, store.Upload(*l.Upload))
		m.lines["u"+l.Upload.ID] = m.number
	case l.Event != nil && l.Event.Seq > m.in.Last && !m.skip:
		m.bad("an event lies behind the last one of its session")
		return nil
	case l.Event != nil:
		m.out.count(func(n *Counts) { n.Events++ })
		e := l.Event.event()
		m.batch.events = append(m.batch.events, e)
		m.lines["e"+e.ID] = m.number
	}
	m.batch.bytes += size
	if m.skip {
		m.batch = pending{}
		clear(m.lines)
		return nil
	}
	if m.batch.full() {
		return m.flush(ctx)
	}
	return nil
}

// decoders sets the decoder set, where the index has none.
func (m *importer) decoders(ctx context.Context, list []store.DecoderEntry) error {
	now, err := m.index.Decoders(ctx)
	if err != nil || len(now.Decoders) > 0 {
		return err
	}
	_, err = m.index.SetDecoders(ctx, now.Generation, list)
	switch readapi.CodeOf(err) {
	case readapi.CodeConflict: // a host has set one just now
		return nil
	case readapi.CodeInvalidRequest:
		m.bad("this is no decoder set")
		return nil
	}
	return err
}

// flush puts the batch into the index.
func (m *importer) flush(ctx context.Context) error {
	p := m.batch
	m.batch = pending{}
	defer clear(m.lines)
	if len(p.artifacts)+len(p.uploads)+len(p.events) == 0 {
		return nil
	}
	if err := m.held.await(ctx, validDigests(p.artifacts)); err != nil {
		return err
	}
	have, err := rowsOf(ctx, m.index, m.in.Scope(), validIDs(p.artifacts))
	if err != nil {
		return err
	}
	if err := m.check(ctx, p.artifacts, have); err != nil {
		return err
	}
	if p.uploads, err = m.uploads(ctx, p.uploads, p.artifacts); err != nil {
		return err
	}
	if m.ahead {
		if m.state, _, err = m.index.Session(ctx, m.in.Scope()); err != nil { // it may be in use
			return err
		}
	}
	err = m.index.Load(ctx, m.state, p.artifacts, p.events, p.uploads)
	if code := readapi.CodeOf(err); code == readapi.CodeInvalidRequest || code == readapi.CodeConflict {
		err = m.single(ctx, p)
	}
	if err == nil {
		err = m.after(ctx, p)
	}
	return errors.Join(err, m.held.clear(ctx))
}

// single puts the rows of a batch that was refused one by one, to find which of them are bad.
func (m *importer) single(ctx context.Context, p pending) error {
	load := func(key string, a []store.Artifact, e []store.Event, u []store.Upload) error {
		err := m.index.Load(ctx, m.state, a, e, u)
		switch readapi.CodeOf(err) {
		case readapi.CodeInvalidRequest:
			m.lost++
			m.out.problem(Problem{Code: readapi.CodeMalformed, Detail: detail(err), Line: m.lines[key], Principal: m.in.Principal, Session: m.in.ID})
		case readapi.CodeConflict:
			m.taken(key, "")
		default:
			return err
		}
		m.lines[key] = 0 // told
		return nil
	}
	for _, a := range p.artifacts {
		if err := load("a"+string(a.ID), []store.Artifact{a}, nil, nil); err != nil {
			return err
		}
	}
	for _, e := range p.events {
		if err := load("e"+e.ID, nil, []store.Event{e}, nil); err != nil {
			return err
		}
	}
	have, err := rowsOf(ctx, m.index, m.in.Scope(), validIDs(uploaded(p.uploads)))
	if err != nil {
		return err
	}
	for _, u := range p.uploads {
		if _, ok := have[u.Artifact]; !ok {
			continue // its file has been told of
		}
		if err := load("u"+u.ID, nil, nil, []store.Upload{u}); err != nil {
			return err
		}
	}
	return nil
}

// check reports files whose bytes are missing, and takes over deletions.
func (m *importer) check(ctx context.Context, rows []store.Artifact, have map[readapi.ArtifactID]store.Artifact) error {
	for _, a := range rows {
		b, ok := have[a.ID]
		if !ok {
			continue
		}
		m.out.count(func(n *Counts) { n.Present++ })
		if b.Deleted.IsZero() && !a.Deleted.IsZero() && sameRow(a, b) {
			if _, _, err := m.index.DeleteArtifact(ctx, a.Scope, a.ID, a.Deleted); err != nil {
				return err
			}
		}
	}
	if m.blobs == nil {
		return nil
	}
	missing, err := missingOf(ctx, m.blobs, slices.DeleteFunc(slices.Clone(rows), func(a store.Artifact) bool { return !store.ValidDigest(a.Blob) }))
	for _, a := range missing {
		p := ofSession(a.Scope, a, readapi.CodeCorrupt, "its bytes are missing, or have another size")
		p.Line = m.lines["a"+string(a.ID)]
		m.out.problem(p)
	}
	return err
}

// uploads returns those whose artifact is in the index or in the batch; others are bad lines.
func (m *importer) uploads(ctx context.Context, list []store.Upload, coming []store.Artifact) (out []store.Upload, err error) {
	have, err := rowsOf(ctx, m.index, m.in.Scope(), validIDs(uploaded(list)))
	if err != nil {
		return nil, err
	}
	for _, a := range coming {
		have[a.ID] = a
	}
	for _, u := range list {
		if _, ok := have[u.Artifact]; ok {
			out = append(out, u)
			continue
		}
		m.lost++
		m.out.problem(Problem{Code: readapi.CodeMalformed, Detail: "an upload became a file that is not there", Line: m.lines["u"+u.ID],
			Principal: m.in.Principal, Session: m.in.ID})
	}
	return out, nil
}

// uploaded are the artifacts that uploads became, by id alone.
func uploaded(list []store.Upload) (rows []store.Artifact) {
	for _, u := range list {
		rows = append(rows, store.Artifact{ID: u.Artifact})
	}
	return rows
}

// after looks whether the index has the rows of the export now, or others in their place.
func (m *importer) after(ctx context.Context, p pending) error {
	if !m.there {
		return nil
	}
	now, err := rowsOf(ctx, m.index, m.in.Scope(), validIDs(p.artifacts))
	if err != nil {
		return err
	}
	for _, a := range p.artifacts {
		if b, ok := now[a.ID]; a.ID.Valid() && (!ok || !sameRow(a, b)) {
			m.taken("a"+string(a.ID), a.ID)
		}
	}
	for _, e := range p.events {
		b, ok, err := m.index.Event(ctx, m.in.Scope(), e.ID)
		if err != nil {
			return err
		}
		if !ok || b.Seq != e.Seq || !bytes.Equal(b.Payload, e.Payload) {
			m.taken("e"+e.ID, "")
		}
	}
	return nil
}

func (m *importer) taken(key string, id readapi.ArtifactID) {
	if m.lines[key] == 0 {
		return
	}
	m.out.problem(Problem{Code: readapi.CodeConflict, Detail: "the session has another one in its place", Line: m.lines[key], Principal: m.in.Principal,
		Session: m.in.ID, Artifact: id})
}

func validIDs(rows []store.Artifact) (ids []readapi.ArtifactID) {
	for _, a := range rows {
		if a.ID.Valid() {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

func validDigests(rows []store.Artifact) []string {
	return slices.DeleteFunc(digestsOf(rows), func(d string) bool { return !store.ValidDigest(d) })
}
