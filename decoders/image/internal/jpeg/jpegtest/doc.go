// Package jpegtest makes JPEG files for tests, of every kind that package jpeg decodes: any sampling, eight or twelve bits, in one scan or in
// many, progressive, with restart markers.
//
//	data := jpegtest.Spec{Width: 40, Height: 30, Components: jpegtest.YCbCr(0x22), Sample: shade}.Bytes()
//
// It is slow and plain, and shares no code with the decoder but numbers of the standard. Only tests import it.
package jpegtest
