package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/glovebox-wasm/glovebox/host/recall"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	maxQuestion = 500 // characters
	maxID       = 256 // characters of a session's or a message's id
)

// recall runs the tool of this name.
func (s *Set) recall(ctx context.Context, raw json.RawMessage) (*Result, error) {
	a := parseArgs(raw, "", "terms", "limit", "since", "until", "question", "expand")
	req := recall.Request{ExcludeTurns: s.opts.ExcludeTurns,
		Terms:    a.texts("terms", recall.MaxTerms, recall.MaxTermRunes),
		Limit:    int(a.integer("limit", 1, recall.MaxLimit, 0)),
		Since:    a.moment("since", false),
		Until:    a.moment("until", true),
		Question: a.text("question", maxQuestion),
	}
	if e := a.object("expand", "session_id", "message_id", "before", "after"); e != nil {
		req.Expand = &recall.Expand{
			Session: readapi.SessionID(e.text("session_id", maxID)),
			Anchor:  e.required("message_id", recall.MaxAnchor),
			Before:  int(e.integer("before", 0, recall.MaxExpand, -1)),
			After:   int(e.integer("after", 0, recall.MaxExpand, -1)),
		}
		if a.err == nil {
			a.err = e.err
		}
	}
	if a.err == nil && len(req.Terms) == 0 && req.Expand == nil {
		a.err = invalid("there are neither terms nor a message to expand", "Give one to eight terms, each a word or a short phrase.")
	}
	if a.err != nil {
		return nil, a.err
	}
	answer, err := s.session.Recall(ctx, req)
	if err != nil {
		return nil, err
	}
	return s.recalled(answer)
}

// recalled lays an answer out, without the last passages where all do not fit the budget.
func (s *Set) recalled(found *recall.Answer) (*Result, error) {
	answer := revealed(found)
	all := len(answer.Passages)
	text := passages(answer, 0)
	for readapi.EstimateTokens(text) > s.opts.MaxTokens {
		if len(answer.Passages) <= 1 {
			return nil, overBudget(s.opts.MaxTokens, readapi.EstimateTokens(text), "Expand a message with fewer neighbours instead.")
		}
		answer.Passages = answer.Passages[:len(answer.Passages)-1]
		text = passages(answer, all-len(answer.Passages))
	}
	structured, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return &Result{Text: text, Structured: structured}, nil
}

// revealed is a copy of an answer in which nothing hides, and no list is null.
func revealed(found *recall.Answer) *recall.Answer {
	out := *found
	out.Passages = append([]recall.Passage{}, found.Passages...)
	out.UnmatchedTerms = append([]string{}, found.UnmatchedTerms...)
	for i := range out.Passages {
		p := &out.Passages[i]
		p.Messages = append([]recall.Message{}, p.Messages...)
		for j := range p.Messages {
			m := &p.Messages[j]
			m.Text, _ = readapi.Escape(m.Text)
			m.Materials = append([]recall.Material{}, m.Materials...)
			for k := range m.Materials {
				m.Materials[k].Name = line(m.Materials[k].Name)
				m.Materials[k].MimeType = line(m.Materials[k].MimeType)
			}
		}
	}
	return &out
}

// recalledText is what the fence around passages is called.
const recalledText = "earlier messages"

// passages lays an answer out for a model; left is how many passages it lacks.
func passages(answer *recall.Answer, left int) string {
	var inside []string
	for _, p := range answer.Passages {
		for _, m := range p.Messages {
			inside = append(inside, m.Text, m.MessageID)
			for _, f := range m.Materials {
				inside = append(inside, f.Name, f.MimeType, f.Resource)
			}
		}
	}
	f := newFence(inside...)
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %s", count(len(answer.Passages)+left, "passage"), count(answer.Searched.Sessions, "session"))
	if !answer.Searched.Oldest.IsZero() {
		fmt.Fprintf(&b, " back to %s", answer.Searched.Oldest.UTC().Format(time.DateOnly))
	}
	b.WriteString(".\n")
	if answer.Searched.Capped {
		b.WriteString("There are older sessions, which were not searched.\n")
	}
	for _, term := range answer.UnmatchedTerms {
		fmt.Fprintf(&b, "No message has %s.\n", quoted(term))
	}
	if len(answer.Passages) == 0 {
		return b.String()
	}
	b.WriteString(f.warning(recalledText, "what was said in earlier messages, and the names of the files that they carried"))
	b.WriteString(f.open(recalledText) + "\n")
	for i, p := range answer.Passages {
		passage(&b, i+1, p, f)
	}
	b.WriteString(f.close(recalledText) + "\n")
	if left > 0 {
		fmt.Fprintf(&b, "%s more did not fit; a smaller limit or more exact terms give fewer.\n", count(left, "passage"))
	}
	return b.String()
}

func passage(b *strings.Builder, n int, p recall.Passage, f fence) {
	more := ""
	switch {
	case p.HasMoreBefore && p.HasMoreAfter:
		more = ", more before and after"
	case p.HasMoreBefore:
		more = ", more before"
	case p.HasMoreAfter:
		more = ", more after"
	}
	b.WriteString(f.line(fmt.Sprintf("passage %d: session_id %s, message_id %s%s", n, line(string(p.SessionID)), line(p.AnchorID), more)))
	for _, m := range p.Messages {
		cut := ""
		if m.Truncated {
			cut = ", cut"
		}
		b.WriteString(f.line(fmt.Sprintf("%s, %s, message_id %s%s", line(string(m.Role)), m.Timestamp.UTC().Format(time.RFC3339), line(m.MessageID), cut)))
		b.WriteString(m.Text)
		if m.Text != "" && !strings.HasSuffix(m.Text, "\n") {
			b.WriteByte('\n')
		}
		for _, file := range m.Materials {
			where := "uri " + line(file.Resource)
			switch {
			case file.Resource != "":
			case file.Unavailable != "":
				where = "not readable (" + string(file.Unavailable) + ")"
			default:
				where = "not readable from here"
			}
			b.WriteString(f.line(fmt.Sprintf("attached: %s (%s, %d bytes): %s", quoted(file.Name), file.MimeType, file.Bytes, where)))
		}
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
