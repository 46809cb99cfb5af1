package layout

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/font"
)

// The characters that begin an item of a list, those of the fonts Symbol and Wingdings in the private use area among them. A dash or a
// star does so only where it begins two lines.
const (
	bullets = "•‣⁃∙◦●■▪▫◆◇❖➢➤►▶▸✦⚫·\uf0b7\uf0a7\uf0d8\uf076\uf0a8\uf06c\uf06e\uf075"
	dashes  = "–—-*"
)

// maxLevels is how deep lists are nested.
const maxLevels = 6

// lists turns the bullets into one sign, with the indent of their level.
func lists(lines []line) {
	var levels []float64 // left edges of the bullets
	var text float64     // left edge of the text of the last item
	for i := range lines {
		l := &lines[i]
		if l.apart && i > 0 && l.broken {
			levels = levels[:0]
		}
		rest, ok := listed(lines, i)
		if !ok {
			if goes := len(levels) > 0 && l.grid == nil && !l.broken && l.heading == 0 && l.style&font.Mono == 0 && l.x0 >= text; goes {
				l.indent = 2 * len(levels)
			} else {
				levels = levels[:0]
			}
			continue
		}
		tolerance := 0.6 * l.size
		for len(levels) > 0 && l.x0 < levels[len(levels)-1]-tolerance {
			levels = levels[:len(levels)-1]
		}
		if len(levels) == 0 || l.x0 > levels[len(levels)-1]+tolerance && len(levels) < maxLevels {
			levels = append(levels, l.x0)
		}
		text = l.x0 + 0.5*l.size
		l.indent = 2 * (len(levels) - 1)
		l.text = append([]byte("- "), rest...)
	}
}

// listed returns the text of line i behind the bullet that it begins with.
func listed(lines []line, i int) (rest []byte, ok bool) {
	l := &lines[i]
	if l.grid != nil || l.heading > 0 || len(l.text) == 0 {
		return nil, false
	}
	r, n := utf8.DecodeRune(l.text)
	rest = l.text[n:]
	spaced := len(rest) > 1 && rest[0] == ' '
	switch {
	case strings.ContainsRune(bullets, r):
		ok = spaced || r != '·' && len(rest) > 0
	case strings.ContainsRune(dashes, r):
		ok = spaced && l.style&font.Mono == 0 && again(lines, i, l.text[:n+1])
	}
	return bytes.TrimLeft(rest, " "), ok
}

// near is how far away another item with the same dash is looked for.
const near = 8

// again reports whether a line near line i begins with the same.
func again(lines []line, i int, begin []byte) bool {
	for k := max(0, i-near); k <= min(len(lines)-1, i+near); k++ {
		if k != i && (bytes.HasPrefix(lines[k].text, begin) || k < i && bytes.HasPrefix(lines[k].text, []byte("- "))) {
			return true
		}
	}
	return false
}
