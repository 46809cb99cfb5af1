package hostile

// riff is a RIFF chunk.
func riff(name string, data ...any) []byte {
	b := join(data...)
	if len(b)%2 != 0 {
		return join(name, le32(int64(len(b))), b, byte(0))
	}
	return join(name, le32(int64(len(b))), b)
}

func webp(chunks ...any) []byte {
	b := join(chunks...)
	return join("RIFF", le32(int64(len(b)+4)), "WEBP", b)
}

// vp8l is the header of a lossless picture (RFC 9649, 3.4) and what follows it.
func vp8l(w, h int64, rest string) []byte { return join("\x2f", le32(w-1|(h-1)<<14), rest) }

// vp8 is the header of a lossy key frame (RFC 6386, 9.1) with a first partition that is said to be 1 MiB.
func vp8(w, h int, rest string) []byte {
	return join("\x10\x02\x00\x9d\x01\x2a", le16(w), le16(h), rest)
}

func extended(flags byte, w, h int64) []byte {
	return riff("VP8X", flags, "\x00\x00\x00", le32(w - 1)[:3], le32(h - 1)[:3])
}

func webpFiles() []File {
	lossless := func(w, h int64, rest string) func() []byte {
		return func() []byte { return webp(riff("VP8L", vp8l(w, h, rest))) }
	}
	moving := func(n int, w, h int64) []byte {
		anmf := riff("ANMF", "\x00\x00\x00\x00\x00\x00", le32(w - 1)[:3], le32(h - 1)[:3], "\x01\x00\x00\x01", riff("VP8L", vp8l(w, h, "\x88\x88\x08")))
		return webp(extended(2, w, h), riff("ANIM", "\x00\x00\x00\x00\x00\x00"), repeat(string(anmf), n))
	}
	return []File{
		image("webp-16384", "webp", hits(limitPixels, "max_pixels"), lossless(16384, 16384, "\x00")),
		image("webp-canvas-2-24", "webp", ends(limitPixels, malformed), func() []byte { return webp(extended(0, 1<<24, 1<<24), riff("VP8L", vp8l(8, 8, "\x00"))) }),
		image("webp-lossy-16383", "webp", hits(limitPixels, "max_pixels"), func() []byte { return webp(riff("VP8 ", vp8(16383, 16383, "\x00"))) }),
		image("webp-lossy-promised", "webp", ends(malformed), func() []byte { return webp(riff("VP8 ", vp8(6000, 6000, "\x00\x00\x00"))) }),
		image("webp-lossless-promised", "webp", ends(malformed, limitMemory), lossless(6000, 5000, "\x00")),
		image("webp-one-colour", "webp", ends("", malformed), lossless(1500, 1500, "\x88\x88\x08\x00\x00")),
		image("webp-huffman-groups", "webp", ends(malformed), lossless(4000, 4000, "\x09"+repeat("\xff", 64))),
		image("webp-color-cache", "webp", ends(malformed, ""), lossless(2000, 2000, "\x5d"+repeat("\x5a\xa5", 300))),
		image("webp-transforms", "webp", ends(malformed), lossless(2000, 2000, repeat("\xff\x03\x57", 300))),
		image("webp-chunk-4-gib", "webp", ends(malformed, ""), func() []byte { return join("RIFF", le32(1<<32-1), "WEBPVP8 ", le32(1<<32-1), "xx") }),
		image("webp-sizes-lie", "webp", ends(malformed), func() []byte { return webp(extended(0, 8, 8), riff("VP8L", vp8l(4000, 4000, "\x88\x88\x08"))) }),
		image("webp-alpha-bomb", "webp", ends(malformed, limitFuel), func() []byte {
			return webp(extended(16, 1500, 1500), riff("ALPH", "\x01", "\x88\x88\x08"), riff("VP8 ", vp8(1500, 1500, "\x00")))
		}),
		image("webp-100000-frames", "webp", ends("", malformed), func() []byte { return moving(100_000, 1, 1) }),
		image("webp-frames-flood", "webp", ends("", malformed, limitFuel), func() []byte { return moving(100, 800, 800) }).units("1-"),
		image("webp-chunks-100000", "webp", ends("", malformed), func() []byte {
			return webp(repeat(string(riff("junk")), 100_000), riff("VP8L", vp8l(1, 1, "\x88\x88\x08")))
		}),
		image("webp-empty", "webp", ends(malformed), func() []byte { return webp() }),
		image("webp-exif-loop", "webp", ends("", malformed), func() []byte {
			return webp(extended(8, 1, 1), riff("VP8L", vp8l(1, 1, "\x88\x88\x08")), riff("EXIF", loopingEXIF()))
		}),
	}
}

// box is a box of an ISO base media file.
func box(name string, data ...any) []byte {
	b := join(data...)
	return join(be32(int64(len(b)+8)), name, b)
}

// boxFiles are pictures that are known and that nobody decodes: they are refused by what they are, unread.
func boxFiles() []File {
	size := func(w, h int64) []byte { return box("ispe", be32(0), be32(w), be32(h)) }
	ftyp := func(brand string) []byte { return box("ftyp", brand, be32(0), brand, "mif1") }
	return []File{
		image("heif-4-gib", "heic", ends(noDecoder), func() []byte {
			return join(ftyp("heic"), box("meta", be32(0), box("iprp", box("ipco", size(1<<32-1, 1<<32-1)))))
		}),
		image("heif-boxes-nested", "heic", ends(noDecoder), func() []byte {
			b := size(8, 8)
			for range 10_000 {
				b = box("meta", b)
			}
			return join(ftyp("heic"), b)
		}),
		image("avif-box-size-0", "avif", ends(noDecoder), func() []byte { return join(ftyp("avif"), repeat("\x00\x00\x00\x00meta", 1000)) }),
		image("avif-box-size-wraps", "avif", ends(noDecoder), func() []byte { return join(ftyp("avif"), "\x00\x00\x00\x01mdat", repeat("\xff", 8)) }),
		image("jxl-codestream", "jxl", ends(noDecoder), func() []byte { return join("\xff\x0a", repeat("\xff", 100)) }),
		image("jxl-boxes", "jxl", ends(noDecoder), func() []byte {
			return join("\x00\x00\x00\x0cJXL \r\n\x87\n", box("ftyp", "jxl "), repeat(string(box("jxlp", be32(0))), 100_000))
		}),
		image("jp2-tiles", "jp2", ends(malformed), func() []byte {
			return join("\x00\x00\x00\x0cjP  \r\n\x87\n", box("jp2c", "\xff\x4f\xff\x51", be16(41), be16(0), be32(1<<32-1), be32(1<<32-1), make([]byte, 30)))
		}),
	}
}
