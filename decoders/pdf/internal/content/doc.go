// Package content runs the content streams of a page and says what stands on it: text where it stands and whether a person would see it,
// the lines that are drawn, the pictures that are placed.
package content
