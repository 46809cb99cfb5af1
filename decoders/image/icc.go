package image

import (
	"bytes"
	"compress/zlib"
	"io"
	"slices"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/icc"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// profileSource is where in a file the ICC profile of a picture lies. It is read when a frame is decoded.
type profileSource struct {
	in     readapi.Input
	pieces []profilePiece // in order
	chunk  bool           // a PNG's chunk: a name, a zero, a compression method, then deflated data
	model  icc.Model      // of a TIFF's page; 0: as the header says
}

// profilePiece is one segment of a JPEG's profile, or all of another's.
type profilePiece struct {
	number byte
	span
}

// maxProfileName bounds the name in front of a PNG's profile: 79 characters and a zero (W3C PNG, third edition, 11.3.2.3).
const maxProfileName = 80

// wholeProfile is a profile in one piece.
func wholeProfile(in readapi.Input, s span) profileSource {
	return profileSource{in: in, pieces: []profilePiece{{span: s}}}
}

// add takes a piece of a profile. Writers keep the pieces in order; readers must not rely on it (ICC.1:2022, B.4).
func (p *profileSource) add(in readapi.Input, number byte, s span) {
	p.in = in
	i := len(p.pieces)
	for i > 0 && p.pieces[i-1].number > number {
		i--
	}
	p.pieces = slices.Insert(p.pieces, i, profilePiece{number, s})
}

// read returns the profile, nil when it is larger than profiles are, or damaged.
func (p *profileSource) read() []byte {
	total := int64(0)
	for i, s := range p.pieces {
		total += s.n
		if total > icc.MaxBytes || i > 0 && s.number == p.pieces[i-1].number {
			return nil
		}
	}
	out := make([]byte, 0, min(total, p.in.Size()))
	for _, s := range p.pieces {
		out = append(out, readUpTo(p.in, s.off, s.n)...)
	}
	if !p.chunk {
		return out
	}
	end := bytes.IndexByte(out[:min(len(out), maxProfileName)], 0)
	if end < 0 || end+2 > len(out) {
		return nil
	}
	r, err := zlib.NewReader(bytes.NewReader(out[end+2:]))
	if err != nil {
		return nil
	}
	var b bytes.Buffer
	if n, _ := io.Copy(&b, io.LimitReader(r, icc.MaxBytes+1)); n > icc.MaxBytes {
		return nil
	}
	return b.Bytes()
}

// inker is a raster that has its pixels as inks. The colours that row gives of them are a guess: only a profile knows what the inks are.
type inker interface {
	// inks writes row y to dst: cyan, magenta, yellow, black, 255 for all of an ink. alpha is nil where the row is opaque.
	inks(y int, dst []byte) (alpha []byte, err error)
}

// inkRows gives the rows of a raster of inks in the colours of its profile.
type inkRows struct {
	raster
	src inker
	to  *icc.Transform
	buf []byte
}

func (m *inkRows) row(y int, dst []byte) error {
	alpha, err := m.src.inks(y, m.buf)
	if err != nil {
		return err
	}
	m.to.Inks(dst, m.buf)
	for i, a := range alpha {
		dst[4*i+3] = a
	}
	return nil
}

// profiles is what an answer has made of the profiles that it met.
type profiles struct {
	source profileSource // of the last one
	to     *icc.Transform
	told   bool // that a profile is not used
}

// modelOf is what the samples of a picture mean to a profile.
func modelOf(color string) icc.Model {
	switch color {
	case "gray":
		return icc.Gray
	case "cmyk":
		return icc.CMYK
	case "rgb", "palette", "ycbcr":
		return icc.RGB
	}
	return 0
}

// toSRGB finds the transform that takes the pixels of p to sRGB, to be applied when they are shrunk; nil when they are there already. The
// inks of p are replaced by a raster of colours.
func (a *answer) toSRGB(p *picture, at int64) (*icc.Transform, error) {
	h := a.file.head()
	source := p.profile
	if source.pieces == nil {
		source = h.profile
	}
	if source.model == 0 {
		source.model = modelOf(h.color)
	}
	if source.pieces == nil || source.model == 0 {
		return nil, nil
	}
	if !slices.Equal(source.pieces, a.profiles.source.pieces) || source.model != a.profiles.source.model {
		a.profiles.source, a.profiles.to = source, nil
		to, err := icc.Parse(source.read(), source.model)
		if err != nil {
			return nil, a.ignoreProfile(err.Error(), at)
		}
		a.profiles.to = to
	}
	to := a.profiles.to
	if to == nil || source.model != icc.CMYK {
		return to, nil
	}
	src, ok := p.raster.(inker)
	if !ok {
		return nil, a.ignoreProfile("the inks are not at hand", at)
	}
	w, _ := p.size()
	p.raster = &inkRows{raster: p.raster, src: src, to: to, buf: make([]byte, 4*w)}
	return nil, nil
}

// ignoreProfile says, once in an answer, why colours are passed on as they are.
func (a *answer) ignoreProfile(why string, at int64) error {
	if a.profiles.told {
		return nil
	}
	a.profiles.told = true
	return a.w.Warn(readapi.WarnICCIgnored, "the colour profile is not used: "+why, at)
}
