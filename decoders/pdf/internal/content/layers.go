package content

import "github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"

// layers says which optional content is off in the way a document is shown first (8.11).
type layers struct {
	baseOff bool
	turned  map[int]bool // by the number of a group: it is turned off, or on
	known   map[int]bool // answers for objects with a number
	steps   int          // operands of the expression that is evaluated
}

// maxLayers bounds the groups that are listed as on or off.
const maxLayers = 1 << 16

// Layers returns what says whether an optional-content group or membership dictionary is off, nil for a document without layers.
func Layers(catalog object.Node) func(oc object.Node) bool {
	config := catalog.Key("OCProperties").Key("D")
	if !config.Is(object.Dict) {
		return nil
	}
	l := &layers{baseOff: config.Key("BaseState").Name() == "OFF", turned: map[int]bool{}, known: map[int]bool{}}
	for _, list := range []struct {
		key string
		off bool
	}{{"ON", false}, {"OFF", true}} {
		groups := config.Key(list.key)
		for i := range min(groups.Len(), maxLayers) {
			if num := groups.IndexRef(i); num != 0 {
				l.turned[num] = list.off
			}
		}
		groups.File().Work(min(groups.Len(), maxLayers) / 4)
	}
	l.usage(config.Key("AS"))
	return l.off
}

// usage turns off the groups that are to be off when the document is viewed (8.11.4.4).
func (l *layers) usage(events object.Node) {
	for i := range min(events.Len(), maxExpression) {
		event := events.Index(i)
		if event.Key("Event").Name() != "View" {
			continue
		}
		groups := event.Key("OCGs")
		groups.File().Work(min(groups.Len(), maxLayers))
		for j := range min(groups.Len(), maxLayers) {
			if num := groups.IndexRef(j); num != 0 && groups.Index(j).Key("Usage").Key("View").Key("ViewState").Name() == "OFF" {
				l.turned[num] = true
			}
		}
	}
}

// Layers makes the interpreter leave out what is in optional content that is off.
func (in *Interp) Layers(off func(oc object.Node) bool) { in.off = off }

// off reports whether optional content is off.
func (l *layers) off(oc object.Node) bool {
	if off, ok := l.known[oc.ID()]; ok && oc.ID() != 0 {
		return off
	}
	off := false
	if oc.Key("Type").Name() == "OCMD" || !oc.Key("OCGs").Null() {
		off = l.memberOff(oc)
	} else {
		off = l.groupOff(oc.ID())
	}
	if oc.ID() != 0 && len(l.known) < maxLayers {
		l.known[oc.ID()] = off
	}
	return off
}

func (l *layers) groupOff(num int) bool {
	if off, ok := l.turned[num]; ok {
		return off
	}
	return l.baseOff && num != 0
}

// memberOff evaluates a membership dictionary (8.11.2.2): its expression, else its policy.
func (l *layers) memberOff(oc object.Node) bool {
	if ve := oc.Key("VE"); ve.Is(object.Array) {
		l.steps = 0
		on, ok := l.expression(ve, 0)
		return ok && !on || l.steps > maxOperators
	}
	groups := oc.Key("OCGs")
	oc.File().Work(1 + min(groups.Len(), maxLayers))
	on, off := 0, 0
	count := func(num int) {
		if num == 0 { // null, or no reference: it does not count
			return
		}
		if l.groupOff(num) {
			off++
		} else {
			on++
		}
	}
	if groups.Is(object.Array) {
		for i := range min(groups.Len(), maxLayers) {
			count(groups.IndexRef(i))
		}
	} else {
		count(groups.ID())
	}
	if on+off == 0 {
		return false
	}
	switch oc.Key("P").Name() {
	case "AllOn":
		return off > 0
	case "AnyOff":
		return off == 0
	case "AllOff":
		return on > 0
	}
	return on == 0 // AnyOn
}

// Of expressions. One that is over a limit is off: what it says is not known, and what it guards may be meant to be hidden.
const (
	maxExpression = 16   // levels
	maxOperators  = 4096 // operands of all levels together
)

// expression evaluates a visibility expression; ok is false for one that makes no sense.
func (l *layers) expression(ve object.Node, depth int) (on, ok bool) {
	if ve.Is(object.Dict) {
		return !l.groupOff(ve.ID()), true
	}
	if depth > maxExpression {
		l.steps = maxOperators
	}
	if l.steps += ve.Len(); l.steps > maxOperators || ve.Len() < 2 {
		return false, false
	}
	ve.File().Work(ve.Len())
	op := ve.Index(0).Name()
	for i := 1; i < ve.Len(); i++ {
		v, fine := l.expression(ve.Index(i), depth+1)
		if !fine {
			return false, false
		}
		switch {
		case op == "Not":
			return !v, true
		case i == 1:
			on = v
		case op == "And":
			on = on && v
		default:
			on = on || v
		}
	}
	return on, true
}
