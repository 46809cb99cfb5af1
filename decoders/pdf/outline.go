package pdf

import "github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"

// Of the outline that is given: the upper levels come first, so that what is left out is the finest.
const (
	maxOutline      = 200 // entries
	maxOutlineLevel = 8
	maxTitleBytes   = 300 // of one title
)

// outlineEntry is one entry of the outline (12.3.3).
type outlineEntry struct {
	title  string
	level  int // from 1
	page   int // 0: it leads to no page of this file
	uri    string
	tokens int64 // of the pages up to the next entry, where the map knows them
	kids   []int // by index
}

// outline returns the entries in order of reading; cut says that there are more.
func (d *document) outline() (entries []outlineEntry, cut bool) {
	var all []outlineEntry
	var items []object.Node
	seen := map[int]bool{}
	// add appends the chain of entries that begins with first.
	add := func(first object.Node, level int) (kids []int) {
		for item := first; item.Is(object.Dict); item = item.Key("Next") {
			id := item.ID()
			if id != 0 && seen[id] {
				break
			}
			if len(all) == maxOutline {
				cut = true
				break
			}
			seen[id] = true
			kids = append(kids, len(all))
			all = append(all, d.outlineEntry(item, level))
			items = append(items, item)
		}
		return kids
	}
	roots := add(d.root.Key("Outlines").Key("First"), 1)
	for i := 0; i < len(all) && !cut; i++ { // level by level
		first := items[i].Key("First")
		switch {
		case first.Null():
		case all[i].level == maxOutlineLevel:
			cut = true
		default:
			all[i].kids = add(first, all[i].level+1)
		}
	}
	var put func(list []int)
	put = func(list []int) {
		for _, i := range list {
			entries = append(entries, all[i])
			put(all[i].kids)
		}
	}
	put(roots)
	return entries, cut
}

func (d *document) outlineEntry(item object.Node, level int) outlineEntry {
	e := outlineEntry{title: cutText(oneLine(item.Key("Title").Text()), maxTitleBytes), level: level}
	dest, action := item.Key("Dest"), item.Key("A")
	switch {
	case !dest.Null():
		e.page = d.destination(dest)
	case action.Key("S").Name() == "GoTo":
		e.page = d.destination(action.Key("D"))
	case action.Key("S").Name() == "URI":
		e.uri = cutText(action.Key("URI").Text(), maxTitleBytes)
	}
	return e
}

// outlineValue is the outline as it stands in meta.
func outlineValue(entries []outlineEntry) []any {
	out := make([]any, 0, len(entries))
	for _, e := range entries {
		v := map[string]any{"title": e.title, "level": e.level}
		if e.page > 0 {
			v["page"] = e.page
		}
		if e.uri != "" {
			v["uri"] = e.uri
		}
		if e.tokens > 0 {
			v["est_tokens"] = e.tokens
		}
		out = append(out, v)
	}
	return out
}
