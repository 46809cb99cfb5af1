package image

import (
	"encoding/binary"
	"io"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// bmpFile is a Windows or OS/2 bitmap. An ICO holds the same without the file header and with a mask behind the pixels.
type bmpFile struct {
	header
	in          readapi.Input
	headerBytes int64
	topDown     bool
	bpp         int
	compression uint32
	runs        bool      // the pixels are run-length data
	masks       [4]uint32 // red, green, blue, alpha
	colors      span      // palette
	colorBytes  int64     // of one palette entry
	pixels      int64     // offset
	icon        bool      // alpha counts in 32 bits
	masked      bool      // and a mask of one bit follows
}

// Compression values (MS-WMF, 2.1.1.7). Those of OS/2 have 3 for a fax coding and 4 for runs of three bytes, which has a value of its own here.
const (
	bmpRLE8      = 1
	bmpRLE4      = 2
	bmpBitfields = 3
	bmpJPEG      = 4
	bmpPNG       = 5
	bmpAlphaBits = 6
	bmpRLE24     = 1 << 16
)

const bmpFileHeader = 14

func openBMP(in readapi.Input) (file, error) {
	var b [bmpFileHeader]byte
	if !readInto(in, b[:], 0) {
		return nil, pdk.Malformed("bmp without a header")
	}
	f := &bmpFile{header: blank("bmp"), in: in}
	if err := f.info(bmpFileHeader); err != nil {
		return f, err
	}
	// The offset of the pixels is believed when it lies behind the headers, also where that leaves the palette fewer colours than
	// promised; some writers leave it 0.
	if at := int64(binary.LittleEndian.Uint32(b[10:])); at >= f.pixels-f.colors.n+f.colorBytes || at >= f.pixels {
		f.pixels = at
	}
	if f.compression == bmpJPEG || f.compression == bmpPNG {
		return f.wrapped()
	}
	return f, f.checked()
}

// openBareBMP opens a bitmap that lost its file header, as some programs store what they had in the clipboard.
func openBareBMP(in readapi.Input) (file, error) {
	f := &bmpFile{header: blank("bmp"), in: in}
	if err := f.info(0); err != nil {
		return f, err
	}
	if f.compression == bmpJPEG || f.compression == bmpPNG {
		return f.wrapped()
	}
	return f, f.checked()
}

// wrapped opens the picture of another format that a bitmap is a shell of.
func (f *bmpFile) wrapped() (file, error) {
	part, magic, open := io.NewSectionReader(f.in, f.pixels, max(0, f.in.Size()-f.pixels)), "\xff\xd8\xff", openJPEG
	if f.compression == bmpPNG {
		magic, open = pngMagic, openPNG
	}
	if !matches(readUpTo(part, 0, magicBytes), magic) {
		return f, pdk.Malformed("bmp without the picture that it is a shell of")
	}
	inner, err := open(part)
	if err != nil {
		return f, err
	}
	return newShell("bmp", inner), nil
}

func (f *bmpFile) head() *header { return &f.header }

// info reads the info header at off. Its length says which of the many versions it is.
func (f *bmpFile) info(off int64) error {
	n := readUpTo(f.in, off, 4)
	if len(n) < 4 {
		return pdk.Malformed("bmp without an info header")
	}
	f.headerBytes = int64(binary.LittleEndian.Uint32(n))
	if f.headerBytes < 12 || f.headerBytes > 1<<12 {
		return pdk.Malformed("bmp info header of an unknown length")
	}
	b := make([]byte, max(f.headerBytes, 124))
	if !readInto(f.in, b[:f.headerBytes], off) {
		return pdk.Malformed("bmp info header is cut")
	}
	used := int64(0)
	if f.headerBytes == 12 { // OS/2 1
		f.width, f.height = int64(binary.LittleEndian.Uint16(b[4:])), int64(binary.LittleEndian.Uint16(b[6:]))
		f.bpp, f.colorBytes = int(binary.LittleEndian.Uint16(b[10:])), 3
	} else {
		f.width = int64(int32(binary.LittleEndian.Uint32(b[4:])))
		f.height = int64(int32(binary.LittleEndian.Uint32(b[8:])))
		f.bpp, f.colorBytes = int(binary.LittleEndian.Uint16(b[14:])), 4
		f.compression = binary.LittleEndian.Uint32(b[16:])
		used = int64(binary.LittleEndian.Uint32(b[32:]))
	}
	if f.height < 0 {
		f.height, f.topDown = -f.height, true
	}
	const embedded = "DEBM" // MS-WMF, 2.1.1.15, PROFILE_EMBEDDED as it is stored
	if f.headerBytes >= 124 && string(b[56:60]) == embedded {
		f.icc = true
		f.profile = wholeProfile(f.in, span{off + int64(binary.LittleEndian.Uint32(b[112:])), int64(binary.LittleEndian.Uint32(b[116:]))})
	}
	if f.width < 0 {
		return pdk.Malformed("bmp of negative width")
	}
	return f.layout(b, off, used)
}

// layout finds the masks, the palette and the pixels behind the info header.
func (f *bmpFile) layout(b []byte, off, used int64) error {
	f.pixels = off + f.headerBytes
	fields := f.compression == bmpBitfields || f.compression == bmpAlphaBits
	os2 := f.headerBytes == 12 || f.headerBytes == 16 || f.headerBytes == 64
	switch {
	case f.icon && !fields:
		f.compression = 0 // nothing else is in icons, whatever they say
		f.standardMasks()
	case os2 && f.compression == bmpJPEG:
		f.compression = bmpRLE24
	case os2 && f.compression > bmpRLE4:
		return pdk.Unsupported("bmp in the fax coding of OS/2")
	case !fields && f.compression > bmpAlphaBits:
		return pdk.Unsupported("bmp compression")
	case f.compression == bmpJPEG, f.compression == bmpPNG:
		return nil
	case !fields:
		f.standardMasks()
	case f.headerBytes >= 52:
		f.readMasks(b[40:], f.headerBytes >= 56)
	default:
		n := int64(12)
		if f.compression == bmpAlphaBits {
			n = 16
		}
		m := make([]byte, 16)
		if !readInto(f.in, m[:n], f.pixels) {
			return pdk.Malformed("bmp masks are cut")
		}
		f.readMasks(m, n == 16)
		f.pixels += n
	}
	f.runs = f.compression == bmpRLE8 || f.compression == bmpRLE4 || f.compression == bmpRLE24
	f.alpha = f.masks[3] != 0
	if f.bpp <= 8 {
		f.color, f.depth = "palette", f.bpp
		most := int64(1) << max(0, f.bpp)
		if used <= 0 || used > most {
			used = most
		}
		f.colors = span{f.pixels, used * f.colorBytes}
		f.pixels += f.colors.n
	}
	switch f.bpp {
	case 1, 2, 4, 8, 16, 24, 32:
		return nil
	}
	return pdk.Unsupported("bmp bit depth")
}

// standardMasks are those of pixels without masks of their own.
func (f *bmpFile) standardMasks() {
	switch f.bpp {
	case 16:
		f.masks = [4]uint32{0x7c00, 0x3e0, 0x1f, 0}
	case 32:
		f.masks = [4]uint32{0xff0000, 0xff00, 0xff, 0}
		if f.icon {
			f.masks[3] = 0xff000000
		}
	}
}

func (f *bmpFile) readMasks(b []byte, alpha bool) {
	for i := range 4 {
		if i < 3 || alpha {
			f.masks[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
	}
}
