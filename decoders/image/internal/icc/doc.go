// Package icc turns the colours of a picture into sRGB by the ICC profile that came with it (ICC.1:2022, and version 2 before it).
//
//	t, err := icc.Parse(profile, icc.RGB)
//	if t != nil {
//		t.Pixels(pix)
//	}
//
// The answer is media-relative colorimetric (ICC.1:2022, 6.2.2): paper is white, and the black of a press is as dark as it is in print. Every number that leaves is made of integers, or of floating-point operations that are rounded one by one: each machine
// gives the same.
package icc
