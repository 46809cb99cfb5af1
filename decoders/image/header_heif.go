package image

import (
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// heifFile is the header of a HEIF or AVIF file (ISO/IEC 23008-12; AV1 Image File Format): a primary item with its properties, or a
// sequence of pictures as a track, or both.
type heifFile struct {
	namedFile
	boxes *boxReader

	primary  uint64
	hasItems bool
	sequence bool // by its major brand

	properties []property
	used       []uint64 // by the primary item: indices into properties, from 1, in the order in which they apply
}

// property is one box of ipco.
type property struct {
	kind string
	data []byte // its first bytes
}

const (
	// maxProperties bounds the properties of all items together, maxUsed those of one item.
	maxProperties = 4096
	maxUsed       = 64
	// propertyBytes is how much is kept of a property: sizes, turns and depths are all at the beginning.
	propertyBytes = 48
)

func openHEIF(in readapi.Input) (file, error) {
	f := &heifFile{namedFile: namedFile{header: blank("heif")}, boxes: newBoxReader(in)}
	f.depth = 0
	f.boxes.each(span{0, in.Size()}, func(b box) bool {
		switch b.kind {
		case "ftyp":
			f.brands(f.boxes.data(b.span, 1<<10))
		case "meta":
			if !f.hasItems {
				f.meta(b.rest(4)) // version and flags
			}
		case "moov":
			f.movie(b.span)
		}
		return true
	})
	if f.width == 0 || f.height == 0 {
		return nil, pdk.Malformed(f.format + " without a picture")
	}
	return &f.namedFile, f.checked()
}

// brands decides what the file is called: the first brand that says more than "HEIF" (ISO/IEC 23008-12, 10.2; AV1 Image File Format, 6).
func (f *heifFile) brands(b []byte) {
	for i := 0; i+4 <= len(b); i += 4 {
		if i == 4 {
			continue // the minor version
		}
		brand := string(b[i : i+4])
		if i == 0 {
			f.sequence = brand == "avis" || brand == "msf1" || brand == "hevc" || brand == "hevx"
		}
		switch brand {
		case "avif", "avis":
			f.format = "avif"
			return
		case "heic", "heix", "heim", "heis", "hevc", "hevx":
			f.format = "heic"
		}
	}
}

// meta reads the primary item and its properties.
func (f *heifFile) meta(s span) {
	f.hasItems = true
	var ipco, ipma []box
	f.boxes.each(s, func(b box) bool {
		switch b.kind {
		case "pitm":
			p := fields{b: f.boxes.data(b.span, 8)}
			f.primary = p.versioned()
		case "iprp":
			f.boxes.each(b.span, func(b box) bool {
				switch b.kind {
				case "ipco":
					ipco = append(ipco[:0], b)
				case "ipma":
					if len(ipma) < 4 { // one for each version and flags at most
						ipma = append(ipma, b)
					}
				}
				return true
			})
		}
		return true
	})
	if len(ipco) == 0 {
		return
	}
	f.boxes.each(ipco[0].span, func(b box) bool {
		f.properties = append(f.properties, property{b.kind, f.boxes.data(b.span, propertyBytes)})
		return len(f.properties) < maxProperties
	})
	for _, b := range ipma {
		f.associations(f.boxes.data(b.span, maxBoxData))
	}
	f.apply()
}

// versioned reads version and flags, then a number of 16 bits in version 0 and 32 in later ones.
func (p *fields) versioned() uint64 {
	if p.uint(4)>>24 == 0 {
		return p.uint(2)
	}
	return p.uint(4)
}

// associations finds the primary item's properties (ISO/IEC 23008-12, 9.3.2).
func (f *heifFile) associations(b []byte) {
	p := fields{b: b}
	head := p.uint(4)
	for range p.uint(4) {
		var item uint64
		if head>>24 == 0 {
			item = p.uint(2)
		} else {
			item = p.uint(4)
		}
		for range p.uint(1) {
			var index uint64
			if head&1 != 0 {
				index = p.uint(2) &^ (1 << 15) // the highest bit says that it is essential
			} else {
				index = p.uint(1) &^ (1 << 7)
			}
			if item == f.primary && len(f.used) < maxUsed && !p.short {
				f.used = append(f.used, index)
			}
		}
		if p.short {
			return
		}
	}
}

// apply works out sizes, orientation and depth from the properties, which apply in order (MIAF, ISO/IEC 23000-22, 7.3.6.7: clap, irot, imir).
func (f *heifFile) apply() {
	m := turn{1, 0, 0, 1}
	var w, h int64
	for _, i := range f.used {
		if i < 1 || i > uint64(len(f.properties)) {
			continue
		}
		p := fields{b: f.properties[i-1].data}
		switch f.properties[i-1].kind {
		case "ispe":
			if p.uint(4); f.width == 0 {
				f.width, f.height = int64(p.uint(4)), int64(p.uint(4))
				w, h = f.width, f.height
			}
		case "pixi":
			if p.uint(4); p.uint(1) > 0 {
				f.depth = int(p.uint(1))
			}
		case "clap":
			w, h = clapped(&p, w, h)
		case "irot":
			for range p.uint(1) & 3 {
				m = m.then(turn{0, 1, -1, 0}) // a quarter anticlockwise
				w, h = h, w
			}
		case "imir": // axis 0 changes top and bottom, 1 left and right (ISO/IEC 23008-12:2022, 6.5.12)
			if p.uint(1)&1 == 0 {
				m = m.then(turn{1, 0, 0, -1})
			} else {
				m = m.then(turn{-1, 0, 0, 1})
			}
		}
	}
	f.orientation = m.orientation()
	if dw, dh := f.display(); w != dw || h != dh {
		f.showW, f.showH = w, h
	}
	f.codedDepth()
}

// clapped is the size that a clean aperture leaves (ISO/IEC 14496-12, 12.1.4): two fractions, rounded down.
func clapped(p *fields, w, h int64) (int64, int64) {
	wn, wd, hn, hd := int64(p.uint(4)), int64(p.uint(4)), int64(p.uint(4)), int64(p.uint(4))
	if p.short || wd == 0 || hd == 0 || wn/wd < 1 || hn/hd < 1 || wn/wd > w || hn/hd > h {
		return w, h
	}
	return wn / wd, hn / hd
}

// codedDepth takes the depth from the first coded picture's configuration where no property says it: a grid leaves that to its tiles.
func (f *heifFile) codedDepth() {
	for _, p := range f.properties {
		if f.depth > 0 {
			return
		}
		f.depth = configuredDepth(p)
	}
}

// configuredDepth reads the bits of a sample from a decoder's configuration.
func configuredDepth(p property) int {
	switch {
	case p.kind == "hvcC" && len(p.data) > 17: // ISO/IEC 14496-15, 8.3.3.1: bit_depth_luma_minus8
		return int(p.data[17]&7) + 8
	case p.kind == "av1C" && len(p.data) > 2: // AV1 Codec ISO Media File Format Binding, 2.3: high_bitdepth, twelve_bit
		switch p.data[2] >> 5 & 3 {
		case 2:
			return 10
		case 3:
			return 12
		}
		return 8
	}
	return 0
}

// maxTracks bounds the tracks that are looked into.
const maxTracks = 64

// movie looks for the track that is a sequence of pictures.
func (f *heifFile) movie(s span) {
	tracks := 0
	f.boxes.each(s, func(b box) bool {
		if b.kind == "trak" {
			tracks++
			f.track(b.span)
		}
		return tracks < maxTracks
	})
}

func (f *heifFile) track(s span) {
	mdia, ok := f.boxes.find(s, "mdia")
	if !ok {
		return
	}
	hdlr, ok := f.boxes.find(mdia.span, "hdlr")
	if b := f.boxes.data(hdlr.span, 12); !ok || len(b) < 12 || string(b[8:12]) != "pict" && string(b[8:12]) != "vide" {
		return
	}
	table, ok := f.boxes.path(mdia.span, "minf", "stbl")
	if !ok || f.animated {
		return
	}
	var entry, count []byte
	f.boxes.each(table.span, func(b box) bool {
		switch b.kind {
		case "stsd":
			entry = f.boxes.data(b.span, 1<<10)
		case "stsz", "stz2": // both: version and flags, a size or a width, then how many
			count = f.boxes.data(b.span, 12)
		}
		return true
	})
	n := fields{b: count}
	n.uint(4)
	n.uint(4)
	frames := int64(n.uint(4))
	// The visual sample entry (ISO/IEC 14496-12, 12.1.3) has the size behind 24 bytes of its own payload.
	const sizeAt = 8 + 8 + 24
	if len(entry) < sizeAt+4 || frames == 0 {
		return
	}
	e := fields{b: entry[sizeAt:]}
	w, h := int64(e.uint(2)), int64(e.uint(2))
	if f.width == 0 {
		f.width, f.height = w, h
	}
	// A file may be both a picture and a film of it; what it is first says its major brand.
	if f.sequence || !f.hasItems {
		f.frames, f.animated = frames, frames > 1
	}
}

// turn is a turn or a reflection, as the matrix that takes the stored picture's axes (right, down) to those of the shown one.
type turn [4]int

// then returns t followed by u.
func (t turn) then(u turn) turn {
	return turn{
		u[0]*t[0] + u[1]*t[2], u[0]*t[1] + u[1]*t[3],
		u[2]*t[0] + u[3]*t[2], u[2]*t[1] + u[3]*t[3],
	}
}

// orientation is t as EXIF has it (EXIF 2.32, 4.6.4, tag 274).
func (t turn) orientation() int {
	for i, known := range [8]turn{
		{1, 0, 0, 1}, {-1, 0, 0, 1}, {-1, 0, 0, -1}, {1, 0, 0, -1}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, -1, -1, 0}, {0, 1, -1, 0},
	} {
		if t == known {
			return i + 1
		}
	}
	return 1
}
