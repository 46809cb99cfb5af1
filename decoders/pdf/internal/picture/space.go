package picture

import (
	"math"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// color is a colour as it is shown: red, green and blue.
type color [3]byte

var (
	white = color{255, 255, 255}
	black = color{}
)

// space is a colour space (8.6).
type space struct {
	n      int       // components
	gray   bool      // all its colours are gray
	index  int       // Indexed: its highest index; else 0
	limits []float64 // of each component, when Decode says nothing: [0 1] where missing
	color  func(v []float64) color
}

// Of colour spaces.
const (
	maxComponents = 32 // ISO 32000-1, annex C
	maxSpaceDepth = 4
	maxPalette    = 256 * maxComponents
)

func deviceGray(v []float64) color {
	g := level(v[0])
	return color{g, g, g}
}

func deviceRGB(v []float64) color { return color{level(v[0]), level(v[1]), level(v[2])} }

// deviceCMYK converts as the decoder of pictures does (10.3.5 gives nearly the same).
func deviceCMYK(v []float64) color {
	k := 1 - clamp(v[3])
	return color{level((1 - clamp(v[0])) * k), level((1 - clamp(v[1])) * k), level((1 - clamp(v[2])) * k)}
}

func clamp(v float64) float64 { return max(0, min(1, v)) }
func level(v float64) byte    { return byte(clamp(v)*255 + 0.5) }

var (
	graySpace = &space{n: 1, gray: true, color: deviceGray}
	rgbSpace  = &space{n: 3, color: deviceRGB}
	cmykSpace = &space{n: 4, color: deviceCMYK}
)

// deviceSpace is the device space of n components, nil if there is none.
func deviceSpace(n int) *space {
	switch n {
	case 1:
		return graySpace
	case 3:
		return rgbSpace
	case 4:
		return cmykSpace
	}
	return nil
}

// newSpace reads a colour space; nil for one that images cannot have.
func newSpace(n object.Node, depth int) *space {
	if depth > maxSpaceDepth {
		return nil
	}
	name := n.Name()
	if n.Is(object.Array) {
		name = n.Index(0).Name()
	}
	switch name {
	case "DeviceGray", "CalGray":
		return graySpace
	case "DeviceRGB", "CalRGB":
		return rgbSpace
	case "DeviceCMYK", "CalCMYK":
		return cmykSpace
	case "ICCBased": // the profile is not followed: what has three components is near enough to RGB
		profile := n.Index(1)
		if alt := profile.Key("Alternate"); alt.Index(0).Name() == "Lab" {
			return newSpace(alt, depth+1)
		}
		if s := deviceSpace(profile.Key("N").Int()); s != nil {
			return s
		}
		return newSpace(profile.Key("Alternate"), depth+1)
	case "Lab":
		return labSpace(n.Index(1))
	case "Indexed":
		return indexed(n, depth)
	case "Separation":
		return tinted(n, 1, depth)
	case "DeviceN":
		return tinted(n, n.Index(1).Len(), depth)
	}
	return nil
}

// labSpace is CIE L*a*b* (8.6.5.4), shown as sRGB.
func labSpace(dict object.Node) *space {
	bounds := numbers(dict.Key("Range"))
	s := &space{n: 3, limits: []float64{0, 100, at(bounds, 0, -100), at(bounds, 1, 100), at(bounds, 2, -100), at(bounds, 3, 100)}}
	part := func(t, w float64) float64 { // of the white point, scaled to that of sRGB
		if t >= 6.0/29 {
			return w * t * t * t
		}
		return w * 108 / 841 * (t - 4.0/29)
	}
	s.color = func(v []float64) color {
		m := (v[0] + 16) / 116
		x, y, z := part(m+v[1]/500, 0.9505), part(m, 1), part(m-v[2]/200, 1.089)
		// IEC 61966-2-1, from XYZ to linear RGB.
		return color{
			srgb(3.2406*x - 1.5372*y - 0.4986*z), srgb(-0.9689*x + 1.8758*y + 0.0415*z), srgb(0.0557*x - 0.2040*y + 1.0570*z),
		}
	}
	return s
}

// srgb is the curve of IEC 61966-2-1.
func srgb(v float64) byte {
	if v <= 0.0031308 {
		return level(12.92 * v)
	}
	return level(1.055*math.Pow(v, 1/2.4) - 0.055)
}

// indexed is a palette (8.6.6.3).
func indexed(n object.Node, depth int) *space {
	base := newSpace(n.Index(1), depth+1)
	if base == nil || base.index > 0 {
		return nil
	}
	table, _ := n.Index(3).Data(maxPalette)
	if n.Index(3).Is(object.String) {
		table = []byte(n.Index(3).Raw())
	}
	s := &space{n: 1, index: max(1, min(255, n.Index(2).Int())), gray: true}
	var colors [256]color // black where the table is too short
	v := make([]float64, base.n)
	for i := range min(s.index+1, len(table)/base.n) {
		for k := range v {
			lo, hi := base.limit(k)
			v[k] = lo + float64(table[i*base.n+k])/255*(hi-lo)
		}
		c := base.color(v)
		colors[i] = c
		s.gray = s.gray && c[0] == c[1] && c[1] == c[2]
	}
	s.color = func(v []float64) color { return colors[int(max(0, min(float64(s.index), v[0])))] }
	return s
}

// limit is what component k goes from and to.
func (s *space) limit(k int) (lo, hi float64) { return at(s.limits, 2*k, 0), at(s.limits, 2*k+1, 1) }

// maxTints is how many colours of a space with inks are remembered; pictures use few of them.
const maxTints = 1 << 15

// tinted is a space of inks (8.6.6.4, 8.6.6.5), which a function turns into another space. Without one, ink is black.
func tinted(n object.Node, inks, depth int) *space {
	if inks < 1 || inks > maxComponents {
		return nil
	}
	base := newSpace(n.Index(2), depth+1)
	tint := newFunction(n.Index(3), 0)
	s := &space{n: inks}
	if base == nil || base.index > 0 || tint == nil || inks > maxFunctionIn {
		s.gray, s.color = true, func(v []float64) color {
			g := 1.0
			for _, ink := range v {
				g *= 1 - clamp(ink)
			}
			return deviceGray([]float64{g})
		}
		return s
	}
	s.gray = base.gray
	known := map[[maxFunctionIn]byte]color{}
	out := make([]float64, base.n)
	s.color = func(v []float64) color {
		var key [maxFunctionIn]byte
		for i, ink := range v {
			key[i] = level(ink)
		}
		c, ok := known[key]
		if !ok {
			n.File().Work(workTint)
			clear(out)
			tint(v, out)
			if c = base.color(out); len(known) < maxTints {
				known[key] = c
			}
		}
		return c
	}
	return s
}

// workTint is what a tint transform costs, in units of work: a program has some twenty operators, a table sixteen corners.
const workTint = 16
