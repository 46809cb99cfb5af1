package hostile

import (
	"bytes"
	stdimage "image"
	stdjpeg "image/jpeg"
)

// segment is a JPEG marker segment.
func segment(marker byte, data ...any) []byte {
	b := join(data...)
	return join("\xff", marker, be16(len(b)+2), b)
}

// baseline is a sound picture of w by h, gray.
func baseline(w, h int) []byte {
	var b bytes.Buffer
	_ = stdjpeg.Encode(&b, stdimage.NewGray(stdimage.Rect(0, 0, w, h)), nil) // a bytes.Buffer takes everything
	return b.Bytes()
}

// behindStart puts segments behind a picture's first marker.
func behindStart(jpg []byte, segments ...any) []byte {
	return join(append([]any{jpg[:2]}, append(segments, jpg[2:])...)...)
}

// frameHeader is a SOF segment; each component has its sampling factors.
func frameHeader(sof byte, w, h int, sampling ...byte) []byte {
	var c []byte
	for i, s := range sampling {
		c = append(c, byte(i+1), s, 0)
	}
	return segment(sof, byte(8), be16(h), be16(w), byte(len(sampling)), c)
}

// tables are a quantisation table of ones and, for both classes, a Huffman table whose codes 0 and 10 mean 0x00 and second.
func tables(second byte) []byte {
	huffman := func(class byte) []byte { return segment(0xc4, class, "\x01\x01"+repeat("\x00", 14), byte(0), second) }
	return join(segment(0xdb, byte(0), repeat("\x01", 64)), huffman(0x00), huffman(0x10))
}

// scan is a scan header of one component.
func scan(from, to, approx byte) []byte { return segment(0xda, "\x01\x01\x00", from, to, approx) }

// progressive is a picture of w by h with an empty DC scan and n scans of coefficients, each of them a few bytes that say "nothing here"
// for up to 32,767 blocks at once.
func progressive(w, h, n int) []byte {
	total := (w + 7) / 8 * ((h + 7) / 8)
	out := join("\xff\xd8", tables(0xe0), frameHeader(0xc2, w, h, 0x11))
	out = append(out, join(scan(0, 0, 0), make([]byte, total/8+1))...) // code 0: no difference
	var runs []byte
	for left := total; left > 0; left -= 1 << 14 { // code 10 is an end-of-band run of 2^14 and 14 more bits
		runs = append(runs, bits("10"+"00000000000000")...)
	}
	ac := join(scan(1, 63, 0), runs)
	for range n {
		out = append(out, ac...)
	}
	return append(out, 0xff, 0xd9)
}

// bits packs binary digits into bytes, filled up with ones.
func bits(s string) (out []byte) {
	for len(s) > 0 {
		var c byte
		for i := range 8 {
			c <<= 1
			if i >= len(s) || s[i] == '1' {
				c |= 1
			}
		}
		out = append(out, c)
		s = s[min(8, len(s)):]
	}
	return out
}

func jpegFiles() []File {
	cut := func(sof byte, w, h int, sampling ...byte) func() []byte {
		return func() []byte {
			last := byte(63)
			if sof == 0xc2 { // whose first scan is of one coefficient
				last = 0
			}
			return join("\xff\xd8", tables(1), frameHeader(sof, w, h, sampling...), scan(0, last, 0), "\x00\x00\xff\xd9")
		}
	}
	return []File{
		image("jpeg-65535", "jpg", hits(limitPixels, "max_side"), cut(0xc0, 65535, 65535, 0x11)),
		image("jpeg-area", "jpg", hits(limitPixels, "max_pixels"), cut(0xc0, 16000, 16000, 0x22, 0x11, 0x11)),
		image("jpeg-coefficients", "jpg", hits(limitMemory, "pixel_bytes"), cut(0xc2, 6000, 6000, 0x11, 0x11, 0x11)),
		image("jpeg-promised-area", "jpg", ends(malformed).or(""), cut(0xc0, 6000, 6000, 0x11)),
		image("jpeg-no-area", "jpg", ends(malformed), cut(0xc0, 0, 10, 0x11)),
		image("jpeg-height-later", "jpg", ends(unsupported), cut(0xc0, 10, 0, 0x11)),
		image("jpeg-sampling-0", "jpg", ends(malformed, unsupported), cut(0xc0, 64, 64, 0x00, 0x11, 0x11)),
		image("jpeg-sampling-44", "jpg", ends(malformed, unsupported, ""), cut(0xc0, 64, 64, 0x44, 0x44, 0x44, 0x44)),
		image("jpeg-sampling-wild", "jpg", ends(malformed, unsupported, ""), cut(0xc0, 64, 64, 0x13, 0x31, 0x42)),
		image("jpeg-components-255", "jpg", ends(malformed, unsupported), cut(0xc0, 64, 64, []byte(repeat("\x11", 255))...)),
		image("jpeg-components-0", "jpg", ends(malformed, unsupported), cut(0xc0, 64, 64)),
		image("jpeg-lossless-65535", "jpg", ends(unsupported), cut(0xc3, 65535, 65535, 0x11)),
		image("jpeg-arithmetic", "jpg", ends(malformed, ""), cut(0xc9, 64, 64, 0x11)),
		image("jpeg-grows", "jpg", ends(malformed), func() []byte { // the frame header that counts is not the first
			b := baseline(16, 16)
			i := bytes.Index(b, []byte("\xff\xc0"))
			return join(b[:i], frameHeader(0xc0, 8, 8, 0x11), b[i:])
		}),
		image("jpeg-bomb", "jpg", answers(), func() []byte { return baseline(2000, 2000) }),
		image("jpeg-huffman-overfull", "jpg", ends(malformed), func() []byte {
			return behindStart(baseline(16, 16), segment(0xc4, byte(0), repeat("\xff", 16), repeat("\x00", 255*16)))
		}),
		image("jpeg-huffman-missing", "jpg", ends(malformed), func() []byte {
			return join("\xff\xd8", segment(0xdb, byte(0), repeat("\x01", 64)), frameHeader(0xc0, 16, 16, 0x11), scan(0, 63, 0), "\x00\xff\xd9")
		}),
	}
}

func jpegFloodFiles() []File {
	return []File{
		image("jpeg-10000-scans", "jpg", hits(limitFuel, "max_scans"), func() []byte { return progressive(2000, 2000, 10_000) }),
		image("jpeg-100-scans", "jpg", answers(), func() []byte { return progressive(400, 400, 100) }),
		image("jpeg-scan-headers", "jpg", hits(limitFuel, "max_scans"), func() []byte {
			return join("\xff\xd8", tables(1), frameHeader(0xc2, 64, 64, 0x11), repeat(string(scan(0, 0, 0)), 100_000), "\xff\xd9")
		}),
		image("jpeg-restarts", "jpg", ends(malformed).or(""), func() []byte {
			return join("\xff\xd8", tables(1), segment(0xdd, be16(1)), frameHeader(0xc0, 64, 64, 0x11), scan(0, 63, 0), repeat("\xff\xd0", 1<<20), "\xff\xd9")
		}),
		image("jpeg-fill", "jpg", answers(), func() []byte { return behindStart(baseline(16, 16), repeat("\xff", 8<<20)) }),
		image("jpeg-junk", "jpg", ends(malformed, noDecoder), func() []byte { return behindStart(baseline(16, 16), make([]byte, 8<<20)) }),
		image("jpeg-segments-100000", "jpg", answers(stripped), func() []byte {
			return behindStart(baseline(16, 16), repeat(string(segment(0xe1, "Exif\x00\x00SECRET")), 100_000))
		}).lacking("SECRET"),
		image("jpeg-length-0", "jpg", answers(), func() []byte { return behindStart(baseline(16, 16), "\xff\xe0\x00\x00") }),
		image("jpeg-length-1", "jpg", answers(), func() []byte { return behindStart(baseline(16, 16), "\xff\xe0\x00\x01") }),
		image("jpeg-length-over-end", "jpg", ends(malformed, ""), func() []byte { return join("\xff\xd8\xff\xe0\xff\xff", repeat("x", 100)) }),
		image("jpeg-exif-loop", "jpg", answers(stripped), func() []byte { return behindStart(baseline(16, 16), segment(0xe1, "Exif\x00\x00", loopingEXIF())) }),
		image("jpeg-exif-64k", "jpg", answers(stripped), func() []byte {
			return behindStart(baseline(16, 16), repeat(string(segment(0xe1, "Exif\x00\x00MM\x00\x2a", be32(8), be16(65535), repeat("\x01\x12\x00\x03\x00\x00\x00\x01\x00\x09\x00\x00", 5000))), 100))
		}),
		image("jpeg-icc-chunks", "jpg", answers(), func() []byte {
			return behindStart(baseline(16, 16), repeat(string(segment(0xe2, "ICC_PROFILE\x00\xff\xff", make([]byte, 65000))), 255))
		}),
		image("jpeg-thumbnails", "jpg", answers(stripped), func() []byte { // each in the metadata of the next
			b := baseline(16, 16)
			for range 60 {
				b = behindStart(baseline(16, 16), segment(0xe1, "Exif\x00\x00", b))
			}
			return b
		}),
		image("jpeg-no-end", "jpg", answers().or(malformed), func() []byte { b := baseline(64, 64); return b[:len(b)-2] }),
		image("jpeg-cut", "jpg", ends(malformed).or(""), func() []byte { b := baseline(640, 640); return b[:len(b)/2] }),
	}
}
