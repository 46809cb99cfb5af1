package text

import (
	"bytes"
	"io"
	"strings"
)

// markdowns, calendars and cards are shown as they stand; meta says what they are called and how much is in them.
var (
	markdowns = renderer{render: renderMarkdown}
	calendars = renderer{render: renderCalendar}
	cards     = renderer{render: renderCards}
)

// frontBytes is how far into a text its title is looked for.
const frontBytes = 16 << 10

// renderMarkdown shows a text in Markdown. Its title is the one in its front matter, else a heading with which it begins.
func renderMarkdown(p *page) error {
	src, err := p.source()
	if err != nil {
		return err
	}
	p.lines.capped()
	w := &written{p: p, src: src}
	var front []byte
	for len(front) < frontBytes {
		piece, err := w.next()
		if err != nil {
			break
		}
		front = append(front, piece[:min(len(piece), frontBytes-len(front))]...)
	}
	if title := markdownTitle(string(front)); title != "" {
		p.meta(map[string]any{"title": title})
	}
	return w.rest()
}

// markdownTitle is the title of a text in Markdown that begins so.
func markdownTitle(s string) string {
	s = strings.ToValidUTF8(s, "") // its end may be that of a character
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	for _, m := range [...]struct{ fence, sign string }{{"---\n", ":"}, {"+++\n", "="}} { // YAML and TOML
		front, found := strings.CutPrefix(s, m.fence)
		if !found {
			continue
		}
		front, rest, closed := strings.Cut(front, "\n"+m.fence)
		if !closed {
			return ""
		}
		for line := range strings.SplitSeq(front, "\n") {
			key, value, _ := strings.Cut(line, m.sign)
			if strings.TrimRight(key, " ") == "title" {
				return shortened(scalar(strings.TrimSpace(value)))
			}
		}
		s = rest
		break
	}
	s = strings.TrimLeft(s, "\n")
	line, _, _ := strings.Cut(s, "\n")
	if heading, ok := strings.CutPrefix(line, "# "); ok {
		return shortened(strings.TrimSpace(strings.TrimRight(strings.TrimSpace(heading), "#")))
	}
	return ""
}

// scalar is a value of YAML or TOML on one line, out of its quotes; "" for one that is on several.
func scalar(v string) string {
	switch {
	case v == "" || v[0] == '|' || v[0] == '>' || v[0] == '&' || v[0] == '*' || v[0] == '{' || v[0] == '[':
		return ""
	case v[0] == '"':
		v, _, _ = strings.Cut(strings.ReplaceAll(v[1:], `\"`, "\x00"), `"`)
		return strings.ReplaceAll(v, "\x00", `"`)
	case v[0] == '\'':
		v, _, _ = strings.Cut(strings.ReplaceAll(v[1:], "''", "\x00"), "'")
		return strings.ReplaceAll(v, "\x00", "'")
	}
	v, _, _ = strings.Cut(v, " #")
	return strings.TrimSpace(v)
}

// fields gives the name and the value of each line of a calendar or of cards (RFC 5545, 3.1; RFC 6350, 3.3), the name in capitals and
// without its parameters. Of a value that is folded it gives the first line.
func fields(p *page, field func(name, value string)) error {
	src, err := p.source()
	if err != nil {
		return err
	}
	p.lines.capped()
	l := oneLine{w: &written{p: p, src: src}}
	var b []byte
	for l.err == nil {
		l.ended, b = false, b[:0]
		for !l.ended {
			piece, err := l.next()
			if err == nil {
				b = append(b, piece[:min(len(piece), maxKeyBytes*2-len(b))]...)
			}
		}
		name, value, found := bytes.Cut(bytes.TrimRight(b, "\r"), []byte{':'})
		if !found || len(name) == 0 || name[0] == ' ' || name[0] == '\t' {
			continue
		}
		name, _, _ = bytes.Cut(name, []byte{';'})
		field(strings.ToUpper(string(name)), string(bytes.ToValidUTF8(value, nil)))
	}
	if l.err == io.EOF {
		return nil
	}
	return l.err
}

func renderCalendar(p *page) error {
	events, tasks, title := int64(0), int64(0), ""
	err := fields(p, func(name, value string) {
		switch {
		case name == "BEGIN" && strings.EqualFold(value, "VEVENT"):
			events++
		case name == "BEGIN" && strings.EqualFold(value, "VTODO"):
			tasks++
		case title == "" && (name == "X-WR-CALNAME" || name == "NAME" && events+tasks == 0):
			title = shortened(value)
		}
	})
	if err != nil && err != errEnough {
		return err
	}
	facts := map[string]any{"events": events}
	if tasks > 0 {
		facts["tasks"] = tasks
	}
	return p.counts(facts, title, err)
}

// renderCards shows cards; the name on it is the title of a single one.
func renderCards(p *page) error {
	count, title := int64(0), ""
	err := fields(p, func(name, value string) {
		switch {
		case name == "BEGIN" && strings.EqualFold(value, "VCARD"):
			count++
		case name == "FN" && count == 1 && title == "":
			title = shortened(value)
		}
	})
	if err != nil && err != errEnough {
		return err
	}
	if count != 1 || err != nil {
		title = ""
	}
	return p.counts(map[string]any{"cards": count}, title, err)
}

// counts notes what was counted; err says whether it was all.
func (p *page) counts(facts map[string]any, title string, err error) error {
	if title != "" {
		facts["title"] = title
	}
	if err == errEnough {
		facts["counts_at_least"] = true
	}
	p.meta(facts)
	return err
}
