// Package icc turns the colours of a picture into sRGB by the ICC profile that came with it (ICC.1:2022, and version 2 before it).
//
//	t, err := icc.Parse(profile, icc.RGB)
//	if t != nil {
//		t.Pixels(pix)
//	}
//
// The answer is relative to the media white, of the perceptual table where a profile has tables, with the darkest colour of the profile
// taken for black. Every number that leaves is made of integers, or of floating-point operations that are rounded one by one: each machine
// gives the same.
package icc
