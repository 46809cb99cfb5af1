package image

import (
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// tiffFile is a TIFF (TIFF 6.0 with its technical notes; BigTIFF). Its frames are pages.
type tiffFile struct {
	header
	in    readapi.Input
	dir   *ifdReader
	pages []int64 // offsets of the directories
}

// tiffPage is what one directory says. The lists are read when the page is decoded.
type tiffPage struct {
	width, height   int64
	bits            []uint64 // of each sample
	samples         int64
	compression     uint64
	photometric     uint64
	planar          bool
	lowBitFirst     bool // FillOrder 2
	predictor       uint64
	rowsPerStrip    int64
	tileW, tileH    int64 // 0: strips
	offsets, counts ifdEntry
	colors          ifdEntry
	tables          ifdEntry // JPEG
	faxOptions      uint64
	extra           []uint64
	format          uint64
	subsampleX      uint64
	subsampleY      uint64
	orientation     int
	gps, metadata   bool
	profile         profileSource
	inkSet          uint64
	coefficients    ifdEntry // of YCbCr
	blackWhite      ifdEntry

	oldProcess                      uint64 // of old-style JPEG (TIFF 6.0, section 22), as are the following
	interchange                     span   // a JPEG stream
	restart                         uint64 // interval
	quantTables, dcTables, acTables ifdEntry
}

const (
	// tiffBudget bounds the bytes read of directories and their lists.
	tiffBudget = 16 << 20
	// maxSegments bounds the strips or tiles of a page.
	maxSegments = 1 << 18
	// maxSamples bounds the samples of a pixel.
	maxSamples = 8
)

func openTIFF(in readapi.Input) (file, error) {
	f := &tiffFile{header: blank("tiff"), in: in}
	d, first, ok := newIFDReader(in, in.Size(), tiffBudget)
	if !ok {
		return nil, pdk.Malformed("tiff without a header")
	}
	f.dir = d
	f.chain(first)
	if len(f.pages) == 0 {
		return nil, pdk.Malformed("tiff without a directory")
	}
	f.frames = int64(len(f.pages))
	p, err := f.page(1)
	if err != nil {
		if p != nil {
			f.width, f.height = p.width, p.height
		}
		return f, err
	}
	f.width, f.height, f.orientation = p.width, p.height, p.orientation
	f.depth, f.alpha = int(p.bits[0]), p.alphaAt() >= 0
	f.icc, f.gps, f.metadata = p.profile.pieces != nil, p.gps, p.metadata
	f.lossy = p.compression == tiffJPEG || p.compression == tiffOldJPEG
	f.color = colorName(p.photometric)
	return f, f.checked()
}

// colorName is the photometric interpretation in meta; "" for colours that nobody here has.
func colorName(photometric uint64) string {
	switch photometric {
	case whiteIsZero, blackIsZero, photoMask:
		return "gray"
	case photoRGB:
		return "rgb"
	case photoIndex:
		return "palette"
	case photoCMYK:
		return "cmyk"
	case photoYCbCr:
		return "ycbcr"
	case photoLab, photoICCLab, photoITULab:
		return "lab"
	}
	return ""
}

func (f *tiffFile) head() *header { return &f.header }

// chain follows the directories; a circle ends it.
func (f *tiffFile) chain(off int64) {
	seen := map[int64]bool{}
	for off != 0 && !seen[off] {
		if len(f.pages) == maxRecorded {
			f.atLeast = true
			return
		}
		seen[off] = true
		entries, next, ok := f.dir.directory(off)
		if !ok || len(entries) == 0 {
			return
		}
		f.pages = append(f.pages, off)
		off = next
	}
}

// page reads the directory of page at, from 1. With an error may come a page, as far as it says what it is.
func (f *tiffFile) page(at int64) (*tiffPage, error) {
	f.dir.budget = tiffBudget
	entries, _, ok := f.dir.directory(f.pages[at-1])
	if !ok {
		return nil, pdk.Malformed("tiff page without a directory")
	}
	p := &tiffPage{
		bits: []uint64{1}, samples: 1, compression: 1, predictor: 1, rowsPerStrip: 1 << 32, format: 1,
		subsampleX: 2, subsampleY: 2, orientation: 1, photometric: unknownPhotometric,
	}
	for _, e := range entries {
		f.field(p, e)
	}
	if p.width <= 0 || p.height <= 0 {
		return p, pdk.Malformed("tiff page without an area")
	}
	if len(p.bits) == 0 || p.samples < 1 {
		return p, pdk.Malformed("tiff page without samples")
	}
	p.assume()
	return p, nil
}

// unknownPhotometric stands for a page that does not say what its samples mean.
const unknownPhotometric = 1 << 20

// assume fills in what the page does not say, as libtiff does.
func (p *tiffPage) assume() {
	if p.photometric == unknownPhotometric {
		switch {
		case p.compression == tiffHuffman || p.compression == tiffFax3 || p.compression == tiffFax4:
			p.photometric = whiteIsZero
		case max(p.samples, int64(len(p.bits))) >= 3:
			p.photometric = photoRGB
		default:
			p.photometric = blackIsZero
		}
	}
	if p.samples < int64(len(p.bits)) && p.samples == 1 && p.photometric == photoRGB { // SamplesPerPixel is left out
		p.samples = int64(len(p.bits))
	}
	if p.compression == tiffOldJPEG && p.photometric == photoYCbCr && p.samples == 1 { // and so it is here
		p.samples = 3
	}
}

// field takes one entry. Tags are those of TIFF 6.0, appendix A, unless said otherwise.
func (f *tiffFile) field(p *tiffPage, e ifdEntry) {
	switch e.tag {
	case 258:
		p.bits = f.dir.uints(e, maxSamples)
	case 273, 324:
		p.offsets = e
	case 279, 325:
		p.counts = e
	case 320:
		p.colors = e
	case 338:
		p.extra = f.dir.uints(e, maxSamples)
	case 347: // TIFF technical note 2
		p.tables = e
	case tagOrientation:
		p.orientation = max(1, orientationOf(f.dir.uints(e, 1)))
	case 339:
		for _, v := range f.dir.uints(e, maxSamples) {
			p.format = max(p.format, v)
		}
	case 513:
		if v := f.dir.uints(e, 1); len(v) == 1 {
			p.interchange.off = int64(min(v[0], 1<<62))
		}
	case 514:
		if v := f.dir.uints(e, 1); len(v) == 1 {
			p.interchange.n = int64(min(v[0], 1<<62))
		}
	case 519:
		p.quantTables = e
	case 520:
		p.dcTables = e
	case 521:
		p.acTables = e
	case 529:
		p.coefficients = e
	case 532:
		p.blackWhite = e
	case 530:
		if v := f.dir.uints(e, 2); len(v) == 2 {
			p.subsampleX, p.subsampleY = v[0], v[1]
		}
	case tagGPS:
		p.gps, p.metadata = true, true
	case 34675:
		if s, ok := f.dir.place(e); ok {
			p.profile = wholeProfile(f.in, s)
		}
	case 700: // XMP
		p.metadata = true
		var h header
		h.readXMP(f.dir.data(e, maxPNGMetadata))
		p.gps = p.gps || h.gps
	case 270, 271, 272, 305, 306, 315, 33432, 33723, 34377, 34665: // words, IPTC, Photoshop, EXIF
		p.metadata = true
	default:
		f.number(p, e)
	}
}

// number takes an entry that is one number.
func (f *tiffFile) number(p *tiffPage, e ifdEntry) {
	switch e.tag {
	case 256, 257, 259, 262, 266, 277, 278, 284, 292, 317, 322, 323, 332, 512, 515:
	default:
		return
	}
	list := f.dir.uints(e, 1)
	if len(list) == 0 {
		return
	}
	v := list[0]
	signed := int64(min(v, 1<<40))
	switch e.tag {
	case 256:
		p.width = signed
	case 257:
		p.height = signed
	case 259:
		p.compression = v
	case 262:
		p.photometric = v
	case 266:
		p.lowBitFirst = v == 2
	case 277:
		p.samples = signed
	case 278:
		if p.rowsPerStrip = signed; signed == 0 {
			p.rowsPerStrip = 1 << 32
		}
	case 284:
		p.planar = v == 2
	case 292:
		p.faxOptions = v
	case 317:
		p.predictor = v
	case 322:
		p.tileW = signed
	case 323:
		p.tileH = signed
	case 332:
		p.inkSet = v
	case 512:
		p.oldProcess = v
	case 515:
		p.restart = min(v, 0xffff)
	}
}

// colorSamples is how many samples a pixel has before the extra ones.
func (p *tiffPage) colorSamples() int64 {
	switch p.photometric {
	case 2, 6, 8, 9, 10:
		return 3
	case 5:
		return 4
	}
	return 1
}

// alphaAt returns which sample is alpha, -1 for none (tag 338: 1 associated, 2 not).
func (p *tiffPage) alphaAt() int64 {
	if len(p.extra) == 0 && p.photometric == photoRGB && p.samples == 4 { // it is left out, and every reader takes it for alpha
		return 3
	}
	for i, kind := range p.extra {
		at := p.colorSamples() + int64(i)
		if (kind == 1 || kind == 2) && at < p.samples {
			return at
		}
	}
	return -1
}
