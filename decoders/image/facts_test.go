package image

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/jpeg/jpegtest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Whatever a picture is refused for, also while it is opened, the refusal begins with what it is and how large, as far as the file says so.
func TestRefusalsNameThePicture(t *testing.T) {
	q := quarters(32, 16)
	samples := map[string][]byte{}
	for _, s := range cases(t) {
		samples[s.name] = s.data
	}
	cut := func(name string, n int) []byte {
		if len(samples[name]) == 0 {
			t.Fatalf("no case %s", name)
		}
		return samples[name][:min(n, len(samples[name]))]
	}
	patched := func(name string, at int, v ...byte) []byte {
		b := bytes.Clone(cut(name, 1<<30))
		copy(b[at:], v)
		return b
	}
	jpg := jpegOf(t, q)
	sos := bytes.Index(jpg, []byte("\xff\xda"))
	noQuant := bytes.Clone(jpg)
	for i := bytes.Index(noQuant, []byte("\xff\xdb")); i >= 0; i = bytes.Index(noQuant, []byte("\xff\xdb")) {
		noQuant[i+1] = 0xec
	}
	factor := bytes.Clone(jpg)
	factor[bytes.Index(factor, []byte("\xff\xc0"))+11] = 0
	lines := coded(q, 0, func(s *jpegtest.Spec) { s.DefineLines = true })
	lines = lines[:bytes.Index(lines, []byte("\xff\xdc"))]
	for name, c := range map[string]struct {
		data  []byte
		facts string
	}{
		"jpeg cut at its data":        {jpg[:sos+14], "jpeg 32x16: "},
		"jpeg cut at its headers":     {jpg[:sos], "jpeg 32x16: "},
		"jpeg without tables":         {noQuant, "jpeg 32x16: "},
		"jpeg with a factor of 0":     {factor, "jpeg 32x16: "},
		"jpeg whose height is lost":   {lines, "jpeg 32x0: "},
		"jpeg of a lossless kind":     {jpegHeader(0xc3, 8, 40, 30, 3), "jpeg 40x30: "},
		"jpeg of a hierarchy":         {jpegHeader(0xc5, 8, 40, 30, 3), "jpeg 40x30: "},
		"jpeg with nothing":           {jpg[:4], "jpeg"},
		"png cut in its header":       {cut("png-rgba", 20), "png"},
		"png without pixels":          {cut("png-rgba", 33), "png 6x4: "},
		"png without a height":        {patched("png-rgba", 20, 0, 0, 0, 0), "png 6x0: "},
		"png out of range":            {patched("png-rgba", 16, 0xff), "png 4278190086x4: "},
		"gif without a picture":       {cut("gif", 13), "gif 8x8: "},
		"gif cut in its header":       {cut("gif", 9), "gif"},
		"bmp in the fax coding":       {cut("bmp-os2-fax", 1<<30), "bmp 7x4: "},
		"bmp of nine bits":            {patched("bmp-24", 28, 9), "bmp 7x4: "},
		"bmp of an unknown kind":      {patched("bmp-24", 30, 77), "bmp 7x4: "},
		"bmp without a width":         {patched("bmp-24", 18, 0, 0, 0, 0), "bmp 0x4: "},
		"bmp shell of nothing":        {patched("bmp-png", int(binary.LittleEndian.Uint32(samples["bmp-png"][10:])), 'x'), "bmp "},
		"bmp cut in its header":       {cut("bmp-24", 20), "bmp"},
		"tiff without a strip":        {cut("tiff-strip-missing", 1<<30), ""},
		"tiff without a directory":    {cut("tiff-no-directory", 1<<30), "tiff"},
		"tiff without samples":        {cut("tiff-no-samples", 1<<30), ""},
		"webp cut at its pixels":      {cut("webp-lossy", 30), "webp"},
		"webp with another canvas":    {cut("webp-sizes-differ", 1<<30), "webp "},
		"webp without a picture":      {cut("webp-nothing", 1<<30), "webp"},
		"icon of a bitmap that's cut": {cut("ico-dib", 40), "ico 8x8: "},
		"icon without one":            {cut("ico-nothing", 1<<30), "ico"},
		"jp2 without a stream":        {cut("jp2-no-stream", 1<<30), "jp2"},
		"jp2 of an unknown space":     {cut("jp2-space", 1<<30), "jp2 "},
		"jp2 cut at its pixels":       {cut("jp2-bomb", 1<<30), "jp2 "},
		"heif":                        {cut("heif-phone", 1<<30), "heic 4032x3024"},
		"heif without a size":         {cut("heif-no-size", 1<<30), "hei"},
		"avif":                        {cut("avif-deep", 1<<30), "avif "},
		"jxl":                         {cut("jxl-sides", 1<<30), "jxl "},
		"jxl cut":                     {cut("jxl-cut", 1<<30), "jxl"},
	} {
		_, err := read(t, c.data, nil)
		e, ok := asFailure(err)
		switch {
		case err == nil && c.facts != "":
			t.Errorf("%s: is read", name)
		case err != nil && (!ok || !strings.HasPrefix(e.Detail, c.facts)):
			t.Errorf("%s: %v, want it to begin with %q", name, err, c.facts)
		case err != nil && readapi.CodeOf(err) == readapi.CodeInternal:
			t.Errorf("%s: %v", name, err)
		}
	}
}
