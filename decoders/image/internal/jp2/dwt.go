package jp2

// The inverse wavelet transforms (annex F). A resolution lies in its plane as four subbands side by side, low ones first; a step makes of
// them the next resolution in the same place. Lines may begin at an odd place, and then the first of the line is a high one.

// level is one step: the size of the resolution that comes of it, of its low parts, and whether lines begin at an odd place.
type level struct {
	w, h       int
	lowW, lowH int
	oddX, oddY int // 1 or 0
}

// columnsAtOnce is how many columns are done together: a few cache lines of them.
const columnsAtOnce = 32

// number is what planes are made of: integers for the reversible transform, floats for the other.
type number interface{ int32 | float32 }

// filter is a transform's work on lines: on one line of single samples, and on many columns at once, each sample of which is a row.
type filter[T number] struct {
	row     func(x []T, low int)
	columns func(x []T, width, low int)
	half    func(x []T) // for lines of one high sample (F.3.6)
}

var (
	reversible   = filter[int32]{row53, columns53, half53}
	irreversible = filter[float32]{row97, columns97, half97}
)

// inverse undoes one step on the plane, whose lines are stride apart. line has room for a row, and for columnsAtOnce columns.
func (f filter[T]) inverse(plane []T, stride int, l level, line []T) {
	if l.w > 1 {
		for y := range l.h {
			row := plane[y*stride : y*stride+l.w]
			interleave(line, row, l.lowW, l.oddX)
			f.row(line[:l.w], l.oddX)
			copy(row, line[:l.w])
		}
	} else if l.oddX == 1 {
		for y := range l.h {
			f.half(plane[y*stride : y*stride+l.w])
		}
	}
	switch {
	case l.h == 1 && l.oddY == 1:
		f.half(plane[:l.w])
		return
	case l.h <= 1:
		return
	}
	for x := 0; x < l.w; x += columnsAtOnce {
		n := min(columnsAtOnce, l.w-x)
		for y := range l.h {
			at := 2*y + l.oddY
			if y >= l.lowH {
				at = 2*(y-l.lowH) + 1 - l.oddY
			}
			copy(line[at*n:at*n+n], plane[y*stride+x:])
		}
		f.columns(line[:l.h*n], n, l.oddY)
		for y := range l.h {
			copy(plane[y*stride+x:y*stride+x+n], line[y*n:])
		}
	}
}

// interleave puts the low and the high samples of a row where they belong.
func interleave[T number](line, row []T, low, odd int) {
	for i, v := range row[:low] {
		line[2*i+odd] = v
	}
	for i, v := range row[low:] {
		line[2*i+1-odd] = v
	}
}

// neighboursOf returns the samples before and behind sample i of n, at least two. At an end the only one stands for both, which is what symmetric
// extension (F.3.7) comes to.
func neighboursOf(i, n int) (before, behind int) {
	before, behind = i-1, i+1
	if before < 0 {
		before = behind
	}
	if behind >= n {
		behind = before
	}
	return before, behind
}

func half53(x []int32) {
	for i := range x {
		x[i] >>= 1
	}
}

// row53 is the reversible filter (F.3.8.2). The low samples are at low, low+2, ….
func row53(x []int32, low int) {
	n := len(x)
	for i := low; i < n; i += 2 {
		a, b := neighboursOf(i, n)
		x[i] -= (x[a] + x[b] + 2) >> 2
	}
	for i := 1 - low; i < n; i += 2 {
		a, b := neighboursOf(i, n)
		x[i] += (x[a] + x[b]) >> 1
	}
}

func columns53(x []int32, width, low int) {
	n := len(x) / width
	for i := low; i < n; i += 2 {
		dst, a, b := rows(x, i, n, width)
		for j := range dst {
			dst[j] -= (a[j] + b[j] + 2) >> 2
		}
	}
	for i := 1 - low; i < n; i += 2 {
		dst, a, b := rows(x, i, n, width)
		for j := range dst {
			dst[j] += (a[j] + b[j]) >> 1
		}
	}
}

// rows returns row i and its neighbours, of one length.
func rows[T number](x []T, i, n, width int) (dst, a, b []T) {
	before, behind := neighboursOf(i, n)
	dst = x[i*width : (i+1)*width]
	return dst, x[before*width:][:len(dst)], x[behind*width:][:len(dst)]
}

// The lifting parameters of the irreversible filter (table F.4).
const (
	alpha97 = -1.586134342059924
	beta97  = -0.052980118572961
	gamma97 = 0.882911075530934
	delta97 = 0.443506852043971
	k97     = 1.230174104914001
)

func half97(x []float32) {
	for i := range x {
		x[i] *= 0.5
	}
}

// steps97 are the four steps of the irreversible filter (F.3.8.1), each on the low samples or on the high ones.
var steps97 = [4]struct {
	high   int
	factor float32
}{{0, delta97}, {1, gamma97}, {0, beta97}, {1, alpha97}}

// row97 is the irreversible filter. The conversions keep products and sums apart: fused, they would round otherwise on some machines.
func row97(x []float32, low int) {
	n := len(x)
	for i := low; i < n; i += 2 {
		x[i] *= k97
	}
	for i := 1 - low; i < n; i += 2 {
		x[i] *= 1 / k97
	}
	for _, s := range &steps97 {
		i := low ^ s.high
		if i == 0 {
			x[0] -= float32(s.factor * (x[1] + x[1]))
			i = 2
		}
		for ; i < n-1; i += 2 {
			x[i] -= float32(s.factor * (x[i-1] + x[i+1]))
		}
		if i == n-1 {
			x[i] -= float32(s.factor * (x[i-1] + x[i-1]))
		}
	}
}

func columns97(x []float32, width, low int) {
	n := len(x) / width
	for i := range n {
		scale := float32(k97)
		if i&1 != low {
			scale = 1 / k97
		}
		row := x[i*width : (i+1)*width]
		for j := range row {
			row[j] *= scale
		}
	}
	for _, s := range &steps97 {
		for i := low ^ s.high; i < n; i += 2 {
			dst, a, b := rows(x, i, n, width)
			for j := range dst {
				dst[j] -= float32(s.factor * (a[j] + b[j]))
			}
		}
	}
}
