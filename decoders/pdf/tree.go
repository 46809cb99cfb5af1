package pdf

import "github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"

// Of name trees (7.9.6) and number trees (7.9.7).
const (
	maxNameDepth = 32
	maxNameNodes = 4096   // that one walk goes to
	maxNameKeys  = 50_000 // that one walk sees
	maxNameLeaf  = 1024   // elements of a leaf that is searched from end to end; larger ones are walked once for all names
)

// nameWalk goes through a name or number tree in its order, each node once.
type nameWalk struct {
	list  string // key of the leaves: Names or Nums
	visit func(pairs object.Node, i int) (more bool)
	seen  map[int]bool
	nodes int
	keys  int
}

// eachName calls visit for each pair below tree until it returns false. Key and value are elements i and i+1 of pairs: whoever does not
// need the value does not look it up.
func eachName(tree object.Node, list string, visit func(pairs object.Node, i int) (more bool)) {
	w := nameWalk{list: list, visit: visit, seen: map[int]bool{}}
	w.walk(tree, 0)
}

func (w *nameWalk) walk(n object.Node, depth int) (more bool) {
	if id := n.ID(); id != 0 {
		if w.seen[id] {
			return true
		}
		w.seen[id] = true
	}
	if w.nodes++; w.nodes > maxNameNodes || depth > maxNameDepth {
		return w.nodes <= maxNameNodes
	}
	pairs := n.Key(w.list)
	if f := n.File(); f != nil {
		f.Work(1 + pairs.Len()/2)
	}
	for i := 0; i+1 < pairs.Len(); i += 2 {
		if w.keys++; w.keys > maxNameKeys || !w.visit(pairs, i) {
			return false
		}
	}
	for kids, i := n.Key("Kids"), 0; i < kids.Len(); i++ {
		if !w.walk(kids.Index(i), depth+1) {
			return false
		}
	}
	return true
}

// lookName returns the value of a key in a name tree that is sorted as it should be, going only where the limits of its nodes lead.
func lookName(tree object.Node, key string) object.Node {
	n := tree
	for range maxNameDepth {
		pairs := n.Key("Names")
		if pairs.Len() > maxNameLeaf {
			break
		}
		for i := 0; i+1 < pairs.Len(); i += 2 {
			if pairs.Index(i).Raw() == key {
				return pairs.Index(i + 1)
			}
		}
		kids := n.Key("Kids")
		n = object.Node{}
		for i := range min(kids.Len(), maxNameNodes) {
			kid := kids.Index(i)
			limits := kid.Key("Limits")
			if limits.Len() == 2 && limits.Index(0).Raw() <= key && key <= limits.Index(1).Raw() {
				n = kid
				break
			}
		}
		if n.Null() {
			break
		}
	}
	return object.Node{}
}
