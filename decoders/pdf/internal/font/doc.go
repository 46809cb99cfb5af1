// Package font turns the bytes of a shown string into codes, and codes into text and widths.
//
// What a code stands for is asked of the ToUnicode map first, then of the glyph's name (Differences, the encoding), then of the character
// collection, then of the font program. A glyph that nobody can name is counted by the caller, never guessed.
package font
