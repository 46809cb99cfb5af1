package html

import (
	"strconv"
	"strings"
)

// start takes a start tag.
func (l *layout) start() error {
	name := l.z.Name()
	e := lookup(name)
	if l.z.Foreign {
		if e.flags&breaksOut != 0 && string(name) != "image" {
			if err := l.breakOut(); err != nil {
				return err
			}
		} else if e.kind != svg && e.kind != math {
			e = foreign(name)
		}
	}
	if (l.z.Foreign || l.z.XML) && l.z.SelfClosing() {
		e.flags |= alone
	}
	hash := nameHash(name)
	if err := l.implied(e); err != nil {
		return err
	}
	if l.kinds[table] == 0 && (e.kind == caption || e.kind == cells || e.kind == row || e.kind == cell) { // ignored (13.2.6.4.7)
		l.gap(block)
		return nil
	}
	if e.kind == style || e.kind == link && isStyleSheet(l.z.Attr("rel")) {
		l.sheet()
	}
	lk := l.styled(e)
	l.facts(e)
	if e.flags&alone != 0 {
		return l.single(e, lk)
	}
	l.before(e, &lk)
	hides := l.hides(e, lk)
	if err := l.push(e, hash, lk); err != nil {
		return err
	}
	l.stack[len(l.stack)-1].hides = hides
	return l.inside(e)
}

// hides returns why the element at hand would hide text wherever it stood.
func (l *layout) hides(e element, lk look) Reason {
	if lk.hidden() == Seen {
		return Seen
	}
	if l.around(e).hidden() == Seen {
		return lk.hidden()
	}
	if l.z.Attr("hidden") != nil || e.kind == dialog && l.z.Attr("open") == nil {
		return NotRendered
	}
	alone := look{ink: unknown, paper: unknown}
	alone.apply(string(l.z.Attr("style")))
	return alone.hidden()
}

// breakOut ends SVG and MathML, in which an element of HTML cannot be (13.2.6.5).
func (l *layout) breakOut() error {
	i := len(l.stack)
	for i > 0 && l.stack[i-1].alien {
		i--
	}
	return l.pop(i)
}

// implied closes what the beginning of e ends.
func (l *layout) implied(e element) (err error) {
	if e.flags&closesP != 0 && l.kinds[paragraph] > 0 {
		if err = l.closeFirst(paragraph, paragraph, atButton); err != nil {
			return err
		}
	}
	switch e.kind {
	case item:
		err = l.closeFirst(item, item, atList)
	case label, definition:
		err = l.closeFirst(label, definition, atList)
	case anchor:
		if l.kinds[anchor] > 0 {
			err = l.endFormatting(of(anchor, anchor))
		}
	case heading:
		if n := len(l.stack); n > 0 && l.stack[n-1].kind == heading {
			err = l.pop(n - 1)
		}
	case option:
		if n := len(l.stack); n > 0 && l.stack[n-1].kind == option {
			err = l.pop(n - 1)
		}
	case selection:
		err = l.closeFirst(selection, selection, atScope)
	case button:
		err = l.closeFirst(button, button, atScope)
	case ruby:
		err = l.closeFirst(ruby, ruby, atBarrier)
	case table:
		if l.kinds[table] > 0 { // one table is in another only where it is in a cell of it
			i := l.find(func(e *entry) bool {
				return e.kind == table || e.kind == cell || e.kind == caption || e.flags&scope != 0
			}, atNothing)
			if i >= 0 && l.stack[i].kind == table {
				err = l.pop(i)
			}
		}
	case caption, cells, row, cell:
		if l.kinds[table] > 0 {
			err = l.impliedTable(e.kind)
		}
	}
	return err
}

// impliedTable makes a table ready for a new part (13.2.6.4.9 to 13.2.6.4.15): it closes what does not lead to its place, and opens the
// section and the row that are not written.
func (l *layout) impliedTable(k kind) error {
	n := l.find(of(table, table), atNothing) + 1
	if k == caption || k == cells {
		return l.pop(n)
	}
	if n == len(l.stack) || l.stack[n].kind != cells {
		if err := l.pop(n); err != nil {
			return err
		}
		if err := l.push(element{cells, barrier, 0}, nameHash([]byte("tbody")), l.stack[n-1].look); err != nil {
			return err
		}
	}
	n++
	if k == row {
		return l.pop(n)
	}
	if n == len(l.stack) || l.stack[n].kind != row {
		if err := l.pop(n); err != nil {
			return err
		}
		if err := l.push(element{row, barrier, 0}, nameHash([]byte("tr")), l.stack[n-1].look); err != nil {
			return err
		}
		if err := l.startRow(); err != nil {
			return err
		}
	}
	return l.pop(n + 1)
}

func isStyleSheet(rel []byte) bool {
	return strings.Contains(strings.ToLower(string(rel)), "stylesheet")
}

// sheet notes that there is a style sheet: the colours that the page begins with are not known any more.
func (l *layout) sheet() {
	if l.sheets {
		return
	}
	l.sheets = true
	l.root.ink, l.root.paper = unknown, unknown
	for i := range l.stack {
		l.stack[i].look.ink, l.stack[i].look.paper = unknown, unknown
	}
}

// styled is how what is in the element of the tag at hand looks.
func (l *layout) styled(e element) look {
	lk := *l.around(e)
	if l.sheets && (l.z.Attr("class") != nil || l.z.Attr("id") != nil) {
		lk.ink, lk.paper = unknown, unknown
	}
	switch {
	case e.kind == body || e.kind == cell || e.kind == row || e.kind == table:
		if v := l.z.Attr("bgcolor"); v != nil {
			lk.paper = legacyColour(string(v))
		}
		if l.z.Attr("background") != nil {
			lk.paper = unknown
		}
		if v := l.z.Attr("text"); v != nil && e.kind == body {
			lk.ink = legacyColour(string(v))
		}
	case e.flags&formatting != 0:
		if v := l.z.Attr("color"); v != nil {
			lk.ink = legacyColour(string(v))
		}
	}
	if e.kind == anchor { // links have a colour of their own
		lk.ink = unknown
	}
	if e.kind == svg { // in which letters are drawn in another colour, on what was drawn before
		lk.ink, lk.paper = unknown, unknown
	}
	if l.z.Foreign {
		l.presentation(e, &lk)
	}
	if v := l.z.Attr("style"); v != nil {
		lk.apply(string(v))
	}
	if lk.gone == Seen && (l.z.Attr("hidden") != nil || e.kind == dialog && l.z.Attr("open") == nil) {
		lk.gone = NotRendered
	}
	return lk
}

// facts takes what a tag says about the page.
func (l *layout) facts(e element) {
	p := l.page
	switch e.kind {
	case page:
		for _, a := range [...]string{"lang", "xml:lang"} {
			if v := folded(l.z.Attr(a)); v != "" && p.Language == "" {
				p.Language = v
			}
		}
	case base:
		if v := folded(l.z.Attr("href")); p.Base == "" {
			p.Base = v
		}
	case meta:
		name := string(l.z.Attr("name"))
		if name == "" {
			name = string(l.z.Attr("property"))
		}
		switch v := folded(l.z.Attr("content")); strings.ToLower(name) {
		case "description":
			p.Description = v
		case "og:description":
			if p.Description == "" {
				p.Description = v
			}
		case "author":
			p.Author = v
		}
	}
}

// single shows an element without content.
func (l *layout) single(e element, lk look) error {
	l.stack = append(l.stack, entry{look: lk, element: element{kind: other}}) // for as long as it is looked at
	l.kinds[other]++
	switch e.kind {
	case lineBreak:
		if l.drops == 0 && (lk.gone == Seen || l.opt.ShowHidden) {
			l.lineBreak()
		}
	case rule:
		l.gap(e.flags)
		if !l.inData() {
			l.say("---")
		}
		l.gap(e.flags)
	case image:
		if err := l.image(); err != nil {
			return err
		}
	case input:
		l.input()
	case area, frame:
		l.point(e.kind)
	}
	l.stack = l.stack[:len(l.stack)-1]
	l.kinds[other]--
	return l.flushFull()
}

func (l *layout) lineBreak() {
	switch {
	case l.drops > 0 || l.capture != nil:
	case l.kinds[heading] > 0, l.kinds[anchor] > 0 && l.cur.feeds > 0:
		l.cur.text([]byte{' '})
	case l.kinds[pre] > 0:
		l.cur.verbatim(newline)
	default:
		l.cur.line()
		l.link.add([]byte{' '})
	}
}

// before writes what stands before the content of an element. The element is not open yet.
func (l *layout) before(e element, lk *look) {
	if lk.gone != Seen && !l.opt.ShowHidden {
		return
	}
	l.gap(e.flags)
}

// inside begins the content of an element, which is open now.
func (l *layout) inside(e element) error {
	top := &l.stack[len(l.stack)-1]
	switch e.kind {
	case title:
		if l.capture == nil && (l.z.Foreign || l.page.Title == "") {
			l.capture = &capture{}
		}
	case frame:
		l.point(e.kind)
	case image:
		return l.image()
	case table:
		return l.startTable()
	case row:
		return l.startRow()
	case cell:
		return l.startCell()
	case pre, textarea:
		l.strip = true
		if e.kind == textarea {
			l.startTextarea()
		}
	case option:
		l.startOption()
	case selection:
		l.choice = choiceState{many: l.z.Attr("multiple") != nil}
	}
	if l.drops > 0 || l.capture != nil || top.look.gone != Seen && !l.opt.ShowHidden {
		return nil
	}
	switch e.kind {
	case heading:
		if l.kinds[heading] == 1 && !l.inData() {
			l.cur.mark("######"[:e.level]+" ", false)
		}
	case unorderedList, orderedList:
		top.number = 1
		if n, err := strconv.ParseInt(string(l.z.Attr("start")), 10, 32); err == nil {
			top.number = int32(n)
		}
	case item:
		l.cur.mark(l.itemMark(), true)
	case definition:
		l.cur.indent("  ")
	case blockquote:
		l.cur.indent("> ")
	case anchor:
		l.startLink(l.z.Attr("href"))
	case quote:
		l.say("“")
	case ruby:
		l.say("(")
	}
	return nil
}

// itemMark is what stands before an item: its number in a list that has numbers.
func (l *layout) itemMark() string {
	i := l.find(of(unorderedList, orderedList), atScope)
	if i < 0 || l.stack[i].kind != orderedList {
		return "- "
	}
	list := &l.stack[i]
	if n, err := strconv.ParseInt(string(l.z.Attr("value")), 10, 32); err == nil {
		list.number = int32(n)
	}
	s := strconv.Itoa(int(list.number)) + ". "
	list.number++
	return s
}

// close ends the content of an element, which is still open.
func (l *layout) close(e *entry) error {
	if e.kind == title && l.capture != nil {
		l.endTitle(e)
	}
	switch e.kind {
	case option:
		l.endOption()
	case selection:
		l.endSelection()
	case cell:
		return l.endCell()
	}
	if l.drops > 0 || l.capture != nil || e.look.gone != Seen && !l.opt.ShowHidden {
		return nil
	}
	switch e.kind {
	case textarea:
		l.endTextarea()
	case quote:
		l.say("”")
	case ruby:
		l.say(")")
	case anchor:
		l.endLink()
	}
	return nil
}

// closed puts what follows an element apart from it. It is not open any more.
func (l *layout) closed(e *entry) error {
	l.cur.back(e.left)
	switch e.kind {
	case table:
		return l.endTable()
	case row:
		return l.endRow()
	}
	if e.flags&block != 0 && e.flags&dropped == 0 && (e.look.gone == Seen || l.opt.ShowHidden) {
		l.gap(e.flags)
		return l.flushLinks(false)
	}
	return nil
}

// endTitle takes a title: that of the page, or the text of a drawing.
func (l *layout) endTitle(e *entry) {
	s := l.capture.value()
	l.capture = nil
	n := len(l.stack)
	if n < 2 || !l.stack[n-2].alien {
		l.page.Title = s
		return
	}
	if s != "" && l.stack[n-2].kind == svg && l.drops == 1 { // the title is all that is dropped
		l.drops--
		l.say("[image: " + s + "]")
		l.drops++
	}
	_ = e
}
