package image

import (
	"bytes"
	"encoding/binary"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// jpegFile is a JPEG (ITU-T T.81).
type jpegFile struct {
	header
	in          readapi.Input
	sof         byte // the marker: which process
	components  int
	subsampling [4]byte
	adobe       bool
}

func openJPEG(in readapi.Input) (file, error) {
	f := &jpegFile{header: blank("jpeg"), in: in}
	f.lossy = true
	f.scan()
	if f.sof == 0 {
		return nil, pdk.Malformed("jpeg without a frame header")
	}
	if f.height == 0 && f.width > 0 {
		return nil, pdk.Unsupported("jpeg whose height comes behind its data")
	}
	return f, f.checked()
}

func (f *jpegFile) head() *header { return &f.header }

// scan walks the segments up to the first scan.
func (f *jpegFile) scan() {
	var b [4]byte
	junk := 0
	for off := int64(2); junk <= maxJunk && readInto(f.in, b[:2], off); {
		if b[0] != 0xff {
			off++ // what lies between segments is skipped, as every reader does
			junk++
			continue
		}
		marker := b[1]
		switch {
		case marker == 0xff:
			off++
			junk++
			continue
		case marker == 0, marker == 1, 0xd0 <= marker && marker <= 0xd8: // without a length
			off += 2
			junk++
			continue
		case marker == 0xda, marker == 0xd9:
			return
		}
		if !readInto(f.in, b[2:4], off+2) {
			return
		}
		n := int64(binary.BigEndian.Uint16(b[2:])) - 2
		if n < 0 {
			return
		}
		f.segment(marker, off+4, n)
		off += 4 + n
	}
}

func (f *jpegFile) segment(marker byte, off, n int64) {
	switch {
	case 0xc0 <= marker && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
		f.frameHeader(marker, readUpTo(f.in, off, n))
	case marker == 0xe1:
		f.metadata = true
		if b := readUpTo(f.in, off, n); bytes.HasPrefix(b, []byte("Exif\x00")) {
			f.readEXIF(b)
		} else if bytes.HasPrefix(b, []byte(xmpPrefix)) {
			f.readXMP(b[len(xmpPrefix):])
		}
	case marker == 0xe2:
		const prefix = "ICC_PROFILE\x00" // then which piece it is, and of how many (ICC.1:2022, B.4)
		if b := readUpTo(f.in, off, int64(len(prefix))+2); len(b) == len(prefix)+2 && string(b[:len(prefix)]) == prefix {
			f.icc = true
			f.profile.add(f.in, b[len(prefix)], span{off + int64(len(b)), n - int64(len(b))})
		}
	case marker == 0xee:
		f.adobe = f.adobe || bytes.HasPrefix(readUpTo(f.in, off, 5), []byte("Adobe"))
	case marker == 0xed, marker == 0xfe:
		f.metadata = true
	}
}

func (f *jpegFile) frameHeader(marker byte, b []byte) {
	if f.sof != 0 || len(b) < 6 {
		return
	}
	f.sof, f.depth = marker, int(b[0])
	f.height, f.width = int64(binary.BigEndian.Uint16(b[1:])), int64(binary.BigEndian.Uint16(b[3:]))
	f.components = int(b[5])
	for i := range min(f.components, len(f.subsampling)) {
		if 7+3*i < len(b) {
			f.subsampling[i] = b[7+3*i]
		}
	}
	f.color = map[int]string{1: "gray", 3: "ycbcr", 4: "cmyk"}[f.components]
}
