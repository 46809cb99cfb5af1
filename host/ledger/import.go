package ledger

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	importEvents  = 256     // of one append
	importBytes   = 4 << 20 // of the lines of one append, about
	importBadKept = 100
)

// ImportOptions of Import; the zero value means all defaults.
type ImportOptions struct {
	// Name tells apart what is imported into one session: an event without an id gets one of its line, its line's number and this. The same
	// file under the same name is the same events, whenever it comes.
	Name string

	Bad int // lines whose errors are kept; default 100; all are counted

	// Progress is called now and then with what was done so far. nil: nobody asks.
	Progress func(Report)
}

// Report is what an Import did.
type Report struct {
	Bytes    int64     `json:"bytes"`    // that were read
	Lines    int64     `json:"lines"`    // that were read, empty ones too
	Appended int64     `json:"appended"` // events that are new
	Known    int64     `json:"known"`    // events that the session had already
	Bad      int64     `json:"bad"`      // lines that were left out
	Errors   []BadLine `json:"errors"`   // of those, the first ones
}

// BadLine is a line that was left out.
type BadLine struct {
	Line  int64          `json:"line"` // from 1
	Error *readapi.Error `json:"error"`
}

// Import appends events that stand in r, each as the JSON of an Event on a line of its own, in order. A line that is none is reported by
// its number and left out; an empty one is passed over, and so are a byte order mark and the carriage return of a line's end. What the
// session has already is not appended again, so that an import that was broken off goes on when it is made again, and one that was complete
// changes nothing.
//
// A line may be as long as MaxEventBytes; nothing more of r is in memory than the lines of one append.
//
// Errors: of the session (gone) and of the store, after which the report says how far it came; not_found where r fails; canceled. A line
// that is left out is no error.
func (l *Ledger) Import(ctx context.Context, scope readapi.Scope, r io.Reader, o ImportOptions) (Report, error) {
	const op = "ledger.Import"
	o.Bad = cmp.Or(o.Bad, importBadKept)
	if r == nil || o.Bad < 0 {
		return Report{}, readapi.AsError(op, invalid("there is no reader, or an option is negative"))
	}
	m := &importing{ledger: l, scope: scope, o: o, last: -1, report: Report{Errors: []BadLine{}}}
	err := m.run(ctx, lines{r: bufio.NewReaderSize(r, 64<<10)})
	return m.report, readapi.AsError(op, err)
}

// importing is one import on its way.
type importing struct {
	ledger *Ledger
	scope  readapi.Scope
	o      ImportOptions
	report Report

	batch []numbered
	size  int    // of the batch
	turn  string // of the last event
	last  int64  // the highest number in the transcript so far
}

// numbered is an event and where it stood.
type numbered struct {
	line  int64
	event Event
}

func (m *importing) run(ctx context.Context, in lines) error {
	row, ok, err := m.ledger.index.LastEvent(ctx, m.scope)
	if err != nil {
		return err
	}
	if ok {
		m.last = row.Seq
	}
	for {
		line, err := in.next()
		m.report.Bytes = in.bytes
		if err == io.EOF {
			break
		}
		m.report.Lines++
		switch {
		case errors.Is(err, readapi.CodeTooLarge):
			m.bad(m.report.Lines, err)
		case err != nil:
			return errors.Join(m.flush(ctx), &readapi.Error{Code: readapi.CodeNotFound, Detail: "what is to be imported cannot be read", Err: err})
		case len(line) > 0:
			m.take(line)
		}
		if len(m.batch) == importEvents || m.size >= importBytes {
			if err := m.flush(ctx); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return m.flush(ctx)
}

// take puts the event of a line into the batch.
func (m *importing) take(line []byte) {
	n := m.report.Lines
	if !json.Valid(line) {
		m.bad(n, invalid("the line is no JSON"))
		return
	}
	var e Event
	err := e.decode(line)
	if err == nil {
		if e.ID == "" {
			e.ID = lineID(m.o.Name, n, line)
		}
		err = Check(e)
	}
	if err != nil {
		m.bad(n, err)
		return
	}
	m.batch, m.size = append(m.batch, numbered{n, e}), m.size+len(line)
}

// lineID is the id of an event that comes without one: the same whenever the line comes again.
func lineID(name string, n int64, line []byte) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %d %s", name, n, line))
	return "line-" + hex.EncodeToString(sum[:16])
}

func (m *importing) bad(line int64, err error) {
	m.report.Bad++
	if len(m.report.Errors) >= m.o.Bad {
		return
	}
	e, ok := errors.AsType[*readapi.Error](err)
	if !ok {
		e = &readapi.Error{Code: readapi.CodeOf(err), Err: err}
	}
	said := *e
	said.Op = ""
	m.report.Errors = append(m.report.Errors, BadLine{line, &said})
}

// flush appends the batch. Where one of its events cannot be appended, each is appended alone, to find which.
func (m *importing) flush(ctx context.Context) error {
	batch := m.batch
	m.batch, m.size = nil, 0
	err := m.append(ctx, batch)
	if !ofOneEvent(err) {
		return m.progress(err)
	}
	for _, e := range batch {
		switch err := m.append(ctx, []numbered{e}); {
		case ofOneEvent(err):
			m.bad(e.line, err)
		case err != nil:
			return err
		}
	}
	return m.progress(nil)
}

func (m *importing) progress(err error) error {
	if err == nil && m.o.Progress != nil {
		said := m.report
		said.Errors = append([]BadLine{}, said.Errors...)
		m.o.Progress(said)
	}
	return err
}

// ofOneEvent reports whether an error says something of one event, and not of the store.
func ofOneEvent(err error) bool {
	switch readapi.CodeOf(err) {
	case readapi.CodeConflict, readapi.CodeInvalidRequest, readapi.CodeTooLarge:
		return true
	}
	return false
}

func (m *importing) append(ctx context.Context, batch []numbered) error {
	if len(batch) == 0 {
		return nil
	}
	events := make([]Event, len(batch))
	for i, e := range batch {
		events[i] = e.event
	}
	rows, _, err := m.ledger.rows(ctx, m.scope, m.turn, events)
	if err != nil {
		return err
	}
	seqs, err := m.ledger.index.Append(ctx, m.scope, store.Batch{Events: rows})
	if err != nil {
		return err
	}
	m.turn = rows[len(rows)-1].Turn
	for _, seq := range seqs {
		if seq > m.last {
			m.last = seq
			m.report.Appended++
		} else {
			m.report.Known++
		}
	}
	return nil
}

// lines reads lines that are no longer than an event may be.
type lines struct {
	r     *bufio.Reader
	bytes int64
	begun bool
	buf   []byte
}

// next returns the next line without its end, trimmed; io.EOF behind the last. One that is too long is too_large, and the next one follows.
func (l *lines) next() ([]byte, error) {
	l.buf = l.buf[:0]
	long := int64(0)
	for {
		part, err := l.r.ReadSlice('\n')
		l.bytes += int64(len(part))
		if long += int64(len(part)); long <= MaxEventBytes+2 { // with its end
			l.buf = append(l.buf, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && long == 0:
			return nil, io.EOF
		case err != nil && err != io.EOF:
			return nil, err
		case long > MaxEventBytes+2:
			return nil, &readapi.Error{Code: readapi.CodeTooLarge, Detail: "an event is larger than history takes",
				Hint: "Attach long content as a file.", Limit: &readapi.LimitHit{Name: "max_event_bytes", Value: MaxEventBytes, Actual: long}}
		}
		line := l.buf
		if !l.begun {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
			l.begun = true
		}
		return bytes.TrimSpace(line), nil
	}
}
