package html

import "strings"

// colour is 0xRRGGBB, or one of the two below.
type colour int32

const (
	unknown colour = -1
	clear   colour = -2
)

// near reports whether nobody tells two colours apart: no part of them differs by more than 3 %.
func near(a, b colour) bool {
	for shift := 0; shift < 24; shift += 8 {
		d := int(a>>shift&0xff) - int(b>>shift&0xff)
		if d < -8 || d > 8 {
			return false
		}
	}
	return true
}

// colourOf reads a colour: unknown where it is none of those that are written out here.
func colourOf(v string) colour {
	if hex, ok := strings.CutPrefix(v, "#"); ok {
		return hexColour(hex)
	}
	if args, ok := strings.CutPrefix(v, "rgb"); ok {
		return rgbColour(args)
	}
	if args, ok := strings.CutPrefix(v, "hsl"); ok {
		return hslColour(args)
	}
	if v == "transparent" {
		return clear
	}
	return namedColour(v)
}

// firstColour is the word of a value that is a colour, or its first word where none is.
func firstColour(value string) string {
	first, start, depth := "", 0, 0
	for i := 0; i <= len(value); i++ {
		switch {
		case i < len(value) && value[i] == '(':
			depth++
		case i < len(value) && value[i] == ')':
			depth--
		case i == len(value) || value[i] == ' ' && depth <= 0:
			w := value[start:i]
			start = i + 1
			if colourOf(w) != unknown {
				return w
			}
			if first == "" {
				first = w
			}
		}
	}
	return first
}

// namedColour finds a colour by its name (CSS Color 4, 6.1).
func namedColour(v string) colour {
	if v == "" || strings.IndexFunc(v, func(r rune) bool { return r < 'a' || r > 'z' }) >= 0 {
		return unknown
	}
	i := strings.Index(colours, " "+v+" ")
	if i < 0 {
		return unknown
	}
	return hexColour(colours[i+len(v)+2:][:6])
}

const colours = " aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4 black 000000 " +
	"blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0 chartreuse 7fff00 chocolate d2691e " +
	"coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b " +
	"darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 " +
	"darkorchid 9932cc darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f " +
	"darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff " +
	"firebrick b22222 floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod daa520 " +
	"gray 808080 green 008000 greenyellow adff2f grey 808080 honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 " +
	"khaki f0e68c lavender e6e6fa lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 " +
	"lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1 lightsalmon ffa07a " +
	"lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0 " +
	"lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 " +
	"mediumpurple 9370db mediumseagreen 3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585 " +
	"midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080 oldlace fdf5e6 olive 808000 " +
	"olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee " +
	"palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd powderblue b0e0e6 purple 800080 " +
	"rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 " +
	"seashell fff5ee sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa " +
	"springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0 violet ee82ee wheat f5deb3 " +
	"white ffffff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32 "

// legacyColour reads the colour of an attribute, which is nearly any text (HTML, 2.4.6, rules for parsing a legacy color value).
func legacyColour(v string) colour {
	v = strings.ToLower(strings.TrimSpace(v))
	if v == "" || v == "transparent" {
		return unknown
	}
	if c := namedColour(v); c != unknown {
		return c
	}
	if len(v) == 4 && v[0] == '#' {
		if c := hexColour(v[1:]); c != unknown {
			return c
		}
	}
	var room [130]byte
	digits := room[:0]
	for _, r := range strings.TrimPrefix(v, "#") {
		if len(digits) >= 128 {
			break
		}
		switch {
		case r < 0x80 && digit(byte(r), true) >= 0:
			digits = append(digits, byte(r))
		case r > 0xffff:
			digits = append(digits, '0', '0')
		default:
			digits = append(digits, '0')
		}
	}
	for len(digits) == 0 || len(digits)%3 != 0 {
		digits = append(digits, '0')
	}
	n := len(digits) / 3
	skip := max(0, n-8)
	for n-skip > 2 && digits[skip] == '0' && digits[n+skip] == '0' && digits[2*n+skip] == '0' {
		skip++
	}
	c := colour(0)
	for part := range 3 {
		d := digits[part*n+skip : part*n+min(n, skip+2)]
		v := colour(0)
		for _, h := range d {
			v = v<<4 | colour(digit(h, true))
		}
		c = c<<8 | v
	}
	return c
}

func hexColour(hex string) colour {
	c := colour(0)
	for i := range len(hex) {
		d := digit(hex[i], true)
		if d < 0 || i == 8 {
			return unknown
		}
		if i < 6 {
			c = c<<4 | colour(d)
		}
	}
	switch len(hex) {
	case 4:
		if hex[3] == '0' {
			return clear
		}
		c >>= 4
		fallthrough
	case 3:
		r, g, b := c>>8&15, c>>4&15, c&15
		return r*17<<16 | g*17<<8 | b*17
	case 8:
		if hex[6:] == "00" {
			return clear
		}
		return c
	case 6:
		return c
	}
	return unknown
}

// rgbColour reads the arguments of rgb() and rgba().
func rgbColour(args string) colour {
	_, args, ok := strings.Cut(args, "(")
	if !ok {
		return unknown
	}
	args, _, _ = strings.Cut(args, ")")
	parts := strings.FieldsFunc(args, func(r rune) bool { return r == ',' || r == ' ' || r == '/' })
	if len(parts) < 3 || len(parts) > 4 {
		return unknown
	}
	c := colour(0)
	for _, p := range parts[:3] {
		n, unit, ok := number(p)
		if unit == "%" {
			n = n * 255 / 100
		}
		if !ok {
			return unknown
		}
		c = c<<8 | colour(min(255, max(0, n/1000)))
	}
	if len(parts) == 4 {
		if faint(parts[3]) {
			return clear
		}
	}
	return c
}

// hslColour reads the arguments of hsl() and hsla() (CSS Color 4, 7.1).
func hslColour(args string) colour {
	_, args, ok := strings.Cut(args, "(")
	if !ok {
		return unknown
	}
	args, _, _ = strings.Cut(args, ")")
	parts := arguments(args)
	if len(parts) < 3 || len(parts) > 4 {
		return unknown
	}
	var v [3]int
	for i := range v {
		if v[i], _, ok = number(parts[i]); !ok {
			return unknown
		}
	}
	if len(parts) == 4 && faint(parts[3]) {
		return clear
	}
	hue := (v[0]/1000%360 + 360) % 360
	saturation, light := min(100_000, max(0, v[1])), min(100_000, max(0, v[2]))
	spread := saturation * min(light, 100_000-light) / 100_000
	c := colour(0)
	for _, n := range [...]int{0, 8, 4} {
		k := (n*30 + hue) % 360 // twelfths of the circle, times 30
		ramp := max(-30, min(k-90, 270-k, 30))
		c = c<<8 | colour(((light-spread*ramp/30)*255+50_000)/100_000)
	}
	return c
}

// faint reports whether an alpha lets everything through.
func faint(s string) bool {
	n, unit, ok := number(s)
	return ok && (unit == "%" && n < 5000 || unit == "" && n < 50)
}
