package icc

import "encoding/binary"

// curve is a function of one sample, from 0…1 to about 0…1.
type curve struct {
	table []uint16   // nil: the formula
	kind  byte       // of the formula (ICC.1:2022, table 68)
	v     [7]float64 // g, a, b, c, d, e, f
}

// straight is the curve that changes nothing.
var straight = curve{v: [7]float64{1}}

// maxCurve bounds the points of a curve.
const maxCurve = 1 << 16

// newCurve reads a curveType or parametricCurveType (10.6, 10.18) and returns how many bytes it takes.
func newCurve(b []byte) (c curve, size int, err error) {
	if len(b) < 12 {
		return c, 0, errDamaged
	}
	switch string(b[:4]) {
	case "curv":
		return tableCurve(b)
	case "para":
		return formulaCurve(b)
	}
	return c, 0, errKind
}

func tableCurve(b []byte) (c curve, size int, err error) {
	n := binary.BigEndian.Uint32(b[8:])
	if n > maxCurve || 12+2*int(n) > len(b) {
		return c, 0, errDamaged
	}
	size = 12 + 2*int(n)
	switch n {
	case 0:
		return straight, size, nil
	case 1: // a gamma of eight bits before the point and eight behind
		g := float64(binary.BigEndian.Uint16(b[12:])) / 256
		return curve{v: [7]float64{g}}, size, nil
	}
	return curve{table: words16(b[12:size])}, size, nil
}

func words16(b []byte) []uint16 {
	out := make([]uint16, len(b)/2)
	for i := range out {
		out[i] = binary.BigEndian.Uint16(b[2*i:])
	}
	return out
}

func formulaCurve(b []byte) (c curve, size int, err error) {
	kind := binary.BigEndian.Uint16(b[8:])
	if kind > 4 {
		return c, 0, errKind
	}
	n := [...]int{1, 3, 4, 5, 7}[kind]
	if size = 12 + 4*n; size > len(b) {
		return c, 0, errDamaged
	}
	c.kind = byte(kind)
	for i := range n {
		c.v[i] = fixed(b[12+4*i:])
	}
	return c, size, nil
}

// at returns the curve's value.
func (c *curve) at(x float64) float64 {
	if c.table != nil {
		return interpolate(c.table, x)
	}
	g, a, b, k, d, e, f := c.v[0], c.v[1], c.v[2], c.v[3], c.v[4], c.v[5], c.v[6]
	power := func() float64 { return pow(float64(a*x)+b, g) }
	switch c.kind {
	case 1:
		if a == 0 || x >= -b/a {
			return power()
		}
		return 0
	case 2:
		if a == 0 || x >= -b/a {
			return power() + k
		}
		return k
	case 3:
		if x >= d {
			return power()
		}
		return float64(k * x)
	case 4:
		if x >= d {
			return power() + e
		}
		return float64(k*x) + f
	}
	if g == 1 {
		return x
	}
	return pow(x, g)
}

// interpolate returns what lies between the points of t, which span 0 to 1.
func interpolate(t []uint16, x float64) float64 {
	at := float64(clamp(x) * float64(len(t)-1))
	i := min(int(at), len(t)-2)
	lo, hi := float64(t[i]), float64(t[i+1])
	return (lo + float64((at-float64(i))*(hi-lo))) / 65535
}
