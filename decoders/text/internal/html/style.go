package html

import "strings"

// Reason says why a person does not see a text.
type Reason byte

// The reasons for which text is hidden.
const (
	Seen        Reason = iota
	NotRendered        // display: none, the attribute hidden, a dialog that is not open
	Invisible          // visibility: hidden
	Transparent        // an opacity or a colour that lets everything through
	Tiny               // letters of less than one point
	Outside            // moved out of the page
	Clipped            // cut down to nothing
	SameColour         // the colour of what lies behind it
	reasons
)

// String names the reason, behind a number of characters.
func (r Reason) String() string {
	return [...]string{
		"seen", "not rendered", "invisible", "transparent", "below one point", "outside the page", "clipped away", "in the colour behind them",
	}[r]
}

// look is how what is in an element looks, as far as it decides whether one sees it.
type look struct {
	gone   Reason // with everything inside
	veiled bool   // visibility: hidden, which what is inside may take back
	tiny   bool
	ink    colour
	paper  colour
}

// hidden returns why text that looks so is not seen.
func (l *look) hidden() Reason {
	switch {
	case l.gone != Seen:
		return l.gone
	case l.veiled:
		return Invisible
	case l.tiny:
		return Tiny
	case l.ink == clear:
		return Transparent
	case l.ink >= 0 && l.paper >= 0 && near(l.ink, l.paper):
		return SameColour
	}
	return Seen
}

// inherit puts in what l has from the look around it, which was one and is another now.
func (l *look) inherit(was, is look) {
	if l.gone == was.gone {
		l.gone = is.gone
	}
	if l.veiled == was.veiled {
		l.veiled = is.veiled
	}
	if l.tiny == was.tiny {
		l.tiny = is.tiny
	}
	if l.ink == was.ink {
		l.ink = is.ink
	}
	if l.paper == was.paper {
		l.paper = is.paper
	}
}

// declarations are those of a style that matter together, or that a later one of their name takes back.
type declarations struct {
	undisplayed, displayed bool // display: none; and that it is important
	faint                  bool // opacity
	absolute, moved        bool // position
	overflow               bool
	none                   bool // of width or height is nothing left
	tinyBox, tinyHeight    bool // no more than a pixel is
	away                   bool // moved far to a side
	clipped                bool
	filled, cutOut         bool // the colour of letters is not that of color; the background shows in their form
}

// apply changes l by an inline style.
func (l *look) apply(css string) {
	var d declarations
	for css != "" {
		var decl string
		decl, css = cutDeclaration(css)
		name, value, ok := strings.Cut(decl, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(strings.ToLower(cssText(value)))
		important := false
		if v, ok := strings.CutSuffix(value, "important"); ok {
			value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(v), "!"))
			important = true
		}
		name = strings.TrimSpace(strings.ToLower(cssText(name)))
		if name == "display" {
			d.display(value, important)
			continue
		}
		l.declare(&d, name, value)
		l.place(&d, name, value)
	}
	if d.cutOut {
		l.ink = unknown
	}
	switch {
	case l.gone != Seen:
	case d.undisplayed:
		l.gone = NotRendered
	case d.faint:
		l.gone = Transparent
	case d.away && d.moved:
		l.gone = Outside
	case d.clipped && d.absolute, d.overflow && (d.none || d.tinyHeight || d.tinyBox && d.absolute):
		l.gone = Clipped
	}
}

// display takes a declaration of display: the last one that is valid counts, but for one that is more important.
func (d *declarations) display(value string, important bool) {
	switch {
	case d.displayed && !important:
		return
	case value == "none":
		d.undisplayed = true
	case value == "" || strings.IndexFunc(value, func(r rune) bool { return (r < 'a' || r > 'z') && r != '-' && r != ' ' }) >= 0 ||
		!strings.Contains(displays, " "+strings.Fields(value)[0]+" "):
		return
	default:
		d.undisplayed = false
	}
	d.displayed = important
}

// displays are the values of display that show something (CSS Display 3, 2), by their first word.
const displays = " block inline inline-block run-in flow flow-root list-item flex inline-flex grid inline-grid table inline-table table-row" +
	" table-row-group table-header-group table-footer-group table-cell table-column table-column-group table-caption ruby ruby-base ruby-text contents" +
	" math inherit initial unset revert revert-layer -webkit-box -webkit-flex -webkit-inline-box -moz-box -ms-flexbox "

// declare takes what a declaration says of the letters.
func (l *look) declare(d *declarations, name, value string) {
	switch name {
	case "visibility":
		l.veiled = value == "hidden" || value == "collapse" || l.veiled && value != "visible" && value != "initial"
	case "content-visibility":
		if value == "hidden" {
			l.gone = NotRendered
		}
	case "opacity":
		if _, _, ok := number(value); ok {
			d.faint = faint(value)
		}
	case "filter":
		if args, ok := strings.CutPrefix(value, "opacity("); ok {
			if faint(args) {
				l.gone = Transparent
			}
		}
	case "font-size":
		l.size(value)
	case "font":
		for _, w := range strings.Fields(value) {
			w, _, _ = strings.Cut(w, "/")
			if n, unit, ok := number(w); ok && (unit != "" || n == 0) {
				l.size(w)
			}
		}
	case "color":
		if !d.filled {
			l.ink = colourOf(value)
		}
	case "-webkit-text-fill-color":
		if value != "currentcolor" && value != "inherit" {
			l.ink, d.filled = colourOf(value), true
		}
	case "background-clip", "-webkit-background-clip":
		d.cutOut = value == "text"
	case "background", "background-color", "background-image":
		l.background(name, value)
	}
}

// place takes what a declaration says of where the letters are, and in what box.
func (l *look) place(d *declarations, name, value string) {
	switch name {
	case "position":
		d.absolute = value == "absolute" || value == "fixed"
		d.moved = d.absolute || value == "relative"
	case "left", "top", "right", "bottom", "inset":
		d.away = d.away || anyFar(value)
	case "margin-left", "margin-top", "margin-inline-start", "margin-block-start", "text-indent":
		if far(value) {
			l.gone = Outside
		}
	case "margin":
		// What is as far out on both sides is wide, not away.
		if w := strings.Fields(value); len(w) > 0 && far(w[0]) || len(w) == 4 && far(w[3]) && !far(w[1]) {
			l.gone = Outside
		}
	case "transform", "scale", "translate":
		l.transform(name, value)
	case "clip":
		d.clipped = emptyRect(value)
	case "clip-path":
		if emptyShape(value) {
			l.gone = Clipped
		}
	case "overflow", "overflow-x", "overflow-y":
		d.overflow = d.overflow || value == "hidden" || value == "clip" || value == "auto" || value == "scroll"
	case "width", "height", "max-height", "max-width", "block-size", "max-block-size":
		if n, unit, ok := number(value); ok && unit != "%" {
			d.none = d.none || n <= 0
			small := n <= 1000 && unit == "px"
			d.tinyBox = d.tinyBox || small
			d.tinyHeight = d.tinyHeight || small && name == "max-height"
		}
	}
}

// size is a new size of letters. A relative one counts by what it does to the size around it.
func (l *look) size(value string) {
	n, unit, ok := number(value)
	switch {
	case !ok:
		l.tiny = l.tiny && (value == "inherit" || value == "")
	case n <= 0:
		l.tiny = true
	case unit == "px": // 96 to the inch, and 72 points (CSS Values 4, 6.2)
		l.tiny = n < 1333
	case unit == "pt":
		l.tiny = n < 1000
	case unit == "%": // of 12 points, as letters are where nothing is said
		l.tiny = l.tiny || n < 100_000/12
	case unit == "em", unit == "rem", unit == "ex", unit == "ch":
		l.tiny = unit != "rem" && l.tiny || n < 1000/12
	default:
		l.tiny = l.tiny && unit == ""
	}
}

// background is a new colour behind the text: nobody knows it under a picture.
func (l *look) background(name, value string) {
	if strings.Contains(value, "url(") || strings.Contains(value, "gradient(") {
		l.paper = unknown
		return
	}
	if name == "background-image" {
		return
	}
	if name == "background" {
		value = firstColour(value)
	}
	switch c := colourOf(value); {
	case c == clear || value == "none" || value == "inherit": // what lies behind it shows
	default:
		l.paper = c
	}
}
