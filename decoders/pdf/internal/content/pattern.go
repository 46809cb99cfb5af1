package content

import "github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"

// pattern is the one colour of a pattern with a name (8.7), as far as it has one. The operands v colour a pattern that has none itself.
func (f *frame) pattern(name string, s *space, v []float64) ink {
	n := f.resource("Pattern", name)
	if n.Key("PatternType").Int() == 2 {
		return f.in.shading(n.Key("Shading"))
	}
	kind, ok := f.in.tiles[n.ID()]
	if !ok || n.ID() == 0 {
		data, err := n.Data(maxGlyphBytes)
		if err != nil || !n.Is(object.Stream) {
			return ink{kind: inkUnknown}
		}
		f.in.file.Parsed(len(data))
		kind = paintsOf(data)
		if f.in.tiles == nil || len(f.in.tiles) >= maxNames {
			f.in.tiles = map[int]glyphKind{}
		}
		f.in.tiles[n.ID()] = kind
	}
	switch {
	case kind == glyphBlank:
		return ink{kind: inkNone}
	case kind == glyphPaper:
		return ink{rgb: paper}
	case kind == glyphDrawn && n.Key("PaintType").Int() == 2 && s.base != nil:
		return s.base.ink(v)
	}
	return ink{kind: inkUnknown}
}

// shading is the one colour of a shading (8.7.4.5): that of its function where it is the same at both ends and between them.
func (in *Interp) shading(n object.Node) ink {
	if k, ok := in.shadings[n.ID()]; ok && n.ID() != 0 {
		return k
	}
	k := in.shade(n)
	if in.shadings == nil || len(in.shadings) >= maxNames {
		in.shadings = map[int]ink{}
	}
	in.shadings[n.ID()] = k
	return k
}

func (in *Interp) shade(n object.Node) (out ink) {
	unknown := ink{kind: inkUnknown}
	fn, s := n.Key("Function"), parseSpace(n.Key("ColorSpace"), 0)
	if n.Key("ShadingType").Int() == 1 && !fn.Is(object.Array) {
		return plane(fn, n.Key("Domain"), s)
	}
	if t := n.Key("ShadingType").Int(); t != 2 && t != 3 || fn.Null() {
		return unknown
	}
	lo, hi := pair(n.Key("Domain"), 0, 0, 1)
	for i := range 5 {
		t := lo + (hi-lo)*float64(i)/4
		v := call(fn, []float64{t}, 0)
		if fn.Is(object.Array) { // one for each component
			v = v[:0]
			for j := range min(fn.Len(), maxTints) {
				v = append(v, append(call(fn.Index(j), []float64{t}, 0), 0)[0])
			}
		}
		if len(v) == 0 || len(v) < s.n {
			return unknown
		}
		k := s.ink(v)
		if i > 0 && !k.like(out.rgb) || k.kind != inkKnown {
			return unknown
		}
		out = k
	}
	return out
}

// plane is the one colour of a shading by a function of the place (8.7.4.5.2), as far as some places show it.
func plane(fn, domain object.Node, s *space) (out ink) {
	x0, x1 := pair(domain, 0, 0, 1)
	y0, y1 := pair(domain, 1, 0, 1)
	for i := range 25 {
		v := call(fn, []float64{x0 + (x1-x0)*float64(i%5)/4, y0 + (y1-y0)*float64(i/5)/4}, 0)
		if len(v) == 0 || len(v) < s.n {
			return ink{kind: inkUnknown}
		}
		k := s.ink(v)
		if i > 0 && !k.like(out.rgb) || k.kind != inkKnown {
			return ink{kind: inkUnknown}
		}
		out = k
	}
	return out
}
