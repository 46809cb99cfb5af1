package html

import "strings"

// anchorState is the link at hand.
type anchorState struct {
	uri  string
	text capture
}

// add takes text of the link.
func (a *anchorState) add(b []byte) {
	if a.uri != "" && len(a.text.buf) < maxLinkText {
		a.text.text(b[:min(len(b), 2*maxLinkText)])
	}
}

// startLink begins a link. Places in the page itself, and what only a script could follow, are no links.
func (l *layout) startLink(href []byte) {
	l.link.uri = address(href)
	l.link.text.flow = flow{buf: l.link.text.buf[:0]}
}

// address is where a link leads; "" for nowhere.
func address(href []byte) string {
	uri := strings.TrimSpace(folded(href))
	low := strings.ToLower(uri[:min(len(uri), len("javascript:"))])
	if uri == "" || uri[0] == '#' || low == "javascript:" || strings.HasPrefix(low, "data:") || strings.HasPrefix(low, "vbscript:") {
		return ""
	}
	return uri
}

func (l *layout) endLink() {
	if l.link.uri == "" {
		return
	}
	l.addLink(cut(strings.ToValidUTF8(string(l.link.text.buf), ""), maxLinkText), l.link.uri)
	l.link.uri = ""
}

func (l *layout) addLink(text, uri string) {
	if why := l.look().hidden(); why != Seen && !l.opt.ShowHidden {
		return
	}
	l.page.Links++
	size := len(text) + len(uri) + 24
	if l.linkBytes+size > mostLinks {
		l.page.LinksCut = true
		return
	}
	l.linkBytes += size
	l.links = append(l.links, map[string]any{"text": text, "uri": uri})
}

// flushLinks hands the links on, where the lines that they stand in can be finished; all of them, or only when they are many.
func (l *layout) flushLinks(all bool) error {
	if l.cur != &l.main || len(l.links) == 0 || !all && l.linkBytes < pieceBytes {
		return nil
	}
	if !l.main.began { // there is no line yet to stand behind
		l.main.open()
	}
	l.main.end()
	list := l.links
	l.links, l.linkBytes = nil, 0
	for len(list) > 0 {
		n, size := 0, 0
		for n < len(list) && size < pieceBytes {
			m, _ := list[n].(map[string]any)
			text, _ := m["text"].(string)
			uri, _ := m["uri"].(string)
			size += len(text) + len(uri) + 24
			n++
		}
		if err := l.data(l.out.Data, map[string]any{"links": list[:n:n]}); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// point is an element that leads somewhere and has no text inside: a part of a picture, or a frame.
func (l *layout) point(k kind) {
	text, uri := l.z.Attr("alt"), l.z.Attr("href")
	drops := 0
	if k == frame {
		text, uri = l.z.Attr("title"), l.z.Attr("src")
		if len(text) == 0 {
			text = l.z.Attr("name")
		}
		if n := len(l.stack); n > 0 && l.stack[n-1].kind == frame {
			drops = 1 // its own
		}
	}
	if to := address(uri); to != "" && to != "about:blank" && l.drops == drops && l.capture == nil {
		l.addLink(cut(folded(text), maxLinkText), to)
	}
}

// input shows a field of a form as far as a person sees what is in it.
func (l *layout) input() {
	value := folded(l.z.Attr("value"))
	_, checked := l.z.Attr("checked"), l.z.Attr("checked") != nil
	switch strings.ToLower(string(l.z.Attr("type"))) {
	case "hidden", "file", "range", "color":
	case "checkbox":
		l.say(mark(checked, "[x]", "[ ]"))
	case "radio":
		l.say(mark(checked, "(x)", "( )"))
	case "password":
		l.say(mark(value != "", "[****]", "[____]"))
	case "submit":
		l.say("[" + mark(l.z.Attr("value") != nil, value, "Submit") + "]")
	case "reset":
		l.say("[" + mark(l.z.Attr("value") != nil, value, "Reset") + "]")
	case "button":
		if value != "" {
			l.say("[" + value + "]")
		}
	case "image":
		if alt := folded(l.z.Attr("alt")); alt != "" {
			l.say("[image: " + alt + "]")
		}
	default:
		if value == "" {
			value = folded(l.z.Attr("placeholder"))
		}
		l.say("[" + mark(value != "", value, "____") + "]")
	}
}

func mark(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}

// choiceState is the list at hand of which something is chosen.
type choiceState struct {
	many     bool
	selected bool // the option at hand
	first    string
	chosen   string
	n        int
}

func (l *layout) startOption() {
	if l.kinds[selection] > 0 && l.capture == nil && l.drops == 0 {
		l.capture = &capture{}
		l.choice.selected = l.z.Attr("selected") != nil
	}
}

func (l *layout) endOption() {
	if l.kinds[selection] == 0 || l.capture == nil || l.drops > 0 {
		return
	}
	s := l.capture.value()
	l.capture = nil
	c := &l.choice
	if c.n++; c.n == 1 {
		c.first = s
	}
	switch {
	case !c.selected:
	case c.many && c.chosen != "" && len(c.chosen) < maxMeta:
		c.chosen += ", " + s
	default:
		c.chosen = s
	}
}

// endSelection shows what is chosen: the first option where none is and one must be (4.10.7).
func (l *layout) endSelection() {
	c := l.choice
	l.choice = choiceState{}
	if c.chosen == "" && !c.many {
		c.chosen = c.first
	}
	if c.chosen != "" {
		l.kinds[selection]--
		l.say("[" + c.chosen + "]")
		l.kinds[selection]++
	}
}

func (l *layout) startTextarea() {
	l.say("[")
	l.choice = choiceState{first: folded(l.z.Attr("placeholder"))}
	if l.choice.first == "" {
		l.choice.first = "____"
	}
}

func (l *layout) endTextarea() {
	if l.choice.n == 0 {
		l.say(l.choice.first)
	}
	l.cur.text([]byte("]"))
}

// image shows the text of a picture, and lists it where it stands in the page itself.
func (l *layout) image() error {
	alt := folded(l.z.Attr("alt"))
	if l.drops == 0 && l.capture == nil && l.look().hidden() == Seen {
		for _, a := range [...]string{"src", "href", "xlink:href"} {
			if v, size := l.z.Value(a); len(v) > 5 && strings.EqualFold(string(v[:5]), "data:") {
				if err := l.picture(v, size, alt); err != nil {
					return err
				}
				break
			}
		}
	}
	if alt != "" {
		l.say("[image: " + alt + "]")
	}
	return nil
}
