// Package mail takes mails apart (RFC 5322, 2045 to 2047, 2231, 3676): what a person reads of them as text, and the files that hang on them.
//
//	m, ok := mail.Parse(raw)
//	err := m.Text(emit, html) // the header, then the body
//	for n := range m.Files { … m.Files[n].Data() … }
//
// Nothing in it fails on what a mail does wrong: what cannot be read is passed over, and Damaged says so. Nothing is loaded from elsewhere.
package mail

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset"
	"github.com/glovebox-wasm/glovebox/decoders/text/internal/inside"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// MaxFiles bounds the files of one mail.
const MaxFiles = 999

// Message is a mail.
type Message struct {
	Files []File // in the order of the mail; numbered from 1

	// What Text has found; the zero values before.
	Charset  charset.Charset // of the first text that is shown
	Replaced int64           // bytes that are no character
	Hidden   int64           // characters of HTML that a person would not see
	Damaged  bool            // a part has no end, or lost some of it
	Lost     []string        // charsets of texts that nobody decodes

	Signed, Encrypted bool

	head  *header
	shown []*part
}

// File is a file that hangs on a mail, or a part that is not shown.
type File struct {
	Name      string
	MediaType readapi.MediaType
	Bytes     int64  // decoded
	About     string // why it is there: "", "inline", "alternative", "signature"

	src  []byte
	kind transfer
}

// Data returns the file's bytes.
func (f *File) Data() []byte {
	if f.kind == identity {
		return f.src
	}
	d := decoder{src: f.src, kind: f.kind}
	out := make([]byte, 0, f.Bytes)
	for piece := d.next(); piece != nil; piece = d.next() {
		out = append(out, piece...)
	}
	return out
}

// Parse reads a mail; ok is false for what has none of the fields of one. It may write to raw.
func Parse(raw []byte) (m *Message, ok bool) {
	if bytes.IndexByte(raw, '\n') < 0 { // line ends of old Macs
		for i, c := range raw {
			if c == '\r' {
				raw[i] = '\n'
			}
		}
	}
	root := parse(raw)
	for i := range root.head.fields {
		ok = ok || isKnown(root.head.fields[i].name)
	}
	if !ok {
		return nil, false
	}
	m = &Message{head: root.head}
	m.take(root, true)
	return m, true
}

// take decides what becomes of a part: it is shown, or it is a file.
func (m *Message) take(p *part, root bool) {
	m.Damaged = m.Damaged || p.open
	if len(p.parts) == 0 {
		m.leaf(p, root)
		return
	}
	switch p.typ.value {
	case "multipart/alternative":
		best := chosen(p.parts)
		for _, kid := range p.parts {
			if kid == best {
				m.take(kid, false)
			} else {
				m.list(kid, "alternative")
			}
		}
	case "multipart/related": // RFC 2387
		main := p.parts[0]
		if start := strings.Trim(p.typ.get("start"), "<> "); start != "" {
			for _, kid := range p.parts {
				if strings.Trim(string(unfold(kid.head.get("content-id"))), "<> ") == start {
					main = kid
					break
				}
			}
		}
		m.take(main, root)
		for _, kid := range p.parts {
			if kid != main {
				m.list(kid, "inline")
			}
		}
	default:
		m.Signed = m.Signed || p.typ.value == "multipart/signed"
		m.Encrypted = m.Encrypted || p.typ.value == "multipart/encrypted"
		for _, kid := range p.parts {
			m.take(kid, false)
		}
	}
}

// chosen is the part of an alternative that is shown: plain text that says something, else HTML, else what has one of them in it.
func chosen(parts []*part) *part {
	for _, rank := range [...]func(*part) bool{
		func(p *part) bool { return p.typ.value == "text/plain" && len(p.parts) == 0 && !p.blank() },
		func(p *part) bool { return len(p.parts) > 0 && has(p, "text/plain") },
		func(p *part) bool { return p.typ.value == "text/html" },
		func(p *part) bool { return len(p.parts) > 0 && has(p, "text/html") },
		func(p *part) bool { return strings.HasPrefix(p.typ.value, "text/") && showable(p.typ.value) },
	} {
		for _, p := range parts {
			if rank(p) {
				return p
			}
		}
	}
	return parts[0]
}

func has(p *part, kind string) bool {
	for _, kid := range p.parts {
		if kid.typ.value == kind && kid.place.value != "attachment" && !kid.blank() || has(kid, kind) {
			return true
		}
	}
	return false
}

// blank reports whether a leaf has nothing to show.
func (p *part) blank() bool {
	if p.nothing != 0 {
		return p.nothing > 0
	}
	p.nothing = 1
	d := decoder{src: p.body, kind: p.transfer}
	for piece := d.next(); piece != nil; piece = d.next() {
		if len(bytes.TrimSpace(piece)) > 0 {
			p.nothing = -1
			break
		}
	}
	return p.nothing > 0
}

// showable reports whether text of a media type is part of what a mail says, not a file that hangs on it.
func showable(kind string) bool {
	switch kind {
	case "text/calendar", "text/vcard", "text/x-vcard", "text/directory", "text/rtf", "text/rfc822-headers", "text/css", "text/javascript", "text/csv", "text/xml":
		return false
	case "message/delivery-status", "message/disposition-notification", "message/feedback-report": // RFC 3464, 8098, 5965
		return true
	}
	return strings.HasPrefix(kind, "text/")
}

func (p *part) filename() string {
	if name := p.place.get("filename"); name != "" {
		return name
	}
	return p.typ.get("name")
}

func (m *Message) leaf(p *part, root bool) {
	attached := p.place.value == "attachment" || p.filename() != ""
	switch {
	case !showable(p.typ.value) || attached && !root:
		m.list(p, "")
	case p.blank():
		m.Damaged = m.Damaged || p.open
	default:
		if p.typ.value == "text/plain" && p.transfer == identity {
			m.unpack(p)
		}
		m.shown = append(m.shown, p)
	}
}

// list adds the leaves of a part to the files.
func (m *Message) list(p *part, about string) {
	m.Damaged = m.Damaged || p.open
	for _, kid := range p.parts {
		m.list(kid, about)
	}
	if len(p.parts) > 0 || len(p.body) == 0 && p.filename() == "" {
		return
	}
	if strings.HasSuffix(p.typ.value, "-signature") {
		m.Signed = true
		about = "signature"
	}
	name := p.filename()
	said := p.typ.value
	switch said {
	case "application/pkcs7-mime", "application/x-pkcs7-mime": // RFC 8551, 3.2.2
		signed := strings.HasPrefix(p.typ.token("smime-type"), "signed")
		m.Signed, m.Encrypted = m.Signed || signed, m.Encrypted || !signed
	case "message/rfc822", "message/global":
		said = "message/rfc822"
		if fields, _ := parseHeader(p.body, 0, len(p.body)); name == "" && p.transfer == identity {
			inner := header{fields: fields}
			if name = inner.decodeText(inner.get("subject")); name != "" {
				name = strings.NewReplacer("/", "-", `\`, "-").Replace(name) + ".eml"
			}
		}
	}
	m.add(name, said, about, p)
}

func (m *Message) add(name, said, about string, p *part) {
	if len(m.Files) == MaxFiles {
		m.Damaged = true
		return
	}
	if name == "" {
		location, _, _ := strings.Cut(p.head.decodeText(p.head.get("content-location")), "?")
		if name = location; strings.Contains(location, ":") && strings.Count(location, "/") < 3 {
			name = "" // a host, or a content id
		}
	}
	if name = inside.Name(name); name == "" {
		mt := inside.Type(said, "")
		name = "part-" + strconv.Itoa(len(m.Files)+1) + inside.Extension(mt)
		if about == "alternative" {
			name = about + "-" + strconv.Itoa(len(m.Files)+1) + inside.Extension(mt)
		}
	}
	f := File{Name: name, MediaType: inside.Type(said, name), About: about, src: p.body, kind: p.transfer}
	if f.About == "" && p.place.value == "inline" {
		f.About = "inline"
	}
	var damaged bool
	f.Bytes, damaged = size(f.src, f.kind)
	m.Damaged = m.Damaged || damaged
	m.Files = append(m.Files, f)
}
