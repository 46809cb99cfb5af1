// Package icctest makes ICC profiles for tests, sound ones and others.
//
//	profile := icctest.AdobeRGB().Bytes()
package icctest

import (
	"encoding/binary"
	"math"
)

// Profile is a profile to make.
type Profile struct {
	Version byte   // 2 or 4
	Class   string // mntr, scnr, prtr, spac
	Space   string // RGB, GRAY, CMYK
	PCS     string // XYZ, Lab
	Tags    []Tag
}

// Tag is a named element.
type Tag struct {
	Name string
	Data []byte
}

// Bytes returns the profile (ICC.1:2022, 7).
func (p Profile) Bytes() []byte {
	pad := func(s string) string { return (s + "    ")[:4] }
	b := make([]byte, 128, 4096)
	b[8] = p.Version
	copy(b[12:], pad(p.Class))
	copy(b[16:], pad(p.Space))
	copy(b[20:], pad(p.PCS))
	copy(b[36:], "acsp")
	copy(b[68:], XYZ(0.9642, 1, 0.8249)[8:])
	b = binary.BigEndian.AppendUint32(b, uint32(len(p.Tags)))
	off := len(b) + 12*len(p.Tags)
	var data []byte
	for _, t := range p.Tags {
		b = append(b, pad(t.Name)...)
		b = binary.BigEndian.AppendUint32(b, uint32(off+len(data)))
		b = binary.BigEndian.AppendUint32(b, uint32(len(t.Data)))
		data = append(data, t.Data...)
		data = append(data, make([]byte, -len(data)&3)...)
	}
	b = append(b, data...)
	binary.BigEndian.PutUint32(b, uint32(len(b)))
	return b
}

// With returns p with one more tag.
func (p Profile) With(name string, data []byte) Profile {
	p.Tags = append(p.Tags[:len(p.Tags):len(p.Tags)], Tag{name, data})
	return p
}

// Fixed is an s15Fixed16Number.
func Fixed(v float64) []byte {
	return binary.BigEndian.AppendUint32(nil, uint32(int32(math.Round(v*65536))))
}

func fixedList(head string, v ...float64) []byte {
	b := []byte(head)
	for _, x := range v {
		b = append(b, Fixed(x)...)
	}
	return b
}

// XYZ is an element of one colour.
func XYZ(x, y, z float64) []byte { return fixedList("XYZ \x00\x00\x00\x00", x, y, z) }

// Gamma is a curve that is a power, in steps of 1/256.
func Gamma(g float64) []byte {
	return binary.BigEndian.AppendUint16([]byte("curv\x00\x00\x00\x00\x00\x00\x00\x01"), uint16(math.Round(g*256)))
}

// Table is a curve of n points of f.
func Table(n int, f func(float64) float64) []byte {
	b := binary.BigEndian.AppendUint32([]byte("curv\x00\x00\x00\x00"), uint32(n))
	for i := range n {
		b = binary.BigEndian.AppendUint16(b, word(f(float64(i)/float64(n-1))))
	}
	return b
}

// Para is a parametric curve.
func Para(kind byte, v ...float64) []byte {
	return fixedList("para\x00\x00\x00\x00\x00"+string([]byte{kind})+"\x00\x00", v...)
}

func word(v float64) uint16 { return uint16(math.Round(65535 * max(0, min(1, v)))) }

// primaries of sRGB and Adobe RGB (1998) under D50.
var (
	srgb  = [3][3]float64{{0.4360747, 0.2225045, 0.0139322}, {0.3850649, 0.7168786, 0.0971045}, {0.1430804, 0.0606169, 0.7141733}}
	adobe = [3][3]float64{{0.60974, 0.31111, 0.01947}, {0.20528, 0.62567, 0.06087}, {0.14919, 0.06322, 0.74457}}
)

func matrix(p [3][3]float64, curve []byte) Profile {
	out := Profile{Version: 2, Class: "mntr", Space: "RGB", PCS: "XYZ"}
	for i, n := range []string{"r", "g", "b"} {
		out = out.With(n+"XYZ", XYZ(p[i][0], p[i][1], p[i][2])).With(n+"TRC", curve)
	}
	return out
}

// SRGB is sRGB with any curve; Expanded is the right one.
func SRGB(curve []byte) Profile { return matrix(srgb, curve) }

// AdobeRGB is like Adobe RGB (1998).
func AdobeRGB() Profile { return matrix(adobe, Gamma(563.0/256)) }

// Swapped is sRGB with red and blue changed over: who forgets it sees it.
func Swapped() Profile {
	return matrix([3][3]float64{srgb[2], srgb[1], srgb[0]}, Table(1024, Expanded))
}

// Gray is a profile of gray with any curve.
func Gray(pcs string, curve []byte) Profile {
	return Profile{Version: 2, Class: "mntr", Space: "GRAY", PCS: pcs, Tags: []Tag{{"kTRC", curve}}}
}

// Expanded is the curve of sRGB, to linear light.
func Expanded(x float64) float64 {
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// Lab returns the CIE L, a and b of linear sRGB.
func Lab(r, g, b float64) (l, a, bb float64) {
	var f [3]float64
	for i, w := range [3]float64{0.9642, 1, 0.8249} {
		t := (r*srgb[0][i] + g*srgb[1][i] + b*srgb[2][i]) / w
		if f[i] = t*24389/27/116 + 16.0/116; t > 216.0/24389 {
			f[i] = math.Cbrt(t)
		}
	}
	return 116*f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])
}

// grid calls f for each point of a grid, the first channel slowest.
func grid(channels, side int, f func(v []float64)) {
	n := 1
	for range channels {
		n *= side
	}
	v := make([]float64, channels)
	for at := range n {
		for i, rest := channels-1, at; i >= 0; i-- {
			v[i] = float64(rest%side) / float64(side-1)
			rest /= side
		}
		f(v)
	}
}

// identity is the matrix that lut8 and lut16 have and nobody uses.
var identity = fixedList("", 1, 0, 0, 0, 1, 0, 0, 0, 1)

// Lut16 is a table of 16 bits from device to Lab (or to what f gives, encoded as 0 to 1, where encoded).
func Lut16(channels, side int, f func(v []float64) [3]float64) []byte {
	b := append([]byte("mft2\x00\x00\x00\x00"), byte(channels), 3, byte(side), 0)
	b = append(b, identity...)
	b = append(b, 0, 2, 0, 2)
	for range channels {
		b = append(b, 0, 0, 0xff, 0xff)
	}
	grid(channels, side, func(v []float64) {
		for _, x := range f(v) {
			b = binary.BigEndian.AppendUint16(b, word(x))
		}
	})
	for range 3 {
		b = append(b, 0, 0, 0xff, 0xff)
	}
	return b
}

// Lut8 is a table of 8 bits.
func Lut8(channels, side int, f func(v []float64) [3]float64) []byte {
	b := append([]byte("mft1\x00\x00\x00\x00"), byte(channels), 3, byte(side), 0)
	b = append(b, identity...)
	ramp := func(n int) {
		for range n {
			for i := range 256 {
				b = append(b, byte(i))
			}
		}
	}
	ramp(channels)
	grid(channels, side, func(v []float64) {
		for _, x := range f(v) {
			b = append(b, byte(math.Round(255*max(0, min(1, x)))))
		}
	})
	ramp(3)
	return b
}

// LutAToB is a table of version 4: A curves, a grid, M curves that are straight, a matrix that is the identity, B curves.
func LutAToB(channels, side int, a []byte, f func(v []float64) [3]float64) []byte {
	b := append([]byte("mAB \x00\x00\x00\x00"), byte(channels), 3, 0, 0)
	b = append(b, make([]byte, 20)...)
	mark := func(at int) {
		b = append(b, make([]byte, -len(b)&3)...)
		binary.BigEndian.PutUint32(b[at:], uint32(len(b)))
	}
	curves := func(n int, c []byte) {
		for range n {
			b = append(b, c...)
			b = append(b, make([]byte, -len(b)&3)...)
		}
	}
	straight := []byte("curv\x00\x00\x00\x00\x00\x00\x00\x00")
	mark(12)
	curves(3, straight)
	mark(16)
	b = append(b, fixedList("", 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0)...)
	mark(20)
	curves(3, straight)
	mark(24)
	sides := make([]byte, 16)
	for i := range channels {
		sides[i] = byte(side)
	}
	b = append(append(b, sides...), 2, 0, 0, 0)
	grid(channels, side, func(v []float64) {
		for _, x := range f(v) {
			b = binary.BigEndian.AppendUint16(b, word(x))
		}
	})
	mark(28)
	curves(channels, a)
	return b
}

// OldLab and NewLab encode L, a and b as lut16 does and as version 4 does (and lut8).
func OldLab(l, a, b float64) [3]float64 {
	return [3]float64{l / 100 * 65280 / 65535, (a + 128) * 256 / 65535, (b + 128) * 256 / 65535}
}

// NewLab is the encoding of version 4, and that of lut8.
func NewLab(l, a, b float64) [3]float64 { return [3]float64{l / 100, (a + 128) / 255, (b + 128) / 255} }

// Ink is the linear sRGB of four inks on paper: each ink takes a colour, and none is perfect.
func Ink(v []float64) (r, g, b float64) {
	k := 1 - 0.97*v[3]
	return (1 - 0.95*v[0]) * (1 - 0.1*v[1]) * k, (1 - 0.3*v[0]) * (1 - 0.9*v[1]) * (1 - 0.05*v[2]) * k, (1 - 0.1*v[0]) * (1 - 0.4*v[1]) * (1 - 0.9*v[2]) * k
}

// CMYK is a small profile of a press.
func CMYK() Profile {
	f := func(v []float64) [3]float64 { return OldLab(Lab(Ink(v))) }
	return Profile{Version: 2, Class: "prtr", Space: "CMYK", PCS: "Lab", Tags: []Tag{{"A2B0", Lut16(4, 9, f)}}}
}
