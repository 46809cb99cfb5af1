package image

// Compression values (TIFF 6.0, its supplements, and what libtiff registers).
const (
	tiffNone       = 1
	tiffHuffman    = 2
	tiffFax3       = 3
	tiffFax4       = 4
	tiffLZW        = 5
	tiffOldJPEG    = 6
	tiffJPEG       = 7
	tiffDeflate    = 8
	tiffPackBits   = 32773
	tiffOldDeflate = 32946
	tiffWebP       = 50001
)

// Photometric interpretations (tag 262).
const (
	whiteIsZero = 0
	blackIsZero = 1
	photoRGB    = 2
	photoIndex  = 3
	photoMask   = 4
	photoCMYK   = 5
	photoYCbCr  = 6
	photoLab    = 8
	photoICCLab = 9
	photoITULab = 10
)

// Sample formats (tag 339).
const (
	formatUint    = 1
	formatInt     = 2
	formatFloat   = 3
	formatVoid    = 4
	formatComplex = 5
)

// unsupported names what the page needs and nobody here has.
func (p *tiffPage) unsupported() string {
	if p.compression == tiffOldJPEG || p.compression == tiffJPEG && len(p.bits) < int(p.samples) { // the JPEG says it
		p.bits = []uint64{8}
	}
	for _, n := range p.bits[:min(len(p.bits), int(p.samples))] {
		if n != p.bits[0] {
			return "tiff with samples of different depth"
		}
	}
	if p.samples > maxSamples {
		return "tiff with many samples"
	}
	for _, refuse := range [...]func() string{p.unsupportedCoding, p.unsupportedColors, p.unsupportedDepth, p.unsupportedPredictor} {
		if feature := refuse(); feature != "" {
			return feature
		}
	}
	return ""
}

func (p *tiffPage) unsupportedColors() string {
	switch p.photometric {
	case whiteIsZero, blackIsZero, photoRGB, photoLab, photoICCLab:
	case photoIndex:
		if p.bits[0] > 8 {
			return "tiff palette of this depth"
		}
	case photoCMYK:
		if p.inkSet == 2 { // TIFF 6.0, section 16
			return "tiff with inks other than cyan, magenta, yellow and black"
		}
	case photoYCbCr:
		switch {
		case p.compression == tiffJPEG || p.compression == tiffOldJPEG:
		case p.bits[0] != 8:
			return "tiff with YCbCr colours of this depth"
		case !oneOf124(p.subsampleX) || !oneOf124(p.subsampleY):
			return "tiff with colours subsampled so"
		case p.subsampled() && (p.planar || p.samples != 3 || p.predictor > 1):
			return "tiff with subsampled colours in planes"
		}
	case photoMask:
		return "tiff transparency mask"
	case photoITULab:
		return "tiff in ITU Lab colours"
	case 32803, 34892:
		return "tiff with raw data of a sensor"
	case 32844, 32845:
		return "tiff in LogLuv colours"
	default:
		return "tiff colour model"
	}
	return ""
}

func oneOf124(v uint64) bool { return v == 1 || v == 2 || v == 4 }

// subsampled reports whether colours of a page that is not a JPEG have fewer samples than luma has.
func (p *tiffPage) subsampled() bool {
	return p.photometric == photoYCbCr && p.compression != tiffJPEG && p.compression != tiffOldJPEG && p.subsampleX*p.subsampleY > 1
}

func (p *tiffPage) unsupportedDepth() string {
	bits := p.bits[0]
	lab := p.photometric == photoLab || p.photometric == photoICCLab
	switch {
	case p.format == formatFloat:
		if bits != 16 && bits != 24 && bits != 32 && bits != 64 {
			return "tiff with floating-point samples of this depth"
		}
		if p.photometric != whiteIsZero && p.photometric != blackIsZero && p.photometric != photoRGB {
			return "tiff with floating-point samples in these colours"
		}
	case p.format >= formatComplex && p.format != formatUint:
		return "tiff with complex samples"
	case p.format == formatInt && !lab:
		return "tiff with signed samples"
	case lab && bits != 8 && bits != 16:
		return "tiff in Lab colours of this depth"
	case bits == 0 || bits > 16 && bits != 24 && bits != 32:
		return "tiff bit depth"
	}
	return ""
}

func (p *tiffPage) unsupportedPredictor() string {
	switch {
	case p.predictor <= 1 || !p.predicts():
		return ""
	case p.predictor == 2 && (p.bits[0] == 8 || p.bits[0] == 16 || p.bits[0] == 32 || p.bits[0] == 64):
		return ""
	case p.predictor == 3 && p.format == formatFloat:
		return ""
	}
	return "tiff predictor"
}

// predicts reports whether the predictor counts: it goes with some compressions, and is there without a meaning in others.
func (p *tiffPage) predicts() bool {
	return p.compression == tiffLZW || p.compression == tiffDeflate || p.compression == tiffOldDeflate
}

func (p *tiffPage) unsupportedCoding() string {
	switch p.compression {
	case tiffNone, tiffLZW, tiffDeflate, tiffOldDeflate, tiffPackBits:
		return ""
	case tiffHuffman, tiffFax3, tiffFax4:
		if p.bits[0] != 1 || p.samples != 1 {
			return "tiff fax coding of more than one bit"
		}
		return ""
	case tiffJPEG:
		if p.bits[0] != 8 {
			return "tiff with jpeg of 12 bits"
		}
		return ""
	case tiffWebP:
		if p.photometric != photoRGB || p.bits[0] != 8 || p.samples != 3 && p.samples != 4 || p.planar {
			return "tiff with WebP compression of these samples"
		}
		return ""
	case tiffOldJPEG:
		if p.oldProcess > 1 {
			return "tiff with old-style lossless jpeg"
		}
		return ""
	}
	for _, c := range [...]struct {
		value uint64
		name  string
	}{
		{9, "JBIG"}, {10, "JBIG"}, {34661, "JBIG"}, {34712, "JPEG 2000"}, {33003, "JPEG 2000"}, {33005, "JPEG 2000"}, {34925, "LZMA"},
		{50000, "Zstandard"}, {50002, "JPEG XL"}, {52546, "JPEG XL"}, {34887, "LERC"}, {34676, "SGI Log"}, {34677, "SGI Log"},
		{32766, "NeXT"}, {32809, "ThunderScan"}, {32771, "word-aligned fax"}, {34892, "lossy JPEG of a raw file"}, {32908, "Pixar"}, {32909, "Pixar"},
	} {
		if c.value == p.compression {
			return "tiff with " + c.name + " compression"
		}
	}
	return "tiff compression"
}
