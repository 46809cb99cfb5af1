package html

import "strings"

// presentation changes l by the attributes of an element of a drawing that say what its style may say too (SVG 2, 6.6).
func (l *layout) presentation(e element, lk *look) {
	if e.kind == definitions {
		lk.gone = NotRendered
		return
	}
	attr := func(name string) string { return strings.TrimSpace(strings.ToLower(string(l.z.Attr(name)))) }
	switch v := attr("visibility"); {
	case v == "hidden" || v == "collapse":
		lk.veiled = true
	case v == "visible":
		lk.veiled = false
	}
	if v := attr("font-size"); v != "" {
		lk.size(v)
	}
	switch {
	case lk.gone != Seen:
	case attr("display") == "none":
		lk.gone = NotRendered
	case faint(attr("opacity")) || faint(attr("fill-opacity")) && attr("stroke") == "":
		lk.gone = Transparent
	}
	if v := attr("fill"); v == "none" || v == "transparent" {
		lk.ink = clear
		if v := attr("stroke"); v != "" && v != "none" && v != "transparent" {
			lk.ink = unknown
		}
	} else if v != "" { // nobody knows what is drawn behind it
		lk.ink = unknown
	}
}
