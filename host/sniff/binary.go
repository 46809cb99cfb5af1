package sniff

import (
	"bytes"
	"encoding/binary"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// pdfHeader says where a PDF header was found.
type pdfHeader int

const (
	pdfNone    pdfHeader = iota
	pdfMention           // somewhere within the first 1,024 bytes
	pdfAtStart           // at the very start, but for white space
	pdfObjects           // anywhere there, and PDF objects follow
	pdfFile              // at the very start, and PDF objects follow
)

// pdfWithin is how far into a file its header may lie (ISO 32000-1, annex H, implementation note 13).
const pdfWithin = 1024

// findPDF looks for "%PDF-" with a version, which prose about PDF often lacks, and for what follows it in a file.
func findPDF(prefix []byte) pdfHeader {
	const header, version = "%PDF-", "1.4"
	window := prefix[:min(len(prefix), pdfWithin+len(header+version))]
	for at := 0; ; at += len(header) {
		i := bytes.Index(window[at:], []byte(header))
		if i < 0 {
			return pdfNone
		}
		at += i
		v := window[at+len(header):]
		if len(v) < len(version) || !digit(v[0]) || v[1] != '.' || !digit(v[2]) {
			continue
		}
		start := len(bytes.TrimLeft(prefix[:at], "\x00\t\n\f\r ")) == 0
		switch objects := hasObject(prefix[at:]); {
		case start && objects:
			return pdfFile
		case objects:
			return pdfObjects
		case start:
			return pdfAtStart
		}
		return pdfMention
	}
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// hasObject reports whether "N G obj" begins in b (ISO 32000-1, 7.3.10).
func hasObject(b []byte) bool {
	for {
		i := bytes.Index(b, []byte(" obj"))
		if i < 0 {
			return false
		}
		head := b[:i]
		gen := len(head)
		for gen > 0 && digit(head[gen-1]) {
			gen--
		}
		if gen < len(head) && gen > 1 && head[gen-1] == ' ' && digit(head[gen-2]) {
			return true
		}
		b = b[i+len(" obj"):]
	}
}

// ownImage are the images that imageType knows; mimetype's word for them is not taken, since it looks at magics alone.
var ownImage = map[readapi.MediaType]bool{
	"image/png": true, "image/jpeg": true, "image/gif": true, "image/bmp": true, "image/tiff": true, "image/webp": true,
	"image/x-icon": true, "image/heif": true, "image/avif": true, "image/jxl": true, "image/jp2": true, "image/jpx": true, "image/jpm": true,
	jpegStream: true, "image/svg+xml": true,
}

// jpegStream is a JPEG 2000 codestream without boxes around it.
const jpegStream = "image/x-jp2-codestream"

// imageType names an image by its magic and, where that is short, by numbers of its header. It is asked about bytes that are not text,
// since prose may begin with "GIF89a" or "BM".
func imageType(b []byte) readapi.MediaType {
	has := func(magic string) bool { return bytes.HasPrefix(b, []byte(magic)) }
	switch {
	case has("\x89PNG\r\n\x1a\n"):
		return "image/png"
	case has("\xff\xd8\xff"):
		return "image/jpeg"
	case has("GIF87a"), has("GIF89a"):
		return "image/gif"
	case has("II*\x00"), has("MM\x00*"), has("II+\x00"), has("MM\x00+"):
		return "image/tiff"
	case has("RIFF") && len(b) >= 12 && string(b[8:12]) == "WEBP":
		return "image/webp"
	case has("\x00\x00\x00\x0cjP  \r\n\x87\n"):
		return jpeg2000(b)
	case has("\xff\x4f\xff\x51\x00"): // ISO/IEC 15444-1, A.4.1 and A.5.1: SOC, then SIZ
		return jpegStream
	case has("\xff\x0a"), has("\x00\x00\x00\x0cJXL \r\n\x87\n"):
		return "image/jxl"
	case isBMP(b), isDIB(b):
		return "image/bmp"
	case isIcon(b):
		return "image/x-icon"
	}
	return brandType(b)
}

// jpeg2000 names a file of the JPEG 2000 family by its brand (ISO/IEC 15444-1, I.5.2; 15444-2, M.8; 15444-3; 15444-6).
func jpeg2000(b []byte) readapi.MediaType {
	const brandAt = 12 + 8
	switch {
	case len(b) < brandAt+4:
	case string(b[brandAt:brandAt+4]) == "jpx ":
		return "image/jpx"
	case string(b[brandAt:brandAt+4]) == "jpm ":
		return "image/jpm"
	case string(b[brandAt:brandAt+4]) == "mjp2":
		return "video/mj2"
	}
	return "image/jp2"
}

// isDIB checks a bitmap without a file header, as a clipboard has it: the size of its information header, one plane, and a depth.
func isDIB(b []byte) bool {
	if len(b) < 40 {
		return false
	}
	size, bits := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint16(b[14:])
	switch bits {
	case 1, 4, 8, 16, 24, 32:
	default:
		return false
	}
	return (size == 40 || size == 108 || size == 124) && binary.LittleEndian.Uint16(b[12:]) == 1 && binary.LittleEndian.Uint32(b[4:]) < 1<<16 && binary.LittleEndian.Uint32(b[16:]) < 7
}

// isBMP checks the numbers of the file header and the size of the information header, which names its version.
func isBMP(b []byte) bool {
	if len(b) < 18 || b[0] != 'B' || b[1] != 'M' {
		return false
	}
	switch binary.LittleEndian.Uint32(b[14:]) {
	case 12, 16, 40, 52, 56, 64, 108, 124:
		return binary.LittleEndian.Uint32(b[10:]) >= 18
	}
	return false
}

// isIcon checks the directory of an ICO or CUR file, which differ in one number: the first entry's reserved byte, and that its picture lies behind the directory.
func isIcon(b []byte) bool {
	const header, entry = 6, 16
	if len(b) < header+entry || !bytes.HasPrefix(b, []byte{0, 0, 1, 0}) && !bytes.HasPrefix(b, []byte{0, 0, 2, 0}) {
		return false
	}
	n := int(binary.LittleEndian.Uint16(b[4:]))
	offset := binary.LittleEndian.Uint32(b[header+12:])
	return n > 0 && n <= 1024 && b[header+3] == 0 && int64(offset) >= int64(header+n*entry) && binary.LittleEndian.Uint32(b[header+8:]) > 0
}

// brandType reads the brands of an ISO base media file: HEIF and AVIF say there which they are (ISO/IEC 23008-12, 10.2; AV1 Image File
// Format, 2.1).
func brandType(b []byte) readapi.MediaType {
	if len(b) < 16 || string(b[4:8]) != "ftyp" {
		return ""
	}
	size := binary.BigEndian.Uint32(b)
	box := b[8:min(int64(len(b)), max(16, int64(size)))]
	for i := 0; i+4 <= len(box); i += 4 {
		if i == 4 {
			continue // the minor version
		}
		switch string(box[i : i+4]) {
		case "avif", "avis":
			return "image/avif"
		case "heic", "heix", "heim", "heis", "hevc", "hevx":
			return "image/heif"
		case "mif1", "msf1":
			if !bytes.Contains(box, []byte("avif")) && !bytes.Contains(box, []byte("avis")) {
				return "image/heif"
			}
		}
	}
	return ""
}
