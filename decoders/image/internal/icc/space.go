package icc

// white is the white of the connection space: D50 (ICC.1:2022, 7.2.16).
var white = [3]float64{0.9642, 1, 0.8249}

// toLinear goes from XYZ under D50 to linear sRGB: the inverse of the primaries of IEC 61966-2-1 after the Bradford transform from D65.
var toLinear = [3][3]float64{
	{3.1338561, -1.6168667, -0.4906146},
	{-0.9787684, 1.9161415, 0.0334540},
	{0.0719453, -0.2289914, 1.4052427},
}

func linear(v [3]float64) (out [3]float64) {
	for i, m := range toLinear {
		out[i] = float64(m[0]*v[0]) + float64(m[1]*v[1]) + float64(m[2]*v[2])
	}
	return out
}

// fromLabToXYZ is CIE 15, 8.2.1, backwards.
func fromLabToXYZ(v [3]float64) [3]float64 {
	y := (v[0] + 16) / 116
	f := [3]float64{y + v[1]/500, y, y - v[2]/200}
	for i, t := range f {
		const corner = 6.0 / 29
		if t > corner {
			f[i] = float64(float64(float64(t*t)*t) * white[i])
		} else {
			f[i] = float64(float64(3*corner*corner*(t-4.0/29)) * white[i])
		}
	}
	return f
}

// companded is the curve of sRGB (IEC 61966-2-1, 5.2), from linear light.
func companded(x float64) float64 {
	if x <= 0.0031308 {
		return float64(max(0, x) * 12.92)
	}
	return float64(1.055*pow(x, 1/2.4)) - 0.055
}

// expanded is companded backwards.
func expanded(x float64) float64 {
	if x <= 0.04045 {
		return x / 12.92
	}
	return pow((x+0.055)/1.055, 2.4)
}

const (
	// linearOne is full light in the tables below.
	linearOne = 1<<16 - 1
	// compandSteps are the steps of the curve that companding16 interpolates. The curve is straight over the first dozen of them, where
	// it is steepest.
	compandSteps = 4096
)

// newCompanding8 returns the byte of sRGB for each level of linear light.
func newCompanding8() []byte {
	t := make([]byte, linearOne+1)
	from := 0
	for v := range 256 {
		to := linearOne + 1
		if v < 255 {
			to = level(expanded((float64(v)+0.5)/255), linearOne) + 1
		}
		for i := from; i < to; i++ {
			t[i] = byte(v)
		}
		from = to
	}
	return t
}

// newCompanding16 returns the curve of sRGB, 65535 for full light.
func newCompanding16() []uint16 {
	t := make([]uint16, compandSteps+1)
	for i := range t {
		t[i] = uint16(level(companded(float64(i)/compandSteps), 65535))
	}
	return t
}

// Lab writes the sRGB colour of L from 0 to 255 and a and b from -128 to 127 (TIFF 6.0, section 23, but with the D50 that the files have).
func (l *LabRows) Lab(dst []byte, lightness byte, a, b int8) {
	// f is (L/100*100+16)/116 in sixteen bits behind the point.
	fy := (int(lightness)*100*65536/255 + 16*65536) / 116
	f := [3]int{fy + int(a)*65536/500, fy, fy - int(b)*65536/200}
	for i, t := range f {
		if t > 13559 { // 6/29
			f[i] = (t * t >> 16) * t >> 16
		} else {
			f[i] = (t - 9039) * 8416 >> 16 // 4/29; three times (6/29)² in sixteen bits
		}
	}
	for i, m := range l.matrix {
		v := (m[0]*f[0] + m[1]*f[1] + m[2]*f[2]) >> 14
		dst[i] = l.table[max(0, min(linearOne, v))]
	}
}

// LabRows converts pixels of CIE L*a*b*.
type LabRows struct {
	matrix [3][3]int // in fourteen bits behind the point, the white in it
	table  []byte
}

// NewLab returns a converter.
func NewLab() *LabRows {
	l := &LabRows{table: newCompanding8()}
	for i, m := range toLinear {
		for j := range m {
			v := float64(float64(m[j]*white[j]) * (1 << 14))
			if v < 0 {
				l.matrix[i][j] = -int(0.5 - v)
			} else {
				l.matrix[i][j] = int(v + 0.5)
			}
		}
	}
	return l
}
