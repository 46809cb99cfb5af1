package mail

import (
	"bytes"
	"strings"
)

// What a tree of parts may have: mail programs nest five deep, and a hostile mail more.
const (
	maxDepth = 16
	maxParts = 10_000
)

// part is a node of a mail: a leaf has a body, a multipart has parts (RFC 2046).
type part struct {
	head     *header
	typ      structured // Content-Type
	place    structured // Content-Disposition (RFC 2183)
	transfer transfer
	body     []byte // of a leaf, as it stands
	parts    []*part
	open     bool // a multipart without its end, or that never began
	nothing  int8 // what blank found: 1 for nothing to show, -1 for something
}

// parser cuts a mail into parts in one pass: the boundaries of all multiparts around a line are looked for, so that a multipart that lost its
// end is ended by the next boundary of one around it.
type parser struct {
	raw    []byte
	bounds []string // of the multiparts around, the innermost last
	parts  int
}

// mark is a boundary line.
type mark struct {
	level int  // of bounds; -1 at the end of the file
	last  bool // it ends the multipart
	start int  // where what stands before it ends
	next  int  // behind its line
}

// scan finds the next boundary line at or behind pos, which begins a line.
func (p *parser) scan(pos int) mark {
	for i := pos; len(p.bounds) > 0; {
		k := bytes.Index(p.raw[i:], []byte("--"))
		if k < 0 {
			break
		}
		i += k
		if i == pos || p.raw[i-1] == '\n' {
			next := lineEnd(p.raw, i)
			if level, last := p.match(p.raw[i:next]); level >= 0 {
				start := i
				if start > pos {
					start = pos + len(bare(p.raw[pos:start])) // the line end before it is the boundary's
				}
				return mark{level, last, start, next}
			}
		}
		for i < len(p.raw) && p.raw[i] == '-' {
			i++
		}
	}
	return mark{-1, false, len(p.raw), len(p.raw)}
}

// match says which boundary a line is, -1 if none. The whole line counts: one boundary may begin as another does.
func (p *parser) match(line []byte) (level int, last bool) {
	if len(line) < 2 || line[0] != '-' || line[1] != '-' {
		return -1, false
	}
	line = bytes.TrimRight(line[2:], " \t\r\n")
	for level = len(p.bounds) - 1; level >= 0; level-- {
		rest, ok := bytes.CutPrefix(line, []byte(p.bounds[level]))
		if ok && (len(rest) == 0 || string(rest) == "--") {
			return level, len(rest) > 0
		}
	}
	return -1, false
}

// header reads the header at pos, which ends at the boundary of a part around it, too.
func (p *parser) header(pos int) (fields []field, body int) {
	fields, body = parseHeader(p.raw, pos, len(p.raw))
	if len(p.bounds) == 0 {
		return fields, body
	}
	for at := pos; at < body; at = lineEnd(p.raw, at) { // a boundary may look like a field
		if level, _ := p.match(p.raw[at:lineEnd(p.raw, at)]); level >= 0 {
			return parseHeader(p.raw, pos, at)
		}
	}
	return fields, body
}

// part reads the part at pos and returns the boundary that ended it. kind is what it is without a Content-Type.
func (p *parser) part(pos int, kind string) (*part, mark) {
	p.parts++
	fields, body := p.header(pos)
	h := &header{fields: fields}
	n := &part{
		head: h, typ: h.structured("content-type"), place: h.structured("content-disposition"), transfer: transferOf(h),
	}
	switch {
	case n.typ.value == "":
		n.typ.value = kind
	case !strings.Contains(n.typ.value, "/"): // RFC 2045, 5.2; "text" alone was written once
		n.typ.value = "text/plain"
	}
	if strings.HasPrefix(n.typ.value, "multipart/") {
		n.open = true // too deep, unless it is read
		if len(p.bounds) < maxDepth && p.parts < maxParts {
			if m, ok := p.multipart(n, body); ok {
				return n, m
			}
			n.typ.value = "text/plain"
		}
	}
	m := p.scan(body)
	n.body = p.raw[body:max(body, m.start)]
	return n, m
}

// multipart reads the parts of n; ok is false when there is none.
func (p *parser) multipart(n *part, pos int) (m mark, ok bool) {
	level := len(p.bounds)
	boundary := strings.TrimRight(n.typ.get("boundary"), " \t")
	for range 2 {
		p.bounds = p.bounds[:level]
		if boundary == "" || len(boundary) > 1000 {
			m = mark{-1, false, len(p.raw), len(p.raw)}
			if level > 0 {
				m = p.scan(pos)
			}
		} else {
			p.bounds = append(p.bounds, boundary)
			if m = p.scan(pos); m.level == level {
				break
			}
		}
		if boundary = guessBoundary(p.raw[pos:max(pos, m.start)]); boundary == "" {
			break
		}
	}
	p.bounds = p.bounds[:level]
	if m.level != level || boundary == "" {
		return m, false
	}
	p.bounds = append(p.bounds, boundary)
	kind := "text/plain"
	if n.typ.value == "multipart/digest" {
		kind = "message/rfc822" // RFC 2046, 5.1.5
	}
	for m.level == level && !m.last && p.parts < maxParts {
		var kid *part
		if m.next >= len(p.raw) {
			m = mark{-1, false, len(p.raw), len(p.raw)}
			break
		}
		kid, m = p.part(m.next, kind)
		n.parts = append(n.parts, kid)
	}
	p.bounds = p.bounds[:level]
	if m.level == level {
		n.open = !m.last
		return p.scan(m.next), true // what follows the last boundary is for nobody
	}
	n.open = true
	return m, true
}

// guessBoundary finds the boundary of a multipart that does not say it, or says another: the first line of dashes and a word that a field of
// a part follows.
func guessBoundary(b []byte) string {
	for pos, tries := 0, 0; pos < len(b) && tries < 1000; {
		end := lineEnd(b, pos)
		line := bytes.TrimRight(b[pos:end], " \t\r\n")
		if len(line) > 2 && line[0] == '-' && line[1] == '-' && end < len(b) {
			tries++
			name, _ := fieldName(bare(b[end:lineEnd(b, end)]))
			if strings.HasPrefix(name, "content-") {
				return string(line[2:])
			}
		}
		pos = end
	}
	return ""
}

// parse cuts a mail into its parts.
func parse(raw []byte) *part {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	pos := 0
	for pos < len(raw) { // what a mailbox or a spool puts in front
		end := lineEnd(raw, pos)
		line := bytes.TrimSpace(raw[pos:end])
		if len(line) > 0 && !bytes.HasPrefix(line, []byte("From ")) && !bytes.HasPrefix(line, []byte(">From ")) {
			break
		}
		pos = end
	}
	p := parser{raw: raw}
	n, _ := p.part(pos, "text/plain")
	return n
}
