package image

import (
	"bytes"
	"encoding/binary"
	"image"
	stdjpeg "image/jpeg"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/jpeg"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// A progressive picture may have many scans, and not any number of them.
func TestScansAreBounded(t *testing.T) {
	progressive := func(scans int) []byte {
		b := []byte("\xff\xd8\xff\xc2\x00\x0b\x08\x00\x08\x00\x08\x01\x01\x11\x00")
		for range scans {
			b = append(b, "\xff\xda\x00\x08\x01\x01\x00\x00\x00\x00"...)
		}
		return append(b, 0xff, 0xd9)
	}
	_, err := read(t, progressive(jpeg.MaxScans+1), nil)
	if e, ok := asFailure(err); !ok || e.Code != readapi.CodeLimitFuel || e.Limit == nil || e.Limit.Name != "max_scans" || e.Limit.Actual != jpeg.MaxScans+1 {
		t.Errorf("one scan too many: %v", err)
	}
	if _, err := read(t, progressive(jpeg.MaxScans), nil); readapi.CodeOf(err) != readapi.CodeMalformed { // it has no tables
		t.Errorf("just enough scans: %v", err)
	}
	var b bytes.Buffer // a baseline picture may hold the bytes of a scan's marker where it likes
	must(t, stdjpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8)), nil))
	comment := append([]byte("\xff\xfe\x20\x02"), bytes.Repeat([]byte("\xff\xda"), 4096)...)
	if _, err := read(t, append(append(bytes.Clone(b.Bytes()[:2]), comment...), b.Bytes()[2:]...), nil); err != nil {
		t.Errorf("a comment full of markers: %v", err)
	}
}

// A frame of an animation is a whole screen to scale and to encode, however little of it is in the file: behind the first one it counts.
func TestScreensCount(t *testing.T) {
	g := newGIF(100, 100, 0)
	for range 20 {
		g.picture(t, 0, 0, 1, 1, false, fill(1, 1))
	}
	data := g.end()
	all := []readapi.Range{{From: 1}}
	for _, c := range []struct{ most, next int64 }{{21 * 10_000, 0}, {50_000, 6}, {1, 0}} {
		res, err := read(t, data, func(r *readapi.Request) { r.Units, r.MaxTotalPixels = all, c.most })
		switch {
		case c.most == 1: // the first is always had, if the file's own pixels allow it
			if err != nil || len(res.Parts) != 1 || res.Next == nil || res.Next.At != 2 {
				t.Errorf("one pixel: %d parts, next %+v, %v", len(res.Parts), res.Next, err)
			}
		case err != nil, c.next == 0 && res.Next != nil, c.next > 0 && (res.Next == nil || res.Next.At != c.next):
			t.Errorf("%d pixels: next %+v, %v; want %d", c.most, res.Next, err, c.next)
		}
	}
}

// When every page that was tried is damaged, that is the answer, not that there are too many of them.
func TestAllPagesDamaged(t *testing.T) {
	order := binary.LittleEndian
	const pages, size = 200, 2 + 12*3 + 4
	b := []byte("II\x2a\x00\x08\x00\x00\x00")
	for i := range pages {
		b = order.AppendUint16(b, 3)
		for _, e := range [][2]uint32{{256, 8}, {257, 8}, {273, 1 << 30}} {
			b = order.AppendUint16(b, uint16(e[0]))
			b = order.AppendUint16(b, 4)
			b = order.AppendUint32(b, 1)
			b = order.AppendUint32(b, e[1])
		}
		next := uint32(8 + (i+1)*size)
		if i == pages-1 {
			next = 0
		}
		b = order.AppendUint32(b, next)
	}
	if _, err := read(t, b, nil); readapi.CodeOf(err) != readapi.CodeMalformed {
		t.Errorf("%v, want malformed_input", err)
	}
}
