package pdf

import (
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/font"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// document is an open PDF.
type document struct {
	file    *object.File
	root    object.Node // the catalog
	info    object.Node
	tree    object.Node // root of the page tree
	total   int
	all     []page // every page, when the tree was walked
	lost    int    // nodes of the tree that are missing from all
	fonts   font.Cache
	layers  func(oc object.Node) bool // says which of them are off; nil: there are none
	content content.Page              // the page that is read; its memory serves the next

	unescaped   bool // what is hidden is shown
	words       bool // tables stand in the text alone
	targets     targets
	contents    []outlineEntry
	contentsCut bool
	inside      []insideFile // files of the document; nil: not looked up
	seen        []seenPage   // of this answer
	scriptSeen  bool         // an annotation of a page that was read has one
	hidden      int          // characters of pages that were read which are not seen
	alone       bool         // the page that is read is the first of its answer
	spent       bool         // it took all the work of the read
}

// page is one page with what it inherits.
type page struct {
	inherited
	dict object.Node
	more []object.Node // more page dictionaries of this unit, where the tree contradicts itself
}

// inherited is what a page has of the nodes above it (7.7.3.4).
type inherited struct{ resources, media, crop, rotate object.Node }

// with returns what is inherited below n.
func (in inherited) with(n object.Node) inherited {
	return in.under(inherited{n.Key("Resources"), n.Key("MediaBox"), n.Key("CropBox"), n.Key("Rotate")})
}

// under returns what counts where own is said below in.
func (in inherited) under(own inherited) inherited {
	return inherited{or(own.resources, in.resources), or(own.media, in.media), or(own.crop, in.crop), or(own.rotate, in.rotate)}
}

// or returns the first that is there.
func or(a, b object.Node) object.Node {
	if a.Null() {
		return b
	}
	return a
}

// Of page trees.
const (
	maxTreeDepth = 64
	maxPages     = 1_000_000
)

// eagerPages is up to how many pages the whole tree is walked. A larger tree is trusted in its counts, so that one page costs only the
// path to it.
const eagerPages = 128

// openDocument opens the file and finds its pages.
func openDocument(in readapi.Input, password string) (*document, error) {
	f, err := object.Open(in, password)
	if err != nil {
		return nil, err
	}
	d := &document{file: f}
	d.attach()
	if d.lost > 0 && f.Search() { // the cross-references may have lost more than one node
		d.attach()
	}
	if d.total == 0 && f.Rebuild() { // they look sound and lead nowhere
		d.attach()
	}
	if d.total == 0 {
		w := walker{seen: map[int]bool{}}
		for _, p := range f.LoosePages() {
			w.visit(p, above(p), 1)
		}
		d.take(&w)
		if d.tree.Key("Count").Int() > d.total {
			d.lost++
		}
	}
	if d.total == 0 {
		return nil, pdk.Malformed("there are no pages")
	}
	return d, nil
}

// above is what a page inherits of the nodes that it says are above it, for one that no tree led to.
func above(p object.Node) (in inherited) {
	for range maxTreeDepth {
		if p = p.Key("Parent"); !p.Is(object.Dict) {
			break
		}
		in = inherited{}.with(p).under(in)
	}
	return in
}

// attach finds the pages of the file as it is known now.
func (d *document) attach() {
	trailer := d.file.Trailer()
	d.root, d.info = trailer.Key("Root"), trailer.Key("Info")
	d.tree = d.root.Key("Pages")
	d.layers = content.Layers(d.root)
	d.all, d.lost = nil, 0
	if d.total = d.trusted(d.tree); d.total == 0 {
		d.walk(d.tree)
	}
}

// trusted returns the number of pages that the tree claims, if its root's children agree with it; else 0.
func (d *document) trusted(root object.Node) int {
	kids, count := root.Key("Kids"), root.Key("Count").Int()
	n := kids.Len()
	if count <= eagerPages || count > maxPages || n == 0 {
		return 0
	}
	if n == count {
		return count
	}
	sum := 0
	for i := range n {
		sum += leaves(kids.Index(i))
	}
	if sum != count {
		return 0
	}
	return count
}

// leaves returns how many pages a node of the tree claims to hold.
func leaves(n object.Node) int {
	if n.Key("Kids").Null() {
		return 1
	}
	return max(0, n.Key("Count").Int())
}

// walk goes through the whole tree, each node once.
func (d *document) walk(root object.Node) {
	w := walker{seen: map[int]bool{}}
	w.visit(root, inherited{}, 0)
	d.take(&w)
}

func (d *document) take(w *walker) { d.all, d.total, d.lost = w.pages, len(w.pages), w.lost }

// walker collects pages.
type walker struct {
	seen  map[int]bool
	pages []page
	lost  int // nodes that could not be read, or were met before and are no pages
}

// visit collects the pages below n: a dictionary with kids is a node of the tree, one without is a page unless it says that it is a node. An
// array where a node should be, which some writers nest, stands for its elements.
func (w *walker) visit(n object.Node, above inherited, depth int) {
	id := n.ID()
	if id != 0 && w.seen[id] && n.Is(object.Dict) && isPage(n) { // one page in two places is two pages
		id = 0
	}
	if id != 0 && w.seen[id] || depth > maxTreeDepth || len(w.pages) >= maxPages || !n.Is(object.Dict) && !n.Is(object.Array) {
		w.lost++
		return
	}
	w.seen[id] = true
	kids := n
	if n.Is(object.Dict) {
		above = above.with(n)
		kids = n.Key("Kids")
		if kids.Is(object.Dict) { // one kid without its array
			w.visit(kids, above, depth+1)
			return
		}
	}
	switch {
	case n.Is(object.Dict) && isPage(n):
		w.pages = append(w.pages, page{inherited: above, dict: n})
	case kids.Is(object.Array):
		for i := range kids.Len() {
			w.visit(kids.Index(i), above, depth+1)
		}
	case n.Key("Count").Int() != 0 || n.Ref("Kids") != 0:
		w.lost++ // a node whose kids are not there
	}
}

// isPage reports whether a node of the tree is a page.
func isPage(n object.Node) bool {
	switch n.Key("Type").Name() {
	case "Page":
		return true
	case "Pages":
		return n.Key("Kids").Null() && !n.Key("Contents").Null() // a page that says that it is a node
	}
	return !n.Key("Kids").Is(object.Array) && n.Ref("Kids") == 0
}

// incomplete says what of the file is missing as a whole, "" if nothing is known to be.
func (d *document) incomplete() string {
	switch {
	case d.file.Cut():
		return "the file breaks off"
	case d.lost > 0:
		return "parts of the page tree cannot be read"
	}
	return ""
}

// page returns page at, from 1.
func (d *document) page(at int) page {
	if d.all != nil {
		return d.all[at-1]
	}
	p := d.find(at)
	if !p.dict.Is(object.Dict) && d.file.Search() {
		p = d.find(at)
	}
	return p
}

// find follows the counts of a tree that was not walked.
func (d *document) find(at int) page {
	n, above, skip := d.tree, inherited{}, at-1
	for range maxTreeDepth {
		above = above.with(n)
		kids := n.Key("Kids")
		if !kids.Is(object.Array) {
			return page{inherited: above, dict: n}
		}
		flat := kids.Len() == n.Key("Count").Int()
		next, ok := object.Node{}, false
		if flat {
			if next, ok = kids.Index(skip), skip < kids.Len(); ok && !next.Key("Kids").Null() {
				return contradiction(next, above, d.tree.ID())
			}
			skip = 0
		} else {
			for i := 0; i < kids.Len() && !ok; i++ {
				next = kids.Index(i)
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
func contradiction(n object.Node, above inherited, root int) page {
	w := walker{seen: map[int]bool{root: true}}
	w.visit(n, above, 1)
	if len(w.pages) == 0 {
		return page{}
	}
	p := w.pages[0]
	for _, more := range w.pages[1:] {
		p.more = append(p.more, more.dict)
	}
	return p
}
