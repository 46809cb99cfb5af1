package image

import "math"

// kernel says which source samples make each target sample, and with what weights (of kernelOne).
type kernel struct {
	first  []int
	weight []int // taps of them for each target sample
	taps   int
}

const kernelOne = 1 << 14

// clipSample ends a weighted sum of samples: Catmull-Rom overshoots at edges.
func clipSample(sum int) int {
	return max(0, min(one, (sum+kernelOne/2)>>14))
}

// newKernel is Catmull-Rom (Keys 1981, a = -1/2), widened for shrinking from n to m samples. The samples span size, which is less than n
// where the last of them is not a whole box. The products are rounded one by one: otherwise a machine with fused multiplication would
// give other weights.
func newKernel(n int, size float64, m int) kernel {
	scale := size / float64(m)
	if scale == 1 {
		return identity(m)
	}
	radius := float64(2 * scale)
	k := kernel{first: make([]int, m), taps: min(n, int(math.Ceil(float64(2*radius))))}
	k.weight = make([]int, m*k.taps)
	raw := make([]float64, k.taps)
	for i := range m {
		center := float64((float64(i)+0.5)*scale) - 0.5
		k.first[i] = max(0, min(n-k.taps, int(math.Floor(center-radius))+1))
		sum := 0.0
		for t := range raw {
			raw[t] = catmullRom(math.Abs(float64(k.first[i]+t)-center) / scale)
			sum += raw[t]
		}
		w := k.weight[i*k.taps : (i+1)*k.taps]
		rest, largest := kernelOne, 0
		for t := range raw {
			w[t] = int(math.Round(float64(raw[t]*kernelOne) / sum))
			rest -= w[t]
			if w[t] > w[largest] {
				largest = t
			}
		}
		w[largest] += rest // so that a plain area keeps its colour
	}
	return k
}

// identity takes each sample as it is.
func identity(n int) kernel {
	k := kernel{first: make([]int, n), weight: make([]int, n), taps: 1}
	for i := range n {
		k.first[i], k.weight[i] = i, kernelOne
	}
	return k
}

func catmullRom(t float64) float64 {
	switch {
	case t < 1:
		return float64(float64(float64(float64(1.5*t)-2.5)*t)*t) + 1
	case t < 2:
		return float64((float64((float64(-0.5*t)+2.5)*t)-4)*t) + 2
	}
	return 0
}
