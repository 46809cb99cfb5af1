package icc

// Transform turns device colours into sRGB. It is of one of three forms: levels of gray, curves and a matrix, or a grid.
type Transform struct {
	gray *[256]byte

	levels [3][256]int32 // linear light, linearOne for full
	matrix [3][3]int64   // in fourteen bits behind the point
	table  []byte        // from linear light; nil: no matrix

	grid  []int16 // red, green and blue, gridOne for full, also beyond what sRGB has; nil: no grid
	side  int
	cells [4][256]cell // of each channel
}

// cell is where in the grid a sample lies: what it adds to the place of the cell, and how far it is into it, of fracOne, in the higher half of
// step, whose lower half is how far the next point is.
type cell struct {
	base int
	step uint64
}

// maxNear is by how much a profile's sRGB may differ from the samples as they are for the profile to be taken for sRGB.
const maxNear = 1

// Parse reads a profile for pictures of that model. The transform is nil when the profile says sRGB, or as good as that. An error says in
// words of ours why the profile is of no use.
func Parse(b []byte, m Model) (*Transform, error) {
	p, err := newProfile(b, m)
	if err != nil {
		return nil, err
	}
	t := new(Transform)
	table := p.tag("A2B1")
	if table == nil { // of no intent of its own, or of all
		table = p.tag("A2B0")
	}
	switch {
	case table != nil:
		lut, err := newPipeline(table, m.channels(), p.lab)
		if err != nil {
			return nil, err
		}
		t.fill(lut, &p, m)
	case m == Gray:
		err = t.grayCurve(&p)
	case m == RGB:
		err = t.matrixAndCurves(&p)
	default:
		err = errTag
	}
	if err != nil {
		return nil, err
	}
	if t.isNothing(m) {
		return nil, nil
	}
	return t, nil
}

// grayCurve takes a curve to Y, or to L where the connection space is Lab (ICC.1:2022, 8.3.4 and F.2).
func (t *Transform) grayCurve(p *profile) error {
	b := p.tag("kTRC")
	if b == nil {
		return errTag
	}
	c, _, err := newCurve(b)
	if err != nil {
		return err
	}
	t.gray = new([256]byte)
	for i := range t.gray {
		y := clamp(c.at(float64(i) / 255))
		if p.lab {
			y = fromLabToXYZ([3]float64{y * 100})[1]
		}
		t.gray[i] = byte(level(companded(y), 255))
	}
	return nil
}

// matrixAndCurves takes three curves to linear light and a matrix from there (F.3).
func (t *Transform) matrixAndCurves(p *profile) error {
	if p.lab {
		return errTag
	}
	for i, name := range [3]string{"r", "g", "b"} {
		primary, trc := p.tag(name+"XYZ"), p.tag(name+"TRC")
		if primary == nil || trc == nil {
			return errTag
		}
		v, ok := xyz(primary)
		if !ok {
			return errDamaged
		}
		c, _, err := newCurve(trc)
		if err != nil {
			return err
		}
		for j := range t.levels[i] {
			t.levels[i][j] = int32(level(c.at(float64(j)/255), linearOne))
		}
		for j, x := range linear(v) {
			t.matrix[j][i] = scaled(x)
		}
	}
	t.table = newCompanding8()
	return nil
}

// scaled returns x in fourteen bits behind the point; what no primary has is cut.
func scaled(x float64) int64 {
	const most = 1 << 10
	x = max(-most, min(most, x))
	if x < 0 {
		return -int64(float64(-x*(1<<14)) + 0.5)
	}
	return int64(float64(x*(1<<14)) + 0.5)
}

// gridSides are how many points the grids have along a channel: of inks fewer, as there are four.
const (
	gridSide    = 33
	inkGridSide = 17
)

// fill makes a grid of what lut says, in sRGB.
func (t *Transform) fill(lut *pipeline, p *profile, m Model) {
	toXYZ := func(device *[4]float64) [3]float64 {
		v := lut.at(device)
		if p.lab {
			v = fromLabToXYZ(v)
		}
		return v
	}
	curve := newCompanding16()
	colour := func(device *[4]float64) (out [3]int16) {
		for i, x := range linear(toXYZ(device)) {
			out[i] = beyond(curve, x)
		}
		return out
	}
	if m == Gray {
		t.gray = new([256]byte)
		for i := range t.gray {
			c := colour(&[4]float64{float64(i) / 255})
			t.gray[i] = byteOf(int(c[1]) * fracOne)
		}
		return
	}
	t.side = gridSide
	if m == CMYK {
		t.side = inkGridSide
	}
	n := 3
	for range m.channels() {
		n *= t.side
	}
	t.grid = make([]int16, n)
	for at := 0; at < n; at += 3 {
		var device [4]float64
		for i, rest := m.channels()-1, at/3; i >= 0; i-- {
			device[i] = float64(rest%t.side) / float64(t.side-1)
			rest /= t.side
		}
		c := colour(&device)
		copy(t.grid[at:at+3], c[:])
	}
	stride := 3
	for i := m.channels() - 1; i >= 0; i-- {
		for v := range t.cells[i] {
			at := (v*(t.side-1)*fracOne + 127) / 255
			index := min(at/fracOne, t.side-2)
			t.cells[i][v] = cell{index * stride, uint64(at-index*fracOne)<<32 | uint64(stride)}
		}
		stride *= t.side
	}
}

// beyond is the curve of sRGB for any level of light: below black and above white it goes on as a mirror image, as far as a grid needs it to
// be right where a cell lies half outside.
func beyond(curve []uint16, x float64) int16 {
	switch {
	case x < 0:
		return -int16(level(interpolate(curve, -x), gridOne))
	case x > 1:
		return 2*gridOne - int16(level(interpolate(curve, 2-x), gridOne))
	}
	return int16(level(interpolate(curve, x), gridOne))
}

// fracOne is a whole cell of the grid, and gridOne a full sample at its points.
const (
	fracOne = 1 << 12
	gridOne = 1<<14 - 1
)

// isNothing reports whether the transform leaves all samples as they are, or as good as that.
func (t *Transform) isNothing(m Model) bool {
	same := func(a, b byte) bool { return int(a)-int(b) <= maxNear && int(b)-int(a) <= maxNear }
	switch m {
	case CMYK:
		return false
	case Gray:
		for i, v := range t.gray {
			if !same(v, byte(i)) {
				return false
			}
		}
		return true
	}
	const steps = 15 // of 17
	for r := 0; r < 256; r += steps {
		for g := 0; g < 256; g += steps {
			for b := 0; b < 256; b += steps {
				p := [4]byte{byte(r), byte(g), byte(b), 255}
				t.Pixels(p[:])
				if !same(p[0], byte(r)) || !same(p[1], byte(g)) || !same(p[2], byte(b)) {
					return false
				}
			}
		}
	}
	for v := range 256 {
		p := [16]byte{byte(v), byte(v), byte(v), 255, byte(v), 0, 0, 255, 0, byte(v), 0, 255, 0, 0, byte(v), 255}
		q := p
		t.Pixels(q[:])
		for i := range q {
			if !same(p[i], q[i]) {
				return false
			}
		}
	}
	return true
}
