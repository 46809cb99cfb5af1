package decodertest_test

import (
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/decodertest"
)

// outcome is what the vectors of a class have to end with.
type outcome byte

const (
	either outcome = iota
	read
	refused
)

// classes are the ways in which decoders of pictures and text are known to fail, each with vectors that hold ours to the opposite.
var classes = []struct {
	name        string
	want        outcome
	image, text string
}{
	{"wrong size by orientation", read, "jpeg-orientation-6 png-orientation-5 tiff-orientation-8 webp-orientation-6 jp2-turned", ""},
	{"wrong size by canvas", read, "gif-canvas gif-grows gif-beyond apng-off-canvas webp-moving", ""},
	{"wrong pixels", read, "webp-lossy tiff-planes-16 bmp-v5 jpeg-cmyk tiff-fax3-2d gif-canvas-clear png-key-bits icc-png", ""},
	{"fatal header", either, "bmp-negative bmp-short-palette png-zero-size tiff-no-samples tiff-rows-zero heif-box-too-small gif-code-size", "rtf-braces html-broken"},
	{"tiny to huge", refused, "bomb-png-header bomb-bmp-wide bomb-jpeg-header bomb-tiff-wide bomb-vp8l bomb-webp-canvas", ""},
	{"slow", either, "bomb-vp8l bomb-png-pixels icc-png-bomb jp2-bomb", "html-table-long html-too-deep long-line"},
	{"endless loop", either, "tiff-loop heif-zero-size jxl-box-lies", "html-deep mail-deep rtf-deep json-deep"},
	{"unsupported variant", refused, "jpeg-lossless jpeg-two-components bmp-os2-fax heif-phone avif-deep jxl-small", "charset-iso-2022-cn charset-utf-7 charset-johab charset-euc-tw"},
	{"damaged but readable", read, "jpeg-cut png-cut gif-cut webp-cut-rows tiff-strip-cut bmp-cut png-bad-checksum", "utf-8-damaged utf-8-cut json-cut mail-cut ipynb-cut"},
	{"frame count lies", read, "apng-count-lies apng-count-range apng-twice gif-short", ""},
	{"mislabelled", either, "prose bmp-png bmp-jpeg ico-png", "declared-html-lies html-declared-lies html-not json-not csv-not mail-gbk-mislabelled"},
	{"metadata leak", read, "jpeg-metadata png-metadata webp-metadata tiff-metadata jp2-metadata png-trailing", ""},
	{"mojibake", read, "", "charset-gbk-chinese charset-koi8-r-russian charset-windows-1255-hebrew quotes-windows-1252 declared-html-misleads gbk-behind-ascii"},
	{"binary as text", refused, "", "binary-noise binary-nuls binary-png"},
	{"text as binary", read, "", "nul-in-log nul-padding pattern-utf-16le pattern-utf-16be-chinese ansi"},
	{"nondeterminism", read, "icc-png-palette webp-lossy", "gbk-short utf-8-and-latin charset-x-mac-cyrillic-russian"},
	{"cut inside a grapheme", read, "", "clusters long-line-flags html-clusters"},
	{"long line", read, "", "long-line long-line-alone long-line-source html-long-line"},
	{"hidden text", read, "", "hidden hidden-selectors html-hidden html-bidi hidden-not"},
}

// Every class has two vectors or more, each of which says what has to come out.
func TestClassesHaveVectors(t *testing.T) {
	vectors := map[string]map[string]decodertest.Vector{"image": {}, "text": {}}
	for kind, all := range vectors {
		list, err := decodertest.Vectors(kind)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range list {
			all[v.Name] = v
		}
	}
	for _, c := range classes {
		n := 0
		for kind, names := range map[string]string{"image": c.image, "text": c.text} {
			for name := range strings.FieldsSeq(names) {
				n++
				v, ok := vectors[kind][name]
				switch {
				case !ok:
					t.Errorf("%s: there is no %s vector %s", c.name, kind, name)
				case c.want == read && v.Expect != "", c.want == refused && v.Expect == "":
					t.Errorf("%s: %s ends with %q", c.name, name, v.Expect)
				case v.Expect == "" && v.TextSHA256 == "" && v.Image == decodertest.ImageSize{}:
					t.Errorf("%s: %s holds nothing", c.name, name)
				}
			}
		}
		if n < 2 {
			t.Errorf("%s: only %d vectors", c.name, n)
		}
	}
}
