package mail

import (
	"bytes"
	"errors"
	"io"
)

// ReaderAt is a file that is read by ranges.
type ReaderAt interface {
	io.ReaderAt
	Size() int64
}

// Span is where a message of a mailbox lies: without its From_ line and the blank line behind it.
type Span struct{ From, To int64 }

// windowBytes is how much of a mailbox is looked at at a time, aheadBytes how much of it has to be behind a line that may begin a message.
const (
	windowBytes = 256 << 10
	aheadBytes  = 4 << 10
)

// ErrNotMailbox is returned by Split, before it has found a message, for a file that does not begin with a From_ line.
var ErrNotMailbox = errors.New("mail: not a mailbox")

// Split finds the messages of a mailbox (RFC 4155, appendix A) one after the other. Content-Length is not believed: where it is wrong, and it
// often is, messages would run into each other.
func Split(in ReaderAt, each func(s Span) error) error {
	w := window{in: in, buf: make([]byte, 0, min(in.Size(), windowBytes))}
	if err := w.fill(0); err != nil {
		return err
	}
	start := len(w.buf) - len(bytes.TrimLeft(bytes.TrimPrefix(w.buf, []byte("\xef\xbb\xbf")), " \t\r\n"))
	if !bytes.HasPrefix(w.buf[start:], []byte("From ")) {
		return ErrNotMailbox
	}
	from, err := w.lineAfter(int64(start))
	if err != nil {
		return err
	}
	for {
		at, err := w.next(from)
		if err != nil {
			return err
		}
		end, err := w.withoutBlank(from, at)
		if err != nil {
			return err
		}
		if err := each(Span{from, end}); err != nil || at == in.Size() {
			return err
		}
		if from, err = w.lineAfter(at); err != nil {
			return err
		}
	}
}

// window is a piece of a file.
type window struct {
	in   ReaderAt
	base int64
	buf  []byte
}

// fill makes the window begin at off.
func (w *window) fill(off int64) error {
	buf := w.buf[:min(int64(cap(w.buf)), w.in.Size()-off)]
	n, err := w.in.ReadAt(buf, off)
	if err != nil && !(errors.Is(err, io.EOF) && n == len(buf)) {
		return err
	}
	w.base, w.buf = off, buf[:n]
	return nil
}

// end reports whether the window reaches the end of the file.
func (w *window) end() bool { return w.base+int64(len(w.buf)) == w.in.Size() }

// seek makes sure that the window has what is around off: a few bytes before it and aheadBytes behind.
func (w *window) seek(off int64) error {
	const before = 4
	if off-before >= w.base && (off+aheadBytes <= w.base+int64(len(w.buf)) || w.end()) || off >= w.base && w.base == 0 && w.end() {
		return nil
	}
	return w.fill(max(0, off-before))
}

// lineAfter returns where the line at off ends.
func (w *window) lineAfter(off int64) (int64, error) {
	for {
		if err := w.seek(off); err != nil {
			return 0, err
		}
		rest := w.buf[off-w.base:]
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			return off + int64(i) + 1, nil
		}
		if w.end() {
			return w.in.Size(), nil
		}
		off += int64(len(rest))
	}
}

// next returns where the next message's From_ line begins at or behind from, which begins a line; the file's size without one.
func (w *window) next(from int64) (int64, error) {
	for off := from; ; {
		if err := w.seek(off); err != nil {
			return 0, err
		}
		rest := w.buf[off-w.base:]
		i := bytes.Index(rest, []byte("From "))
		switch {
		case i < 0 && w.end():
			return w.in.Size(), nil
		case i < 0:
			off += int64(len(rest) - len("From "))
			continue
		case i+aheadBytes > len(rest) && !w.end() && i > 0:
			off += int64(i)
			continue // with what follows it in the window
		}
		at := off + int64(i)
		if at == from || w.buf[at-w.base-1] == '\n' {
			if begins(w.buf[max(0, at-w.base-4):at-w.base], w.buf[at-w.base:]) {
				return at, nil
			}
		}
		off = at + 1
	}
}

// begins reports whether the line at the beginning of text is a From_ line; before is what stands in front of it. The line alone does not say:
// letters have lines that begin so, and not all programs quote them. It has a date, and a blank line before it or a header behind it; without
// a date it needs an address and both.
func begins(before, text []byte) bool {
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	line = bare(line)
	if len(line) > 1000 {
		return false
	}
	sender, date, _ := bytes.Cut(bytes.TrimLeft(line[len("From "):], " "), []byte(" "))
	dated := ParseDate(string(date)) != ""
	blank := len(before) == 0 || bytes.HasSuffix(before, []byte("\n\n")) || bytes.HasSuffix(before, []byte("\n\r\n"))
	next, _, _ := bytes.Cut(rest, []byte("\n"))
	name, _ := fieldName(bare(next))
	header := name != "" || bytes.HasPrefix(next, []byte(">From "))
	if dated {
		return blank || header
	}
	return blank && header && bytes.IndexByte(sender, '@') > 0
}

// withoutBlank returns the end of a message without the blank line that a mailbox puts behind it.
func (w *window) withoutBlank(from, to int64) (int64, error) {
	if to == w.in.Size() {
		return to, nil
	}
	if err := w.seek(to); err != nil {
		return 0, err
	}
	tail := w.buf[max(0, max(from, to-4)-w.base) : to-w.base]
	switch {
	case bytes.HasSuffix(tail, []byte("\n\r\n")):
		return to - 2, nil
	case bytes.HasSuffix(tail, []byte("\n\n")), len(tail) == 1 && tail[0] == '\n':
		return to - 1, nil
	}
	return to, nil
}

// Unquote takes back, in place, what a mailbox did to lines that look like From_ lines: one of the brackets before "From " goes.
func Unquote(msg []byte) []byte {
	n, kept := 0, 0
	for pos := 0; pos < len(msg); {
		k := bytes.Index(msg[pos:], []byte(">From "))
		if k < 0 {
			break
		}
		at := pos + k
		first := at
		for first > kept && msg[first-1] == '>' {
			first--
		}
		pos = at + 1
		if first == 0 || msg[first-1] == '\n' {
			n += copy(msg[n:], msg[kept:at])
			kept = at + 1
		}
	}
	return msg[:n+copy(msg[n:], msg[kept:])]
}

// Summary is the line by which a mailbox lists a message: its date, sender and subject. raw is the message's beginning.
func Summary(raw []byte) string {
	fields, _ := parseHeader(raw, 0, len(raw))
	m := Message{head: &header{fields: fields}}
	date := m.Field("date")
	if iso := ParseDate(date); iso != "" {
		date = iso
	}
	from := ""
	if all := m.Addresses("from"); len(all) > 0 {
		from = all[0].String()
	}
	out := ""
	for _, s := range [...]string{date, from, m.Field("subject")} {
		if s == "" {
			continue
		}
		if out != "" {
			out += " | "
		}
		out += s
	}
	return out
}
