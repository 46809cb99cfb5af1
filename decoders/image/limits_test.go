package image

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/readapi"
)

func TestLimits(t *testing.T) {
	g := newGIF(40, 40, 0)
	for range 9 {
		g.picture(t, 0, 0, 40, 40, false, fill(1600, 1))
	}
	moving := g.end()
	still := rgbaPNG(t, quarters(40, 30), nil)
	all := []readapi.Range{{From: 1}}
	for _, c := range []struct {
		name   string
		data   []byte
		change func(*readapi.Request)
		limit  string // "" is ok, "next N" is ok and goes on at N
	}{
		{"pixels, just enough", still, func(r *readapi.Request) { r.MaxPixels = 1200 }, ""},
		{"pixels, one short", still, func(r *readapi.Request) { r.MaxPixels = 1199 }, "max_pixels"},
		{"side, just enough", still, func(r *readapi.Request) { r.MaxSide = 40 }, ""},
		{"side, one short", still, func(r *readapi.Request) { r.MaxSide = 39 }, "max_side"},
		{"frames, just enough", moving, func(r *readapi.Request) { r.Units, r.MaxFrames = all, 9 }, ""},
		{"frames, one short: the next answer has it", moving, func(r *readapi.Request) { r.Units, r.MaxFrames = all, 8 }, "next 9"},
		{"frames, not selected", moving, func(r *readapi.Request) { r.MaxFrames = 1 }, ""},
		{"total, just enough", moving, func(r *readapi.Request) { r.Units, r.MaxTotalPixels = all, 9*1600 }, ""},
		{"total, one short", moving, func(r *readapi.Request) { r.Units, r.MaxTotalPixels = all, 9*1600-1 }, "next 9"},
		{"total, for a late frame", moving, func(r *readapi.Request) { r.Units, r.MaxTotalPixels = []readapi.Range{{From: 9, To: 9}}, 8*1600 }, "max_total_pixels"},
	} {
		res, err := read(t, c.data, c.change)
		if c.limit == "" || strings.HasPrefix(c.limit, "next") {
			next := ""
			if res.Next != nil {
				next = fmt.Sprint("next ", res.Next.At)
			}
			if err != nil || next != c.limit {
				t.Errorf("%s: %q, %v", c.name, next, err)
			}
			continue
		}
		e, ok := asFailure(err)
		if !ok || e.Code != readapi.CodeLimitPixels || e.Limit == nil || e.Limit.Name != c.limit || e.Limit.Actual != e.Limit.Value+1 && c.limit != "max_total_pixels" {
			t.Errorf("%s: %v (%+v), want limit_pixels by %s", c.name, err, e.Limit, c.limit)
		}
	}
}

// TestWorkBeyondTheScreen holds that pixels count even where nobody sees them.
func TestWorkBeyondTheScreen(t *testing.T) {
	g := newGIF(40, 40, 0).picture(t, 0, 0, 40, 40, false, fill(1600, 1)).picture(t, 0, 0, 4000, 40, false, fill(4000*40, 2))
	data := g.picture(t, 0, 0, 40, 4000, true, fill(4000*40, 3)).end()
	only := func(frame, most int64) (readapi.Result, error) {
		return read(t, data, func(r *readapi.Request) { r.Units, r.MaxTotalPixels = []readapi.Range{{From: frame, To: frame}}, most })
	}
	for _, frame := range []int64{2, 3} {
		if res, err := only(frame, 1<<20); err != nil || len(res.Warnings) > 0 {
			t.Errorf("frame %d: %v %v", frame, err, res.Warnings)
		}
	}
	if res, err := only(2, 20000); err != nil || !slices.Equal(codes(res.Warnings), []string{readapi.WarnPartial}) {
		t.Errorf("frame 2 within 20,000 pixels: %v %v, want partial", err, res.Warnings)
	}
	if _, err := only(3, 20000); !errors.Is(err, readapi.CodeLimitPixels) {
		t.Errorf("frame 3 within 20,000 pixels: %v, want limit_pixels", err)
	}
}

// TestBombsAllocateNothing reads every bomb within a few megabytes: a budget that is checked after the allocation is none.
func TestBombsAllocateNothing(t *testing.T) {
	n := 0
	for _, c := range bombCases(t) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := read(t, c.data, nil); readapi.CodeOf(err) != c.expect {
			t.Errorf("%s: %v", c.name, err)
		}
		runtime.ReadMemStats(&after)
		if spent := after.TotalAlloc - before.TotalAlloc; spent > 4<<20 {
			t.Errorf("%s: %d bytes allocated", c.name, spent)
		}
		n++
	}
	if n < 9 {
		t.Errorf("only %d bombs", n)
	}
}

func TestErrorsSayWhatTheFileIs(t *testing.T) {
	for _, c := range []struct {
		data []byte
		want string
	}{
		{newPNG(50000, 40000, 8, 6, 0).end(), "png 50000x40000"},
		{jpegHeader(0xc3, 8, 640, 480, 3), "jpeg 640x480: lossless jpeg"},
		{newGIF(8, 9, 0).end(), "gif 8x9"},
	} {
		_, err := read(t, c.data, nil)
		if e, ok := asFailure(err); !ok || !strings.HasPrefix(e.Detail, c.want) {
			t.Errorf("the error is %v, want one that begins with %q", err, c.want)
		}
	}
}

func TestUnits(t *testing.T) {
	moving := newGIF(4, 4, 0)
	for i := range 5 {
		moving.picture(t, 0, 0, 4, 4, false, fill(16, byte(i)))
	}
	data := moving.end()
	at := func(change func(*readapi.Request)) (out []int64, next *readapi.Position) {
		t.Helper()
		res, err := read(t, data, change)
		must(t, err)
		for _, p := range res.Parts {
			out = append(out, p.At)
		}
		if res.Total != 5 {
			t.Errorf("total is %d, want 5", res.Total)
		}
		return out, res.Next
	}
	if got, next := at(nil); len(got) != 1 || got[0] != 1 || next != nil {
		t.Errorf("without a selection: frames %v, next %v; want the first and no more", got, next)
	}
	if got, next := at(func(r *readapi.Request) { r.Units = []readapi.Range{{From: 2, To: 3}, {From: 5, To: 5}} }); len(got) != 3 || got[2] != 5 || next != nil {
		t.Errorf("2-3,5: frames %v, next %v", got, next)
	}
	got, next := at(func(r *readapi.Request) { r.Units, r.MaxTokens = []readapi.Range{{From: 2}}, 2 }) // a patch each
	if len(got) != 2 || next == nil || next.At != 4 {
		t.Errorf("2- with tokens for two: frames %v, next %v", got, next)
	}
	for _, change := range []func(*readapi.Request){
		func(r *readapi.Request) { r.Units = []readapi.Range{{From: 6, To: 6}} },
		func(r *readapi.Request) { r.Start.At = 6 },
		func(r *readapi.Request) { r.Child = []int{1} },
		func(r *readapi.Request) { r.Form = readapi.FormText },
	} {
		if _, err := read(t, data, change); !errors.Is(err, readapi.CodeInvalidRequest) {
			t.Errorf("got %v, want invalid_request", err)
		}
	}
}

// TestNothingLeavesButPixels puts the secret into all places of all containers and looks for it in what leaves, as it is and inflated.
func TestNothingLeavesButPixels(t *testing.T) {
	carriers := 0
	for _, c := range cases(t) {
		if !bytes.Contains(c.data, []byte(secret)) {
			continue
		}
		carriers++
		res, err := read(t, c.data, nil)
		if err != nil {
			continue
		}
		for _, p := range res.Parts {
			for _, trace := range []string{secret, secret[:8], "Exif", "xmp", "tEXt", "zTXt", "iTXt", "eXIf", "iCCP", "ICC_PROFILE", "Photoshop", "html"} {
				if bytes.Contains(p.Image.Bytes, []byte(trace)) {
					t.Errorf("%s: %q is in the output", c.name, trace)
				}
			}
			checkLean(t, c.name, p.Image)
		}
		for _, w := range res.Warnings {
			if strings.Contains(w.Detail, secret[:8]) {
				t.Errorf("%s: the secret is in a warning", c.name)
			}
		}
	}
	if carriers < 7 {
		t.Errorf("only %d files carry a secret", carriers)
	}
}

// checkLean fails on any part of a PNG or JPEG that is not needed to show it.
func checkLean(t *testing.T, name string, m *readapi.Image) {
	t.Helper()
	b := m.Bytes
	if m.MediaType == "image/jpeg" {
		for off := 2; off+4 <= len(b); {
			marker := b[off+1]
			if marker == 0xda {
				break
			}
			if marker >= 0xe0 {
				t.Errorf("%s: segment %#x in the output", name, marker)
			}
			off += 2 + int(binary.BigEndian.Uint16(b[off+2:]))
		}
		if !bytes.HasSuffix(b, []byte{0xff, 0xd9}) {
			t.Errorf("%s: bytes behind the end", name)
		}
		return
	}
	for off := len(pngMagic); off+12 <= len(b); {
		kind := string(b[off+4 : off+8])
		if !strings.Contains("IHDR PLTE tRNS IDAT IEND", kind) {
			t.Errorf("%s: chunk %s in the output", name, kind)
		}
		off += 12 + int(binary.BigEndian.Uint32(b[off:]))
		if kind == "IEND" && off != len(b) {
			t.Errorf("%s: bytes behind the end", name)
		}
	}
}

// TestPrivacyProperty does the same with any bytes in any of the places.
func TestPrivacyProperty(t *testing.T) {
	m := plain(64, 48, red)
	base := jpegOf(t, m)
	rapid.Check(t, func(rt *rapid.T) {
		hidden := string(rapid.SliceOfN(rapid.Byte(), 24, 200).Draw(rt, "hidden"))
		marker := rapid.SampledFrom([]byte{0xe0, 0xe1, 0xe2, 0xe5, 0xed, 0xef, 0xfe}).Draw(rt, "marker")
		prefix := rapid.SampledFrom([]string{"", "Exif\x00\x00", "Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08", "http://ns.adobe.com/xap/1.0/\x00"}).Draw(rt, "prefix")
		in := append([]byte{0xff, 0xd8}, jpegSegment(marker, prefix+hidden)...)
		in = append(append(in, base[2:]...), hidden...)
		if rapid.Bool().Draw(rt, "png") {
			chunk := rapid.SampledFrom([]string{"tEXt", "zTXt", "iTXt", "eXIf", "iCCP", "prVt", "sRGB", "tIME"}).Draw(rt, "chunk")
			in = append(rgbaPNG(t, m, func(p *pngBuilder) { p.chunk(chunk, prefix+hidden) }), hidden...)
		}
		res, err := read(t, in, nil)
		if err != nil {
			rt.Fatal(err)
		}
		if bytes.Contains(res.Parts[0].Image.Bytes, []byte(hidden)) {
			rt.Fatal("hidden bytes are in the output")
		}
		checkLean(t, "property", res.Parts[0].Image)
	})
}

// TestEXIFInCircles reads blocks that point at themselves.
func TestEXIFInCircles(t *testing.T) {
	b := newTIFF(binary.LittleEndian, false)
	at, next := b.directory(long(tagGPS, 8), short(tagOrientation, 6))
	b.point(b.root(), at)
	b.point(next, at)
	if e := parseEXIF(b.b); e.orientation != 6 || !e.gps {
		t.Errorf("got %+v, want orientation 6 and a place", e)
	}
	for n := range b.b {
		parseEXIF(b.b[:n]) // must return
	}
	huge := newTIFF(binary.BigEndian, true)
	at, _ = huge.directory(entry{tag: tagOrientation, typ: 3, values: []uint64{9}})
	huge.point(huge.root(), at)
	binary.BigEndian.PutUint64(huge.b[at:], 1<<63)
	if e := parseEXIF(huge.b); e != (exif{}) {
		t.Errorf("got %+v of a directory that cannot be", e)
	}
}

func TestOrientationIsUndone(t *testing.T) {
	m := &nrgba{pix: quarters(6, 4).Pix, w: 6, h: 4}
	for o := 1; o <= 8; o++ {
		got := upright(m, o)
		compare(t, "orientation "+decimal(o), &image.NRGBA{Pix: got.pix, Stride: 4 * got.w, Rect: image.Rect(0, 0, got.w, got.h)}, turned(6, 4, o), 0)
	}
}
