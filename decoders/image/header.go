package image

import (
	"strconv"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// header is what a file says of itself. It is read without allocating for pixels, and every number in it comes from the file: nothing may
// be allocated by it before a budget has agreed.
type header struct {
	format        string // as in the media type: "png"
	width, height int64  // as stored, of the first frame or the canvas
	orientation   int    // 1 to 8 (EXIF 2.32, 4.6.4, tag 274)
	oriented      bool   // an EXIF block or XMP packet said so
	exif          bool   // it was an EXIF block
	frames        int64
	atLeast       bool  // frames is a lower bound: the file has more than are counted
	animated      bool  // the frames are one moving picture, not pages
	durationMS    int64 // of the animation, once through
	loop          int64 // times that it plays as the file says it, 0: for ever
	alpha         bool
	depth         int    // bits of one sample
	color         string // gray, rgb, palette, ycbcr, cmyk
	icc           bool
	profile       profileSource
	gps           bool
	metadata      bool // EXIF, GPS, XMP, IPTC, text or comments that do not leave
	lossy         bool // the source is lossy already: another lossy step costs little
}

// display returns the size after orientation is applied.
func (h *header) display() (w, ht int64) {
	if h.orientation >= 5 {
		return h.height, h.width
	}
	return h.width, h.height
}

// facts names the picture for an error's detail, as far as it is known.
func (h *header) facts() string {
	if h.width <= 0 && h.height <= 0 {
		return h.format
	}
	return h.format + " " + strconv.FormatInt(h.width, 10) + "x" + strconv.FormatInt(h.height, 10)
}

// explain puts the header's facts before an error's detail, so that a refusal still says what the file is.
func (h *header) explain(err error) error {
	e, ok := asFailure(err)
	if !ok {
		e = &readapi.Error{Code: readapi.CodeMalformed, Err: err}
	}
	c := *e
	c.Detail = h.facts()
	if e.Detail != "" {
		c.Detail += ": " + e.Detail
	}
	return &c
}

// file is an opened picture: its header, and its frames on request.
type file interface {
	head() *header
	// frame decodes frame at, from 1. The budget is asked before anything is allocated.
	frame(at int64, b *budget) (picture, error)
}

// picture is one decoded frame.
type picture struct {
	raster
	orientation int
	profile     profileSource // of this frame; none: the header's
	partial     string        // what is missing, in words of ours; "" when nothing is
	full        [2]int64      // the size of a frame that was decoded smaller than it is; zero: it was not
}

// whole is the size of the frame in the file.
func (p *picture) whole() (w, h int64) {
	if p.full[0] > 0 {
		return p.full[0], p.full[1]
	}
	pw, ph := p.size()
	return int64(pw), int64(ph)
}

// formats are told apart by their first bytes; the first that matches decides.
var formats = []struct {
	magic string // '?' matches any byte
	open  func(in readapi.Input) (file, error)
}{
	{pngMagic, openPNG},
	{"\xff\xd8\xff", openJPEG},
	{"GIF87a", openGIF},
	{"GIF89a", openGIF},
	{"RIFF????WEBP", openWebP},
	{"II\x2a\x00", openTIFF},
	{"MM\x00\x2a", openTIFF},
	{"II\x2b\x00", openTIFF},
	{"MM\x00\x2b", openTIFF},
	{"BM", openBMP},
	{"\x28\x00\x00\x00????????\x01\x00", openBareBMP}, // one plane
	{"????ftyp", openHEIF},                            // before ICO: a box of 256 bytes begins like one
	{"\x00\x00\x01\x00", openICO},
	{"\x00\x00\x02\x00", openICO}, // a cursor: the same, but for a hot spot in place of planes and depth
	{jp2Magic, openJP2},
	{jp2Codestream, openJP2},
	{jxlMagic, openJXL},
	{jxlCodestream, openJXL},
}

// maxJunk bounds the bytes between a file's blocks that are skipped in search of the next: real files have a few.
const maxJunk = 64 << 10

const (
	pngMagic   = "\x89PNG\r\n\x1a\n"
	magicBytes = 14
)

// open finds the format by the file's own bytes, whatever its media type says, and reads the header. What an opener knows of a file that it
// cannot open comes with its error.
func open(in readapi.Input) (file, error) {
	head := readUpTo(in, 0, magicBytes)
	for _, f := range formats {
		if matches(head, f.magic) {
			m, err := f.open(in)
			if err != nil && m != nil {
				return nil, m.head().explain(err)
			}
			return m, err
		}
	}
	return nil, pdk.Malformed("no picture begins here")
}

func matches(b []byte, magic string) bool {
	if len(b) < len(magic) {
		return false
	}
	for i := range len(magic) {
		if magic[i] != '?' && magic[i] != b[i] {
			return false
		}
	}
	return true
}

// span is a stretch of the file: an offset and a number of bytes.
type span struct{ off, n int64 }

// readUpTo returns up to n bytes from off; fewer at the end of the file.
func readUpTo(in readapi.Input, off, n int64) []byte {
	n = min(n, in.Size()-off)
	if off < 0 || n <= 0 {
		return nil
	}
	b := make([]byte, n)
	k, _ := in.ReadAt(b, off)
	return b[:k]
}

// readInto fills b from off and reports whether the file has that many bytes.
func readInto(in readapi.Input, b []byte, off int64) bool {
	if off < 0 || off > in.Size()-int64(len(b)) {
		return false
	}
	n, _ := in.ReadAt(b, off)
	return n == len(b)
}

// blank is the header that every format starts from.
func blank(format string) header {
	return header{format: format, orientation: 1, frames: 1, depth: 8, color: "rgb"}
}

// checked ends the reading of a header: a picture without an area is not one.
func (h *header) checked() error {
	if h.width <= 0 || h.height <= 0 {
		return pdk.Malformed(h.format + " without an area")
	}
	return nil
}
