package image

import (
	"github.com/glovebox-wasm/glovebox/decoders/image/internal/jp2"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	// jp2Magic begins a JPEG 2000 in boxes (ISO/IEC 15444-1, I.5.1), jp2Codestream one without: SOC, then SIZ (A.4.1, A.5.1).
	jp2Magic      = "\x00\x00\x00\x0cjP  \r\n\x87\n"
	jp2Codestream = "\xff\x4f\xff\x51"
)

// jp2File is a JPEG 2000: a codestream, and in boxes around it what its components are.
type jp2File struct {
	header
	code     *jp2.Codestream
	colour   jp2Colour
	channels []jp2Channel
	table    *jp2Palette
	defs     []jp2Definition
	declared bool // a box says which colours they are

	colours [4]int // channels that are red, green, blue; or gray; or cyan, magenta, yellow, black
	alpha   int    // the channel that is opacity; -1: none
	matte   bool   // colours are multiplied by it
}

// jp2Colour is a colour space.
type jp2Colour int

const (
	jp2Unknown jp2Colour = iota
	jp2Gray
	jp2RGB
	jp2YCC
	jp2CMYK
)

// jp2Channel is where a channel comes from (I.5.3.5): a component, by way of a column of the palette or as it is (-1).
type jp2Channel struct{ component, column int }

// jp2Definition says what a channel is (I.5.3.6).
type jp2Definition struct{ channel, kind, of int }

// jp2Palette is a palette of up to 256 entries (I.5.3.4), each column spread over a byte.
type jp2Palette struct {
	columns [][256]byte
	last    int
	depth   int
}

func openJP2(in readapi.Input) (file, error) {
	f := &jp2File{header: blank("jp2"), alpha: -1}
	stream := span{0, in.Size()}
	if matches(readUpTo(in, 0, magicBytes), jp2Magic) {
		var err error
		if stream, err = f.boxes(in); err != nil {
			return f, err
		}
	}
	code, err := jp2.Open(&sectionOf{in, stream}, stream.n)
	if err != nil {
		return f, err
	}
	f.code = code
	f.width, f.height, f.lossy = code.Width(), code.Height(), code.Lossy()
	f.depth = code.Components[0].Depth
	if err := f.resolve(); err != nil {
		return f, err
	}
	return f, f.checked()
}

func (f *jp2File) head() *header { return &f.header }

// sectionOf is a part of an input.
type sectionOf struct {
	in readapi.Input
	at span
}

func (s *sectionOf) ReadAt(p []byte, off int64) (int, error) { return s.in.ReadAt(p, s.at.off+off) }

// boxes reads the header box and finds the first codestream.
func (f *jp2File) boxes(in readapi.Input) (stream span, err error) {
	r := newBoxReader(in)
	found := false
	r.each(span{0, in.Size()}, func(b box) bool {
		switch b.kind {
		case "jp2h":
			err = f.headerBox(r, b.span)
		case "jp2c":
			if !found {
				stream, found = b.span, true
			}
		case "uuid":
			f.metadata = true
			// The identifier is these sixteen characters; EXIF follows (as Adobe and ExifTool write it).
			if d := r.data(b.span, maxBoxData); len(d) > 16 && string(d[:16]) == "JpgTiffExif->JP2" {
				f.readEXIF(d[16:])
			}
		case "xml ":
			f.metadata = true
		}
		return err == nil
	})
	if err == nil && !found {
		err = pdk.Malformed("jp2 without a codestream")
	}
	return stream, err
}

// headerBox reads the boxes of jp2h (I.5.3).
func (f *jp2File) headerBox(r *boxReader, s span) (err error) {
	r.each(s, func(b box) bool {
		p := fields{b: r.data(b.span, 64<<10)}
		switch b.kind {
		case "colr":
			f.colourBox(&p, r.in, b.span)
		case "pclr":
			f.table, err = paletteBox(&p)
		case "cmap":
			for len(p.b) >= 4 {
				c := jp2Channel{int(p.uint(2)), -1}
				mapped, column := p.uint(1), int(p.uint(1))
				if mapped == 1 {
					c.column = column
				}
				f.channels = append(f.channels, c)
			}
		case "cdef":
			p.uint(2)
			for len(p.b) >= 6 {
				f.defs = append(f.defs, jp2Definition{int(p.uint(2)), int(p.uint(2)), int(p.uint(2))})
			}
		}
		return err == nil
	})
	return err
}

// colourBox reads a colour specification (I.5.3.3; the values beyond 16 to 18 are those of ISO/IEC 15444-2, table M.25). The first that is
// known counts.
func (f *jp2File) colourBox(p *fields, in readapi.Input, s span) {
	method := p.uint(1)
	p.uint(2)
	if f.colour != jp2Unknown {
		return
	}
	f.declared = true
	switch method {
	case 1:
		f.colour = map[uint64]jp2Colour{16: jp2RGB, 17: jp2Gray, 18: jp2YCC, 12: jp2CMYK, 1: jp2YCC, 3: jp2YCC, 15: jp2Gray, 20: jp2RGB, 21: jp2RGB}[p.uint(4)]
	case 2, 3:
		if len(p.b) >= 20 { // ICC.1:2022, 7.2.6: the data colour space
			f.colour = map[string]jp2Colour{"GRAY": jp2Gray, "RGB ": jp2RGB, "CMYK": jp2CMYK}[string(p.b[16:20])]
		}
		if f.icc = f.colour != jp2Unknown; f.icc {
			f.profile = wholeProfile(in, s.rest(3))
		}
	}
}

func paletteBox(p *fields) (*jp2Palette, error) {
	n, columns := int(p.uint(2)), int(p.uint(1))
	t := &jp2Palette{columns: make([][256]byte, columns), last: n - 1}
	var depths []int
	for range columns {
		depths = append(depths, int(p.uint(1)&0x7f)+1)
		t.depth = depths[0]
	}
	switch {
	case n == 0 || columns == 0 || p.short:
		return nil, pdk.Malformed("jp2 with a palette of nothing")
	case n > 256:
		return nil, pdk.Unsupported("jp2 with a palette of more than 256 colours")
	}
	for i := range n {
		for c, depth := range depths {
			v := p.uint((depth + 7) / 8)
			if depth > 8 {
				v >>= min(depth-8, 63)
			} else {
				v = (v*255 + (1<<depth-1)/2) / (1<<depth - 1)
			}
			t.columns[c][i] = byte(min(v, 255))
		}
	}
	if p.short {
		return nil, pdk.Malformed("jp2 with a palette that is cut")
	}
	return t, nil
}

// resolve works out which channel is which colour.
func (f *jp2File) resolve() error {
	n := len(f.code.Components)
	if len(f.channels) == 0 {
		for i := range n {
			f.channels = append(f.channels, jp2Channel{i, -1})
		}
	}
	for _, c := range f.channels {
		if c.component >= n || c.column >= 0 && (f.table == nil || c.column >= len(f.table.columns)) {
			return pdk.Malformed("a channel that is not there")
		}
	}
	if f.colour == jp2Unknown {
		if f.declared {
			return pdk.Unsupported("a colour space of its own")
		}
		f.guess()
	}
	want := map[jp2Colour]int{jp2Gray: 1, jp2RGB: 3, jp2YCC: 3, jp2CMYK: 4}[f.colour]
	if len(f.channels) < want { // one that promises more colours than it has is gray
		f.colour, want = jp2Gray, 1
	}
	f.assign(want)
	if f.table != nil && f.channels[f.colours[0]].column >= 0 {
		f.header.color, f.depth = "palette", f.table.depth
	} else {
		f.header.color = map[jp2Colour]string{jp2Gray: "gray", jp2RGB: "rgb", jp2YCC: "ycbcr", jp2CMYK: "cmyk"}[f.colour]
	}
	f.header.alpha = f.alpha >= 0
	return nil
}

// guess names the colours of a codestream that says nothing of them, by how many there are and, as every reader does, by its chroma being
// smaller.
func (f *jp2File) guess() {
	c := f.code.Components
	switch {
	case len(f.channels) < 3:
		f.colour = jp2Gray
	case len(c) >= 3 && c[0].DX == 1 && c[0].DY == 1 && c[1].DX > 1 && c[2].DX == c[1].DX:
		f.colour = jp2YCC
	default:
		f.colour = jp2RGB
	}
}

// assign finds the channels of the colours and of opacity.
func (f *jp2File) assign(colours int) {
	for i := range colours {
		f.colours[i] = i
	}
	if len(f.defs) == 0 {
		if len(f.channels) == colours+1 { // no more than one beyond the colours is opacity to every reader
			f.alpha = colours
		}
		return
	}
	for _, d := range f.defs {
		const opacity, premultiplied = 1, 2
		switch {
		case d.channel >= len(f.channels):
		case d.kind == 0 && d.of >= 1 && d.of <= colours:
			f.colours[d.of-1] = d.channel
		case (d.kind == opacity || d.kind == premultiplied) && f.alpha < 0:
			f.alpha, f.matte = d.channel, d.kind == premultiplied
		}
	}
}

// used is how many components are needed, from the first.
func (f *jp2File) used() (n int) {
	for i := range map[jp2Colour]int{jp2Gray: 1, jp2RGB: 3, jp2YCC: 3, jp2CMYK: 4}[f.colour] {
		n = max(n, f.channels[f.colours[i]].component+1)
	}
	if f.alpha >= 0 {
		n = max(n, f.channels[f.alpha].component+1)
	}
	return n
}
