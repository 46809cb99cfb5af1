package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func (a *app) sessionCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "session",
		Short: "Look at sessions, add to them, copy and remove them",
		Long: `A session is what happened in one conversation, in order: what the user said and which
files came with it, what the assistant answered, which tools it called and what came back.
A session is there as soon as something is in it.`,
		Example: `  glovebox session list
  glovebox session show chat-42
  glovebox session copy chat-42 chat-43
  glovebox session export --out sessions.jsonl`,
		Args: cobra.NoArgs,
		RunE: needsSubcommand,
	}
	c.AddCommand(a.sessionListCommand(), a.sessionShowCommand(), a.sessionAppendCommand(), a.sessionImportCommand(), a.sessionExportCommand(),
		a.sessionCopyCommand(), a.sessionArchiveCommand(), a.sessionDeleteCommand(), a.sessionPurgeCommand())
	return c
}

// sessionDocument is one session as session list prints it.
type sessionDocument struct {
	ID       readapi.SessionID `json:"session_id"`
	Messages int64             `json:"messages"`
	Created  time.Time         `json:"created"`
	Updated  time.Time         `json:"updated"`
	Archived bool              `json:"archived"`
	Deleted  time.Time         `json:"deleted,omitzero"`
}

func (a *app) sessionListCommand() *cobra.Command {
	var deleted bool
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the sessions of the principal, newest first",
		Example: "  glovebox session list\n  glovebox session list --json",
		Args:    exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := a.sessions(c.Context(), deleted)
			switch {
			case err != nil:
				return err
			case a.global.json:
				return a.printDone(map[string]any{"sessions": list})
			case len(list) == 0:
				fmt.Fprintln(a.out, "There are no sessions.")
				return nil
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "SESSION\tMESSAGES\tCREATED\tUPDATED")
			for _, s := range list {
				state := ""
				switch {
				case !s.Deleted.IsZero():
					state = "\tdeleted"
				case s.Archived:
					state = "\tarchived"
				}
				fmt.Fprintf(w, "%s\t%d\t%s\t%s%s\n", s.ID, s.Messages, clock(s.Created), clock(s.Updated), state)
			}
			_ = w.Flush() // output remembers a failed write
			return nil
		},
	}
	c.Flags().BoolVar(&deleted, "deleted", false, "those too that are deleted and not purged yet")
	return c
}

// sessions are those of the principal, with the deleted ones where they are asked for: a host does not show those.
func (a *app) sessions(ctx context.Context, deleted bool) ([]sessionDocument, error) {
	list := []sessionDocument{}
	add := func(all iter.Seq2[store.Session, error]) error {
		for s, err := range all {
			if err != nil {
				return err
			}
			list = append(list, sessionDocument{s.ID, s.Messages, s.Created, s.Updated, s.Archived, s.Deleted})
		}
		return nil
	}
	if !deleted {
		return list, a.look(ctx, func(k keeper) error { return add(k.Sessions(ctx, true)) })
	}
	principal, err := a.principal()
	if err != nil {
		return nil, err
	}
	return list, into(ctx, a.store(), func(s *openedStore) error {
		return add(s.Index.SessionsOf(ctx, principal, withDeleted))
	})
}

// withDeleted are all sessions of a principal.
var withDeleted = store.SessionQuery{Archived: true, Deleted: true}

// sessionArgument is the id of the one session that args name.
func sessionArgument(args []string) (readapi.SessionID, error) {
	id, err := sessionID(args[0])
	if f, ok := errors.AsType[*failure](err); ok {
		f.subject = args[0]
	}
	return id, err
}

// eventsDocument is what session show prints as JSON.
type eventsDocument struct {
	ID     readapi.SessionID `json:"session_id"`
	Events []ledger.Event    `json:"events"`
}

func (a *app) sessionShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show SESSION",
		Short: "Show what happened in a session",
		Long: `Show what happened in a session, in order, with the address of each file that it can read
now. With --json the events are as "glovebox session append" takes them.`,
		Example:           "  glovebox session show chat-42\n  glovebox session show chat-42 --json",
		Args:              exactly(1, "the id of one session"),
		ValidArgsFunction: a.completeSessionArgument,
		RunE: func(c *cobra.Command, args []string) error {
			id, err := sessionArgument(args)
			if err != nil {
				return err
			}
			return a.look(c.Context(), func(k keeper) error {
				s := k.session(id)
				events, err := collect([]ledger.Event{}, s.Events(c.Context()))
				if err != nil {
					return err
				}
				if len(events) == 0 {
					f := failed(args[0], readapi.CodeNotFound, "there is no such session", nil)
					f.err.Hint = `"glovebox session list" names them.`
					return f
				}
				if a.global.json {
					return a.printDone(eventsDocument{id, events})
				}
				return a.printEvents(c.Context(), s, events)
			})
		},
	}
}

// printEvents shows what happened to people.
func (a *app) printEvents(ctx context.Context, s session, events []ledger.Event) error {
	var refs []readapi.AttachmentRef
	for _, e := range events {
		refs = append(refs, e.Refs()...)
	}
	offers, err := s.Offer(ctx, refs...)
	if err != nil {
		return err
	}
	if len(offers) != len(refs) {
		return readapi.CodeInternal
	}
	var b bytes.Buffer
	for _, e := range events {
		text := e.Text
		if e.DisplayText != "" {
			text = e.DisplayText
		}
		role := string(e.Type)
		switch e.Type {
		case ledger.ToolCall:
			role, text = role+" "+e.Tool, e.Intent
			if text == "" {
				text = string(e.Arguments)
			}
		case ledger.ToolResult:
			role, text = role+" "+e.Tool, string(e.Result)
		}
		writeMessage(&b, shownMessage{e.Time, readapi.EscapeLine(role), text, false})
		for _, ref := range e.Refs() {
			where := offers[0].URI
			if where == "" {
				where = "no address: " + whyNot(offers[0].Unavailable)
			}
			offers = offers[1:]
			fmt.Fprintf(&b, "    file: %s (%s, %s), %s\n", readapi.EscapeLine(ref.Name), readapi.EscapeLine(ref.MimeType), formatBytes(ref.Bytes), where)
		}
	}
	_, _ = a.out.Write(b.Bytes()) // output remembers a failed write
	return nil
}

// maxAppend bounds what one session append takes, because all of it is one commit.
const maxAppend = 64 << 20

const sessionAppendLong = `Add events to a session from standard input, one JSON object per line, in order:

  {"type":"user","text":"see attached"}
  {"type":"assistant","text":"thanks"}

The types are user, assistant, tool_call and tool_result; docs/schema/event.json tells the
keys. All lines are added or none is, up to 64 MiB at once. An event with an "id" that the
session has already is not added again, so the same lines may be sent twice.`

func (a *app) sessionAppendCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "append SESSION",
		Short:             "Add events to a session, from JSON lines on standard input",
		Long:              sessionAppendLong,
		Example:           "  glovebox session append chat-42 < events.jsonl",
		Args:              exactly(1, "the id of one session"),
		ValidArgsFunction: a.completeSessionArgument,
		RunE: func(c *cobra.Command, args []string) error {
			id, err := sessionArgument(args)
			if err != nil {
				return err
			}
			events, lines, err := readEvents(interruptible(c.Context(), a.in))
			if err != nil {
				return err
			}
			ids := []string{}
			if len(events) > 0 {
				err = a.look(c.Context(), func(k keeper) error {
					ids, err = k.session(id).Record(c.Context(), events...)
					return err
				})
				if err != nil {
					return appendFailure(lines, err)
				}
			}
			if a.global.json {
				return a.printDone(map[string]any{"event_ids": ids})
			}
			fmt.Fprintf(a.out, "%s in %s\n", counted(len(ids), "event"), id) // some of them may have been there before
			return nil
		},
	}
}

// readEvents reads one event per line, and says in which line each stands; blank lines are none. What is wrong with a line is told with its
// number.
func readEvents(r io.Reader) (events []ledger.Event, lines []int, err error) {
	all, err := io.ReadAll(io.LimitReader(r, maxAppend+1))
	if err != nil {
		return nil, nil, fileFailure("-", err)
	}
	if len(all) > maxAppend {
		f := failed("-", readapi.CodeTooLarge, "these are more events than one command adds", nil)
		f.err.Limit = &readapi.LimitHit{Name: "append_bytes", Value: maxAppend}
		f.err.Hint = "Nothing was added. Send at most 64 MiB at once."
		return nil, nil, f
	}
	n := 0
	for line := range bytes.Lines(bytes.TrimPrefix(all, []byte("\ufeff"))) { // a byte order mark is no part of the first line
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var e ledger.Event
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, nil, lineFailure(n, err)
		}
		events, lines = append(events, e), append(lines, n)
	}
	return events, lines, nil
}

// appendFailure says in which line the event stands that the ledger refused. Of several events the ledger says which one it was.
func appendFailure(lines []int, err error) error {
	e, ok := errors.AsType[*readapi.Error](err)
	if !ok || e.Code != readapi.CodeInvalidRequest && e.Code != readapi.CodeTooLarge {
		return err
	}
	nth := 1
	if len(lines) > 1 {
		if _, scanErr := fmt.Sscanf(e.Detail, "event %d: ", &nth); scanErr != nil || nth < 1 || nth > len(lines) {
			return err
		}
		_, detail, _ := strings.Cut(e.Detail, ": ")
		c := *e
		c.Detail = detail
		e = &c
	}
	return lineFailure(lines[nth-1], e)
}

// lineFailure is what is wrong with the nth line.
func lineFailure(n int, err error) *failure {
	what := "this is not a JSON object"
	var hint string
	code := readapi.CodeInvalidRequest
	if e, ok := errors.AsType[*readapi.Error](err); ok {
		what, hint, code = e.Detail, e.Hint, e.Code
	}
	f := failed("", code, fmt.Sprintf("line %d: %s", n, what), err)
	if f.err.Hint = "Nothing was added."; hint != "" {
		f.err.Hint += " " + hint
	}
	return f
}
