package rtf

import (
	"strings"
	"unicode/utf8"
)

// put takes converted text to where the group sends it.
func (r *reader) put(b []byte) {
	if len(b) == 0 || r.err != nil {
		return
	}
	switch r.dest {
	case body:
	case fact, inst, class:
		if len(r.text)+len(b) <= maxFact {
			r.text = append(r.text, b...)
		}
		return
	default:
		return
	}
	switch {
	case r.html:
		if !r.rtf && len(r.page)+len(b) <= maxHTML {
			r.page = append(r.page, b...)
		} else if !r.rtf {
			r.doc.Damaged = true
		}
	case r.hidden:
		r.doc.Hidden += int64(utf8.RuneCount(b))
	default:
		r.write(b)
	}
}

// write adds text to the line.
func (r *reader) write(b []byte) {
	for ; r.cells > 0; r.cells-- {
		r.out = append(r.out, '\t')
	}
	for _, c := range b { // what is no text
		if c < ' ' && c != '\t' {
			c = ' '
		}
		r.out = append(r.out, c)
	}
	r.atBOL = false
	if len(r.linkFrom) > 0 && len(r.linkText)+len(b) <= maxFact {
		r.linkText = append(r.linkText, b...)
	}
	if len(r.out) > flushBytes {
		r.flush()
	}
}

// newline ends the line; the links of the line follow it.
func (r *reader) newline() {
	r.cells = 0
	r.out = append(r.out, '\n')
	r.atBOL = true
	if len(r.links) > 0 || len(r.out) > flushBytes {
		r.flush()
	}
	if len(r.links) > 0 && r.err == nil && r.sink.Links != nil {
		r.err = r.sink.Links(r.links)
	}
	r.links = r.links[:0]
}

func (r *reader) flush() {
	if len(r.out) > 0 && r.err == nil && r.sink.Text != nil {
		r.err = r.sink.Text(r.out)
	}
	r.out = r.out[:0]
}

// close does what the end of the group at hand ends.
func (r *reader) close() {
	switch r.note {
	case 'n', 'l':
		for len(r.out) > 0 && r.out[len(r.out)-1] == '\n' && r.dest == body { // a note's last paragraph
			r.out = r.out[:len(r.out)-1]
		}
		r.cells = 0
		r.hidden = false
		r.write([]byte("]"))
		if r.note == 'l' {
			r.newline()
		}
	case 'p', 'o':
		r.addFile()
	case 'c':
		r.key = strings.TrimSpace(string(r.text))
	case 't':
		r.addFact()
	case 'i':
		if n := len(r.uris); n > 0 {
			r.uris[n-1] = target(string(r.text))
		}
	case 'r':
		r.endLink()
	case 'f':
		if n := len(r.uris); n > 0 {
			r.uris = r.uris[:n-1]
		}
	}
}

// target is where a field's instruction links to (HYPERLINK "address" \l "place"), "" for other fields.
func target(s string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(s), "HYPERLINK")
	if !ok {
		return ""
	}
	out := ""
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		var arg string
		place := false
		if rest[0] == '\\' {
			place = strings.HasPrefix(rest, `\l`)
			_, rest, _ = strings.Cut(rest, " ")
			if !place || !strings.HasPrefix(rest, `"`) {
				continue
			}
		}
		if rest[0] == '"' {
			arg, rest, _ = strings.Cut(rest[1:], `"`)
		} else {
			arg, rest, _ = strings.Cut(rest, " ")
		}
		switch {
		case place:
			out += "#" + arg
		case out == "":
			out = arg
		}
	}
	return out
}

// endLink notes the link of the field that is open.
func (r *reader) endLink() {
	n := len(r.linkFrom)
	if n == 0 {
		return
	}
	from := r.linkFrom[n-1]
	r.linkFrom = r.linkFrom[:n-1]
	text := strings.TrimSpace(string(r.linkText[min(from, len(r.linkText)):]))
	if n == 1 {
		r.linkText = r.linkText[:0]
	}
	const most = 1000 // of a line
	if uri := r.uris[max(0, len(r.uris)-1)]; uri != "" && len(r.links) < most && !r.html && r.dest == body {
		r.links = append(r.links, Link{strings.ToValidUTF8(text, ""), uri})
	}
}
