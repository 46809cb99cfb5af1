package image

import (
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// jxlMagic begins a JPEG XL in boxes (ISO/IEC 18181-2, 4.1); a bare codestream begins with ff 0a (ISO/IEC 18181-1, annex C).
const (
	jxlMagic      = "\x00\x00\x00\x0cJXL \r\n\x87\n"
	jxlCodestream = "\xff\x0a"
)

// jxlHeaderBytes is more than the headers that are read can take, without the colour profile and the names of extra channels.
const jxlHeaderBytes = 256

func openJXL(in readapi.Input) (file, error) {
	f := &namedFile{header: blank("jxl")}
	stream := span{0, in.Size()}
	if matches(readUpTo(in, 0, magicBytes), jxlMagic) {
		var ok bool
		if stream, ok = jxlStream(in); !ok {
			return nil, pdk.Malformed("jxl without a codestream")
		}
	}
	b := readUpTo(in, stream.off, min(stream.n, jxlHeaderBytes))
	if !matches(b, jxlCodestream) {
		return nil, pdk.Malformed("jxl without a codestream")
	}
	r := &jxlBits{b: b[len(jxlCodestream):]}
	f.height, f.width = r.size()
	r.imageMetadata(&f.header)
	if r.short {
		return f, pdk.Malformed("jxl with a header that is cut")
	}
	return f, f.checked()
}

// jxlStream finds the codestream, or its first part, which begins with a counter (ISO/IEC 18181-2, 9.8).
func jxlStream(in readapi.Input) (stream span, ok bool) {
	newBoxReader(in).each(span{0, in.Size()}, func(b box) bool {
		switch b.kind {
		case "jxlc":
			stream, ok = b.span, true
		case "jxlp":
			stream, ok = b.rest(4), true
		}
		return !ok
	})
	return stream, ok
}

// jxlBits reads the bit fields of a JPEG XL header, the lowest bit first (ISO/IEC 18181-1, annex B).
type jxlBits struct {
	b     []byte
	at    int // in bits
	short bool
}

func (r *jxlBits) u(n int) (v int64) {
	if r.at+n > 8*len(r.b) {
		r.short = true
		return 0
	}
	for i := range n {
		v |= int64(r.b[r.at>>3]>>(r.at&7)&1) << i
		r.at++
	}
	return v
}

// bits of a U32 with its four ways: an offset, then that many bits more (ISO/IEC 18181-1, B.2.2).
type jxlU32 [4]struct {
	offset int64
	bits   int
}

func (r *jxlBits) u32(d *jxlU32) int64 {
	way := d[r.u(2)]
	return way.offset + r.u(way.bits)
}

var (
	jxlSide     = jxlU32{{1, 9}, {1, 13}, {1, 18}, {1, 30}}
	jxlPreview8 = jxlU32{{16, 0}, {32, 0}, {1, 5}, {33, 9}}
	jxlPreview  = jxlU32{{1, 6}, {65, 8}, {321, 10}, {1345, 12}}
	jxlTicks    = jxlU32{{100, 0}, {1000, 0}, {1, 10}, {1, 30}}
	jxlTicksPer = jxlU32{{1, 0}, {1001, 0}, {1, 8}, {1, 10}}
	jxlLoops    = jxlU32{{0, 0}, {0, 3}, {0, 16}, {0, 32}}
	jxlInts     = jxlU32{{8, 0}, {10, 0}, {12, 0}, {1, 6}}
	jxlFloats   = jxlU32{{32, 0}, {16, 0}, {24, 0}, {1, 6}}
	jxlExtras   = jxlU32{{0, 0}, {1, 0}, {2, 4}, {1, 12}}
	jxlEnum     = jxlU32{{0, 0}, {1, 0}, {2, 4}, {18, 6}}
)

// jxlRatios are the aspect ratios that a size may name in place of a width (ISO/IEC 18181-1, table D.2).
var jxlRatios = [8][2]int64{{}, {1, 1}, {12, 10}, {4, 3}, {3, 2}, {16, 9}, {5, 4}, {2, 1}}

// size reads SizeHeader (ISO/IEC 18181-1, D.2).
func (r *jxlBits) size() (h, w int64) {
	small := r.u(1) == 1
	side := func() int64 {
		if small {
			return 8 * (r.u(5) + 1)
		}
		return r.u32(&jxlSide)
	}
	h = side()
	if ratio := jxlRatios[r.u(3)]; ratio[1] > 0 {
		return h, h * ratio[0] / ratio[1]
	}
	return h, side()
}

// preview skips PreviewHeader (ISO/IEC 18181-1, D.3.3).
func (r *jxlBits) preview() {
	way := &jxlPreview
	if r.u(1) == 1 {
		way = &jxlPreview8
	}
	if r.u32(way); r.u(3) == 0 {
		r.u32(way)
	}
}

// imageMetadata reads ImageMetadata as far as the first extra channel (ISO/IEC 18181-1, D.3).
func (r *jxlBits) imageMetadata(h *header) {
	if r.u(1) == 1 { // all as usual
		return
	}
	if r.u(1) == 1 {
		h.orientation = int(r.u(3)) + 1
		if r.u(1) == 1 { // an intrinsic size
			r.size()
		}
		if r.u(1) == 1 {
			r.preview()
		}
		if h.animated = r.u(1) == 1; h.animated {
			r.u32(&jxlTicks)
			r.u32(&jxlTicksPer)
			h.loop = r.u32(&jxlLoops)
			r.u(1) // time codes
		}
	}
	if r.u(1) == 1 { // floats
		h.depth = int(r.u32(&jxlFloats))
		r.u(4) // the exponent's bits
	} else {
		h.depth = int(r.u32(&jxlInts))
	}
	r.u(1) // whether sixteen bits are enough for the decoder
	if r.u32(&jxlExtras) > 0 {
		const alpha = 0 // ISO/IEC 18181-1, table D.8
		h.alpha = r.u(1) == 1 || r.u32(&jxlEnum) == alpha
	}
}
