package text

import (
	"errors"
	"strconv"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/inside"
	"github.com/glovebox-wasm/glovebox/decoders/text/internal/mail"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// mailboxes shows a mailbox as the list of its messages, a line each, and a small one's messages behind it. Message n is file n inside.
var mailboxes = renderer{render: renderMailbox, file: mailboxFile}

const (
	smallMailbox    = 1 << 20  // whose messages are shown, not only listed
	summaryBytes    = 16 << 10 // of a message's beginning, in which its header is looked for
	maxBoxChildren  = 1000     // listed with one answer; every message can be asked for
	mailboxItemType = readapi.MediaType("message/rfc822")
)

func renderMailbox(p *page) error {
	var n, children int64
	var spans []mail.Span
	err := mail.Split(p.in, func(s mail.Span) error {
		n++
		head, err := readRange(p.in, s.From, min(s.To, s.From+summaryBytes))
		if err != nil {
			return err
		}
		line := strconv.FormatInt(n, 10) + ". " + mail.Summary(head) + " (" + inside.Size(s.To-s.From) + ")\n"
		if p.in.Size() <= smallMailbox {
			spans = append(spans, s)
		}
		if err := p.write([]byte(line)); err != nil {
			return err
		}
		if !p.lines.wantedLast() || children == maxBoxChildren {
			return nil
		}
		children++
		return p.w.Child(mailboxChild(int(n), s))
	})
	if errors.Is(err, mail.ErrNotMailbox) {
		return errPlain
	}
	p.meta(map[string]any{"messages": n})
	if err != nil {
		return err
	}
	for i, s := range spans {
		if err := showMessage(p, i+1, s); err != nil {
			return err
		}
	}
	return nil
}

func mailboxChild(n int, s mail.Span) readapi.Child {
	return readapi.Child{N: n, Name: "message-" + strconv.Itoa(n) + ".eml", MediaType: mailboxItemType, Bytes: s.To - s.From}
}

// showMessage writes a message of a small mailbox.
func showMessage(p *page, n int, s mail.Span) error {
	raw, err := message(p, s)
	if err != nil {
		return err
	}
	number := strconv.Itoa(n)
	if err := p.write([]byte("\n===== message " + number + " =====\n")); err != nil {
		return err
	}
	m, ok := mail.Parse(raw)
	if !ok {
		return p.write([]byte("[not a mail]\n"))
	}
	if err := writeMail(p, m, number+"/"); err != nil {
		return err
	}
	return mailWarnings(p, m)
}

// message reads a message as it was before it came into the mailbox.
func message(p *page, s mail.Span) ([]byte, error) {
	raw, err := readRange(p.in, s.From, s.To)
	if err != nil {
		return nil, err
	}
	return mail.Unquote(raw), nil
}

var errFound = errors.New("text: found")

// mailboxFile hands on a message.
func mailboxFile(p *page, n int) error {
	var span mail.Span
	count := 0
	err := mail.Split(p.in, func(s mail.Span) error {
		if count++; count == n {
			span = s
			return errFound
		}
		return nil
	})
	switch {
	case err == nil, errors.Is(err, mail.ErrNotMailbox):
		return errNoFile()
	case !errors.Is(err, errFound):
		return err
	}
	return p.handOn(mailboxChild(n, span), func() ([]byte, error) { return message(p, span) })
}
