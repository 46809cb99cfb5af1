package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	decoder "github.com/glovebox-wasm/glovebox/decoders/image"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const wholePage = "612 0 0 792 0 0"

// scans are pages of one picture each, the first of 102 by 132 pixels, each larger than the one before.
func scans(pages int, more string) []byte {
	w := &pdftest.Writer{}
	var list [][]pdftest.Placed
	for i := range pages {
		m := pdftest.Scan(102+17*i, 132+22*i)
		n := w.Image(m.Bounds().Dx(), m.Bounds().Dy(), "/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/FlateDecode", pdftest.Deflate(string(pdftest.RGB(m))))
		list = append(list, []pdftest.Placed{{Image: n, Matrix: wholePage}})
	}
	w.ImagePages(more, list...)
	return w.Table()
}

// viewed reads the form image.
func viewed(data []byte, req readapi.Request) (readapi.Result, error) {
	req.Form = readapi.FormImage
	if req.MaxFileBytes == 0 {
		req.MaxFileBytes = 100 << 20
	}
	return run(data, req)
}

// sizeOf is the size of a picture that was handed on, as the decoder of pictures sees it.
func sizeOf(t *testing.T, f readapi.File) image.Point {
	t.Helper()
	res, err := pdk.Run(&decoder.Decoder, bytes.NewReader(f.Bytes), readapi.Request{Form: readapi.FormImage, MaxEdge: 16384})
	if err != nil {
		t.Fatalf("%s: %v", f.Child.Name, err)
	}
	m, _, err := image.Decode(bytes.NewReader(res.Parts[0].Image.Bytes))
	if err != nil {
		t.Fatal(err)
	}
	return m.Bounds().Size()
}

func warned(res readapi.Result) (out []string) {
	for _, w := range res.Warnings {
		out = append(out, fmt.Sprint(w.Code, " ", w.At))
	}
	return out
}

// TestScan: a page without text is shown as a picture, upright, and the picture is a file inside.
func TestScan(t *testing.T) {
	res, err := viewed(scans(3, ""), readapi.Request{})
	if err != nil || len(res.Files) != 3 || len(res.Warnings) > 0 || len(res.Parts) > 0 {
		t.Fatalf("%d files, %v, %v", len(res.Files), warned(res), err)
	}
	for i, f := range res.Files {
		if f.At != int64(i+1) || sizeOf(t, f) != image.Pt(102+17*i, 132+22*i) {
			t.Errorf("picture %d is of page %d, %v", i+1, f.At, sizeOf(t, f))
		}
		if c := res.Children[i]; c.N != 1000*(i+1)+1 || c.Name != fmt.Sprintf("page-%d-image-1.tif", i+1) || c.MediaType != "image/tiff" {
			t.Errorf("child %+v", c)
		}
	}
	if res, err = viewed(scans(1, "/Rotate 90"), readapi.Request{}); err != nil || sizeOf(t, res.Files[0]) != image.Pt(132, 102) {
		t.Errorf("a page that is shown turned: %v, %v", res.Files, err)
	}
	if res, err = run(scans(2, ""), readapi.Request{}); err != nil || len(res.Children) != 2 || len(res.Files) != 0 {
		t.Errorf("as text: %d children, %v", len(res.Children), err)
	}
}

// TestPageWithoutPicture: no page is passed over in silence.
func TestPageWithoutPicture(t *testing.T) {
	res, err := viewed(pdftest.Plain(pdftest.Lines(hello), "").Table(), readapi.Request{})
	if err != nil || len(res.Files) > 0 || !slices.Equal(warned(res), []string{"no_page_image 1", "no_page_image 2"}) {
		t.Fatalf("%d files, %v, %v", len(res.Files), warned(res), err)
	}
	if a, b := res.Warnings[0].Detail, res.Warnings[1].Detail; !strings.Contains(a, "text") || a == b {
		t.Errorf("%q, %q", a, b)
	}
}

// coded are pages of one picture each, with the given filters.
func coded(filters ...string) []byte {
	w := &pdftest.Writer{}
	var list [][]pdftest.Placed
	for _, f := range filters {
		data := []byte("what nobody decodes")
		if f == "DCTDecode" {
			data = pdftest.FlatJPEG(200)
		}
		list = append(list, []pdftest.Placed{{Image: w.Image(100, 100, "/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/"+f, data), Matrix: wholePage}})
	}
	w.ImagePages("", list...)
	return w.Table()
}

// TestScanThatNobodyDecodes: the codec is named, as an error when nothing else is there.
func TestScanThatNobodyDecodes(t *testing.T) {
	for filter, name := range map[string]string{"JBIG2Decode": "JBIG2"} {
		data := coded(filter, filter)
		if _, err := viewed(data, readapi.Request{}); readapi.CodeOf(err) != readapi.CodeUnsupportedFeature || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", filter, err)
		}
		res, err := run(data, readapi.Request{})
		if err != nil || len(res.Children) != 2 {
			t.Errorf("%s: %v, %v", filter, res.Children, err)
		}
		if _, err = run(data, readapi.Request{Child: []int{1001}, MaxFileBytes: 1 << 20}); readapi.CodeOf(err) != readapi.CodeUnsupportedFeature || !strings.Contains(err.Error(), name) {
			t.Errorf("%s as a file inside: %v", filter, err)
		}
	}
	res, err := viewed(coded("JBIG2Decode", "DCTDecode"), readapi.Request{})
	if err != nil || len(res.Files) != 1 || res.Files[0].At != 2 || !slices.Equal(warned(res), []string{"unsupported_filter 1"}) {
		t.Errorf("%d files, %v, %v", len(res.Files), warned(res), err)
	}
	if types := res.Children; len(types) != 2 || types[0].MediaType != "image/jbig2" || types[1].MediaType != "image/jpeg" {
		t.Errorf("%v", types)
	}
}

// TestPictureChildren: pictures are listed once, read by number, and left out where they are small; one that is not seen has a number and is
// not listed.
func TestPictureChildren(t *testing.T) {
	w := &pdftest.Writer{}
	gray := func(width, height int) int {
		return w.Image(width, height, "/BitsPerComponent 8/ColorSpace/DeviceGray", make([]byte, width*height))
	}
	a, dot, off, b := gray(40, 20), gray(16, 40), gray(30, 30), gray(17, 17)
	w.ImagePages("", []pdftest.Placed{{Image: a, Matrix: wholePage}, {Image: dot, Matrix: wholePage}}, []pdftest.Placed{
		{Image: off, Matrix: "10 0 0 10 700 0"}, {Image: b, Matrix: "100 0 0 100 0 0"}, {Image: a, Matrix: "100 0 0 100 0 0"}, {Image: b, Matrix: "100 0 0 100 9 0"},
	})
	data := w.Table()
	res := decodeBytes(t, data, readapi.Request{})
	var got []int
	for _, c := range res.Children {
		got = append(got, c.N)
	}
	if want := []int{1001, 2002, 2003}; !slices.Equal(got, want) {
		t.Errorf("numbers %v, want %v", got, want)
	}
	if c := res.Children[0]; c.Bytes != 40*20 {
		t.Errorf("%+v", c)
	}
	for n, size := range map[int]image.Point{1001: {X: 40, Y: 20}, 2001: {X: 30, Y: 30}, 2002: {X: 17, Y: 17}, 2003: {X: 40, Y: 20}} {
		res, err := run(data, readapi.Request{Child: []int{n}, MaxFileBytes: 1 << 20})
		if err != nil || len(res.Files) != 1 || res.Files[0].At != 0 || sizeOf(t, res.Files[0]) != size {
			t.Fatalf("%d: %+v, %v", n, res.Files, err)
		}
		if f := res.Files[0]; f.Child.N != n || f.Child.Bytes != int64(len(f.Bytes)) {
			t.Errorf("%+v of %d bytes", f.Child, len(f.Bytes))
		}
	}
	for _, n := range []int{1000, 1002, 2004, 3001, 1 << 31} {
		if _, err := run(data, readapi.Request{Child: []int{n}, MaxFileBytes: 1 << 20}); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
			t.Errorf("%d: %v", n, err)
		}
	}
}

// TestManyPictures: a page lists so many and no more.
func TestManyPictures(t *testing.T) {
	w := &pdftest.Writer{}
	var list []pdftest.Placed
	for range maxPagePictures + 20 {
		list = append(list, pdftest.Placed{Image: w.Image(20, 20, "/BitsPerComponent 1/ColorSpace/DeviceGray", make([]byte, 60)), Matrix: "10 0 0 10 0 0"})
	}
	w.ImagePages("", list)
	if res := decodeBytes(t, w.Table(), readapi.Request{}); len(res.Children) != maxPagePictures {
		t.Errorf("%d pictures", len(res.Children))
	}
}

// TestPictureLimits: each limit has its name in the error, or ends the answer where the next one goes on.
func TestPictureLimits(t *testing.T) {
	data := scans(4, "")
	for name, req := range map[string]readapi.Request{
		"max_side": {MaxSide: 100}, "max_pixels": {MaxPixels: 102 * 131}, "max_total_pixels": {MaxTotalPixels: 102 * 131},
	} {
		_, err := viewed(data, req)
		if e, ok := errors.AsType[*readapi.Error](err); !ok || e.Code != readapi.CodeLimitPixels || e.Limit == nil || e.Limit.Name != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A file that would be too large is a picture with fewer pixels.
	if res, err := viewed(data, readapi.Request{MaxFileBytes: 20_000, Units: []readapi.Range{{From: 1, To: 1}}}); err != nil || len(res.Files[0].Bytes) > 20_000 {
		t.Errorf("a file of 20,000 bytes at most: %v", err)
	}
	for name, req := range map[string]readapi.Request{
		"max_frames": {MaxFrames: 2}, "max_total_pixels": {MaxTotalPixels: 2 * 153 * 198}, "max_file_bytes": {MaxFileBytes: 80_000}, "none": {},
	} {
		var pages []int64
		answers := 0
		for ; answers < 9; answers++ {
			res, err := viewed(data, req)
			if err != nil {
				t.Fatal(name, err)
			}
			for _, f := range res.Files {
				pages = append(pages, f.At)
			}
			if res.Next == nil {
				break
			}
			req.Start = *res.Next
		}
		if !slices.Equal(pages, []int64{1, 2, 3, 4}) || (answers == 0) != (name == "none") {
			t.Errorf("%s: pages %v in %d answers", name, pages, answers+1)
		}
	}
	w := &pdftest.Writer{}
	huge := w.Image(8000, 5000, "/BitsPerComponent 16/ColorSpace/DeviceRGB/Filter/FlateDecode", pdftest.Deflate("x"))
	w.ImagePages("", []pdftest.Placed{{Image: huge, Matrix: wholePage}})
	if _, err := viewed(w.Table(), readapi.Request{}); readapi.CodeOf(err) != readapi.CodeLimitMemory {
		t.Errorf("samples of 240 MB: %v", err)
	}
}

// TestDamagedPicture: one page's picture costs that page only.
func TestDamagedPicture(t *testing.T) {
	w := &pdftest.Writer{}
	good := w.Image(20, 20, "/BitsPerComponent 8/ColorSpace/DeviceGray", make([]byte, 400))
	short := w.Image(20, 20, "/BitsPerComponent 8/ColorSpace/DeviceGray", make([]byte, 90))
	empty := w.Image(20, 20, "/BitsPerComponent 8/ColorSpace/DeviceGray", nil)
	noise := w.Image(20, 20, "/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/DCTDecode", []byte("no jpeg at all"))
	var pages [][]pdftest.Placed
	for _, n := range []int{empty, good, short, noise} {
		pages = append(pages, []pdftest.Placed{{Image: n, Matrix: wholePage}})
	}
	w.ImagePages("", pages...)
	res, err := viewed(w.Table(), readapi.Request{})
	if err != nil || len(res.Files) != 2 || !slices.Equal(warned(res), []string{"partial 1", "partial 3", "partial 4"}) {
		t.Fatalf("%d files, %v, %v", len(res.Files), warned(res), err)
	}
	if _, err := viewed(w.Table(), readapi.Request{Units: []readapi.Range{{From: 4, To: 4}}}); readapi.CodeOf(err) != readapi.CodeMalformed {
		t.Errorf("nothing but a damaged picture: %v", err)
	}
}

// pictured is a document with a picture of each way to code one, in layers and strips.
func pictured() []byte {
	w := &pdftest.Writer{}
	m := pdftest.Scan(40, 48)
	rgb := "/BitsPerComponent 8/ColorSpace/DeviceRGB"
	mask := w.Image(80, 90, "/BitsPerComponent 1/ImageMask true/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns 80>>", pdftest.FaxWedge(80, 20))
	soft := w.Image(20, 24, "/BitsPerComponent 8/ColorSpace/DeviceGray", make([]byte, 480))
	tint := w.Stream("/FunctionType 4/Domain[0 1 0 1]/Range[0 1 0 1 0 1]", []byte("{2 copy add 2 div dup 0.5 gt {pop 1} if}"))
	list := []int{
		w.Image(40, 48, rgb+"/Filter[/ASCIIHexDecode/FlateDecode]", fmt.Appendf(nil, "%x>", pdftest.Deflate(string(pdftest.RGB(m))))),
		w.Image(40, 48, fmt.Sprintf("%s/Mask %d 0 R", rgb, mask), pdftest.RGB(m)), w.Image(40, 48, fmt.Sprintf("%s/SMask %d 0 R", rgb, soft), pdftest.RGB(m)),
		w.Image(40, 48, rgb+"/Filter/DCTDecode", pdftest.JPEG(m)), w.Image(8, 8, "/BitsPerComponent 8/ColorSpace/DeviceCMYK/Filter/DCTDecode", pdftest.FlatJPEG(1, 2, 3, 4)),
		w.Image(40, 48, fmt.Sprintf("/BitsPerComponent 8/ColorSpace[/DeviceN[/A/B]/DeviceRGB %d 0 R]/Mask[0 3 0 3]", tint), pdftest.RGB(m)),
		w.Image(40, 48, "/BitsPerComponent 4/ColorSpace[/Indexed/DeviceRGB 15<00112233445566778899aabbccddeeff>]/Decode[15 0]", pdftest.RGB(m)), mask,
	}
	var pages [][]pdftest.Placed
	var all []pdftest.Placed
	for i, n := range list {
		pages = append(pages, []pdftest.Placed{{Image: n, Matrix: wholePage}})
		all = append(all, pdftest.Placed{Image: n, Matrix: fmt.Sprintf("612 %d 0 90 0 %d", i, 90*i)})
	}
	strips := []pdftest.Placed{{Image: list[3], Matrix: "612 0 0 396 0 396"}, {Image: list[3], Matrix: "612 0 0 396 0 0"}}
	w.ImagePages("", append(pages, all, strips)...)
	return w.Table()
}

// TestMutantsOfPictures: whatever is damaged, the form image and the files inside end with a document or a code that a decoder may end with.
func TestMutantsOfPictures(t *testing.T) {
	seeds := [][]byte{pictured()}
	if res, err := viewed(seeds[0], readapi.Request{}); err != nil || len(res.Files) < 10 {
		t.Fatalf("%d files, %v, %v", len(res.Files), warned(res), err)
	}
	rnd := rand.New(rand.NewPCG(3, 5))
	for i := range 150 {
		in := mutate(rnd, seeds)
		_, err := viewed(in, readapi.Request{})
		_, inside := run(in, readapi.Request{Child: []int{1001 + 1000*(i%10)}, MaxFileBytes: 1 << 20})
		for _, err := range []error{err, inside} {
			switch code := readapi.CodeOf(err); code {
			case "", readapi.CodeMalformed, readapi.CodeEncrypted, readapi.CodeUnsupportedFeature, readapi.CodeLimitFuel, readapi.CodeInvalidRequest,
				readapi.CodeLimitPixels, readapi.CodeLimitMemory, readapi.CodeLimitOutput:
			default:
				t.Fatalf("mutant %d ends with %v", i, err)
			}
		}
	}
}
