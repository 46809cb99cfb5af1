package image

import (
	"bytes"
	"encoding/binary"
	"io"
)

// ifdReader reads directories of the kind that TIFF and EXIF share (TIFF 6.0, section 2; BigTIFF). Offsets in them come from the file and
// may point anywhere, also back: who follows them keeps a visited set, and the reader gives out no more than its budget of bytes.
type ifdReader struct {
	r      io.ReaderAt
	size   int64
	order  binary.ByteOrder
	big    bool
	budget int64 // bytes that may still be read
}

// ifdEntry is one entry; value is its inline value or the offset of it.
type ifdEntry struct {
	tag, typ uint16
	count    uint64
	value    [8]byte
}

// newIFDReader reads the header of size bytes at r and returns the offset of the first directory.
func newIFDReader(r io.ReaderAt, size, budget int64) (d *ifdReader, first int64, ok bool) {
	d = &ifdReader{r: r, size: size, budget: budget}
	b := d.bytes(0, 8)
	if b == nil {
		return nil, 0, false
	}
	switch string(b[:2]) {
	case "II":
		d.order = binary.LittleEndian
	case "MM":
		d.order = binary.BigEndian
	default:
		return nil, 0, false
	}
	switch d.order.Uint16(b[2:]) {
	case 42:
		return d, int64(d.order.Uint32(b[4:])), true
	case 43:
		d.big = true
		if b = d.bytes(0, 16); b == nil || d.order.Uint16(b[4:]) != 8 {
			return nil, 0, false
		}
		return d, int64(d.order.Uint64(b[8:])), true
	}
	return nil, 0, false
}

// bytes returns n bytes at off; nil when the file or the budget does not have them.
func (d *ifdReader) bytes(off, n int64) []byte {
	if off < 0 || n < 0 || n > d.budget || off > d.size-n {
		return nil
	}
	d.budget -= n
	b := make([]byte, n)
	if k, _ := d.r.ReadAt(b, off); int64(k) != n {
		return nil
	}
	return b
}

// directory returns the entries at off, as far as the file has them, and the offset of the next directory. ok is false when there is no
// directory.
func (d *ifdReader) directory(off int64) (entries []ifdEntry, next int64, ok bool) {
	countBytes, entryBytes, nextBytes := int64(2), int64(12), int64(4)
	if d.big {
		countBytes, entryBytes, nextBytes = 8, 20, 8
	}
	head := d.bytes(off, countBytes)
	if head == nil {
		return nil, 0, false
	}
	n := int64(d.order.Uint16(head))
	if d.big {
		if n = int64(d.order.Uint64(head)); n < 0 || n > 1<<16 {
			return nil, 0, false
		}
	}
	whole := true
	if most := (d.size - off - countBytes) / entryBytes; n > most {
		n, whole = most, false
	}
	raw := d.bytes(off+countBytes, n*entryBytes)
	if raw == nil {
		return nil, 0, false
	}
	entries = make([]ifdEntry, n)
	for i := range entries {
		entries[i] = d.entry(raw[int64(i)*entryBytes:])
	}
	if tail := d.bytes(off+countBytes+n*entryBytes, nextBytes); whole && tail != nil {
		next = d.offset(tail)
	}
	return entries, next, true
}

func (d *ifdReader) entry(b []byte) ifdEntry {
	e := ifdEntry{tag: d.order.Uint16(b), typ: d.order.Uint16(b[2:])}
	if d.big {
		e.count = d.order.Uint64(b[4:])
		copy(e.value[:], b[12:20])
	} else {
		e.count = uint64(d.order.Uint32(b[4:]))
		copy(e.value[:4], b[8:12])
	}
	return e
}

func (d *ifdReader) offset(b []byte) int64 {
	if d.big {
		return int64(d.order.Uint64(b))
	}
	return int64(d.order.Uint32(b))
}

// typeBytes is the size of each field type (TIFF 6.0, section 2; BigTIFF adds 16 to 18).
var typeBytes = [19]int64{0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8}

// data returns the value of e as bytes, at most most of them.
func (d *ifdReader) data(e ifdEntry, most int64) []byte {
	if int(e.typ) >= len(typeBytes) || e.count > 1<<40 {
		return nil
	}
	n := min(int64(e.count)*typeBytes[e.typ], most)
	inline := int64(4)
	if d.big {
		inline = 8
	}
	if int64(e.count)*typeBytes[e.typ] <= inline {
		return bytes.Clone(e.value[:n])
	}
	return d.bytes(d.offset(e.value[:]), n)
}

// place returns where the value of e lies, which must be bytes and more than an entry itself holds.
func (d *ifdReader) place(e ifdEntry) (s span, ok bool) {
	if e.typ != 1 && e.typ != 7 || e.count <= 8 || e.count > 1<<40 {
		return s, false
	}
	return span{d.offset(e.value[:]), int64(e.count)}, true
}

// uints returns up to most values of e, which must be of an integer type; nil when it is not or cannot be read. Some writers take a signed
// type for numbers that have no sign; below zero they are too large for anything.
func (d *ifdReader) uints(e ifdEntry, most int64) []uint64 {
	switch e.typ {
	case 1, 3, 4, 6, 7, 8, 9, 13, 16, 17, 18:
	default:
		return nil
	}
	size := typeBytes[e.typ]
	b := d.data(e, most*size)
	out := make([]uint64, int64(len(b))/size)
	for i := range out {
		switch v := b[int64(i)*size:]; size {
		case 1:
			out[i] = uint64(v[0])
		case 2:
			out[i] = uint64(d.order.Uint16(v))
		case 4:
			out[i] = uint64(d.order.Uint32(v))
		case 8:
			out[i] = d.order.Uint64(v)
		}
	}
	return out
}

// exif is what we want of an EXIF block.
type exif struct {
	orientation int // 1 to 8; 0: none that is valid
	gps         bool
}

const (
	tagOrientation = 274
	tagGPS         = 34853
	// exifBudget bounds what is read of an EXIF block. A block points at itself and may do so in circles.
	exifBudget = 128 << 10
)

// parseEXIF reads the first directory of an EXIF block (EXIF 2.32, 4.5: a TIFF header, then directories). A damaged block says nothing.
func parseEXIF(b []byte) (e exif) {
	d, first, ok := newIFDReader(bytes.NewReader(b), int64(len(b)), exifBudget)
	if !ok {
		return e
	}
	entries, _, _ := d.directory(first)
	for _, entry := range entries {
		switch entry.tag {
		case tagOrientation:
			e.orientation = orientationOf(d.uints(entry, 1))
		case tagGPS:
			if at := d.uints(entry, 1); len(at) == 1 {
				places, _, _ := d.directory(int64(at[0]))
				e.gps = len(places) > 0
			}
		}
	}
	return e
}

func orientationOf(v []uint64) int {
	if len(v) == 1 && v[0] >= 1 && v[0] <= 8 {
		return int(v[0])
	}
	return 0
}
