package pdftest

import (
	"fmt"
	"strings"
)

// Page is one page of a document: its content, and more entries of its dictionary such as "/Annots[…]".
type Page struct{ Content, Entries string }

// Tree adds a page tree of n pages and returns its number. page makes page i, from 0; it is told the object numbers of all pages, so that
// what stands on one can point to another.
func (w *Writer) Tree(resources string, n int, page func(i int, pages []int) Page) (tree int, pages []int) {
	base := len(w.Objects)
	for i := range n {
		pages = append(pages, base+2*i+2)
	}
	tree = base + 2*n + 1
	var kids []string
	for i := range n {
		p := page(i, pages)
		content := w.Stream("", []byte(p.Content))
		w.Add("<</Type/Page/Parent %d 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<<%s>>%s>>", tree, content, resources, p.Entries)
		kids = append(kids, Ref(pages[i]))
	}
	w.Add("<</Type/Pages/Count %d/Kids[%s]>>", n, strings.Join(kids, " "))
	return tree, pages
}

// Catalog adds the catalog with more entries.
func (w *Writer) Catalog(tree int, entries string, args ...any) {
	w.Root = w.Add("<</Type/Catalog/Pages %d 0 R%s>>", tree, fmt.Sprintf(entries, args...))
}

// Ref is a reference to an object.
func Ref(num int) string { return fmt.Sprintf("%d 0 R", num) }

// Text is a text string in UTF-16.
func Text(s string) string {
	var b strings.Builder
	b.WriteString("<FEFF")
	for _, r := range s {
		if r > 0xffff {
			r -= 0x10000
			fmt.Fprintf(&b, "%04X%04X", 0xd800+r>>10, 0xdc00+r&0x3ff)
			continue
		}
		fmt.Fprintf(&b, "%04X", r)
	}
	return b.String() + ">"
}

// OutlineItem is one entry of an outline. Entries holds where it leads, such as "/Dest[3 0 R/Fit]".
type OutlineItem struct {
	Title   string
	Level   int // from 1
	Entries string
}

// Outline adds the entries in order of reading and returns the number of the outline dictionary.
func (w *Writer) Outline(items ...OutlineItem) int {
	base := len(w.Objects) + 1
	// sibling returns the next item behind i on its level, first the first one below it; 0 for none.
	sibling := func(i int) int {
		for k := i + 1; k < len(items) && items[k].Level >= items[i].Level; k++ {
			if items[k].Level == items[i].Level {
				return base + k
			}
		}
		return 0
	}
	for i, item := range items {
		s := ""
		if n := sibling(i); n > 0 {
			s += "/Next " + Ref(n)
		}
		if i+1 < len(items) && items[i+1].Level > item.Level {
			s += "/First " + Ref(base+i+1)
		}
		w.Add("<</Title%s%s%s>>", Text(item.Title), s, item.Entries)
	}
	return w.Add("<</Type/Outlines/First %d 0 R>>", base)
}

// Attachment adds a file specification with an embedded file and returns its number. entries are more ones of the specification.
func (w *Writer) Attachment(name, mediaType string, data []byte, entries string) int {
	subtype := ""
	if mediaType != "" {
		subtype = "/Subtype/" + strings.ReplaceAll(mediaType, "/", "#2F")
	}
	stream := w.Flate(fmt.Sprintf("/Type/EmbeddedFile%s/Params<</Size %d>>", subtype, len(data)), string(data))
	return w.Add("<</Type/Filespec/F%s/UF%s/EF<</F %d 0 R>>%s>>", Text(name), Text(name), stream, entries)
}

// NameTree adds a name tree over pairs of a key and a value and returns its number: leaves of fan pairs below one root.
func (w *Writer) NameTree(fan int, pairs ...string) int {
	var kids []string
	for i := 0; i < len(pairs); i += 2 * fan {
		leaf := pairs[i:min(len(pairs), i+2*fan)]
		s := ""
		for k := 0; k < len(leaf); k += 2 {
			s += fmt.Sprintf("(%s)%s", leaf[k], leaf[k+1])
		}
		kids = append(kids, Ref(w.Add("<</Limits[(%s)(%s)]/Names[%s]>>", leaf[0], leaf[len(leaf)-2], s)))
	}
	return w.Add("<</Kids[%s]>>", strings.Join(kids, " "))
}

// XMP adds a metadata stream whose description has the given elements.
func (w *Writer) XMP(elements string) int {
	return w.Stream("/Type/Metadata/Subtype/XML", []byte("<?xpacket begin='\ufeff' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta xmlns:x='adobe:ns:meta/'>"+
		"<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about=''>"+elements+"</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end='w'?>"))
}

// Form is what a page shows: text in a form XObject of the given size, whose number is returned. font is the number of F1.
func (w *Writer) Form(font int, text string) int {
	return w.Stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 200 20]/Resources<</Font<</F1 %d 0 R>>>>", font),
		fmt.Appendf(nil, "BT /F1 10 Tf 2 5 Td (%s) Tj ET", text))
}
