package image

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// namedSamples are files that can only be named, and what they are called.
func namedSamples() map[string]struct{ comment, data, says string } {
	type named = struct{ comment, data, says string }
	pixi := func(bits byte) string { return boxOf("pixi", fullBox, "\x03", strings.Repeat(string(rune(bits)), 3)) }
	hvcC := boxOf("hvcC", strings.Repeat("\x00", 17), "\x02")
	wide := [2]int64{0, 1} // a size of its own, not a multiple of eight
	return map[string]named{
		"heif-phone": {"a photo of a telephone that was held upright", heifOf("heic", ispe(4032, 3024), hvcC, irot(3)),
			"heic 4032x3024, orientation 6, shown as 3024x4032, 10 bits"},
		"heif-plain":    {"no turn, eight bits", heifOf("heix", pixi(8), ispe(64, 48)), "heic 64x48, 8 bits"},
		"heif-unknown":  {"a brand that only says HEIF", heifOf("mif1", ispe(5, 4)), "heif 5x4"},
		"heif-two-size": {"the first of two sizes counts", heifOf("heic", ispe(640, 480), ispe(1, 1)), "heic 640x480"},
		"avif-turned":   {"turned and mirrored", heifOf("avif", ispe(30, 20), irot(1), imir(0)), "avif 30x20, orientation 5, shown as 20x30"},
		"avif-clapped": {"a clean aperture, then a turn", heifOf("avif", ispe(300, 200), boxOf("clap", u32s(101, 1, 51, 1, 0, 1, 0, 1)), irot(1)),
			"avif 300x200, orientation 8, shown as 51x101"},
		"avif-deep":     {"the depth is the decoder's configuration's", heifOf("avif", ispe(9, 9), boxOf("av1C", "\x81\x20\x60\x00")), "avif 9x9, 12 bits"},
		"avif-film":     {"a sequence without a picture", filmOf("avis", 320, 200, 24), "avif 320x200, 24 frames"},
		"avif-both":     {"a sequence by its major brand, with a picture of it", filmOf("avis", 320, 200, 24, metaOf(ispe(1, 1), ispe(640, 400))), "avif 640x400, 24 frames"},
		"heif-not-film": {"a picture by its major brand, with a film", filmOf("heic", 320, 200, 24, metaOf(ispe(1, 1), ispe(640, 400))), "heic 640x400"},
		"jxl-small":     {"a multiple of eight and a ratio", jxlOf([2]int64{1, 1}, [2]int64{29, 5}, [2]int64{3, 3}, [2]int64{1, 1}), "jxl 320x240, 8 bits"},
		"jxl-sides":     {"two sides of 13 bits", jxlOf(wide, [2]int64{1, 2}, [2]int64{3023, 13}, [2]int64{0, 3}, [2]int64{1, 2}, [2]int64{4031, 13}, [2]int64{1, 1}), "jxl 4032x3024, 8 bits"},
		"jxl-turned":    {"an orientation, ten bits", jxlOf(wide, [2]int64{0, 2}, [2]int64{99, 9}, [2]int64{7, 3}, [2]int64{0, 1}, [2]int64{1, 1}, [2]int64{5, 3}, [2]int64{0, 3}, [2]int64{0, 1}, [2]int64{1, 2}, [2]int64{0, 20}), "jxl 200x100, orientation 6, shown as 100x200, 10 bits"},
		"jxl-film": {"an animation in floats, behind a preview", jxlOf(wide, [2]int64{0, 2}, [2]int64{99, 9}, [2]int64{1, 3}, [2]int64{0, 1}, [2]int64{1, 1}, [2]int64{0, 3}, [2]int64{0, 1},
			[2]int64{1, 1}, [2]int64{0, 1}, [2]int64{0, 2}, [2]int64{7, 6}, [2]int64{1, 3}, // preview of 8 by 8
			[2]int64{1, 1}, [2]int64{0, 4}, [2]int64{1, 2}, [2]int64{3, 3}, [2]int64{0, 1}, // animation: usual ticks, three loops
			[2]int64{1, 1}, [2]int64{1, 2}, [2]int64{4, 4}, [2]int64{1, 1}, [2]int64{0, 2}), "jxl 100x100, animated, 16 bits"},
		"jxl-boxed": {"a codestream in parts", jxlBoxed(boxOf("jxll", "\x0a"), boxOf("jxlp", u32s(0), jxlOf([2]int64{1, 1}, [2]int64{0, 5}, [2]int64{1, 3}, [2]int64{1, 1}))), "jxl 8x8, 8 bits"},
	}
}

// namedCases are those files as vectors, and files that are nothing.
func namedCases() (out []sample) {
	for name, c := range namedSamples() {
		out = append(out, sample{name: name, comment: c.comment, data: []byte(c.data), expect: readapi.CodeUnsupportedFeature})
	}
	whole := heifOf("heic", ispe(4032, 3024))
	for name, data := range map[string]string{
		"heif-cut": whole[:len(whole)/2], "heif-no-meta": boxOf("ftyp", "heic", u32s(0)), "heif-no-size": heifOf("heic", irot(1)),
		"heif-zero-size": heifOf("heic", ispe(0, 3)), "heif-box-too-small": boxOf("ftyp", "heic", u32s(0)) + "\x00\x00\x00\x07meta",
		"jxl-cut": jxlCodestream + "\x00", "jxl-no-stream": jxlBoxed(boxOf("Exif", "none")), "jxl-box-lies": jxlBoxed(boxOf("jxlc", "\xff")),
	} {
		out = append(out, sample{name: name, comment: "a head that says nothing", data: []byte(data), expect: readapi.CodeMalformed})
	}
	return out
}

// What nobody decodes is named by its header.
func TestNamed(t *testing.T) {
	for name, c := range namedSamples() {
		_, err := read(t, []byte(c.data), nil)
		if e, ok := asFailure(err); !ok || e.Code != readapi.CodeUnsupportedFeature || e.Detail != c.says {
			t.Errorf("%s: %v, want %s", name, err, c.says)
		}
	}
}

// Turns and mirrors in any order give one of the eight orientations, whose pixels are where upright puts them.
func TestTurns(t *testing.T) {
	quarter, across := turn{0, 1, -1, 0}, turn{1, 0, 0, -1}
	// An image of 2 by 3, each pixel another, turned step by step by hand.
	rapid.Check(t, func(t *rapid.T) {
		w, h, pix := 2, 3, []byte("abcdef")
		m := turn{1, 0, 0, 1}
		for _, turned := range rapid.SliceOfN(rapid.Bool(), 0, 9).Draw(t, "steps") {
			next := make([]byte, len(pix))
			for y := range h {
				for x := range w {
					if turned { // a quarter anticlockwise: what was on the right is on top
						next[(w-1-x)*h+y] = pix[y*w+x]
					} else {
						next[(h-1-y)*w+x] = pix[y*w+x]
					}
				}
			}
			if pix = next; turned {
				w, h, m = h, w, m.then(quarter)
			} else {
				m = m.then(across)
			}
		}
		got := plane{[]byte("abcdef"), 2, 2, 3}.upright(m.orientation())
		if got.w != w || got.h != h || string(got.pix) != string(pix) {
			t.Fatalf("%v is orientation %d: %dx%d %s, want %dx%d %s", m, m.orientation(), got.w, got.h, got.pix, w, h, pix)
		}
	})
}

// FuzzNamed: a head that is damaged in any way is named or refused, within the bounds of its reader.
func FuzzNamed(f *testing.F) {
	for _, c := range namedSamples() {
		f.Add([]byte(c.data))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, magic := range []string{"", jxlCodestream, jxlMagic, boxOf("ftyp", "heic", u32s(0))} {
			_, err := read(t, append([]byte(magic), in...), nil)
			e, ok := asFailure(err)
			if err == nil || ok && e.Code != readapi.CodeUnsupportedFeature {
				continue
			}
			if !ok || e.Detail == "" || len(e.Detail) > 120 {
				t.Fatalf("%v", err)
			}
		}
	})
}

// Boxes without end cost no more than the reader's budget.
func TestBoxesAreBounded(t *testing.T) {
	properties := make([]string, 3*maxBoxes)
	for i := range properties {
		properties[i] = boxOf("free")
	}
	properties[0] = ispe(10, 10)
	data := boxOf("ftyp", "heic", u32s(0), "heic") + boxOf("meta", fullBox, boxOf("pitm", fullBox, be16s(1)), boxOf("iprp", boxOf("ipco", properties...), boxOf("ipma", fullBox, u32s(1), be16s(1), "\x01\x01")))
	in := &counted{data: data}
	f, err := openHEIF(in)
	if err != nil || f.head().width != 10 || in.calls > maxBoxes+2*maxProperties {
		t.Errorf("%v, %d reads", err, in.calls)
	}
	many := strings.Repeat(boxOf("moov", strings.Repeat(boxOf("trak", boxOf("mdia", boxOf("hdlr", strings.Repeat("x", 3000)))), 40)), 300)
	in = &counted{data: boxOf("ftyp", "heic", u32s(0), "heic") + many}
	if _, err := openHEIF(in); readapi.CodeOf(err) != readapi.CodeMalformed || in.bytes > maxBoxBytes+16*maxBoxes {
		t.Errorf("%v, %d bytes read", err, in.bytes)
	}
}

// counted is an input that counts what is read of it.
type counted struct {
	data  string
	calls int
	bytes int
}

func (c *counted) Size() int64 { return int64(len(c.data)) }

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	c.calls++
	n, err := strings.NewReader(c.data).ReadAt(p, off)
	c.bytes += n
	return n, err
}
