package icc

import "encoding/binary"

// pipeline is a table of a profile from device to connection space: curves, a grid, curves, a matrix, curves; what a kind of table does
// not have changes nothing.
type pipeline struct {
	in      []curve // one for each channel
	grid    []int   // points along each channel; nil: no grid
	points  []uint16
	middle  []curve // 3, or none
	matrix  *[12]float64
	out     [3]curve
	decoded func(v [3]float64) [3]float64 // from 0…1 to XYZ or L, a and b
}

// newPipeline reads a table of type lut8, lut16 or lutAToB (ICC.1:2022, 10.10 to 10.12) with that many channels in front.
func newPipeline(b []byte, channels int, lab bool) (*pipeline, error) {
	if len(b) < 32 {
		return nil, errDamaged
	}
	if int(b[8]) != channels || b[9] != 3 {
		return nil, errModel
	}
	p := &pipeline{decoded: fromXYZ}
	if lab {
		p.decoded = fromLab
	}
	switch string(b[:4]) {
	case "mft1":
		return p, p.table(b, 48, 1, 256, 256)
	case "mft2":
		if lab {
			p.decoded = fromOldLab
		}
		if len(b) < 52 {
			return nil, errDamaged
		}
		in, out := int(binary.BigEndian.Uint16(b[48:])), int(binary.BigEndian.Uint16(b[50:]))
		if in < 2 || in > 4096 || out < 2 || out > 4096 {
			return nil, errDamaged
		}
		return p, p.table(b, 52, 2, in, out)
	case "mAB ":
		return p, p.curvesAndGrid(b, channels)
	}
	return nil, errKind
}

// fromXYZ, fromLab and fromOldLab undo the encodings of the connection spaces (6.3.4; 10.10 for the old one, which lut16 keeps).
func fromXYZ(v [3]float64) [3]float64 {
	const most = 1 + 32767.0/32768
	return [3]float64{v[0] * most, v[1] * most, v[2] * most}
}

func fromLab(v [3]float64) [3]float64 {
	return [3]float64{v[0] * 100, float64(v[1]*255) - 128, float64(v[2]*255) - 128}
}

func fromOldLab(v [3]float64) [3]float64 {
	const most = 65535.0 / 65280
	return [3]float64{v[0] * 100 * most, float64(v[1]*255*most) - 128, float64(v[2]*255*most) - 128}
}

// table reads lut8 and lut16: samples of that many bytes from off on. Their matrix is for XYZ in front, which no device has.
func (p *pipeline) table(b []byte, off, bytes, in, out int) error {
	channels, side := int(b[8]), int(b[10])
	if side < 2 {
		return errDamaged
	}
	points := 3
	for range channels {
		if points *= side; points > MaxBytes {
			return errDamaged
		}
	}
	if (channels*in+points+3*out)*bytes > len(b)-off {
		return errDamaged
	}
	take := func(n int) []uint16 {
		v := make([]uint16, n)
		for i := range v {
			if bytes == 1 {
				v[i] = uint16(b[off+i]) * 257
			} else {
				v[i] = binary.BigEndian.Uint16(b[off+2*i:])
			}
		}
		off += n * bytes
		return v
	}
	for range channels {
		p.in = append(p.in, curve{table: take(in)})
		p.grid = append(p.grid, side)
	}
	p.points = take(points)
	for i := range p.out {
		p.out[i].table = take(out)
	}
	return nil
}

// curvesAndGrid reads lutAToB. Its parts stand anywhere; an offset of 0 is a part that is not there.
func (p *pipeline) curvesAndGrid(b []byte, channels int) (err error) {
	at := func(i int) int { return int(binary.BigEndian.Uint32(b[i:])) }
	curvesAt := func(off, n int) (out []curve, err error) {
		for range n {
			if off < 0 || off > len(b) {
				return nil, errDamaged
			}
			c, size, err := newCurve(b[off:])
			if err != nil {
				return nil, err
			}
			out, off = append(out, c), off+(size+3)&^3
		}
		return out, nil
	}
	last, err := curvesAt(at(12), 3)
	if err != nil {
		return err
	}
	copy(p.out[:], last)
	if off := at(16); off != 0 {
		if off > len(b)-48 {
			return errDamaged
		}
		p.matrix = new([12]float64)
		for i := range p.matrix {
			p.matrix[i] = fixed(b[off+4*i:])
		}
	}
	if off := at(20); off != 0 {
		if p.middle, err = curvesAt(off, 3); err != nil {
			return err
		}
	}
	if at(24) == 0 {
		if channels != 3 {
			return errDamaged
		}
		return nil
	}
	if p.in, err = curvesAt(at(28), channels); err != nil {
		return err
	}
	return p.gridAt(b, at(24), channels)
}

func (p *pipeline) gridAt(b []byte, off, channels int) error {
	if off > len(b)-20 {
		return errDamaged
	}
	bytes, points := int(b[off+16]), 3
	for _, side := range b[off : off+channels] {
		if side < 2 {
			return errDamaged
		}
		if points *= int(side); points > MaxBytes {
			return errDamaged
		}
		p.grid = append(p.grid, int(side))
	}
	data := b[off+20:]
	if bytes != 1 && bytes != 2 || points*bytes > len(data) {
		return errDamaged
	}
	if bytes == 2 {
		p.points = words16(data[:2*points])
		return nil
	}
	p.points = make([]uint16, points)
	for i := range p.points {
		p.points[i] = uint16(data[i]) * 257
	}
	return nil
}

// at returns XYZ or L, a and b of a device colour, whose channels are 0 to 1.
func (p *pipeline) at(device *[4]float64) [3]float64 {
	x := *device
	for i := range p.in {
		x[i] = p.in[i].at(x[i])
	}
	v := [3]float64{x[0], x[1], x[2]}
	if p.grid != nil {
		v = p.inGrid(&x)
	}
	for i := range p.middle {
		v[i] = p.middle[i].at(v[i])
	}
	if m := p.matrix; m != nil {
		var w [3]float64
		for i := range w {
			w[i] = float64(m[3*i]*v[0]) + float64(m[3*i+1]*v[1]) + float64(m[3*i+2]*v[2]) + m[9+i]
		}
		v = w
	}
	for i := range v {
		v[i] = p.out[i].at(v[i])
	}
	return p.decoded(v)
}

// inGrid takes what lies between the corners of a cell, along each channel in turn.
func (p *pipeline) inGrid(x *[4]float64) (v [3]float64) {
	n := len(p.grid)
	var frac [4]float64
	var step [4]int
	base, stride := 0, 3
	for i := n - 1; i >= 0; i-- {
		at := float64(clamp(x[i]) * float64(p.grid[i]-1))
		cell := min(int(at), p.grid[i]-2)
		frac[i], step[i] = at-float64(cell), stride
		base += cell * stride
		stride *= p.grid[i]
	}
	for corner := range 1 << n {
		weight, off := 1.0, base
		for i := range n {
			if corner>>i&1 == 1 {
				weight, off = float64(weight*frac[i]), off+step[i]
			} else {
				weight = float64(weight * (1 - frac[i]))
			}
		}
		if weight == 0 {
			continue
		}
		for c, s := range p.points[off : off+3] {
			v[c] += float64(weight * float64(s))
		}
	}
	for c := range v {
		v[c] /= 65535
	}
	return v
}
