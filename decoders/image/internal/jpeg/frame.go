package jpeg

import (
	"encoding/binary"
	"io"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
)

// Markers (T.81, table B.1).
const (
	mSOF0  = 0xc0 // baseline
	mSOF1  = 0xc1 // extended sequential
	mSOF2  = 0xc2 // progressive
	mDHT   = 0xc4
	mSOF9  = 0xc9 // extended sequential, arithmetic
	mSOF10 = 0xca // progressive, arithmetic
	mDAC   = 0xcc
	mRST0  = 0xd0
	mRST7  = 0xd7
	mSOI   = 0xd8
	mEOI   = 0xd9
	mSOS   = 0xda
	mDQT   = 0xdb
	mDNL   = 0xdc
	mDRI   = 0xdd
	mAPP0  = 0xe0
	mAPP14 = 0xee
)

// Frame is what a frame header says (T.81, B.2.2).
type Frame struct {
	Marker        byte // SOFn: which process
	Precision     int  // bits of a sample
	Width, Height int
	Components    int
	Sampling      [4]byte // of each component, horizontal in the high half
}

// Progressive reports whether the picture comes in scans that each add to it.
func (f *Frame) Progressive() bool { return f.Marker == mSOF2 || f.Marker == mSOF10 }

// Arithmetic reports whether its coefficients are not Huffman-coded.
func (f *Frame) Arithmetic() bool { return f.Marker >= mSOF9 }

// Unsupported names the process or kind of picture that is not decoded; "" when it is.
func (f *Frame) Unsupported() string {
	switch {
	case f.Marker == 0xc3, f.Marker == 0xcb:
		return "lossless jpeg"
	case f.Marker != mSOF0 && f.Marker != mSOF1 && f.Marker != mSOF2 && f.Marker != mSOF9 && f.Marker != mSOF10:
		return "hierarchical jpeg"
	case f.Precision != 8 && f.Precision != 12:
		return "jpeg of other than 8 or 12 bits"
	case f.Components != 1 && f.Components != 3 && f.Components != 4:
		return "jpeg with two components"
	}
	return ""
}

// Colors says what the components are.
type Colors byte

// The kinds of picture.
const (
	Gray  Colors = iota
	YCbCr        // JFIF, 1.02
	RGB
	CMYK // inverted: 255 is none of an ink
	YCCK
)

// component is one of the frame's, in decoding.
type component struct {
	id, table byte
	h, v      int
	w, ht     int // samples that are shown, at full size
	bw, bh    int // blocks that are coded, filled up to whole MCUs

	quant   [64]int32 // latched at the component's first scan, in zigzag order
	latched bool
	whole   uint64  // coefficients whose last bit came
	coef    []int16 // blocks in natural order, of a picture in several scans

	shift  uint // how often it is halved
	sw, sh int  // samples that are shown, halved
	ring   []byte
	stride int
	rows   int // in one band

	at     int // in the frame
	dc, ac int // tables of the scan
	pred   int
	line   []byte // a row at full size
}

// A Decoder decodes one picture. It is not safe for concurrent use.
type Decoder struct {
	Frame Frame
	Adobe bool // there is an Adobe segment

	transform byte // of the Adobe segment
	jfif      bool
	comps     []component
	hmax      int
	vmax      int
	mcusX     int
	mcusY     int

	bitReader
	qm        *qm // of arithmetic coding
	dcTables  [4]huffman
	acTables  [4]huffman
	quants    [4]*[64]int32
	restart   int       // MCUs between restart markers
	plain     component // of no quantisation
	wide      [64]int32 // the block at hand
	scanAt    int64     // of the first scan header, behind its marker; 0: there is none
	scan      scan
	streaming bool
	bands     int // that were decoded
	at        int // the row that Row gives next
	tally
}

// A Visitor is told of every segment that it may want to read: the marker, where its content is and how many bytes it has.
type Visitor func(marker byte, off, n int64)

// maxJunk bounds the bytes between segments that are skipped in search of the next: real files have a few.
const maxJunk = 64 << 10

// Open reads the headers of the picture that begins at in's first byte, up to its first scan, and tells visit of the segments.
//
// Errors: malformed_input when there is no frame header that can be; where one was read before, it comes with the error.
func Open(in io.ReaderAt, size int64, visit Visitor) (*Decoder, error) {
	d := &Decoder{}
	d.in, d.size = in, size
	if err := d.headers(visit, false); err != nil {
		return d, err
	}
	if d.Frame.Marker == 0 { // perhaps a segment's length lies and hides it
		d.seek(0)
		if err := d.headers(nil, true); err != nil {
			return d, err
		}
	}
	if d.Frame.Marker == 0 {
		return d, pdk.Malformed("jpeg without a frame header")
	}
	if d.Frame.Height == 0 && d.scanAt > 0 {
		d.Frame.Height = d.lineCount()
	}
	return d, d.layOut()
}

// headers reads segments up to the first scan. doubting takes no application segment's word for its length.
func (d *Decoder) headers(visit Visitor, doubting bool) error {
	junk := int64(maxJunk)
	if doubting {
		junk = d.size
	}
	for junk > 0 {
		m, passed, ok := d.marker(junk)
		if junk -= passed; !ok {
			return nil
		}
		switch {
		case doubting && d.Frame.Marker == 0 && (m == mEOI || m == mSOS): // of a picture within a segment
			continue
		case m == mEOI:
			return nil
		case m == 1, mRST0 <= m && m <= mSOI: // without a length
			if d.offset() > 2 {
				junk -= 2
			}
			continue
		case m == mSOS:
			d.scanAt = d.offset()
			return nil
		}
		off := d.offset()
		head := d.take(2)
		if len(head) < 2 {
			return nil
		}
		n := int64(binary.BigEndian.Uint16(head)) - 2
		switch {
		case doubting && (!needed(m) || n < 0 || off+2+n > d.size):
			d.seek(off)
			continue
		case n < 0:
			return nil
		}
		if visit != nil {
			visit(m, off+2, n)
		}
		if err := d.segment(m, n); err != nil {
			return err
		}
		d.seek(off + 2 + n)
	}
	return nil
}

// needed reports whether a picture can need what such a segment says.
func needed(m byte) bool {
	return mSOF0 <= m && m <= mDAC || mDQT <= m && m <= mDRI
}

// segment reads the content of one, of n bytes.
func (d *Decoder) segment(m byte, n int64) error {
	switch {
	case mSOF0 <= m && m <= 0xcf && m != mDHT && m != 0xc8 && m != mDAC:
		return d.frameHeader(m, d.take(int(n)))
	case m == mDQT:
		return d.quantTables(d.take(int(n)))
	case m == mDHT:
		return d.huffmanTables(d.take(int(n)))
	case m == mDAC:
		d.conditioning(d.take(int(n)))
	case m == mDRI && n >= 2:
		if b := d.take(2); len(b) == 2 {
			d.restart = int(binary.BigEndian.Uint16(b))
		}
	case m == mAPP0 && n >= 5:
		d.jfif = d.jfif || string(d.take(5)) == "JFIF\x00"
	case m == mAPP14 && n >= 12:
		if b := d.take(12); len(b) == 12 && string(b[:5]) == "Adobe" {
			d.Adobe, d.transform = true, b[11]
		}
	}
	return nil
}

func (d *Decoder) frameHeader(m byte, b []byte) error {
	f := Frame{Marker: m}
	if len(b) < 6 {
		return pdk.Malformed("a jpeg frame header that is cut")
	}
	f.Precision = int(b[0])
	f.Height, f.Width = int(binary.BigEndian.Uint16(b[1:])), int(binary.BigEndian.Uint16(b[3:]))
	f.Components = int(b[5])
	if d.Frame.Marker != 0 {
		return pdk.Malformed("a jpeg with two frame headers")
	}
	comps := make([]component, min(f.Components, len(f.Sampling)))
	for i := range comps {
		if len(b) < 9+3*i {
			return pdk.Malformed("a jpeg frame header that is cut")
		}
		s := b[6+3*i:]
		comps[i] = component{at: i, id: s[0], h: int(s[1] >> 4), v: int(s[1] & 15), table: s[2]}
		f.Sampling[i] = s[1]
	}
	d.Frame, d.comps = f, comps
	return nil
}

// layOut computes what follows from the frame header (T.81, A.1.1).
func (d *Decoder) layOut() error {
	f := &d.Frame
	if f.Width == 0 || f.Height == 0 || f.Unsupported() != "" { // the caller says so, in words of its own
		return nil
	}
	d.hmax, d.vmax = 1, 1
	for i := range d.comps {
		c := &d.comps[i]
		if c.h < 1 || c.h > 4 || c.v < 1 || c.v > 4 || c.table > 3 {
			return pdk.Malformed("a jpeg component that cannot be")
		}
		if f.Components == 1 { // of a single one the factors say nothing
			c.h, c.v = 1, 1
		}
		d.hmax, d.vmax = max(d.hmax, c.h), max(d.vmax, c.v)
	}
	d.mcusX, d.mcusY = up(f.Width, 8*d.hmax), up(f.Height, 8*d.vmax)
	for i := range d.comps {
		c := &d.comps[i]
		c.w, c.ht = up(f.Width*c.h, d.hmax), up(f.Height*c.v, d.vmax)
		c.bw, c.bh = d.mcusX*c.h, d.mcusY*c.v
		c.sw, c.sh = c.w, c.ht
	}
	return nil
}

// up is a/b, rounded up.
func up(a, b int) int { return (a + b - 1) / b }

// Colors says what the components are (JFIF 1.02; Adobe TN 5116, section 18; and as libjpeg takes what neither says). Four that nobody
// explains are inverted inks like Adobe's: browsers and Pillow take them so, and what writes them writes them so.
func (d *Decoder) Colors() Colors {
	switch d.Frame.Components {
	case 1:
		return Gray
	case 4:
		if d.Adobe && d.transform != 0 {
			return YCCK
		}
		return CMYK
	}
	switch {
	case d.jfif:
		return YCbCr
	case d.Adobe:
		if d.transform == 0 {
			return RGB
		}
	case len(d.comps) == 3 && d.comps[0].id == 'R' && d.comps[1].id == 'G' && d.comps[2].id == 'B':
		return RGB
	}
	return YCbCr
}

// lineCount finds the height that a DNL segment behind the first scan defines (T.81, B.2.5); 0 when there is none.
func (d *Decoder) lineCount() int {
	d.seek(d.scanAt)
	for {
		m, _, ok := d.marker(d.size)
		switch {
		case !ok || m == mEOI:
			return 0
		case m == mDNL:
			if b := d.take(4); len(b) == 4 {
				return int(binary.BigEndian.Uint16(b[2:]))
			}
			return 0
		}
	}
}

// quantTables reads a DQT segment (T.81, B.2.4.1).
func (d *Decoder) quantTables(b []byte) error {
	for len(b) > 0 {
		wide, to := b[0]>>4, b[0]&15
		n := 64
		if wide != 0 {
			n = 128
		}
		if to > 3 || wide > 1 || len(b) < 1+n {
			return pdk.Malformed("a jpeg quantisation table that cannot be")
		}
		q := new([64]int32)
		for i := range q {
			if wide != 0 {
				q[i] = int32(binary.BigEndian.Uint16(b[1+2*i:]))
			} else {
				q[i] = int32(b[1+i])
			}
		}
		d.quants[to] = q
		b = b[1+n:]
	}
	return nil
}
