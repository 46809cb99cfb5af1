package jpeg

import (
	"encoding/binary"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// MaxScans bounds the scans of a picture: each goes over all of it and may take a dozen bytes of the file. Encoders make about ten.
const MaxScans = 500

// scan is the scan that is read.
type scan struct {
	comps     [4]*component
	n         int
	from, to  int  // the band of coefficients, in zigzag order
	high, low uint // successive approximation (T.81, G.1.1.1.2)
	run       int  // blocks that are known to have nothing more of the band

	left int  // MCUs up to the next restart marker
	next byte // the number of that marker
	dry  bool // there is no data up to it
}

// tally counts what a picture lacks.
type tally struct {
	scans   int // that were begun
	total   int // MCUs in those scans
	read    int // of those that data was there for
	first   int // read in the first scan
	firstOf int // MCUs of the first scan

	firstRow int  // and of one row in it
	whole    bool // the end marker is there
	broken   bool // what lies between scans ends them
	idle     bool // coded data made no pixel
}

// noData is of a file that ends with its headers.
var noData = pdk.Malformed("a jpeg without pixel data")

// scanHeader reads a scan header (T.81, B.2.3).
func (d *Decoder) scanHeader() error {
	head := d.take(3)
	if len(head) < 3 {
		return pdk.Malformed("a jpeg scan header that is cut")
	}
	size, n := int(binary.BigEndian.Uint16(head)), int(head[2])
	b := d.take(max(0, size-3))
	if n < 1 || n > 4 || len(b) < 2*n+3 {
		return pdk.Malformed("a jpeg scan header that cannot be")
	}
	s := scan{n: n, from: int(b[2*n]), to: int(b[2*n+1]), high: uint(b[2*n+2] >> 4), low: uint(b[2*n+2] & 15)}
	for i := range n {
		c := d.componentOf(&s, b[2*i])
		if c == nil || b[2*i+1]>>4 > 3 || b[2*i+1]&15 > 3 {
			return pdk.Malformed("a jpeg scan of components that are not there")
		}
		c.dc, c.ac = int(b[2*i+1]>>4), int(b[2*i+1]&15)
		s.comps[i] = c
		if c.latched {
			continue
		}
		if d.quants[c.table] == nil {
			return pdk.Malformed("a jpeg without its quantisation table")
		}
		c.quant, c.latched = *d.quants[c.table], true
	}
	if !d.Frame.Progressive() {
		s.from, s.to, s.high, s.low = 0, 63, 0, 0 // as every reader takes it
	}
	if s.from > s.to || s.to > 63 || s.low > 13 || s.from > 0 && n > 1 || s.from == 0 && s.to > 0 && d.Frame.Progressive() {
		return pdk.Malformed("a jpeg scan of a band that cannot be")
	}
	if d.scans++; d.scans > MaxScans {
		return pdk.OverLimit(readapi.CodeLimitFuel, "max_scans", MaxScans, int64(d.scans))
	}
	d.scan = s
	if d.scans == 1 {
		if d.firstRow = d.mcusX; n == 1 {
			d.firstRow = up(s.comps[0].w, 8)
		}
	}
	if d.Frame.Arithmetic() {
		d.arithmetic()
		d.beginStretch(0)
		return nil
	}
	d.defaultTables()
	for _, c := range s.comps[:n] {
		if s.from == 0 && s.high == 0 && !d.dcTables[c.dc].defined || s.to > 0 && !d.acTables[c.ac].defined {
			return pdk.Malformed("a jpeg without its huffman table")
		}
	}
	d.beginStretch(0)
	return nil
}

// covered notes which coefficients a scan ends.
func (s *scan) covered() {
	if s.low > 0 {
		return
	}
	for _, c := range s.comps[:s.n] {
		c.whole |= ^uint64(0) >> (63 - s.to) &^ (1<<s.from - 1)
	}
}

// componentOf finds a component that the scan does not have yet.
func (d *Decoder) componentOf(s *scan, id byte) *component {
	for i := range d.comps {
		c := &d.comps[i]
		if c.id == id && c != s.comps[0] && c != s.comps[1] && c != s.comps[2] {
			return c
		}
	}
	return nil
}

// defaultTables gives the tables of T.81, K.3 to a picture that comes without any, as frames of motion JPEG do.
func (d *Decoder) defaultTables() {
	for i, spec := range [2]*spec{&lumaSpec, &chromaSpec} {
		if t := &d.dcTables[i]; !t.defined {
			t.build(spec.dcCounts[:], spec.dcValues(), false)
		}
		if t := &d.acTables[i]; !t.defined {
			t.build(spec.acCounts[:], spec.acValues(), true)
		}
	}
}

// beginStretch starts the data behind a scan header or a restart marker, which is followed by marker number next.
func (d *Decoder) beginStretch(next byte) {
	s := &d.scan
	d.begin()
	if d.qm != nil {
		d.startArithmetic()
	}
	s.left, s.next, s.run, s.dry = d.restart, next, 0, false
	for _, c := range s.comps[:s.n] {
		c.pred = 0
	}
}

// mcu goes to the next MCU and reports whether there is data for it.
func (d *Decoder) mcu() bool {
	s := &d.scan
	if d.restart > 0 {
		if s.left == 0 {
			d.resync()
		}
		s.left--
	}
	d.total++
	return !s.dry
}

// done ends an MCU that was read.
func (d *Decoder) done() {
	if d.ended() {
		d.scan.dry = true
		return
	}
	d.read++
}

// leave notes, behind the last MCU of a stretch, that there is more data than the bits that fill up its last byte.
func (d *Decoder) leave() {
	if d.scan.dry || d.idle {
		return
	}
	d.fill()
	left := d.n
	if d.end != 0 {
		left -= d.padding
	}
	d.idle = left >= 8
}

// Idle reports whether the file holds coded data that no pixel is made of. It is asked when Missing was.
func (d *Decoder) Idle() bool { return d.idle }

// resync goes to the restart marker that is due. When another is there, the stretch that follows it decides by its number: one or two ahead
// belongs to what comes, and what is due is missing; one or two behind is passed over; any other is taken for the one that is due, as in
// libjpeg (jpeg_resync_to_restart).
func (d *Decoder) resync() {
	d.leave()
	s := &d.scan
	due, m := s.next, d.end
	for {
		if m == 0 {
			var ok bool
			if m, _, ok = d.marker(d.size); !ok {
				m = endOfFile
			}
		}
		switch ahead := (m - mRST0 - due) & 7; {
		case m == endOfFile, m >= mSOF0 && (m < mRST0 || m > mRST7), m >= mRST0 && (ahead == 1 || ahead == 2):
			s.left, s.next, s.dry = d.restart, (due+1)&7, true
			d.end = m
			return
		case m < mSOF0, ahead == 6, ahead == 7:
			m = 0
			continue
		}
		d.beginStretch((due + 1) & 7)
		return
	}
}

// segments reads what lies between two scans. more is false when no scan follows.
func (d *Decoder) segments() (more bool, err error) {
	m := d.end
	for {
		if m == 0 || m == endOfFile {
			var ok bool
			if m, _, ok = d.marker(d.size); !ok {
				return false, nil
			}
		}
		switch {
		case m == mSOS:
			return true, nil
		case m == mEOI:
			d.whole = true
			return false, nil
		case m == 1, mRST0 <= m && m <= mSOI:
			m = 0
			continue
		}
		off := d.offset()
		head := d.take(2)
		if len(head) < 2 {
			return false, nil
		}
		n := int64(binary.BigEndian.Uint16(head)) - 2
		if n < 0 {
			return false, pdk.Malformed("a jpeg segment that cannot be")
		}
		if err := d.segment(m, n); err != nil {
			return false, err
		}
		d.seek(off + 2 + n)
		m = 0
	}
}
