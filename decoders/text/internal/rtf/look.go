package rtf

// look is how the text of a group looks, as far as it decides whether one sees it.
type look struct {
	veiled, deleted bool // \v, and a revision that took it out
	size            int  // of the letters, in half-points; 0: not said
	ink             int  // entries of the table of colours; 0: as the program has it
	paper           int  // behind the letters
	boxed           bool // it stands in a shape
	shaded          bool // something else may lie behind them: the shading of a paragraph, the fill of a shape
}

// colours is where the text of the table of colours goes.
const colours dest = 0xff

// automatic is a colour that the program chooses so that one sees it.
const automatic = -1

// maxColours bounds the table of colours.
const maxColours = 10_000

// leastSize is the size of letters, in half-points, that one is taken to see: a point.
const leastSize = 2

// unseen reports whether a reader would not see text that stands here.
func (r *reader) unseen() bool {
	switch {
	case r.veiled, r.deleted, r.size < 0, r.size > 0 && r.size < leastSize:
		return true
	case r.ink == 0 || r.paper == 0 && (r.shaded || r.table || r.rowed): // a table's cells have colours that may stand behind their text
		return false
	}
	ink, paper := r.colour(r.ink), 0xffffff
	if r.paper > 0 {
		paper = r.colour(r.paper)
	}
	return ink != automatic && paper != automatic && near(ink, paper)
}

// colour is entry n of the table of colours.
func (r *reader) colour(n int) int {
	if n < 0 || n >= len(r.palette.list) {
		return automatic
	}
	return r.palette.list[n]
}

// near reports whether nobody tells two colours apart: no part of them differs by more than 3 %.
func near(a, b int) bool {
	for shift := 0; shift < 24; shift += 8 {
		if d := a>>shift&0xff - b>>shift&0xff; d < -8 || d > 8 {
			return false
		}
	}
	return true
}

// palette is the table of colours, and the entry that is read.
type palette struct {
	list []int
	next int
	said bool // a part of it
}

// separators ends an entry of the table at each semicolon.
func (p *palette) separators(b []byte) {
	for _, c := range b {
		if c != ';' || len(p.list) == maxColours {
			continue
		}
		if !p.said {
			p.next = automatic
		}
		p.list = append(p.list, p.next)
		p.next, p.said = 0, false
	}
}

// part is one of the three parts of the entry at hand.
func (p *palette) part(shift uint, n int) {
	p.next = p.next&^(0xff<<shift) | max(0, min(255, n))<<shift
	p.said = true
}

// looks obeys a control word that says whether one sees a text.
func (r *reader) looks(name string, n int, has bool) bool {
	switch name {
	case "v", "deleted", "plain", "fs", "cf", "cb", "chcbpat", "highlight", "cbpat", "pard", "trowd", "red", "green", "blue", "colortbl", "shptxt", "background":
	default:
		return false
	}
	if r.dest == body || r.dest == colours {
		r.endRun()
	}
	switch name {
	case "v":
		r.veiled = !has || n != 0
	case "deleted":
		r.deleted = !has || n != 0
	case "plain":
		r.look, r.font = look{shaded: r.shaded, boxed: r.boxed}, -1
	case "fs":
		if r.size = n; has && n == 0 {
			r.size = -1
		}
	case "cf":
		r.ink = n
	case "cb", "chcbpat", "highlight":
		r.paper = n
	case "cbpat":
		r.shaded = r.shaded || n != 0
	case "pard":
		r.shaded, r.table = r.inShape(), false
	case "trowd":
		r.rowed = true
		return false
	case "red":
		r.palette.part(16, n)
	case "green":
		r.palette.part(8, n)
	case "blue":
		r.palette.part(0, n)
	case "colortbl":
		r.begin(colours)
	case "shptxt":
		r.boxed, r.shaded = true, true
	case "background": // of all pages
		r.papered, r.shaded = true, true
		for i := range r.stack {
			r.stack[i].shaded = true
		}
		return false
	}
	return true
}

// inShape reports whether the text stands on something that is drawn.
func (r *reader) inShape() bool { return r.boxed || r.papered }
