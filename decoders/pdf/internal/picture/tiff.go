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
	typeLong        = 4
	tiffEntryBytes  = 12
	tiffEntries     = 10
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
	lists           int    // where the lists of the directory begin
	behind          []byte // those lists
}

func (t *tiff) begin() { t.b = append(t.b, "II*\x00\x00\x00\x00\x00"...) }

// strip ends a strip that begins at from.
func (t *tiff) strip(from int) {
	t.offsets, t.counts = append(t.offsets, uint32(from)), append(t.counts, uint32(len(t.b)-from))
	if len(t.b)&1 == 1 {
		t.b = append(t.b, 0)
	}
}

// little appends the n bytes of a number, the lowest first.
func little(b []byte, v uint32, n int) []byte {
	for i := range n {
		b = append(b, byte(v>>(8*i)))
	}
	return b
}

// end writes the directory and returns the file.
func (t *tiff) end() []byte {
	at := len(t.b)
	t.lists = at + 2 + tiffEntryBytes*tiffEntries + 4
	t.b = little(t.b, tiffEntries, 2)
	t.entry(tagWidth, uint32(t.w))
	t.entry(tagHeight, uint32(t.h))
	bits := []uint32{uint32(t.bits), uint32(t.bits), uint32(t.bits), uint32(t.bits)}
	t.entry(tagBits, bits[:t.samples]...)
	t.entry(tagCompression, uint32(t.compressed))
	t.entry(tagPhotometric, uint32(t.photo))
	t.entry(tagOffsets, t.offsets...)
	t.entry(tagOrientation, uint32(t.turn))
	t.entry(tagSamples, uint32(t.samples))
	t.entry(tagRows, uint32(t.rows))
	t.entry(tagCounts, t.counts...)
	t.b = append(little(t.b, 0, 4), t.behind...)
	copy(t.b[4:tiffHeaderBytes], little(nil, uint32(at), 4))
	return t.b
}

// entry appends an entry of the directory. Several values stand behind it.
func (t *tiff) entry(tag uint32, values ...uint32) {
	t.b = little(little(little(t.b, tag, 2), typeLong, 2), uint32(len(values)), 4)
	if len(values) == 1 {
		t.b = little(t.b, values[0], 4)
		return
	}
	t.b = little(t.b, uint32(t.lists+len(t.behind)), 4)
	for _, v := range values {
		t.behind = little(t.behind, v, 4)
	}
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
