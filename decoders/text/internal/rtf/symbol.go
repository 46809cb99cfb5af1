package rtf

// symbolLow and symbolHigh are the characters of the font Symbol from 0x20 and from 0xa0 on (Adobe's Symbol encoding, ISO 32000-1, D.5). The
// box stands for what has none.
const (
	symbolLow = " !∀#∃%&∋()∗+,−./0123456789:;<=>?" +
		"≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_" +
		"‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
	symbolHigh = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵" +
		"ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓" +
		"◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪□〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
)

// greek gives text of the font Symbol.
func greek(b []byte) []byte {
	var out []byte
	for _, c := range b {
		switch {
		case c >= 0x20 && c < 0x7f:
			out = append(out, nth(symbolLow, int(c-0x20))...)
		case c >= 0xa0 && c < 0xff:
			out = append(out, nth(symbolHigh, int(c-0xa0))...)
		case c >= 0x7f:
			out = append(out, "□"...)
		}
	}
	return out
}

// nth is the nth character of s.
func nth(s string, n int) string {
	for _, c := range s {
		if n == 0 {
			return string(c)
		}
		n--
	}
	return ""
}

// pictures gives text of other fonts that draw with letters: the bullets, ticks and arrows of Wingdings that programs put into lists and
// mails, and the box for any other.
func pictures(b []byte) []byte {
	var out []byte
	for _, c := range b {
		s := "□"
		switch c {
		case ' ':
			s = " "
		case 'J':
			s = "☺"
		case 'L':
			s = "☹"
		case 'l', 'n', 'q', 'u', 'v', 0x9f, 0xa7, 0xa8, 0xb7, 0xd8:
			s = "•"
		case 0xe0, 0xe8, 0xf0:
			s = "→"
		case 0xdf, 0xe7, 0xef:
			s = "←"
		case 0xfb:
			s = "✗"
		case 0xfc:
			s = "✓"
		}
		out = append(out, s...)
	}
	return out
}
