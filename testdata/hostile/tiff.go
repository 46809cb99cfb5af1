package hostile

import (
	"bytes"
	"compress/lzw"
	"encoding/binary"
)

// field is a directory entry of a TIFF with an inline value or an offset.
type field struct {
	tag, typ int
	count    int64
	value    int64
}

func number(tag int, v int64) field { return field{tag, 4, 1, v} }

// directory is an IFD, little-endian.
func directory(next int64, fields ...field) []byte {
	out := le16(len(fields))
	for _, f := range fields {
		out = append(out, join(le16(f.tag), le16(f.typ), le32(f.count), le32(f.value))...)
	}
	return append(out, le32(next)...)
}

const tiffHead = "II\x2a\x00\x08\x00\x00\x00" // the first directory follows at once

// gray are the fields of an 8-bit gray page in one strip.
func gray(w, h, compression, offset, size int64, more ...field) []field {
	return append([]field{
		number(256, w), number(257, h), number(258, 8), number(259, compression), number(262, 1), number(273, offset), number(277, 1),
		number(278, h), number(279, size),
	}, more...)
}

// strip is a TIFF of one gray page whose data lies behind its directory.
func strip(w, h, compression int64, data []byte, more ...field) []byte {
	offset := int64(8 + 2 + 12*(9+len(more)) + 4)
	return join(tiffHead, directory(0, gray(w, h, compression, offset, int64(len(data)), more...)...), data)
}

// loopingEXIF is an EXIF block whose directories point at each other and at themselves.
func loopingEXIF() []byte {
	dir := func(at int64) []byte {
		b := be16(4)
		for _, tag := range []int{0x8769, 0x8825, 0xa005, 0x014a} { // EXIF, GPS, interoperability, sub-directories
			b = append(b, join(be16(tag), be16(4), be32(1), be32(at))...)
		}
		return append(b, be32(at)...)
	}
	return join("MM\x00\x2a", be32(8), dir(8+54), dir(8))
}

func tiffFiles() []File {
	return []File{
		image("tiff-offset-4-gib", "tif", ends(malformed), func() []byte { return join("II\x2a\x00", le32(1<<32-1)) }),
		image("tiff-65535", "tif", hits(limitPixels, "max_side"), func() []byte { return strip(65535, 65535, 1, []byte("x")) }),
		image("tiff-widest", "tif", hits(limitPixels, "max_side"), func() []byte { return strip(1<<32-1, 1<<32-1, 5, []byte("x")) }),
		image("tiff-area", "tif", hits(limitPixels, "max_pixels"), func() []byte { return strip(16000, 16000, 32773, []byte("x")) }),
		image("tiff-promised-area", "tif", ends(malformed).or(""), func() []byte { return strip(6000, 6000, 1, []byte("x")) }),
		image("tiff-samples-65535", "tif", ends(malformed, unsupported), func() []byte { return strip(8, 8, 1, make([]byte, 64), number(277, 65535)) }),
		image("tiff-bits-65535", "tif", ends(malformed, unsupported), func() []byte { return strip(8, 8, 1, make([]byte, 64), number(258, 65535)) }),
		image("tiff-bits-differ", "tif", ends(malformed, unsupported), func() []byte {
			return strip(8, 8, 1, join(le16(8), le16(1), le16(16), make([]byte, 64)), field{258, 3, 3, 8 + 2 + 12*11 + 4}, number(277, 3))
		}),
		image("tiff-count-4-gib", "tif", ends(malformed).or(""), func() []byte {
			return strip(8, 8, 1, make([]byte, 64), field{320, 3, 1<<32 - 1, 8}, field{273, 4, 1<<32 - 1, 8})
		}),
		image("tiff-type-unknown", "tif", ends(malformed).or(""), func() []byte {
			return strip(8, 8, 1, make([]byte, 64), field{273, 0xffff, 1 << 30, 8}, field{256, 0, 1, 0})
		}),
		image("tiff-strip-over-end", "tif", ends(malformed), func() []byte { return join(tiffHead, directory(0, gray(8, 8, 1, 1<<32-1, 1<<32-1)...)) }),
		image("tiff-data-is-directory", "tif", answers().or(malformed), func() []byte { return join(tiffHead, directory(0, gray(8, 8, 1, 0, 1<<32-1)...)) }),
		image("tiff-predictor-wild", "tif", ends(unsupported, malformed), func() []byte { return strip(8, 8, 5, []byte("\x80\x00"), number(317, 99)) }),
		image("tiff-jpeg-grows", "tif", ends(malformed).or(limitPixels), func() []byte { return strip(8, 8, 7, baseline(3000, 3000)) }),
		image("tiff-jpeg-in-tiff-in-jpeg", "tif", ends("", malformed), func() []byte {
			return strip(8, 8, 7, behindStart(baseline(4, 4), segment(0xe1, "Exif\x00\x00", strip(8, 8, 7, []byte("x")))))
		}),
		image("tiff-palette-missing", "tif", ends(malformed), func() []byte { return strip(8, 8, 1, make([]byte, 64), number(262, 3)) }),
		image("bigtiff-count-2-63", "tif", ends(malformed), func() []byte {
			return join("II\x2b\x00\x08\x00\x00\x00", binary.LittleEndian.AppendUint64(nil, 16), binary.LittleEndian.AppendUint64(nil, 1<<63), make([]byte, 64))
		}),
		image("bigtiff-offset-2-63", "tif", ends(malformed), func() []byte {
			return join("MM\x00\x2b\x00\x08\x00\x00", binary.BigEndian.AppendUint64(nil, 1<<63+7), make([]byte, 64))
		}),
	}
}

func tiffDirectoryFiles() []File {
	// pages are n directories, each of which leads to the next; the last one leads to last.
	pages := func(n int, w, h, last int64) []byte {
		const size = 2 + 12*9 + 4
		out := []byte(tiffHead)
		data := int64(8 + n*size)
		for i := range n {
			next := int64(8 + (i+1)*size)
			if i == n-1 {
				next = last
			}
			out = append(out, directory(next, gray(w, h, 32773, data, 1<<20)...)...)
		}
		return append(out, repeat("\x81\x00", int(w*h/128)+1)...)
	}
	return []File{
		image("tiff-loop", "tif", answers(), func() []byte { return pages(1, 8, 8, 8) }),
		image("tiff-loop-of-100", "tif", Want{Codes: []string{""}, Parts: 10, Next: true}, func() []byte { return pages(100, 8, 8, 8) }),
		image("tiff-100000-pages", "tif", Want{Codes: []string{""}, Parts: 10, Next: true}, func() []byte { return pages(100_000, 8, 8, 0) }),
		image("tiff-pages-share", "tif", Want{Codes: []string{""}, Parts: 2, Next: true}, func() []byte { return pages(500, 2000, 2000, 0) }).or(limitFuel), // two milliard pixels in 120 kB
		image("tiff-pages-share-all", "tif", answers().or(limitFuel), func() []byte { return pages(40, 700, 700, 0) }).whole(),
		image("tiff-pages-broken", "tif", ends(malformed), func() []byte { return join(pages(3000, 8, 8, 0)[:8+3000*114]) }),
		image("tiff-entries-65535", "tif", ends(malformed), func() []byte {
			return join(tiffHead, le16(65535), repeat(string(join(le16(256), le16(4), le32(1), le32(8))), 65535))
		}),
		image("tiff-entries-same", "tif", ends("", malformed, unsupported), func() []byte { // each entry has a value of 16 MiB
			var f []field
			for range 60_000 {
				f = append(f, field{258, 3, 8 << 20, 8})
			}
			return join(tiffHead, directory(0, gray(8, 8, 1, 8, 64, f...)...), make([]byte, 17<<20))
		}),
		image("tiff-no-entries", "tif", ends(malformed), func() []byte { return join(tiffHead, le16(0), le32(8)) }),
		image("tiff-subdirectories", "tif", answers(), func() []byte {
			return strip(8, 8, 1, make([]byte, 64), number(330, 8), number(34665, 8), number(34853, 8))
		}),
	}
}

func tiffBombFiles() []File {
	const w, h = 2500, 2500
	lists := func(n int, more ...field) []byte { // a page of n strips, all at the same place
		at := int64(8 + 2 + 12*(9+len(more)) + 4)
		z := deflated("\x00", 1<<20)
		f := append([]field{
			number(256, 16000), number(257, int64(n)), number(258, 8), number(259, 8), number(262, 1), {273, 4, int64(n), at}, number(277, 1), number(278, 1),
			number(279, 0),
		}, more...)
		return join(tiffHead, directory(0, f...), repeat(string(le32(at+int64(4*n))), n), z)
	}
	return []File{
		image("tiff-packbits-bomb", "tif", answers().or(limitFuel), func() []byte { return strip(w, h, 32773, []byte(repeat("\x81\x00", w*h/128+1))) }),
		image("tiff-packbits-nothing", "tif", ends(malformed), func() []byte { return strip(w, h, 32773, []byte(repeat("\x80", 8<<20))) }), // no-ops
		image("tiff-lzw-bomb", "tif", answers(), func() []byte {
			var b bytes.Buffer
			z := lzw.NewWriter(&b, lzw.MSB, 8)
			_, _ = z.Write(make([]byte, 1000)) // a bytes.Buffer takes everything
			_ = z.Close()
			return strip(100, 10, 5, b.Bytes())
		}),
		image("tiff-lzw-clears", "tif", ends(malformed), func() []byte {
			return strip(100, 100, 5, []byte(repeat("\x80\x40\x20\x10\x08\x04\x02\x01\x00", 200_000)))
		}),
		image("tiff-deflate-bomb", "tif", answers().or(limitFuel), func() []byte { return strip(w, h, 8, deflated("\x00", 200<<20)) }),
		image("tiff-strips-share", "tif", answers().or(limitFuel), func() []byte { return lists(600) }),
		image("tiff-strips-planes", "tif", ends(malformed, unsupported, limitPixels, limitMemory), func() []byte { return lists(16000, number(284, 2), number(277, 8)) }),
		image("tiff-tiles-of-one", "tif", ends(malformed), func() []byte { return strip(4000, 4000, 1, make([]byte, 64), number(322, 1), number(323, 1)) }),
		image("tiff-tile-huge", "tif", ends(malformed), func() []byte {
			return strip(8, 8, 8, deflated("\x00", 1<<20), number(322, 1<<31-1), number(323, 1<<31-1))
		}),
		image("tiff-tile-high", "tif", answers().or(malformed), func() []byte { return strip(8, 8, 8, deflated("\x00", 64<<20), number(322, 1024), number(323, 65535)) }),
		image("tiff-fax-bomb", "tif", ends("", malformed), func() []byte { // all white, a bit a row
			return strip(8000, 1200, 4, []byte(repeat("\xff", 300)), number(258, 1))
		}),
		image("tiff-fax-noise", "tif", ends("", malformed), func() []byte {
			return strip(8000, 1200, 3, []byte(repeat("\x35\xa1\x0f\x77\x00", 100_000)), number(258, 1))
		}),
	}
}
