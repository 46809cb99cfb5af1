package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/glovebox-wasm/glovebox/host/recall"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// recallFlags are the flags of recall.
type recallFlags struct {
	session      sessionFlag
	limit        int
	since, until string
	expand, in   string
}

func (f *recallFlags) register(set *pflag.FlagSet) {
	set.SortFlags = false
	f.session.register(set, "the session `S` that asks")
	set.IntVar(&f.limit, "limit", recall.DefaultLimit, fmt.Sprintf("`N` passages at most, 1 to %d", recall.MaxLimit))
	set.StringVar(&f.since, "since", "", "only messages from `TIME` on: 2026-03-01, RFC 3339, milliseconds since 1970, or back from now: 48h, 7d")
	set.StringVar(&f.until, "until", "", "only messages up to `TIME`, a whole day included")
	set.StringVar(&f.expand, "expand", "", "instead of searching, show what stands around the message `ANCHOR`")
	set.StringVar(&f.in, "in", "", "the session `S` of the anchor (default: the one that asks)")
}

const recallLong = `Find messages by what they say or by the names of the files that they carried, in all
sessions of the principal. Each TERM is looked for as it stands, in any case; a message
needs one of them, and ones with more come first.

The files of a message are named, with the address of each that the asking session can
read now, and no other. What was secret in a message is replaced by [redacted].`

const recallExample = `  glovebox recall --session chat-42 q3 流水线
  glovebox recall --session chat-42 --since 7d --limit 3 invoice
  glovebox recall --session chat-42 --expand MESSAGE --in chat-17`

func (a *app) recallCommand() *cobra.Command {
	var flags recallFlags
	c := &cobra.Command{
		Use:     "recall TERM...",
		Short:   "Find messages, and the files that they carried",
		Long:    recallLong,
		Example: recallExample,
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			id, err := flags.session.id("recall")
			if err != nil {
				return err
			}
			req, err := flags.request(args, time.Now())
			if err != nil {
				return err
			}
			var answer *recall.Answer
			err = a.look(c.Context(), func(k keeper) error {
				answer, err = k.session(id).Search(c.Context(), req)
				return err
			})
			if err != nil {
				return err
			}
			if a.global.json {
				return a.printDone(answer)
			}
			a.printPassages(id, req, answer)
			return nil
		},
	}
	flags.register(c.Flags())
	complete(c, "session", a.completeSessions)
	complete(c, "in", a.completeSessions)
	return c
}

// request is what the flags and the terms ask for.
func (f *recallFlags) request(terms []string, now time.Time) (req recall.Request, err error) {
	req = recall.Request{Terms: terms, Limit: f.limit}
	switch {
	case len(terms) == 0 && f.expand == "":
		return req, usage("recall needs a term", "Give words that were said, or a part of a file's name.")
	case len(terms) > 0 && f.expand != "":
		return req, usage("--expand shows what stands around a message and takes no term", "")
	case f.in != "" && f.expand == "":
		return req, usage("--in is for --expand", "A search covers all sessions.")
	case f.limit < 1 || f.limit > recall.MaxLimit:
		return req, usage(fmt.Sprintf("--limit is a number from 1 to %d", recall.MaxLimit), "")
	}
	if f.expand != "" {
		req.Expand = &recall.Expand{Anchor: f.expand, Before: -1, After: -1}
		if f.in != "" {
			if req.Expand.Session, err = sessionID(f.in); err != nil {
				return req, err
			}
		}
	}
	if req.Since, _, err = moment("since", f.since, now); err != nil {
		return req, err
	}
	var day bool
	if req.Until, day, err = moment("until", f.until, now); day {
		req.Until = req.Until.AddDate(0, 0, 1).Add(-time.Millisecond) // up to the end of it
	}
	return req, err
}

// moment reads a time as people and programs write one; zero for "". day says that it was a date, and the time is its beginning where the
// user is.
func moment(flag, s string, now time.Time) (t time.Time, day bool, err error) {
	if s == "" {
		return t, false, nil
	}
	if ms, err := strconv.ParseInt(s, 10, 64); err == nil && ms >= 0 {
		return time.UnixMilli(ms), false, nil
	}
	if t, err = time.Parse(time.RFC3339, s); err == nil {
		return t, false, nil
	}
	if t, err = time.ParseInLocation(time.DateOnly, s, now.Location()); err == nil {
		return t, true, nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return now.AddDate(0, 0, -int(n)), false, nil
		}
	}
	if back, err := time.ParseDuration(s); err == nil && back >= 0 {
		return now.Add(-back), false, nil
	}
	return time.Time{}, false, usage(fmt.Sprintf("--%s: %q is not a time", flag, s), "A time is 2026-03-01, 2026-03-01T12:00:00Z, milliseconds since 1970, or back from now: 48h, 7d.")
}

// printPassages shows an answer to people.
func (a *app) printPassages(asking readapi.SessionID, req recall.Request, answer *recall.Answer) {
	var b bytes.Buffer
	for i, p := range answer.Passages {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "session %s, message %s", p.SessionID, readapi.EscapeLine(p.AnchorID))
		if p.SessionID == asking {
			b.WriteString(", this session")
		}
		b.WriteByte('\n')
		for _, m := range p.Messages {
			writeMessage(&b, shownMessage{m.Timestamp, string(m.Role), m.Text, m.Truncated})
			for _, x := range m.Materials {
				where := x.Resource
				if where == "" {
					where = "no address: " + whyNot(x.Unavailable)
				}
				fmt.Fprintf(&b, "    file: %s (%s, %s), %s\n", readapi.EscapeLine(x.Name), readapi.EscapeLine(x.MimeType), formatBytes(x.Bytes), where)
			}
		}
		if req.Expand == nil && (p.HasMoreBefore || p.HasMoreAfter) {
			fmt.Fprintf(&b, "  more around it: --expand %s --in %s\n", readapi.EscapeLine(p.AnchorID), p.SessionID)
		}
	}
	if len(answer.Passages) > 0 {
		b.WriteByte('\n')
	}
	if req.Expand == nil {
		summary(&b, answer)
	}
	_, _ = a.out.Write(b.Bytes()) // output remembers a failed write
}

// summary says how far a search went.
func summary(b *bytes.Buffer, answer *recall.Answer) {
	if answer.Searched.Sessions == 0 {
		b.WriteString("nothing was searched: the asking session has nothing in it yet\n")
		return
	}
	fmt.Fprintf(b, "%s from %s", counted(len(answer.Passages), "passage"), counted(answer.Searched.Sessions, "session"))
	if answer.Searched.Capped {
		fmt.Fprintf(b, "; there are older sessions, before %s, that were not searched", clock(answer.Searched.Oldest))
	}
	b.WriteByte('\n')
	if len(answer.UnmatchedTerms) > 0 {
		fmt.Fprintf(b, "not found: %s\n", readapi.EscapeLine(strings.Join(answer.UnmatchedTerms, ", ")))
	}
}

// shownMessage is a message as people see it.
type shownMessage struct {
	time      time.Time
	role      string
	text      string
	truncated bool
}

// writeMessage shows one message, its text indented below who said it and when.
func writeMessage(b *bytes.Buffer, m shownMessage) {
	fmt.Fprintf(b, "  %s  %s\n", clock(m.time), strings.ReplaceAll(m.role, "_", " "))
	text, _ := readapi.Escape(strings.ReplaceAll(m.text, "\r\n", "\n"))
	for line := range strings.Lines(text) {
		fmt.Fprintf(b, "    %s\n", strings.TrimRight(strings.ReplaceAll(line, "\r", " "), "\n"))
	}
	if m.truncated {
		b.WriteString("    [cut]\n")
	}
}

// clock is a time for people, where they are.
func clock(t time.Time) string { return t.Local().Format(time.DateTime) }

// counted is a number of things in words.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
