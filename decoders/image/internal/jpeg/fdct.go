package jpeg

// forward transforms samples, less 128, into coefficients times eight: the counterpart of inverse8, rows first.
func forward(blk *[64]int32) {
	for y := range 8 {
		b := (*[8]int32)(blk[y*8:])
		t0, t7 := int(b[0]+b[7]), int(b[0]-b[7])
		t1, t6 := int(b[1]+b[6]), int(b[1]-b[6])
		t2, t5 := int(b[2]+b[5]), int(b[2]-b[5])
		t3, t4 := int(b[3]+b[4]), int(b[3]-b[4])
		e0, e3, e1, e2 := t0+t3, t0-t3, t1+t2, t1-t2
		const round = 1 << (passShift - 1)
		b[0], b[4] = int32((e0+e1)<<2), int32((e0-e1)<<2)
		z := (e2+e3)*fix0541 + round
		b[2], b[6] = int32((z+e3*fix0765)>>passShift), int32((z-e2*fix1847)>>passShift)

		z1, z2, z3, z4 := -(t4+t7)*fix0899+round, -(t5+t6)*fix2562+round, t4+t6, t5+t7
		z5 := (z3 + z4) * fix1175
		z3, z4 = z5-z3*fix1961, z5-z4*fix0390
		b[7], b[5] = int32((t4*fix0298+z1+z3)>>passShift), int32((t5*fix2053+z2+z4)>>passShift)
		b[3], b[1] = int32((t6*fix3072+z2+z3)>>passShift), int32((t7*fix1501+z1+z4)>>passShift)
	}
	for i := range 8 {
		t0, t7 := int(blk[i]+blk[i+56]), int(blk[i]-blk[i+56])
		t1, t6 := int(blk[i+8]+blk[i+48]), int(blk[i+8]-blk[i+48])
		t2, t5 := int(blk[i+16]+blk[i+40]), int(blk[i+16]-blk[i+40])
		t3, t4 := int(blk[i+24]+blk[i+32]), int(blk[i+24]-blk[i+32])
		e0, e3, e1, e2 := t0+t3, t0-t3, t1+t2, t1-t2
		const shift = 13 + 2
		const round = 1 << (shift - 1)
		blk[i], blk[i+32] = int32((e0+e1+2)>>2), int32((e0-e1+2)>>2)
		z := (e2+e3)*fix0541 + round
		blk[i+16], blk[i+48] = int32((z+e3*fix0765)>>shift), int32((z-e2*fix1847)>>shift)

		z1, z2, z3, z4 := -(t4+t7)*fix0899+round, -(t5+t6)*fix2562+round, t4+t6, t5+t7
		z5 := (z3 + z4) * fix1175
		z3, z4 = z5-z3*fix1961, z5-z4*fix0390
		blk[i+56], blk[i+40] = int32((t4*fix0298+z1+z3)>>shift), int32((t5*fix2053+z2+z4)>>shift)
		blk[i+24], blk[i+8] = int32((t6*fix3072+z2+z3)>>shift), int32((t7*fix1501+z1+z4)>>shift)
	}
}
