package hostile

// bmp is a BMP with an information header of 40 bytes, whose compression and number of colours are given, and its data.
func bmp(w, h int64, bits, compression int, colors int64, data ...any) []byte {
	body := join(data...)
	return join("BM", le32(int64(54+len(body))), le32(0), le32(54), dib(w, h, bits, compression, colors), body)
}

func dib(w, h int64, bits, compression int, colors int64) []byte {
	return join(le32(40), le32(w), le32(h), le16(1), le16(bits), le32(int64(compression)), le32(0), le32(2835), le32(2835), le32(colors), le32(0))
}

func bmpFiles() []File {
	return []File{
		image("bmp-widest", "bmp", hits(limitPixels, "max_side"), func() []byte { return bmp(1<<31-1, 1<<31-1, 32, 0, 0) }),
		image("bmp-lowest", "bmp", ends(malformed, limitPixels), func() []byte { return bmp(1, -1<<31, 24, 0, 0) }),
		image("bmp-negative-width", "bmp", ends(malformed), func() []byte { return bmp(-1, 10, 24, 0, 0) }),
		image("bmp-area", "bmp", hits(limitPixels, "max_pixels"), func() []byte { return bmp(16000, 16000, 1, 0, 0) }),
		image("bmp-promised-area", "bmp", ends(malformed).or(""), func() []byte { return bmp(6000, 6000, 24, 0, 0, "x") }),
		image("bmp-colours-4-gib", "bmp", ends(malformed).or(""), func() []byte { return bmp(8, 8, 8, 0, 1<<32-1, make([]byte, 1200)) }),
		image("bmp-offset-over-end", "bmp", ends(malformed), func() []byte {
			b := bmp(8, 8, 24, 0, 0, make([]byte, 300))
			copy(b[10:], le32(1<<32-1))
			return b
		}),
		image("bmp-rle-bomb", "bmp", answers(), func() []byte { // 255 pixels in two bytes
			return bmp(16000, 2400, 8, 1, 2, "\x10\x20\x30\x00\xf0\xe0\xd0\x00", repeat("\xff\x01", 16000*2400/255), "\x00\x01")
		}),
		image("bmp-rle-outside", "bmp", answers().or(malformed), func() []byte {
			return bmp(8, 8, 8, 1, 2, "\x10\x20\x30\x00\xf0\xe0\xd0\x00", repeat("\x00\x02\xff\xff\xff\x01", 1<<18))
		}),
		image("bmp-rle-line-ends", "bmp", answers().or(malformed), func() []byte {
			return bmp(8, 8, 8, 1, 2, "\x10\x20\x30\x00\xf0\xe0\xd0\x00", repeat("\x00\x00", 4<<20))
		}),
		image("bmp-rle-empty-runs", "bmp", answers().or(malformed), func() []byte {
			return bmp(8, 8, 4, 2, 2, "\x10\x20\x30\x00\xf0\xe0\xd0\x00", repeat("\x00\x03\x11\x22", 2<<20))
		}),
		image("bmp-masks-0", "bmp", ends(malformed, unsupported).or(""), func() []byte { return bmp(8, 8, 32, 3, 0, make([]byte, 12+256)) }),
		image("bmp-depth-64", "bmp", ends(malformed, unsupported), func() []byte { return bmp(8, 8, 64, 0, 0, make([]byte, 512)) }),
		image("bmp-depth-0", "bmp", answers(), func() []byte { return bmp(8, 8, 0, 4, 0, baseline(8, 8)) }),
	}
}

// icon is an ICO with n directory entries that all say the same picture, and what lies behind them.
func icon(n int, size, offset int64, rest ...any) []byte {
	entry := join("\x00\x00\x00\x00\x01\x00\x20\x00", le32(size), le32(offset))
	return join(append([]any{"\x00\x00\x01\x00", le16(n), repeat(string(entry), n)}, rest...)...)
}

func icoFiles() []File {
	return []File{
		image("ico-1000-entries", "ico", answers(), func() []byte { p := tiny(); return icon(1000, int64(len(p)), 6+16000, p) }),
		image("ico-65535-entries", "ico", ends(noDecoder, malformed), func() []byte { p := tiny(); return icon(65535, int64(len(p)), 6+65535*16, p) }),
		image("ico-in-itself", "ico", ends(malformed, noDecoder), func() []byte { return icon(1, 4000, 0, make([]byte, 4000)) }),
		image("ico-over-end", "ico", ends(malformed), func() []byte { return icon(1, 1<<32-1, 1<<32-1) }),
		image("ico-png-65535", "ico", hits(limitPixels, "max_side"), func() []byte {
			p := png(ihdr(65535, 65535, 8, 6, 0), chunk("IDAT", deflate(make([]byte, 64))))
			return icon(1, int64(len(p)), 22, p)
		}),
		image("ico-dib-65535", "ico", ends(limitPixels, malformed), func() []byte { return icon(1, 64, 22, dib(65535, 131070, 32, 0, 0), make([]byte, 24)) }),
		image("ico-in-ico", "ico", ends(malformed), func() []byte { return icon(1, 100, 22, icon(1, 78, 22, icon(1, 56, 22, make([]byte, 56)))) }),
	}
}
