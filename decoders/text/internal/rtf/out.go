package rtf

import (
	"bytes"
	"strconv"
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
	case fonts:
		r.fontName(b)
		return
	case colours:
		r.palette.separators(b)
		return
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
	case r.unseen():
		r.doc.Hidden += int64(utf8.RuneCount(b))
		if r.sink.Hidden {
			r.write(b)
		}
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
		r.closeNote()
	case 'p', 'o':
		r.addFile()
	case 'c':
		r.key = strings.TrimSpace(string(r.text))
	case 't':
		r.addFact()
	case 'i':
		r.field(strings.TrimSpace(string(r.text)))
	case 'r':
		r.endLink()
	case 'f':
		if n := len(r.uris); n > 0 {
			r.uris = r.uris[:n-1]
		}
	}
}

// closeNote ends a note; of an empty one nothing stays.
func (r *reader) closeNote() {
	r.cells = 0
	for len(r.out) > 0 && (r.out[len(r.out)-1] == '\n' || r.out[len(r.out)-1] == ' ') { // its last paragraph
		r.out = r.out[:len(r.out)-1]
	}
	for _, what := range [...]string{"footnote", "comment", "header", "footer"} {
		if rest, empty := bytes.CutSuffix(r.out, []byte("["+what+":")); empty {
			r.out = rest
			r.atBOL = r.note == 'l' || len(rest) == 0 || rest[len(rest)-1] == '\n'
			return
		}
	}
	r.look = look{shaded: r.shaded, boxed: r.boxed}
	r.write([]byte("]"))
	if r.note == 'l' {
		r.newline()
	}
}

// drawn marks a field that is a character of its own, whatever its result says.
const drawn = "\x00"

// field takes the instruction of a field: a link's is kept for its result, a symbol's (SYMBOL 183 \f "Symbol") is drawn.
func (r *reader) field(s string) {
	n := len(r.uris)
	if n == 0 {
		return
	}
	r.uris[n-1] = target(s)
	rest, ok := strings.CutPrefix(s, "SYMBOL ")
	if !ok {
		return
	}
	number, font, _ := strings.Cut(strings.TrimSpace(rest), " ")
	code, err := strconv.Atoi(number)
	if err != nil || code < 0x20 || code > 0xff {
		return
	}
	r.uris[n-1] = drawn
	r.dest = r.stack[len(r.stack)-1].dest
	if strings.Contains(font, `"Symbol"`) || !strings.Contains(font, `\f`) {
		r.put(greek([]byte{byte(code)}))
	} else {
		r.put(pictures([]byte{byte(code)}))
	}
}

// fontName takes the name of a font: Symbol is a charset of its own.
func (r *reader) fontName(b []byte) {
	const longest = 100
	if len(r.text)+len(b) > longest {
		return
	}
	r.text = append(r.text, b...)
	if bytes.HasSuffix(r.text, []byte(";")) {
		f := r.fonts[r.fontNow]
		if f.greek = f.symbol && bytes.Contains(r.text, []byte("Symbol")); f.greek {
			r.fonts[r.fontNow] = f
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
	if n == 0 || len(r.uris) == 0 {
		return
	}
	from := r.linkFrom[n-1]
	r.linkFrom = r.linkFrom[:n-1]
	text := strings.TrimSpace(string(r.linkText[min(from, len(r.linkText)):]))
	if n == 1 {
		r.linkText = r.linkText[:0]
	}
	const most = 1000 // of a line
	if uri := r.uris[len(r.uris)-1]; uri != "" && len(r.links) < most && !r.html && r.dest == body {
		r.links = append(r.links, Link{strings.ToValidUTF8(text, ""), uri})
	}
}
