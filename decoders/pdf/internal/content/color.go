package content

import "github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"

// ink is what something is painted with: a colour, as far as it is known.
type ink struct {
	rgb  uint32 // 0xRRGGBB
	kind inkKind
}

type inkKind uint8

const (
	inkKnown   inkKind = iota
	inkUnknown         // a pattern, or a function that is not followed
	inkNone            // leaves nothing on the page
)

// likeness is how far two colours that a person does not tell apart differ at most, in each of red, green and blue.
const likeness = 18 // of 255: 7 %; anything from 8 to 26 marks the same words of 1,116 public files

// like reports whether k is, to a person, the colour of a cell.
func (k ink) like(cell uint32) bool {
	if k.kind != inkKnown || cell&cellUnknown != 0 {
		return false
	}
	for shift := 0; shift < 24; shift += 8 {
		d := int(k.rgb>>shift&0xff) - int(cell>>shift&0xff)
		if d > likeness || d < -likeness {
			return false
		}
	}
	return true
}

func rgb(r, g, b float64) ink {
	part := func(v float64) uint32 { return uint32(min(max(v, 0), 1)*255 + 0.5) }
	return ink{rgb: part(r)<<16 | part(g)<<8 | part(b)}
}

func cmyk(c, m, y, k float64) ink { return rgb((1-c)*(1-k), (1-m)*(1-k), (1-y)*(1-k)) }

// space is a colour space (8.6).
type space struct {
	kind  spaceKind
	n     int        // components
	base  *space     // of Indexed, Separation and DeviceN: what it comes out as
	table []byte     // Indexed
	lab   [4]float64 // Lab: the range of a* and b*
	tint  object.Node
	made  map[[maxTints]float32]ink // of colours that a function was asked for
}

type spaceKind uint8

const (
	spaceGray spaceKind = iota
	spaceRGB
	spaceCMYK
	spaceLab
	spaceIndexed
	spaceTint // Separation, DeviceN
	spaceNone // Separation of the colorant None
	spacePattern
)

// Of colour spaces.
const (
	maxSpaceDepth = 4
	maxTints      = 32  // components of a DeviceN (ISO 32000-1, annex C)
	maxMade       = 256 // colours of one space that are remembered
	maxPalette    = 4 * 256
)

var (
	deviceGray = &space{kind: spaceGray, n: 1}
	deviceRGB  = &space{kind: spaceRGB, n: 3}
	deviceCMYK = &space{kind: spaceCMYK, n: 4}
	pattern    = &space{kind: spacePattern}
)

// parseSpace reads a colour space; one that makes no sense is a pattern, whose colour is not known.
func parseSpace(n object.Node, depth int) *space {
	name := n.Name()
	if n.Is(object.Array) {
		name = n.Index(0).Name()
	}
	if depth > maxSpaceDepth {
		return pattern
	}
	switch name {
	case "DeviceGray", "G", "CalGray":
		return deviceGray
	case "DeviceRGB", "RGB", "CalRGB":
		return deviceRGB
	case "DeviceCMYK", "CMYK":
		return deviceCMYK
	case "Lab":
		lab := &space{kind: spaceLab, n: 3, lab: [4]float64{-100, 100, -100, 100}}
		if r, ok := n.Index(1).Key("Range").Nums(4); ok {
			copy(lab.lab[:], r)
		}
		return lab
	case "ICCBased":
		return iccSpace(n.Index(1), depth)
	case "Indexed", "I":
		s := &space{kind: spaceIndexed, n: 1, base: parseSpace(n.Index(1), depth+1)}
		if t := n.Index(3); t.Is(object.Stream) {
			s.table, _ = t.Data(maxPalette)
		} else {
			s.table = []byte(t.Raw())
		}
		return s
	case "Separation":
		switch n.Index(1).Name() {
		case "None":
			return &space{kind: spaceNone, n: 1}
		}
		return &space{kind: spaceTint, n: 1, base: parseSpace(n.Index(2), depth+1), tint: n.Index(3)}
	case "Pattern":
		if base := n.Index(1); !base.Null() {
			return &space{kind: spacePattern, base: parseSpace(base, depth+1)}
		}
	case "DeviceN":
		return &space{kind: spaceTint, n: n.Index(1).Len(), base: parseSpace(n.Index(2), depth+1), tint: n.Index(3)}
	}
	return pattern
}

// iccSpace takes a profile for the device space of as many components (8.6.5.5).
func iccSpace(profile object.Node, depth int) *space {
	switch profile.Key("N").Int() {
	case 1:
		return deviceGray
	case 3:
		if alt := profile.Key("Alternate"); alt.Index(0).Name() == "Lab" {
			return parseSpace(alt, depth+1)
		}
		return deviceRGB
	case 4:
		return deviceCMYK
	}
	return parseSpace(profile.Key("Alternate"), depth+1)
}

// initial is the colour that a space begins with (8.6.3 and following).
func (s *space) initial() ink {
	switch s.kind {
	case spacePattern:
		return ink{kind: inkUnknown}
	case spaceCMYK:
		return ink{}
	case spaceTint:
		full := make([]float64, min(s.n, maxTints))
		for i := range full {
			full[i] = 1
		}
		return s.ink(full)
	}
	return s.ink(make([]float64, s.n))
}

// ink is the colour with the given components; what is missing is 0.
func (s *space) ink(v []float64) ink {
	at := func(i int) float64 {
		if i < len(v) {
			return v[i]
		}
		return 0
	}
	switch s.kind {
	case spaceGray:
		return rgb(at(0), at(0), at(0))
	case spaceRGB:
		return rgb(at(0), at(1), at(2))
	case spaceCMYK:
		return cmyk(at(0), at(1), at(2), at(3))
	case spaceLab:
		c := labColor(at(0), at(1), at(2))
		return ink{rgb: uint32(c[0])<<16 | uint32(c[1])<<8 | uint32(c[2])}
	case spaceIndexed:
		return s.entry(at(0))
	case spaceTint:
		return s.tinted(v)
	case spaceNone:
		return ink{kind: inkNone}
	}
	return ink{kind: inkUnknown}
}

// entry is a colour of a palette.
func (s *space) entry(i float64) ink {
	n := s.base.n
	if n == 0 || n > 4 || !(i >= 0 && i < 256) || (int(i)+1)*n > len(s.table) {
		return ink{kind: inkUnknown}
	}
	var v [4]float64
	for k, b := range s.table[int(i)*n : (int(i)+1)*n] {
		v[k] = float64(b) / 255
	}
	if s.base.kind == spaceLab { // its palette has another range
		v[0] *= 100
		for k := range 2 {
			lo, hi := s.base.lab[2*k], s.base.lab[2*k+1]
			v[1+k] = lo + v[1+k]*(hi-lo)
		}
	}
	return s.base.ink(v[:n])
}

// tinted is a colour that a function makes of amounts of ink.
func (s *space) tinted(v []float64) ink {
	if s.n == 0 || s.n > maxTints || len(v) < s.n {
		return ink{kind: inkUnknown}
	}
	var key [maxTints]float32
	for i := range s.n {
		key[i] = float32(v[i])
	}
	if k, ok := s.made[key]; ok {
		return k
	}
	light := 1.0 // of ink whose function cannot be followed: black
	for _, amount := range v[:s.n] {
		light *= 1 - min(max(amount, 0), 1)
	}
	k := grayInk(light)
	if out := call(s.tint, v[:s.n], 0); len(out) > 0 && len(out) >= s.base.n {
		k = s.base.ink(out)
	}
	if s.made == nil || len(s.made) >= maxMade {
		s.made = map[[maxTints]float32]ink{}
	}
	s.made[key] = k
	return k
}

// colorOperator runs the operators of 8.6.8; it reports false for any other.
func (f *frame) colorOperator(op []byte) bool {
	s := &f.state
	switch string(op) {
	case "g":
		s.fillSpace, s.fill = deviceGray, rgb(f.num(1), f.num(1), f.num(1))
	case "G":
		s.strokeSpace, s.stroke = deviceGray, rgb(f.num(1), f.num(1), f.num(1))
	case "rg":
		s.fillSpace, s.fill = deviceRGB, rgb(f.num(3), f.num(2), f.num(1))
	case "RG":
		s.strokeSpace, s.stroke = deviceRGB, rgb(f.num(3), f.num(2), f.num(1))
	case "k":
		s.fillSpace, s.fill = deviceCMYK, cmyk(f.num(4), f.num(3), f.num(2), f.num(1))
	case "K":
		s.strokeSpace, s.stroke = deviceCMYK, cmyk(f.num(4), f.num(3), f.num(2), f.num(1))
	case "cs":
		s.fillSpace = f.space(string(f.bytes(1)))
		s.fill = s.fillSpace.initial()
	case "CS":
		s.strokeSpace = f.space(string(f.bytes(1)))
		s.stroke = s.strokeSpace.initial()
	case "sc", "scn":
		s.fill = f.components(s.fillSpace)
	case "SC", "SCN":
		s.stroke = f.components(s.strokeSpace)
	default:
		return false
	}
	return true
}

// components is the colour of a space that the operands name.
func (f *frame) components(s *space) ink {
	var v [maxTints]float64
	n := 0
	for _, t := range f.args {
		if t.Kind == object.TokNumber && n < len(v) {
			v[n] = t.Num
			n++
		}
	}
	if last := len(f.args) - 1; s.kind == spacePattern && last >= 0 && f.args[last].Kind == object.TokName {
		return f.pattern(string(f.args[last].S), s, v[:n])
	}
	return s.ink(v[:n])
}

// space returns the colour space with a name (8.6.3).
func (f *frame) space(name string) *space {
	switch name {
	case "DeviceGray":
		return deviceGray
	case "DeviceRGB":
		return deviceRGB
	case "DeviceCMYK":
		return deviceCMYK
	case "Pattern":
		return pattern
	}
	if s, ok := f.spaces[name]; ok {
		return s
	}
	s := parseSpace(f.resource("ColorSpace", name), 0)
	if f.spaces == nil || len(f.spaces) >= maxSpaces {
		f.spaces = map[string]*space{}
	}
	f.spaces[name] = s
	return s
}

// maxSpaces is how many colour spaces of one content stream are remembered.
const maxSpaces = 256
