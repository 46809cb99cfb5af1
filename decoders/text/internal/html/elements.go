package html

// kind is what an element is for the layout.
type kind byte

const (
	other kind = iota
	anchor
	area
	base
	blockquote
	body
	breaks
	button
	caption
	cell
	cells // a section of a table
	definition
	definitions // of SVG, for use elsewhere
	dialog
	frame
	heading
	image
	input
	item
	label // of a definition
	lineBreak
	link
	math
	meta
	option
	orderedList
	page
	pairs
	paragraph
	pre
	quote
	row
	ruby
	rule
	selection
	style
	svg
	table
	textarea
	title
	unorderedList
	words // of SVG
)

// holdsRows reports whether an element has rows or cells in it and no text.
func (k kind) holdsRows() bool { return k == table || k == cells || k == row }

// flags are what else there is to know of an element.
type flags uint16

const (
	alone       flags = 1 << iota // it has no content and no end tag (13.1.2, void elements)
	dropped                       // what is in it is not shown
	block                         // it begins and ends a line
	apart                         // with an empty line before and behind it
	closesP                       // its start ends a paragraph (13.2.6.4.7)
	barrier                       // an end tag of something else does not reach over it
	scope                         // nor does any other that is not its own or a table's
	formatting                    // it may overlap with others
	breaksOut                     // it ends SVG and MathML (13.2.6.5)
	integration                   // in SVG and MathML, what is in it is HTML again
)

// element is what is known of an element by its name.
type element struct {
	kind  kind
	flags flags
	level byte // of a heading
}

const blockFlags = block | closesP | barrier

// lookup finds an element by its name. What is not HTML, and what makes no difference, is an inline element like any other.
func lookup(name []byte) element {
	if e := inline(name); e.kind != other || e.flags != 0 {
		return e
	}
	switch string(name) {
	case "p":
		return element{paragraph, blockFlags | apart | breaksOut, 0}
	case "h1", "h2", "h3", "h4", "h5", "h6":
		return element{heading, blockFlags | apart | breaksOut, name[1] - '0'}
	case "div", "center":
		return element{other, blockFlags | breaksOut, 0}
	case "address", "article", "aside", "details", "fieldset", "figcaption", "footer", "form", "header", "hgroup", "main", "nav", "search", "section",
		"summary", "legend":
		return element{other, blockFlags, 0}
	case "dialog":
		return element{dialog, blockFlags, 0}
	case "figure":
		return element{other, blockFlags | apart, 0}
	case "blockquote":
		return element{blockquote, blockFlags | apart | breaksOut, 0}
	case "ul", "menu", "dir":
		return element{unorderedList, blockFlags | apart | breaksOut, 0}
	case "ol":
		return element{orderedList, blockFlags | apart | breaksOut, 0}
	case "li":
		return element{item, blockFlags | breaksOut, 0}
	case "dl":
		return element{pairs, blockFlags | apart | breaksOut, 0}
	case "dt":
		return element{label, blockFlags | breaksOut, 0}
	case "dd":
		return element{definition, blockFlags | breaksOut, 0}
	case "pre", "listing":
		return element{pre, blockFlags | apart | breaksOut, 0}
	case "xmp", "plaintext":
		return element{pre, blockFlags | apart, 0}
	case "hr":
		return element{rule, blockFlags | apart | breaksOut | alone, 0}
	case "table":
		return element{table, closesP | barrier | scope | breaksOut, 0}
	case "caption":
		return element{caption, block | apart | barrier | scope, 0}
	case "thead", "tbody", "tfoot":
		return element{cells, barrier, 0}
	case "tr":
		return element{row, barrier, 0}
	case "td", "th":
		return element{cell, barrier | scope, 0}
	case "html":
		return element{page, barrier | scope, 0}
	case "body":
		return element{body, barrier | breaksOut, 0}
	case "head", "noscript", "noframes", "colgroup":
		return element{other, barrier, 0}
	case "frameset":
		return element{other, barrier | block, 0}
	}
	return element{}
}

// inline finds the elements that are part of a line, or of none.
func inline(name []byte) element {
	switch string(name) {
	case "a":
		return element{anchor, formatting, 0}
	case "b", "big", "code", "em", "i", "nobr", "s", "small", "strike", "strong", "tt", "u":
		return element{other, formatting | breaksOut, 0}
	case "font":
		return element{other, formatting, 0}
	case "span", "sub", "sup", "var":
		return element{other, breaksOut, 0}
	case "br":
		return element{lineBreak, alone | breaksOut, 0}
	case "img", "image":
		return element{image, alone | breaksOut, 0}
	case "wbr", "col", "source", "track", "embed", "param", "bgsound", "basefont", "keygen":
		return element{other, alone, 0}
	case "area":
		return element{area, alone, 0}
	case "base":
		return element{base, alone, 0}
	case "link":
		return element{link, alone, 0}
	case "meta":
		return element{meta, alone, 0}
	case "input":
		return element{input, alone, 0}
	case "frame":
		return element{frame, alone, 0}
	case "iframe":
		return element{frame, dropped, 0}
	case "style":
		return element{style, dropped, 0}
	case "title":
		return element{title, dropped, 0}
	case "script", "noembed", "datalist", "video", "audio", "canvas", "progress", "meter", "rp":
		return element{other, dropped, 0}
	case "template":
		return element{other, dropped | barrier | scope, 0}
	case "object", "applet", "marquee":
		return element{other, barrier | scope, 0}
	case "svg":
		return element{svg, barrier, 0}
	case "math":
		return element{math, 0, 0}
	case "q":
		return element{quote, 0, 0}
	case "rt":
		return element{ruby, 0, 0}
	case "select":
		return element{selection, barrier, 0}
	case "option":
		return element{option, 0, 0}
	case "textarea":
		return element{textarea, barrier, 0}
	case "button":
		return element{button, barrier, 0}
	}
	return element{}
}

// foreign finds an element inside of SVG or MathML.
func foreign(name []byte) element {
	switch string(name) {
	case "title":
		return element{title, dropped, 0}
	case "script", "style", "metadata", "annotation", "annotation-xml":
		return element{other, dropped, 0}
	case "desc":
		return element{other, dropped | integration, 0}
	case "defs", "symbol", "clippath", "mask", "pattern", "marker", "filter":
		return element{definitions, 0, 0}
	case "foreignobject":
		return element{other, barrier | scope | integration | block, 0}
	case "mi", "mo", "mn", "ms", "mtext":
		return element{other, integration, 0}
	case "text": // of SVG, where each stands for itself
		return element{words, block, 0}
	case "image":
		return element{image, 0, 0}
	case "a":
		return element{anchor, formatting, 0}
	case "svg":
		return element{svg, 0, 0}
	}
	if e := lookup(name); e.flags&breaksOut != 0 {
		return e
	}
	return element{}
}

// nameHash stands for an element's name in the stack of open elements (FNV-1a).
func nameHash(name []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range name {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}
