package layout

import (
	"math"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Ruby is small kana that stand over a word and say how it is read. It is kept, in parentheses behind the word.

const (
	rubySize = 0.65 // of the size of the text below it, at most
	rubyRise = 1.4  // of that size: how far its base line is above
)

// ruby puts rows of ruby into the rows below them.
func ruby(rows []row) []row {
	out := rows[:0]
	for i := range rows {
		if i+1 < len(rows) && rows[i].overText(&rows[i+1]) {
			for j := range rows[i+1].pieces {
				rows[i+1].pieces[j].say(rows[i].pieces)
			}
			continue
		}
		out = append(out, rows[i])
	}
	return out
}

// overText reports whether all of r is ruby of the row below.
func (r *row) overText(below *row) bool {
	if r.size > rubySize*below.size || below.y-r.y > rubyRise*below.size {
		return false
	}
	for i := range r.pieces {
		if p := &r.pieces[i]; !kana(p.text) || !slices.ContainsFunc(below.pieces, func(b piece) bool { return p.above(&b) }) {
			return false
		}
	}
	return true
}

// above reports whether p stands over text of b, all of whose characters are as wide.
func (p *piece) above(b *piece) bool {
	middle := (p.x0 + p.x1) / 2
	if p.size > rubySize*b.size || middle < b.x0 || middle > b.x1 {
		return false
	}
	for _, r := range string(b.text) {
		if r < 0x2e80 {
			return false
		}
	}
	return true
}

// kana reports whether text is kana and nothing else.
func kana(text []byte) bool {
	for _, r := range string(text) {
		if !unicode.In(r, unicode.Hiragana, unicode.Katakana) && r != 'ー' {
			return false
		}
	}
	return len(text) > 0
}

// say puts the ruby that stands over p behind the characters that it stands over.
func (p *piece) say(all []piece) {
	whole := *p
	n := utf8.RuneCount(whole.text)
	each := max((p.x1-p.x0)/float64(max(1, n)), 1e-6)
	for k := len(all) - 1; k >= 0; k-- { // from the end, so that the places before it stay
		over := &all[k]
		if !over.above(&whole) {
			continue
		}
		behind, at := min(max(int(math.Round((over.x1-p.x0)/each)), 1), n), 0
		for range behind {
			_, size := utf8.DecodeRune(whole.text[at:])
			at += size
		}
		p.text = slices.Concat(p.text[:at], []byte("("), over.text, []byte(")"), p.text[at:])
	}
}
