package content

import (
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/font"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// Page is what stands on one page, in user space: points, y upward, not turned by Rotate.
type Page struct {
	Box    Rect // what of user space is seen: CropBox, else MediaBox
	Rotate int  // clockwise, when shown: 0, 90, 180 or 270

	Buf    []byte // UTF-8 of all spans
	Spans  []Span // in order of the content
	Rules  []Rule
	Images []Image

	Glyphs  int    // shown
	Unknown int    // of them, those that nothing gives a text for
	Short   string // which limit ended the page, "" if none
	Damaged string // what could not be read whole, "" if nothing
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
}

// Hidden says why a person would not see a span; Visible if one would.
type Hidden uint8

// The reasons.
const (
	Visible         Hidden = iota
	HiddenInvisible        // render mode 3 or 7, and no picture that it could be the text of
	HiddenColor            // in the colour of what lies behind it, or transparent
	HiddenTiny             // below one point
	HiddenOffPage          // outside the page, or clipped away
	HiddenCovered          // something was painted over it
	HiddenLayer            // in a layer that is off
	hiddenKinds
)

// Rule is a straight line that is seen, or the edge of a filled rectangle: what tables are drawn with. Horizontal or vertical, X0 ≤ X1 and
// Y0 ≤ Y1.
type Rule struct{ X0, Y0, X1, Y1 float64 }

// Image is a picture that is placed on the page: an XObject, or one that stands in the content itself.
type Image struct {
	Object object.Node // null for an inline image
	Inline *Inline
	CTM    Matrix // takes the unit square to where the picture stands
	Hidden Hidden
}

// Inline is an image that stands in the content (8.9.7).
type Inline struct {
	Dict map[string]object.Token // by full names; only single tokens
	Data []byte                  // still encoded
}

// Text returns the text of a span.
func (p *Page) Text(s *Span) []byte { return p.Buf[s.Start:s.End] }

// reset makes p empty and keeps its memory.
func (p *Page) reset() {
	*p = Page{Buf: p.Buf[:0], Spans: p.Spans[:0], Rules: p.Rules[:0], Images: p.Images[:0]}
}
