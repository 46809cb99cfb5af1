package icc

import (
	"encoding/binary"
	"errors"
)

// Model is what the samples of a picture mean before its profile is applied.
type Model byte

// Models that a profile can be applied to.
const (
	Gray Model = iota + 1
	RGB
	CMYK
)

// signature is the model's name in a profile (ICC.1:2022, table 19).
func (m Model) signature() string { return [...]string{"", "GRAY", "RGB ", "CMYK"}[m] }

// channels is how many samples a pixel has.
func (m Model) channels() int { return [...]int{0, 1, 3, 4}[m] }

// MaxBytes is the largest profile that Parse looks at: those of printing presses reach about 3 MB.
const MaxBytes = 4 << 20

// What is wrong with a profile.
var (
	errProfile = errors.New("no profile")
	errSize    = errors.New("larger than profiles are")
	errClass   = errors.New("a profile of another kind")
	errModel   = errors.New("the profile is of other colours than the picture")
	errDamaged = errors.New("the profile is damaged or cut")
	errTag     = errors.New("a profile without what it takes")
	errKind    = errors.New("a table of an unknown kind")
)

// profile is a parsed header (ICC.1:2022, 7.2) and where the tags are.
type profile struct {
	b       []byte
	version byte // 2 or 4
	lab     bool // the connection space is Lab, else XYZ
}

const (
	headerBytes = 128
	maxTags     = 256
)

func newProfile(b []byte, m Model) (p profile, err error) {
	switch {
	case len(b) < headerBytes+4 || string(b[36:40]) != "acsp":
		return p, errProfile
	case len(b) > MaxBytes:
		return p, errSize
	}
	switch string(b[12:16]) {
	case "scnr", "mntr", "prtr", "spac":
	default:
		return p, errClass
	}
	if string(b[16:20]) != m.signature() {
		return p, errModel
	}
	p = profile{b: b, version: b[8]}
	switch string(b[20:24]) {
	case "XYZ ":
	case "Lab ":
		p.lab = true
	default:
		return p, errClass
	}
	return p, nil
}

// tag returns the data of the first tag of that name (7.3), nil when there is none within the profile.
func (p *profile) tag(name string) []byte {
	n := min(binary.BigEndian.Uint32(p.b[headerBytes:]), maxTags)
	list := p.b[headerBytes+4:]
	for range n {
		if len(list) < 12 {
			return nil
		}
		if string(list[:4]) == name {
			off, size := uint64(binary.BigEndian.Uint32(list[4:])), uint64(binary.BigEndian.Uint32(list[8:]))
			if off > uint64(len(p.b)) || size > uint64(len(p.b))-off {
				return nil
			}
			return p.b[off : off+size]
		}
		list = list[12:]
	}
	return nil
}

// fixed reads an s15Fixed16Number (4.6).
func fixed(b []byte) float64 { return float64(int32(binary.BigEndian.Uint32(b))) / 65536 }

// xyz reads the first value of an XYZType (10.31).
func xyz(b []byte) (v [3]float64, ok bool) {
	if len(b) < 20 || string(b[:4]) != "XYZ " {
		return v, false
	}
	for i := range v {
		v[i] = fixed(b[8+4*i:])
	}
	return v, true
}
