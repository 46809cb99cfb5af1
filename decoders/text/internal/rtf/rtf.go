// Package rtf reads RTF (Microsoft's specification 1.9.1; MS-OXRTFEX for mails of Outlook): its text in UTF-8, and the files that lie in it.
//
//	doc, err := rtf.Read(raw, rtf.Sink{Text: emit, Links: links, HTML: show})
//	for i := range doc.Files { … doc.Files[i].Data() … }
//
// There is no recursion: groups are a stack, and what lies too deep is passed over. Nothing in it fails on what a file does wrong; Damaged
// says that something is missing.
package rtf

import (
	"bytes"
	"errors"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/text/transform"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// Sink takes what a document says. All of its functions may be nil.
type Sink struct {
	Hidden bool // text that a reader would not see is wanted too

	Text  func([]byte) error              // a piece of text, valid UTF-8; lines end in LF
	Links func([]Link) error              // of the line that Text has just ended
	HTML  func([]byte) (int64, error)     // writes the text of a page that RTF carries (MS-OXRTFEX); how much of it nobody sees
	Name  func(n int, f *File) (s string) // how a file is named in the text
}

// Link is a hyperlink: what is shown, and where it goes.
type Link struct{ Text, URI string }

// Document is what is known of a document beside its text.
type Document struct {
	Files    []File // in their order; numbered from 1
	Info     []Fact // title, author, … in the order of the file
	Charset  string // label of the document's code page
	Hidden   int64  // characters that a reader would not see
	Replaced int64  // bytes that are no character
	Damaged  bool
}

// Fact is a fact about the document.
type Fact struct{ Key, Value string }

// File is a picture or an object.
type File struct {
	Name      string
	MediaType readapi.MediaType
	Bytes     int64

	raw  []byte
	segs []segment
}

// segment is a run of data: as it is, or in hexadecimal.
type segment struct {
	from, to int
	binary   bool
}

// ErrNotRTF is returned for a file that does not begin as RTF does.
var ErrNotRTF = errors.New("rtf: not RTF")

// What a document may have. Word nests some dozens deep.
const (
	maxDepth    = 5000
	maxFonts    = 10_000
	maxFiles    = 999
	maxSegments = 1000     // of a file
	maxRun      = 8 << 20  // bytes without a control or a character of ASCII
	maxFact     = 4 << 10  // bytes of a title
	maxHTML     = 16 << 20 // bytes of a page
	flushBytes  = 32 << 10
)

// dest is where text goes.
type dest uint8

const (
	body dest = iota
	skip
	fonts
	info   // a group of facts
	fact   // one of them
	moment // a date
	pict
	object // an object around its data and what is shown in its place
	data   // of an object
	class  // the name of an object's class
	inst   // a field's instruction
	codePage
)

// group is what a brace opens and its partner restores.
type group struct {
	dest  dest
	outer dest // one more than the destination around \upr
	font  int
	uc    int // characters that stand for one of \u
	look
	rtf   bool // within \htmlrtf: RTF that the page does not have
	table bool
	note  byte // what ends with the group: 'n' a note in brackets, 'l' a note on a line of its own, 'p' a picture, 'o' an object, 'f' a field, 'r' its result, 't' a fact
}

// reader is a document in the making.
type reader struct {
	sink Sink
	doc  *Document
	raw  []byte
	pos  int

	group
	stack   []group
	tooDeep int  // groups that are open above the stack
	first   bool // the group has just begun
	star    bool // behind \*

	label   string // of the code page
	palette palette
	papered bool // the pages have a background
	rowed   bool // the row of a table has begun
	fonts   map[int]font
	fontNow int
	font0   int

	run      []byte // of one charset, not converted yet
	runLabel string
	decoder  transform.Transformer // of decLabel
	decLabel string
	buf      []byte // of what it makes
	high     rune   // the first half of a pair
	skipping int    // characters that stand for a \u

	out   []byte
	atBOL bool
	cells int // that are not written yet

	html     bool // the document carries a page
	page     []byte
	text     []byte // of the fact, field or class at hand
	date     [6]int
	key      string
	file     File
	links    []Link
	uris     []string // of the fields that are open
	linkFrom []int    // where in linkText their result begins
	linkText []byte
	err      error
}

// Read reads a document.
func Read(raw []byte, sink Sink) (*Document, error) {
	start := len(raw) - len(bytes.TrimLeft(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")), " \t\r\n\x00"))
	if !bytes.HasPrefix(raw[start:], []byte(`{\rtf`)) {
		return nil, ErrNotRTF
	}
	r := &reader{
		sink: sink, doc: &Document{}, raw: raw, pos: start, label: "windows-1252", fonts: map[int]font{}, atBOL: true, font0: -1,
	}
	r.uc = 1
	r.font = -1
	for r.err == nil && r.pos < len(raw) {
		if r.step() {
			break
		}
	}
	r.finish()
	r.doc.Charset = r.label
	return r.doc, r.err
}

// step reads what is at pos; done means that the document is over.
func (r *reader) step() (done bool) {
	switch c := r.raw[r.pos]; c {
	case '{':
		r.pos++
		r.open()
	case '}':
		r.pos++
		return r.shut()
	case '\\':
		r.pos++
		r.control()
	case '\r', '\n':
		r.pos++
	default:
		r.plain()
	}
	return false
}

// open begins a group.
func (r *reader) open() {
	r.skipping = 0
	if len(r.stack) == maxDepth {
		r.tooDeep++
		r.doc.Damaged = true
		return
	}
	r.endRun()
	r.stack = append(r.stack, r.group)
	r.note = 0
	r.first, r.star = true, false
}

// shut ends a group; done is true for the document's.
func (r *reader) shut() (done bool) {
	r.skipping = 0
	if r.tooDeep > 0 {
		r.tooDeep--
		return false
	}
	r.endRun()
	if len(r.stack) == 0 {
		r.doc.Damaged = true
		return false
	}
	r.close()
	r.group = r.stack[len(r.stack)-1]
	r.stack = r.stack[:len(r.stack)-1]
	r.first, r.star = false, false
	if len(r.stack) > 0 {
		return false
	}
	if rest := bytes.Trim(r.raw[r.pos:], " \t\r\n\x00\x1a"); len(rest) > 0 && !bytes.HasPrefix(rest, []byte("{")) {
		r.doc.Damaged = true // a brace too many: what follows is text
		r.stack = append(r.stack, r.group)
		return false
	}
	return true
}

// finish ends the document, whatever is open.
func (r *reader) finish() {
	r.endRun()
	if len(r.stack) > 0 && r.pos >= len(r.raw) {
		for len(r.stack) > 0 {
			r.close()
			r.group = r.stack[len(r.stack)-1]
			r.stack = r.stack[:len(r.stack)-1]
		}
		r.doc.Damaged = true
	}
	r.cells = 0
	if r.html && r.err == nil && r.sink.HTML != nil {
		r.flush()
		var hidden int64
		hidden, r.err = r.sink.HTML(r.page)
		r.doc.Hidden += hidden
		return
	}
	if !r.atBOL {
		r.newline()
	}
	r.flush()
}

// plain takes a run of bytes that are neither braces nor controls.
func (r *reader) plain() {
	from := r.pos
	for r.pos < len(r.raw) {
		if c := r.raw[r.pos]; c == '{' || c == '}' || c == '\\' || c == '\r' || c == '\n' {
			break
		}
		r.pos++
	}
	b := r.raw[from:r.pos]
	if r.skipping > 0 {
		n := min(r.skipping, len(b))
		r.skipping -= n
		b = b[n:]
		from += n
	}
	if len(b) == 0 || r.tooDeep > 0 {
		return
	}
	r.first = false
	switch r.dest {
	case skip:
	case pict, data:
		r.segment(from, r.pos, false)
	default:
		r.bytes(b)
	}
}

// segment notes data of a file.
func (r *reader) segment(from, to int, binary bool) {
	segs := r.file.segs
	if n := len(segs); n > 0 && !binary && !segs[n-1].binary && len(bytes.Trim(r.raw[segs[n-1].to:from], "\r\n")) == 0 {
		segs[n-1].to = to
		return
	}
	if len(segs) == maxSegments {
		r.doc.Damaged = true
		return
	}
	r.file.segs = append(segs, segment{from, to, binary})
}

// control reads a control word or symbol; the backslash is behind.
func (r *reader) control() {
	if r.pos == len(r.raw) {
		return
	}
	c := r.raw[r.pos]
	if c < 'a' || c > 'z' {
		if c < 'A' || c > 'Z' {
			r.pos++
			r.symbol(c)
			return
		}
	}
	from := r.pos
	for r.pos < len(r.raw) && r.pos-from < 40 && letter(r.raw[r.pos]) {
		r.pos++
	}
	name := r.raw[from:r.pos]
	value, has := r.number()
	if r.pos < len(r.raw) && r.raw[r.pos] == ' ' {
		r.pos++
	}
	if string(name) == "bin" {
		r.binary(value)
		return
	}
	if r.skipping > 0 {
		r.skipping--
		return
	}
	if r.tooDeep > 0 {
		return
	}
	first, star := r.first, r.star
	r.first, r.star = false, false
	r.word(unsafe.String(unsafe.SliceData(name), len(name)), value, has, first || star, star)
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// number reads the parameter of a control word.
func (r *reader) number() (value int, has bool) {
	at := r.pos
	negative := at < len(r.raw) && r.raw[at] == '-'
	if negative {
		at++
	}
	for at < len(r.raw) && r.raw[at] >= '0' && r.raw[at] <= '9' {
		if value < 1<<30/10 {
			value = value*10 + int(r.raw[at]-'0')
		}
		at++
		has = true
		r.pos = at
	}
	if negative {
		value = -value
	}
	return value, has
}

// binary takes the n bytes behind \bin.
func (r *reader) binary(n int) {
	to := min(len(r.raw), r.pos+max(0, n))
	if n > len(r.raw)-r.pos {
		r.doc.Damaged = true
	}
	if r.tooDeep == 0 && (r.dest == pict || r.dest == data) {
		r.segment(r.pos, to, true)
	}
	r.pos = to
}

// symbol takes a control symbol.
func (r *reader) symbol(c byte) {
	if r.tooDeep > 0 {
		return
	}
	if c == '\'' {
		if r.pos+2 > len(r.raw) || unhex(r.raw[r.pos]) < 0 || unhex(r.raw[r.pos+1]) < 0 {
			r.doc.Damaged = true
			return
		}
		b := byte(unhex(r.raw[r.pos])<<4 | unhex(r.raw[r.pos+1]))
		r.pos += 2
		if r.skipping > 0 {
			r.skipping--
			return
		}
		r.first = false
		r.bytes([]byte{b})
		return
	}
	if r.skipping > 0 && c != '*' {
		r.skipping--
		return
	}
	switch c {
	case '*':
		r.star = true
		return
	case '\\', '{', '}':
		r.bytes([]byte{c})
	case '~':
		r.rune('\u00a0')
	case '_':
		r.rune('\u2011')
	case '\r', '\n': // the same as \par
		r.word("par", 0, false, false, false)
	case '\t':
		r.rune('\t')
	}
	r.first = false
}

// unhex is the value of a hexadecimal digit, -1 of anything else.
func unhex(c byte) int { return int(hexDigits[c]) - 1 }

var hexDigits = [256]byte{
	'0': 1, '1': 2, '2': 3, '3': 4, '4': 5, '5': 6, '6': 7, '7': 8, '8': 9, '9': 10,
	'a': 11, 'b': 12, 'c': 13, 'd': 14, 'e': 15, 'f': 16, 'A': 11, 'B': 12, 'C': 13, 'D': 14, 'E': 15, 'F': 16,
}

// bytes takes text in the charset of its font.
func (r *reader) bytes(b []byte) {
	r.unpaired()
	label := r.charset()
	if label != r.runLabel {
		r.endRun()
		r.runLabel = label
	}
	r.run = append(r.run, b...)
	if len(r.run) > flushBytes && b[len(b)-1] < utf8.RuneSelf || len(r.run) > maxRun {
		r.endRun()
	}
}

// rune takes a character.
func (r *reader) rune(c rune) {
	r.endRun()
	var buf [utf8.UTFMax]byte
	r.put(buf[:utf8.EncodeRune(buf[:], c)])
}

// unicode takes the character of \u, whose number is one of 16 bits with a sign; characters beyond come as pairs.
func (r *reader) unicode(n int) {
	if n < 0 {
		n += 1 << 16
	}
	r.skipping = r.uc
	if r.run != nil {
		r.convertRun()
	}
	switch {
	case n&^0x3ff == 0xd800:
		r.unpaired()
		r.high = rune(n)
	case n&^0x3ff == 0xdc00 && r.high != 0:
		c := (r.high-0xd800)<<10 | rune(n-0xdc00) + 0x10000
		r.high = 0
		r.rune(c)
	case n > utf8.MaxRune, n&^0x3ff == 0xdc00, n < 0:
		r.doc.Replaced++
		r.rune(utf8.RuneError)
	case n >= 0xf000 && n <= 0xf0ff: // a byte of a symbol font
		r.unpaired()
		switch r.charset() {
		case symbolLabel:
			r.put(pictures([]byte{byte(n)}))
		case greekLabel:
			r.put(greek([]byte{byte(n)}))
		default:
			r.rune(rune(n))
		}
	default:
		r.unpaired()
		r.rune(rune(n))
	}
}

// unpaired gives up on a first half without its second.
func (r *reader) unpaired() {
	if r.high != 0 {
		r.high = 0
		r.doc.Replaced++
		r.put([]byte("\uFFFD"))
	}
}

// endRun converts what text waits for its charset.
func (r *reader) endRun() {
	r.unpaired()
	r.convertRun()
}
