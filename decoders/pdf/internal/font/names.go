package font

import (
	_ "embed"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// glyphList is searched by halves as it is, so that it costs nothing before a glyph name is met.
//
//go:embed glyphlist.txt
var glyphList string

// glyphRune returns the character of a glyph name on the Adobe Glyph List, 0 if it is not there.
func glyphRune(name string) rune {
	lo, hi := 0, len(glyphList)
	for lo < hi {
		mid := (lo + hi) / 2
		start := strings.LastIndexByte(glyphList[:mid], '\n') + 1
		end := start + strings.IndexByte(glyphList[start:], '\n')
		key, value, _ := strings.Cut(glyphList[start:end], " ")
		switch {
		case key == name:
			n, err := strconv.ParseUint(value, 16, 21)
			if err != nil {
				return 0
			}
			return rune(n)
		case key < name:
			lo = end + 1
		default:
			hi = start
		}
	}
	return 0
}

// glyphText returns the text of a glyph name by the rules of the Adobe Glyph List specification: what follows a point is dropped, parts
// between underscores are joined, uniXXXX and uXXXX are code points. It is "" for names that say nothing.
func glyphText(name string) string {
	name, _, _ = strings.Cut(name, ".")
	if r := nameRune(name); r != 0 {
		return string(r)
	}
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		switch hex, isUni := strings.CutPrefix(part, "uni"); {
		case nameRune(part) != 0:
			b.WriteRune(nameRune(part))
		case isUni && len(hex) >= 4 && len(hex)%4 == 0:
			for ; len(hex) >= 4; hex = hex[4:] {
				writeHexRune(&b, hex[:4])
			}
		case len(part) >= 5 && len(part) <= 7 && part[0] == 'u':
			writeHexRune(&b, part[1:])
		}
	}
	return b.String()
}

// nameRune is glyphRune for names that are on the list only with a private character, or with an ending that says how the glyph looks.
func nameRune(name string) rune {
	r := glyphRune(name)
	if r != 0 && !isPrivate(r) {
		return r
	}
	if t := texName(name); t != 0 {
		return t
	}
	for _, ending := range variants {
		stem, ok := strings.CutSuffix(name, ending)
		if !ok || len(stem) < 2 && ending != "small" && ending != "superior" && ending != "inferior" {
			continue
		}
		if base := glyphRune(stem); base != 0 && !isPrivate(base) {
			if ending == "small" { // a small capital stands for the small letter
				base = unicode.ToLower(base)
			}
			return base
		}
	}
	return r
}

// variants are endings of glyph names: of Adobe's expert sets, and of the sizes and pieces of TeX's and Symbol's delimiters and operators.
var variants = [...]string{
	"small", "oldstyle", "superior", "inferior", "serif", "sans", "text", "display", "Bigg", "bigg", "Big", "big", "tp", "bt", "ex", "mid",
}

// texName knows names of TeX's fonts that are not on the list.
func texName(name string) rune {
	const names = " dotlessj=ȷ angbracketleft=⟨ angbracketright=⟩ floorleft=⌊ floorright=⌋ ceilingleft=⌈ ceilingright=⌉ bardbl=‖ visiblespace=␣ " +
		"mapsto=↦ negationslash≠ owner=∋ follows=≻ precedes=≺ arrownortheast=↗ arrownorthwest=↖ arrowsoutheast=↘ arrowsouthwest=↙ " +
		"similarequal=≃ reflexsubset=⊆ nbspace=\u00a0 sfthyphen=- Ldot=Ŀ ldot=ŀ Germandbls=ẞ epsilon1=ε rho1=ϱ kappa1=ϰ pi1=ϖ " +
		"star=⋆ bullet1=• diamondmath=⋄ openbullet=◦ asteriskcentered=∗ minusplus=∓ circleminus=⊖ circledot=⊙ logicalxor=⊻ " +
		"coproduct=∐ contintegral=∮ turnstileleft=⊢ turnstileright=⊣ triangle=△ triangleinv=▽ prime=′ natural=♮ flat=♭ sharp=♯ lscript=ℓ "
	_, tail, ok := strings.Cut(names, " "+name+"=")
	if !ok {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(tail)
	return r
}

func writeHexRune(b *strings.Builder, hex string) {
	if n, err := strconv.ParseUint(hex, 16, 21); err == nil && n > 0 && n <= 0x10ffff && (n < 0xd800 || n > 0xdfff) {
		b.WriteRune(rune(n))
	}
}
