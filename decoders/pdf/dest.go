package pdf

import "github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"

// targets knows where in the document a destination leads (12.3.2). Its zero value knows nothing yet.
type targets struct {
	pages  map[int]int         // number of a page by its object: of all pages, or of those that a look at the upper nodes gave
	before map[int]map[int]int // of a node of the tree: how many pages stand before each kid of it
	loaded int                 // kids that were looked up to count their pages
	named  map[string]pair
}

// pair is a value in an array of pairs that was not looked up yet.
type pair struct {
	pairs object.Node
	i     int
}

// Of the way from a page to its number.
const (
	maxUpper   = 256    // nodes of the page tree that are looked at to number the pages below them
	maxCounted = 20_000 // kids that are looked up to count the pages below them, in one read
	maxTargets = 20_000 // named destinations that are kept where the tree of names is not sorted
)

// destination returns the number of the page that a destination leads to, 0 if to none: an array, a name of one, or a dictionary with one.
func (d *document) destination(dest object.Node) int {
	for range 4 { // a name stands for a dictionary that has an array; more is no destination
		switch dest.Kind() {
		case object.String:
			dest = d.named(dest.Raw())
		case object.Name:
			dest = d.named(dest.Name())
		case object.Dict:
			dest = dest.Key("D")
		case object.Array:
			if ref := dest.IndexRef(0); ref != 0 {
				return d.number(ref)
			}
			if n := dest.Index(0); n.Is(object.Number) && n.Int() >= 0 && n.Int() < d.total { // what only remote ones should have
				return n.Int() + 1
			}
			return 0
		default:
			return 0
		}
	}
	return 0
}

// named returns what a name stands for: in the tree of names, or in the dictionary that was before it (12.3.2.3).
func (d *document) named(name string) object.Node {
	if n := d.root.Key("Dests").Key(name); !n.Null() {
		return n
	}
	tree := d.root.Key("Names").Key("Dests")
	if n := lookName(tree, name); !n.Null() {
		return n
	}
	if d.targets.named == nil { // not sorted, or not there
		d.targets.named = map[string]pair{}
		eachName(tree, "Names", func(pairs object.Node, i int) bool {
			d.targets.named[pairs.Index(i).Raw()] = pair{pairs, i + 1}
			return len(d.targets.named) < maxTargets
		})
	}
	p := d.targets.named[name]
	return p.pairs.Index(p.i)
}

// number returns the number of the page that an object is, 0 if it is none. A tree that was not walked is not walked for it either: its
// nodes name their pages, which are not looked at; where there are too many nodes, the way goes from the page up to the root.
func (d *document) number(ref int) int {
	if d.targets.pages == nil {
		d.targets.pages = make(map[int]int, len(d.all))
		for i, p := range d.all {
			d.targets.pages[p.dict.ID()] = i + 1
		}
		if d.all == nil {
			nodes := maxUpper
			d.upper(d.tree, 0, 0, &nodes)
		}
	}
	if at, ok := d.targets.pages[ref]; ok || d.all != nil {
		return at
	}
	at := 1
	for range maxTreeDepth {
		parent := d.file.Object(ref).Ref("Parent")
		before, ok := d.siblings(parent)[ref]
		if !ok {
			return 0
		}
		at += before
		if parent == d.tree.ID() {
			return min(at, d.total)
		}
		ref = parent
	}
	return 0
}

// upper numbers the pages below a node before which there are some, as far as nodes may be looked at.
func (d *document) upper(n object.Node, before, depth int, nodes *int) {
	kids := n.Key("Kids")
	flat := kids.Len() == n.Key("Count").Int()
	for i := range kids.Len() {
		at := before + 1
		if flat {
			at += i
		} else {
			if *nodes--; *nodes < 0 || depth == maxTreeDepth {
				return
			}
			kid := kids.Index(i)
			if before += leaves(kid); !kid.Key("Kids").Null() {
				d.upper(kid, at-1, depth+1, nodes)
				continue
			}
		}
		if at > d.total || len(d.targets.pages) >= maxCounted {
			return
		}
		if _, twice := d.targets.pages[kids.IndexRef(i)]; !twice {
			d.targets.pages[kids.IndexRef(i)] = at
		}
	}
}

// siblings returns how many pages stand before each kid of a node of the page tree.
func (d *document) siblings(node int) map[int]int {
	if node == 0 {
		return nil
	}
	if known, ok := d.targets.before[node]; ok {
		return known
	}
	n := d.file.Object(node)
	kids := n.Key("Kids")
	flat := kids.Len() == n.Key("Count").Int()
	out := map[int]int{}
	sum := 0
	for i := range kids.Len() {
		if _, twice := out[kids.IndexRef(i)]; !twice {
			out[kids.IndexRef(i)] = sum
		}
		if flat {
			sum++
			continue
		}
		if d.targets.loaded++; d.targets.loaded > maxCounted {
			break
		}
		sum += leaves(kids.Index(i))
	}
	if d.targets.before == nil {
		d.targets.before = map[int]map[int]int{}
	}
	d.targets.before[node] = out
	return out
}
