package hostile

import (
	"bytes"
	"compress/lzw"
)

// screen is the beginning of a GIF with a global table of two colours.
func screen(w, h int) []byte {
	return join("GIF89a", le16(w), le16(h), "\x80\x00\x00", "\x10\x20\x30\xf0\xe0\xd0")
}

// frame is a picture of a GIF: its descriptor, and coded data as it is.
func frame(x, y, w, h int, flags byte, data []byte) []byte {
	return join(",", le16(x), le16(y), le16(w), le16(h), flags, data)
}

// blocks cuts data into sub-blocks.
func blocks(b []byte) []byte {
	var out []byte
	for len(b) > 0 {
		n := min(255, len(b))
		out = append(append(out, byte(n)), b[:n]...)
		b = b[n:]
	}
	return append(out, 0)
}

// pixels are n indices 0, coded with a code size.
func pixels(n int) []byte {
	var b bytes.Buffer
	w := lzw.NewWriter(&b, lzw.LSB, 2)
	zero := make([]byte, 1<<16)
	for ; n > 0; n -= len(zero) {
		_, _ = w.Write(zero[:min(n, len(zero))]) // a bytes.Buffer takes everything
	}
	_ = w.Close()
	return join(byte(2), blocks(b.Bytes()))
}

// delay is a graphic control extension.
func delay(dispose byte) []byte { return join("!\xf9\x04", dispose<<2, "\xff\xff\x00\x00") }

func gifFiles() []File {
	return []File{
		image("gif-65535", "gif", hits(limitPixels, "max_side"), func() []byte { return join(screen(65535, 65535), frame(0, 0, 1, 1, 0, pixels(1)), ";") }),
		image("gif-grows-65535", "gif", hits(limitPixels, "max_side"), func() []byte { return join(screen(1, 1), frame(65535, 65535, 65535, 65535, 0, pixels(1)), ";") }),
		image("gif-lzw-bomb", "gif", answers(), func() []byte { return join(screen(8000, 1000), frame(0, 0, 8000, 1000, 0, pixels(8000*1000)), ";") }),
		image("gif-lzw-overflows", "gif", answers(), func() []byte { // twenty million pixels for sixty-four
			return join(screen(8, 8), frame(0, 0, 8, 8, 0, pixels(20_000_000)), ";")
		}),
		image("gif-frame-outside", "gif", answers().or(limitPixels), func() []byte {
			return join(screen(8, 8), frame(0, 0, 8, 8, 0, pixels(64)), frame(7, 7, 65535, 65535, 0x40, pixels(20_000_000)), ";")
		}).units("1-"),
		image("gif-code-size-0", "gif", ends(malformed), func() []byte { return join(screen(8, 8), frame(0, 0, 8, 8, 0, []byte{0, 1, 0, 0}), ";") }),
		image("gif-code-size-255", "gif", ends(malformed), func() []byte { return join(screen(8, 8), frame(0, 0, 8, 8, 0, []byte{255, 1, 0, 0}), ";") }),
		image("gif-codes-wrong", "gif", answers(partial).or(malformed), func() []byte {
			return join(screen(8, 8), frame(0, 0, 8, 8, 0, join(byte(2), blocks([]byte(repeat("\xff", 1000))))), ";")
		}),
		image("gif-clear-codes", "gif", answers(partial), func() []byte { // a megabyte of nothing but clear codes: 100, three bits each
			return join(screen(8, 8), frame(0, 0, 8, 8, 0, join(byte(2), blocks([]byte(repeat("\x24\x49\x92", 350_000))))), ";")
		}),
		image("gif-no-colours", "gif", answers(), func() []byte {
			return join("GIF89a", le16(8), le16(8), "\x00\x00\x00", frame(0, 0, 8, 8, 0, pixels(64)), ";")
		}),
		image("gif-no-picture", "gif", ends(malformed), func() []byte { return join(screen(8, 8), ";") }),
		image("gif-cut", "gif", answers(partial), func() []byte { return join(screen(90, 90), frame(0, 0, 90, 90, 0, pixels(8100)[:40])) }),
	}
}

func gifFloodFiles() []File {
	one := frame(0, 0, 1, 1, 0, pixels(1))
	return []File{
		image("gif-100000-frames", "gif", answers(), func() []byte { return join(screen(8, 8), repeat(string(one), 100_000), ";") }),
		image("gif-100000-frames-late", "gif", answers(), func() []byte { return join(screen(8, 8), repeat(string(one), 100_000), ";") }).units("16000"),
		image("gif-100000-frames-all", "gif", Want{Codes: []string{""}, Parts: 10, Next: true}, func() []byte {
			return join(screen(8, 8), repeat(string(one), 100_000), ";")
		}).units("1-"),
		image("gif-canvas-flood", "gif", answers().or(limitFuel), func() []byte { // one pixel of data makes a frame of two million
			return join(screen(1500, 1500), repeat(string(join(delay(3), one)), 500), ";")
		}).units("1-"),
		image("gif-clear-flood", "gif", hits(limitPixels, "max_total_pixels").or(limitFuel), func() []byte { // frames without data, each of which clears nine million pixels
			return join(screen(3000, 3000), repeat(string(join(delay(2), frame(0, 0, 3000, 3000, 0, []byte{2, 0}))), 500), ";")
		}).units("400"),
		image("gif-delays", "gif", answers(), func() []byte { return join(screen(8, 8), repeat(string(join(delay(0), one)), 20_000), ";") }),
		image("gif-comments-100000", "gif", answers(stripped), func() []byte {
			return join(screen(8, 8), repeat("!\xfe\x06SECRET\x00", 100_000), frame(0, 0, 8, 8, 0, pixels(64)), ";")
		}).lacking("SECRET"),
		image("gif-blocks-of-one", "gif", answers(stripped), func() []byte { return join(screen(8, 8), "!\xfe", repeat("\x01x", 1<<20), "\x00", one, ";") }),
		image("gif-block-endless", "gif", ends(malformed).or(""), func() []byte { return join(screen(8, 8), "!\xfe", repeat("\xff"+repeat("x", 255), 4096)) }),
		image("gif-padding", "gif", ends(malformed), func() []byte { return join(screen(8, 8), make([]byte, 1<<20), one, ";") }),
		image("gif-controls-only", "gif", ends(malformed), func() []byte { return join(screen(8, 8), repeat(string(delay(7)), 100_000), ";") }),
	}
}
