package picture

import (
	"math"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// function is a PDF function (7.10). It takes in and fills out, whose length says how many values are wanted.
type function func(in, out []float64)

// Of functions.
const (
	maxFunctionDepth = 4
	maxFunctionIn    = 8
	maxTableBytes    = 1 << 20
	maxStitches      = 256
)

// newFunction returns the function that n describes, or the functions of an array, one for each value; nil when that cannot be had.
func newFunction(n object.Node, depth int) function {
	if depth > maxFunctionDepth {
		return nil
	}
	if n.Is(object.Array) {
		return each(n, depth)
	}
	var f function
	switch n.Key("FunctionType").Int() {
	case 0:
		f = sampled(n)
	case 2:
		f = exponential(n)
	case 3:
		f = stitched(n, depth)
	case 4:
		f = calculated(n)
	}
	if f == nil {
		return nil
	}
	domain, limits := numbers(n.Key("Domain")), numbers(n.Key("Range"))
	return func(in, out []float64) {
		var clipped [maxFunctionIn]float64
		if len(in) > len(clipped) {
			return
		}
		args := clipped[:copy(clipped[:], in)]
		clip(args, domain)
		f(args, out)
		clip(out, limits)
	}
}

// each is an array of functions.
func each(n object.Node, depth int) function {
	var all []function
	for i := range min(n.Len(), maxComponents) {
		f := newFunction(n.Index(i), depth+1)
		if f == nil {
			return nil
		}
		all = append(all, f)
	}
	return func(in, out []float64) {
		for i := range min(len(all), len(out)) {
			all[i](in, out[i:i+1])
		}
	}
}

// clip holds each value within its pair of limits, where there is one.
func clip(v, limits []float64) {
	for i := range v {
		if 2*i+1 < len(limits) {
			v[i] = max(limits[2*i], min(limits[2*i+1], v[i]))
		}
	}
}

// numbers returns the numbers of an array.
func numbers(n object.Node) []float64 {
	out := make([]float64, 0, min(n.Len(), maxStitches))
	for i := range min(n.Len(), maxStitches) {
		out = append(out, n.Index(i).Num())
	}
	return out
}

// at returns v[i], def where there is none.
func at(v []float64, i int, def float64) float64 {
	if i < len(v) {
		return v[i]
	}
	return def
}

// exponential is a function of type 2.
func exponential(n object.Node) function {
	c0, c1, e := numbers(n.Key("C0")), numbers(n.Key("C1")), n.Key("N").Num()
	return func(in, out []float64) {
		x := in[0]
		if e != 1 {
			x = math.Pow(x, e)
		}
		for i := range out {
			a := at(c0, i, 0)
			out[i] = a + x*(at(c1, i, 1)-a)
		}
	}
}

// stitched is a function of type 3.
func stitched(n object.Node, depth int) function {
	var all []function
	kids := n.Key("Functions")
	for i := range min(kids.Len(), maxStitches) {
		f := newFunction(kids.Index(i), depth+1)
		if f == nil {
			return nil
		}
		all = append(all, f)
	}
	bounds, encode, domain := numbers(n.Key("Bounds")), numbers(n.Key("Encode")), numbers(n.Key("Domain"))
	if len(all) == 0 || len(bounds) < len(all)-1 {
		return nil
	}
	return func(in, out []float64) {
		k := 0
		for k < len(all)-1 && in[0] >= bounds[k] {
			k++
		}
		from, to := at(domain, 0, 0), at(domain, 1, 1)
		if k > 0 {
			from = bounds[k-1]
		}
		if k < len(all)-1 {
			to = bounds[k]
		}
		all[k]([]float64{between(in[0], from, to, at(encode, 2*k, 0), at(encode, 2*k+1, 1))}, out)
	}
}

// between maps x, which lies between a and b, to what lies there between c and d.
func between(x, a, b, c, d float64) float64 {
	if a == b {
		return c
	}
	return c + (x-a)*(d-c)/(b-a)
}

// sampled is a function of type 0, with linear interpolation.
func sampled(n object.Node) function {
	size, domain, limits := numbers(n.Key("Size")), numbers(n.Key("Domain")), numbers(n.Key("Range"))
	encode, decode := numbers(n.Key("Encode")), numbers(n.Key("Decode"))
	bits, outs := n.Key("BitsPerSample").Int(), len(limits)/2
	data, _ := n.Data(maxTableBytes)
	ins := len(size)
	if ins == 0 || ins > maxFunctionIn || outs == 0 || bits < 1 || bits > 32 || len(domain) < 2*ins {
		return nil
	}
	for _, s := range size {
		if !(s >= 1 && s <= maxTableBytes) {
			return nil
		}
	}
	most := float64(uint64(1)<<bits - 1)
	return func(in, out []float64) {
		var low [maxFunctionIn]int
		var part [maxFunctionIn]float64
		for i := range ins {
			e := between(at(in, i, 0), domain[2*i], domain[2*i+1], at(encode, 2*i, 0), at(encode, 2*i+1, size[i]-1))
			e = max(0, min(size[i]-1, e))
			low[i] = int(e)
			part[i] = e - float64(low[i])
		}
		for o := range min(len(out), outs) {
			sum := 0.0
			for corner := range 1 << ins {
				weight, index, step := 1.0, 0, 1
				for i := range ins {
					if corner>>i&1 == 1 {
						weight *= part[i]
						index += min(low[i]+1, int(size[i])-1) * step
					} else {
						weight *= 1 - part[i]
						index += low[i] * step
					}
					step = min(step*int(size[i]), maxTableBytes)
				}
				if weight > 0 {
					sum += weight * bitsAt(data, (index*outs+o)*bits, bits)
				}
			}
			out[o] = between(sum, 0, most, at(decode, 2*o, limits[2*o]), at(decode, 2*o+1, limits[2*o+1]))
		}
	}
}

// bitsAt returns n bits from a place on, zeros behind the end.
func bitsAt(data []byte, pos, n int) float64 {
	var v uint64
	for i := range n {
		v <<= 1
		if p := pos + i; p >= 0 && p>>3 < len(data) {
			v |= uint64(data[p>>3] >> (7 - p&7) & 1)
		}
	}
	return float64(v)
}
