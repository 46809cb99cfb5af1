package content

import (
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/font"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// state is the part of the graphics state that says where text stands and whether it is seen (8.4, 9.3).
type state struct {
	ctm  Matrix
	clip *clip

	font  *font.Font
	type3 *type3 // of the font, if it is one
	size  float64
	char  float64 // Tc
	word  float64 // Tw
	wide  float64 // Tz / 100
	lead  float64 // TL
	rise  float64 // Ts
	mode  int     // Tr

	fill, stroke           ink
	fillSpace, strokeSpace *space
	fillAlpha, strokeAlpha float64 // ca, CA
	group                  float64 // alpha of the groups around
	mixes, darkens         bool    // the blend mode, see coat
	groupMixes             bool    // the same of the groups around
	groupDarkens           bool
	masked                 bool    // a soft mask is set: less than everything is seen
	blocked                bool    // it lets nothing through
	width                  float64 // of lines

	off      bool // in a layer that is off
	artifact bool
	scrolls  bool // the text of a form field, which a person can move in its box
	letters  int  // 1 + which letters are the clip (Tr 4 to 7); 0: none
}

// initialState is what a page begins with.
func (in *Interp) initialState() state {
	return state{
		ctm: Identity, clip: &clip{rect: in.box()}, wide: 1, width: 1,
		fillSpace: deviceGray, strokeSpace: deviceGray, fillAlpha: 1, strokeAlpha: 1, group: 1,
	}
}

// box is what of user space is seen, by default a page of US Letter.
func (in *Interp) box() Rect {
	if in.page.Box.Empty() {
		return Rect{X1: 612, Y1: 792}
	}
	return in.page.Box
}

// external applies an external graphics state (8.4.5).
func (f *frame) external(name string) {
	gs, s := f.resource("ExtGState", name), &f.state
	if pair := gs.Key("Font"); pair.Len() == 2 {
		f.setFont(f.loaded("ExtGState/"+name, pair.Index(0)))
		s.size = pair.Index(1).Num()
	}
	alpha := func(key string, v *float64) {
		if n := gs.Key(key); n.Is(object.Number) {
			*v = min(max(n.Num(), 0), 1)
		}
	}
	alpha("ca", &s.fillAlpha)
	alpha("CA", &s.strokeAlpha)
	if n := gs.Key("LW"); n.Is(object.Number) {
		s.width = n.Num()
	}
	if mode := gs.Key("BM"); !mode.Null() {
		if mode.Is(object.Array) {
			mode = mode.Index(0)
		}
		name := mode.Name()
		s.mixes = name != "Normal" && name != "Compatible"
		s.darkens = name == "Multiply" || name == "Darken"
	}
	if m := gs.Key("SMask"); !m.Null() {
		s.masked, s.blocked = m.Is(object.Dict), false
		if s.masked {
			s.blocked = f.in.blocks(m)
		}
	}
}

// blocks reports whether a soft mask lets nothing through (11.5): one whose group paints nothing, on black where luminosity counts.
func (in *Interp) blocks(m object.Node) bool {
	group := m.Key("G")
	id := group.ID()
	if known, ok := in.masks[id]; ok && id != 0 {
		return known
	}
	dark := true
	for i, bc := 0, m.Key("BC"); i < bc.Len() && i < maxTints; i++ {
		dark = dark && bc.Index(i).Num() == 0 || bc.Len() == 4
	}
	out := false
	if data, err := group.Data(maxGlyphBytes); err == nil && group.Is(object.Stream) {
		in.file.Parsed(len(data))
		out = dark && m.Key("TR").Null() && paintsOf(data) == glyphBlank
	}
	if in.masks == nil || len(in.masks) >= maxNames {
		in.masks = map[int]bool{}
	}
	in.masks[id] = out
	return out
}

// grouped makes s the state that the content of a transparency group begins with (11.6.6).
func (s *state) grouped() {
	s.group *= s.fillAlpha
	s.groupMixes, s.groupDarkens = s.groupMixes || s.mixes, s.groupDarkens || s.darkens
	s.fillAlpha, s.strokeAlpha, s.mixes, s.darkens = 1, 1, false, false
}

// lettersInk is what letters are painted with in a render mode, and how much of it (9.3.6).
func (s *state) lettersInk() (k ink, alpha float64) {
	switch s.mode & 3 {
	case 1:
		return s.stroke, s.strokeAlpha
	case 2:
		if s.strokeAlpha > 0 && s.stroke.kind != inkNone && (s.stroke != s.fill || s.fillAlpha == 0) {
			if s.fillAlpha == 0 || s.fill.kind == inkNone {
				return s.stroke, s.strokeAlpha
			}
			return ink{kind: inkUnknown}, 1 // either of two colours may stand out
		}
	}
	return s.fill, s.fillAlpha
}
