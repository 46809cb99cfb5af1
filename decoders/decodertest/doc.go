// Package decodertest is the suite that every decoder passes, however it runs: as a function, in the sandbox, or as anyone's module.
//
//	func TestVectors(t *testing.T) { decodertest.Run(t, "text", decodertest.Native(&text.Decoder)) }
//
//	func FuzzDecode(f *testing.F) {
//		decodertest.Seed(f, "text")
//		f.Fuzz(func(t *testing.T, in []byte) { decodertest.Invariants(t, in, "text", decodertest.Native(&text.Decoder)) })
//	}
//
// The vectors come from package testdata; a decoder's own generator writes them with Golden. Only tests and suites import this package.
package decodertest
