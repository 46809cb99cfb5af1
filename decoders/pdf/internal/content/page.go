package content

import (
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/font"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// Page is what stands on one page, in user space: points, y upward, not turned by Rotate.
type Page struct {
	Box    Rect    // what of user space is seen: CropBox, else MediaBox
	Rotate int     // clockwise, when shown: 0, 90, 180 or 270
	Unit   float64 // points that a unit of user space is long (UserUnit); 0 is 1

	ShowHidden bool // the reader asked for hidden text too

	Buf    []byte // UTF-8 of all spans
	Spans  []Span // in order of the content
	Rules  []Rule
	Images []Image

	Glyphs  int    // shown
	Unknown int    // of them, those that nothing gives a text for
	Short   string // which limit ended the page, "" if none
	Damaged string // what could not be read whole, "" if nothing
	Refused int    // replacements (ActualText) that are not what is shown, and were not taken

	stops  []stop // where each glyph ends, for spans that are hidden in part
	canvas canvas // what is painted where
	shows  recent // what was shown where
}

// Span is a run of text without a gap, in one style.
type Span struct {
	Start, End     int32   // in Page.Buf
	X0, Y0, X1, Y1 float64 // base line from its begin to its end
	UX, UY         float64 // direction of writing, of length 1
	Size           float64 // of the font, in points on the page
	Style          font.Style
	Hidden         Hidden
	RTL            bool // some of it is written from right to left, and stands in the order in which it looks
	Vertical       bool // written downward
	Artifact       bool // marked as no part of the document: a running header, a page number

	order uint32     // how many things were painted before it
	stop  int32      // its first in Page.stops
	up    [2]float64 // from the base line to the top of the letters
}

// Rule is a straight line that is seen, or the edge of a filled rectangle: what tables are drawn with. Horizontal or vertical, X0 ≤ X1 and
// Y0 ≤ Y1.
type Rule struct {
	X0, Y0, X1, Y1 float64
	Fill           bool // the edge of a rectangle that is filled and not thin
}

// Image is a picture that is placed on the page: an XObject, or one that stands in the content itself.
type Image struct {
	Object object.Node // null for an inline image
	Inline *Inline
	CTM    Matrix  // takes the unit square to where the picture stands
	Clip   Rect    // what of the page it may be seen in, about; the zero Rect is all
	Fill   [3]byte // what a stencil is painted with: red, green, blue; black where that is a pattern
	Hidden Hidden
}

// Inline is an image that stands in the content (8.9.7).
type Inline struct {
	Dict object.Node // by full names
	Data []byte      // still encoded
}

// Text returns the text of a span.
func (p *Page) Text(s *Span) []byte { return p.Buf[s.Start:s.End] }

// reset makes p empty and keeps its memory.
func (p *Page) reset() {
	clear(p.shows)
	*p = Page{
		Buf: p.Buf[:0], Spans: p.Spans[:0], Rules: p.Rules[:0], Images: p.Images[:0], stops: p.stops[:0], canvas: p.canvas.emptied(), shows: p.shows,
	}
}
