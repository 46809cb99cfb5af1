package jpeg

// The transforms of this file give the means of two by two, or four by four, samples of what inverse8 gives, from the coefficients. With
// t = pi/16, the mean of samples 2n and 2n+1 is a0 + sqrt(2) * sum over k of a_k * cos(k*t) * cos((2n+1)*2k*t), in which k = 4 is nothing and
// 8-k is k with the sign changed. Factors are times 1<<13.
const (
	half1c = 10498 // sqrt(2) cos t cos 2t
	half7c = 2088  // sqrt(2) sin t cos 2t
	half3c = 3686  // sqrt(2) cos 3t cos 6t
	half5c = 2463  // sqrt(2) sin 3t cos 6t
	half1s = 4348  // sqrt(2) cos t cos 6t
	half7s = 865   // sqrt(2) sin t cos 6t
	half3s = 8900  // sqrt(2) cos 3t cos 2t
	half5s = 5946  // sqrt(2) sin 3t cos 2t
	half2  = 7568  // cos 2t
	half6  = 3135  // sin 2t

	quarter1 = 7423 // sqrt(2) / (8 sin t): the mean of samples 0 to 3
	quarter3 = 2607 // sqrt(2) / (8 sin 3t)
	quarter5 = 1742 // sqrt(2) / (8 sin 5t)
	quarter7 = 1477 // sqrt(2) / (8 sin 7t)
)

// inverse transforms blk to samples halved shift times. See inverse8.
func inverse(blk *[64]int32, end int, dst []byte, stride int, deep bool, shift uint) {
	switch shift {
	case 0:
		inverse8(blk, end, dst, stride, deep)
	case 1:
		inverse4(blk, end, dst, stride, deep)
	case 2:
		inverse2(blk, dst, stride, deep)
	default:
		v := int(blk[0])
		if deep {
			v = (v + 8) >> 4
		}
		dst[0] = clip((v+4)>>3 + 128)
	}
}

func inverse4(blk *[64]int32, end int, dst []byte, stride int, deep bool) {
	const round = 1 << (passShift - 1)
	n := 8
	if end <= 10 { // all within four by four
		n = 4
	}
	for i := range n {
		a0, a1, a2, a3 := int(blk[i]), int(blk[i+8]), int(blk[i+16]), int(blk[i+24])
		a5, a6, a7 := int(blk[i+40]), int(blk[i+48]), int(blk[i+56])
		g := a2*half2 - a6*half6
		e0, e1 := a0<<13+round+g, a0<<13+round-g
		o0 := a1*half1c - a7*half7c + a3*half3c - a5*half5c
		o1 := a1*half1s - a7*half7s - a3*half3s + a5*half5s
		blk[i], blk[i+8] = int32((e0+o0)>>passShift), int32((e1+o1)>>passShift)
		blk[i+16], blk[i+24] = int32((e1-o1)>>passShift), int32((e0-o0)>>passShift)
	}
	if deep {
		shallow(blk)
	}
	for y := range 4 {
		b := (*[8]int32)(blk[y*8:])
		a0, a1, a2, a3, a5, a6, a7 := int(b[0]), int(b[1]), int(b[2]), int(b[3]), int(b[5]), int(b[6]), int(b[7])
		const round = 1<<(lastShift-1) + 128<<lastShift
		g := a2*half2 - a6*half6
		e0, e1 := a0<<13+round+g, a0<<13+round-g
		o0 := a1*half1c - a7*half7c + a3*half3c - a5*half5c
		o1 := a1*half1s - a7*half7s - a3*half3s + a5*half5s
		d := (*[4]byte)(dst[y*stride:])
		d[0], d[1], d[2], d[3] = clampOf(e0+o0), clampOf(e1+o1), clampOf(e1-o1), clampOf(e0-o0)
	}
}

func inverse2(blk *[64]int32, dst []byte, stride int, deep bool) {
	const round = 1 << (passShift - 1)
	for i := range 8 {
		e := int(blk[i])<<13 + round
		o := int(blk[i+8])*quarter1 - int(blk[i+24])*quarter3 + int(blk[i+40])*quarter5 - int(blk[i+56])*quarter7
		blk[i], blk[i+8] = int32((e+o)>>passShift), int32((e-o)>>passShift)
	}
	if deep {
		shallow(blk)
	}
	for y := range 2 {
		b := (*[8]int32)(blk[y*8:])
		const round = 1<<(lastShift-1) + 128<<lastShift
		e := int(b[0])<<13 + round
		o := int(b[1])*quarter1 - int(b[3])*quarter3 + int(b[5])*quarter5 - int(b[7])*quarter7
		d := (*[2]byte)(dst[y*stride:])
		d[0], d[1] = clampOf(e+o), clampOf(e-o)
	}
}
