package text

import (
	"errors"
	"strconv"
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset"
	"github.com/glovebox-wasm/glovebox/decoders/text/internal/mail"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// mails shows a mail as a mail program does: the fields that say from whom and to whom, the text, the list of files. MHTML, a page with what
// it needs, is a mail too (RFC 2557).
var mails = renderer{render: renderMail, file: mailFile}

// readMail reads the whole file: what a mail says of a part may stand anywhere in it.
func readMail(p *page) (*mail.Message, error) {
	raw, err := readRange(p.in, 0, p.in.Size())
	if err != nil {
		return nil, err
	}
	m, ok := mail.Parse(raw)
	if !ok {
		return nil, errPlain
	}
	return m, nil
}

func renderMail(p *page) error {
	m, err := readMail(p)
	if err != nil {
		return err
	}
	for i := range m.Files {
		if err := p.w.Child(mailChild(m, i)); err != nil {
			return err
		}
	}
	err = writeMail(p, m, "")
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	mailMeta(p, m)
	if e := mailWarnings(p, m); e != nil {
		return e
	}
	return err
}

func mailChild(m *mail.Message, i int) readapi.Child {
	f := &m.Files[i]
	return readapi.Child{N: i + 1, Name: f.Name, MediaType: f.MediaType, Bytes: f.Bytes}
}

// writeMail writes a mail's text and the list of its files, whose paths begin with prefix.
func writeMail(p *page, m *mail.Message, prefix string) error {
	if err := m.Text(p.write, p.inner); err != nil {
		return err
	}
	var list strings.Builder
	for i := range m.Files {
		if i == 0 {
			list.WriteString("\nFiles in this mail:\n")
		}
		list.WriteString(fileLine(prefix+strconv.Itoa(i+1), mailChild(m, i), m.Files[i].About))
	}
	return p.write([]byte(list.String()))
}

// mailFile hands on a file that hangs on a mail.
func mailFile(p *page, n int) error {
	m, err := readMail(p)
	if errors.Is(err, errPlain) || err == nil && (n < 1 || n > len(m.Files)) {
		return errNoFile()
	}
	if err != nil {
		return err
	}
	return p.handOn(mailChild(m, n-1), func() ([]byte, error) { return m.Files[n-1].Data(), nil })
}

// maxPeople is how many addresses of a field are in meta.
const maxPeople = 100

// mailMeta notes what the header says.
func mailMeta(p *page, m *mail.Message) {
	meta := map[string]any{"attachments": attachments(m)}
	for _, f := range [...][2]string{
		{"subject", "subject"}, {"title", "subject"}, {"message_id", "message-id"}, {"in_reply_to", "in-reply-to"}, {"list_id", "list-id"}, {"return_path", "return-path"},
	} {
		if v := m.Field(f[1]); v != "" {
			meta[f[0]] = v
		}
	}
	for _, f := range [...][2]string{{"from", "from"}, {"sender", "sender"}, {"to", "to"}, {"cc", "cc"}, {"bcc", "bcc"}, {"reply_to", "reply-to"}} {
		var people []any
		for _, a := range m.Addresses(f[1]) {
			if len(people) < maxPeople {
				people = append(people, map[string]any{"name": a.Name, "address": a.Address})
			}
		}
		if len(people) > 0 {
			meta[f[0]] = people
		}
	}
	if raw := m.Field("date"); raw != "" {
		meta["date_raw"] = raw
		if date := mail.ParseDate(raw); date != "" {
			meta["date"] = date
			delete(meta, "date_raw")
		}
	}
	if m.Signed {
		meta["signed"] = true
	}
	if m.Encrypted {
		meta["encrypted"] = true
	}
	p.meta(meta)
	p.src = &source{in: p.in, charset: m.Charset, replaced: m.Replaced}
	if m.Charset.Label == "" {
		p.src.charset = charset.Charset{Label: "utf-8", Source: charset.SourceUTF8, Percent: 100}
	}
}

// attachments counts the files that somebody attached: not the pictures of a page, nor other forms of the text.
func attachments(m *mail.Message) (n int) {
	for i := range m.Files {
		if m.Files[i].About == "" {
			n++
		}
	}
	return n
}

func mailWarnings(p *page, m *mail.Message) error {
	if m.Damaged {
		if err := p.w.Warn(readapi.WarnPartial, "a part of the mail is damaged or cut off", 0); err != nil {
			return err
		}
	}
	for _, label := range m.Lost {
		if err := p.w.Warn(readapi.WarnPartial, "a text of the mail is in "+label+", which is not decoded", 0); err != nil {
			return err
		}
	}
	if m.Hidden > 0 {
		detail := counted(m.Hidden, "character", "characters") + " of the mail's page that nobody would see are left out"
		return p.w.Warn(readapi.WarnHiddenText, detail, 0)
	}
	return nil
}
