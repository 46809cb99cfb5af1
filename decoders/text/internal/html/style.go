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

// colour is 0xRRGGBB, or one of the two below.
type colour int32

const (
	unknown colour = -1
	clear   colour = -2
)

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

// near reports whether nobody tells two colours apart: no part of them differs by more than 3 %.
func near(a, b colour) bool {
	for shift := 0; shift < 24; shift += 8 {
		d := int(a>>shift&0xff) - int(b>>shift&0xff)
		if d < -8 || d > 8 {
			return false
		}
	}
	return true
}

// declarations are those of a style that matter together.
type declarations struct {
	absolute, overflow bool
	none               bool // of width or height is nothing left
	tinyBox            bool // no more than a pixel is
	away               bool // moved far to a side
	clipped            bool
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
		if v, ok := strings.CutSuffix(value, "important"); ok {
			value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(v), "!"))
		}
		l.declare(&d, strings.TrimSpace(strings.ToLower(cssText(name))), value)
	}
	switch {
	case l.gone != Seen:
	case d.away && d.absolute:
		l.gone = Outside
	case d.clipped && d.absolute, d.overflow && (d.none || d.tinyBox && d.absolute):
		l.gone = Clipped
	}
}

func (l *look) declare(d *declarations, name, value string) {
	switch name {
	case "display":
		if value == "none" {
			l.gone = NotRendered
		}
	case "visibility":
		l.veiled = value == "hidden" || value == "collapse" || l.veiled && value != "visible" && value != "initial"
	case "opacity":
		if n, unit, ok := number(value); ok && (n < 50 && unit == "" || n < 5000 && unit == "%") {
			l.gone = Transparent
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
		l.ink = colourOf(value)
	case "background", "background-color", "background-image":
		l.background(name, value)
	case "position":
		d.absolute = value == "absolute" || value == "fixed"
	case "left", "top", "right", "bottom":
		d.away = d.away || far(value)
	case "margin-left", "margin-top", "text-indent":
		if far(value) {
			l.gone = Outside
		}
	case "transform":
		if strings.HasPrefix(value, "scale(0)") || strings.HasPrefix(value, "scale(0,") {
			l.gone = Clipped
		} else if i := strings.Index(value, "(-"); i >= 0 && strings.HasPrefix(value, "translate") && far(value[i+1:]) {
			l.gone = Outside
		}
	case "clip":
		d.clipped = value == "rect(0,0,0,0)" || value == "rect(0 0 0 0)" || strings.HasPrefix(value, "rect(1px") || strings.HasPrefix(value, "rect(0px") ||
			strings.HasPrefix(value, "rect(0, 0, 0, 0")
	case "clip-path":
		if strings.HasPrefix(value, "inset(50%") || strings.HasPrefix(value, "inset(100%") || strings.HasPrefix(value, "circle(0") {
			l.gone = Clipped
		}
	case "overflow", "overflow-x", "overflow-y":
		d.overflow = d.overflow || value == "hidden" || value == "clip"
	case "width", "height", "max-height", "max-width":
		if n, unit, ok := number(value); ok && unit != "%" {
			d.none = d.none || n <= 0
			d.tinyBox = d.tinyBox || n <= 1000 && unit == "px"
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
	case unit == "px", unit == "pt":
		l.tiny = n < 1000
	case unit == "%":
		l.tiny = l.tiny || n < 6250
	case unit == "em", unit == "rem", unit == "ex", unit == "ch":
		l.tiny = unit != "rem" && l.tiny || n < 1000/16
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
		value, _, _ = strings.Cut(strings.ReplaceAll(value, ", ", ","), " ")
	}
	switch c := colourOf(value); {
	case c == clear || value == "none" || value == "inherit": // what lies behind it shows
	default:
		l.paper = c
	}
}

// far reports whether a length is so far to the left or the top that no page has it.
func far(value string) bool {
	n, unit, ok := number(value)
	return ok && n <= -999_000 || ok && n <= -99_000 && (unit == "em" || unit == "rem" || unit == "%" || unit == "vw")
}

// number reads a number of CSS in thousandths, and its unit.
func number(s string) (n int, unit string, ok bool) {
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")
	scale, point := 1000, false
	i := 0
	for ; i < len(s); i++ {
		c := s[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		ok = true
		switch {
		case !point && n < 1<<40:
			n = n*10 + int(c-'0')*1000
		case point:
			scale /= 10
			n += int(c-'0') * scale
		}
	}
	if neg {
		n = -n
	}
	unit = s[i:]
	if k := strings.IndexAny(unit, " ,)"); k >= 0 {
		unit = unit[:k]
	}
	return n, unit, ok
}

// cutDeclaration splits a style behind its first declaration: semicolons in quotes and brackets end none.
func cutDeclaration(css string) (first, rest string) {
	depth, quote := 0, byte(0)
	for i := 0; i < len(css); i++ {
		switch c := css[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			depth = max(0, depth-1)
		case c == '/' && strings.HasPrefix(css[i:], "/*"):
			end := strings.Index(css[i+2:], "*/")
			if end < 0 {
				return css[:i], ""
			}
			i += end + 3
		case c == ';' && depth == 0:
			return css[:i], css[i+1:]
		}
	}
	return css, ""
}

// cssText takes comments out of CSS, and writes out what is escaped in it (CSS Syntax 3, 4.3.7).
func cssText(s string) string {
	if !strings.ContainsAny(s, `\/`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		switch {
		case strings.HasPrefix(s[i:], "/*"):
			end := strings.Index(s[i+2:], "*/")
			if end < 0 {
				return b.String()
			}
			i += end + 4
		case s[i] == '\\' && i+1 < len(s):
			i++
			r, n := rune(0), 0
			for n < 6 && i+n < len(s) && digit(s[i+n], true) >= 0 {
				r = r<<4 | digit(s[i+n], true)
				n++
			}
			if n == 0 {
				b.WriteByte(s[i])
				i++
				continue
			}
			i += n
			if i < len(s) && space(s[i]) {
				i++
			}
			b.WriteRune(r)
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String()
}

// colourOf reads a colour: unknown where it is none of the plain ones.
func colourOf(v string) colour {
	if hex, ok := strings.CutPrefix(v, "#"); ok {
		return hexColour(hex)
	}
	if args, ok := strings.CutPrefix(v, "rgb"); ok {
		return rgbColour(args)
	}
	switch v {
	case "transparent":
		return clear
	case "white":
		return 0xffffff
	case "black":
		return 0
	case "red":
		return 0xff0000
	case "lime":
		return 0x00ff00
	case "green":
		return 0x008000
	case "blue":
		return 0x0000ff
	case "yellow":
		return 0xffff00
	case "gray", "grey":
		return 0x808080
	case "silver":
		return 0xc0c0c0
	case "navy":
		return 0x000080
	case "whitesmoke":
		return 0xf5f5f5
	case "snow":
		return 0xfffafa
	case "ivory":
		return 0xfffff0
	case "ghostwhite":
		return 0xf8f8ff
	case "lightgray", "lightgrey":
		return 0xd3d3d3
	}
	return unknown
}

func hexColour(hex string) colour {
	c := colour(0)
	for i := range len(hex) {
		d := digit(hex[i], true)
		if d < 0 || i == 8 {
			return unknown
		}
		if i < 6 {
			c = c<<4 | colour(d)
		}
	}
	switch len(hex) {
	case 4:
		if hex[3] == '0' {
			return clear
		}
		c >>= 4
		fallthrough
	case 3:
		r, g, b := c>>8&15, c>>4&15, c&15
		return r*17<<16 | g*17<<8 | b*17
	case 8:
		if hex[6:] == "00" {
			return clear
		}
		return c
	case 6:
		return c
	}
	return unknown
}

// rgbColour reads the arguments of rgb() and rgba().
func rgbColour(args string) colour {
	_, args, ok := strings.Cut(args, "(")
	if !ok {
		return unknown
	}
	args, _, _ = strings.Cut(args, ")")
	parts := strings.FieldsFunc(args, func(r rune) bool { return r == ',' || r == ' ' || r == '/' })
	if len(parts) < 3 || len(parts) > 4 {
		return unknown
	}
	c := colour(0)
	for _, p := range parts[:3] {
		n, unit, ok := number(p)
		if unit == "%" {
			n = n * 255 / 100
		}
		if !ok {
			return unknown
		}
		c = c<<8 | colour(min(255, max(0, n/1000)))
	}
	if len(parts) == 4 {
		if n, _, ok := number(parts[3]); ok && n < 50 {
			return clear
		}
	}
	return c
}
