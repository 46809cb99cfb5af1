package text

import (
	"bytes"
	"errors"
	"io"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/json"
)

// jsonTexts and jsonLines show JSON as it stands, and say in meta what it holds.
var (
	jsonTexts = renderer{render: renderJSON}
	jsonLines = renderer{render: renderJSONLines}
)

// What is told of a JSON text.
const (
	mostKeys    = 50
	maxKeyBytes = 200
)

// jsonFacts collects what a JSON text holds.
type jsonFacts struct {
	kind    json.Kind // of the value on top
	items   int64     // its members or elements
	keys    []string  // of the first object: the value on top, or its first element
	inKeys  bool      // the members that come belong to that object
	level   int       // at which they stand
	title   string
	isTitle bool
	depth   int
}

// token takes a token of a value.
func (f *jsonFacts) token(r *json.Reader, t json.Token) {
	depth := r.Depth()
	f.depth = max(f.depth, depth)
	if f.kind == json.None {
		f.kind = t.Kind
	}
	if f.isTitle {
		f.isTitle = false
		if t.Kind == json.String && !t.Cut {
			f.title = shortened(t.Text())
		}
	}
	above := depth
	if t.Kind.Begins() {
		above--
	}
	switch {
	case t.Kind.Ends():
		f.inKeys = f.inKeys && depth >= f.level
	case above == 1 && (t.Kind == json.Key || f.kind == json.ArrayBegin && t.Kind != json.Key):
		f.items++
	}
	switch {
	case t.Kind == json.ObjectBegin && f.level == 0 && (depth == 1 || depth == 2 && f.kind == json.ArrayBegin):
		f.level, f.inKeys = depth, true
	case t.Kind == json.Key && f.inKeys && depth == f.level:
		if len(f.keys) < mostKeys {
			f.keys = append(f.keys, shortened(t.Text()))
		}
		f.isTitle = depth == 1 && t.Is("title")
	}
}

// shortened is s cut to the length that a key or title in meta may have.
func shortened(s string) string {
	if len(s) <= maxKeyBytes {
		return s
	}
	n := maxKeyBytes
	for s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}

// meta is what is known of the value on top.
func (f *jsonFacts) meta() map[string]any {
	m := map[string]any{"type": f.kind.String(), "depth": f.depth}
	if f.kind.Begins() {
		m["items"] = f.items
	}
	if len(f.keys) > 0 {
		m["keys"] = f.keys
	}
	if f.title != "" {
		m["title"] = f.title
	}
	return m
}

// written gives the pieces of a source once they are written as they stand. A piece of which nothing more is wanted is given all the same,
// and the one behind it is not.
type written struct {
	p   *page
	src *source
	err error
}

func (w *written) next() ([]byte, error) {
	if w.err != nil {
		return nil, w.err
	}
	piece, err := w.src.next()
	if err != nil {
		w.err = err
		return nil, err
	}
	w.err = w.p.write(piece)
	return piece, nil
}

// rest writes what is left, whatever it is.
func (w *written) rest() error {
	for {
		if _, err := w.next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func renderJSON(p *page) error {
	src, err := p.source()
	if err != nil {
		return err
	}
	w := &written{p: p, src: src}
	r := json.NewReader(w.next)
	var f jsonFacts
	for err == nil {
		var t json.Token
		if t, err = r.Next(); err == nil {
			f.token(r, t)
		}
	}
	facts := f.meta()
	switch e, ok := errors.AsType[*json.SyntaxError](err); {
	case ok:
		facts["valid"], facts["error"] = false, jsonError(e, e.Line)
		err = w.rest()
	case err == io.EOF:
		facts["valid"] = true
		err = nil
	}
	if f.kind == json.None {
		delete(facts, "type")
	}
	if err != nil && err != errEnough {
		return err
	}
	if _, said := facts["valid"]; !said {
		facts["items_at_least"] = true
	}
	p.meta(facts)
	return err
}

// jsonError is where and why a text is no JSON.
func jsonError(e *json.SyntaxError, line int64) map[string]any {
	return map[string]any{"line": line, "column": e.Column, "reason": e.Reason}
}

// oneLine gives the pieces of one line of a text.
type oneLine struct {
	w     *written
	piece []byte
	ended bool  // the line is
	blank bool  // nothing but white space was on it
	err   error // why there are no more lines
}

func (l *oneLine) next() ([]byte, error) {
	if l.ended {
		return nil, io.EOF
	}
	if len(l.piece) == 0 {
		piece, err := l.w.next()
		if err != nil {
			l.ended, l.err = true, err
			return nil, err
		}
		l.piece = piece
	}
	b := l.piece
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		b = b[:i]
		l.piece, l.ended = l.piece[i+1:], true
	} else {
		l.piece = nil
	}
	l.blank = l.blank && len(bytes.TrimSpace(b)) == 0
	return b, nil
}

// value reads the line at hand.
func (l *oneLine) value(r *json.Reader) (f jsonFacts, bad *json.SyntaxError) {
	l.ended, l.blank = false, true
	r.Reset(l.next)
	for {
		t, err := r.Next()
		if err != nil {
			bad, _ = errors.AsType[*json.SyntaxError](err)
			break
		}
		f.token(r, t)
	}
	for !l.ended { // what is wrong with it may stand at its beginning
		l.next()
	}
	return f, bad
}

// renderJSONLines shows values of which each stands on a line.
func renderJSONLines(p *page) error {
	src, err := p.source()
	if err != nil {
		return err
	}
	l := oneLine{w: &written{p: p, src: src}}
	r := json.NewReader(nil)
	facts := map[string]any{}
	values, invalid, depth := int64(0), int64(0), 0
	for line := int64(1); l.err == nil; line++ {
		f, bad := l.value(r)
		switch {
		case l.err != nil && l.err != io.EOF, l.blank:
			continue
		case bad != nil:
			if invalid++; invalid == 1 {
				facts["error"] = jsonError(bad, line)
			}
			continue
		}
		depth = max(depth, f.depth)
		if values++; values == 1 {
			facts["type"] = f.kind.String()
			if len(f.keys) > 0 {
				facts["keys"] = f.keys
			}
		}
	}
	if l.err != io.EOF && l.err != errEnough {
		return l.err
	}
	facts["items"], facts["depth"] = values, depth
	if invalid > 0 {
		facts["invalid_lines"] = invalid
	}
	if invalid > 0 || l.err == io.EOF {
		facts["valid"] = invalid == 0
	}
	if l.err == errEnough {
		facts["items_at_least"] = true
	}
	p.meta(facts)
	if l.err == errEnough {
		return errEnough
	}
	return nil
}
