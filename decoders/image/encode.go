package image

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// encoded is a picture as it leaves. It holds pixels and nothing else: whatever the source carried beside them is gone.
type encoded struct {
	mediaType     readapi.MediaType
	width, height int
	bytes         []byte
}

// jpegQualities are tried in turn when the first is too large.
var jpegQualities = [...]int{85, 70, 50}

// maxShrinks bounds how often a picture is made smaller for the byte budget, below which size nobody sees what it is.
const (
	maxShrinks = 8
	minEdge    = 32
)

// fitSize returns w by h scaled so that no side is longer than edge; never larger than it is.
func fitSize(w, h, edge int64) (tw, th int) {
	long := max(w, h)
	if long <= edge {
		return int(w), int(h)
	}
	scale := func(v int64) int { return int(max(1, (v*edge+long/2)/long)) }
	return scale(w), scale(h)
}

// encode chooses an encoding for m and keeps it within maxBytes (0: no bound): less quality first where the encoding has it, then fewer
// pixels. lossy says that the source was lossy, so that another such step costs little.
func encode(m *nrgba, lossy bool, maxBytes int64) (encoded, error) {
	fits := func(e encoded) bool { return maxBytes <= 0 || int64(len(e.bytes)) <= maxBytes }
	var smallest int64
	for range maxShrinks {
		l := look(m)
		e, err := l.first(m, lossy)
		if err != nil {
			return e, err
		}
		if fits(e) {
			return e, nil
		}
		for _, q := range jpegQualities {
			if !l.opaque {
				break
			}
			if e, err = encodeJPEG(m, l, q); err != nil || fits(e) {
				return e, err
			}
		}
		smallest = int64(len(e.bytes))
		factor := min(0.9, max(0.25, 0.95*math.Sqrt(float64(maxBytes)/float64(smallest))))
		edge := int64(float64(max(m.w, m.h)) * factor)
		if edge < minEdge {
			break
		}
		tw, th := fitSize(int64(m.w), int64(m.h), edge)
		m, _ = shrink(m, tw, th)
	}
	return encoded{}, pdk.OverLimit(readapi.CodeLimitOutput, "max_bytes", maxBytes, smallest)
}

// traits is what the pixels say about a good encoding.
type traits struct {
	opaque, gray bool
	colors       color.Palette // in order of appearance; nil: more than 256
	index        map[uint32]uint8
	flat         bool // most pixels repeat their neighbour: a drawing or a screenshot
}

func look(m *nrgba) traits {
	t := traits{opaque: true, gray: true, index: map[uint32]uint8{}}
	few, last, same := true, uint32(0), 0
	for i := 0; i < len(m.pix); i += 4 {
		p := m.pix[i : i+4 : i+4]
		v := uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 | uint32(p[3])<<24
		if v == last && i > 0 {
			same++
			continue
		}
		last = v
		t.opaque = t.opaque && p[3] == 0xff
		t.gray = t.gray && p[0] == p[1] && p[1] == p[2]
		if !few {
			continue
		}
		if _, ok := t.index[v]; !ok {
			if few = len(t.colors) < 256; few {
				t.index[v] = uint8(len(t.colors))
				t.colors = append(t.colors, color.NRGBA{p[0], p[1], p[2], p[3]})
			}
		}
	}
	if !few {
		t.colors = nil
	}
	t.flat = same*2 > len(m.pix)/4
	return t
}

// smallArea is where a lossless encoding costs next to nothing, whatever it shows.
const smallArea = 128 * 128

// first encodes m in the way that suits it best.
func (t traits) first(m *nrgba, lossy bool) (encoded, error) {
	few := t.colors != nil && (!t.gray || len(t.colors) <= 16) && (!lossy || len(t.colors) <= 16)
	if !t.opaque || few || m.w*m.h <= smallArea || t.flat && !lossy {
		return encodePNG(m, t)
	}
	return encodeJPEG(m, t, jpegQualities[0])
}

// std wraps m for the standard library's encoders, in the type for which they are fast and small.
func (t traits) std(m *nrgba) image.Image {
	r := image.Rect(0, 0, m.w, m.h)
	switch {
	case t.opaque && t.gray:
		g := image.NewGray(r)
		for i := range g.Pix {
			g.Pix[i] = m.pix[4*i]
		}
		return g
	case t.opaque:
		return &image.RGBA{Pix: m.pix, Stride: 4 * m.w, Rect: r}
	}
	return &image.NRGBA{Pix: m.pix, Stride: 4 * m.w, Rect: r}
}

func encodePNG(m *nrgba, t traits) (encoded, error) {
	img := t.std(m)
	if t.colors != nil && !(t.opaque && t.gray && len(t.colors) > 16) {
		p := image.NewPaletted(img.Bounds(), t.colors)
		for i := range p.Pix {
			q := m.pix[4*i : 4*i+4 : 4*i+4]
			p.Pix[i] = t.index[uint32(q[0])|uint32(q[1])<<8|uint32(q[2])<<16|uint32(q[3])<<24]
		}
		img = p
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return encoded{}, err
	}
	return encoded{"image/png", m.w, m.h, b.Bytes()}, nil
}

func encodeJPEG(m *nrgba, t traits, quality int) (encoded, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, t.std(m), &jpeg.Options{Quality: quality}); err != nil {
		return encoded{}, err
	}
	return encoded{"image/jpeg", m.w, m.h, b.Bytes()}, nil
}
