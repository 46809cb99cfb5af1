package picture

import (
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// color is a colour as it is shown: red, green and blue.
type color [3]byte

var (
	white = color{255, 255, 255}
	black = color{}
)

// gray reports whether a colour is one.
func (c color) gray() bool { return c[0] == c[1] && c[1] == c[2] }

// maxComponents bounds the components of a colour space (ISO 32000-1, annex C).
const maxComponents = 32

// space returns the colour space of the image and what its components go from and to when Decode says nothing; ok is false for one that
// images cannot have. What names none is gray, or of as many components as def says.
func (p *Picture) space(def int) (s content.Space, limits []float64, ok bool) {
	n := p.dict.Key("ColorSpace")
	if p.Stencil || n.Null() {
		return content.DeviceSpace(def), nil, true
	}
	s, ok = content.NewSpace(n)
	switch {
	case !ok || s.Components() > maxComponents:
		return s, nil, false
	case p.codec == "CCITTFaxDecode" && s.Components() != 1:
		return content.DeviceSpace(1), nil, true
	case s.Indexed():
		limits = []float64{0, float64(uint(1)<<p.bits() - 1)}
	case s.Lab(): // 8.6.5.4
		r := numbers(n.Index(1).Key("Range"))
		limits = []float64{0, 100, at(r, 0, -100), at(r, 1, 100), at(r, 2, -100), at(r, 3, 100)}
	}
	return s, limits, true
}

// number returns a number of a dictionary, def where there is none.
func number(n object.Node, key string, def int) int {
	if v := n.Key(key); v.Is(object.Number) {
		return v.Int()
	}
	return def
}

// flag returns a Boolean of a dictionary, def where there is none.
func flag(n object.Node, key string, def bool) bool {
	if v := n.Key(key); v.Is(object.Bool) {
		return v.Bool()
	}
	return def
}

// maxNumbers bounds the arrays of numbers that are read.
const maxNumbers = 2 * maxComponents

// numbers returns the numbers of an array.
func numbers(n object.Node) []float64 {
	out := make([]float64, 0, min(n.Len(), maxNumbers))
	for i := range min(n.Len(), maxNumbers) {
		out = append(out, n.Index(i).Num())
	}
	return out
}

// at returns v[i], def where there is none.
func at(v []float64, i int, def float64) float64 {
	if i < len(v) {
		return v[i]
	}
	return def
}
