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

// newKernel is a kernel for shrinking n samples to m. The samples span size, which is less than n where the last of them is not a whole box.
func newKernel(n int, size float64, m int) kernel { return newKernelOf(n, size/float64(m), m, 1) }

// newKernelOf is Catmull-Rom (Keys 1981, a = -1/2), widened for shrinking: scale of the n samples make one of m. Its taps are filled up to a
// multiple of step, as far as there are samples. The products are rounded one by one: otherwise a machine with fused multiplication would
// give other weights.
func newKernelOf(n int, scale float64, m, step int) kernel {
	if scale == 1 && n >= m {
		return identity(m)
	}
	wide := max(1, scale) // enlarging, a kernel goes through the samples
	radius := float64(2 * wide)
	taps := int(math.Ceil(float64(2 * radius)))
	k := kernel{first: make([]int, m), taps: min(n, (taps+step-1)/step*step)}
	k.weight = make([]int, m*k.taps)
	raw := make([]float64, k.taps)
	for i := range m {
		center := float64((float64(i)+0.5)*scale) - 0.5
		k.first[i] = max(0, min(n-k.taps, int(math.Floor(center-radius))+1))
		sum := 0.0
		for t := range raw {
			raw[t] = catmullRom(math.Abs(float64(k.first[i]+t)-center) / wide)
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
