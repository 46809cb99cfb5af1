package host

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"io"
	"iter"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/recall"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Session is the host as one session sees it. What belongs to another session is as if it were not there.
type Session struct {
	host  *Host
	scope readapi.Scope
}

// Scope says who this is.
func (s *Session) Scope() readapi.Scope { return s.scope }

// URI is how a file of this id is named to OpenBytes, Delete and Read. Where a file has no address for reading, this still names it.
func (s *Session) URI(id readapi.ArtifactID) string { return s.host.uri(id) }

// URIPrefix is what the addresses of the host begin with.
func (s *Session) URIPrefix() string { return s.host.opts.URIPrefix }

// call is one call of a session: what the audit will be told of it.
type call struct {
	*Session
	op    string // of the audit
	name  string // of the method
	leave func()

	ref   readapi.ArtifactID
	cause string // what was really the matter, where the code does not say it
	find  bool   // the session has no such artifact: the audit finds out who has
}

// begin begins a call; leave must follow unless it fails, and end before that.
func (s *Session) begin(op, name string) (*call, error) {
	name = "host." + name
	if !s.scope.Valid() {
		return nil, readapi.AsError(name, invalid("the session or the principal has not the form of an id", "An id is 1 to 128 characters of A-Z a-z 0-9 _ -."))
	}
	leave, err := s.host.enter(name)
	if err != nil {
		return nil, err
	}
	return &call{Session: s, op: op, name: name, leave: leave}, nil
}

// end tells the audit how the call went, and returns err as the caller gets it.
func (c *call) end(ctx context.Context, err error) error {
	err = c.failed(err)
	c.tell(ctx, c.ref, readapi.CodeOf(err), c.cause, c.find)
	return err
}

// failed is err under the method's name and about the artifact that the call asks for.
func (c *call) failed(err error) error {
	if err == nil {
		return nil
	}
	e, ok := readapi.AsError(c.name, err).(*readapi.Error)
	if ok && e.Ref == "" && c.ref != "" {
		named := *e
		named.Ref = string(c.ref)
		return &named
	}
	return e
}

func (c *call) tell(ctx context.Context, ref readapi.ArtifactID, code readapi.Code, cause string, find bool) {
	if c.host.audit == nil {
		return
	}
	if cause == "" {
		cause = string(code)
	}
	c.host.audit.tell(ctx, AuditEvent{
		Time: c.host.now(), Op: c.op, Principal: c.scope.Principal, Session: c.scope.Session, Ref: ref, Code: code, Cause: cause,
	}, find)
}

// refuse is the error of a refusal, whose cause the audit is told.
func (c *call) refuse(no *refusal) error {
	c.cause = no.cause
	return no.err
}

// absent is the answer for what the session does not have, whoever else may have it.
func (c *call) absent() error {
	c.find = true
	return notFound()
}

// locate is the artifact that uri names.
func (c *call) locate(uri string) (readapi.ArtifactID, error) {
	id, err := readapi.ParseURIPrefix(c.host.opts.URIPrefix, uri)
	if err != nil {
		c.cause = CauseInvalidURI
		return "", err
	}
	c.ref = id
	return id, nil
}

// lookup finds what uri names, and the decoder set of that moment, by one query: between an artifact that is absent and one that is
// another's, nothing else happens.
func (c *call) lookup(ctx context.Context, uri string) (store.Artifact, *view, error) {
	id, err := c.locate(uri)
	if err != nil {
		return store.Artifact{}, nil, err
	}
	rows, generation, err := c.host.index.Artifacts(ctx, c.scope, []readapi.ArtifactID{id})
	if err != nil {
		return store.Artifact{}, nil, err
	}
	v, err := c.host.viewAt(ctx, generation)
	if err != nil {
		return store.Artifact{}, nil, err
	}
	row, ok := rows[id]
	if !ok {
		return store.Artifact{}, nil, c.absent()
	}
	return row, v, nil
}

// Append commits events; see ledger.Append.
func (s *Session) Append(ctx context.Context, events ...ledger.Event) ([]string, error) {
	c, err := s.begin("append", "Append")
	if err != nil {
		return nil, err
	}
	defer c.leave()
	ids, err := s.host.ledger.Append(ctx, s.scope, store.Batch{}, events...)
	return ids, c.end(ctx, err)
}

// Events yields what happened in the session, in order; see ledger.Events. A session that is not there has none, a deleted one is gone.
func (s *Session) Events(ctx context.Context) iter.Seq2[ledger.Event, error] {
	return func(yield func(ledger.Event, error) bool) {
		c, err := s.begin("show", "Events")
		if err != nil {
			yield(ledger.Event{}, err)
			return
		}
		if _, err := c.present(ctx); err != nil && readapi.CodeOf(err) != readapi.CodeNotFound {
			yield(ledger.Event{}, c.end(ctx, err))
			c.leave()
			return
		}
		c.tell(ctx, "", "", "", false)
		c.leave()
		steps(s.host, "host.Events", s.host.ledger.Events(ctx, s.scope, -1))(yield)
	}
}

// Import appends events that stand in r, one on each line; see ledger.Import.
func (s *Session) Import(ctx context.Context, r io.Reader, o ledger.ImportOptions) (ledger.Report, error) {
	c, err := s.begin("import", "Import")
	if err != nil {
		return ledger.Report{}, err
	}
	defer c.leave()
	report, err := s.host.ledger.Import(ctx, s.scope, r, o)
	return report, c.end(ctx, err)
}

// Recall searches the principal's sessions; see recall.Recall.
func (s *Session) Recall(ctx context.Context, req recall.Request) (*recall.Answer, error) {
	c, err := s.begin("recall", "Recall")
	if err != nil {
		return nil, err
	}
	defer c.leave()
	answer, err := s.host.recall.Recall(ctx, s.scope, req)
	return answer, c.end(ctx, err)
}

// Delete marks an attachment deleted: its address does not open any more. Deleting it again does nothing. Errors: invalid_uri, not_found,
// and those of the store.
func (s *Session) Delete(ctx context.Context, uri string) error {
	c, err := s.begin("delete", "Delete")
	if err != nil {
		return err
	}
	defer c.leave()
	return c.end(ctx, c.delete(ctx, uri))
}

func (c *call) delete(ctx context.Context, uri string) error {
	id, err := c.locate(uri)
	if err != nil {
		return err
	}
	_, ok, err := c.host.index.DeleteArtifact(ctx, c.scope, id, c.host.now())
	if err != nil {
		return err
	}
	if !ok {
		return c.absent()
	}
	return nil
}

// DefaultPage is how many attachments a page has when nothing else is asked for.
const DefaultPage = 100

// Attachments returns up to limit of the session's own files behind the cursor ("": from the start), in order of arrival, and the cursor
// that goes on, "" at the end. A limit of 0 is DefaultPage; a page never has more than store.MaxPage - 1.
//
// Errors: invalid_request for a negative limit and for what is no cursor of this session, and those of the store.
func (s *Session) Attachments(ctx context.Context, cursor string, limit int) (page []readapi.Attachment, next string, err error) {
	c, err := s.begin("list", "Attachments")
	if err != nil {
		return nil, "", err
	}
	defer c.leave()
	page, next, err = c.page(ctx, cursor, limit)
	return page, next, c.end(ctx, err)
}

func (c *call) page(ctx context.Context, cursor string, limit int) (page []readapi.Attachment, next string, err error) {
	if limit < 0 {
		return nil, "", invalid("the limit is negative", "Leave it at 0 for the default.")
	}
	if limit == 0 {
		limit = DefaultPage
	}
	limit = min(limit, store.MaxPage-1)
	after := int64(-1)
	if cursor != "" {
		if after, err = parsePageCursor(c.scope, cursor); err != nil {
			return nil, "", err
		}
	}
	rows, generation, err := c.host.index.ListArtifacts(ctx, c.scope, after, limit+1)
	if err != nil {
		return nil, "", err
	}
	v, err := c.host.viewAt(ctx, generation)
	if err != nil {
		return nil, "", err
	}
	if len(rows) > limit {
		rows = rows[:limit]
		next = pageCursor(c.scope, rows[limit-1].Seq)
	}
	page = make([]readapi.Attachment, 0, len(rows))
	for _, row := range rows {
		page = append(page, c.host.attachment(v, row))
	}
	return page, next, nil
}

// pageCursorVersion is the first byte of a page's cursor.
const pageCursorVersion = 1

// pageCursor is where a list of a session's files goes on: version, place, and a checksum over both and the session, so that a cursor of
// another session is none. It is no secret and no credential.
func pageCursor(scope readapi.Scope, seq int64) string {
	b := binary.AppendUvarint([]byte{pageCursorVersion}, uint64(seq))
	b = binary.BigEndian.AppendUint32(b, pageSum(scope, b))
	return base64.RawURLEncoding.EncodeToString(b)
}

func pageSum(scope readapi.Scope, b []byte) uint32 {
	sum := crc32.ChecksumIEEE([]byte(string(scope.Principal) + "\x00" + string(scope.Session)))
	return crc32.Update(sum, crc32.IEEETable, b)
}

func parsePageCursor(scope readapi.Scope, s string) (seq int64, err error) {
	bad := invalid("this is not a cursor of this list", "Pass the next value of a former page as it is, or leave the cursor out to start again.")
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || len(b) < 6 || b[0] != pageCursorVersion {
		return 0, bad
	}
	body, sum := b[:len(b)-4], binary.BigEndian.Uint32(b[len(b)-4:])
	v, n := binary.Uvarint(body[1:])
	if pageSum(scope, body) != sum || n != len(body)-1 || v > 1<<62 {
		return 0, bad
	}
	return int64(v), nil
}
