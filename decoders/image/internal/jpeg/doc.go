// Package jpeg decodes and encodes JPEG pictures (ITU-T T.81): baseline, extended and progressive, with Huffman or arithmetic coding, in
// one, three or four components of any sampling.
//
//	d, err := jpeg.Open(in, size, nil) // headers only: nothing is allocated by what they say
//	err = d.Start()                    // after d.Bytes() was agreed to
//	for range d.Frame.Height {
//		d.Row(rgba)
//	}
//	damage, err := d.Missing()
//
// A picture whose components share one scan is decoded by rows of blocks as its rows are asked for, and held nowhere. Planes gives the
// components themselves, also at a half, a quarter or an eighth of their size, for a picture that leaves as a JPEG again: Encode.
//
// What is damaged is decoded as far as it goes, and what is missing is gray, as libjpeg has it. Package image asks the budgets.
package jpeg
