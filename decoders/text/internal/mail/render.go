package mail

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset"
)

// HTML writes what a person sees of a page, which is UTF-8, and says how many characters a person does not, and whether all of it was read.
type HTML func(page []byte, write func([]byte) error) (hidden int64, whole bool, err error)

// lists are the fields of mailboxes that are shown, in their order.
var lists = [...]string{"From", "Sender", "To", "Cc", "Bcc", "Reply-To"}

// Text writes what a person reads of a mail: the fields that mail programs show, a blank line, the texts. Lines end in LF.
func (m *Message) Text(emit func([]byte) error, html HTML) error {
	w := &lineWriter{emit: emit}
	if err := w.write([]byte(m.header())); err != nil {
		return err
	}
	for _, p := range m.shown {
		if err := w.write([]byte("\n")); err != nil {
			return err
		}
		if err := m.body(p, w, html); err != nil {
			return err
		}
		if err := w.close(); err != nil {
			return err
		}
	}
	return nil
}

// header is the fields that are shown, a line each.
func (m *Message) header() string {
	var b strings.Builder
	for _, name := range lists {
		all := m.Addresses(strings.ToLower(name))
		if len(all) == 0 || name == "Sender" && len(m.Addresses("from")) == 1 && m.Addresses("from")[0].Address == all[0].Address {
			continue
		}
		b.WriteString(name + ": ")
		for i, a := range all {
			if i > 0 {
				separator := ", "
				if strings.HasSuffix(all[i-1].Name, ":") && all[i-1].Address == "" {
					separator = " "
				}
				b.WriteString(separator)
			}
			b.WriteString(a.String())
		}
		b.WriteByte('\n')
	}
	for _, name := range [...]string{"Date", "Subject"} {
		if v := m.Field(strings.ToLower(name)); v != "" || name == "Subject" {
			b.WriteString(strings.TrimRight(name+": "+v, " ") + "\n")
		}
	}
	return b.String()
}

// Field returns a field as text on one line, "" without one.
func (m *Message) Field(name string) string { return oneLine(m.head.decodeText(m.head.get(name))) }

// Addresses returns the mailboxes of a field.
func (m *Message) Addresses(name string) []Address { return m.head.addresses(name) }

// maxHTMLBytes bounds a page inside a mail; newsletters have 100 kB.
const maxHTMLBytes = 16 << 20

// body writes one part.
func (m *Message) body(p *part, w *lineWriter, html HTML) error {
	d := decoder{src: p.body, kind: p.transfer}
	text := bytes.TrimRight(d.all(), "\r\n")
	m.Damaged = m.Damaged || d.damaged
	label := p.typ.token("charset")
	if p.typ.value == "text/html" && len(text) <= maxHTMLBytes {
		return m.page(text, label, w, html)
	}
	found := pick(label, text)
	m.found(found)
	sink := w.write
	var f *flow
	if strings.EqualFold(p.typ.token("format"), "flowed") && p.typ.value == "text/plain" && shortLines(text) {
		f = &flow{w: w, delete: strings.EqualFold(p.typ.token("delsp"), "yes")}
		sink = f.write
	}
	replaced, err := convert(found.Label, text, sink)
	m.Replaced += replaced
	if err == errCharset {
		m.Lost = append(m.Lost, found.Label)
		return w.write([]byte("[text in " + found.Label + ", which is not decoded]"))
	}
	if err == nil && f != nil {
		err = f.close()
	}
	return err
}

// shortLines reports whether no line is longer than a program that breaks lines would make it.
func shortLines(text []byte) bool {
	const most = 64 << 10
	for len(text) > most {
		i := bytes.LastIndexAny(text[:most], "\r\n")
		if i < 0 {
			return false
		}
		text = text[i+1:]
	}
	return true
}

// page writes a page, whose charset is the one that the mail says, or that the page says itself.
func (m *Message) page(text []byte, label string, w *lineWriter, html HTML) error {
	found := pick(label, text)
	m.found(found)
	if found.Label != "utf-8" || !utf8.Valid(text) {
		var out []byte
		replaced, err := convert(found.Label, text, func(piece []byte) error { out = append(out, piece...); return nil })
		if err != nil {
			m.Lost = append(m.Lost, found.Label)
			return nil
		}
		m.Replaced += replaced
		text = out
	}
	hidden, whole, err := html(text, w.write)
	m.Hidden += hidden
	m.Damaged = m.Damaged || !whole
	return err
}

func (m *Message) found(c charset.Charset) {
	if m.Charset.Label == "" || m.Charset.Label == "utf-8" && m.Replaced == 0 {
		m.Charset = c
	}
}

// lineWriter makes every line end LF.
type lineWriter struct {
	emit func([]byte) error
	cr   bool // the last byte was a CR
	last byte // that was written
	buf  []byte
}

func (w *lineWriter) write(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	if w.cr && b[0] == '\n' {
		b = b[1:]
	}
	w.cr = false
	if len(b) == 0 {
		return nil
	}
	if bytes.IndexByte(b, '\r') >= 0 {
		w.cr = b[len(b)-1] == '\r'
		w.buf = w.buf[:0]
		for i, c := range b {
			switch {
			case c != '\r':
				w.buf = append(w.buf, c)
			case i+1 == len(b) || b[i+1] != '\n':
				w.buf = append(w.buf, '\n')
			}
		}
		b = w.buf
	}
	if len(b) == 0 {
		return nil
	}
	w.last = b[len(b)-1]
	return w.emit(b)
}

// close ends the last line.
func (w *lineWriter) close() error {
	w.cr = false
	if w.last == '\n' || w.last == 0 {
		return nil
	}
	return w.write([]byte("\n"))
}
