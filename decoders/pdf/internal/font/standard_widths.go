package font

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// standardMetrics are the widths of the standard fonts, a line for each character or code. It is read as it is when a font is met that has
// no widths.
//
//go:embed standard_widths.txt
var standardMetrics string

// standardWidths sets the widths of the standard fonts, which a file need not give (9.6.2.2). A font that is none of them has to, but if it
// does not, it is shown in the one that is most like it.
func (f *Font) standardWidths(name string, flags int) {
	name = strings.ToLower(name)
	s := &f.simple
	switch {
	case f.style&Mono != 0:
		f.width = 600
		s.widths = nil
		return
	case s.base == encSymbol:
		f.codeWidths("S")
		return
	case s.base == encDingbats, s.base == encWingdings:
		f.codeWidths("Z")
		return
	}
	column, usual := 1, 556.0
	times := containsAny(name, "times", "serif", "roman", "garamond", "georgia", "palatino", "bookman", "cambria") && !strings.Contains(name, "sans")
	if times || flags&flagSerif != 0 && !containsAny(name, "helvetica", "arial") {
		column, usual = 3, 500
	}
	switch bold, italic := f.style&Bold != 0, f.style&Italic != 0; {
	case column == 3 && italic && bold:
		column = 6
	case column == 3 && italic:
		column = 5
	case bold:
		column++
	}
	s.first, f.width = 0, usual
	s.widths = make([]float64, 256)
	widths := runeWidths()
	for c := range s.widths {
		r, n := utf8.DecodeRuneInString(f.glyphName(byte(c)))
		if w, ok := widths[r]; ok && n > 0 {
			s.widths[c] = float64(w[column-1])
		} else {
			s.widths[c] = usual
		}
	}
}

// glyphName is the text of a code by names alone.
func (f *Font) glyphName(c byte) string {
	if name, ok := f.simple.names[c]; ok {
		return glyphText(name)
	}
	return runeText(f.simple.base.rune(c))
}

// runeWidths are the widths of characters in the six standard fonts that have letters. They are read once: taking the lines apart takes as long
// as a page does, and what a decoder has read before its first file is there in every read.
var runeWidths = sync.OnceValue(readRuneWidths)

// readRuneWidths reads the lines that begin with a character in hexadecimal.
func readRuneWidths() map[rune][6]uint16 {
	const characters = 314
	all := make(map[rune][6]uint16, characters)
	for line := range strings.SplitSeq(standardMetrics, "\n") {
		char, rest, _ := strings.Cut(line, " ")
		if char == "" || object.Unhex(char[0]) < 0 { // codes of the other fonts
			continue
		}
		r, err := strconv.ParseUint(char, 16, 21)
		if err != nil {
			continue
		}
		var widths [6]uint16
		for i := range widths {
			var width string
			width, rest, _ = strings.Cut(rest, " ")
			w, _ := strconv.Atoi(width)
			widths[i] = uint16(w)
		}
		all[rune(r)] = widths
	}
	return all
}

// codeWidths reads the lines of one font that has an encoding of its own: a letter for the font, the code in hexadecimal, the width.
func (f *Font) codeWidths(letter string) {
	f.simple.first, f.width = 0, 600
	f.simple.widths = make([]float64, 256)
	for c := range f.simple.widths {
		f.simple.widths[c] = f.width
	}
	for line := range strings.SplitSeq(standardMetrics, "\n") {
		rest, ok := strings.CutPrefix(line, letter)
		if !ok {
			continue
		}
		code, width, two := strings.Cut(rest, " ")
		c, err := strconv.ParseUint(code, 16, 8)
		if w, bad := strconv.Atoi(width); two && err == nil && bad == nil {
			f.simple.widths[c] = float64(w)
		}
	}
}
