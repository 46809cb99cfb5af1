package rtf

// skipped reports whether a destination's text is not the document's, beside those that \* announces and nobody here knows.
func skipped(name string) bool {
	switch name {
	case "aftncn", "aftnsep", "aftnsepc", "atndate", "atnicn", "atnid", "atnparent", "atnref", "atntime", "atrfend", "atrfstart",
		"background", "bkmkend", "bkmkstart", "blipuid", "colorschememapping", "datafield", "datastore", "docvar",
		"ebcstart", "falt", "ffdeftext", "ffentrytext", "ffname", "filetbl", "fldtype", "fname", "fontemb", "fontfile", "formfield",
		"ftncn", "ftnsep", "ftnsepc", "generator", "latentstyles", "listname", "listoverridetable", "listtable", "mmathpr",
		"nonesttables", "nonshppict", "objalias", "objname", "objsect", "oldcprops", "oldpprops", "oldsprops", "oldtprops", "panose",
		"passwordhash", "pgdsctbl", "picprop", "pnseclvl", "private", "protusertbl", "revtbl", "rsidtbl", "rxe", "sp", "stylesheet",
		"tc", "tcn", "template", "themedata", "txe", "userprops", "wgrffmtfilter", "writereservhash", "xe", "xmlnstbl":
		return true
	}
	return false
}

// character is what a control word stands for that is a character.
func character(name string) string {
	switch name {
	case "tab":
		return "\t"
	case "emdash":
		return "—"
	case "endash":
		return "–"
	case "bullet":
		return "•"
	case "lquote":
		return "‘"
	case "rquote":
		return "’"
	case "ldblquote":
		return "“"
	case "rdblquote":
		return "”"
	case "emspace":
		return "\u2003"
	case "enspace":
		return "\u2002"
	case "qmspace":
		return "\u2005"
	case "zwj":
		return "\u200d"
	case "zwnj":
		return "\u200c"
	case "ltrmark":
		return "\u200e"
	case "rtlmark":
		return "\u200f"
	}
	return ""
}

// word obeys a control word. begins means that it is the first of its group, star that \* is before it.
func (r *reader) word(name string, n int, has, begins, star bool) {
	if r.textWord(name, n, has) || r.looks(name, n, has) || r.shape(name, n, has) || r.fontWord(name, n) || r.noted(name, begins) || r.fileWord(name) {
		return
	}
	switch name {
	case "field":
		r.endRun()
		if r.note != 'f' && len(r.uris) < maxDepth {
			r.note = 'f'
			r.uris = append(r.uris, "")
		}
	case "fldinst":
		r.begin(inst)
		r.note = 'i'
	case "fldrslt":
		r.endRun()
		if n := len(r.uris); n > 0 && r.uris[n-1] == drawn {
			r.begin(skip)
			return
		}
		if len(r.uris) > 0 && r.note != 'r' && len(r.linkFrom) < maxDepth {
			r.linkFrom = append(r.linkFrom, len(r.linkText))
			r.note = 'r'
		}
	case "upr":
		r.outer = r.dest + 1
		r.begin(skip)
	case "ud":
		if r.outer > 0 {
			r.dest = r.outer - 1
		}
	case "info":
		r.begin(info)
	case "htmltag":
		if !r.html || r.dest == skip {
			r.begin(skip)
			return
		}
		r.rtf = false
	case "shppict", "pntext", "listtext", "rtf", "shpinst", "result", "shprslt": // their text is the document's
	default:
		if (r.dest == info || r.dest == moment) && r.infoWord(name, n) {
			return
		}
		if begins && (star || skipped(name)) {
			r.begin(skip)
		}
	}
}

// begin sends what follows in the group elsewhere; what was left out around it stays left out.
func (r *reader) begin(d dest) {
	r.endRun()
	if r.dest != skip {
		r.dest = d
		if d == fact || d == inst || d == class {
			r.text = r.text[:0]
		}
	}
}

// textWord obeys a control word that is text.
func (r *reader) textWord(name string, n int, has bool) bool {
	switch name {
	case "u":
		r.unicode(n)
		return true
	case "par", "line", "row", "sect", "page", "column", "nestrow", "lbr", "softline":
		r.lineEnd(name)
		return true
	case "cell", "nestcell":
		r.endRun()
		if r.dest == body && !r.unseen() {
			r.cells++
		}
		return true
	}
	if c := character(name); c != "" && !has {
		r.endRun()
		r.put([]byte(c))
		return true
	}
	return false
}

// lineEnd obeys what ends a line; a paragraph inside a table's cell ends none.
func (r *reader) lineEnd(name string) {
	r.endRun()
	if name == "row" || name == "nestrow" {
		r.rowed = false
	}
	switch {
	case r.dest != body:
		if r.dest == fact {
			r.text = append(r.text, ' ')
		}
	case r.html:
		r.put([]byte("\n"))
	case r.unseen():
	case name == "row" || name == "nestrow":
		r.cells = 0
		if !r.atBOL {
			r.newline()
		}
	case r.table:
		if n := len(r.out); !r.atBOL && r.cells == 0 && (n == 0 || r.out[n-1] != ' ') {
			r.put([]byte(" "))
		}
	default:
		r.newline()
	}
}

// shape obeys a control word that says how text looks, as far as it matters.
func (r *reader) shape(name string, n int, has bool) bool {
	switch name {
	case "uc":
		r.uc = min(max(n, 0), 100)
	case "intbl":
		r.table = true
	case "htmlrtf":
		r.endRun()
		r.rtf = r.html && (!has || n != 0)
	case "fromhtml":
		r.html = n != 0 || !has
		r.html = r.html && r.sink.HTML != nil
	default:
		return false
	}
	return true
}

// fontWord obeys what says in which charset text is.
func (r *reader) fontWord(name string, n int) bool {
	switch name {
	case "ansi":
		r.label = "windows-1252"
	case "mac":
		r.label = "macintosh"
	case "pc":
		r.label = pageOr(437, r.label)
	case "pca":
		r.label = pageOr(850, r.label)
	case "ansicpg":
		r.label = pageOr(n, r.label)
	case "deff":
		r.font0 = n
	case "fonttbl":
		r.begin(fonts)
	case "f":
		r.endRun()
		if r.dest == fonts {
			r.fontNow, r.text = n, r.text[:0]
		} else {
			r.font = n
		}
	case "fcharset":
		r.setFont(fontCharset(n))
	case "cpg":
		r.setFont(n, false)
	default:
		return false
	}
	return true
}

func pageOr(page int, label string) string {
	if l := pageLabel(page); l != "" {
		return l
	}
	return label
}

func (r *reader) setFont(page int, symbol bool) {
	if r.dest != fonts || len(r.fonts) == maxFonts {
		return
	}
	f := r.fonts[r.fontNow]
	f.symbol = symbol
	if page != 0 {
		f.label = pageLabel(page)
	}
	r.fonts[r.fontNow] = f
}

// noted obeys what begins a text beside the text. It stands in brackets where it is referred to.
func (r *reader) noted(name string, begins bool) bool {
	what, note := "", byte('n')
	switch name {
	case "footnote":
		what = "footnote"
	case "annotation":
		what = "comment"
	case "header", "headerl", "headerr", "headerf":
		what, note = "header", 'l'
	case "footer", "footerl", "footerr", "footerf":
		what, note = "footer", 'l'
	default:
		return false
	}
	if !begins || r.dest != body || r.unseen() || r.html {
		return begins
	}
	r.endRun()
	r.font, r.table, r.note = -1, false, note
	if note == 'l' && !r.atBOL {
		r.newline()
	}
	r.put([]byte("[" + what + ": "))
	return true
}
