package jpeg

import "encoding/binary"

// The inverse transform is that of Loeffler, Ligtenberg and Moschytz (ICASSP 1989) in integers of thirteen bits behind the point, two of which
// are kept between the passes: libjpeg's accurate one, sample for sample. Columns come first.
const (
	fix0298 = 2446 // sqrt(2) * (-cos 1 + cos 3 + cos 5 - cos 7), in sixteenths of pi, times 1<<13, and so on
	fix0390 = 3196
	fix0541 = 4433
	fix0765 = 6270
	fix0899 = 7373
	fix1175 = 9633
	fix1501 = 12299
	fix1847 = 15137
	fix1961 = 16069
	fix2053 = 16819
	fix2562 = 20995
	fix3072 = 25172

	passShift = 13 - 2     // behind the columns
	lastShift = 13 + 2 + 3 // behind the rows
)

// clampOf ends a sample. Only damaged data, or rounding at the edge, leaves a byte.
func clampOf(v int) byte {
	v >>= lastShift
	if uint(v) > 255 {
		v = ^v >> 63
	}
	return byte(v)
}

// inverse8 transforms blk, whose coefficients are zero from end on in zigzag order, into eight rows of dst. Its content is lost.
func inverse8(blk *[64]int32, end int, dst []byte, stride int, deep bool) {
	switch {
	case end <= 1:
		v := int(blk[0])
		if deep {
			v = (v + 8) >> 4
		}
		fill8(dst, stride, clip((v+4)>>3+128))
		return
	case end <= 10: // all within four by four
		columns4(blk)
		if deep {
			shallow(blk)
		}
		rows4(blk, dst, stride)
		return
	}
	columns8(blk)
	if deep {
		shallow(blk)
	}
	rows8(blk, dst, stride)
}

// shallow makes samples of eight bits of those of twelve, between the passes.
func shallow(blk *[64]int32) {
	for i, v := range blk {
		blk[i] = (v + 8) >> 4
	}
}

func fill8(dst []byte, stride int, v byte) {
	x := uint64(v) * 0x0101010101010101
	for range 7 {
		binary.LittleEndian.PutUint64(dst, x)
		dst = dst[stride:]
	}
	binary.LittleEndian.PutUint64(dst, x)
}

func columns8(blk *[64]int32) {
	const round = 1 << (passShift - 1)
	for i := range 8 {
		a1, a2, a3, a4 := int(blk[i+8]), int(blk[i+16]), int(blk[i+24]), int(blk[i+32])
		a0, a5, a6, a7 := int(blk[i]), int(blk[i+40]), int(blk[i+48]), int(blk[i+56])
		z := (a2 + a6) * fix0541
		e2, e3 := z-a6*fix1847, z+a2*fix0765
		e0, e1 := (a0+a4)<<13+round, (a0-a4)<<13+round
		e0, e3, e1, e2 = e0+e3, e0-e3, e1+e2, e1-e2

		z1, z2, z3, z4 := -(a7+a1)*fix0899, -(a5+a3)*fix2562, a7+a3, a5+a1
		z5 := (z3 + z4) * fix1175
		z3, z4 = z5-z3*fix1961, z5-z4*fix0390
		o0, o1 := a7*fix0298+z1+z3, a5*fix2053+z2+z4
		o2, o3 := a3*fix3072+z2+z3, a1*fix1501+z1+z4

		blk[i], blk[i+56] = int32((e0+o3)>>passShift), int32((e0-o3)>>passShift)
		blk[i+8], blk[i+48] = int32((e1+o2)>>passShift), int32((e1-o2)>>passShift)
		blk[i+16], blk[i+40] = int32((e2+o1)>>passShift), int32((e2-o1)>>passShift)
		blk[i+24], blk[i+32] = int32((e3+o0)>>passShift), int32((e3-o0)>>passShift)
	}
}

func rows8(blk *[64]int32, dst []byte, stride int) {
	const round = 1<<(lastShift-1) + 128<<lastShift
	for y := range 8 {
		b := (*[8]int32)(blk[y*8:])
		a0, a1, a2, a3, a4, a5, a6, a7 := int(b[0]), int(b[1]), int(b[2]), int(b[3]), int(b[4]), int(b[5]), int(b[6]), int(b[7])
		z := (a2 + a6) * fix0541
		e2, e3 := z-a6*fix1847, z+a2*fix0765
		e0, e1 := (a0+a4)<<13+round, (a0-a4)<<13+round
		e0, e3, e1, e2 = e0+e3, e0-e3, e1+e2, e1-e2

		z1, z2, z3, z4 := -(a7+a1)*fix0899, -(a5+a3)*fix2562, a7+a3, a5+a1
		z5 := (z3 + z4) * fix1175
		z3, z4 = z5-z3*fix1961, z5-z4*fix0390
		o0, o1 := a7*fix0298+z1+z3, a5*fix2053+z2+z4
		o2, o3 := a3*fix3072+z2+z3, a1*fix1501+z1+z4

		d := (*[8]byte)(dst[y*stride:])
		d[0], d[7] = clampOf(e0+o3), clampOf(e0-o3)
		d[1], d[6] = clampOf(e1+o2), clampOf(e1-o2)
		d[2], d[5] = clampOf(e2+o1), clampOf(e2-o1)
		d[3], d[4] = clampOf(e3+o0), clampOf(e3-o0)
	}
}

// columns4 is columns8 where only the first four coefficients of the first four columns can be other than zero.
func columns4(blk *[64]int32) {
	const round = 1 << (passShift - 1)
	for i := range 4 {
		a0, a1, a2, a3 := int(blk[i]), int(blk[i+8]), int(blk[i+16]), int(blk[i+24])
		e := a0<<13 + round
		e2, e3 := a2*fix0541, a2*(fix0541+fix0765)
		e0, e1 := e+e3, e+e2
		e3, e2 = e-e3, e-e2

		z5 := (a3 + a1) * fix1175
		z3, z4 := z5-a3*fix1961, z5-a1*fix0390
		o0, o1 := z3-a1*fix0899, z4-a3*fix2562
		o2, o3 := a3*(fix3072-fix2562)+z3, a1*(fix1501-fix0899)+z4

		blk[i], blk[i+56] = int32((e0+o3)>>passShift), int32((e0-o3)>>passShift)
		blk[i+8], blk[i+48] = int32((e1+o2)>>passShift), int32((e1-o2)>>passShift)
		blk[i+16], blk[i+40] = int32((e2+o1)>>passShift), int32((e2-o1)>>passShift)
		blk[i+24], blk[i+32] = int32((e3+o0)>>passShift), int32((e3-o0)>>passShift)
	}
}

// rows4 is rows8 where only the first four columns can be other than zero.
func rows4(blk *[64]int32, dst []byte, stride int) {
	const round = 1<<(lastShift-1) + 128<<lastShift
	for y := range 8 {
		b := (*[4]int32)(blk[y*8:])
		a0, a1, a2, a3 := int(b[0]), int(b[1]), int(b[2]), int(b[3])
		e := a0<<13 + round
		e2, e3 := a2*fix0541, a2*(fix0541+fix0765)
		e0, e1 := e+e3, e+e2
		e3, e2 = e-e3, e-e2

		z5 := (a3 + a1) * fix1175
		z3, z4 := z5-a3*fix1961, z5-a1*fix0390
		o0, o1 := z3-a1*fix0899, z4-a3*fix2562
		o2, o3 := a3*(fix3072-fix2562)+z3, a1*(fix1501-fix0899)+z4

		d := (*[8]byte)(dst[y*stride:])
		d[0], d[7] = clampOf(e0+o3), clampOf(e0-o3)
		d[1], d[6] = clampOf(e1+o2), clampOf(e1-o2)
		d[2], d[5] = clampOf(e2+o1), clampOf(e2-o1)
		d[3], d[4] = clampOf(e3+o0), clampOf(e3-o0)
	}
}
