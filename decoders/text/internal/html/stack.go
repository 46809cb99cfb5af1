package html

// entry is an open element.
type entry struct {
	hash   uint64
	look   look
	left   left   // of the beginning of lines, to go back to
	number int32  // of the next item of a list
	alien  bool   // what is in it is SVG or MathML
	hides  Reason // why what is in it is hidden by what the element itself says
	element
}

// steps of looking through the open elements: what a page may cost before it is looked at less closely. The names of elements are the
// file's, and so is how many of them end what nobody began.
const (
	manySteps = 1 << 24
	fewSteps  = 64
)

// find returns the place of the innermost open element for which is holds, -1 when there is none or stop comes before it.
func (l *layout) find(is, stop func(e *entry) bool) int {
	for i := len(l.stack) - 1; i >= 0; i-- {
		e := &l.stack[i]
		if is(e) {
			return i
		}
		if stop(e) || l.steps > manySteps && len(l.stack)-i > fewSteps {
			return -1
		}
		l.steps++
	}
	return -1
}

func atScope(e *entry) bool   { return e.flags&scope != 0 }
func atButton(e *entry) bool  { return e.flags&scope != 0 || e.kind == button }
func atBarrier(e *entry) bool { return e.flags&barrier != 0 }

// atList reports whether e ends the search for an item that a new one ends (13.2.6.4.7): divisions and paragraphs do not.
func atList(e *entry) bool {
	return e.flags&barrier != 0 && e.kind != paragraph && (e.kind != other || e.flags&(apart|scope) != 0 || e.flags&breaksOut == 0)
}

// of returns a test for a kind of elements.
func of(a, b kind) func(e *entry) bool {
	return func(e *entry) bool { return e.kind == a || e.kind == b }
}

// push opens an element.
func (l *layout) push(e element, hash uint64, lk look) error {
	if len(l.stack) == MaxOpen {
		return ErrDepth
	}
	alien := l.z.Foreign
	switch {
	case e.kind == svg || e.kind == math:
		alien = true
	case e.flags&integration != 0:
		alien = false
	}
	l.stack = append(l.stack, entry{hash: hash, look: lk, left: l.cur.left(), element: e, alien: alien})
	l.z.Foreign = alien
	l.kinds[e.kind]++
	l.names[hash&255]++
	if e.flags&dropped != 0 {
		l.drops++
	}
	return nil
}

// pop closes the elements from place n on, the innermost first.
func (l *layout) pop(n int) error {
	for len(l.stack) > n {
		e := l.stack[len(l.stack)-1]
		if err := l.close(&e); err != nil {
			return err
		}
		l.stack = l.stack[:len(l.stack)-1]
		l.kinds[e.kind]--
		l.names[e.hash&255]--
		if e.flags&dropped != 0 {
			l.drops--
		}
		if err := l.closed(&e); err != nil {
			return err
		}
	}
	l.z.Foreign = n > 0 && l.stack[n-1].alien
	return nil
}

// mostKept is how many overlapping elements are opened again behind one that ends.
const mostKept = 16

// keep collects, from place n on, the elements that overlap with one that ends: they are open again behind it (13.2.4.3). As the standard
// has it, not more than three that are alike. Links end with what they stand in, unless they hide text.
func (l *layout) keep(n int) {
	l.kept = l.kept[:0]
	for i := n; i < len(l.stack) && len(l.kept) < mostKept; i++ {
		e := &l.stack[i]
		if e.flags&formatting == 0 || e.kind == anchor && e.hides == Seen {
			continue
		}
		alike := 0
		for k := range l.kept {
			if o := &l.kept[k]; o.hash == e.hash && o.hides == e.hides {
				alike++
			}
		}
		if alike < 3 {
			l.kept = append(l.kept, *e)
		}
	}
}

// reopen opens what keep has collected.
func (l *layout) reopen() error {
	for k := range l.kept {
		e := &l.kept[k]
		lk := *l.look()
		if lk.gone == Seen {
			lk.gone = e.hides
		}
		if err := l.push(e.element, e.hash, lk); err != nil {
			return err
		}
		l.stack[len(l.stack)-1].hides = e.hides
	}
	return nil
}

// popKeeping closes the elements from place n on, and opens those again that overlap with the one at n.
func (l *layout) popKeeping(n int) error {
	l.keep(n + 1)
	if err := l.pop(n); err != nil {
		return err
	}
	return l.reopen()
}

// closeFirst closes the innermost element of a kind, if one is open this side of stop.
func (l *layout) closeFirst(a, b kind, stop func(e *entry) bool) error {
	if l.kinds[a]+l.kinds[b] == 0 {
		return nil
	}
	if i := l.find(of(a, b), stop); i >= 0 {
		return l.popKeeping(i)
	}
	return nil
}

// end takes an end tag.
func (l *layout) end() error {
	name := l.z.Name()
	hash := nameHash(name)
	e := lookup(name)
	if l.z.Foreign {
		e = foreign(name)
	}
	if l.names[hash&255] == 0 || e.flags&alone != 0 {
		return l.unopened(e)
	}
	same := func(o *entry) bool { return o.hash == hash }
	switch {
	case e.kind == page || e.kind == body: // what follows belongs to it all the same
		return nil
	case e.flags&formatting != 0:
		return l.endFormatting(same)
	case e.kind == heading:
		same = of(heading, heading)
	}
	stop := atBarrier
	switch {
	case e.kind == paragraph:
		stop = atButton
	case e.kind == item:
		stop = func(o *entry) bool { return o.flags&scope != 0 || o.kind == unorderedList || o.kind == orderedList }
	case e.kind == table, e.kind == cells, e.kind == row, e.kind == cell, e.kind == caption:
		stop = func(o *entry) bool { return o.kind == table && e.kind != table || o.flags&dropped != 0 }
	case e.flags&barrier != 0:
		stop = atScope
	}
	i := l.find(same, stop)
	if i < 0 {
		return l.unopened(e)
	}
	if e.flags&scope != 0 {
		return l.pop(i)
	}
	return l.popKeeping(i)
}

// unopened is an end tag of what is not open: two of them stand for an element (13.2.6.4.7).
func (l *layout) unopened(e element) error {
	switch e.kind {
	case paragraph:
		l.gap(e.flags)
	case lineBreak:
		l.lineBreak()
	}
	return nil
}

// endFormatting ends an element that may overlap with others (13.2.6.4.7, the adoption agency): blocks inside of it stay open, and so do
// the elements of its kind between them; what is not of its kind ends with it.
func (l *layout) endFormatting(same func(e *entry) bool) error {
	i := l.find(same, atScope)
	if i < 0 {
		return nil
	}
	block := l.find(atBarrier, same)
	if block < i {
		return l.popKeeping(i)
	}
	l.keep(block + 1)
	if err := l.pop(block + 1); err != nil {
		return err
	}
	before := l.root
	if i > 0 {
		before = l.stack[i-1].look
	}
	was, n := before, i
	for k := i; k < len(l.stack); k++ {
		e := l.stack[k]
		inherited := was
		was = e.look
		if k == i || e.flags&(formatting|barrier) == 0 {
			if err := l.close(&e); err != nil {
				return err
			}
			l.kinds[e.kind]--
			l.names[e.hash&255]--
			if e.flags&dropped != 0 {
				l.drops--
			}
			continue
		}
		e.look.inherit(inherited, before)
		if e.look.gone == Seen {
			e.look.gone = e.hides
		}
		before = e.look
		l.stack[n] = e
		n++
	}
	l.stack = l.stack[:n]
	l.z.Foreign = n > 0 && l.stack[n-1].alien
	return l.reopen()
}

func atNothing(*entry) bool { return false }
