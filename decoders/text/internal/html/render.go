package html

import (
	"errors"
	"io"
	"strconv"
	"strings"
)

// Output takes what Render makes.
type Output struct {
	Write func(text []byte) error // the next piece of the text
	Data  func(value any) error   // a structured part behind the line that was finished last: links
	Table func(value any) error   // the same for a table, whose rows are lines too
}

// Options say what of a page is wanted.
type Options struct {
	ShowHidden bool // text that a person does not see too
	Picture    int  // the picture whose bytes go to Page.Picture, from 1; 0 for none
}

// Page is what is known of a page.
type Page struct {
	Title, Language, Description, Author, Base string

	Links    int  // that lead somewhere
	LinksCut bool // there are more of them than were given
	Pictures []Picture

	Hidden     [reasons]int64 // characters, by the reason for which they are hidden
	HiddenLine int64          // the line at which the first of them would stand

	Picture []byte // the bytes of the picture that was asked for
}

// Picture is a picture that stands in the page itself, as a data URI (RFC 2397).
type Picture struct {
	Name      string // its text
	MediaType string // as it says
	Bytes     int64  // about
}

// MaxOpen is how many elements may be open. Browsers stop nesting at 512 levels; a file that has more than these is made to harm.
const MaxOpen = 1 << 18

// Limits of what is kept of a page.
const (
	maxPictures = 999
	maxMeta     = 2000    // bytes of a fact about the page, and of an address
	maxLinkText = 500     // bytes
	mostLinks   = 1 << 18 // bytes of links that wait for the end of a line
	pieceBytes  = 4 << 10 // of a structured part, about
	flushBytes  = 32 << 10
)

// ErrDepth says that more elements are open than anyone reads.
var ErrDepth = errors.New("html: the nesting is too deep")

// errPicture ends the work when the picture that was asked for is found.
var errPicture = errors.New("html: found")

// Render writes the visible text of the HTML whose pieces next gives. It returns what is known of the page also with an error of Write.
func Render(next func() ([]byte, error), out Output, opt Options) (*Page, error) {
	l := &layout{z: NewTokenizer(next), out: out, opt: opt, page: &Page{}, root: look{paper: 0xffffff, ink: 0}}
	if opt.Picture > 0 {
		l.z.MaxValue = maxPicture
	}
	l.cur = &l.main
	err := l.run()
	if err == errPicture {
		return l.page, nil
	}
	return l.page, err
}

// layout is a page in the making.
type layout struct {
	z    *Tokenizer
	out  Output
	opt  Options
	page *Page
	root look // of the page itself

	main  flow
	cur   *flow // main, or that of a cell
	table *tableState

	stack  []entry
	kept   []entry          // that are to be opened again
	kinds  [words + 1]int32 // how many are open
	names  [256]int32       // the same by the hash of the name
	steps  int              // taken in the stack, all in all
	drops  int              // open elements whose text is not shown
	sheets bool             // there is a style sheet, which nobody reads

	capture *capture // of text that is no text of the page
	strip   bool     // a line end that comes next is none

	link      anchorState
	links     []any
	linkBytes int
	choice    choiceState
}

// capture collects a text that is shown elsewhere, or not at all.
type capture struct{ flow }

func (c *capture) add(b []byte) {
	if len(c.buf) < maxMeta {
		c.text(b)
	}
}

// value is the text, cut to a length that a fact may have.
func (c *capture) value() string { return cut(string(c.buf), maxMeta) }

// cut is s, no longer than most and cut between characters.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && s[most]&0xc0 == 0x80 {
		most--
	}
	return s[:most]
}

// folded is text with its white space folded, cut to a length that a fact may have.
func folded(b []byte) string {
	var c capture
	c.add(b[:min(len(b), 4*maxMeta)])
	return cut(strings.ToValidUTF8(string(c.buf), ""), maxMeta)
}

func (l *layout) run() error {
	for {
		k, err := l.z.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		switch k {
		case Text:
			err = l.text(l.z.Text())
		case StartTag:
			l.strip = false
			err = l.start()
		case EndTag:
			l.strip = false
			err = l.end()
		}
		if err != nil {
			return err
		}
	}
	if err := l.pop(0); err != nil {
		return err
	}
	l.main.end()
	if err := l.flushLinks(true); err != nil {
		return err
	}
	return l.flush()
}

// text takes a piece of text.
func (l *layout) text(b []byte) error {
	if l.strip { // a line end directly behind the start of pre and textarea (13.2.6.4.7)
		l.strip = false
		if b[0] == '\n' {
			b = b[1:]
		}
	}
	if l.capture != nil {
		l.capture.add(b)
		return nil
	}
	if l.drops > 0 || l.kinds[selection] > 0 || l.z.Foreign && l.kinds[words] == 0 {
		return nil
	}
	if l.unseen(b) {
		return nil
	}
	if l.kinds[pre] > 0 || l.kinds[textarea] > 0 {
		l.cur.verbatim(b)
		l.choice.n++
	} else {
		l.cur.text(b)
	}
	if l.kinds[anchor] > 0 {
		l.link.add(b)
	}
	return l.flushFull()
}

// say adds words that stand for an element.
func (l *layout) say(s string) {
	if l.drops > 0 || l.capture != nil || l.kinds[selection] > 0 || l.unseen([]byte(s)) {
		return
	}
	l.cur.text([]byte(s))
	if l.kinds[anchor] > 0 {
		l.link.add([]byte(s))
	}
}

// unseen counts text that a person does not see; false when it is to be shown.
func (l *layout) unseen(b []byte) bool {
	why := l.look().hidden()
	if why == Seen {
		return false
	}
	if n := visible(b); n > 0 {
		l.page.Hidden[why] += n
		if l.page.HiddenLine == 0 {
			l.page.HiddenLine = l.main.lines + 1
		}
	}
	return !l.opt.ShowHidden
}

// look is how text looks now. What stands in a table and in no cell of it stands before the table (13.2.6.1, foster parenting).
func (l *layout) look() *look {
	n := len(l.stack)
	if n > 0 && l.stack[n-1].kind.holdsRows() {
		n = l.find(of(table, table), atNothing)
	}
	if n > 0 {
		return &l.stack[n-1].look
	}
	return &l.root
}

// around is the look that an element of the tag at hand is in.
func (l *layout) around(e element) *look {
	if n := len(l.stack); n > 0 && (e.kind.holdsRows() || e.kind == cell || e.kind == caption) {
		return &l.stack[n-1].look
	}
	return l.look()
}

// flushFull hands on what is written, when it is much.
func (l *layout) flushFull() error {
	if len(l.main.buf) < flushBytes {
		return nil
	}
	return l.flush()
}

func (l *layout) flush() error {
	if len(l.main.buf) == 0 {
		return nil
	}
	err := l.out.Write(l.main.buf)
	l.main.buf = l.main.buf[:0]
	return err
}

// data hands on a structured part to take. The line at hand is finished.
func (l *layout) data(take func(any) error, value any) error {
	if err := l.flush(); err != nil || take == nil {
		return err
	}
	return take(value)
}

// gap asks for the line ends that a block has around it.
func (l *layout) gap(f flags) {
	switch {
	case f&block == 0 || l.drops > 0 || l.capture != nil:
	case l.look().gone != Seen && !l.opt.ShowHidden:
	case l.kinds[heading] > 0: // stays in its line
		l.cur.text([]byte{' '})
	case f&apart != 0 && l.kinds[item] == 0 && !l.inData():
		l.cur.gap(2)
	default:
		l.cur.gap(1)
	}
}

// HiddenCharacters is how many characters a person does not see.
func (p *Page) HiddenCharacters() (n int64) {
	for _, h := range p.Hidden {
		n += h
	}
	return n
}

// HiddenDetail says in words how many characters are hidden, why, and where the first of them would stand.
func (p *Page) HiddenDetail() string {
	s := ""
	for r := Reason(1); r < reasons; r++ {
		n := p.Hidden[r]
		if n == 0 {
			continue
		}
		if s != "" {
			s += "; "
		}
		s += strconv.FormatInt(n, 10) + " character"
		if n != 1 {
			s += "s"
		}
		s += " " + r.String()
	}
	if s == "" {
		return ""
	}
	const most = 160 // of the 200 bytes that a warning may have
	return cut(s, most) + ", first at line " + strconv.FormatInt(p.HiddenLine, 10)
}

// Visible is the visible text of a page that is at hand as a whole, in UTF-8, and how many characters of it a person does not see. What
// cannot be read is left out.
func Visible(page []byte, opt Options) (text []byte, hidden int64) {
	next := func() ([]byte, error) {
		b := page
		page = nil
		if len(b) == 0 {
			return nil, io.EOF
		}
		return b, nil
	}
	found, err := Render(next, Output{Write: func(b []byte) error {
		text = append(text, b...)
		return nil
	}}, opt)
	if err != nil && len(text) == 0 {
		return nil, 0
	}
	return text, found.HiddenCharacters()
}
