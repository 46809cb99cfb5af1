package content

import (
	"math"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// Space is a colour space (8.6) as whoever decodes pictures needs it.
type Space struct{ s *space }

// NewSpace reads a colour space by its full name; ok is false for one that pictures cannot have.
func NewSpace(n object.Node) (s Space, ok bool) {
	s = Space{parseSpace(n, 0)}
	return s, s.s.n > 0
}

// DeviceSpace is the device space with so many components: DeviceGray, DeviceRGB or DeviceCMYK; gray for any other number.
func DeviceSpace(components int) Space {
	switch components {
	case 3:
		return Space{deviceRGB}
	case 4:
		return Space{deviceCMYK}
	}
	return Space{deviceGray}
}

// Components is how many numbers a colour is.
func (s Space) Components() int { return s.s.n }

// Indexed reports whether a colour is a place in a palette.
func (s Space) Indexed() bool { return s.s.kind == spaceIndexed }

// RGB reports whether a colour is red, green and blue, from 0 to 1.
func (s Space) RGB() bool { return s.s.kind == spaceRGB }

// CMYK reports whether a colour is cyan, magenta, yellow and black, from 0 to 1.
func (s Space) CMYK() bool { return s.s.kind == spaceCMYK }

// Lab reports whether a colour is L*, a* and b*.
func (s Space) Lab() bool { return s.s.kind == spaceLab }

// Color is how the colour v looks. Where that is not known, as the function of a space of inks cannot be followed, ink is black.
func (s Space) Color(v []float64) (rgb [3]byte) {
	k := s.s.ink(v)
	switch {
	case s.Lab() && len(v) >= 3:
		return labColor(v[0], v[1], v[2])
	case k.kind == inkNone:
		k = ink{rgb: 0xffffff}
	case k.kind == inkUnknown && s.s.kind == spaceTint:
		light := 1.0
		for _, amount := range v {
			light *= 1 - min(max(amount, 0), 1)
		}
		k = grayInk(light)
	}
	return k.bytes()
}

// bytes is a colour that is known as red, green and blue.
func (k ink) bytes() [3]byte { return [3]byte{byte(k.rgb >> 16), byte(k.rgb >> 8), byte(k.rgb)} }

func grayInk(v float64) ink { return rgb(v, v, v) }

// labColor is CIE L*a*b* (8.6.5.4) as sRGB, whose white stands for the white of the space.
func labColor(l, a, b float64) [3]byte {
	m := (l + 16) / 116
	x, y, z := 0.9505*labPart(m+a/500), labPart(m), 1.089*labPart(m-b/200)
	// IEC 61966-2-1, from XYZ to linear RGB.
	return rgb(curve(3.2406*x-1.5372*y-0.4986*z), curve(-0.9689*x+1.8758*y+0.0415*z), curve(0.0557*x-0.2040*y+1.0570*z)).bytes()
}

func labPart(t float64) float64 {
	if t >= 6.0/29 {
		return t * t * t
	}
	return (t - 4.0/29) * 108 / 841
}

// curve is that of IEC 61966-2-1.
func curve(v float64) float64 {
	if v <= 0.0031308 {
		return 12.92 * v
	}
	return 1.055*math.Pow(v, 1/2.4) - 0.055
}
