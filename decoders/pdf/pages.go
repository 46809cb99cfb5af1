package pdf

import (
	"github.com/ledongthuc/pdf"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// document is an open PDF.
type document struct {
	file     *file
	trailer  node
	root     node // the catalog
	info     node
	tree     node // root of the page tree
	total    int
	all      []page        // every page, when the tree was walked
	lost     int           // nodes of the tree that are missing from all
	fonts    map[int]*font // by object number
	fontSize int
	text     text // of the page that is read; its memory serves the next
}

// page is one page with what it inherits.
type page struct {
	dict      node
	resources node
	contents  []node // more page dictionaries of this unit, where the tree contradicts itself
}

// eagerPages is up to how many pages the whole tree is walked. A larger tree is trusted in its counts, so that one page costs only the
// path to it.
const eagerPages = 128

// openDocument opens the file and finds its pages.
func openDocument(in readapi.Input) (*document, error) {
	f, err := openFile(in)
	if err != nil {
		return nil, err
	}
	d := &document{file: f}
	if err := d.attach(); err != nil {
		return nil, err
	}
	if d.total == 0 && !f.rebuilt { // the cross-references look sound and lead nowhere
		f.rebuild()
		if err := d.attach(); err != nil {
			return nil, err
		}
	}
	if d.total == 0 {
		d.walk(d.trailer.key(looseKey))
	}
	if d.total == 0 {
		return nil, pdk.Malformed("there are no pages")
	}
	return d, nil
}

// attach opens the object layer over the file as it is known now, and finds the pages.
func (d *document) attach() error {
	r, err := d.file.reader()
	if err != nil {
		return err
	}
	d.fonts, d.fontSize = map[int]*font{}, 0
	d.trailer = node{d: d, v: r.Trailer()}
	d.root, d.info = d.trailer.key("Root"), d.trailer.key("Info")
	d.tree = d.root.key("Pages")
	if d.total = d.trusted(d.tree); d.total == 0 {
		d.walk(d.tree)
	}
	return nil
}

// trusted returns the number of pages that the tree claims, if its root's children agree with it; else 0.
func (d *document) trusted(root node) int {
	kids, count := root.key("Kids"), root.key("Count").integer()
	n := kids.len()
	if count <= eagerPages || count > maxPages || n == 0 {
		return 0
	}
	if n == count {
		return count
	}
	sum := 0
	for i := range n {
		sum += leaves(kids.index(i))
	}
	if sum != count {
		return 0
	}
	return count
}

// leaves returns how many pages a node of the tree claims to hold.
func leaves(n node) int {
	if n.key("Kids").null() {
		return 1
	}
	return max(0, n.key("Count").integer())
}

// walk goes through the whole tree, each node once.
func (d *document) walk(root node) {
	w := walker{seen: map[int]bool{}}
	w.visit(root, node{d: d}, 0)
	d.all, d.total, d.lost = w.pages, len(w.pages), w.lost
}

// walker collects pages.
type walker struct {
	seen  map[int]bool
	pages []page
	lost  int // nodes that could not be read or were met before
}

// visit collects the pages below n, which inherits resources.
func (w *walker) visit(n, resources node, depth int) {
	id := n.id
	if id != 0 && w.seen[id] || depth > maxTreeDepth || len(w.pages) >= maxPages || n.kind() != pdf.Dict && n.kind() != pdf.Array {
		w.lost++
		return
	}
	w.seen[id] = true
	if r := n.key("Resources"); !r.null() {
		resources = r
	}
	kids := n
	if n.kind() == pdf.Dict {
		kids = n.key("Kids")
	}
	if kids.kind() != pdf.Array || n.key("Type").name() == "Page" {
		w.pages = append(w.pages, page{dict: n, resources: resources})
		return
	}
	for i := range kids.len() {
		w.visit(kids.index(i), resources, depth+1)
	}
}

// page returns page at, from 1. In a tree that was not walked it follows the counts.
func (d *document) page(at int) page {
	if d.all != nil {
		return d.all[at-1]
	}
	n, resources, skip := d.tree, node{d: d}, at-1
	for range maxTreeDepth {
		if r := n.key("Resources"); !r.null() {
			resources = r
		}
		kids := n.key("Kids")
		if kids.kind() != pdf.Array {
			return page{dict: n, resources: resources}
		}
		flat := kids.len() == n.key("Count").integer()
		next, ok := node{}, false
		if flat {
			if next, ok = kids.index(skip), skip < kids.len(); ok && !next.key("Kids").null() {
				return d.contradiction(next, resources)
			}
			skip = 0
		} else {
			for i := 0; i < kids.len() && !ok; i++ {
				next = kids.index(i)
				if c := leaves(next); skip < c {
					ok = true
				} else {
					skip -= c
				}
			}
		}
		if !ok {
			return page{}
		}
		n = next
	}
	return page{}
}

// contradiction gives all pages below n as one: the counts say that n is a page, and the numbers of the other pages rest on them.
func (d *document) contradiction(n, resources node) page {
	w := walker{seen: map[int]bool{d.tree.id: true}}
	w.visit(n, resources, 1)
	if len(w.pages) == 0 {
		return page{}
	}
	p := w.pages[0]
	for _, more := range w.pages[1:] {
		p.contents = append(p.contents, more.dict)
	}
	return p
}
