package jp2

import (
	"cmp"
	"slices"
)

// The progression orders (table A.16).
const (
	orderLRCP = iota
	orderRLCP
	orderRPCL
	orderPCRL
	orderCPRL
)

// packetID names a packet: it has one layer of one precinct.
type packetID struct {
	comp, res, precinct int
	layer               int
}

// maxSteps bounds how often a packet is looked for: changes of the order go over those that are there already.
const maxSteps = 1 << 26

// packets calls visit for each packet of the tile in order (B.12), until it returns false. Each packet comes once, its layers in order.
func (t *tile) packets(visit func(id packetID) bool) {
	volumes := t.changes
	if len(volumes) == 0 {
		volumes = []volume{{order: t.order, resTo: maxLevels + 1, compTo: len(t.comps), layersTo: t.layers}}
	}
	w := walk{tile: t, visit: visit}
	for _, v := range volumes {
		v.resTo, v.compTo, v.layersTo = min(v.resTo, maxLevels+1), min(v.compTo, len(t.comps)), min(v.layersTo, t.layers)
		if w.volume(v); w.done {
			return
		}
	}
}

// walk is a walk through packets.
type walk struct {
	tile  *tile
	visit func(id packetID) bool
	done  bool
	steps int
}

// at visits a packet, if it is the next one of its precinct.
func (w *walk) at(comp, res, precinct, layer int) {
	if w.steps++; w.steps > maxSteps {
		w.done = true
	}
	next := w.tile.comps[comp].res[res].next
	if w.done || next[precinct] != int32(layer) {
		return
	}
	next[precinct]++
	w.done = !w.visit(packetID{comp, res, precinct, layer})
}

// has returns how many precincts a resolution has; 0 where the component has no such resolution.
func (w *walk) has(comp, res int) int {
	if r := w.tile.comps[comp].res; res < len(r) {
		return r[res].nx * r[res].ny
	}
	return 0
}

func (w *walk) volume(v volume) {
	switch v.order {
	case orderLRCP:
		for l := 0; l < v.layersTo && !w.done; l++ {
			for r := v.resFrom; r < v.resTo && !w.done; r++ {
				w.components(v, r, l, l+1)
			}
		}
	case orderRLCP:
		for r := v.resFrom; r < v.resTo && !w.done; r++ {
			for l := 0; l < v.layersTo && !w.done; l++ {
				w.components(v, r, l, l+1)
			}
		}
	case orderRPCL:
		for r := v.resFrom; r < v.resTo && !w.done; r++ {
			places := w.places(nil, v.compFrom, v.compTo, r, r+1)
			w.placed(v, places, func(a, b place) int {
				return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x), cmp.Compare(a.comp, b.comp), cmp.Compare(a.precinct, b.precinct))
			})
		}
	case orderPCRL:
		places := w.places(nil, v.compFrom, v.compTo, v.resFrom, v.resTo)
		w.placed(v, places, func(a, b place) int {
			return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x), cmp.Compare(a.comp, b.comp), cmp.Compare(a.res, b.res), cmp.Compare(a.precinct, b.precinct))
		})
	case orderCPRL:
		for k := v.compFrom; k < v.compTo && !w.done; k++ {
			places := w.places(nil, k, k+1, v.resFrom, v.resTo)
			w.placed(v, places, func(a, b place) int {
				return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x), cmp.Compare(a.res, b.res), cmp.Compare(a.precinct, b.precinct))
			})
		}
	}
}

// components visits layers from to to of resolution r, precinct by precinct of each component.
func (w *walk) components(v volume, r, from, to int) {
	for k := v.compFrom; k < v.compTo && !w.done; k++ {
		for p := range w.has(k, r) {
			for l := from; l < to && !w.done; l++ {
				w.at(k, r, p, l)
			}
		}
	}
}

// place is a precinct with its position: its upper left corner on the reference grid, or that of the tile where it begins before.
type place struct {
	y, x      int64
	comp, res int32
	precinct  int32
}

// places lists the precincts of components and resolutions.
func (w *walk) places(out []place, compFrom, compTo, resFrom, resTo int) []place {
	for k := compFrom; k < compTo; k++ {
		tc := &w.tile.comps[k]
		for r := resFrom; r < min(resTo, len(tc.res)); r++ {
			res := &tc.res[r]
			n := tc.levels - r
			for p := range w.has(k, r) {
				x, y := (res.area.x0>>res.ppx+int64(p%res.nx))<<res.ppx, (res.area.y0>>res.ppy+int64(p/res.nx))<<res.ppy
				out = append(out, place{
					y: max(y<<n*tc.dy, w.tile.area.y0), x: max(x<<n*tc.dx, w.tile.area.x0), comp: int32(k), res: int32(r), precinct: int32(p),
				})
			}
		}
	}
	return out
}

// placed visits all layers of the places, in the order of less.
func (w *walk) placed(v volume, places []place, order func(a, b place) int) {
	slices.SortFunc(places, order)
	for _, p := range places {
		for l := 0; l < v.layersTo && !w.done; l++ {
			w.at(int(p.comp), int(p.res), int(p.precinct), l)
		}
		if w.done {
			return
		}
	}
}
