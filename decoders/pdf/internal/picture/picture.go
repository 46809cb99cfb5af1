package picture

import (
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Picture is an image as its dictionary describes it. Nothing of it is decoded yet.
type Picture struct {
	Width, Height int64
	Stencil       bool // paints with a colour where it is set, and nothing elsewhere (8.9.6.2)

	dict   object.Node
	raw    []byte // of an inline image; else nil
	inline bool
	soft   bool   // a soft mask taken as a stencil: paints where it is light
	codec  string // the filter that is a picture's own, "" if there is none
}

// Of returns what the dictionary of an image says.
func Of(img *content.Image) Picture {
	if img.Inline != nil {
		return describe(img.Inline.Dict, img.Inline.Data, true)
	}
	return describe(img.Object, nil, false)
}

func describe(dict object.Node, raw []byte, inline bool) Picture {
	p := Picture{dict: dict, raw: raw, inline: inline}
	p.Width, p.Height = int64(number(dict, "Width", 0)), int64(number(dict, "Height", 0))
	p.Stencil = flag(dict, "ImageMask", false)
	for _, f := range dict.Filters() {
		switch f {
		case "DCTDecode", "CCITTFaxDecode", "JPXDecode", "JBIG2Decode":
			p.codec = f
		}
	}
	return p
}

// MediaType is what Encode makes of the picture, or what it is if that is not decoded, and what the name of such a file ends in.
func (p *Picture) MediaType() (t readapi.MediaType, ext string) {
	switch p.codec {
	case "DCTDecode":
		if p.plainJPEG() {
			return "image/jpeg", "jpg"
		}
	case "JPXDecode":
		return "image/jp2", "jp2"
	case "JBIG2Decode":
		return "image/jbig2", "jb2"
	}
	return "image/tiff", "tif"
}

// Bytes is about the size of what Encode makes: that of the data where they are passed on, else that of the pixels.
func (p *Picture) Bytes() int64 {
	if p.codec != "" && p.codec != "CCITTFaxDecode" {
		return max(0, int64(number(p.dict, "Length", 0)))
	}
	bits := int64(1)
	if !p.Stencil && p.codec == "" {
		if s, _, ok := p.space(1); ok {
			bits = int64(p.bits() * s.Components())
		}
	}
	const most = 1 << 30
	if p.Width <= 0 || p.Height <= 0 || p.Width > most || p.Height > most {
		return 0
	}
	return (p.Width*bits + 7) / 8 * p.Height
}

// Unsupported names the codec that keeps the picture from being decoded, "" if none does.
func (p *Picture) Unsupported() string {
	switch p.codec {
	case "JPXDecode":
		if _, ok := p.jpxSpace(); !ok {
			return "JPEG 2000 pictures in a colour space of the document"
		}
	case "JBIG2Decode":
		return "JBIG2 pictures"
	}
	return ""
}

// Encoded is a picture as a file.
type Encoded struct {
	MediaType readapi.MediaType
	Bytes     []byte
	Partial   string // what is missing, "" if nothing
}

// Encode returns the picture as a file, in its full size if a file may be so large. Masks are composed on white.
//
// Errors: unsupported_feature with the codec's name, limit_pixels and limit_memory with the limit's, malformed_input.
func (p *Picture) Encode(l *Limits) (Encoded, error) {
	return p.encode(l, l.MaxSide, upright)
}

// encode is Encode for a picture whose longer side need not be longer than long; turn says how the picture is shown.
func (p *Picture) encode(l *Limits, long int64, turn orientation) (Encoded, error) {
	if feature := p.Unsupported(); feature != "" {
		return Encoded{}, pdk.Unsupported(feature)
	}
	switch p.codec {
	case "DCTDecode":
		return p.encodeJPEG(turn)
	case "JPXDecode":
		return p.encodeJPX(turn)
	}
	s, err := p.layer(l)
	if err != nil {
		return Encoded{}, err
	}
	r := s.raster()
	if k := r.factor(long, l.MaxBytes); k > 1 {
		r = shrink(r, k, k)
	}
	return encodeRaster(r, turn), nil
}
