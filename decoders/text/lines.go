package text

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// maxLineBytes bounds a line that spans chunks, and so the decoder's memory: the line, its growth and its frame take about five times as
// much. It is above what one answer carries, so that every line of an answer's size can be read by cursors.
const maxLineBytes = 32 << 20

// lines splits text into lines, counts, and hands those that are selected to the writer.
type lines struct {
	req  *readapi.Request
	w    *pdk.Writer
	from int64 // first line that the answer may have
	last int64 // last line that the answer may have
	all  bool  // every line is wanted

	most  int       // characters of a line that are shown, 0: all
	strip *stripper // of the escapes of terminals; nil where they stay

	carry []byte // of the line that is not finished yet, when it is wanted
	over  int64  // characters behind carry that are only counted
	open  bool   // the line has bytes already
	cr    bool   // a CR follows them that may be half of a CRLF

	count  int64 // lines begun
	done   bool  // nothing more is wanted
	full   bool  // the writer has no room for more
	hidden hiddenCount

	lfs, crlfs, crs int64
}

func newLines(req *readapi.Request, w *pdk.Writer) *lines {
	l := &lines{
		req: req, w: w, from: max(1, req.Start.At), last: readapi.LastSelected(req.Units), all: len(req.Units) == 0 && req.Start.At <= 1,
	}
	if req.Form != readapi.FormSource {
		l.strip = &stripper{}
	}
	return l
}

// capped shows no more than the beginning of long lines, unless a single line was asked for or the source.
func (l *lines) capped() *lines {
	alone := len(l.req.Units) == 1 && l.req.Units[0].From == l.req.Units[0].To
	if l.req.Form != readapi.FormSource && !alone {
		l.most = mostShown
	}
	return l
}

// mostShown is how many characters of a line are shown: about a page of prose, and a hundredth of what one answer holds, so that a minified
// file or a log of objects leaves room for the other lines.
const mostShown = 2000

// feed takes the next piece of text. When the answer is full it goes on counting.
func (l *lines) feed(b []byte) error { return l.feedLooked(b, look(b)) }

// feedLooked is feed with what a look at the piece told.
func (l *lines) feedLooked(b []byte, f facts) error {
	if l.strip != nil && (l.strip.state != ansiGround || f.odd && bytes.IndexByte(b, escape) >= 0) {
		b = l.strip.filter(b)
		f = look(b)
	}
	return l.take(b, f)
}

func (l *lines) take(b []byte, f facts) error {
	if len(b) == 0 {
		return nil
	}
	b, err := l.resume(b, &f)
	if err != nil {
		return err
	}
	start := 0
	if f.lfs > 0 && f.crs == f.crlfs {
		if start, err = l.ahead(b, f); err != nil {
			return err
		}
	}
	nextCR, nextLF := index(b, '\r', start), index(b, '\n', start) // each is searched for once: a text may have none of the other
	for start < len(b) {
		i := nextLF
		switch {
		case nextCR < i && nextCR == len(b)-1: // the next chunk says whether it is half of a CRLF
			l.cr = true
			return l.grow(b[start:nextCR])
		case nextCR < i-1:
			i = nextCR
			l.crs++
		case nextCR == i-1 && i < len(b):
			l.crlfs++
		case i < len(b):
			l.lfs++
		default:
			return l.grow(b[start:])
		}
		stop := i + 1
		if nextCR < stop {
			nextCR = index(b, '\r', stop)
		}
		if nextLF < stop {
			nextLF = index(b, '\n', stop)
		}
		if err := l.end(b[start:stop]); err != nil {
			return err
		}
		start = stop
	}
	return nil
}

// resume ends a line whose CR the chunk before ended in, and counts what is hidden.
func (l *lines) resume(b []byte, f *facts) ([]byte, error) {
	if l.cr {
		l.cr = false
		end := crlf[:1]
		if b[0] == '\n' {
			end, b = crlf, b[1:]
			l.crlfs++
			f.lfs--
		} else {
			l.crs++
		}
		if err := l.end(end); err != nil {
			return nil, err
		}
	}
	if !f.odd {
		l.hidden.keep(b)
		return b, nil
	}
	finished := l.count
	if l.open {
		finished--
	}
	l.hidden.add(b, finished)
	return b, nil
}

// ahead takes whole lines of b, all of which end in LF or CRLF, as far as they can go together, and returns how long they are.
func (l *lines) ahead(b []byte, f facts) (n int, err error) {
	if l.open {
		n = bytes.IndexByte(b, '\n') + 1
		f.lfs--
		if n > 1 && b[n-2] == '\r' {
			l.crlfs++
			f.crlfs--
		} else {
			l.lfs++
		}
		if err := l.end(b[:n]); err != nil {
			return n, err
		}
	}
	if f.lfs == 0 {
		return n, nil
	}
	lines := b[n : bytes.LastIndexByte(b, '\n')+1]
	ok, err := l.together(lines, f)
	if !ok || err != nil {
		return n, err
	}
	l.count += f.lfs
	l.lfs += f.lfs - f.crlfs
	l.crlfs += f.crlfs
	l.done = l.done || l.count > l.last
	return n + len(lines), nil
}

// together counts or emits the lines that f counts; not ok when they have to go one by one.
func (l *lines) together(b []byte, f facts) (ok bool, err error) {
	if l.done {
		return true, nil
	}
	next, more := readapi.NextSelected(l.req.Units, max(l.from, l.count+1))
	switch {
	case !more || next > l.count+f.lfs:
		return true, nil // none of them is wanted
	case len(l.req.Units) > 0 || l.count < l.from || l.most > 0 && f.long && longest(b) > l.most:
		return false, nil
	}
	text := unsafe.String(unsafe.SliceData(b), len(b))
	if f.odd {
		return l.w.Lines(l.count+1, f.lfs, text)
	}
	return l.w.PlainLines(l.count+1, f.lfs, text)
}

// longest is the length of the longest line of b.
func longest(b []byte) (most int) {
	for len(b) > 0 {
		n := index(b, '\n', 0)
		most = max(most, n)
		b = b[min(n+1, len(b)):]
	}
	return most
}

var crlf = []byte("\r\n")

// index returns where c is in b from start on, len(b) if it is not.
func index(b []byte, c byte, start int) int {
	if i := bytes.IndexByte(b[start:], c); i >= 0 {
		return start + i
	}
	return len(b)
}

// finish ends the text: what is left is a line without an end.
func (l *lines) finish() error {
	if l.strip != nil {
		rest := l.strip.rest()
		if err := l.take(rest, look(rest)); err != nil {
			return err
		}
	}
	if err := l.settle(); err != nil || !l.open {
		return err
	}
	return l.end(nil)
}

// settle ends the line whose CR no LF follows.
func (l *lines) settle() error {
	if !l.cr {
		return nil
	}
	l.cr = false
	l.crs++
	return l.end(crlf[:1])
}

// begin counts the line that the next byte belongs to.
func (l *lines) begin() {
	if !l.open {
		l.open = true
		l.count++
		l.done = l.done || l.count > l.last
	}
}

// wanted reports whether the line begun belongs to the answer.
func (l *lines) wanted() bool {
	return !l.done && (l.all || l.count >= l.from && readapi.Selected(l.req.Units, l.count))
}

// wantedLast reports whether the line that was finished last belongs to the answer.
func (l *lines) wantedLast() bool {
	return !l.full && l.count > 0 && l.count >= l.from && (len(l.req.Units) == 0 || readapi.Selected(l.req.Units, l.count))
}

// grow keeps the beginning of a line.
func (l *lines) grow(b []byte) error {
	l.begin()
	if !l.wanted() {
		return nil
	}
	if l.most > 0 {
		room := max(0, l.most*utf8.UTFMax-len(l.carry))
		if l.over > 0 {
			room = 0
		}
		if room < len(b) {
			for room > 0 && !utf8.RuneStart(b[room]) {
				room--
			}
			l.over += int64(utf8.RuneCount(b[room:]))
			b = b[:room]
		}
	}
	if size := int64(len(l.carry) + len(b)); size > maxLineBytes {
		return pdk.OverLimit(readapi.CodeLimitOutput, "max_line_bytes", maxLineBytes, size)
	}
	l.carry = append(l.carry, b...)
	return nil
}

// end finishes a line with tail, its line end included, and emits it.
func (l *lines) end(tail []byte) error {
	l.begin()
	l.open = false
	if !l.wanted() {
		return nil
	}
	over := l.over
	l.over = 0
	if len(l.carry) > 0 {
		if over > 0 { // nothing but the line end is to be had behind it
			body := bytes.TrimRight(tail, "\r\n")
			over += int64(utf8.RuneCount(body))
			tail = tail[len(body):]
		}
		l.carry = append(l.carry, tail...)
		tail = l.carry
		l.carry = l.carry[:0]
	}
	// The writer copies what it keeps.
	line := unsafe.String(unsafe.SliceData(tail), len(tail))
	var err error
	if shown, cut := l.shorten(line, over); cut {
		err = l.w.LineCut(l.count, shown)
	} else {
		err = l.w.Line(l.count, line)
	}
	l.full = errors.Is(err, pdk.ErrFull)
	l.done = l.full || l.count >= l.last
	if l.full {
		return nil
	}
	return err
}

// shorten returns what is shown of a line that has over characters more than line has, and whether that is not all.
func (l *lines) shorten(line string, over int64) (shown string, cut bool) {
	if l.most == 0 || len(line) <= l.most && over == 0 {
		return "", false
	}
	body := strings.TrimRight(line, "\r\n")
	at, n := 0, 0
	for ; at < len(body) && n < l.most; n++ {
		_, size := utf8.DecodeRuneInString(body[at:])
		at += size
	}
	if at == len(body) && over == 0 {
		return "", false
	}
	if border := readapi.CutGrapheme(body, at); border > 0 {
		at = border
	}
	more := over + int64(utf8.RuneCountInString(body[at:]))
	return body[:at] + "… [" + strconv.FormatInt(more, 10) + " more characters; read line " + strconv.FormatInt(l.count, 10) + " alone to see them]" + line[len(body):], true
}

// newline names the line end that the text uses.
func (l *lines) newline() string {
	switch {
	case l.lfs+l.crlfs+l.crs == 0:
		return "none"
	case l.crlfs+l.crs == 0:
		return "lf"
	case l.lfs+l.crs == 0:
		return "crlf"
	case l.lfs+l.crlfs == 0:
		return "cr"
	}
	return "mixed"
}
