package picture

// orientation is how a picture is turned when it is shown, as EXIF and TIFF number it: where its first row and column are.
type orientation uint16

// upright is a picture that is shown as it is.
const upright orientation = 1

// Tags and values of TIFF 6.0.
const (
	tagWidth        = 256
	tagHeight       = 257
	tagBits         = 258
	tagCompression  = 259
	tagPhotometric  = 262
	tagOffsets      = 273
	tagOrientation  = 274
	tagSamples      = 277
	tagRows         = 278
	tagCounts       = 279
	compressJPEG    = 7
	compressBits    = 32773 // PackBits
	photoWhiteZero  = 0
	photoBlackZero  = 1
	photoRGB        = 2
	photoCMYK       = 5
	photoYCbCr      = 6
	typeShort       = 3
	typeLong        = 4
	tiffEntryBytes  = 12
	tiffHeaderBytes = 8

	tiffOverhead = 4096 // more than all of a file but its data
)

// tiff writes a picture of one page in strips. The header stands before the data and the directory behind them, so that the data can be
// written as they come.
type tiff struct {
	w, h, rows int // of a strip
	bits       int
	samples    int
	compressed uint16
	photo      uint16
	turn       orientation

	b               []byte
	offsets, counts []uint32
}

func (t *tiff) begin() { t.b = append(t.b, "II*\x00\x00\x00\x00\x00"...) }

// strip ends a strip that begins at from.
func (t *tiff) strip(from int) {
	t.offsets, t.counts = append(t.offsets, uint32(from)), append(t.counts, uint32(len(t.b)-from))
	if len(t.b)&1 == 1 {
		t.b = append(t.b, 0)
	}
}

func put16(b []byte, v uint16) []byte { return append(b, byte(v), byte(v>>8)) }
func put32(b []byte, v uint32) []byte { return put16(put16(b, uint16(v)), uint16(v>>16)) }

// end writes the directory and returns the file.
func (t *tiff) end() []byte {
	bits := make([]uint32, t.samples)
	for i := range bits {
		bits[i] = uint32(t.bits)
	}
	entries := []struct {
		tag, kind uint16
		values    []uint32
	}{
		{tagWidth, typeLong, []uint32{uint32(t.w)}}, {tagHeight, typeLong, []uint32{uint32(t.h)}}, {tagBits, typeShort, bits},
		{tagCompression, typeShort, []uint32{uint32(t.compressed)}}, {tagPhotometric, typeShort, []uint32{uint32(t.photo)}},
		{tagOffsets, typeLong, t.offsets}, {tagOrientation, typeShort, []uint32{uint32(t.turn)}},
		{tagSamples, typeShort, []uint32{uint32(t.samples)}}, {tagRows, typeLong, []uint32{uint32(t.rows)}}, {tagCounts, typeLong, t.counts},
	}
	at := len(t.b)
	dir := put16(nil, uint16(len(entries)))
	var lists []byte
	behind := at + 2 + tiffEntryBytes*len(entries) + 4
	for _, e := range entries {
		var v []byte
		for _, x := range e.values {
			if e.kind == typeShort {
				v = put16(v, uint16(x))
			} else {
				v = put32(v, x)
			}
		}
		dir = put32(put16(put16(dir, e.tag), e.kind), uint32(len(e.values)))
		if len(v) > 4 {
			dir = put32(dir, uint32(behind+len(lists)))
			lists = append(lists, v...)
		} else {
			dir = append(dir, v...)
			dir = append(dir, make([]byte, 4-len(v))...)
		}
	}
	t.b = append(append(append(t.b, dir...), 0, 0, 0, 0), lists...)
	copy(t.b[4:tiffHeaderBytes], put32(nil, uint32(at)))
	return t.b
}

// encodeRaster writes r as TIFF, its rows packed: scans are mostly white.
func encodeRaster(r *raster, turn orientation) Encoded {
	t := tiff{w: r.w, h: r.h, rows: r.h, bits: 8, samples: 1, compressed: compressBits, photo: photoBlackZero, turn: turn}
	switch r.kind {
	case rasterBits:
		t.bits, t.photo = 1, photoWhiteZero
	case rasterRGB:
		t.samples, t.photo = 3, photoRGB
	}
	t.begin()
	line := make([]byte, r.kind.stride(r.w))
	for y := range r.h {
		if r.kind != rasterBits {
			whiten(line)
		}
		r.row(y, line)
		t.b = packBits(t.b, line)
	}
	t.strip(tiffHeaderBytes)
	return Encoded{MediaType: "image/tiff", Bytes: t.end(), Partial: r.partial}
}

// packBits appends row as PackBits (TIFF 6.0, section 9): runs of a byte, and what lies between them as it is.
func packBits(b, row []byte) []byte {
	const most, worth = 128, 3
	for from := 0; from < len(row); {
		to := from // end of what is written as it is
		run := 0
		for ; to < len(row) && to-from < most; to += run {
			for run = 1; to+run < len(row) && run < most && row[to+run] == row[to]; {
				run++
			}
			if run >= worth || from == to && run == 2 {
				break
			}
			run = min(run, from+most-to)
		}
		if to > from {
			b = append(append(b, byte(to-from-1)), row[from:to]...)
			from = to
			continue
		}
		b = append(b, byte(1-run), row[from])
		from += run
	}
	return b
}
