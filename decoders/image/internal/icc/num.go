package icc

import "math"

// The functions here are the few of package math that have an own version in assembler on some machines, whose last bit differs. Products
// are converted one by one, which forbids fused multiplication.

// pow returns x to the power of g; 0 for x of 0 and below.
func pow(x, g float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x == 1 || g == 0:
		return 1
	}
	return exp(float64(g * log(x)))
}

const ln2 = 0.693147180559945309417232121458176568

// log is the natural logarithm of a positive x: x is m times a power of two, and log m is 2 atanh((m-1)/(m+1)).
func log(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = m*2, e-1
	}
	s := (m - 1) / (m + 1)
	square := float64(s * s)
	sum := 0.0
	for n := 21; n >= 1; n -= 2 { // |s| is below 0.172: the next term is beyond a float64
		sum = 1/float64(n) + float64(sum*square)
	}
	return float64(2*float64(s*sum)) + float64(float64(e)*ln2)
}

// exp is the exponential function; 0 or a very large number where it leaves the range of what is needed here.
func exp(x float64) float64 {
	x = max(-700, min(700, x))
	k := math.Floor(float64(x/ln2) + 0.5)
	r := x - float64(k*ln2)
	sum := 1.0
	for n := 16; n >= 1; n-- {
		sum = 1 + float64(float64(r/float64(n))*sum)
	}
	return math.Ldexp(sum, int(k))
}

// clamp keeps x within 0 and 1; what is no number is 0.
func clamp(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}

// level returns x of 0 to 1 as an integer of 0 to most.
func level(x float64, most int) int { return int(float64(clamp(x)*float64(most)) + 0.5) }
