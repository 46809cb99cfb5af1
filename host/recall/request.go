package recall

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/host/redact"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const maxQuestionRunes = 500

// term is one of the words to look for.
type term struct {
	text   string // as it was asked, without blanks around it
	folded string
}

// search is one request on its way.
type search struct {
	*Recall
	scope   readapi.Scope
	req     Request
	terms   []term
	exclude map[string]bool
	fold    folder
}

// newSearch lets a request through the gates. Nothing has been read when it returns.
func (r *Recall) newSearch(ctx context.Context, scope readapi.Scope, req Request) (*search, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := &search{Recall: r, scope: scope, req: req, exclude: map[string]bool{}, fold: newFolder()}
	if s.req.Limit == 0 {
		s.req.Limit = DefaultLimit
	}
	for _, turn := range req.ExcludeTurns {
		s.exclude[turn] = true
	}
	if !scope.Valid() {
		return nil, invalid("the session's or principal's id has not the form of one")
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	for _, t := range s.terms {
		if redact.Text(t.text) != t.text || redact.Text(t.folded) != t.folded {
			return nil, &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: "a term looks like a credential, which recall neither finds nor shows",
				Hint: "Look for the words around it."}
		}
	}
	if req.Incognito {
		return nil, &readapi.Error{Code: readapi.CodeIncognitoActive}
	}
	return s, nil
}

// check says which rule the request breaks, and takes its terms.
func (s *search) check() error {
	req := s.req
	switch {
	case req.Limit < 1 || req.Limit > MaxLimit:
		return invalid("the limit is from 1 to 25")
	case !req.Since.IsZero() && req.Since.UnixMilli() < 0, !req.Until.IsZero() && req.Until.UnixMilli() < 0:
		return invalid("since and until are not before 1970")
	case !req.Since.IsZero() && !req.Until.IsZero() && req.Since.After(req.Until):
		return invalid("since is after until")
	case utf8.RuneCountInString(req.Question) > maxQuestionRunes:
		return invalid("the question has more than 500 characters")
	case req.Expand != nil && len(req.Terms) > 0:
		return invalid("there are terms to look for or an anchor to expand, not both")
	case req.Expand != nil:
		return req.Expand.check()
	case len(req.Terms) < 1 || len(req.Terms) > MaxTerms:
		return invalid("there are 1 to 8 terms")
	}
	seen := map[string]bool{}
	for _, text := range req.Terms {
		text = strings.TrimSpace(text)
		if !utf8.ValidString(text) || text == "" || utf8.RuneCountInString(text) > MaxTermRunes {
			return invalid("a term is 1 to 500 characters, not counting blanks around it")
		}
		if folded := s.fold.text(text); !seen[folded] {
			seen[folded] = true
			s.terms = append(s.terms, term{text, folded})
		}
	}
	return nil
}

func (e Expand) check() error {
	switch {
	case e.Session != "" && !e.Session.Valid():
		return invalid("the session to expand in has not the form of an id")
	case e.Anchor == "" || utf8.RuneCountInString(e.Anchor) > MaxAnchor:
		return invalid("an anchor is 1 to 256 characters")
	case e.Before < -1 || e.Before > MaxExpand || e.After < -1 || e.After > MaxExpand:
		return invalid("an anchor expands by 0 to 8 messages each way")
	}
	return nil
}

func invalid(detail string) error {
	return &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: detail}
}

// ParseRequest reads a request as its JSON: {"terms":[…],"limit","since","until","question"} or {"expand":{"session_id","anchor_id",
// "before","after"}}. Times are milliseconds since 1970 or RFC 3339. What is left out has its default; a limit of 0 is none. Turns in flight
// and incognito are the host's to add. Recall checks the rest. Errors: invalid_request for anything else, unknown keys too.
func ParseRequest(raw json.RawMessage) (Request, error) {
	req, err := parseRequest(raw)
	return req, readapi.AsError("recall.ParseRequest", err)
}

func parseRequest(raw json.RawMessage) (req Request, err error) {
	var w struct {
		Terms    []string        `json:"terms"`
		Limit    *int            `json:"limit"`
		Since    json.RawMessage `json:"since"`
		Until    json.RawMessage `json:"until"`
		Question string          `json:"question"`
		Expand   *struct {
			Session readapi.SessionID `json:"session_id"`
			Anchor  string            `json:"anchor_id"`
			Before  *int              `json:"before"`
			After   *int              `json:"after"`
		} `json:"expand"`
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&w); err != nil || !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		return Request{}, invalid("the request is no object with the keys of one")
	}
	if _, err := d.Token(); err != io.EOF {
		return Request{}, invalid("something follows the request")
	}
	req = Request{Terms: w.Terms, Question: w.Question}
	if w.Limit != nil {
		if req.Limit = *w.Limit; req.Limit == 0 {
			return Request{}, invalid("the limit is from 1 to 25")
		}
	}
	if req.Since, err = parseTime(w.Since); err != nil {
		return Request{}, err
	}
	if req.Until, err = parseTime(w.Until); err != nil {
		return Request{}, err
	}
	if x := w.Expand; x != nil {
		req.Expand = &Expand{Session: x.Session, Anchor: x.Anchor, Before: -1, After: -1}
		if x.Before != nil {
			req.Expand.Before = *x.Before
		}
		if x.After != nil {
			req.Expand.After = *x.After
		}
		if req.Expand.Before < 0 && x.Before != nil || req.Expand.After < 0 && x.After != nil {
			return Request{}, invalid("an anchor expands by 0 to 8 messages each way")
		}
	}
	return req, nil
}

// maxMillis is the end of the year 9999.
const maxMillis = 253402300799999

// parseTime reads a bound of the time; none and null are no bound. The beginning of 1970 is the bound that everything is behind.
func parseTime(raw json.RawMessage) (time.Time, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return time.Time{}, nil
	}
	var ms int64
	if json.Unmarshal(raw, &ms) == nil {
		if ms < 0 || ms > maxMillis {
			return time.Time{}, invalid("since and until are milliseconds since 1970, or RFC 3339")
		}
		return time.UnixMilli(ms).UTC(), nil
	}
	var t time.Time
	if json.Unmarshal(raw, &t) != nil {
		return time.Time{}, invalid("since and until are milliseconds since 1970, or RFC 3339")
	}
	return t, nil
}
