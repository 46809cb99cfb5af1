package font

import (
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// Style is what of a font tells headings from text.
type Style uint8

// The styles, as bits.
const (
	Bold Style = 1 << iota
	Italic
	Mono
)

// Flags of a font descriptor (ISO 32000-1, table 123).
const (
	flagFixedPitch = 1 << 0
	flagItalic     = 1 << 6
	flagForceBold  = 1 << 18
)

// Style returns the style of f.
func (f *Font) Style() Style { return f.style }

// styleOf takes the style from the font's name and from its descriptor.
func styleOf(n object.Node) (s Style) {
	descriptor := n.Key("FontDescriptor")
	if descriptor.Null() {
		descriptor = n.Key("DescendantFonts").Index(0).Key("FontDescriptor")
	}
	name, flags := strings.ToLower(n.Key("BaseFont").Name()), descriptor.Key("Flags").Int()
	if containsAny(name, "bold", "black", "heavy", "cmbx") || flags&flagForceBold != 0 || descriptor.Key("FontWeight").Num() >= 600 {
		s |= Bold
	}
	if containsAny(name, "italic", "oblique", "cmti", "slanted") || flags&flagItalic != 0 {
		s |= Italic
	}
	if containsAny(name, "courier", "mono", "consolas", "typewriter", "cmtt") || flags&flagFixedPitch != 0 {
		s |= Mono
	}
	return s
}

func containsAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
