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

// terms are what an encoded picture has to keep to.
type terms struct {
	maxBytes  int64  // 0: no bound
	limit     string // what that bound is called
	png, jpeg bool   // may leave so
}

func termsOf(req *readapi.Request) terms {
	t := terms{maxBytes: req.MaxBytes, limit: "max_bytes", png: req.TakesImage("image/png"), jpeg: req.TakesImage("image/jpeg")}
	if most := req.MaxImageBytes; most > 0 && (t.maxBytes <= 0 || most < t.maxBytes) {
		t.maxBytes, t.limit = most, "max_image_bytes"
	}
	return t
}

// fits reports whether e may leave.
func (t terms) fits(e encoded) bool { return t.maxBytes <= 0 || int64(len(e.bytes)) <= t.maxBytes }

// jpegQualities are those that a picture may have. The first is what nobody sees; below the last, text breaks up.
var jpegQualities = [...]int{85, 80, 75, 70, 65, 60, 55, 50}

// maxShrinks bounds how often a picture is made smaller for the byte budget, below which size nobody sees what it is.
const (
	maxShrinks = 8
	minEdge    = 32
)

// fitSize returns w by h scaled so that no side is longer than edge; never larger than it is.
func fitSize(w, h, edge int64) (tw, th int) {
	w, h = readapi.Fit{MaxEdge: edge}.Size(w, h)
	return int(w), int(h)
}

// encode chooses an encoding for m and keeps it to t: as much quality as fits where the encoding has it, else fewer pixels. Every size is
// made from m itself, so that nothing is blurred twice. lossy says that the source was lossy, so that another such step costs little.
func encode(m *nrgba, lossy bool, t terms) (encoded, error) {
	if !t.png && !t.jpeg {
		return encoded{}, pdk.Unsupported("a picture that leaves neither as PNG nor as JPEG")
	}
	var smallest int64
	small := m
	for range maxShrinks {
		e, err := look(small).best(small, lossy, t)
		if err != nil || t.fits(e) {
			return e, err
		}
		smallest = int64(len(e.bytes))
		factor := min(0.9, max(0.25, 0.95*math.Sqrt(float64(t.maxBytes)/float64(smallest))))
		edge := int64(float64(max(small.w, small.h)) * factor)
		if edge < minEdge {
			break
		}
		tw, th := fitSize(int64(m.w), int64(m.h), edge)
		small, _ = shrink(m, tw, th)
	}
	return encoded{}, pdk.OverLimit(readapi.CodeLimitOutput, t.limit, t.maxBytes, smallest)
}

// best is m in the encoding that suits it, or in one that fits where that one does not. When none fits it is the smallest.
func (l *traits) best(m *nrgba, lossy bool, t terms) (encoded, error) {
	e, asJPEG, err := l.first(m, lossy, t)
	if err == nil && !t.fits(e) && !asJPEG && l.level() != png.DefaultCompression && int64(len(e.bytes))/2 < t.maxBytes {
		e, err = encodePNG(m, l, png.DefaultCompression) // may save a quarter
	}
	if err != nil || t.fits(e) || !t.jpeg || !l.opaque {
		return e, err
	}
	// The bytes fall with the quality: the highest that fits is found by halving what lies between. It is measured, not reckoned.
	low, high := 0, len(jpegQualities)-1 // the answer is in low..high, if there is one
	if asJPEG {
		low = 1
	}
	least, err := encodeJPEG(m, l, jpegQualities[high])
	if err != nil || !t.fits(least) {
		if len(e.bytes) < len(least.bytes) {
			return e, err
		}
		return least, err
	}
	for low < high {
		mid := (low + high) / 2
		if e, err = encodeJPEG(m, l, jpegQualities[mid]); err != nil {
			return e, err
		}
		if t.fits(e) {
			least, high = e, mid
		} else {
			low = mid + 1
		}
	}
	return least, nil
}

// traits is what the pixels say about a good encoding.
type traits struct {
	opaque, gray bool
	colors       color.Palette // in order of appearance; nil: more than 256
	flat         bool          // most pixels repeat their neighbour: a drawing or a screenshot

	slots [colorSlots]uint16 // of the colours: place in colors, from 1
	keys  [colorSlots]uint32
}

// colorSlots is the size of a hash table that 256 colours fill to a quarter.
const colorSlots = 1024

// slot is where colour v is in the table, or would be.
func (l *traits) slot(v uint32) uint32 {
	i := v * 0x9e3779b1 >> 22 // Knuth's multiplicative hash; ten bits
	for l.slots[i] != 0 && l.keys[i] != v {
		i = (i + 1) % colorSlots
	}
	return i
}

// pixel is the four bytes of p as one number.
func pixel(p []byte) uint32 {
	_ = p[3]
	return uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 | uint32(p[3])<<24
}

func look(m *nrgba) *traits {
	l := &traits{opaque: true, gray: true}
	few, last, same := true, uint32(0), 0
	for i := 0; i+4 <= len(m.pix); i += 4 {
		p := m.pix[i : i+4 : i+4]
		v := pixel(p)
		if v == last && i > 0 {
			same++
			continue
		}
		last = v
		l.opaque = l.opaque && p[3] == 0xff
		l.gray = l.gray && p[0] == p[1] && p[1] == p[2]
		if !few {
			continue
		}
		if s := l.slot(v); l.slots[s] == 0 {
			if few = len(l.colors) < 256; few {
				l.colors = append(l.colors, color.NRGBA{p[0], p[1], p[2], p[3]})
				l.keys[s], l.slots[s] = v, uint16(len(l.colors))
			}
		}
	}
	if !few {
		l.colors = nil
	}
	l.flat = same*2 > len(m.pix)/4
	return l
}

// smallArea is where a lossless encoding costs next to nothing, whatever it shows.
const smallArea = 128 * 128

// first encodes m in the way that suits it best of those that are allowed.
func (l *traits) first(m *nrgba, lossy bool, t terms) (e encoded, asJPEG bool, err error) {
	few := l.colors != nil && (!l.gray || len(l.colors) <= 16) && (!lossy || len(l.colors) <= 16)
	if t.png && (!t.jpeg || !l.opaque || few || m.w*m.h <= smallArea || l.flat && !lossy) {
		e, err = encodePNG(m, l, l.level())
		return e, false, err
	}
	e, err = encodeJPEG(m, l, jpegQualities[0])
	return e, true, err
}

// std wraps m for the standard library's encoders, in the type for which they are fast and small.
func (l *traits) std(m *nrgba) image.Image {
	r := image.Rect(0, 0, m.w, m.h)
	switch {
	case l.opaque && l.gray:
		g := image.NewGray(r)
		for i := range g.Pix {
			g.Pix[i] = m.pix[4*i]
		}
		return g
	case l.opaque:
		return &image.RGBA{Pix: m.pix, Stride: 4 * m.w, Rect: r}
	}
	return &image.NRGBA{Pix: m.pix, Stride: 4 * m.w, Rect: r}
}

// level is how hard a PNG is compressed. A photo (transparent, or where no JPEG may leave) takes three times as long to gain a fifth; a drawing
// gains more.
func (l *traits) level() png.CompressionLevel {
	if l.flat || l.colors != nil {
		return png.DefaultCompression
	}
	return png.BestSpeed
}

func encodePNG(m *nrgba, l *traits, level png.CompressionLevel) (encoded, error) {
	var img image.Image
	if l.colors != nil && !(l.opaque && l.gray && len(l.colors) > 16) {
		p := image.NewPaletted(image.Rect(0, 0, m.w, m.h), l.colors)
		last, index := uint32(0), uint8(0)
		for i := range p.Pix {
			if v := pixel(m.pix[4*i : 4*i+4 : 4*i+4]); v != last || i == 0 {
				last, index = v, uint8(l.slots[l.slot(v)]-1)
			}
			p.Pix[i] = index
		}
		img = p
	} else {
		img = l.std(m)
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: level}
	if err := encoder.Encode(&b, img); err != nil {
		return encoded{}, err
	}
	return encoded{"image/png", m.w, m.h, b.Bytes()}, nil
}

func encodeJPEG(m *nrgba, l *traits, quality int) (encoded, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, l.std(m), &jpeg.Options{Quality: quality}); err != nil {
		return encoded{}, err
	}
	return encoded{"image/jpeg", m.w, m.h, b.Bytes()}, nil
}

// transparent reports whether a pixel of m is not opaque.
func (m *nrgba) transparent() bool {
	if m.solid {
		return false
	}
	for i := 3; i < len(m.pix); i += 4 {
		if m.pix[i] != 0xff {
			return true
		}
	}
	return false
}

// onWhite lays m on white, in place.
func (m *nrgba) onWhite() {
	for i := 0; i+4 <= len(m.pix); i += 4 {
		p := m.pix[i : i+4 : i+4]
		a := uint32(p[3])
		if a == 0xff {
			continue
		}
		for c := range 3 {
			p[c] = uint8((uint32(p[c])*a + 255*(255-a) + 127) / 255)
		}
		p[3] = 0xff
	}
	m.solid = true
}
