package hostile

import (
	"encoding/binary"
	"hash/crc32"
)

const pngMagic = "\x89PNG\r\n\x1a\n"

func be16(v int) []byte   { return binary.BigEndian.AppendUint16(nil, uint16(v)) }
func be32(v int64) []byte { return binary.BigEndian.AppendUint32(nil, uint32(v)) }
func le16(v int) []byte   { return binary.LittleEndian.AppendUint16(nil, uint16(v)) }
func le32(v int64) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(v)) }

// chunk is a PNG chunk with a right checksum.
func chunk(name string, data ...any) []byte {
	body := join(append([]any{name}, data...)...)
	return join(be32(int64(len(body)-4)), body, be32(int64(crc32.ChecksumIEEE(body))))
}

func ihdr(w, h int64, depth, color, interlace byte) []byte {
	return chunk("IHDR", be32(w), be32(h), depth, color, byte(0), byte(0), interlace)
}

// png is a file of these chunks.
func png(chunks ...any) []byte {
	return join(append(append([]any{pngMagic}, chunks...), chunk("IEND"))...)
}

// grayRows are the pixels of an 8-bit gray picture, compressed, all of one value.
func grayRows(w, h int, v byte) []byte {
	row := append([]byte{0}, repeat(string([]byte{v}), w)...)
	return deflated(string(row), int64(len(row)*h))
}

// tiny is the picture that most of these files hold: 8 by 8, gray.
func tiny(before ...any) []byte {
	return png(append(append([]any{ihdr(8, 8, 8, 0, 0)}, before...), chunk("IDAT", grayRows(8, 8, 0x80)))...)
}

func pngFiles() []File {
	header := func(w, h int64, depth, color, interlace byte) func() []byte {
		return func() []byte {
			return png(ihdr(w, h, depth, color, interlace), chunk("IDAT", deflate(make([]byte, 64))))
		}
	}
	return []File{
		image("png-65535", "png", hits(limitPixels, "max_side"), header(65535, 65535, 8, 6, 0)),
		image("png-widest", "png", hits(limitPixels, "max_side"), header(1<<31-1, 1, 1, 0, 0)),
		image("png-highest", "png", hits(limitPixels, "max_side"), header(1, 1<<31-1, 16, 6, 1)),
		image("png-size-wraps", "png", ends(malformed), header(1<<32-1, 1<<32-1, 16, 6, 0)),
		image("png-area", "png", hits(limitPixels, "max_pixels"), header(16000, 16000, 1, 0, 0)),
		image("png-deep", "png", ends(malformed), header(6000, 6000, 16, 6, 1)),
		image("png-promised-area", "png", ends(malformed).or(""), header(2500, 2500, 1, 0, 0)),
		image("png-no-area", "png", ends(malformed), header(0, 7, 8, 2, 0)),
		image("png-flate-bomb", "png", answers(), func() []byte {
			return png(ihdr(16, 16, 8, 0, 0), chunk("IDAT", deflated("\x00", 64<<20)))
		}),
		image("png-true-bomb", "png", answers(), func() []byte { // all its pixels are there, in a few kB
			return png(ihdr(2500, 2500, 1, 0, 0), chunk("IDAT", deflated("\x00", 2500*314)))
		}),
		image("png-adam7-bomb", "png", answers(), func() []byte {
			return png(ihdr(2000, 2000, 1, 0, 1), chunk("IDAT", deflated("\x00", 2000*300)))
		}),
		image("png-adam7-sliver", "png", answers(), func() []byte {
			return png(ihdr(1, 16000, 8, 0, 1), chunk("IDAT", deflated("\x00", 40000)))
		}),
		image("png-filter-unknown", "png", ends(malformed).or(""), func() []byte {
			return png(ihdr(8, 8, 8, 0, 0), chunk("IDAT", deflated("\xff", 72)))
		}),
		image("png-paeth-bomb", "png", answers(), func() []byte {
			row := "\x04" + repeat("\x01", 4*1000)
			return png(ihdr(1000, 1000, 8, 6, 0), chunk("IDAT", deflated(row, int64(len(row)*1000))))
		}),
		image("png-color-type-7", "png", ends(malformed, unsupported), header(8, 8, 8, 7, 0)),
		image("png-depth-3", "png", ends(malformed, unsupported), header(8, 8, 3, 0, 0)),
		image("png-palette-missing", "png", ends(malformed), header(8, 8, 8, 3, 0)),
		image("png-palette-short", "png", answers(), func() []byte { // every index lies outside the table
			return png(ihdr(8, 8, 8, 3, 0), chunk("PLTE", "\x01\x02\x03"), chunk("IDAT", grayRows(8, 8, 0xff)))
		}),
		image("png-palette-1000", "png", answers(), func() []byte {
			return png(ihdr(8, 8, 8, 3, 0), chunk("PLTE", repeat("abc", 1000)), chunk("IDAT", grayRows(8, 8, 9)))
		}),
	}
}

func pngChunkFiles() []File {
	return []File{
		image("png-chunk-4-gib", "png", ends(malformed), func() []byte {
			return join(pngMagic, ihdr(8, 8, 8, 0, 0), be32(1<<32-1), "IDATxx")
		}),
		image("png-chunk-over-end", "png", answers().or(malformed), func() []byte {
			d := grayRows(8, 8, 1)
			return join(pngMagic, ihdr(8, 8, 8, 0, 0), be32(1<<31-1), "IDAT", d[:len(d)-6])
		}),
		image("png-crc-wrong", "png", answers(), func() []byte {
			b := tiny()
			for i := len(b) - 16; i < len(b)-12; i++ {
				b[i] ^= 0xff
			}
			return b
		}),
		image("png-header-twice", "png", answers(), func() []byte { return tiny(ihdr(60000, 60000, 16, 6, 1)) }),
		image("png-header-13-mib", "png", ends(malformed), func() []byte {
			b := tiny()
			copy(b[8:], be32(13<<20))
			return b
		}),
		image("png-idat-empty-100000", "png", answers(), func() []byte { return tiny(repeat(string(chunk("IDAT")), 100_000)) }),
		image("png-idat-bytes", "png", answers(), func() []byte { // each byte in a chunk of its own
			var all []any
			for _, c := range grayRows(64, 64, 3) {
				all = append(all, chunk("IDAT", c))
			}
			return png(append([]any{ihdr(64, 64, 8, 0, 0)}, all...)...)
		}),
		image("png-chunks-300000", "png", answers(), func() []byte { return tiny(repeat(string(chunk("juNk")), 300_000)) }),
		image("png-text-100000", "png", answers(stripped), func() []byte {
			return tiny(repeat(string(chunk("tEXt", "Comment\x00SECRET")), 100_000))
		}).lacking("SECRET"),
		image("png-itxt-bomb", "png", answers(stripped), func() []byte {
			return tiny(chunk("iTXt", "XML:com.adobe.xmp\x00\x01\x00\x00\x00", deflated("A", 128<<20)))
		}),
		image("png-ztxt-bomb", "png", answers(stripped), func() []byte {
			return tiny(chunk("zTXt", "Raw profile type exif\x00\x00", deflated("\nexif\n  8000\n0123456789abcdef", 128<<20)))
		}),
		image("png-ztxt-bombs", "png", answers(stripped), func() []byte {
			return tiny(repeat(string(chunk("zTXt", "Raw profile type APP1\x00\x00", deflated("00\n", 16<<20))), 200))
		}),
		image("png-iccp-bomb", "png", answers(), func() []byte { return tiny(chunk("iCCP", "p\x00\x00", deflated("\x00", 128<<20))) }),
		image("png-exif-loop", "png", answers(stripped), func() []byte { return tiny(chunk("eXIf", loopingEXIF())) }),
		image("png-zlib-dictionary", "png", ends(malformed).or(""), func() []byte {
			return png(ihdr(8, 8, 8, 0, 0), chunk("IDAT", "\x78\xbb\x00\x00\x00\x01", grayRows(8, 8, 1)[2:]))
		}),
		image("png-zlib-cut", "png", answers(partial), func() []byte {
			d := grayRows(200, 200, 1)
			return png(ihdr(200, 200, 8, 0, 0), chunk("IDAT", d[:len(d)/2]))
		}),
		image("png-no-end", "png", answers(), func() []byte { b := tiny(); return b[:len(b)-12] }),
		image("png-trns-flood", "png", answers(), func() []byte { return tiny(chunk("tRNS", repeat("\x01", 1<<20))) }),
	}
}

// control is a fcTL chunk.
func control(seq, w, h, x, y int64, dispose, blend byte) []byte {
	return chunk("fcTL", be32(seq), be32(w), be32(h), be32(x), be32(y), "\x00\x01\x00\x0a", dispose, blend)
}

func apngFiles() []File {
	// frames is an animation of n frames that all have the same data.
	frames := func(n int, side int64, dispose byte) []byte {
		var frame []byte
		d := grayRows(1, 1, 0x40)
		for range n {
			frame = append(frame, control(1, 1, 1, 0, 0, dispose, 1)...)
			frame = append(frame, chunk("fdAT", be32(2), d)...)
		}
		rows := deflated("\x00", side*(side+1))
		return png(ihdr(side, side, 8, 0, 0), chunk("acTL", be32(int64(n+1)), be32(0)), control(0, side, side, 0, 0, dispose, 0), chunk("IDAT", rows), frame)
	}
	return []File{
		image("apng-100000", "png", answers(), func() []byte { return frames(100_000, 8, 0) }),
		image("apng-100000-last", "png", ends("").or("invalid_request"), func() []byte { return frames(100_000, 8, 0) }).units("16000"),
		image("apng-beyond", "png", hits("invalid_request", "units"), func() []byte { return frames(10, 8, 0) }).units("4000000000"),
		image("apng-canvas-flood", "png", answers().or(limitFuel), func() []byte { return frames(100, 1500, 2) }).units("1-"), // each frame is one pixel, and an answer
		image("apng-count-lies", "png", answers(), func() []byte { return tiny(chunk("acTL", be32(1<<32-1), be32(0)), control(0, 8, 8, 0, 0, 0, 0)) }),
		image("apng-off-canvas", "png", answers(), func() []byte {
			return tiny(chunk("acTL", be32(3), be32(0)), control(0, 1<<31, 1<<31, 1<<31, 1<<31, 0, 0), control(1, 8, 8, 1<<32-8, 1<<32-8, 0, 0))
		}),
		image("apng-data-missing", "png", answers(), func() []byte {
			return tiny(chunk("acTL", be32(9), be32(0)), repeat(string(control(0, 8, 8, 0, 0, 1, 1)), 9))
		}),
		image("apng-fdat-empty", "png", answers(partial).or(malformed), func() []byte {
			return png(ihdr(8, 8, 8, 0, 0), chunk("acTL", be32(2), be32(0)), control(0, 8, 8, 0, 0, 0, 0), chunk("IDAT", grayRows(8, 8, 1)),
				control(1, 8, 8, 0, 0, 0, 0), chunk("fdAT", "\x00"), chunk("fdAT", be32(1)))
		}).units("1-"),
	}
}

// lacking says what nothing of the answer may contain.
func (f File) lacking(s string) File {
	f.Want.Lacks = s
	return f
}
