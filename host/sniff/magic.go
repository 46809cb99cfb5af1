package sniff

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// magic is how files of a binary format begin.
type magic struct {
	head      string              // '?' is any byte
	mediaType readapi.MediaType   // "": mimetype knows more than its first bytes say
	also      func(b []byte) bool // what else must hold; nil: nothing
}

// magics are formats that mimetype does not know, or that may pass for text: their first bytes are mostly letters, and the rest may be small
// numbers, zeros or 8-bit samples. Each has a byte that no text begins with, or a structure behind it that prose does not have.
var magics = []magic{
	// Archives and packed files (RFC 1952, RFC 8878, APPNOTE 4.3.7, [MS-CAB] 2.1, LSB 5.0 22.2.1, ar(5)).
	{"\x1f\x8b\x08", "application/gzip", nil},
	{"\x28\xb5\x2f\xfd", "application/zstd", nil},
	{"\x04\x22\x4d\x18", "application/x-lz4", nil},
	{"\xfd7zXZ\x00", "application/x-xz", nil},
	{"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed", nil},
	{"Rar!\x1a\x07", "application/vnd.rar", nil},
	{"BZh?", "application/x-bzip2", isBzip2},
	{"MSCF\x00\x00\x00\x00", "application/vnd.ms-cab-compressed", nil},
	{"\xed\xab\xee\xdb", "application/x-rpm", nil},
	{"!<arch>\n", "", isArchive},
	{"\x5d\x00\x00", "application/x-lzma", isLZMA},
	// Programs and data bases.
	{"SQLite format 3\x00", "application/vnd.sqlite3", nil},
	{"\x00asm", "application/wasm", nil},
	{"\x7fELF", "", nil},
	{"\xde\x12\x04\x95\x00\x00", "application/x-gettext-translation", nil},
	{"\x95\x04\x12\xde\x00\x00", "application/x-gettext-translation", nil},
	{"Cr24?\x00\x00\x00", "application/x-chrome-extension", nil},
	{"dex\n0??\x00", "application/vnd.android.dex", nil},
	// Sound and film (RFC 3533, RFC 9639, RFC 4867, ASF 10.1; the sizes behind RIFF are no letters).
	{"RIFF????WAVEfmt ", "audio/wav", nil},
	{"FORM????AIF", "audio/aiff", isAIFF},
	{"OggS\x00", "", nil},
	{"\x1a\x45\xdf\xa3", "", nil}, // RFC 8794: Matroska and WebM
	{"fLaC\x00", "audio/flac", nil},
	{"#!AMR", "audio/amr", isAMR},
	{"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "video/x-ms-asf", nil},
	{"MThd\x00\x00\x00\x06", "audio/midi", nil},
	// Pictures (PSD, OpenEXR, QOI, DDS_HEADER, [MS-EMF] 2.3.4.2, [MS-WMF] 2.3.2, FITS 4.0 4.4.1, PCX, pnm(5), EPSF 3.0 5.2).
	{"RIFF????ACON", "application/x-navi-animation", nil},
	{"8BPS\x00", "image/vnd.adobe.photoshop", nil},
	{"\x76\x2f\x31\x01", "image/x-exr", nil},
	{"qoif", "image/x-qoi", isQOI},
	{"DDS \x7c\x00\x00\x00", "image/vnd.ms-dds", nil},
	{"\x01\x00\x00\x00", "image/emf", isEMF},
	{"\xd7\xcd\xc6\x9a\x00\x00", "image/wmf", nil},
	{"?\x00\x09\x00\x00?", "image/wmf", isWMF},
	{"SIMPLE  =                    T", "image/fits", nil},
	{"\x0a?\x01", "image/x-pcx", isPCX},
	{"P4", "image/x-portable-bitmap", isNetpbm},
	{"P5", "image/x-portable-graymap", isNetpbm},
	{"P6", "image/x-portable-pixmap", isNetpbm},
	{"P7\nWIDTH ", "image/x-portable-arbitrarymap", nil},
	{"P7\n#", "image/x-portable-arbitrarymap", isPAM},
	{"FUJIFILMCCD-RAW ", "image/x-fuji-raf", nil},
	{"II\xbc\x01", "image/jxr", nil}, // ISO/IEC 29199-2, A.4
	{"IIRO", "image/x-olympus-orf", hasNUL},
	{"IIU\x00", "image/x-panasonic-rw2", nil},
	{"????ftypcrx ", "image/x-canon-cr3", nil},
	{"\xc5\xd0\xd3\xc6", "image/x-eps", nil},
	// Data (HDF5, NEP 1, Parquet, Arrow, Avro, ORC, pcap, [MS-PST] 2.2.2.6, [MS-OXTNEF] 2.1.3.1, [MS-ONESTORE] 2.3.1).
	{"bplist0", "application/x-plist", isBinaryPlist},
	{"\x89HDF\r\n\x1a\n", "application/x-hdf5", nil},
	{"CDF\x01", "application/x-netcdf", nil},
	{"CDF\x02", "application/x-netcdf", nil},
	{"\x93NUMPY", "application/x-numpy", nil},
	{"PAR1", "application/vnd.apache.parquet", hasControl},
	{"ARROW1\x00\x00", "application/vnd.apache.arrow.file", nil},
	{"Obj\x01", "application/vnd.apache.avro.binary", nil},
	{"ORC", "application/vnd.apache.orc", isORC},
	{"\xd4\xc3\xb2\xa1\x02\x00", "application/vnd.tcpdump.pcap", nil},
	{"\xa1\xb2\xc3\xd4\x00\x02", "application/vnd.tcpdump.pcap", nil},
	{"\x0a\x0d\x0d\x0a????\x4d\x3c\x2b\x1a", "application/x-pcapng", nil},
	{"\x0a\x0d\x0d\x0a????\x1a\x2b\x3c\x4d", "application/x-pcapng", nil},
	{"!BDN", "application/vnd.ms-outlook-pst", isPST},
	{"\x78\x9f\x3e\x22", "application/vnd.ms-tnef", nil},
	{"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d", "application/onenote", nil},
	{"BLENDER", "application/x-blender", isBlender},
	{"glTF\x02\x00\x00\x00", "model/gltf-binary", nil},
	// Fonts.
	{"wOFF", "font/woff", hasNUL},
	{"wOF2", "font/woff2", hasNUL},
	{"OTTO\x00", "font/otf", nil},
	{"\x00\x01\x00\x00\x00", "font/ttf", isTrueType},
	{"\x80\x01????%!PS", "application/x-font-type1", nil},
}

// magicType names what begins as no text does; ok is false where nothing is known to begin so.
func magicType(b []byte, h hints) (mt readapi.MediaType, ok bool) {
	for _, m := range magics {
		if !matches(b, m.head) || m.also != nil && !m.also(b) {
			continue
		}
		if m.mediaType == "" {
			return binaryType(b, h), true
		}
		return m.mediaType, true
	}
	switch {
	case matches(b, zipHeader), matches(b, zipEnd):
		return zipType(b, h), true
	case len(b) >= 36+4 && string(b[36:40]) == "acsp" && b[0] == 0: // ICC.1:2022, 7.2.9
		return "application/vnd.iccprofile", true
	case isTar(b):
		return "application/x-tar", true
	case isTransport(b):
		return "video/mp2t", true
	}
	return "", false
}

func matches(b []byte, head string) bool {
	if len(b) < len(head) {
		return false
	}
	for i := range len(head) {
		if head[i] != '?' && head[i] != b[i] {
			return false
		}
	}
	return true
}

// hasNUL and hasControl look at the numbers that follow a magic of letters.
func hasNUL(b []byte) bool { return bytes.IndexByte(b[:min(len(b), 16)], 0) >= 0 }

func hasControl(b []byte) bool { return controls(b[:min(len(b), 16)]) }

func controls(b []byte) bool {
	return bytes.ContainsFunc(b, func(r rune) bool { return r < 0x20 && r != '\t' && r != '\n' && r != '\r' })
}

// noText reports whether b holds a control or what is not UTF-8; a character that is cut at the end is neither.
func noText(b []byte) bool {
	for rest := b; utf8.FullRune(rest); {
		r, n := utf8.DecodeRune(rest)
		if r == utf8.RuneError && n == 1 {
			return true
		}
		rest = rest[n:]
	}
	return controls(b)
}

// isBzip2 checks the block size and the first block's magic, or the end's. The first is all letters: what follows it, a checksum and a number
// of 20 bits in 25, is not.
func isBzip2(b []byte) bool {
	if len(b) < 10 || b[3] < '1' || b[3] > '9' {
		return false
	}
	return string(b[4:10]) == "1AY&SY" && noText(b[10:min(len(b), 512)]) || string(b[4:10]) == "\x17\x72\x45\x38\x50\x90"
}

// isArchive checks the end of the first member's header.
func isArchive(b []byte) bool {
	const header = 8 + 60
	return len(b) == 8 || len(b) >= header && string(b[header-2:header]) == "`\n"
}

// isLZMA checks the dictionary's size, a power of two or nearly, and that of the data: unknown, or less than a terabyte.
func isLZMA(b []byte) bool {
	if len(b) < 14 || b[13] != 0 { // the first byte of the coded data is always 0
		return false
	}
	dict, size := binary.LittleEndian.Uint32(b[1:]), binary.LittleEndian.Uint64(b[5:])
	return dict >= 4096 && dict&(dict-1) == 0 && (size == 1<<64-1 || size < 1<<40)
}

func isAIFF(b []byte) bool {
	return len(b) >= 16 && (b[11] == 'F' || b[11] == 'C') && (string(b[12:16]) == "COMM" || string(b[12:16]) == "FVER" || hasNUL(b))
}

// isAMR checks that what follows the header, of narrow or wide band, is frames.
func isAMR(b []byte) bool {
	frames := bytes.TrimPrefix(b[5:], []byte("-WB"))
	return len(frames) > 1 && frames[0] == '\n' && noText(frames[:min(len(frames), 512)])
}

func isQOI(b []byte) bool {
	return len(b) >= 14 && (b[12] == 3 || b[12] == 4) && b[13] <= 1
}

func isEMF(b []byte) bool { return len(b) >= 44 && string(b[40:44]) == " EMF" }

func isWMF(b []byte) bool {
	return len(b) >= 18 && (b[0] == 1 || b[0] == 2) && (b[5] == 1 || b[5] == 3) && b[16] == 0 && b[17] == 0
}

func isPCX(b []byte) bool {
	return len(b) >= 128 && b[1] <= 5 && (b[3] == 1 || b[3] == 2 || b[3] == 4 || b[3] == 8) && b[64] == 0 && bytes.Count(b[74:128], []byte{0}) == 54
}

// isNetpbm checks the numbers of the header, which comments may interrupt, one white space, and that what follows is no prose. Plain ones
// (P1 to P3) are text.
func isNetpbm(b []byte) bool {
	numbers := 3
	if b[1] == '4' {
		numbers = 2 // a bitmap has no maximum
	}
	rest := b[2:]
	for range numbers {
		before := len(rest)
		for len(rest) > 0 && (space(rest[0]) || rest[0] == '#') {
			if rest[0] == '#' {
				_, rest, _ = bytes.Cut(rest, []byte("\n"))
				continue
			}
			rest = rest[1:]
		}
		n := 0
		for n < len(rest) && digit(rest[n]) {
			n++
		}
		if n == 0 || n > 6 || before == len(rest) {
			return false
		}
		rest = rest[n:]
	}
	return len(rest) > 1 && space(rest[0]) && noText(rest[1:min(len(rest), 512)])
}

// isPAM checks the first field behind the comment.
func isPAM(b []byte) bool { return bytes.Contains(b[:min(len(b), 1024)], []byte("\nWIDTH ")) }

// isTransport checks the first three packets of an MPEG transport stream (ISO/IEC 13818-1, 2.4.3.2). A G that often is chance in no text:
// the packets' second bytes would be as alike.
func isTransport(b []byte) bool {
	const packet = 188
	if len(b) < 3*packet {
		return false
	}
	for i := 0; i < 3*packet; i += packet {
		if b[i] != 0x47 || b[i+3]&0x10 == 0 && b[i+3]&0x20 == 0 || b[i+1]&0x80 != 0 {
			return false
		}
	}
	return bytes.IndexByte(b[:16], 0) >= 0
}

func space(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// isBinaryPlist looks for the numbers that objects point to each other with: a version of digits is prose as well.
func isBinaryPlist(b []byte) bool {
	return len(b) > 8 && digit(b[7]) && controls(b[8:min(len(b), 512)])
}

func isORC(b []byte) bool {
	return len(b) > 4 && b[3] < 0x20 && b[3] != '\n' && b[3] != '\r' && b[3] != '\t' || len(b) > 4 && b[4] == 0
}

func isPST(b []byte) bool { return len(b) >= 10 && string(b[8:10]) == "SM" }

func isBlender(b []byte) bool {
	return len(b) >= 12 && (b[7] == '_' || b[7] == '-') && (b[8] == 'v' || b[8] == 'V') && digit(b[9]) && digit(b[10]) && digit(b[11])
}

// isTrueType checks the table directory: how many there are, and the search range that follows from it (OpenType 1.9, otff).
func isTrueType(b []byte) bool {
	if len(b) < 28 {
		return false
	}
	n, r := int(binary.BigEndian.Uint16(b[4:])), int(binary.BigEndian.Uint16(b[6:]))
	return n > 0 && n < 256 && r >= 16 && r <= 16*n && 32*n > r
}

// isTar checks the checksum of the first member's header: it is the only mark of the oldest archives (POSIX.1-1988, 10.1.1).
func isTar(b []byte) bool {
	const header, sumAt, sumLen = 512, 148, 8
	if len(b) < header || b[0] == 0 {
		return false
	}
	want, digits := 0, 0
	for _, c := range bytes.Trim(b[sumAt:sumAt+sumLen], " \x00") {
		if c < '0' || c > '7' {
			return false
		}
		want, digits = want*8+int(c-'0'), digits+1
	}
	if digits == 0 {
		return false
	}
	sum := sumLen * int(' ')
	for i, c := range b[:header] {
		if i < sumAt || i >= sumAt+sumLen {
			sum += int(c)
		}
	}
	return sum == want
}
