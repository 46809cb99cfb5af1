package sniff

import (
	"bytes"
	"strings"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// textFamily are the types of files that are text; the text decoder accepts them all.
var textFamily = map[readapi.MediaType]bool{
	"text/plain": true, "text/markdown": true, "text/csv": true, "text/tab-separated-values": true, "text/html": true, "text/css": true,
	"text/javascript": true, "text/calendar": true, "text/vcard": true, "application/json": true, "application/x-ndjson": true,
	"application/xml": true, "application/x-ipynb+json": true, "application/rtf": true, "application/mbox": true, "message/rfc822": true,
	"image/svg+xml": true,
}

func isText(mt readapi.MediaType) bool { return textFamily[mt] }

// TextFamily returns the media types that Sniff gives to text, in no order.
func TextFamily() []readapi.MediaType {
	out := make([]readapi.MediaType, 0, len(textFamily))
	for mt := range textFamily {
		out = append(out, mt)
	}
	return out
}

// textType names a text: by what it says of itself at its start; then by its name; then by the declared type; then by the look of its
// first lines.
func textType(prefix []byte, class readapi.TextClass, h hints) readapi.MediaType {
	head := asciiOf(prefix, class)
	named := h.named
	if !isText(named) {
		named = ""
	}
	if mt := signature(head); mt != "" {
		// Markdown, templates and source code may begin with markup.
		if mt == "text/html" && named != "" && named != "text/plain" || sourceExt[h.ext] || mt == "application/xml" && named == "text/html" {
			return named
		}
		return mt
	}
	if named != "" && named != "text/plain" || sourceExt[h.ext] {
		return named
	}
	if isText(h.declared) && h.declared != "text/plain" && h.declared != "image/svg+xml" {
		return h.declared
	}
	if named == "text/plain" {
		return named
	}
	return look(head)
}

var sourceExt = func() map[string]bool {
	m := map[string]bool{}
	for ext := range strings.FieldsSeq(source) {
		m[ext] = true
	}
	return m
}()

// asciiOf returns the beginning of a text without its mark and white space, as bytes in which ASCII stands for itself: the NULs of UTF-16
// and UTF-32 are dropped.
func asciiOf(prefix []byte, class readapi.TextClass) []byte {
	head := prefix[class.BOM:]
	if class.Charset != "utf-8" && class.Charset != "" {
		head = bytes.ReplaceAll(head, []byte{0}, nil)
	}
	return bytes.TrimLeft(head, " \t\r\n\f")
}

// signature recognises texts whose first characters are prescribed.
func signature(head []byte) readapi.MediaType {
	has := func(s string) bool {
		return len(head) >= len(s) && strings.EqualFold(string(head[:len(s)]), s)
	}
	switch {
	case has(`{\rtf`):
		return "application/rtf"
	case has("BEGIN:VCALENDAR"):
		return "text/calendar"
	case has("BEGIN:VCARD"):
		return "text/vcard"
	case has("<?xml"), has("<!--"), has("<!doctype"), has("<svg"), has("<html"), has("<head"), has("<body"), has("<title"):
		return markup(head)
	}
	return ""
}

// markup tells HTML, SVG and other XML apart by the document type or the first element.
func markup(head []byte) readapi.MediaType {
	xml := bytes.HasPrefix(head, []byte("<?xml"))
	for rest := head; ; {
		i := bytes.IndexByte(rest, '<')
		if i < 0 || i+1 == len(rest) {
			break
		}
		rest = rest[i+1:]
		switch {
		case rest[0] == '?':
			continue
		case bytes.HasPrefix(rest, []byte("!--")):
			_, after, found := bytes.Cut(rest, []byte("-->"))
			if !found {
				break
			}
			rest = after
			continue
		}
		name := rest
		if fold(name, "!doctype") {
			name = bytes.TrimLeft(name[len("!doctype"):], " \t\r\n")
		}
		for _, known := range []struct {
			element   string
			mediaType readapi.MediaType
		}{{"svg", "image/svg+xml"}, {"html", "text/html"}, {"head", "text/html"}, {"body", "text/html"}, {"title", "text/html"}} {
			if n := len(known.element); fold(name, known.element) && (len(name) == n || strings.IndexByte(" \t\r\n>/[", name[n]) >= 0) {
				return known.mediaType
			}
		}
		if prefix, local, ok := bytes.Cut(name[:min(len(name), 32)], []byte(":")); ok && len(prefix) > 0 && fold(local, "svg") {
			return "image/svg+xml"
		}
		break
	}
	if xml {
		return "application/xml"
	}
	return ""
}

func fold(b []byte, s string) bool {
	return len(b) >= len(s) && strings.EqualFold(string(b[:len(s)]), s)
}

// tags are the elements with which a page begins that has neither document type nor html element (WHATWG MIME Sniffing, 7.1, and those that
// fragments of a page have besides).
var tags = [...]string{
	"a", "b", "br", "div", "font", "h1", "h2", "iframe", "img", "link", "meta", "ol", "p", "script", "section", "span", "style", "table", "ul",
}

// fragment reports whether b begins with one of tags.
func fragment(b []byte) bool {
	if len(b) < 3 || b[0] != '<' {
		return false
	}
	for _, tag := range tags {
		if n := 1 + len(tag); fold(b[1:], tag) && len(b) > n && strings.IndexByte(" \t\r\n\f>/", b[n]) >= 0 {
			return bytes.IndexByte(b, '>') > 0
		}
	}
	return false
}

// look recognises unnamed texts by their first lines: mail, a page without a head, JSON.
func look(head []byte) readapi.MediaType {
	line, rest, _ := bytes.Cut(head, []byte("\n"))
	switch {
	case fragment(head):
		return "text/html"
	case bytes.HasPrefix(line, []byte("From ")) && mailHeaders(rest) > 1:
		return "application/mbox"
	case mailHeaders(head) > 1:
		return "message/rfc822"
	}
	if len(head) == 0 || head[0] != '{' && head[0] != '[' {
		return "text/plain"
	}
	line = bytes.TrimSpace(line)
	ends := len(line) > 1 && line[len(line)-1] == line[0]+2 // the brace's partner in ASCII
	next := bytes.TrimLeft(rest, " \t\r\n")
	switch {
	case ends && len(next) > 0 && next[0] == head[0] && jsonLike(head):
		return "application/x-ndjson"
	case notebook(head):
		return "application/x-ipynb+json"
	case jsonLike(head):
		return "application/json"
	}
	return "text/plain"
}

// notebook looks for the keys of a Jupyter notebook (nbformat 4), of which the prefix may hold those before or behind the cells only.
func notebook(b []byte) bool {
	has := func(key string) bool { return bytes.Contains(b, []byte(`"`+key+`"`)) }
	return has("cells") && (has("cell_type") || has("nbformat")) || has("nbformat") && has("kernelspec")
}

// mailHeaders counts the well-known fields among the lines of a header block (RFC 5322, 3.6; RFC 2045; and those that every mail gathers on
// its way), 0 if other lines come first.
func mailHeaders(b []byte) (n int) {
	const most = 200 // what servers write before the first field of the sender
	for i := range most {
		line, rest, found := bytes.Cut(b, []byte("\n"))
		if !found {
			break
		}
		b = rest
		name, _, ok := strings.Cut(string(line), ":")
		switch {
		case i > 0 && len(line) > 0 && (line[0] == ' ' || line[0] == '\t'): // a folded field
			continue
		case !ok || name == "" || strings.ContainsAny(name, " \t"):
			return n
		}
		switch strings.ToLower(name) {
		case "from", "to", "subject", "date", "message-id", "mime-version", "received", "return-path", "delivered-to", "reply-to", "cc", "content-type",
			"content-transfer-encoding", "dkim-signature", "in-reply-to", "references", "sender", "list-id", "list-unsubscribe", "authentication-results",
			"x-mailer", "x-received", "user-agent", "received-spf", "arc-seal":
			n++
		}
	}
	return n
}

// jsonLike reports whether b begins an object with a key or an array with a value.
func jsonLike(b []byte) bool {
	rest := bytes.TrimLeft(b[1:], " \t\r\n")
	if len(rest) == 0 {
		return false
	}
	if b[0] == '{' {
		return rest[0] == '"' || rest[0] == '}'
	}
	return strings.IndexByte(`"{[]-0123456789`, rest[0]) >= 0 || fold(rest, "true") || fold(rest, "false") || fold(rest, "null")
}
